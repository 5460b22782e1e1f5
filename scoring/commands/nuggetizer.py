"""`nuggets --nuggetizer`: the four measures of nuggetizer's own `metrics`, from its assign file alone.

strict_vital, strict_all, vital and all are V_strict, A_strict, V and A of `scoring/measures/assignments.py`, but 0
where those are undefined, as nuggetizer prints it. The mean is over the lines of a run: nuggetizer's own, where a file
holds one run; nuggetizer itself mixes the runs of a file. Of documents (lines without a run) it is over all of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fractions import Fraction
from statistics import fmean
from typing import BinaryIO

from scoring.commands.problems import Problems
from scoring.commands.shell import WrongCall, print_scores, read_file, refuse_empty
from scoring.formats.nuggetizer import read_numbered_nuggetizer
from scoring.measures.assignments import assignment_score
from scoring.records import Issue, NuggetizerLine, Score

MEASURES = {
    "strict_vital_score": "V_strict",
    "strict_all_score": "A_strict",
    "vital_score": "V",
    "all_score": "A",
}
DOCUMENTS = "-"
"""Stands for the run in the mean of lines that name documents and no run."""


def run_nuggetizer(options: argparse.Namespace, problems: Problems) -> int:
    """The scores of each line, by run, then those of "all"; of documents the document stands in the run's place."""
    others = ("nuggets", "matches", "votes", "lengths", "responses")
    if given := [name for name in others if getattr(options, name)] + ["pyramid"] * options.pyramid:
        raise WrongCall(f"--nuggetizer F says all that is needed: leave out --{given[0]}")
    runs: dict[str, list[NuggetizerLine]] = {}
    for line in read_file(options.nuggetizer, _read_assigned, problems):
        runs.setdefault(line.run or DOCUMENTS, []).append(line)
    if not runs:
        refuse_empty(options.nuggetizer, "line", problems)
    print_scores(options.format, [score for run, lines in runs.items() for score in _scores(run, lines)])
    return 0


def _scores(run: str, lines: list[NuggetizerLine]) -> Iterator[Score]:
    values: dict[str, list[float]] = {name: [] for name in MEASURES}
    for line in lines:
        found = assignment_score(line.nuggets)
        for name, ours in MEASURES.items():
            value = float(found.value(ours) or Fraction(0))
            values[name].append(value)
            yield Score(run=line.docno or run, topic=line.topic, measure=name, value=value)
    for name, each in values.items():
        yield Score(run=run, topic="all", measure=name, value=fmean(each), topics=len(each))


def _read_assigned(file: BinaryIO) -> Iterator[NuggetizerLine | Issue]:
    """The lines of an assign file; a list without assignments, or a second line for the same, is an issue."""
    seen: set[tuple[str, str, str]] = set()
    for each in read_numbered_nuggetizer(file):
        if isinstance(each, Issue):
            yield each
            continue
        number, line = each
        if not (line.run or line.docno) or any(not nugget.assignment for nugget in line.nuggets):
            message = "The line says of no run or document which nuggets it supports. Give nuggetizer's assign file."
            yield Issue(where=number, code="fields", message=message)
        elif (line.topic, line.run, line.docno) in seen:
            message = f"Topic {line.topic} has a second line for {line.run or line.docno}. Leave one of them out."
            yield Issue(where=number, code="duplicate", message=message)
        else:
            seen.add((line.topic, line.run, line.docno))
            yield line
