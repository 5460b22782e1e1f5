"""The files that a call of `python -m tracks` names: topics, gold, runs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

from assess.protocol import CheckContext, RunContent, Submission, TopicFile, TopicRecord, Track
from scoring.reading import open_input
from scoring.records import Issue

SUFFIXES = (".gz", ".zst", ".csv", ".tsv", ".json", ".jsonl", ".txt")

Kind = TypeVar("Kind", TopicFile, Submission)


class WrongCall(Exception):
    """The command line asks for something that does not exist. The message is for the person."""


def read_topics(track: Track, paths: Iterable[str], report: Callable[[Issue], None]) -> tuple[TopicRecord, ...]:
    """The topics of all files, each read as the kind that its name stands for; what supplements says is added."""
    topics: dict[str, TopicRecord] = {}
    for path in paths:
        kind = kind_of(path, track.topic_files)
        with open_input(path) as file:
            for record in kind.read(file):
                if isinstance(record, Issue):
                    report(record)
                elif kind.supplements and record.number in topics:
                    known = topics[record.number]
                    topics[record.number] = replace(known, fields={**known.fields, **record.fields})
                elif not kind.supplements:
                    topics[record.number] = record
    return tuple(topics.values())


def kind_of(path: str, kinds: Sequence[Kind]) -> Kind:
    """The kind of file that a file's name stands for, else the first."""
    name = Path(path.removesuffix(".gz").removesuffix(".zst")).name
    for kind in kinds:
        if any(fnmatch(name, pattern.rsplit("/", 1)[-1]) for pattern in kind.file_names):
            return kind
    return kinds[0]


def gold_files(given: Iterable[str]) -> Mapping[str, Path]:
    """Name -> path of the gold files; a folder stands for the files in it."""
    files: dict[str, Path] = {}
    for path in map(Path, given):
        if not path.exists():
            raise WrongCall(f"--gold: there is no file or folder {path}.")
        found = sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else [path]
        for each in found:
            if each.name in files:
                raise WrongCall(f"--gold: there are two files named {each.name}; give one.")
            files[each.name] = each
    return files


@contextmanager
def run_content(
    submission: Submission, context: CheckContext, name: str, report: Callable[[Issue], None]
) -> Iterator[tuple[str, RunContent]]:
    """The run's tag (else its file's name without suffix) and what it returned.

    Lines that cannot be read are reported, rules that the run breaks are not: that is `check`'s work, and a
    question that a run leaves out is scored, not refused.
    """
    with seekable(name) as file:

        @contextmanager
        def opened() -> Iterator[BinaryIO]:
            file.seek(0)
            yield file

        tag = submission.tag(file) if submission.tag is not None else None
        file.seek(0)
        for issue in submission.unreadable(file) if submission.unreadable is not None else ():
            report(issue)
        yield tag or stem(name), RunContent(submission=submission, open=opened, context=context)


def is_empty(content: RunContent) -> bool:
    """Whether not one answer of a run could be read."""
    kinds = [ranking.kind for ranking in content.submission.rankings]
    found = chain(content.segments(), content.responses(), *(content.ranking(kind) for kind in kinds))
    return next(found, None) is None


@contextmanager
def seekable(name: str) -> Iterator[BinaryIO]:
    """The uncompressed bytes of a file or of standard input, to be read more than once."""
    with open_input(name) as stream, tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield cast(BinaryIO, copy)


def stem(name: str) -> str:
    """A file's name without the suffixes of formats."""
    stem = Path(name).name
    while (shorter := next((stem.removesuffix(each) for each in SUFFIXES if stem.endswith(each)), "")) != "":
        stem = shorter
    return stem
