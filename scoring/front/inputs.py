"""Reads what the Python interface accepts: paths of files, including Parquet, pandas frames, mappings, and sequences of
records or tuples.

All of these become the records that files are read into. Topics and docnos are text; whole numbers are accepted and
converted. Columns and members may have the names that the field uses (`query_id`, `doc_id`, `qid`, `docid`,
`relevance`, …).
"""

from __future__ import annotations

import math
import os
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar, cast

from scoring.extras import COLLECTIONS, importing
from scoring.formats.json_ranked import read_any_blocks, read_any_qrels, read_any_run
from scoring.formats.qrels import read_subtopic_qrels
from scoring.formats.run_rules import ScoreOrder
from scoring.formats.value_tables import ItemWord
from scoring.formats.whole_runs import order_issues, whole_run
from scoring.measures.ranked import Rankings, RepeatedDocument, rankings_of
from scoring.reading.opening import excerpt_of, open_input, until_too_many
from scoring.reading.unpacking import damage_errors, damage_issue
from scoring.records import Issue, Qrel, RankedDoc
from scoring.run_tags import stem

if TYPE_CHECKING:
    pass

PARQUET = ".parquet"
Record = TypeVar("Record")
PathLike = str | os.PathLike[str]
Qrels = "PathLike | pandas.DataFrame | Mapping[Any, Mapping[Any, int]] | Iterable[Any]"
Runs = "PathLike | pandas.DataFrame | Mapping[Any, Any] | Iterable[Any]"


class InputError(ValueError):
    """Raised when input can't be used. The message says where and why; ``issues`` are the problems of a file in
    order.
    """

    def __init__(self, source: str, issues: Iterable[Issue]) -> None:
        self.issues = tuple(issues)
        shown = [
            ": ".join(str(part) for part in (source, each.where, each.message) if part != "") for each in self.issues
        ]
        more = len(shown) - SHOWN
        super().__init__("\n".join(shown[:SHOWN] + [f"… and {more:,} more"] * (more > 0)))


SHOWN = 5
"""The most problems that the message of an error names."""


class InputWarning(UserWarning):
    """Warns that input is used, but perhaps not as its author meant. The message says where and why."""


def warn_of(source: str, issues: Iterable[Issue]) -> None:
    """Issue a Python warning for each issue that is a warning."""
    for each in issues:
        if each.severity == "warning":
            warning = ": ".join(str(part) for part in (source, each.where, each.message) if part != "")
            warnings.warn(warning, InputWarning, stacklevel=2)


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """A column of rows: its name in Assay, other names that the field gives it, and the function that reads a cell."""

    name: str
    others: tuple[str, ...] = ()
    read: Callable[[Any], Any]
    otherwise: Any = None
    """The value if there is no such column; with None the column is required."""


def to_text(value: Any) -> str:
    """Return a text unchanged, and a whole number such as 7 or 7.0 as a text. Raises ValueError for any other value,
    including an empty text.
    """
    if isinstance(value, str) and value:
        return value
    if isinstance(value, Real) and float(value).is_integer():
        return str(int(value) if isinstance(value, Integral) else int(float(value)))
    raise ValueError("must be a text or a whole number")


def to_whole(value: Any) -> int:
    """Return the value as a whole number, whatever its numeric type."""
    if isinstance(value, Real) and float(value).is_integer():
        return int(float(value))
    raise ValueError("must be a whole number")


def _real(value: Any) -> float:
    if isinstance(value, Real) and math.isfinite(value):
        return float(value)
    raise ValueError("must be a finite number")


TOPIC = Column(name="topic", others=("query_id", "qid", "query", "topic_id"), read=to_text)
DOCNO = Column(name="docno", others=("doc_id", "docid", "document", "did"), read=to_text)
GRADE = Column(name="grade", others=("relevance", "rel", "label"), read=to_whole)
SUBTOPIC = Column(name="iteration", others=("q0", "subtopic", "subtopic_id"), read=to_text, otherwise="0")
SCORE = Column(name="score", others=("sim",), read=_real, otherwise=math.nan)
RANK = Column(name="rank", read=to_whole, otherwise=-1)
RUN = Column(name="run", others=("run_id", "tag", "system", "name"), read=to_text, otherwise="")
ITEM = Column(name="item", others=("docno", "doc_id", "docid", "key"), read=to_text)
VALUE = Column(name="value", others=("grade", "relevance", "label", "rel"), read=_real)


def records_in(path: PathLike, read: Callable[[BinaryIO], Iterable[Record | Issue]]) -> Iterator[Record]:
    """Yield every record of a file. At the end of the file, all its errors together raise InputError. A missing file
    raises FileNotFoundError.

    The file's warnings become Python warnings.
    """
    errors: list[Issue] = []
    is_empty = True
    if not Path(path).exists():
        raise FileNotFoundError(f"There is no file {os.fspath(path)}.")
    try:
        with open_input(Path(path)) as stream:
            for each in until_too_many(read(stream)):
                if not isinstance(each, Issue):
                    is_empty = False
                    yield each
                elif each.severity == "error":
                    errors.append(each)
                else:
                    warn_of(os.fspath(path), [each])
    except damage_errors() as error:
        errors.append(damage_issue(error))
    if not errors and is_empty:
        empty = "There is nothing in the file that could be used. Check that the right file was chosen."
        errors.append(Issue(where="", code="empty-file", message=empty))
    if errors:
        raise InputError(os.fspath(path), errors)


def rows_of(source: Any, columns: tuple[Column, ...], *, what: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a frame, or of records, mappings and tuples, as the cells of these columns. Raises
    InputError.
    """
    for number, row in enumerate(_plain_rows(source, columns, what=what), 1):
        cells = []
        for column, value in zip(columns, row, strict=True):
            try:
                cells.append(column.otherwise if value is _ABSENT else column.read(value))
            except ValueError as error:
                message = f"{column.name} {error}, not {excerpt_of(repr(value))}."
                raise InputError(what, [Issue(where=f"row {number}", code="value", message=message)]) from None
        yield tuple(cells)


_ABSENT = object()


def _plain_rows(source: Any, columns: tuple[Column, ...], *, what: str) -> Iterator[tuple[Any, ...]]:
    if hasattr(source, "columns") and hasattr(source, "itertuples"):
        names = [str(name) for name in source.columns]
        places = [_place(names, column, what=what) for column in columns]
        for row in source.itertuples(index=False, name=None):
            yield tuple(_ABSENT if place is None else row[place] for place in places)
        return
    for row in source:
        if isinstance(row, tuple | list) and not hasattr(row, "_fields"):
            if len(row) > len(columns) or len(row) < sum(column.otherwise is None for column in columns):
                order = ", ".join(column.name for column in columns)
                message = f"{len(row)} values; a row is {order}."
                raise InputError(what, [Issue(where="", code="columns", message=message)])
            yield (*row, *([_ABSENT] * (len(columns) - len(row))))
            continue
        names = names_in(row)
        if not names:
            order = ", ".join(column.name for column in columns)
            raise TypeError(f"A row of {what} is a mapping, a tuple or a record of {order}, not {type(row).__name__}.")
        members = row if isinstance(row, Mapping) else {name: getattr(row, name) for name in names}
        places = [_place(names, column, what=what) for column in columns]
        yield tuple(_ABSENT if place is None else members[names[place]] for place in places)


def names_in(row: Any) -> list[str]:
    """Return the names of a row's members: of a mapping, a dataclass or a named tuple. Other rows have none."""
    if isinstance(row, Mapping):
        return list(row)
    return list(getattr(row, "__dataclass_fields__", getattr(row, "_fields", ())))


def _place(names: list[str], column: Column, *, what: str) -> int | None:
    """Return the index of a column, found by its name or another name that the field uses."""
    plain = [name.lower() for name in names]
    for name in (column.name, *column.others):
        if name in plain:
            return plain.index(name)
    if column.otherwise is not None:
        return None
    called = " or ".join((column.name, *column.others))
    message = f"There is no column {called}; there are {', '.join(names)}."
    if what == "qrels" and {"criterion", "value"} <= {*plain}:
        message += (
            " The judgments of a release are acts: read its exports/qrels.txt, or keep the rows of one criterion and "
            "call their value grade."
        )
    raise InputError(what, [Issue(where="", code="columns", message=message)])


def is_path(source: Any) -> bool:
    """Return whether this is the path of a file."""
    return isinstance(source, str | os.PathLike)


def unpacked(source: Any) -> Any:
    """If the source is the path of a Parquet file, return the frame in that file. Return any other source unchanged.
    Raises InputError.
    """
    if not is_path(source) or not (os.fspath(source).lower().endswith(PARQUET) or _begins_as_parquet(Path(source))):
        return source
    with importing(COLLECTIONS):
        import pyarrow.parquet as parquet
    if not Path(source).exists():
        raise FileNotFoundError(f"There is no file {os.fspath(source)}.")
    try:
        return parquet.read_table(source).to_pandas()
    except (ValueError, OSError) as error:
        message = f"It can't be read as Parquet: {str(error).splitlines()[0]}"
        raise InputError(os.fspath(source), [Issue(where="", code="bad-file", message=message)]) from error


def _begins_as_parquet(path: Path) -> bool:
    """Return whether a file has the first bytes of a Parquet file, whatever its name."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PAR1"
    except OSError:
        return False


def is_of_documents(source: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is topic -> docno -> number, and not a mapping of runs by name."""
    inner: Any = next(iter(source.values()), {})
    return isinstance(inner, Mapping) and not isinstance(next(iter(inner.values()), 0), Mapping)


def pairs_of(source: Mapping[Any, Mapping[Any, Any]]) -> Iterator[tuple[Any, Any, Any]]:
    """Return (topic, docno, number) for each entry of a mapping of mappings."""
    return ((topic, docno, number) for topic, of_topic in source.items() for docno, number in of_topic.items())


def qrels_of(source: Any, *, subtopics: bool = False) -> list[Qrel]:
    """Return judgments from a path, a frame, topic -> docno -> grade, or records and tuples. Raises InputError.

    With ``subtopics`` a document may be judged for several subtopics of a topic.
    """
    source = unpacked(source)
    if is_path(source):
        return list(records_in(source, read_subtopic_qrels if subtopics else read_any_qrels))
    columns = (TOPIC, DOCNO, GRADE, SUBTOPIC)
    rows = rows_of(pairs_of(source) if isinstance(source, Mapping) else source, columns, what="qrels")
    return [Qrel(topic=topic, docno=docno, grade=grade, iteration=part) for topic, docno, grade, part in rows]


def ranked_of(source: Any, *, name: str = "") -> list[RankedDoc]:
    """Return the documents of one or several runs from a path, a frame, topic -> docno -> score, or records and tuples.

    A row without a score is ranked by its rank. If ranks contradict scores, the scores count and a warning is issued.
    Raises InputError.
    """
    source = unpacked(source)
    if is_path(source):
        return lines_of(source)
    columns = (TOPIC, DOCNO, SCORE, RANK, RUN)
    found = pairs_of(source) if isinstance(source, Mapping) else source
    ranked, order = [], defaultdict[str, ScoreOrder](ScoreOrder)
    for number, (topic, docno, score, rank, run) in enumerate(rows_of(found, columns, what=name or "run"), 1):
        if math.isnan(score) and rank < 0:
            message = "There is neither a score nor a rank."
            raise InputError(name or "run", [Issue(where=f"row {number}", code="columns", message=message)])
        by = float(-rank) if math.isnan(score) else score
        ranked.append(RankedDoc(topic=topic, docno=docno, rank=max(rank, 0), score=by, run=run))
        if rank >= 0:
            order[run].look(number, ranked[-1])
    for run, of_run in order.items():
        warn_of(name or run or "run", (replace(issue, where=f"row {issue.where}") for issue in of_run.issues()))
    return ranked


def lines_of(path: PathLike) -> list[RankedDoc]:
    """Return every line of one run, with a warning if its ranks contradict its scores. Raises InputError."""
    lines = list(records_in(path, read_any_run))
    warn_of(os.fspath(path), order_issues(lines))
    return lines


def runs_of(source: Any) -> Iterator[tuple[str, Rankings]]:
    """Yield the name of each run with topic -> docno -> score; files are read one after another. Raises InputError.

    The source holds one run or several: a path, a frame with or without a column `run`, topic -> docno -> score, name
    -> any of these, or several paths or frames.
    """
    seen: set[str] = set()
    for name, each in _named(source):
        for found, rankings in _runs_in(each, name):
            if found in seen:
                raise InputError(
                    "runs",
                    [Issue(where="", code="duplicate", message=f"Two runs are called {found}. Give name -> run.")],
                )
            seen.add(found)
            yield found, rankings


def _runs_in(source: Any, name: str) -> Iterator[tuple[str, Rankings]]:
    otherwise = stem(os.fspath(source)) if is_path(source) else "run"
    source = unpacked(source)
    if is_path(source):
        run = whole_run(records_in(source, read_any_blocks))
        warn_of(os.fspath(source), run.order)
        yield name or run.tag or otherwise, run.rankings
        return
    of_runs: dict[str, list[RankedDoc]] = {}
    for line in ranked_of(source, name=name):
        of_runs.setdefault(name or line.run or otherwise, []).append(line)
    try:
        yield from ((found, rankings_of(lines)) for found, lines in of_runs.items())
    except RepeatedDocument as error:
        raise InputError(name or "run", [Issue(where="", code="duplicate", message=sentence(error))]) from error


def _named(source: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, run) for each run of a source. The name is "" if the source itself does not name the run."""
    if isinstance(source, Mapping):
        yield from ([("", source)] if is_of_documents(source) else ((str(name), each) for name, each in source.items()))
    elif isinstance(source, list | tuple) and source and (is_path(source[0]) or hasattr(source[0], "itertuples")):
        yield from (("", each) for each in source)
    else:
        yield "", source


def values_of(source: Any, read: Callable[[BinaryIO], Iterable[Any]], *, what: str) -> dict[tuple[str, str], Any]:
    """Return (topic, item) -> value of one judge, from a path, a frame, topic -> item -> value, or rows. Raises
    InputError.
    """
    source = unpacked(source)
    if is_path(source):
        return dict(map(_item_value, records_in(source, read)))
    found = pairs_of(cast(Any, source)) if isinstance(source, Mapping) else source
    return {(topic, item): value for topic, item, value in rows_of(found, (TOPIC, ITEM, VALUE), what=what)}


def _item_value(record: Any) -> tuple[tuple[str, str], float]:
    if isinstance(record, Qrel):
        return (record.topic, record.docno), float(record.grade)
    if isinstance(record, ItemWord):
        raise ValueError("Labels in words are compared by `python -m scoring agree`; give numbers here.")
    return (record.topic, record.item), record.value


def sentence(error: Exception) -> str:
    """Return the message of an error as a sentence."""
    text = str(error).removesuffix(".")
    return f"{text[:1].upper()}{text[1:]}."
