"""The commands `rank` and `compare`, which start from ranked runs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from scoring.commands.command_line import (
    BadInput,
    Cell,
    Problems,
    WrongCall,
    print_rows,
    print_scores,
    read_file,
    refuse_empty,
    standard_input_once,
)
from scoring.formats.json_ranked import read_any_blocks, read_any_judged
from scoring.formats.qrels import read_subtopic_qrels
from scoring.formats.whole_runs import WholeRun, whole_run
from scoring.measures import parse
from scoring.measures.ranked import Grades, RepeatedDocument, grades_of, with_binary_level
from scoring.measures.ranked_values import RankedEvaluator, RunValues, best_ranked, refuse_uncomputed
from scoring.measures.spec import ChosenMeasure, UnknownMeasure
from scoring.measures.trec_eval_names import NOT_COMPUTED, measures_called
from scoring.none_judged import apart, left_out, none_relevant
from scoring.records import Issue, Qrel, has_errors
from scoring.run_tags import stem

Values = dict[str, dict[str, float | None]]
"""Run -> topic -> value of one measure."""


def run_rank(options: argparse.Namespace, problems: Problems) -> int:
    """Print the scores of each run: topics, then "all". Raises WrongCall, BadInput or UnknownMeasure."""
    found = _values(options, ranked_measures(options.measure, options.binary), problems)
    print_scores(options.format, (score for run in found for score in run.scores()))
    return 0


def run_compare(options: argparse.Namespace, problems: Problems) -> int:
    """Print every pair of runs under every test, measure by measure. With --top, print which runs do not differ
    significantly from the best. Raises WrongCall, BadInput or UnknownMeasure.
    """
    if len(options.run) < 2:
        raise WrongCall("compare needs two runs or more: --run A --run B")
    measures = ranked_measures(options.measure, options.binary)
    values: dict[str, Values] = {str(measure): {} for measure in measures}
    for run in _values(options, measures, problems):
        for score in run.scores():
            if score.topic != "all":
                values[score.measure].setdefault(score.run, {})[score.topic] = score.value
    _refuse_strangers(values[str(measures[0])], problems)
    if options.top:
        header: tuple[str, ...] = ("run", "mean", "p", "group", "measure")
        rows = [row for measure, found in values.items() for row in _top_rows(measure, found, options)]
    else:
        header = ("run_a", "run_b", "test", "statistic", "p", "effect", "measure")
        rows = [row for measure, found in values.items() for row in _pair_rows(measure, found, options)]
    print_rows(options.format, header, rows)
    return 0


def _pair_rows(measure: str, values: Values, options: argparse.Namespace) -> Iterator[tuple[Cell, ...]]:
    """Yield the result of every test on one measure for each pair of runs. p is corrected for the number of pairs."""
    from scoring.statistics.multiple_comparisons import TESTS, compare_runs

    tests = [
        compare_runs(values, test=test, correction=options.correction or "none", seed=options.seed) for test in TESTS
    ]
    for of_pair in zip(*tests, strict=True):
        for a in of_pair:
            yield a.run_a, a.run_b, a.test, a.statistic, a.corrected, a.effect, measure


def _top_rows(measure: str, values: Values, options: argparse.Namespace) -> Iterator[tuple[Cell, ...]]:
    """Yield the runs from best to worst. Each row says whether the test finds the run different from the best."""
    from scoring.statistics.multiple_comparisons import compare_runs, top_group
    from scoring.statistics.rankings import mean_scores

    test = compare_runs(values, test=options.top, correction=options.correction or "none", seed=options.seed)
    means, found = mean_scores(values), top_group(values, test)
    for run in found.order:
        yield run, means[run], found.p[run], "top" if run in found.top else "below", measure


def _refuse_strangers(values: Values, problems: Problems) -> None:
    """Stop if two runs have no judged topic in common and so can't be compared. Raises BadInput."""
    runs = list(values)
    for place, run in enumerate(runs):
        for other in runs[:place]:
            if values[run].keys().isdisjoint(values[other]):
                message = f"It has no judged topic in common with {other}. Leave one of them out, or give --complete."
                problems.add(run, Issue(where="", code="no-common-topic", message=message))
                raise BadInput(run)


def ranked_measures(asked: Sequence[str], binary: int | None) -> list[ChosenMeasure]:
    """Return the requested measures without repetitions. They may have Assay's names or trec_eval's. Raises
    UnknownMeasure.
    """
    found = [_ranked(name, binary) for text in asked for name in measures_called(text)]
    return list({str(measure): measure for measure in found}.values())


def _ranked(text: str, level: int | None) -> ChosenMeasure:
    if text in NOT_COMPUTED:
        raise UnknownMeasure(f"trec_eval's {text} is not computed here; see `python -m scoring measures`")
    measure = parse(text)
    if measure.measure.family != "ranked":
        raise UnknownMeasure(f"{measure.measure.name} is no measure of ranked runs; see `python -m scoring measures`")
    measure = measure if level is None else with_binary_level(measure, level)
    refuse_uncomputed(measure)
    return measure


def _values(options: argparse.Namespace, measures: list[ChosenMeasure], problems: Problems) -> list[RunValues]:
    """Return the values of each run, with one run in memory at a time. Every file is read before BadInput is raised.
    Raises WrongCall if two runs have the same name.
    """
    standard_input_once([options.qrels, *options.run])
    grades, parts, bad_qrels = _judgments(options.qrels, measures, problems)
    evaluator = RankedEvaluator(grades, measures, subtopics=parts)
    runs: list[RunValues] = []
    told: list[tuple[str, Issue]] = []
    bad: list[str] = []
    empty: list[str] = []
    twice = ""
    for path in options.run:
        try:
            run, issues = _scored(path, options, grades, evaluator, problems)
        except BadInput:
            bad.append(path)
            continue
        if run is None:
            empty.append(path)
            continue
        if run.run in {each.run for each in runs}:
            twice = twice or f"two runs are called {run.run}: rename the one in {path}"
        told += [(path, issue) for issue in issues]
        runs.append(run)
    if bad:
        raise BadInput(", ".join(bad))
    if twice:
        raise WrongCall(twice)
    for path in empty:
        refuse_empty(path, "ranked document", problems)
    if bad_qrels:
        raise BadInput(bad_qrels)
    for issue in none_relevant(grades, measures):
        problems.add(options.qrels, issue)
    for path, issue in told:
        problems.add(path, issue)
    if bad := [path for path, issue in told if issue.severity == "error"]:
        raise BadInput(", ".join(bad))
    return runs


def _scored(
    path: str, options: argparse.Namespace, grades: Grades, evaluator: RankedEvaluator, problems: Problems
) -> tuple[RunValues | None, list[Issue]]:
    """Return the values of the run in a file (None if it is empty) and the issues found by comparing it with the
    judgments. With --depth only the first documents count, with --judged only judged ones. Raises BadInput.
    """
    run = whole_run(read_file(path, read_any_blocks, problems))
    if not run.rankings:
        return None, []
    judged = grades if options.judged else None
    some = options.depth or options.judged
    rankings = best_ranked(run.rankings, depth=options.depth, judged=judged) if some else run.rankings
    values = evaluator.score(rankings, run=run_name(run.tag, path), complete=options.complete)
    found = list(_issues(options.qrels, grades, run))
    if not options.complete and not has_errors(found):
        found += left_out(run.rankings, grades, option="--complete")
    return values, found


def _issues(qrels: str, grades: Grades, run: WholeRun) -> Iterator[Issue]:
    """Yield the issues found by comparing a run with the judgments in a file."""
    found = list(apart(run.rankings, grades, qrels=qrels))
    if not has_errors(found):
        yield from run.order
    yield from found


def _judgments(path: str, measures: list[ChosenMeasure], problems: Problems) -> tuple[Grades, list[Qrel], str]:
    """Return the grades of documents and, if a measure needs them, the judgments of subtopics. The third value is the
    path of the judgments' file if the file can't be used, otherwise "".
    """
    parts: list[Qrel] = []
    grades: dict[str, dict[str, int]] = {}
    try:
        if any(measure.measure.subtopics for measure in measures):
            parts = list(read_file(path, read_subtopic_qrels, problems))
            grades = grades_of_parts(path, parts, measures)
        else:
            for topic, docnos, values in read_file(path, read_any_judged, problems):
                grades.setdefault(topic, {}).update(zip(docnos, values, strict=True))
        if not grades:
            refuse_empty(path, "judgment", problems)
    except BadInput:
        return {}, [], path
    return grades, parts, ""


def grades_of_parts(path: str, parts: Sequence[Qrel], measures: Sequence[ChosenMeasure]) -> dict[str, dict[str, int]]:
    """Return the highest grade that each document has for any subtopic. Raises WrongCall if a measure does not use
    subtopics and a document was judged for several.
    """
    if not all(measure.measure.subtopics for measure in measures):
        try:
            return grades_of(parts)
        except RepeatedDocument as error:
            told = f"in {path} {error}, under several subtopics: ask for measures of diversity in a call of their own"
            raise WrongCall(told) from error
    whole: dict[str, dict[str, int]] = {}
    for each in parts:
        of_topic = whole.setdefault(each.topic, {})
        of_topic[each.docno] = max(each.grade, of_topic.get(each.docno, each.grade))
    return whole


def run_name(tag: str, path: str) -> str:
    """Return the name of a run: its tag, or, if it has none (as in JSON), the file's name without the suffixes of
    formats.
    """
    return tag or stem(path)
