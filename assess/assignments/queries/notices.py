"""Notices that an assessor gets once: of new guidelines, changed designs, answers and changed topics.

Notices are not stored. A notice is an activity after the ledger point up to which the person confirmed reading
(`NoticesSeen`). Without such a point, it is one after the person first opened an assignment in the campaign, since they
began with everything as it was then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import BigIntegerField, F, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.translation import get_language, gettext, gettext_noop

from assess.assignments.models import Assignment, HelpRequest, NoticesSeen
from assess.assignments.queries.handoffs import heirs_of
from assess.base.wording import inside_quotes
from assess.campaigns.designs import DESIGN, seen_changes
from assess.campaigns.models import Activity, Campaign, Drafts
from assess.campaigns.queries import is_without_drafts
from assess.runs.queries import without_names

GUIDELINES, ANSWER = "guideline.publish", "help.answer"
TOPIC_CHANGES = {
    "topics.amend": gettext_noop("Topic {number} was amended. Look again at what you judged of it."),
    "topics.drop": gettext_noop("Topic {number} was dropped: it is not judged any more."),
    "topics.restore": gettext_noop("Topic {number} is judged again."),
}
"""The text of a notice of a changed topic, by the activity's action; the activity's data has the topic numbers."""
OFFERS = ("machine.import", "campaign.drafts")
"""Actions that may offer a machine's drafts to assessors; their data has the topic numbers (``offered``)."""
TOLD = (GUIDELINES, ANSWER, DESIGN, *TOPIC_CHANGES, *OFFERS)
"""The actions that may need a notice."""
QUOTED = 200  # characters of a question, in a notice
NAMED = 5  # topics, in a notice
OFFERED_TO = (Assignment.Role.PRIMARY, Assignment.Role.SECOND)
"""The roles to which drafts are offered (`assess.judging.queries.machine_drafts`)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Notice:
    """One notice to read: a sentence on what changed, the new text, and the page that shows it. ``language`` is that of
    the new text, or "" for a text of the campaign.
    """

    point: int
    at: datetime
    text: str
    quote: str = ""
    language: str = ""
    address: str = ""


def notices_of(campaign: Campaign, person: User) -> list[Notice]:
    """Return the person's unread notices, the oldest first. One query if there are none."""
    rows = list(_unread(person, [campaign.pk]))
    return _notices(campaign, person, rows) if rows else []


def newest_notice_point(campaign: Campaign) -> int:
    """Return the ledger point of the newest activity that may need a notice, or 0.

    The points of other acts would reveal to assessors how much others do.
    """
    return campaign.activities.filter(action__in=TOLD).aggregate(newest=Max("id"))["newest"] or 0


def notice_counts(person: User, campaigns: Iterable[int]) -> dict[int, int]:
    """Return the number of unread notices by campaign id; campaigns without any are left out.

    One query, and more if there are any.
    """
    rows: dict[int, list[Activity]] = {}
    for row in _unread(person, list(campaigns)).select_related("campaign"):
        rows.setdefault(row.campaign_id or 0, []).append(row)
    counts = {pk: len(_notices(found[0].campaign, person, found)) for pk, found in rows.items() if found[0].campaign}
    return {pk: count for pk, count in counts.items() if count}


def _unread(person: User, campaigns: Sequence[int]) -> QuerySet[Activity]:
    """Return the unread activities that may need a notice, except the person's own; none in a campaign in which the
    person never opened an assignment or confirmed notices.
    """
    seen = NoticesSeen.objects.filter(campaign=OuterRef("campaign"), user=person).values("point")[:1]
    opened = (
        Activity.objects.filter(campaign=OuterRef("campaign"), actor=person, action="assignment.open")
        .order_by()
        .values("campaign")
        .annotate(first=Min("id"))
        .values("first")
    )
    told = Activity.objects.filter(campaign__in=campaigns, action__in=TOLD)
    begun = Coalesce(Subquery(seen), Subquery(opened), output_field=BigIntegerField())
    return told.exclude(actor=person).annotate(begun=begun).filter(id__gt=F("begun")).order_by("id")


def _notices(campaign: Campaign, person: User, rows: Sequence[Activity]) -> list[Notice]:
    """Return the notices of these activities, only the newest for each subject. Five queries at most."""
    newest = {(_kind(row), _subject(row)): row for row in rows}
    asked = [int(row.object_id) for row in newest.values() if row.action == ANSWER and row.object_id.isdecimal()]
    questions = _questions_of(campaign, person, asked) if asked else {}
    of_topics = any(row.action in TOPIC_CHANGES for row in rows)
    topics = _own_topics(campaign, person) if of_topics else {}
    found = []
    for row in sorted(newest.values(), key=lambda row: row.pk):
        if row.action == GUIDELINES:
            found.append(_of_guidelines(campaign, row))
        elif row.action == DESIGN and row.data.get("seen"):
            found.append(_of_design(row))
        elif row.action == ANSWER and (question := questions.get(int(row.object_id))) is not None:
            found.append(_of_answer(campaign, row, *question))
        elif row.action in TOPIC_CHANGES and topics.keys() & row.data.get("topics", ()):
            found.append(_of_topic(campaign, row, topics))
        elif row.action in OFFERS and (offered := _offered(campaign, person, row)):
            found.append(_of_drafts(campaign, row, offered))
    return found


def _questions_of(
    campaign: Campaign, person: User, asked: Sequence[int]
) -> dict[int, tuple[HelpRequest, Assignment | None]]:
    """Return those of these questions (ids) whose answers concern the person, by id, each with the person's assignment
    or None: their own, and those that were asked before an assignment that they have was handed over. At most three
    queries.
    """
    works = campaign.assignments.filter(assessor=person).exclude(state=Assignment.State.RETURNED)
    heirs = {pk: found[-1] for pk, found in heirs_of(works).items()}
    found = HelpRequest.objects.filter(Q(assignment__assessor=person) | Q(assignment__in=list(heirs)), pk__in=asked)
    return {each.pk: (each, heirs.get(each.assignment_id)) for each in found.select_related("assignment__topic")}


def _kind(row: Activity) -> str:
    """Return the kind of a notice, so that the newer of two opposite changes (dropped, restored) replaces the other."""
    if row.action in OFFERS:
        return OFFERS[0]
    return "topics.drop" if row.action == "topics.restore" else row.action


def _subject(row: Activity) -> str:
    """Return what a notice is about; all versions of the guidelines are one subject, each version of a design is its
    own.
    """
    if row.action in OFFERS:
        return " ".join("/".join(each) for each in row.data.get("offered", ()))
    return "" if row.action == GUIDELINES else str(row.pk) if row.action == DESIGN else row.object_id


def _own_topics(campaign: Campaign, person: User) -> dict[str, int | None]:
    """Return the topics that the person judges or judged: number -> id of a live assignment of theirs, or None.

    Topics whose assignment they handed over are included.
    """
    work = campaign.assignments.filter(assessor=person, started_at__isnull=False)
    live = campaign.assignments.filter(assessor=person).exclude(state=Assignment.State.RETURNED)
    found: dict[str, int | None] = {}
    for number, pk, state in (work | live).order_by("pk").values_list("topic__number", "pk", "state"):
        if state != Assignment.State.RETURNED:
            found[number] = pk
        else:
            found.setdefault(number, None)
    return found


def _of_guidelines(campaign: Campaign, row: Activity) -> Notice:
    return Notice(
        point=row.pk,
        at=row.created_at,
        text=gettext("The guidelines were changed: version %(version)s is in force. Read what is new.")
        % {"version": row.data.get("version", "")},
        address=reverse("guidelines", args=[campaign.slug]),
    )


def _of_design(row: Activity) -> Notice:
    text = gettext("What is asked was changed. Reload the page before you judge on.")
    said = "\n".join(seen_changes(row.data))
    return Notice(point=row.pk, at=row.created_at, text=text, quote=said, language=get_language() or "")


def _of_answer(campaign: Campaign, row: Activity, question: HelpRequest, work: Assignment | None) -> Notice:
    asked = question.text if len(question.text) <= QUOTED else f"{question.text[:QUOTED]}…"
    is_own = work is None or work.assessor_id == question.assignment.assessor_id
    told = (
        gettext("Your question about %(number)s was answered: “%(question)s”")
        if is_own
        else gettext("A question about %(number)s from before you took it over was answered: “%(question)s”")
    )
    answered = told % {"number": question.assignment.topic.number, "question": inside_quotes(asked)}
    excused = " " + gettext("You need not judge it.") if question.excused else ""
    return Notice(
        point=row.pk,
        at=row.created_at,
        text=answered + excused,
        quote=question.answer,
        address=reverse("workbench", args=[campaign.slug, work.pk]) if work is not None else "",
    )


def _of_topic(campaign: Campaign, row: Activity, own_topics: Mapping[str, int | None]) -> Notice:
    """Return the notice of a change to topics. Its address is the person's bench for the first of these topics, if they
    have one.
    """
    works = (pk for number in row.data["topics"] if (pk := own_topics.get(number)) is not None)
    work = next(works, None) if row.action != "topics.drop" else None
    return Notice(
        point=row.pk,
        at=row.created_at,
        text=gettext(TOPIC_CHANGES[row.action]).format(number=row.data["number"]),
        quote=without_names(campaign, str(row.data.get("reason", ""))),
        address=reverse("workbench", args=[campaign.slug, work]) if work is not None else "",
    )


def _offered(campaign: Campaign, person: User, row: Activity) -> dict[str, int]:
    """Return the topics for which drafts are now offered to this person, each with its assignment's id. One query."""
    if campaign.drafts != Drafts.OPEN:
        return {}
    offered = {(stage, number) for stage, number in row.data.get("offered", ())}
    own = campaign.assignments.filter(assessor=person, role__in=OFFERED_TO).exclude(state=Assignment.State.RETURNED)
    works = own.order_by("pk").values_list("stage", "topic__number", "pk") if offered else ()
    return {
        number: pk
        for stage, number, pk in works
        if (stage, number) in offered and not is_without_drafts(campaign, number)
    }


def _of_drafts(campaign: Campaign, row: Activity, offered: Mapping[str, int]) -> Notice:
    """Return the notice, with the address of the first bench on which drafts are offered."""
    named = ", ".join(list(offered)[:NAMED]) + (", …" if len(offered) > NAMED else "")
    return Notice(
        point=row.pk,
        at=row.created_at,
        text=gettext("A machine’s drafts are offered for %(named)s. What you said stays as it is until you accept one.")
        % {"named": named},
        address=reverse("workbench", args=[campaign.slug, next(iter(offered.values()))]),
    )
