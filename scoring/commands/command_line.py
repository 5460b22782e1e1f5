"""Code shared by all command lines: beginning and ending a call, reading whole files, and printing rows.

A call ends with status 0 if it succeeded, 1 if its files have errors, and 2 if the call itself is wrong. Each failure
is reported in one line of standard error: what, where, and what to do.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import TextIOWrapper
from typing import BinaryIO, NoReturn, TypeVar

from scoring.extras import MissingExtra
from scoring.measures.spec import UnknownMeasure
from scoring.reading.grouped_issues import IssueGroups
from scoring.reading.opening import CannotOpen, open_input, printed, until_too_many
from scoring.reading.unpacking import damage_errors, damage_issue
from scoring.records import Issue, Score, Severity
from scoring.release.score_lines import value_lines
from scoring.wording import counted

# The problems of one call's files, reported after reading: the errors of every file before any warning.

SHOWN = 25
"""The most issues of a file that are printed; the rest are counted."""

_LAST = ("warning", "note")


class Problems:
    """The issues of all files of a call. They are stored by the name under which the file is reported."""

    def __init__(self) -> None:
        self._files: dict[str, IssueGroups] = {}

    def add(self, path: str, issue: Issue) -> None:
        """Add an issue of a file. Equal issues are reported as one, and only as many are stored as can be shown."""
        self._files.setdefault(path, IssueGroups(SHOWN)).add(issue)

    def errors(self, path: str) -> int:
        """Return the number of errors in a file."""
        return self._files[path].counts["error"] if path in self._files else 0

    def issues(self, path: str, severity: Severity = "error") -> list[Issue]:
        """Return a file's issues of one severity, by default its errors. If there are more than can be shown, only the
        first ones are returned.
        """
        rows = self._files[path].rows() if path in self._files else []
        return [issue for issue in rows if issue.severity == severity]

    @property
    def files(self) -> list[str]:
        """The files with issues, in the order in which they were read."""
        return list(self._files)

    @property
    def bad_files(self) -> list[str]:
        """The files with errors, in the order in which they were read."""
        return [path for path, found in self._files.items() if found.counts["error"]]

    def show(self) -> None:
        """Print file, place, severity, code and message of each issue to standard error. Then forget the issues.

        Errors of all files come first. At most `SHOWN` issues of a file are printed, and the rest are counted.
        """
        shown = {path: found.rows(SHOWN) for path, found in self._files.items()}
        for is_error in (True, False):
            for path, issues in shown.items():
                for issue in issues:
                    if (issue.severity == "error") is is_error:
                        print(printed("\t".join((path, *issue.as_row()))), file=sys.stderr)
        for path, found in self._files.items():
            if (more := found.counts.total() - sum(issue.count for issue in shown[path])) > 0:
                print(
                    f"{printed(path)}: {counted(more, 'more problem is', 'more problems are')} not shown "
                    f"(all: {_counted(found.counts)})",
                    file=sys.stderr,
                )
        self._files.clear()


def _counted(counts: Counter[str]) -> str:
    return ", ".join(numbered(counts[severity], severity) for severity in ("error", *_LAST) if counts[severity])


def numbered(number: int, noun: str) -> str:
    """Return a number with its noun, in the singular for 1."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


# Beginning and ending a call, reading whole files, printing rows.

INTERRUPTED = 130
"""The exit status of a call stopped by Ctrl-C, as in shells."""

Record = TypeVar("Record")
Cell = str | int | float | None


# ---------------------------------------------------------------- how a call begins and ends


class ExampleHelp(argparse.HelpFormatter):
    """Formats help texts: paragraphs are filled, but indented lines are left unchanged, so that examples can be
    copied.
    """

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = text.splitlines()
        filled = super()._fill_text
        return "\n".join(line if line[:1].isspace() else filled(line, width, indent) for line in lines)


class CallParser(argparse.ArgumentParser):
    """A parser that reports an error in one line and says how to get help."""

    def error(self, message: str) -> NoReturn:
        """Print the error and end with status 2."""
        self.exit(2, f"{self.prog}: {message}\nTry: {self.prog} --help\n")


class BadInput(Exception):
    """Raised when files have errors, which are reported before the call ends with status 1. The message names the
    files.

    ``what`` says what the call did in the end, such as "nothing was computed".
    """

    def __init__(self, files: str, what: str = "nothing was computed") -> None:
        super().__init__(files)
        self.what = what


class WrongCall(Exception):
    """Raised when the call itself is wrong. The message says what is wrong, and the call ends with status 2."""


OWN = ("scoring", "tracks", "nuggets", "assess", "assay_site")
"""Assay's own packages: if a module of them is missing, that is a fault of this program."""


def run_call(prog: str, call: Callable[[Problems], int]) -> int:
    """Run a call and return its exit status. Only here are failures turned into sentences for the user.

    Problems that ``call`` collects are reported after its results. A package that a small installation leaves out is
    named. An unforeseen error is a fault of this program and is not caught.
    """
    problems = Problems()
    if isinstance(sys.stdout, TextIOWrapper):  # any character in a file's name or a text can be printed
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    status, ending = 0, ""
    try:
        status = call(problems)
        sys.stdout.flush()
    except (WrongCall, CannotOpen, UnknownMeasure, MissingExtra) as error:
        status, ending = 2, str(error)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in OWN:
            raise
        how = "`pip install .` in Assay's source installs all that its commands need"
        status, ending = 2, f"this needs {error.name}, which is not installed; {how}"
    except BadInput as error:
        status, ending = 1, f"{error.what}; correct {error}"
    except BrokenPipeError:
        close_output()  # nobody reads the output any more: end quietly
    except KeyboardInterrupt:
        close_output()
        status, ending = INTERRUPTED, "stopped"
    except damage_errors() as error:
        close_output()
        status, ending = 1, f"a file cannot be read or written to its end: {error}"
    problems.show()
    for line in ending.splitlines():
        print(printed(f"{prog}: {line}"), file=sys.stderr)
    return status


def close_output() -> None:
    """Write nothing more to standard output, so that Python reports no error about it on exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # standard output is not a file of the system
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


# ---------------------------------------------------------------- reading


def read_file(path: str, read: Callable[[BinaryIO], Iterable[Record | Issue]], problems: Problems) -> Iterator[Record]:
    """Yield the records of a file and add its issues to the problems. Raises BadInput after the last line if any is an
    error, and CannotOpen if the file can't be opened.
    """
    before = problems.errors(path)
    try:
        with open_input(path) as stream:
            for each in until_too_many(read(stream)):
                if isinstance(each, Issue):
                    problems.add(path, each)
                else:
                    yield each
    except damage_errors() as error:
        problems.add(path, damage_issue(error))
    if problems.errors(path) > before:
        raise BadInput(path)


def read_files(
    paths: Sequence[str], read: Callable[[BinaryIO], Iterable[Record | Issue]], problems: Problems
) -> list[list[Record]]:
    """Return the records of several files. All files are read before BadInput is raised."""
    files: list[list[Record]] = []
    bad: list[str] = []
    for path in paths:
        try:
            files.append(list(read_file(path, read, problems)))
        except BadInput:
            bad.append(path)
    if bad:
        raise BadInput(", ".join(bad))
    return files


def refuse_empty(path: str, what: str, problems: Problems) -> NoReturn:
    """Report that a file has nothing in it that the call can use, and raise BadInput."""
    message = f"There is no {what} in the file. Check that the right file was chosen."
    problems.add(path, Issue(where="", code="empty-file", message=message))
    raise BadInput(path)


def standard_input_once(paths: Iterable[str | None]) -> None:
    """Refuse a call that names standard input more than once. Raises WrongCall."""
    if list(paths).count("-") > 1:
        raise WrongCall("standard input (-) can be read only once")


# ---------------------------------------------------------------- printing


def print_rows(form: str, header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Print tab-separated lines without a header, or one JSON list of objects. None is printed as "undefined" (JSON:
    null).
    """
    if form == "json":
        found = [dict(zip(header, row, strict=True)) for row in rows]
        print(printed(json.dumps(found, ensure_ascii=False, indent=1)))
        return
    for row in rows:
        print(printed("\t".join(map(_cell, row))))


def print_scores(form: str, scores: Iterable[Score], marks: Mapping[str, int] | None = None) -> None:
    """Print one line for each value, as `value_lines` writes them."""
    for line in value_lines(form, scores, marks):
        print(printed(line))


def _cell(value: Cell) -> str:
    if value is None:
        return "undefined"
    return f"{value:.6f}" if isinstance(value, float) else str(value)
