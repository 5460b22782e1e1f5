"""List every kind of file that somebody may send to the site, with how it is checked or read, and a good file."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from assess.base.errors import BadFile, Refused
from assess.base.file_issues import Collector, collect
from assess.base.one_at_a_time import TakesLonger, hurry
from assess.controls.domain import read_gold
from assess.documents.domain.records import preview_records
from assess.people.domain.invitations import read_invitations
from assess.protocol import CheckContext, JudgmentFile, Submission, TopicFile, Track
from assess.protocol.files import topic_kind
from scoring.formats.document_list import read_document_list
from scoring.formats.judgments_jsonl import read_numbered_judgments
from scoring.formats.nugget_banks import read_numbered_bank
from scoring.formats.qrels import read_numbered_qrels
from scoring.reading.opening import split_issues
from scoring.release.releases import BadRelease, check_files, open_release
from tests.tracks.track_folder import folder_of, recorded, topic_paths, topic_records
from tracks import TRACKS

Check = Callable[[bytes], str]


def kinds() -> Iterator[tuple[str, Check, bytes]]:
    """Yield (name, function that checks a file as the site does, a good file) for each kind of file."""
    for track in TRACKS:
        yield from _of_track(track)
    yield from _of_any_track()


def _of_track(track: Track) -> Iterator[tuple[str, Check, bytes]]:
    context = CheckContext(topics=topic_records(track), settings=track.settings())
    runs = sorted((folder_of(track) / "runs" / "good").iterdir())
    for submission in track.submissions:
        fitting = [path for path in runs if any(path.match(each) for each in submission.file_names)]
        yield f"{track.key}/{submission.key}", partial(_checked, submission, context), _first([*fitting, *runs])
    topics = {kind.key: path for kind, path in topic_paths(track)}
    for kind in track.topic_files:
        path = topics.get(kind.key, next(iter(topics.values())))
        yield f"{track.key}/topics/{kind.key}", partial(_read_topics, track, kind), path.read_bytes()
    published = folder_of(track) / "published"
    for file in track.judgment_files:
        paths = sorted(path for name in file.file_names for path in published.glob(name) if path.is_file())
        good = _first(paths) if paths else b"1 Q0 a 1\n"
        yield f"{track.key}/judgments/{file.key}", partial(_read_judgments, file, context), good
    yield f"{track.key}/judgments/recorded", partial(_read, read_numbered_judgments), recorded(track)


def _of_any_track() -> Iterator[tuple[str, Check, bytes]]:
    bank = b'{"qid": "1", "query": "a", "nuggets": [{"text": "b", "importance": "vital"}]}\n'
    record = b'{"docid": "a", "url": "http://a.example/", "title": "b", "contents": "One. Two."}\n'
    yield "list", partial(_read, read_document_list), b"1 1 a 2.5\n1 2 b 1.5\n"
    yield "qrels", partial(_read, read_numbered_qrels), b"1 0 a 1\n1 0 b 0\n"
    yield "nugget bank", partial(_read, read_numbered_bank), bank
    yield "invitations", _read_invitations, b"role,team,note\nassessor,,Ann\n"
    yield (
        "control items",
        _read_control_items,
        b'{"topic": "1", "docno": "a", "answer": "b", "criterion": "c", "value": 1}\n',
    )
    for name in ("records.jsonl", "records.csv", "records.warc"):
        yield f"documents/{name}", partial(_look_into, name), record
    yield "release.zip", _open_release, b"PK\x05\x06" + b"\0" * 18


def _first(paths: Iterable[Path]) -> bytes:
    return next(iter(paths)).read_bytes()


def _checked(submission: Submission, context: CheckContext, data: bytes) -> str:
    file = io.BytesIO(data)
    if (said := submission.form or submission.tag) is not None:
        said(file)
        file.seek(0)
    try:
        report = collect(submission.issues(file, replace(context, pace=hurry(""))))
    except TakesLonger:
        return "goes to the worker"
    return f"{report.errors} errors, {report.warnings} warnings, {report.notes} notes"


def _read_topics(track: Track, kind: TopicFile, data: bytes) -> str:
    """Read topics as an upload does: find their kind and read them. Return the numbers of errors and topics in words.

    If the kind is named in an upload, the other kinds are tried only after errors, which takes as long.
    """
    file, problems = io.BytesIO(data), Collector()
    if len(track.topic_files) > 1:
        topic_kind(file, name="topics", kinds=track.topic_files)
    file.seek(0)
    records = sum(1 for _ in split_issues(kind.read(file), problems))
    return f"{problems.errors} errors, {records} topics"


def _read(read: Callable[[io.BytesIO], Iterable[Any]], data: bytes) -> str:
    problems = Collector()
    records = sum(1 for _ in split_issues(iter(read(io.BytesIO(data))), problems))
    return f"{problems.errors} errors, {records} records"


def _read_judgments(kind: JudgmentFile, context: CheckContext, data: bytes) -> str:
    name = kind.file_names[0].rsplit("/", 1)[-1].replace("*", "1").replace("?", "1")
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / name
        path.write_bytes(data)
        problems = Collector()
        acts = sum(1 for _ in split_issues(kind.read([path], context), problems))
    return f"{problems.errors} errors, {acts} acts"


def _read_invitations(data: bytes) -> str:
    problems = Collector()
    return f"{len(read_invitations(io.BytesIO(data), report=problems))} people, {problems.errors} errors"


def _read_control_items(data: bytes) -> str:
    problems = Collector()
    return f"{len(read_gold(io.BytesIO(data), report=problems))} answers, {problems.errors} errors"


def _look_into(name: str, data: bytes) -> str:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / name
        path.write_bytes(data)
        try:
            look = preview_records(path, name, {})
        except (BadFile, Refused) as refused:
            return type(refused).__name__
    return f"{len(look.documents)} documents, {len(look.issues)} issues"


def _open_release(data: bytes) -> str:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "release.zip"
        path.write_bytes(data)
        try:
            with open_release(path) as release:
                return f"{sum(status != 'ok' for _, status, _ in check_files(release))} wrong files"
        except (BadRelease, OSError, ValueError) as error:
            return f"refused: {str(error)[:60]}"
