"""What an assessor can look at again over all their topics.

It holds their latest answers, notes and questions, and the items on which an adjudicator decided differently. Apart
from those decisions, nothing of other people is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.translation import gettext

from assess.adjudication.queries.disagreements import adjudicated_stages, criteria_of, disagreements, kind_of
from assess.adjudication.queries.listing import settled_questions, shown_name
from assess.assignments.models import AsideReason, Assignment, DecidedLater, HelpRequest, SetAside
from assess.assignments.queries.work_items import handle_of
from assess.campaigns.models import Campaign
from assess.campaigns.queries import stage_of
from assess.judging.models import Judgment
from assess.judging.queries.bench import label_of
from assess.judging.queries.judged import answers, is_judged
from assess.kinds.base import kinds
from assess.protocol import Criterion, Stage

LAST = 50
"""How many of the latest answers are shown for each kind of work."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LookAgain:
    """One line: an item, its answer, and the text beside it.

    ``address`` opens the bench at the item; it is "" if the assignment is no longer the assessor's, who then can't open
    it. ``is_later`` means that the item was set aside for later and is not judged or decided yet.
    """

    topic: str
    stage: Stage
    label: str
    said: str
    at: datetime | None
    address: str
    note: str = ""
    question: HelpRequest | None = None
    is_later: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Corrected:
    """An item on which an adjudicator decided differently from its assessor; both values are in words.

    ``address`` is "" if the assignment is no longer the assessor's, who then can't open it.
    """

    assignment: Assignment
    stage: Stage
    criterion: Criterion
    label: str
    own: str
    decided: str
    address: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Corrections:
    """The items on which an adjudicator decided differently from the assessor, and the number of those decided as the
    assessor judged.
    """

    rows: list[Corrected]
    confirmed: int

    @property
    def decided(self) -> int:
        """The number of decided items, whether corrected or confirmed."""
        return len(self.rows) + self.confirmed


def judged_assignments(campaign: Campaign, person: User) -> dict[int, Assignment]:
    """Return a person's assignments by id; those that they no longer have come first. One query.

    They no longer have what was handed over, given back or taken back. Assignments of dropped topics are left out.
    """
    own = campaign.assignments.filter(assessor=person, topic__dropped=False).exclude(role=Assignment.Role.MACHINE)
    works = {each.pk: each for each in own.select_related("topic", "topic__parent").order_by("pk")}
    for each in works.values():
        each.campaign = each.topic.campaign = campaign
        each.assessor = person
    return dict(sorted(works.items(), key=lambda each: each[1].state != Assignment.State.RETURNED))


def held_of(works: Mapping[int, Assignment]) -> dict[int, Assignment]:
    """Return those of a person's assignments that can still be opened."""
    return {pk: each for pk, each in works.items() if each.state != Assignment.State.RETURNED}


def latest_answers(campaign: Campaign, person: User, works: Mapping[int, Assignment]) -> list[LookAgain]:
    """Return a person's latest answers, with notes, questions and items set aside, newest first.

    ``works`` are `judged_assignments`: what was judged before the work was given to somebody else is included. It takes
    at most three queries, plus those of each kind of work in the assignments (`WorkKind.recent`) and of
    `decided_later`.
    """
    held = held_of(works)
    found = [*_latest_answers(works), *_asked_questions(works), *_set_aside(held), *decided_later(campaign, person)]
    return sorted(found, key=lambda row: row.at.timestamp() if row.at else 0, reverse=True)


def _latest_answers(works: Mapping[int, Assignment]) -> Iterator[LookAgain]:
    stages = stages_of(works.values())
    for kind in kinds().values():
        own = {pk: each for pk, each in works.items() if stages[each.stage].work.key == kind.key}
        if kind.recent is None or not own:
            continue
        for act in kind.recent(own, LAST):
            work = own[act.assignment]
            yield LookAgain(
                topic=work.topic.number,
                stage=stages[work.stage],
                label=act.label,
                said=act.said,
                at=act.at,
                note=act.note,
                address=_address(work, act.item, act.nugget),
            )


def _asked_questions(works: Mapping[int, Assignment]) -> Iterator[LookAgain]:
    asked = HelpRequest.objects.filter(assignment__in=list(works)).select_related("item", "item__repeats")
    stages = stages_of(works.values())
    for each in asked:
        work = works[each.assignment_id]
        yield LookAgain(
            topic=work.topic.number,
            stage=stages[work.stage],
            label=label_of(each.item) if each.item is not None else work.topic.text,
            said="",
            at=each.asked_at,
            address=_address(work, each.item_id),
            question=each,
        )


def _set_aside(works: Mapping[int, Assignment]) -> Iterator[LookAgain]:
    found = SetAside.objects.filter(assignment__in=list(works), why=AsideReason.LATER)
    aside = list(found.select_related("item", "item__repeats"))
    if not aside:
        return
    own = Judgment.objects.filter(assessor__in={each.assessor for each in works.values()})
    said: dict[int, dict[str, int | None]] = {}
    for item, criterion, value in answers(
        own.filter(item__in=[each.item_id for each in aside]), "item_id", "criterion"
    ).values_list("item_id", "criterion", "value"):
        said.setdefault(item, {})[criterion] = value
    stages = stages_of(works.values())
    for each in aside:
        work = works[each.assignment_id]
        stage = stages[work.stage]
        asked = {key: value for key, value in said.get(each.item_id, {}).items() if stage.criterion(key)}
        if not is_judged(stage.criteria, asked):
            yield LookAgain(
                topic=work.topic.number,
                stage=stage,
                label=label_of(each.item),
                said=gettext("for later"),
                at=each.created_at,
                address=_address(work, each.item_id),
                is_later=True,
            )


def decided_later(campaign: Campaign, person: User) -> Iterator[LookAgain]:
    """Yield the disagreements that an adjudicator set aside for later and that nobody has decided since.

    One query if nothing is set aside. Otherwise there are further queries for the disagreements and labels of each
    question concerned.
    """
    at = {
        (row.stage, row.criterion, row.thing): row.created_at
        for row in DecidedLater.objects.filter(campaign=campaign, person=person)
    }
    for stage, criterion in settled_questions(campaign) if at else ():
        things = [thing for of_stage, of, thing in at if (of_stage, of) == (stage.key, criterion.key)]
        rows = disagreements(campaign, stage, criterion, person=person, things=things) if things else []
        rows = [row for row in rows if row.decided is None]
        labels = kind_of(stage).labels(campaign, stage, rows) if rows else {}
        for row in rows:
            name = shown_name(campaign, stage, row.thing, person)
            bench = reverse("adjudicate", args=[campaign.slug, stage.key, criterion.key])
            yield LookAgain(
                topic=row.topic,
                stage=stage,
                label=labels[row.name].label,
                said=gettext("to decide later"),
                at=at[stage.key, criterion.key, row.name],
                address=f"{bench}?item={name}",
                is_later=True,
            )


def may_see_corrections(campaign: Campaign) -> bool:
    """Return whether assessors may see the decisions about their judgments: only after the campaign is frozen.

    Earlier, a decision would reveal how to judge the next similar item, and second opinions would not be independent.
    """
    return campaign.state in Campaign.CLOSED


def corrections_of(works: Mapping[int, Assignment]) -> Corrections:
    """Return what an adjudicator decided about one person's judgments in these assignments, in the order of topics.

    ``works`` are `judged_assignments`. After a hand-over, a judgment stays the first assessor's unless the next one
    judged the item anew. Kinds of work that are adjudicated as a whole (lists, groups) are left out. The queries are
    those of `disagreements` for each question of the stages.
    """
    rows: list[Corrected] = []
    confirmed = 0
    for stage, own in _settled_stages(works):
        kind, campaign = kind_of(stage), next(iter(own.values())).campaign
        for criterion in criteria_of(campaign, stage):
            said = [
                (row, side.value, own[row.topic_id])
                for row in disagreements(campaign, stage, criterion, topics=list(own))
                for side in row.sides
                if row.decided is not None and side.assessor_id == own[row.topic_id].assessor_id
            ]
            others = [each for each in said if each[1] != each[0].decided]
            confirmed += len(said) - len(others)
            labels = kind.labels(campaign, stage, [row for row, _, _ in others]) if others else {}
            rows += [
                Corrected(
                    assignment=work,
                    stage=stage,
                    criterion=criterion,
                    label=labels[row.name].label,
                    own=_named(criterion, value),
                    decided=_named(criterion, row.decided or 0),
                    address=_address(work, row.thing.item_id),
                )
                for row, value, work in others
            ]
    return Corrections(rows=rows, confirmed=confirmed)


def _settled_stages(works: Mapping[int, Assignment]) -> Iterator[tuple[Stage, dict[int, Assignment]]]:
    """Yield the stages in which disagreements are decided item by item, each with these assignments by topic id."""
    for campaign in {each.campaign for each in works.values()}:
        for _, stage in adjudicated_stages(campaign):
            own = {each.topic_id: each for each in works.values() if each.stage == stage.key}
            if own and not kind_of(stage).is_whole:
                yield stage, own


def _named(criterion: Criterion, value: int) -> str:
    grade = criterion.grade(value)
    return grade.name if grade is not None else str(value)


def stages_of(works: Iterable[Assignment]) -> dict[str, Stage]:
    """Return stage key -> stage for these assignments, all in one campaign. Finding a stage reads the campaign's
    settings, so each is found once.
    """
    of_stage = {work.stage: work for work in works}
    return {key: stage_of(work.campaign, key)[1] for key, work in of_stage.items()}


def _address(work: Assignment, item: int | None, nugget: int | None = None) -> str:
    if work.state == Assignment.State.RETURNED:
        return ""
    bench = reverse("workbench", args=[work.campaign.slug, work.pk])
    if item is not None:
        return f"{bench}?item={handle_of(work, item)}"
    return f"{bench}?nugget={nugget}" if nugget is not None else bench
