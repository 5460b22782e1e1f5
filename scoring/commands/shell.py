"""What all command lines share: reading whole files with their problems told, and printing rows."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO, TypeVar

from scoring.reading import open_input
from scoring.records import Issue, Score

SHOWN = 25
"""Issues of a file that are printed; the rest are counted."""

Record = TypeVar("Record")
Cell = str | int | float | None


class ExampleHelp(argparse.HelpFormatter):
    """Help that fills its text but leaves indented lines, the examples, as they are: they can be copied."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = text.splitlines()
        filled = super()._fill_text
        return "\n".join(line if line[:1].isspace() else filled(line, width, indent) for line in lines)


class BadInput(Exception):
    """A file has errors; they were printed. The command ends with status 1."""


class WrongCall(Exception):
    """The call is wrong; the message says how. The command ends with status 2."""


def read_file(path: str, read: Callable[[BinaryIO], Iterable[Record | Issue]]) -> Iterator[Record]:
    """The records of a file. Issues go to standard error; after the last line errors raise BadInput."""
    errors = told = 0
    with open_input(path) as stream:
        for each in read(stream):
            if not isinstance(each, Issue):
                yield each
                continue
            told += 1
            errors += each.severity == "error"
            if told <= SHOWN:
                print(path, *each.as_row(), sep="\t", file=sys.stderr)
    if told > SHOWN:
        print(f"{path}: {told - SHOWN:,} more problems are not shown", file=sys.stderr)
    if errors:
        raise BadInput(path)


def read_files(paths: Sequence[str], read: Callable[[BinaryIO], Iterable[Record | Issue]]) -> list[list[Record]]:
    """The records of several files, all of them read before BadInput is raised. `-` may stand once."""
    if list(paths).count("-") > 1:
        raise WrongCall("standard input (-) can be read only once")
    files: list[list[Record]] = []
    bad: list[str] = []
    for path in paths:
        try:
            files.append(list(read_file(path, read)))
        except BadInput:
            bad.append(path)
    if bad:
        raise BadInput(", ".join(bad))
    return files


def print_rows(form: str, header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Tab-separated lines without a header, or one JSON list of objects. None prints as "undefined" (JSON: null)."""
    if form == "json":
        print(json.dumps([dict(zip(header, row, strict=True)) for row in rows], ensure_ascii=False, indent=1))
        return
    for row in rows:
        print("\t".join(map(_cell, row)))


def print_scores(form: str, scores: Iterable[Score]) -> None:
    """Lines of run, topic, measure, value; JSON also says how many topics a mean covers."""
    if form == "json":
        header = ("run", "topic", "measure", "value", "topics")
        print_rows(form, header, ((s.run, s.topic, s.measure, s.value, s.topics) for s in scores))
    else:
        print_rows(form, (), ((s.run, s.topic, s.measure, s.value) for s in scores))


def _cell(value: Cell) -> str:
    if value is None:
        return "undefined"
    return f"{value:.6f}" if isinstance(value, float) else str(value)
