"""Reading the gold files that `python -m tracks score --gold` names: every message says which file it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from scoring.reading import CannotOpen, damage_errors, damage_issue, open_input, split_issues
from scoring.records import Issue, Severity


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


def file_issue(name: str, code: str, message: str, severity: Severity = "error") -> Issue:
    """An issue with the whole file called ``name``, or with all files together where it is ""."""
    return _named(name, Issue(where="", code=code, message=message, severity=severity))


def _named(name: str, issue: Issue) -> Issue:
    return replace(issue, message=f"{name}: {issue.message}") if name else issue
