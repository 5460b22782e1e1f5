"""How far nugget lists are written, and what is missing before an assignment can be marked done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext, ngettext

from assess.adjudication.queries.disagreements import UNIT as DISAGREEMENTS
from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import predecessors
from assess.base.numbers import grouped
from assess.campaigns.models import Campaign
from assess.campaigns.queries import stage_of
from assess.items.models import PoolItem
from assess.items.queries import current_pools
from assess.kinds.base import FreezeIssue, Tally
from assess.protocol import Stage
from nuggets.writing.models import NuggetList

Tallies = dict[int, Tally]


def tally_lists(assignments: list[Assignment]) -> Tallies:
    """Return the progress of each assignment: 1 of 1 if its newest list is frozen, otherwise 0 of 1.

    After a hand-over, the newest list of the whole chain must be the assessor's own.
    """
    topics = {assignment.topic_id for assignment in assignments}
    newest: dict[tuple[int, int], tuple[datetime, bool]] = {}
    lists = NuggetList.objects.filter(topic__in=topics).order_by("version")
    for topic, owner, begun, point in lists.values_list("topic_id", "owner_id", "created_at", "frozen_point"):
        newest[topic, owner] = begun, point is not None
    before = predecessors(assignments)
    found = {}
    for each in assignments:
        line = [(each.topic_id, one.assessor_id) for one in (each, *before.get(each.pk, ()))]
        known = [newest[place] for place in line if place in newest]
        is_done = line[0] in newest and newest[line[0]][1] and newest[line[0]][0] == max(known)[0]
        found[each.pk] = Tally(done=int(is_done), total=1, unit=unit_of_list(stage_of(each.campaign, each.stage)[1]))
    return found


def noun_of(stage: Stage) -> str:
    """Return the stage's word for one line of its lists, in the singular."""
    return stage.noun or "nugget"


def unit_of_list(stage: Stage) -> str:
    """Return the noun that counts the stage's lists, in English: "nugget list" or, say, "list of descriptions"."""
    noun = noun_of(stage)
    return "nugget list" if noun == "nugget" else f"list of {noun}s"


def missing_list(assignment: Assignment) -> str:
    """Return a sentence that says what is missing before the list is done, or "" if nothing is."""
    counted = tally_lists([assignment])[assignment.pk]
    return gettext("Freeze the %(unit)s first.") % {"unit": gettext(counted.unit)} if counted.left else ""


def unit_of(assignment: Assignment) -> str:
    """Return the plural noun for the items that the stage groups. It is made from the stage's own noun or, if the stage
    has none, is "correct answers".
    """
    _, stage = stage_of(assignment.campaign, assignment.stage)
    return f"{stage.noun}s" if stage.noun else "correct answers"


def _left(
    tally: Callable[[list[Assignment]], Tallies],
    assignment: Assignment,
    sentence: str,
    *,
    has_list: Callable[[], object] = lambda: True,
) -> str:
    """Return a sentence that says how much of the assignment is left to do, or that no list is frozen yet. Return "" if
    nothing is left.
    """
    counted = tally([assignment])[assignment.pk]
    if not counted.done and not has_list():
        return gettext("The nugget list of this topic is not frozen yet.")
    if counted.unit == DISAGREEMENTS:
        sentence = gettext("{} of {} disagreements are not decided.")
    return sentence.format(counted.left, counted.total) if counted.left else ""


def _pooled(assignments: list[Assignment]) -> dict[tuple[int, str], set[int]]:
    """Return (topic id, kind) -> ids of the topic's pooled items of this kind, for the kinds that the assignments'
    stages ask for. One query for each stage.
    """
    found: dict[tuple[int, str], set[int]] = {}
    for assignment in _one_per_grade(assignments):
        topics = [each.topic_id for each in assignments if each.campaign_id == assignment.campaign_id]
        rows = pooled_rows(assignment).filter(item__topic__in=topics).order_by()
        for topic, kind, item in rows.values_list("item__topic_id", "item__kind", "item_id"):
            found.setdefault((topic, kind), set()).add(item)
    return found


def pooled_rows(assignment: Assignment) -> QuerySet[PoolItem]:
    """Return the campaign's pooled items of the kind that the assignment's stage asks for."""
    task, stage = stage_of(assignment.campaign, assignment.stage)
    pools = current_pools(assignment.campaign).filter(task=task.key)
    return PoolItem.objects.filter(pool__in=pools, item__kind=stage.item_kind)


def _one_per_grade(assignments: list[Assignment]) -> list[Assignment]:
    """Return one assignment for each campaign and stage, so that a caller can query once for each of these."""
    return list({(each.campaign_id, each.stage): each for each in assignments}.values())


# What nugget lists lack before a campaign can be frozen. Assignments are counted elsewhere.

NAMED = 5  # lists


def drafts_begun(campaign: Campaign) -> Iterator[FreezeIssue]:
    """Yield a warning if lists, or new versions of them, were begun and never frozen. In that case the version before
    counts, if there is one. One query.
    """
    drafts = NuggetList.objects.filter(topic__campaign=campaign, topic__dropped=False, frozen_point=None).exclude(
        assignment__state=Assignment.State.RETURNED
    )
    rows = drafts.order_by("topic__ordinal", "topic_id", "id")
    found = list(rows.values_list("topic__number", "assignment__assessor__username", "assignment__stage"))
    if found:
        by = gettext("topic %(topic)s by %(name)s")
        named = "; ".join(by % {"topic": number, "name": name} for number, name, _ in found[:NAMED])
        if len(found) > NAMED:
            named += gettext("; and %(count)s more") % {"count": grouped(len(found) - NAMED)}
        said = ngettext(
            "%(count)s nugget list begun and not frozen (%(named)s): what was frozen before counts, or nothing.",
            "%(count)s nugget lists begun and not frozen (%(named)s): what was frozen before counts, or nothing.",
            len(found),
        )
        stages = {stage for *_, stage in found}
        yield FreezeIssue(
            code="draft-lists",
            severity="warning",
            count=len(found),
            text=said % {"count": grouped(len(found)), "named": named},
            page="progress",
            action=gettext("See who"),
            query=f"?stage={stages.pop()}#pieces" if len(stages) == 1 else "#pieces",
        )
