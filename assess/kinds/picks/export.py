"""Picks, and answers of "none of them", as recorded acts of judgments.jsonl."""

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
    """Yield everybody's picks, and one act for each assignment answered "none of them".

    A list counts as a whole. So if a topic had several adjudicators, only the last one's list is exported. The file has
    no times by which a reader could tell which list that is.
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
