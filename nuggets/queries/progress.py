"""How far assignments of the four kinds are, and what is missing before one can be marked done.

Each tally takes a bounded number of queries however many assignments, as `assess.kinds.base.WorkKind` asks.
"""

from __future__ import annotations

from collections.abc import Callable

from assess.kinds.base import Tally
from assess.models import Assignment, Item
from assess.protocol import Stage
from assess.queries.pools.membership import current_pools
from assess.queries.progress.adjudicator_tally import UNIT as DISAGREEMENTS
from assess.queries.progress.adjudicator_tally import adjudicator_tallies
from assess.queries.tracks import stage_of
from assess.queries.work.handed_over import lines_before, predecessors
from nuggets.models import ClassAssignment, ItemReview, NuggetList
from nuggets.queries.classes import correct_items, current_members, members_of
from nuggets.queries.desks import excused_items
from nuggets.queries.lists import active_nuggets, lineages, list_for, lists_for, official_lists
from nuggets.queries.matches import current_reviews, finished_items
from nuggets.queries.votes import current_votes

Tallies = dict[int, Tally]


def tally_lists(assignments: list[Assignment]) -> Tallies:
    """Nugget lists: one of one when the newest version is frozen."""
    topics = {assignment.topic_id for assignment in assignments}
    newest: dict[tuple[int, int], bool] = {}
    lists = NuggetList.objects.filter(topic__in=topics).order_by("version")
    for topic, owner, point in lists.values_list("topic_id", "owner_id", "frozen_point"):
        newest[topic, owner] = point is not None
    return {
        each.pk: Tally(done=int(newest.get((each.topic_id, each.assessor_id), False)), total=1, unit=_unit(each))
        for each in assignments
    }


def noun_of(stage: Stage) -> str:
    """What one line of the lists of this stage is called, in the singular."""
    return stage.noun or "nugget"


def _unit(assignment: Assignment) -> str:
    _, stage = stage_of(assignment.campaign, assignment.stage)
    return f"{noun_of(stage)} list"


def tally_matches(assignments: list[Assignment]) -> Tallies:
    """Matches: strings finished of those pooled; excused ones need not be. Of an adjudicator's, what is decided."""
    pooled = _pooled(assignments)
    excused = excused_items(assignments)
    lists = lists_for(assignments)
    known = lineages(lists.values())
    before = predecessors(assignments)
    reviews = ItemReview.objects.filter(assignment__in=assignments)
    finished: dict[tuple[int, int], dict[int, int]] = {}
    rows = current_reviews(reviews).filter(is_reviewed=True)
    for topic, assessor, item, version in rows.values_list(
        "item__topic_id", "assessor_id", "item_id", "nugget_list_id"
    ):
        finished.setdefault((topic, assessor), {})[item] = version
    found = {}
    for each in assignments:
        wanted = pooled.get(each.topic_id, set()) - excused[each.pk]
        covering = known[lists[each.pk].pk].covering if each.pk in lists else frozenset()
        said = finished.get((each.topic_id, each.assessor_id), {})
        if each.pk in before and each.pk in lists:
            said = dict.fromkeys(finished_items(lists[each.pk], assignment=each), lists[each.pk].pk)
        done = sum(said.get(item) in covering for item in wanted)
        found[each.pk] = Tally(done=done, total=len(wanted), unit="strings")
    return found | adjudicator_tallies(assignments)


def tally_votes(assignments: list[Assignment]) -> Tallies:
    """Votes: nuggets voted on of the active ones on the list that counts. Of an adjudicator's, what is decided."""
    lists = official_lists({assignment.topic_id for assignment in assignments})
    nuggets = active_nuggets(lists.values())
    cast: dict[tuple[int, int], int] = {}
    begun = {each.pk: line[-1].assessor_id for each, line in lines_before(assignments)}
    for vote in current_votes(lists.values()):
        cast[vote.topic_id, vote.voice] = cast.get((vote.topic_id, vote.voice), 0) + 1
    found = {}
    for each in assignments:
        nugget_list = lists.get(each.topic_id)
        total = len(nuggets[nugget_list.pk]) if nugget_list is not None else 0
        voice = begun.get(each.pk, each.assessor_id)
        found[each.pk] = Tally(done=cast.get((each.topic_id, voice), 0), total=total, unit="nuggets")
    return found | adjudicator_tallies(assignments)


def tally_classes(assignments: list[Assignment]) -> Tallies:
    """Answer classes: correct instances that are in a class, of all that are correct; excused ones need not be."""
    excused = excused_items(assignments)
    correct: dict[int, set[int]] = {}
    for assignment in _one_per_grade(assignments):
        _, stage = stage_of(assignment.campaign, assignment.stage)
        if stage.class_grade is not None:
            topics = [each.topic_id for each in assignments if each.campaign_id == assignment.campaign_id]
            items = correct_items(assignment.campaign, grade=stage.class_grade, topics=topics)
            for topic, item in items.values_list("topic_id", "pk"):
                correct.setdefault(topic, set()).add(item)
    placed: dict[int, set[int]] = {}
    members = current_members(ClassAssignment.objects.filter(assignment__in=assignments))
    for pk, item in members.values_list("assignment_id", "item_id"):
        placed.setdefault(pk, set()).add(item)
    for each in assignments:
        if each.taken_over_id is not None:
            placed[each.pk] = set(members_of(each).values_list("item_id", flat=True))
    found = {}
    for each in assignments:
        wanted = correct.get(each.topic_id, set()) - excused[each.pk]
        done = len(wanted & placed.get(each.pk, set()))
        found[each.pk] = Tally(done=done, total=len(wanted), unit=unit_of(each))
    return found


def missing_list(assignment: Assignment) -> str:
    """Why a nugget list is not done; "" when it is."""
    counted = tally_lists([assignment])[assignment.pk]
    return f"Freeze the {counted.unit} first." if counted.left else ""


def missing_matches(assignment: Assignment) -> str:
    """Why matches are not done; "" when they are."""
    if list_for(assignment) is None:
        return "The nugget list of this question is not frozen yet."
    return _left(tally_matches, assignment, "{} of {} strings are not finished. Say of each that you are done with it.")


def missing_votes(assignment: Assignment) -> str:
    """Why votes are not done; "" when they are."""
    if not official_lists([assignment.topic_id]):
        return "The nugget list of this question is not frozen yet."
    return _left(tally_votes, assignment, "{} of {} nuggets have no vote of yours.")


def missing_classes(assignment: Assignment) -> str:
    """Why answer classes are not done; "" when they are."""
    return _left(tally_classes, assignment, f"{{}} of {{}} {unit_of(assignment)} are in no class.")


def unit_of(assignment: Assignment) -> str:
    """What is grouped, in a word: the stage's own noun where it has one."""
    _, stage = stage_of(assignment.campaign, assignment.stage)
    return f"{stage.noun}s" if stage.noun else "correct answers"


def grouped_noun(stage: Stage) -> str:
    """What one of those that are grouped is called, in the singular."""
    return stage.noun or "answer"


def _left(tally: Callable[[list[Assignment]], Tallies], assignment: Assignment, sentence: str) -> str:
    counted = tally([assignment])[assignment.pk]
    if counted.unit == DISAGREEMENTS:
        sentence = "{} of {} disagreements are not decided."
    return sentence.format(counted.left, counted.total) if counted.left else ""


def _pooled(assignments: list[Assignment]) -> dict[int, set[int]]:
    """The ids of the pooled items of each assignment's topic, of the kind that its stage asks for."""
    found: dict[int, set[int]] = {}
    for assignment in _one_per_grade(assignments):
        task, stage = stage_of(assignment.campaign, assignment.stage)
        pools = current_pools(assignment.campaign).filter(task=task.key)
        topics = [each.topic_id for each in assignments if each.campaign_id == assignment.campaign_id]
        items = Item.objects.filter(topic__in=topics, kind=stage.item_kind, pool_items__pool__in=pools)
        for topic, item in items.values_list("topic_id", "pk"):
            found.setdefault(topic, set()).add(item)
    return found


def _one_per_grade(assignments: list[Assignment]) -> list[Assignment]:
    """One assignment for each campaign and stage: as many queries as there are kinds of work, not more."""
    return list({(each.campaign_id, each.stage): each for each in assignments}.values())
