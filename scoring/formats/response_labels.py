"""Reads labels that a program gave to whole responses, as the organisers of iKAT 2023 published them.

    conv_id<TAB>turn_id<TAB>run_id<TAB>gpt4-label        the first line names the columns; conv_id may be missing
    1d8f…<TAB>17-2_11<TAB>run_1<TAB>0

Each label becomes a value of the turn (as the topic) and the run (as the item), so that `agree` can compare two files.
A label of -1 means "unable to judge" and gives no value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from scoring.file_kinds import HeaderLayout, reads
from scoring.formats.spec import Format, columns_issue, duplicate_issue, short, value_issue, whole
from scoring.reading.opening import header_again, text_lines
from scoring.records import Issue, ItemValue

HEADERS = (("turn_id", "run_id"), ("conv_id", "turn_id", "run_id"))
UNABLE = -1
_TAKES = HeaderLayout(
    layout="turn_id run_id label, after a line that says so",
    groups=(frozenset({"turn_id"}), frozenset({"run_id"})),
)


@reads("values", takes=_TAKES)
def read_response_labels(file: BinaryIO) -> Iterator[ItemValue | Issue]:
    """Yield the labels in file order, and an issue for each line that is malformed or labels a response again."""
    width = 0
    seen: set[tuple[str, str]] = set()
    for line in text_lines(file):
        if isinstance(line, Issue):
            yield line
            continue
        number, text = line
        columns = text.split("\t")
        if not width:
            if tuple(columns[:-1]) not in HEADERS:
                message = "The first line must name the columns: turn_id, run_id and the label, with tabs between them."
                yield Issue(where=number, code="header", message=message)
                return
            width = len(columns)
        elif tuple(columns[:-1]) in HEADERS:
            yield header_again(number)
        elif text.strip():
            label = _label(number, text, columns, width)
            if isinstance(label, ItemValue) and (key := (label.topic, label.item)) in seen:
                yield duplicate_issue(number, text, short(" ".join(key)))
            elif isinstance(label, Issue) or label.value != UNABLE:
                seen.update([(label.topic, label.item)] if isinstance(label, ItemValue) else [])
                yield label


def _label(number: int, text: str, columns: list[str], width: int) -> ItemValue | Issue:
    if len(columns) != width:
        return columns_issue(number, text, "turn_id run_id label", len(columns))
    topic, item, written = columns[-3:]
    value = whole(written.strip())
    if value is None or not topic or not item:
        return value_issue(
            number, text, f"The label is {short(written)}; it must be a whole number, for a turn and a run."
        )
    return ItemValue(topic=topic, item=item, value=value)


FORMAT = Format(
    name="ikat-labels",
    label="Labels of responses by a program",
    source="irlabamsterdam/iKAT",
    layout="turn_id run_id label, after a line that says so",
    record=ItemValue,
    read=read_response_labels,
)
