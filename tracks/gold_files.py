"""Reading the gold files that `python -m tracks score --gold` names: every message says which file it is about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
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


Reader = Callable[[BinaryIO], Iterator[Any]]
Find = Callable[[str, Path], tuple[str, Reader] | None]


def plain_name(name: str) -> str:
    """A file's name without the ending of its compression."""
    return name.removesuffix(".gz").removesuffix(".zst")


def load_records(
    files: Mapping[str, Path],
    find: Find,
    report: Callable[[Issue], None],
    *,
    known: str = "",
    passed_over: Collection[str] = (),
    twice: str = "There are two files of {known}; give one.",
    joined: bool = False,
) -> dict[str, Iterable[Any]]:
    """The records of a track's gold files, by the name that they are exported under.

    ``find(name, path)`` says which gold a file is by its name without ``.gz`` or ``.zst``, and how it is read. Of a
    second file of the same gold it is reported that it comes ``twice``, unless they are ``joined``, which holds their
    records in memory. Files of no gold are warned of with the names that are ``known``, where any are said; those in
    ``passed_over`` are not.
    """
    records: dict[str, Iterable[Any]] = {}
    for name, path in files.items():
        plain = plain_name(name)
        found = None if plain in passed_over else find(plain, path)
        if found is None:
            if known and plain not in passed_over:
                report(file_issue(name, "unknown-file", f"It is not used. Known are: {known}.", "warning"))
        elif found[0] in records and not joined:
            report(file_issue(name, "file-twice", twice.format(known=found[0])))
        else:
            of_file = read_gold_file(name, path, found[1], report)
            records[found[0]] = [*records.get(found[0], ()), *of_file] if joined else of_file
    return records


def by_name(readers: Mapping[str, Reader]) -> Find:
    """How files are found that have the names of their exports."""
    return lambda plain, path: (plain, readers[plain]) if plain in readers else None


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
