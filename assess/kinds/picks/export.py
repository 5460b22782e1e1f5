"""What was picked, and that nothing answers a topic, as recorded acts of judgments.jsonl."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assess.assignments.models import Assignment
from assess.exports.writing import role_of
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.export import acts_of_stages
from assess.kinds.picks.bench import WORK, none_picked, replaced_adjudicators
from scoring.release.recorded_acts import NonePicked, RecordedAct

ADJUDICATOR = Assignment.Role.ADJUDICATOR


def picked_acts(snapshot: Snapshot, names: Mapping[int, str]) -> Iterator[RecordedAct]:
    """The picks of everybody, and one act for each assignment in which somebody said that none fits.

    A list counts as a whole. So of several adjudicators of a topic the list of the last one stands alone: the file has
    no clock that would tell whose that is.
    """
    replaced = {(topic, names[assessor]) for topic, assessor in replaced_adjudicators(snapshot)}
    for act in acts_of_stages(snapshot, names, work=WORK, replacing=(Assignment.Role.PRIMARY,)):
        if act.role != ADJUDICATOR or (act.topic, act.by) not in replaced:
            yield act
    for assignment, criterion in none_picked(snapshot):
        by = names[assignment.assessor_id]
        if assignment.role == ADJUDICATOR and (assignment.topic.number, by) in replaced:
            continue
        yield NonePicked(
            by=by,
            topic=assignment.topic.number,
            criterion=criterion.key,
            role=role_of(assignment.role),
        )
