"""How far answers are grouped, and what is missing before an assignment can be marked done."""

from __future__ import annotations

from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.campaigns.queries import stage_of
from assess.judging.queries.blind_responses import excused_items
from assess.judging.snapshots import Snapshot
from assess.kinds.base import Tally
from assess.protocol import Stage
from nuggets.classes.current import correct_items, newest_places
from nuggets.options import ItemGrouping
from nuggets.writing.tally import Tallies, _left, _one_per_grade, unit_of


def tally_classes(assignments: list[Assignment]) -> Tallies:
    """Return, for each assignment, the number of correct instances and how many of them it has put into a class.
    Excused instances are left out.
    """
    excused = excused_items(assignments)
    correct: dict[tuple[str, int], set[int]] = {}
    for assignment in _one_per_grade(assignments):
        _, stage = stage_of(assignment.campaign, assignment.stage)
        if isinstance(stage.work, ItemGrouping):
            topics = [each.topic_id for each in assignments if each.campaign_id == assignment.campaign_id]
            items = correct_items(Snapshot(assignment.campaign), grade=stage.work.grade, topics=topics)
            for topic, item in items.values_list("topic_id", "pk"):
                correct.setdefault((assignment.stage, topic), set()).add(item)
    placed: dict[int, set[int]] = {}
    for (pk, item), (_, into, _) in newest_places(assignments).items():
        if into is not None:
            placed.setdefault(pk, set()).add(item)
    found = {}
    for each in assignments:
        wanted = correct.get((each.stage, each.topic_id), set()) - excused[each.pk]
        done = len(wanted & placed.get(each.pk, set()))
        found[each.pk] = Tally(done=done, total=len(wanted), unit=unit_of(each))
    return found


def missing_classes(assignment: Assignment) -> str:
    """Return a sentence that says what is missing before the grouping is done, or "" if nothing is."""
    return _left(
        tally_classes,
        assignment,
        gettext("{} of {} %(unit)s are in no class.") % {"unit": gettext(unit_of(assignment))},
    )


def grouped_noun(stage: Stage) -> str:
    """Return the stage's word for one answer, in the singular."""
    return stage.noun or "answer"
