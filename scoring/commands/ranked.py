"""`rank` and `compare`: what starts from ranked runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from scoring.commands.shell import BadInput, WrongCall, print_rows, print_scores, read_files
from scoring.formats.json_ranked import read_any_qrels, read_any_run
from scoring.measures import parse
from scoring.measures.ranked import grades_of, rank_scores, rankings_of, with_binary_level
from scoring.measures.spec import ChosenMeasure, UnknownMeasure
from scoring.records import RankedDoc, Score


def run_rank(options: argparse.Namespace) -> int:
    """Scores of each run: topics, then "all"."""
    print_scores(options.format, _scores(options, [_ranked(text, options.binary) for text in options.measure]))
    return 0


def run_compare(options: argparse.Namespace) -> int:
    """Every pair of runs under every test, over the topics that both are scored on."""
    from scoring.significance import compare_paired

    if len(options.run) < 2:
        raise WrongCall("compare needs two runs or more: --run A --run B")
    scores = [each for each in _scores(options, [_ranked(options.measure, options.binary)]) if each.topic != "all"]
    values: dict[str, dict[str, float]] = {}
    for score in scores:
        values.setdefault(score.run, {})[score.topic] = score.value or 0.0
    rows = []
    for a, b in combinations(values, 2):
        topics = [topic for topic in values[a] if topic in values[b]]
        first, second = ([values[run][topic] for topic in topics] for run in (a, b))
        rows += [(a, b, r.test, r.statistic, r.p, r.effect) for r in compare_paired(first, second, seed=options.seed)]
    print_rows(options.format, ("run_a", "run_b", "test", "statistic", "p", "effect"), rows)
    return 0


def _ranked(text: str, level: int | None) -> ChosenMeasure:
    measure = parse(text)
    if measure.measure.family != "ranked":
        raise UnknownMeasure(f"{measure.measure.name} is no measure of ranked runs; see `python -m scoring measures`")
    return measure if level is None else with_binary_level(measure, level)


def _scores(options: argparse.Namespace, measures: list[ChosenMeasure]) -> list[Score]:
    if [options.qrels, *options.run].count("-") > 1:
        raise WrongCall("standard input (-) can be read only once")
    bad = []
    try:
        grades = grades_of(read_files([options.qrels], read_any_qrels)[0])
    except BadInput as error:
        grades, bad = {}, [str(error)]
    runs = _named_runs(options.run)
    if bad:
        raise BadInput(bad[0])
    return [
        score
        for tag, lines in runs
        for score in rank_scores(grades, rankings_of(lines), measures, run=tag, complete=options.complete)
    ]


def _named_runs(paths: Sequence[str]) -> list[tuple[str, list[RankedDoc]]]:
    """Each run under its tag; two files with one tag are a wrong call, an empty file is named by its path.

    A run in JSON says no tag: it is called as its file, without suffixes.
    """
    named: dict[str, list[RankedDoc]] = {}
    for path, lines in zip(paths, read_files(paths, read_any_run), strict=True):
        tag = (lines[0].run or Path(path).name.split(".")[0] or path) if lines else path
        if tag in named:
            raise WrongCall(f"two runs are tagged {tag}: rename the tag in {path}")
        named[tag] = lines
    return list(named.items())
