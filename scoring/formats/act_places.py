"""Gives the place of each act in judgments.jsonl: by topic, kind of act and number of the nugget."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scoring.formats.pool_tables import topic_order
from scoring.formats.written_acts import ActRow
from scoring.release.recorded_acts import ORDER, Judged, Matched, NuggetWritten, RecordedAct, Reviewed, Voted

KINDS = {kind: index for index, kind in enumerate(ORDER)}
"""The index of each kind of act in `ORDER`."""

ActPlace = tuple[str, int, int]
"""The place of an act in a file: its topic, the index of its kind in `ORDER`, and the number of its nugget."""


def act_place(act: RecordedAct) -> ActPlace:
    """Return a sort key that gives the place of an act in the file. Acts with equal keys are sorted by their lines."""
    return act.topic, KINDS[type(act)], act.number if isinstance(act, (NuggetWritten, Voted, Matched)) else 0


_ROW_PLACES = {
    "judge": (Judged, 7, None),
    "vote": (Voted, 4, 2),
    "match": (Matched, 8, 4),
    "review": (Reviewed, 5, None),
}
"""Of each verb the kind of its acts, and which texts of its rows are the topic and the number of the nugget."""


def places_of_rows(verb: str, rows: Iterable[ActRow]) -> list[ActPlace]:
    """Return the places of acts that are given as rows. All of them have this verb, and the places are the same as
    `act_place` returns.
    """
    kind, topic, number = _ROW_PLACES[verb]
    place = KINDS[kind]
    return [(row[topic], place, 0 if number is None else int(row[number])) for row in rows]


def place_order(place: ActPlace) -> tuple[Any, int, int]:
    """Return the key by which places are sorted."""
    topic, kind, number = place
    return topic_order(topic), kind, number
