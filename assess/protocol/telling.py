"""Which of a track's kinds of topic files a file is, told by its content: for the site and `python -m tracks` alike."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatch
from itertools import islice
from pathlib import PurePath
from typing import BinaryIO, TypeVar

from assess.protocol.files import Submission, TopicFile
from scoring.reading import damage_errors
from scoring.records import Issue

LOOKED_AT = 200
"""Records of a file by which its kind is told."""

Kind = TypeVar("Kind", TopicFile, Submission)


def kind_by_name(name: str, kinds: Sequence[Kind]) -> Kind | None:
    """The first kind that a file's name stands for, or None."""
    plain = PurePath(name.removesuffix(".gz").removesuffix(".zst")).name
    return next((kind for kind in kinds if _is_named(plain, kind)), None)


def fitting_kinds(file: BinaryIO, kinds: Sequence[TopicFile]) -> list[TopicFile]:
    """The kinds of whole topics as which the beginning of a file can be read without errors, in their order.

    None of them is one that supplements: too much else can be read as such a file.
    """
    return [kind for kind in kinds if not kind.supplements and _fits(*_counts(file, kind))]


def topic_kind(file: BinaryIO | None, *, name: str, kinds: Sequence[TopicFile], task: str | None = None) -> TopicFile:
    """The kind of a file of topics, told by its content; where that leaves several, by the task, else by its name.

    A file without errors is of a kind as which it has none. One with errors is of a kind as which it has more records
    than errors, if there is any. The name tells where ``file`` is None, and of a file that adds to topics.
    """
    whole = [kind for kind in kinds if not kind.supplements]
    named = kind_by_name(name, kinds)
    if len(whole) < 2 or (named is not None and named.supplements):
        return named or kinds[0]
    left = whole
    if file is not None:
        counts = [(kind, _counts(file, kind)) for kind in whole]
        left = [kind for kind, count in counts if _fits(*count)]
        left = left or [kind for kind, (records, errors) in counts if records > errors] or whole
    of_task = [kind for kind in left if task and task in {each for each, _ in kind.shapes}]
    left = of_task or left
    return kind_by_name(name, left) or left[0]


def _is_named(name: str, kind: TopicFile | Submission) -> bool:
    return any(fnmatch(name, pattern.rsplit("/", 1)[-1]) for pattern in kind.file_names)


def _fits(records: int, errors: int) -> bool:
    return records > 0 and not errors


def _counts(file: BinaryIO, kind: TopicFile) -> tuple[int, int]:
    """(records, errors) at the beginning of a file, which is left at its beginning."""
    records = errors = 0
    file.seek(0)
    try:
        for each in islice(kind.read(file), LOOKED_AT):
            if not isinstance(each, Issue):
                records += 1
            elif each.severity == "error":
                errors += 1
    except damage_errors():
        errors += 1
    file.seek(0)
    return records, errors
