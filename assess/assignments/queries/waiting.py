"""The reasons why assignments are not open yet, and the open ones that contain nothing to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import predecessors
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of, stage_of, track_of
from assess.campaigns.track_texts import in_language
from assess.items.queries import current_pools, nothing_pooled
from assess.kinds.base import Tally, work_kind
from assess.protocol import Stage, Task
from assess.topic_drafts.models import TopicDraft

# Assignments that a topic's author may begin before anything is pooled, with their own finds.


def _in_track(assignment: Assignment) -> tuple[Task, Stage]:
    """Return the assignment's task and stage as the track has them; their order does not depend on settings.

    `stage_of` reads the settings for the scales, which would take seconds for some thousand assignments. Raises
    `LookupError` if the track has no such stage.
    """
    found = track_of(assignment.campaign).stage(assignment.stage)
    if found is None:
        raise LookupError(f"track {assignment.campaign.track} has no stage {assignment.stage}")
    return found


def may_begin_early(assignments: Iterable[Assignment], *, by_makers_alone: bool = True) -> set[int]:
    """Return the ids of the assignments that may begin although their task has no pool yet.

    They are primary assessors' assignments in stages that need no runs, on topics that the assessors drafted
    themselves. With ``by_makers_alone`` false, as in replays, anybody's topics count, since somebody drafted them
    elsewhere. No query if there is no such stage; otherwise two, and one for each campaign.
    """
    early = [each for each in assignments if each.role == Assignment.Role.PRIMARY and _in_track(each)[1].without_runs]
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


# Two rounds: an assessor finishes a topic's first round before the second, which closes the first.

ENDED = (Assignment.State.DONE, Assignment.State.STOPPED)
PEERS = (Assignment.Role.PRIMARY, Assignment.Role.SECOND)


def first_round_of(assignment: Assignment) -> Stage | None:
    """Return the stage that the assessor must finish before this assignment begins, or None. No query."""
    task, stage = _in_track(assignment)
    if assignment.role not in PEERS or not is_round_in_force(assignment.campaign, stage):
        return None
    return task.stage(stage.first_round)


def is_round_in_force(campaign: Campaign, stage: Stage) -> bool:
    """Return whether a stage is a second round that the campaign's settings ask for."""
    return stage.first_round != "" and bool(getattr(settings_of(campaign), stage.rounds_setting))


# The noun for a stage's things, and why assignments are not open yet.


def unit_of(stage: Stage) -> str:
    """Return the plural noun for the things of a stage: "passages", "figures or tables"."""
    return " or ".join(f"{noun}s" for noun in (stage.noun or stage.item_kind).split(" or "))


def waiting_reasons(
    assignments: Iterable[Assignment], *, with_rounds: bool = True, to_finish: bool = False
) -> dict[int, str]:
    """Return the sentence that says why an assignment is not open yet, by id; open assignments are left out.

    A stage waits until the primary assessor has finished the stage before it. A stage marked ``own`` waits until its
    own assessor has finished the stage before it. So does a second round for the first, unless ``with_rounds`` is
    false, as in replays. No stage waits for one without pooled items.

    The author of a topic may begin a stage that needs no runs before there is a pool, but can't finish it. With
    ``to_finish``, such stages are included, and their sentences say when they can be finished. One query, and a few
    more if some assignments wait.
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
        wait.assignment.pk: wait.reason(to_finish=to_finish)
        for wait in waits
        if (wait.assignment.topic_id, wait.before.key) not in nothing
    }


def _people(assignment: Assignment, before: Mapping[int, list[Assignment]]) -> set[int]:
    """Return the user ids of the assignment's assessor and of those who had the assignment before."""
    return {assignment.assessor_id, *(earlier.assessor_id for earlier in before.get(assignment.pk, ()))}


@dataclass(frozen=True, slots=True)
class _Wait:
    """An assignment that waits for another stage of its topic; with ``own``, for the same assessor to finish it."""

    assignment: Assignment
    before: Stage
    own: bool

    def reason(self, *, to_finish: bool) -> str:
        if to_finish and self.own:
            text = gettext(
                "This was begun before there were runs. It can be finished when you are done with “%(label)s” of this "
                "topic."
            )
        elif to_finish:
            text = gettext(
                "This was begun before there were runs. It can be finished when “%(label)s” of this topic is done."
            )
        elif self.own:
            text = gettext("Opens when you are done with “%(label)s” of this topic.")
        else:
            text = gettext("Opens when “%(label)s” of this topic is done.")
        return text % {"label": in_language(self.before.label)}


def _waits(assignment: Assignment, *, with_rounds: bool) -> Iterator[_Wait]:
    task, stage = _in_track(assignment)
    before = task.stage(stage.after) if stage.after else None
    if before is not None:
        yield _Wait(assignment, before, stage.own)
    first = first_round_of(assignment) if with_rounds else None
    if first is not None:
        yield _Wait(assignment, first, True)


def _nothing_before(waits: list[_Wait]) -> set[tuple[int, str]]:
    """Return the (topic, stage) pairs that assignments wait for and that have no pooled items."""
    tasks: dict[Campaign, set[str]] = {}
    for wait in waits:
        if work_kind(wait.before.work.key).asks_pooled:
            campaign = wait.assignment.campaign
            tasks.setdefault(campaign, set()).add(stage_of(campaign, wait.before.key)[0].key)
    return {pair for campaign, keys in tasks.items() for pair in nothing_pooled(campaign, keys)}


def work_with_nothing(assignments: Iterable[Assignment], tallies: Mapping[int, Tally]) -> set[int]:
    """Return the ids of unfinished assignments that contain nothing to do, although they could be worked on.

    Their pool is built, and they wait for no other stage. No query if all assignments contain something, otherwise two
    or three.
    """
    bare = [
        each for each in assignments if each.pk in tallies and not tallies[each.pk].total and each.state not in ENDED
    ]
    if not bare:
        return set()
    waiting = waiting_reasons(bare)
    pooled = set(current_pools(bare[0].campaign).values_list("task", flat=True))
    tasks = {each.pk: stage_of(each.campaign, each.stage)[0] for each in bare}
    return {pk for pk, task in tasks.items() if pk not in waiting and (not task.pooling or task.key in pooled)}
