"""Why assignments are not open yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import predecessors
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of, stage_of
from assess.items.queries import current_pools, nothing_pooled
from assess.kinds.base import work_kind
from assess.protocol import Stage, Task
from assess.topic_drafts.models import TopicDraft

# Work that who made the topic may begin before anything is pooled, with what they found themselves.


def may_begin_early(assignments: Iterable[Assignment], *, by_makers_alone: bool = True) -> set[int]:
    """Return the ids of the primary assessors' work on topics that they made, in stages that need no runs, without a
    pool yet.

    What is replayed comes from elsewhere, where somebody made the topics (``by_makers_alone``). No query where no stage
    is such; else two, and one for each campaign of them.
    """
    early = [
        each
        for each in assignments
        if each.role == Assignment.Role.PRIMARY and stage_of(each.campaign, each.stage)[1].without_runs
    ]
    if not early:
        return set()
    own = _on_topics_of_their_own(early) if by_makers_alone else early
    pooled = {
        (campaign.pk, task)
        for campaign in {each.campaign for each in own}
        for task in current_pools(campaign).values_list("task", flat=True)
    }
    return {each.pk for each in own if (each.campaign_id, each.topic.task) not in pooled}


def _on_topics_of_their_own(early: list[Assignment]) -> list[Assignment]:
    heads = {pk for each in early for pk in (each.topic_id, each.topic.parent_id) if pk is not None}
    made = set(TopicDraft.objects.filter(topic__in=heads).values_list("topic_id", "author_id"))
    return [
        each
        for each in early
        if any((topic, each.assessor_id) in made for topic in (each.topic_id, each.topic.parent_id))
    ]


# Judging in two rounds: an assessor ends the first of a topic before the second begins, which closes the first.

ENDED = (Assignment.State.DONE, Assignment.State.STOPPED)
ROLES = (Assignment.Role.PRIMARY, Assignment.Role.SECOND)


def first_round_of(assignment: Assignment) -> Stage | None:
    """Return the stage that its assessor must be done with before this work begins; None where there is none. No
    query.
    """
    task, stage = stage_of(assignment.campaign, assignment.stage)
    if assignment.role not in ROLES or not _in_force(assignment.campaign, stage):
        return None
    return task.stage(stage.first_round)


def second_round_begun(assignment: Assignment) -> Stage | None:
    """Return the stage whose work its assessor has begun on the topic, so that this work is closed; None where it is
    not.

    One query, and none where the stage is nobody's first round.
    """
    task, stage = stage_of(assignment.campaign, assignment.stage)
    later = _second_round(assignment.campaign, task, stage)
    if later is None or assignment.role not in ROLES:
        return None
    begun = Assignment.objects.filter(
        topic=assignment.topic_id,
        stage=later.key,
        assessor=assignment.assessor_id,
        role__in=ROLES,
        started_at__isnull=False,
    )
    return later if begun.exists() else None


def _second_round(campaign: Campaign, task: Task, stage: Stage) -> Stage | None:
    later = (each for each in task.stages if each.first_round == stage.key)
    return next((each for each in later if _in_force(campaign, each)), None)


def _in_force(campaign: Campaign, stage: Stage) -> bool:
    return stage.first_round != "" and bool(getattr(settings_of(campaign), stage.rounds_setting))


# What its things are called, and why work is not open yet.


def unit_of(stage: Stage) -> str:
    """Return what the things of a stage are called, many of them: "passages", "figures or tables"."""
    return " or ".join(f"{noun}s" for noun in (stage.noun or stage.item_kind).split(" or "))


def waiting_reasons(
    assignments: Iterable[Assignment], *, with_rounds: bool = True, to_finish: bool = False
) -> dict[int, str]:
    """Why assignments are not open yet, by id; those that are open are not in it. One query, a few where some wait.

    A stage waits for the author's work in the stage before it. A stage marked ``own`` waits for the same assessor's, as
    a second round waits for the first (``with_rounds``; replayed work does not wait). No stage waits for one without
    pooled items. The author of a topic may begin a stage that needs no runs before there is a pool, but can't finish it
    (``to_finish``).
    """
    waits = [wait for assignment in assignments for wait in _waits(assignment, with_rounds=with_rounds)]
    if not waits:
        return {}
    before = predecessors(wait.assignment for wait in waits if wait.own)
    rows = Assignment.objects.filter(topic__in={wait.assignment.topic_id for wait in waits}, state__in=ENDED).order_by()
    done: set[tuple[int, str, int | None]] = set()
    for topic, key, person, role in rows.values_list("topic_id", "stage", "assessor_id", "role"):
        done.add((topic, key, person))
        if role == Assignment.Role.PRIMARY:
            done.add((topic, key, None))
    waits = [
        wait
        for wait in waits
        if not any(
            (wait.assignment.topic_id, wait.before.key, person) in done
            for person in (_people(wait.assignment, before) if wait.own else {None})
        )
    ]
    if not to_finish:
        early = may_begin_early((wait.assignment for wait in waits), by_makers_alone=with_rounds)
        waits = [wait for wait in waits if wait.assignment.pk not in early]
    nothing = _nothing_before(waits)
    return {
        wait.assignment.pk: wait.reason for wait in waits if (wait.assignment.topic_id, wait.before.key) not in nothing
    }


def _people(assignment: Assignment, before: Mapping[int, list[Assignment]]) -> set[int]:
    """Who has the work and who had it before, by user id."""
    return {assignment.assessor_id, *(earlier.assessor_id for earlier in before.get(assignment.pk, ()))}


@dataclass(frozen=True, slots=True)
class _Wait:
    """Work that waits for another stage of its topic, with ``own`` for the same assessor's work in it."""

    assignment: Assignment
    before: Stage
    own: bool

    @property
    def reason(self) -> str:
        if self.own:
            return gettext("Opens when you are done with “%(label)s” of this topic.") % {"label": self.before.label}
        return gettext("Opens when “%(label)s” of this topic is done.") % {"label": self.before.label}


def _waits(assignment: Assignment, *, with_rounds: bool) -> Iterator[_Wait]:
    task, stage = stage_of(assignment.campaign, assignment.stage)
    before = task.stage(stage.after) if stage.after else None
    if before is not None:
        yield _Wait(assignment, before, stage.own)
    first = first_round_of(assignment) if with_rounds else None
    if first is not None:
        yield _Wait(assignment, first, True)


def _nothing_before(waits: list[_Wait]) -> set[tuple[int, str]]:
    """Return those topics and stages that work waits for and that have no pooled items."""
    tasks: dict[Campaign, set[str]] = {}
    for wait in waits:
        if work_kind(wait.before.work.key).asks_pooled:
            campaign = wait.assignment.campaign
            tasks.setdefault(campaign, set()).add(stage_of(campaign, wait.before.key)[0].key)
    return {pair for campaign, keys in tasks.items() for pair in nothing_pooled(campaign, keys)}
