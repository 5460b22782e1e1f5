"""Reads and writes relevance judgments and ranked runs as JSON objects, as retrieval notebooks write them.

    qrels-json   {"116": {"18461106": 1, "33659106": 0}}             topic -> docno -> grade
    run-json     {"116": [["23293626", 17.11], ["20425226", 16.9]]}   topic -> [docno, score], best first
    run-mapping  {"116": {"23293626": 17.11, "20425226": 16.9}}       topic -> docno -> score, as pytrec_eval, ranx,
                                                                      BEIR and mteb have it

A reader of runs accepts both forms of a run. The file does not name the run. Ranks are the places in the lists;
measures rank by score, as everywhere. `read_any_run` and `read_any_qrels` recognise the form of a file: JSON, TREC's
columns or the forms of neighbouring tools (`scoring.formats.neighbour_rankings`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO, TypeVar

from scoring.file_kinds import JSON, FileKind, reads, recognise
from scoring.formats.diffir_runs import read_first_run, read_second_run
from scoring.formats.json_members import NUMBER, Kind, exactly_two, one_word, whole_within
from scoring.formats.member_reports import Report
from scoring.formats.neighbour_rankings import (
    read_beir_qrels,
    read_candidates,
    read_msmarco_run,
    read_qrels_of_three,
    read_run_of_five,
    read_run_table,
    read_umbrela,
)
from scoring.formats.neighbour_rows import TOPIC, like_ranks
from scoring.formats.pool_tables import topic_order
from scoring.formats.qrels import read_numbered_qrels, read_qrels
from scoring.formats.qrels_blocks import Judged, read_qrels_blocks
from scoring.formats.run_blocks import Block, read_numbered_blocks
from scoring.formats.spec import Format
from scoring.formats.trec_run import read_trec_run
from scoring.reading.json_reading import load_json
from scoring.reading.opening import excerpt_of
from scoring.records import Issue, Qrel, RankedDoc

_SOURCE = "retrieval notebooks; participants of TREC BioGen 2024"
AnyReader = TypeVar("AnyReader", bound=Callable[..., Iterator[Any]])
GRADE_LIMIT = 10**9


@reads("qrels", forms=JSON, formats=("qrels-json",))
def read_qrels_json(file: BinaryIO) -> Iterator[Qrel | Issue]:
    """Yield the judgments in file order, and an issue for each malformed one."""
    report = Report()
    for topic, judged in _topics(file, _JUDGED, report):
        for docno, grade in (judged or {}).items():
            inside = (topic, docno)
            if _DOCNO.read(docno, report, inside) is not None and _GRADE.read(grade, report, inside) is not None:
                yield Qrel(topic=topic, docno=docno, grade=int(grade))
            elif report.issues:
                yield from report.flush()
        yield from report.flush()


@reads("run", forms=JSON, formats=("run-json", "run-mapping"))
def read_run_json(file: BinaryIO) -> Iterator[RankedDoc | Issue]:
    """Yield the documents in file order, with ranks from 1, and an issue for each document that is malformed or
    repeated in a topic.
    """
    report = Report()
    in_order: list[tuple[str, float]] = []  # (topic, score) of the objects, in the order of the file
    for topic, ranked in _topics(file, _RANKED, report):
        seen: set[str] = set()
        in_order += [(topic, score) for score in ranked.values()] if isinstance(ranked, dict) else ()
        pairs = _best_first(ranked) if isinstance(ranked, dict) else ranked or ()
        for place, pair in enumerate(pairs):
            inside = (topic, pair[0]) if isinstance(ranked, dict) else (topic, place)
            found = _ranked(topic, place, pair, seen, report, inside)
            if found is not None:
                yield found
            yield from report.flush()
        yield from report.flush()
    yield from like_ranks(in_order)


def _best_first(scores: Mapping[str, Any]) -> list[list[Any]]:
    """Return [docno, score] pairs in the order in which measures rank them. They are sorted because the members of a
    JSON object have no order.
    """
    pairs = [list(pair) for pair in scores.items()]
    if all(isinstance(score, int | float) for _, score in pairs):
        pairs.sort(key=lambda pair: (pair[1], pair[0]), reverse=True)
    return pairs


def write_qrels_json(records: Iterable[Qrel]) -> Iterator[str]:
    """Yield the lines of one object, sorted by topic and docno."""
    topics: dict[str, dict[str, int]] = {}
    for record in sorted(records, key=lambda r: (topic_order(r.topic), r.docno)):
        topics.setdefault(record.topic, {})[record.docno] = record.grade
    yield from json.dumps(topics, ensure_ascii=False, indent=1).split("\n")


def write_run_json(records: Iterable[RankedDoc]) -> Iterator[str]:
    """Yield the lines of one object, sorted by topic and rank."""
    topics: dict[str, list[tuple[str, float]]] = {}
    for r in sorted(records, key=lambda r: (topic_order(r.topic), r.rank, -r.score, r.docno)):
        topics.setdefault(r.topic, []).append((r.docno, r.score))
    lines = [
        f"{json.dumps(topic, ensure_ascii=False)}: {json.dumps(ranked, ensure_ascii=False)}"
        for topic, ranked in topics.items()
    ]
    yield "{"
    yield from (line + "," for line in lines[:-1])
    yield from lines[-1:]
    yield "}"


def write_run_mapping(records: Iterable[RankedDoc]) -> Iterator[str]:
    """Yield the lines of one object, topic -> docno -> score, sorted by topic and rank."""
    topics: dict[str, dict[str, float]] = {}
    for r in sorted(records, key=lambda r: (topic_order(r.topic), r.rank, -r.score, r.docno)):
        topics.setdefault(r.topic, {})[r.docno] = r.score
    yield from json.dumps(topics, ensure_ascii=False, indent=1).split("\n")


def read_any_qrels(file: BinaryIO) -> Iterator[Qrel | Issue]:
    """Return the judgments in a file, and issues. The file may be in TREC's columns, in JSON, or in the form of a
    neighbouring tool.
    """
    return _qrels_reader(file)(file)


def read_any_judged(file: BinaryIO) -> Iterator[Judged | Issue]:
    """Yield judgments without iterations, and issues, from any form that `read_any_qrels` reads. TREC's columns are
    read many lines at once.
    """
    if (read := _qrels_reader(file)) is read_qrels:
        yield from read_qrels_blocks(file)
        return
    for each in read(file):
        yield each if isinstance(each, Issue) else (each.topic, (each.docno,), (each.grade,))


def _qrels_reader(file: BinaryIO) -> Callable[[BinaryIO], Iterator[Qrel | Issue]]:
    found = recognise(file)
    if found.form in JSON:
        return read_umbrela if _is_of_records(found) else read_qrels_json
    return _first_that_fits(found, (read_qrels, read_beir_qrels, read_qrels_of_three))


def read_any_numbered_qrels(file: BinaryIO) -> Iterator[tuple[int, Qrel] | Issue]:
    """Yield (line, judgment), and issues, for any form that `read_any_qrels` reads. If the file is not in TREC's
    columns, a judgment's place among the judgments is given in place of its line.
    """
    if (read := _qrels_reader(file)) is read_qrels:
        yield from read_numbered_qrels(file)
        return
    place = 0
    for each in read(file):
        place += not isinstance(each, Issue)
        yield each if isinstance(each, Issue) else (place, each)


def read_any_run(file: BinaryIO) -> Iterator[RankedDoc | Issue]:
    """Return the documents of a run, and issues. The file may be in TREC's columns, in JSON, or in the form of a
    neighbouring tool.
    """
    return run_reader(file)(file)


def read_any_blocks(file: BinaryIO) -> Iterator[Block | RankedDoc | Issue]:
    """Yield the documents of a run, and issues, from any form that `read_any_run` reads. TREC's columns are read many
    lines at once.
    """
    if (read := run_reader(file)) is not read_trec_run:
        yield from read(file)
        return
    for each in read_numbered_blocks(file):
        yield each[1] if isinstance(each, tuple) else each


def run_reader(file: BinaryIO) -> Callable[[BinaryIO], Iterator[RankedDoc | Issue]]:
    """Return the function that reads a file as a ranked run. The position in the file does not change."""
    found = recognise(file)
    if found.form in JSON:
        if found.formats in (("diffir-1",), ("diffir-2",)):
            return read_first_run if found.formats == ("diffir-1",) else read_second_run
        return read_candidates if _is_of_records(found) else read_run_json
    if found.kinds == ("qrels",):  # the header of qrels could be that of a run
        return read_trec_run
    return _first_that_fits(found, (read_trec_run, read_run_table, read_msmarco_run, read_run_of_five))


def _first_that_fits(found: FileKind, readers: Sequence[AnyReader]) -> AnyReader:
    """Return the first reader that reads the file's columns. If no reader does, return the first one, which will report
    the columns that it needs.
    """
    return next(
        (read for read in readers if any(each.fits(found.shape) for each in getattr(read, "takes", ()))), readers[0]
    )


def _is_of_records(found: FileKind) -> bool:
    """Return whether a JSON file holds objects that each name their topic. If not, it is one object whose members are
    topics.
    """
    if found.form != "json value" or "candidates" in found.kinds:
        return found.form != "broken json"
    first = found.shape.values[0]
    if not isinstance(first, dict):
        return False
    return not {*QUERY_NAMES}.isdisjoint(first) or isinstance(
        first.get("topic"), str | int
    )  # the judgments of a topic would not be a text or number


QUERY_NAMES = ("query", *TOPIC[:5])
"""Members of an object of one topic; topics do not have these names."""


def _whole(value: float) -> int:
    if value != int(value) or not -GRADE_LIMIT <= value <= GRADE_LIMIT:
        raise ValueError
    return int(value)


_FILE = Kind(
    wanted="one object", types=(dict,), code="shape",
    sentence="The file must be one object: topic -> what was judged or returned.",
)  # fmt: skip
_TOPIC = replace(one_word(), code="name", sentence="A topic must be one word.")
_JUDGED = Kind(
    wanted="an object", types=(dict,), code="field-type",
    sentence="A topic's judgments must be an object: docno -> grade.",
)  # fmt: skip
_DOCNO = replace(one_word(), code="name", sentence="A docno must be one word.")
_GRADE = replace(
    whole_within(GRADE_LIMIT),
    types=(int, float),
    make=_whole,
    code="value",
    sentence="The grade must be a whole number.",
)
"""A grade, which pandas and numpy may write as 2.0."""
_RANKED = Kind(
    wanted="a list or an object", types=(list, dict), code="field-type",
    sentence="A topic's ranking must be a list of [docno, score] or an object: docno -> score.",
)  # fmt: skip
_PAIR = Kind(
    wanted="a pair",
    types=(list,),
    make=exactly_two,
    code="field-type",
    sentence="Write each document as [docno, score].",
)
_QUOTED = replace(one_word(numbers=True), code="name", sentence="A docno must be one word in quotes.")
_SCORE = replace(NUMBER, code="value", sentence="The score must be a number.")


def _topics(file: BinaryIO, kind: Kind, report: Report) -> Iterator[tuple[str, Any]]:
    """Yield (topic, value) for each topic. The value is None if it has a fault, which was reported. If the file can't
    be read, ("", None) is yielded.
    """
    value = load_json(file)
    if isinstance(value, Issue):
        report.issues.append(value)
        yield "", None
    elif _FILE.read(value, report, ()) is None:
        yield "", None
    elif len(value) > 1 and not any(isinstance(inside, kind.types) for inside in value.values()):
        names = "”, “".join(excerpt_of(name, length=30) for name in list(value)[:5])
        report.say((), "shape", f"{_FILE.sentence} It has “{names}”, none of which is a topic.")
        yield "", None
    else:
        for topic, inside in value.items():
            is_named = _TOPIC.read(topic, report, (topic,)) is not None
            yield topic, kind.read(inside, report, (topic,)) if is_named else None


def _ranked(
    topic: str, place: int, pair: Any, seen: set[str], report: Report, inside: tuple[str | int, ...]
) -> RankedDoc | None:
    if _PAIR.read(pair, report, inside) is None:
        return None
    docno = _QUOTED.read(pair[0], report, inside)
    if docno is None or _SCORE.read(pair[1], report, inside) is None:
        return None
    if docno in seen:
        report.say(inside, "duplicate", f"{excerpt_of(docno, length=40)} stands in the topic already.")
        return None
    seen.add(docno)
    return RankedDoc(topic=topic, docno=docno, rank=place + 1, score=float(pair[1]))


FORMATS = (
    Format(
        name="qrels-json", label="Qrels as JSON", source=_SOURCE, layout='{"topic": {"docno": grade}}',
        record=Qrel, read=read_qrels_json, write=write_qrels_json,
    ),
    Format(
        name="run-json", label="Ranked run as JSON", source=_SOURCE, layout='{"topic": [["docno", score]]}',
        record=RankedDoc, read=read_run_json, write=write_run_json,
    ),
    Format(
        name="run-mapping", label="Ranked run as JSON objects", source="pytrec_eval; ranx; BEIR; mteb",
        layout='{"topic": {"docno": score}}', record=RankedDoc, read=read_run_json, write=write_run_mapping,
    ),
)  # fmt: skip
