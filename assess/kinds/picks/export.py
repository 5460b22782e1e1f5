"""That nothing answers a topic, as a recorded act of judgments.jsonl."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assess.exports.writing import role_of
from assess.judging.snapshots import Snapshot
from assess.kinds.picks.bench import none_picked
from scoring.recorded_acts import NonePicked, RecordedAct


def none_picked_acts(snapshot: Snapshot, names: Mapping[int, str]) -> Iterator[RecordedAct]:
    """One for each assignment in which somebody said that none fits."""
    for assignment, criterion in none_picked(snapshot):
        yield NonePicked(
            by=names[assignment.assessor_id],
            topic=assignment.topic.number,
            criterion=criterion.key,
            role=role_of(assignment.role),
        )
