"""Reads what the Python interface accepts: paths of files, including Parquet, open files and their lines, frames of
pandas, polars and pyarrow, mappings, and sequences of records or tuples.

All of these become the records that files are read into. Topics and docnos are text; whole numbers are accepted and
converted. Columns and members may have the names that the field uses (`query_id`, `doc_id`, `qid`, `docid`,
`relevance`, …).
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from scoring.formats.json_ranked import read_any_blocks, read_any_qrels, read_any_run
from scoring.formats.neighbour_rows import like_ranks
from scoring.formats.qrels import read_subtopic_qrels
from scoring.formats.run_rules import ScoreOrder
from scoring.formats.value_tables import ItemWord
from scoring.formats.whole_runs import order_issues, whole_run
from scoring.front.errors import refusal, sentence, warn_of
from scoring.front.rows import Column, is_number, names_in, row_place, rows_of, to_label, to_real, to_text, to_whole
from scoring.front.sources import (
    Lines,
    PathLike,
    called,
    is_file,
    is_frame,
    is_line,
    is_path,
    is_series,
    only_counts,
    peeked,
    records_in,
    taken,
    with_index,
)
from scoring.measures.ranked import Rankings, RepeatedDocument, rankings_of
from scoring.records import Qrel, RankedDoc
from scoring.run_tags import stem

TOPIC = Column(name="topic", others=("query_id", "qid", "topic_id"), loose=("query",), read=to_text)
DOCNO = Column(name="docno", others=("doc_id",), loose=("docid", "document", "did"), read=to_text)
GRADE = Column(name="grade", others=("relevance", "rel"), loose=("label",), read=to_whole)
SUBTOPIC = Column(
    name="iteration", others=("subtopic", "subtopic_id"), loose=("q0",), read=to_text, otherwise="0", has_place=False
)
SCORE = Column(name="score", others=("sim",), read=to_real, otherwise=math.nan)
RANK = Column(name="rank", read=to_whole, otherwise=-1, has_place=False)
RUN = Column(
    name="run", others=("run_id", "tag"), loose=("system", "name"), read=to_text, otherwise="", has_place=False
)
ITEM = Column(name="item", others=("docno", "doc_id"), loose=("docid", "key"), read=to_text)
VALUE = Column(name="value", others=("grade", "relevance", "rel"), loose=("label",), read=to_label)
JUDGE = Column(name="judge", others=("assessor", "annotator", "by"), read=to_text)
EMPTY = "There is nothing in it that could be used."


def qrels_of(source: Any, *, subtopics: bool = False) -> list[Qrel]:
    """Return the judgments in a file, a frame, topic -> docno -> grade, records, or tuples. Raises InputError.

    With ``subtopics`` a document may be judged for several subtopics of a topic.
    """
    what, source = called(source, "qrels"), taken(source, what="qrels")
    if is_file(source):
        return list(records_in(source, read_subtopic_qrels if subtopics else read_any_qrels))
    columns = (TOPIC, DOCNO, GRADE, SUBTOPIC)
    rows = rows_of(source, columns, what=what, may_be_keyed=True, once=(TOPIC, SUBTOPIC, DOCNO))
    judged = [Qrel(topic=topic, docno=docno, grade=grade, iteration=part) for topic, docno, grade, part in rows]
    if not judged:
        raise refusal(what, EMPTY, code="empty")
    return judged


def ranked_of(source: Any, *, name: str = "") -> list[RankedDoc]:
    """Return the documents of one or several runs, given as a file, a frame, topic -> docno -> score, topic -> docnos
    in order of rank, records, or tuples.

    A row without a score is ranked by its rank. If ranks contradict scores, the scores count and a warning is issued.
    Raises InputError.
    """
    what = called(source, name)
    source = taken(source, what=what or "run")
    if is_file(source):
        return lines_of(source)
    columns = (TOPIC, DOCNO, SCORE, RANK, RUN)
    found = _by_place(source) if isinstance(source, Mapping) else source
    has_names = isinstance(found, Mapping) or is_frame(found)
    first, found = (None, found) if has_names else peeked(found)
    ranked, order = [], defaultdict[str, ScoreOrder](ScoreOrder)
    rows = rows_of(found, columns, what=what or "run", may_be_keyed=True, once=(RUN, TOPIC, DOCNO))
    for number, row in enumerate(rows, 1):
        topic, docno, score, rank, run = row
        if math.isnan(score) and rank < 0:
            where = row_place(number, columns, row)
            raise refusal(what or "run", "There is neither a score nor a rank.", where=where, code="columns")
        by = float(-rank) if math.isnan(score) else score
        ranked.append(RankedDoc(topic=topic, docno=docno, rank=max(rank, 0), score=by, run=run))
        if rank >= 0:
            order[run].look(number, ranked[-1])
    for run, of_run in order.items():
        warn_of(
            what or run or "run",
            (replace(issue, where=f"row {issue.where}" if issue.where else "") for issue in of_run.issues()),
        )
    if not ranked:
        raise refusal(what or "run", EMPTY, code="empty")
    if not is_frame(found) and not names_in(first):
        warn_of(what or "run", like_ranks((each.topic, each.score) for each in ranked))
    return ranked


def _by_place(source: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return topic -> docno -> score. The docnos of a plain list get scores that fall from the first to the last."""
    return {
        topic: {docno: float(-place) for place, docno in enumerate(found)}
        if _is_ranking(found)
        else dict(found)
        if _is_scored(found)
        else found
        for topic, found in source.items()
    }


def _is_scored(source: Any) -> bool:
    """Return whether a value is a list of (docno, score) pairs."""
    pairs = source if isinstance(source, list | tuple) else ()
    return bool(pairs) and all(isinstance(each, tuple) and len(each) == 2 for each in pairs)


def _is_ranking(source: Any) -> bool:
    """Return whether a value is a list of distinct docnos, rather than of lines of a file."""
    is_texts = isinstance(source, list | tuple) and all(isinstance(each, str | int) for each in source)
    return is_texts and len({*source}) == len(source) > 0 and not is_line(source[0])


def lines_of(source: PathLike | Lines) -> list[RankedDoc]:
    """Return every line of one run, with a warning if its ranks contradict its scores. Raises InputError."""
    lines = list(records_in(source, read_any_run))
    warn_of(_name_of(source), order_issues(lines))
    return lines


def _name_of(source: PathLike | Lines) -> str:
    return source.name if isinstance(source, Lines) else os.fspath(source)


def runs_of(source: Any) -> Iterator[tuple[str, Rankings]]:
    """Yield the name of each run with topic -> docno -> score; files are read one after another. Raises InputError.

    The source holds one run or several. It is a file, a frame with or without a column `run`, topic -> docno -> score,
    a mapping name -> any of these, or a list of any of these.
    """
    seen: set[str] = set()
    for name, each in _named(source):
        for found, rankings in _runs_in(each, name):
            if found in seen:
                raise refusal("runs", f"Two runs are called {found}. Give name -> run.", code="duplicate")
            seen.add(found)
            yield found, rankings
    if not seen:
        raise refusal("runs", "There is no run.", code="empty")


def _runs_in(source: Any, name: str) -> Iterator[tuple[str, Rankings]]:
    otherwise = stem(os.fspath(source)) if is_path(source) else "run"
    what, source = called(source, name), taken(source, what=name or "run")
    if is_file(source):
        run = whole_run(records_in(source, read_any_blocks))
        warn_of(_name_of(source), run.order)
        yield name or run.tag or otherwise, run.rankings
        return
    of_runs: dict[str, list[RankedDoc]] = {}
    for line in ranked_of(source, name=what):
        of_runs.setdefault(name or line.run or otherwise, []).append(line)
    try:
        yield from ((found, rankings_of(lines)) for found, lines in of_runs.items())
    except RepeatedDocument as error:
        raise refusal(what or "run", sentence(error), code="duplicate") from error


def _named(source: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, run) for each run of a source. The name is "" if the source does not name the run."""
    if isinstance(source, Mapping):
        yield from ([("", source)] if _is_run(source) else ((str(name), each) for name, each in source.items()))
        return
    is_single = is_path(source) or is_frame(source) or isinstance(source, str | bytes) or hasattr(source, "read")
    if is_single or not isinstance(source, Iterable):
        yield "", source
        return
    first, runs = peeked(source)
    if isinstance(first, tuple) and len(first) == 2 and isinstance(first[0], str) and _is_several(first[1]):
        yield from ((str(name), each) for name, each in runs)
    elif _is_several(first):
        yield from (("", each) for each in runs)
    else:
        yield "", runs


def _is_several(first: Any) -> bool:
    """Return whether the first element of a list is a whole run: a file, a frame, or topic -> documents."""
    return (
        (is_path(first) and not is_line(first))
        or is_frame(first)
        or hasattr(first, "read")
        or (isinstance(first, Mapping) and _is_run(first) and first != {})
    )


def _is_run(source: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is topic -> documents, rather than name -> run or a single row."""
    inner: Any = next(iter(source.values()), {})
    is_scored = isinstance(inner, Mapping) and not isinstance(next(iter(inner.values()), 0), Mapping | list | tuple)
    if _is_scored(inner) and isinstance(inner[0][1], int | float):
        return True
    return is_scored or (_is_ranking(inner) and not os.path.exists(str(inner[0])))


def values_of(source: Any, read: Callable[[BinaryIO], Iterable[Any]], *, what: str) -> dict[tuple[str, str], Any]:
    """Return (topic, item) -> number or label for one judge. Raises InputError.

    The source is a file, a frame, topic -> item -> value, rows, or a list of values alone, whose items are numbered
    from 1. In a pandas series the index names the items, unless it only counts them.
    """
    if (alone := values_alone(source)) is not None:
        source = [(NO_TOPIC, place, value) for place, value in enumerate(alone, 1)]
    elif is_series(source):
        source = [(*key, value) if isinstance(key, tuple) else (NO_TOPIC, key, value) for key, value in source.items()]
    what, source = called(source, what), taken(source, what=what)
    if is_file(source):
        return dict(map(_item_value, records_in(source, read)))
    rows = rows_of(source, (TOPIC, ITEM, VALUE), what=what, may_be_keyed=True, once=(TOPIC, ITEM))
    values = {(topic, item): value for topic, item, value in rows}
    if not values:
        raise refusal(what, EMPTY, code="empty")
    return values


def values_alone(source: Any) -> list[Any] | None:
    """Return the values of a list, array or series that names no items, in order; None for any other source. Texts are
    labels if one of them is neither a line of a file nor a path.
    """
    if is_series(source):
        return list(source) if only_counts(source) else None
    found = source.tolist() if hasattr(source, "tolist") else source
    if not (isinstance(found, list | tuple) and found):
        return None
    if all(isinstance(each, str) for each in found):
        return None if all(is_line(each) or os.path.exists(each) for each in found) else list(found)
    return list(found) if all(each is None or isinstance(each, str) or is_number(each) for each in found) else None


def require_same_length(judges: Iterable[Any]) -> None:
    """Raise ValueError if judges gave values alone, and one gave more of them than another, or named the items."""
    lengths = [None if (alone := values_alone(each)) is None else len(alone) for each in judges]
    if len({*lengths}) < 2:
        return
    if None in lengths:
        raise ValueError("Some judges are values alone, which are paired by position, and others name their items.")
    other = next(place for place, length in enumerate(lengths) if length != lengths[0])
    raise ValueError(
        f"Judge 1 has {lengths[0]} values and judge {other + 1} has {lengths[other]}. Values alone are paired by "
        "position: give as many of each judge, or item -> value."
    )


def numbered(judges: list[dict[tuple[str, str], Any]]) -> list[dict[tuple[str, str], float]]:
    """Return judges' labels in words as numbers, in alphabetical order from 0. Return numbers unchanged. Raises
    ValueError if there are both.
    """
    labels = {label for judge in judges for label in judge.values()}
    words = sorted(label for label in labels if isinstance(label, str))
    if not words:
        return judges
    if len(words) < len(labels):
        raise ValueError(f"Some values are words, such as {words[0]!r}, and others numbers. Write all in one way.")
    place = {word: float(number) for number, word in enumerate(words)}
    return [{key: place[label] for key, label in judge.items()} for judge in judges]


NO_TOPIC = "-"
"""The topic of values that have none."""


def judges_in(judges: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the judges one by one, even if they were given as one mapping name -> judge, as one list, or as one frame
    with a column that names the judge or with a column of numbers for each judge.
    """
    if len(judges) != 1:
        return judges
    (source,) = judges
    if isinstance(source, Mapping):
        return tuple(source.values())
    if isinstance(source, list | tuple):
        return tuple(source)
    if hasattr(source, "groupby") and hasattr(source, "columns"):
        named = [name for name in source.columns if str(name).lower() in (JUDGE.name, *JUDGE.others)]
        if named:
            return tuple(found for _, found in source.groupby(named[0], sort=False))
        return _judge_columns(source) or judges
    return judges


def _judge_columns(frame: Any) -> tuple[Any, ...]:
    """Return the judges of a frame that has a column of numbers for each of them, and perhaps topics and items; none
    if it is no such frame. Values that are missing are left out.
    """
    frame = with_index(frame)
    plain = {str(name).lower(): name for name in frame.columns}
    keys = [next((plain[name] for name in each.names if name in plain), None) for each in (TOPIC, ITEM)]
    of_judges = [name for name in frame.columns if name not in keys]
    is_other = {name for each in (VALUE, RANK, SCORE, RUN, SUBTOPIC) for name in each.names} & {*plain}
    if (
        is_other
        or len(of_judges) < 2
        or len(frame.select_dtypes(["number", "bool"]).columns.intersection(of_judges)) < len(of_judges)
    ):
        return ()
    topics, items = [
        otherwise if key is None else frame[key].tolist()
        for key, otherwise in zip(keys, ([NO_TOPIC] * len(frame), range(1, len(frame) + 1)), strict=True)
    ]
    return tuple(
        [
            row
            for row, is_missing in zip(
                zip(topics, items, frame[name].tolist(), strict=True), frame[name].isna(), strict=True
            )
            if not is_missing
        ]
        for name in of_judges
    )


def _item_value(record: Any) -> tuple[tuple[str, str], float | str]:
    if isinstance(record, Qrel):
        return (record.topic, record.docno), float(record.grade)
    if isinstance(record, ItemWord):
        return (record.topic, record.item), record.word
    return (record.topic, record.item), record.value
