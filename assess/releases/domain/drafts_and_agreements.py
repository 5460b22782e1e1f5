"""Write how a campaign's topics were drafted, and which team accepted which agreement, into a release.

People appear under the pseudonyms of their judgments, and teams under those of their runs. Their own texts are not
changed. No times are given except the days of agreements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from assess.assignments.queries.pseudonyms import pseudonyms_with_authors
from assess.campaigns.models import Activity, Campaign, Role
from assess.campaigns.queries import drafting_of
from assess.judging.snapshots import Snapshot
from assess.releases.domain.draft_acts import is_as_drafted
from assess.releases.domain.renamed_runs import by_name
from assess.topic_drafts.domain.steps import content_values
from assess.topic_drafts.models import DraftFind, DraftStep
from assess.topic_drafts.queries import read_content
from assess.topics.queries import topic_records
from assess.user_agreements.models import Acceptance

Action = DraftStep.Action
CARRIED, WHERE = ("draft", "finds"), ("topic", "stage", "left")
"""Members of the data of an activity "draft.carry". Older versions of the site did not record them."""


def draft_acts(snapshot: Snapshot) -> Iterator[dict[str, Any]]:
    """Yield the acts of all drafts, in the form of `draft_acts.py`, in ledger order up to a point. Seven queries."""
    campaign = snapshot.campaign
    drafts = {draft.pk: draft for draft in campaign.topic_drafts.select_related("topic")}
    if not drafts:
        return
    names = pseudonyms_with_authors(campaign)
    topics = {topic.number: topic for topic in topic_records(campaign, with_dropped=True)}
    steps = DraftStep.objects.filter(draft__in=drafts, id__lte=snapshot.as_of)
    finds = DraftFind.objects.filter(draft__in=drafts, id__lte=snapshot.as_of)
    carried = campaign.activities.filter(action="draft.carry", id__lte=snapshot.as_of, data__has_keys=CARRIED)
    by_number = {draft.number: draft for draft in drafts.values()}
    drafting = drafting_of(campaign)
    rows: list[DraftStep | DraftFind | Activity] = sorted(chain(steps, finds, carried), key=lambda row: row.pk)
    for row in rows:
        draft = by_number[row.data["draft"]] if isinstance(row, Activity) else drafts[row.draft_id]
        own = {"draft": draft.number, "by": names[draft.author_id]}
        if isinstance(row, Activity):
            said = row.data
            places = [[int(find), place] for find, place in said["finds"].items()]
            yield {**own, "do": "carry", "finds": sorted(places), **{name: said[name] for name in WHERE}}
        elif isinstance(row, DraftFind):
            yield {**own, **_found(row)}
        elif row.action == Action.ACCEPT and drafting is not None and draft.topic is not None:
            number = draft.topic.number
            same = is_as_drafted(read_content(row.content), drafting, topics, number)
            yield {"do": "accept", "draft": draft.number, "topic": number, "as_drafted": same}
        elif row.action == Action.BACK:
            yield {"do": "back", "draft": draft.number, "word": row.word}
        elif row.action == Action.SEND:
            yield {**own, "do": "send", "word": row.word, "estimate": row.estimate}
        elif row.action == Action.DROP:
            yield {**own, "do": "drop"}
        else:
            yield {**own, "do": "write", "content": content_values(read_content(row.content))}


def _found(find: DraftFind) -> dict[str, Any]:
    if find.is_withdrawn:
        return {"do": "withdraw", "find": find.number}
    if find.kind == DraftFind.Kind.DOCUMENT:
        return {"do": "document", "find": find.number, "docno": find.docno, "relevant": bool(find.grade)}
    names = ("part", "text", "docno", "quote", "span")
    return {"do": find.kind, "find": find.number, **{name: getattr(find, name) for name in names}}


def agreement_rows(campaign: Campaign) -> Iterator[dict[str, Any]]:
    """Yield every version of the user agreement, with the day on which it was published."""
    for each in campaign.user_agreements.order_by("version"):
        yield {"version": each.version, "text": each.text, "published": _day(each.published_at)}


def acceptance_rows(snapshot: Snapshot, teams: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return which team accepted which version on which day, either by itself or on paper, as an organiser recorded.

    Teams may accept even when a campaign is frozen, so acceptances after the ledger point are left out. The order of
    the rows has no meaning.
    """
    campaign = snapshot.campaign
    told = campaign.activities.filter(action="agreement.accept", id__lte=snapshot.as_of).values_list(
        "object_id", flat=True
    )
    rows = Acceptance.objects.filter(pk__in=[int(pk) for pk in told]).select_related("agreement", "accepted_by")
    members = set(campaign.memberships.filter(role=Role.PARTICIPANT).values_list("user_id", "team"))
    organisers = set(campaign.memberships.filter(role=Role.ORGANISER).values_list("user_id", flat=True))
    found = [
        {
            "version": each.agreement.version,
            "team": teams[each.team],
            "by": "organiser" if _is_on_paper(each, members, organisers) else "team",
            "accepted": _day(each.accepted_at),
        }
        for each in rows
    ]
    return sorted(found, key=lambda row: (row["version"], by_name(row["team"])))


def _is_on_paper(each: Acceptance, members: set[tuple[int, str]], organisers: set[int]) -> bool:
    """Return whether an organiser recorded the acceptance. Somebody who has left since counts as a member of the
    team.
    """
    by = each.accepted_by
    return bool(each.note) or ((by.pk, each.team) not in members and (by.is_superuser or by.pk in organisers))


def _day(at: datetime) -> str:
    return at.astimezone(UTC).date().isoformat()
