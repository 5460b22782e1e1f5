"""Reading the gold files that `python -m tracks score --gold` names: every message says which file it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from scoring.reading import CannotOpen, damage_errors, damage_issue, open_input, split_issues
from scoring.records import Issue, Severity

LOOKED_AT = 200
"""Records of a file by which its kind is told."""


def read_gold_file(
    name: str, path: Path, read: Callable[[BinaryIO], Iterator[Any]], report: Callable[[Issue], None]
) -> Iterator[Any]:
    """The records of one file as they are asked for, since a large one's take gigabytes.

    What is wrong goes to ``report``, and a file that can't be opened has no records.
    """
    try:
        with open_input(path) as file:
            yield from split_issues(read(file), lambda issue: report(_named(name, issue)))
    except CannotOpen as error:
        report(file_issue(name, "cannot-open", f"{error}"))
    except damage_errors() as error:
        report(_named(name, damage_issue(error)))


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldKind:
    """A kind of gold file: the name it is exported under, its reader, and what its records alone are."""

    name: str
    read: Callable[[BinaryIO], Iterator[Any]]
    fits: Callable[[Any], bool] = lambda record: True


def told_by_content(path: Path, kinds: Iterable[GoldKind]) -> str:
    """The name of the first kind that the beginning of a file can be, whatever the file is called; "" if it is none.

    So kinds that ask more of their lines come before those that ask less.
    """
    return next((kind.name for kind in kinds if fits_content(path, kind.read, kind.fits)), "")


def fits_content(
    path: Path, read: Callable[[BinaryIO], Iterator[Any]], fits: Callable[[Any], bool] = lambda record: True
) -> bool:
    """Whether the first records that a reader finds in a file are without errors, and what ``fits`` asks of them."""
    found = False
    try:
        with open_input(path) as file:
            for record in islice(read(file), LOOKED_AT):
                if isinstance(record, Issue):
                    if record.severity == "error":
                        return False
                elif not fits(record):
                    return False
                else:
                    found = True
    except CannotOpen:
        return False
    except damage_errors():
        return False
    return found


def file_issue(name: str, code: str, message: str, severity: Severity = "error") -> Issue:
    """An issue with the whole file called ``name``, or with all files together where it is ""."""
    return _named(name, Issue(where="", code=code, message=message, severity=severity))


def _named(name: str, issue: Issue) -> Issue:
    return replace(issue, message=f"{name}: {issue.message}") if name else issue
