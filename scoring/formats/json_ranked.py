"""Relevance judgments and ranked runs as JSON objects, as retrieval notebooks write them.

    qrels-json   {"116": {"18461106": 1, "33659106": 0}}             topic -> docno -> grade
    run-json     {"116": [["23293626", 17.11], ["20425226", 16.9]]}   topic -> [docno, score], best first

The file does not name the run. Ranks are the places in the lists; measures rank by score, as everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from scoring.formats.pool_tables import topic_order
from scoring.formats.qrels import read_qrels
from scoring.formats.spec import Format
from scoring.formats.trec_run import read_trec_run
from scoring.json_reading import json_path, load_json
from scoring.reading import excerpt_of
from scoring.records import Issue, Qrel, RankedDoc

_SOURCE = "retrieval notebooks; participants of TREC BioGen 2024"
GRADE_LIMIT = 10**9


def read_qrels_json(file: BinaryIO) -> Iterator[Qrel | Issue]:
    """The judgments in file order; an issue for each that is none."""
    for topic, judged in _topics(file):
        if isinstance(judged, Issue):
            yield judged
        elif not isinstance(judged, dict):
            yield _issue((topic,), "field-type", "A topic's judgments must be an object: docno -> grade.")
        else:
            for docno, grade in judged.items():
                if not _is_name(docno):
                    yield _issue((topic, docno), "name", "A docno must be one word.")
                elif isinstance(grade, bool) or not isinstance(grade, int) or abs(grade) > GRADE_LIMIT:
                    yield _issue((topic, docno), "value", "The grade must be a whole number.")
                else:
                    yield Qrel(topic=topic, docno=docno, grade=grade)


def read_run_json(file: BinaryIO) -> Iterator[RankedDoc | Issue]:
    """The documents in file order, ranks from 1; an issue for each that is none or stands twice in a topic."""
    for topic, ranked in _topics(file):
        if isinstance(ranked, Issue):
            yield ranked
        elif not isinstance(ranked, list):
            yield _issue((topic,), "field-type", "A topic's ranking must be a list of [docno, score].")
        else:
            seen: set[str] = set()
            for place, pair in enumerate(ranked):
                yield _ranked(topic, place, pair, seen)


def write_qrels_json(records: Iterable[Qrel]) -> Iterator[str]:
    """The lines of one object, by topic and docno."""
    topics: dict[str, dict[str, int]] = {}
    for record in sorted(records, key=lambda r: (topic_order(r.topic), r.docno)):
        topics.setdefault(record.topic, {})[record.docno] = record.grade
    yield from json.dumps(topics, ensure_ascii=False, indent=1).split("\n")


def write_run_json(records: Iterable[RankedDoc]) -> Iterator[str]:
    """The lines of one object, by topic and rank."""
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


def read_any_qrels(file: BinaryIO) -> Iterator[Qrel | Issue]:
    """Judgments in TREC's columns or as JSON, by what the file begins with."""
    return (read_qrels_json if is_json(file) else read_qrels)(file)


def read_any_run(file: BinaryIO) -> Iterator[RankedDoc | Issue]:
    """A ranked run in TREC's columns or as JSON, by what the file begins with."""
    return (read_run_json if is_json(file) else read_trec_run)(file)


def is_json(file: BinaryIO) -> bool:
    """Whether the file begins as a JSON object; what was looked at can still be read."""
    peek: Callable[[int], bytes] | None = getattr(file, "peek", None)
    if peek is not None:
        start = peek(64)[:64]
    elif file.seekable():
        place = file.tell()
        start = file.read(64)
        file.seek(place)
    else:
        return False
    return start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")


def _topics(file: BinaryIO) -> Iterator[tuple[str, Any]]:
    """(topic, what stands there); a file that cannot be read gives one issue for the topic ""."""
    value = load_json(file)
    if isinstance(value, Issue):
        yield "", value
    elif not isinstance(value, dict):
        yield "", _issue((), "shape", "The file must be one object: topic -> what was judged or returned.")
    else:
        for topic, inside in value.items():
            name_issue = None if _is_name(topic) else _issue((topic,), "name", "A topic must be one word.")
            yield topic, name_issue or inside


def _ranked(topic: str, place: int, pair: Any, seen: set[str]) -> RankedDoc | Issue:
    if not isinstance(pair, list) or len(pair) != 2:
        return _issue((topic, place), "field-type", "Write each document as [docno, score].")
    docno, score = str(pair[0]) if type(pair[0]) is int else pair[0], pair[1]
    if not isinstance(docno, str) or not _is_name(docno):
        return _issue((topic, place), "name", "A docno must be one word in quotes.")
    if isinstance(score, bool) or not isinstance(score, int | float):
        return _issue((topic, place), "value", "The score must be a number.")
    if docno in seen:
        return _issue((topic, place), "duplicate", f"{excerpt_of(docno, length=40)} stands in the topic already.")
    seen.add(docno)
    return RankedDoc(topic=topic, docno=docno, rank=place + 1, score=float(score))


def _is_name(name: str) -> bool:
    return len(name.split()) == 1 and name == name.strip()


def _issue(path: tuple[str | int, ...], code: str, message: str) -> Issue:
    return Issue(where=json_path(path), code=code, message=message)


FORMATS = (
    Format(
        name="qrels-json", label="Qrels as JSON", source=_SOURCE, layout='{"topic": {"docno": grade}}',
        record=Qrel, read=read_qrels_json, write=write_qrels_json,
    ),
    Format(
        name="run-json", label="Ranked run as JSON", source=_SOURCE, layout='{"topic": [["docno", score]]}',
        record=RankedDoc, read=read_run_json, write=write_run_json,
    ),
)  # fmt: skip
