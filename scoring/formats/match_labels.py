"""Reads and writes labels that say which responses contain which nuggets, as the study of TREC iKAT 2024 published
them.

    human-study-matching-labels    14_8_5_1_run-a<TAB>0        HIT_topic_turn_nugget_run, 1 if it is there

Turns and nuggets are named as in `scoring.formats.graded_nuggets`. A label of 0 says explicitly that the run's response
does not contain the nugget. Codes: label, duplicate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from scoring.file_kinds import ColumnLayout, reads
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.reading.opening import excerpt_of, records_of
from scoring.records import Issue

LABELS = "labels"
"""The member of a nugget's fields that stores its labels: key of the item -> [batch, run]."""
NOT_PUBLISHED = "(The text of this response was not published.)"
"""The text used for a response that was labelled but is in no file."""
_LABEL = re.compile(r"([0-9]{1,9})_([A-Za-z0-9-]{1,40}_[0-9]{1,5})_([0-9]{1,6})_(\S{1,100})\t([01])\s*")

_TAKES = ColumnLayout(
    layout="HIT_topic_turn_nugget_run 0|1",
    holds={"HIT_topic_turn_nugget_run": re.compile(r"[0-9]+_.+_[0-9]+_.+"), "0|1": re.compile("[01]")},
)


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchLabel:
    """A label that says whether a run's response to a turn contains a nugget. ``batch`` is the number of the assignment
    (HIT) in which it was made.
    """

    batch: int
    topic: str
    number: int
    run: str
    is_match: bool
    line: int = 0


@reads("grades", takes=_TAKES)
def read_match_labels(file: BinaryIO) -> Iterator[MatchLabel | Issue]:
    """Yield the labels in file order. A line that is no label is an issue, and so is a second label for the same
    nugget, turn and run.
    """
    seen: set[tuple[str, int, str]] = set()

    def parse(line: int, text: str) -> MatchLabel | Issue:
        found = _LABEL.fullmatch(text)
        if found is None:
            message = "The line is no label. Write HIT_topic_turn_nugget_run, a tab, and 0 or 1."
            return Issue(where=line, code="label", message=message, excerpt=excerpt_of(text))
        batch, topic, number, run, value = found.groups()
        if (topic, int(number), run) in seen:
            message = f"Nugget {number} of turn {topic} is labelled for {run[:40]} already. Keep one of the lines."
            return Issue(where=line, code="duplicate", message=message, excerpt=excerpt_of(text))
        seen.add((topic, int(number), run))
        return MatchLabel(batch=int(batch), topic=topic, number=int(number), run=run, is_match=value == "1", line=line)

    return records_of(file, parse)


def write_match_labels(records: Iterable[MatchLabel]) -> Iterator[str]:
    """Yield lines sorted by batch, turn, run and nugget."""
    for r in sorted(records, key=lambda r: (r.batch, topic_order(r.topic), r.run, r.number)):
        yield f"{r.batch}_{r.topic}_{r.number}_{r.run}\t{int(r.is_match)}"


FORMAT = Format(
    name="match-labels", label="Whether responses hold nuggets", source="TREC iKAT 2024; irlabamsterdam/CONE-RAG",
    layout="HIT_topic_turn_nugget_run<TAB>0|1", record=MatchLabel, read=read_match_labels, write=write_match_labels,
)  # fmt: skip
