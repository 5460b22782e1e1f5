"""`rank` and `compare`: what starts from ranked runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
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
    """Every pair of runs under every test; with --top who is not told from the best run."""
    from scoring.run_comparisons import TESTS, compare_runs, top_group
    from scoring.stability import mean_scores

    if len(options.run) < 2:
        raise WrongCall("compare needs two runs or more: --run A --run B")
    values: dict[str, dict[str, float | None]] = {}
    for score in _scores(options, [_ranked(options.measure, options.binary)]):
        if score.topic != "all":
            values.setdefault(score.run, {})[score.topic] = score.value
    chosen = [options.top] if options.top else TESTS
    tests = [
        compare_runs(values, test=test, correction=options.correction or "none", seed=options.seed) for test in chosen
    ]
    if options.top:
        means, found = mean_scores(values), top_group(values, tests[0])
        groups = (("top" if run in found.top else "below") for run in found.order)
        lines = [(run, means[run], found.p[run], group) for run, group in zip(found.order, groups, strict=True)]
        print_rows(options.format, ("run", "mean", "p", "group"), lines)
        return 0
    rows = [
        (a.run_a, a.run_b, a.test, a.statistic, a.corrected, a.effect)
        for of_pair in zip(*tests, strict=True) for a in of_pair
    ]  # fmt: skip
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
