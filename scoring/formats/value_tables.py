"""Reads and writes tables of values: judges' values of items, measures' scores of runs, and the lengths of responses.

    item-values   topic item value                 one judge's values of items
    item labels   topic item label                 the same in words (`agree`; read by `read_item_words`)
    scores        run topic measure value          topic "all" is the mean; "undefined" without a value
    lengths       topic run characters             non-white-space characters of a response
    run values    run value                        (`correlate`; read by `read_run_values`, tab or spaces)

Columns are separated by any white space. A line that repeats an earlier one's key is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, TypeVar

from scoring.file_kinds import REAL, WHOLE, ColumnLayout, reads
from scoring.formats.json_members import TEXT, Kind, Member, Shape
from scoring.formats.member_reports import Codes, Report
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format, columns_issue, duplicate_issue, first_columns, real, short, value_issue, whole
from scoring.reading.json_reading import json_path, load_json
from scoring.reading.opening import records_of
from scoring.records import Issue, ItemValue, ResponseLength, Score

Record = TypeVar("Record")

LABELS = "topic item label"
QRELS_LABELS = "topic iteration item label"


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemWord:
    """One label in words that a judge gave to one item."""

    topic: str
    item: str
    word: str


_WORD = re.compile(rf"(?!{REAL.pattern}$).+")
_VALUES = ColumnLayout(layout="topic item value", holds={"value": REAL})
_LABELS = tuple(ColumnLayout(layout=layout, holds={"label": _WORD}) for layout in (LABELS, QRELS_LABELS))
_SCORES = ColumnLayout(layout="run topic measure value", holds={"value": re.compile(rf"{REAL.pattern}|undefined")})
_LENGTHS = ColumnLayout(layout="topic run characters", holds={"characters": WHOLE})
_RUN_VALUES = ColumnLayout(layout="run value", holds={"value": REAL})


@reads("values", takes=_VALUES)
def read_item_values(file: BinaryIO) -> Iterator[ItemValue | Issue]:
    """Return one judge's values, and an issue for each line that is malformed or gives an item a second value."""
    return _read(file, "topic item value", _item_value, lambda r: (r.topic, r.item))


@reads("values", takes=_LABELS)
def read_item_words(file: BinaryIO, *, as_qrels: bool = False) -> Iterator[ItemWord | Issue]:
    """Return one judge's labels in words, and an issue for each line that is malformed, has a number, or labels an item
    again.

    With ``as_qrels`` the lines have the four columns of qrels, of which the second is ignored.
    """
    layout = QRELS_LABELS if as_qrels else LABELS
    return _read(file, layout, _item_word, lambda r: (r.topic, r.item))


@reads("scores", takes=_SCORES)
def read_scores(file: BinaryIO) -> Iterator[Score | Issue]:
    """Return the scores, and an issue for each malformed line. The file does not say how many topics a mean covers."""
    return _read(file, "run topic measure value", _score, lambda r: (r.run, r.topic, r.measure))


@reads("values", takes=_LENGTHS)
def read_lengths(file: BinaryIO) -> Iterator[ResponseLength | Issue]:
    """Return the lengths, and an issue for each malformed line."""
    return _read(file, "topic run characters", _length, lambda r: (r.topic, r.run))


@reads("values", takes=_RUN_VALUES)
def read_run_values(file: BinaryIO) -> Iterator[tuple[str, float] | Issue]:
    """Yield (run, value) for each line, and issues. Two such files give two orders of runs to correlate."""
    return _read(file, "run value", _run_value, lambda r: r[0])


def write_item_values(records: Iterable[ItemValue]) -> Iterator[str]:
    """Yield lines sorted by topic and item."""
    for r in sorted(records, key=lambda r: (topic_order(r.topic), topic_order(r.item), r.value)):
        yield f"{r.topic}\t{r.item}\t{written(r.value)}"


def write_scores(records: Iterable[Score]) -> Iterator[str]:
    """Yield lines sorted by run, topic ("all" last) and measure."""
    for r in sorted(records, key=lambda r: (r.run, r.topic == "all", topic_order(r.topic), r.measure)):
        yield f"{r.run}\t{r.topic}\t{r.measure}\t{'undefined' if r.value is None else written(r.value)}"


def write_lengths(records: Iterable[ResponseLength]) -> Iterator[str]:
    """Yield lines sorted by topic and run."""
    for r in sorted(records, key=lambda r: (topic_order(r.topic), r.run, r.characters)):
        yield f"{r.topic}\t{r.run}\t{r.characters}"


def written(value: float) -> str:
    """Return the shortest text from which the same number is read back. Whole numbers have no decimal point.

    >>> written(2.0), written(0.1)
    ('2', '0.1')
    """
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _read(
    file: BinaryIO, layout: str, make: Callable[[list[str]], Record | str], key: Callable[[Record], Hashable]
) -> Iterator[Record | Issue]:
    seen: set[Hashable] = set()
    width = len(layout.split())

    def parse(number: int, text: str) -> Record | Issue:
        columns = text.split()
        if len(columns) != width:
            return columns_issue(number, text, layout, len(columns))
        record = make(columns)
        if isinstance(record, str):
            return value_issue(number, text, record)
        if (name := key(record)) in seen:
            return duplicate_issue(number, text, short(" ".join(columns[:-1])))
        seen.add(name)
        return record

    return records_of(file, parse)


def _item_value(columns: list[str]) -> ItemValue | str:
    topic, item, text = columns
    value = real(text)
    return _not_number(text) if value is None else ItemValue(topic=topic, item=item, value=value)


def _item_word(columns: list[str]) -> ItemWord | str:
    topic, item, word = columns[0], columns[-2], columns[-1]
    if real(word) is not None:
        return (
            f"The label is the number {short(word)}, while the first one of the file is a word. Use one or the other; "
            "if the first line names the columns, take it out."
        )
    return ItemWord(topic=topic, item=item, word=word)


def _score(columns: list[str]) -> Score | str:
    run, topic, measure, text = columns
    value = real(text)
    if value is None and text != "undefined":
        return _not_number(text)
    return Score(run=run, topic=topic, measure=measure, value=value)


def _length(columns: list[str]) -> ResponseLength | str:
    topic, run, text = columns
    characters = whole(text)
    if characters is None or characters < 0:
        return f"The length is {short(text)}; it must be a whole number, 0 or more."
    return ResponseLength(topic=topic, run=run, characters=characters)


def _run_value(columns: list[str]) -> tuple[str, float] | str:
    value = real(columns[1])
    return _not_number(columns[1]) if value is None else (columns[0], value)


def _not_number(text: str) -> str:
    return f"The value is {short(text)}; it must be a finite number."


FORMATS = (
    Format(
        name="item-values", label="Values of items", source="this project", layout="topic item value",
        record=ItemValue, read=read_item_values, write=write_item_values,
    ),
    Format(
        name="scores", label="Scores", source="ir_measures, columns in its order", layout="run topic measure value",
        record=Score, read=read_scores, write=write_scores,
    ),
    Format(
        name="lengths", label="Lengths of responses", source="this project", layout="topic run characters",
        record=ResponseLength, read=read_lengths, write=write_lengths,
    ),
)  # fmt: skip


# Scores of runs, in any of the forms that our commands print and read. The content shows which form a file has.
#
#     run value                        two columns: one value a run
#     run topic measure value          what `rank`, `nuggets` and `tracks score` print; topic "all" is the mean
#     [{"run", "topic", "measure", "value"}]      the same with --format json
#
# Only the means are read. An undefined mean is an issue, since such a run can't be ranked.

ALL = "all"


def read_means(file: BinaryIO) -> Iterator[Score | Issue]:
    """Yield the mean of each run; its measure is "" if the file names none. Yield an issue for a run without a mean."""
    columns = first_columns(file)
    if len(columns) == 2 and not columns[0].startswith(("[", "{")):
        for each in read_run_values(file):
            yield each if isinstance(each, Issue) else Score(run=each[0], topic=ALL, measure="", value=each[1])
    else:
        yield from _means(read_any_scores(file))


def read_any_scores(file: BinaryIO) -> Iterator[Score | Issue]:
    """Yield every score of a file of lines (run, topic, measure, value), or of the list that --format json prints, and
    issues.
    """
    columns = first_columns(file)
    yield from _read_json(file) if columns and columns[0].startswith(("[", "{")) else read_scores(file)


def _means(scores: Iterator[Score | Issue]) -> Iterator[Score | Issue]:
    without: dict[tuple[str, str], None] = {}
    for each in scores:
        if isinstance(each, Issue):
            yield each
        elif each.topic != ALL:
            without.setdefault((each.run, each.measure))
        else:
            without.pop((each.run, each.measure), None)
            yield each if each.value is not None else _no_mean(each.run, each.measure, "is undefined")
    for run, measure in without:
        yield _no_mean(run, measure, "is missing")


def _no_mean(run: str, measure: str, state: str) -> Issue:
    message = f"The mean {short(measure)} of {short(run)} (topic all) {state}. Leave the run out, or score it anew."
    return Issue(where="", code="no-mean", message=message)


def _read_json(file: BinaryIO) -> Iterator[Score | Issue]:
    value = load_json(file)
    if isinstance(value, Issue):
        yield value
        return
    if not isinstance(value, list):
        yield Issue(where="$", code="shape", message="The file must be a list of scores, as --format json prints it.")
        return
    seen: set[tuple[str, str, str]] = set()
    for place, each in enumerate(value):
        report = Report(root=f"$[{place}]")
        _SCORE.take(each, report)
        if report.issues:
            yield report.issues[0]
        elif each.get("errors"):
            message = "The score was computed in spite of errors. Correct the run's file and score it anew."
            yield Issue(where=json_path((place,)), code="with-errors", message=message)
        elif (key := (each["run"], each["topic"], each["measure"])) in seen:
            yield Issue(where=json_path((place,)), code="duplicate", message="This score stands in the file already.")
        else:
            seen.add(key)
            number = None if each["value"] is None else float(each["value"])
            yield Score(run=each["run"], topic=each["topic"], measure=each["measure"], value=number)


_NUMBER = Kind(wanted="a number or null", types=(int, float, type(None)))
_SCORE = Shape(
    members=(*(Member(name, TEXT) for name in ("run", "topic", "measure")), Member("value", _NUMBER)),
    codes=Codes(missing="shape", type="shape"),
)
