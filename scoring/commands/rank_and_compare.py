"""`rank` and `compare`: what starts from ranked runs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence

from scoring.commands.command_line import (
    BadInput,
    Cell,
    Problems,
    WrongCall,
    print_rows,
    print_scores,
    read_files,
    refuse_empty,
    standard_input_once,
)
from scoring.formats.json_ranked import read_any_qrels, read_any_run
from scoring.formats.qrels import read_subtopic_qrels
from scoring.formats.run_rules import tied_scores
from scoring.measures import parse
from scoring.measures.ranked import (
    RepeatedDocument,
    best_ranked,
    grades_of,
    rank_scores,
    rankings_of,
    refuse_uncomputed,
    with_binary_level,
)
from scoring.measures.spec import ChosenMeasure, UnknownMeasure
from scoring.measures.trec_eval_names import NOT_COMPUTED, measures_called
from scoring.reading import excerpt_of
from scoring.records import Issue, Qrel, RankedDoc, Score
from scoring.run_tags import stem

Values = dict[str, dict[str, float | None]]
"""Run -> topic -> value of one measure."""


def run_rank(options: argparse.Namespace, problems: Problems) -> int:
    """Scores of each run: topics, then "all"."""
    print_scores(options.format, _scores(options, _measures(options), problems))
    return 0


def run_compare(options: argparse.Namespace, problems: Problems) -> int:
    """Every pair of runs under every test, measure by measure; with --top who is not told from the best run."""
    if len(options.run) < 2:
        raise WrongCall("compare needs two runs or more: --run A --run B")
    measures = _measures(options)
    values: dict[str, Values] = {str(measure): {} for measure in measures}
    for score in _scores(options, measures, problems):
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
    """Every test of each pair. The p values are corrected for the pairs of one measure."""
    from scoring.multiple_comparisons import TESTS, compare_runs

    tests = [
        compare_runs(values, test=test, correction=options.correction or "none", seed=options.seed) for test in TESTS
    ]
    for of_pair in zip(*tests, strict=True):
        for a in of_pair:
            yield a.run_a, a.run_b, a.test, a.statistic, a.corrected, a.effect, measure


def _top_rows(measure: str, values: Values, options: argparse.Namespace) -> Iterator[tuple[Cell, ...]]:
    """The runs from best to worst, and whether the test tells each from the best."""
    from scoring.multiple_comparisons import compare_runs, top_group
    from scoring.rankings import mean_scores

    test = compare_runs(values, test=options.top, correction=options.correction or "none", seed=options.seed)
    means, found = mean_scores(values), top_group(values, test)
    for run in found.order:
        yield run, means[run], found.p[run], "top" if run in found.top else "below", measure


def _refuse_strangers(values: Values, problems: Problems) -> None:
    """Stop where two runs have no judged topic in common: there is nothing to compare them by."""
    runs = list(values)
    for place, run in enumerate(runs):
        for other in runs[:place]:
            if values[run].keys().isdisjoint(values[other]):
                message = f"It has no judged topic in common with {other}. Leave one of them out, or give --complete."
                problems.add(run, Issue(where="", code="no-common-topic", message=message))
                raise BadInput(run)


def _measures(options: argparse.Namespace) -> list[ChosenMeasure]:
    """The measures asked for, each once, by our names or trec_eval's."""
    asked = [_ranked(name, options.binary) for text in options.measure for name in measures_called(text)]
    return list({str(measure): measure for measure in asked}.values())


def _ranked(text: str, level: int | None) -> ChosenMeasure:
    if text in NOT_COMPUTED:
        raise UnknownMeasure(f"trec_eval's {text} is not computed here; see `python -m scoring measures`")
    measure = parse(text)
    if measure.measure.family != "ranked":
        raise UnknownMeasure(f"{measure.measure.name} is no measure of ranked runs; see `python -m scoring measures`")
    measure = measure if level is None else with_binary_level(measure, level)
    refuse_uncomputed(measure)
    return measure


def _scores(options: argparse.Namespace, measures: list[ChosenMeasure], problems: Problems) -> list[Score]:
    standard_input_once([options.qrels, *options.run])
    bad = []
    parts: list[Qrel] = []
    try:
        grades, parts = _judgments(options.qrels, measures, problems)
        if not grades:
            refuse_empty(options.qrels, "judgment", problems)
    except BadInput as error:
        grades, bad = {}, [str(error)]
    runs = _named_runs(options.run, problems)
    if bad:
        raise BadInput(bad[0])
    scores: list[Score] = []
    for path, (tag, lines) in zip(options.run, runs, strict=True):
        rankings = rankings_of(lines)
        if grades.keys().isdisjoint(rankings):
            message = f"No topic of the run is judged in {options.qrels}. Check that the two belong together."
            problems.add(path, Issue(where="", code="no-common-topic", message=message))
            bad.append(path)
        else:
            for issue in (*tied_scores(lines), *_unjudged(grades, lines)):
                problems.add(path, issue)
            judged = grades if options.judged else None
            best = best_ranked(rankings, depth=options.depth, judged=judged) if options.depth or judged else rankings
            complete = options.complete
            scores += rank_scores(grades, best, measures, run=tag, complete=complete, subtopics=parts)
    if bad:
        raise BadInput(", ".join(bad))
    return scores


def _unjudged(grades: Mapping[str, Mapping[str, int]], lines: Sequence[RankedDoc]) -> Iterator[Issue]:
    """A warning where no document of a run is judged in its topic: what it scores is 0, whatever it found."""
    of_judged = [line for line in lines if line.topic in grades]
    if any(line.docno in grades[line.topic] for line in of_judged):
        return
    first = of_judged[0]
    known = next(iter(grades[first.topic]), "")
    shown = [excerpt_of(each, length=60) for each in (first.topic, first.docno, known)]
    message = (
        f"No document of this run is judged: are these the same ids? For topic {shown[0]} the run has {shown[1]}, and "
        f"the judgments have {shown[2]}."
    )
    yield Issue(where="", code="none-judged", message=message, severity="warning")


def _judgments(
    path: str, measures: list[ChosenMeasure], problems: Problems
) -> tuple[dict[str, dict[str, int]], list[Qrel]]:
    """The grades of documents, and the judgments of subtopics where a measure needs them."""
    if not any(measure.measure.subtopics for measure in measures):
        return grades_of(read_files([path], read_any_qrels, problems)[0]), []
    parts = read_files([path], read_subtopic_qrels, problems)[0]
    if all(measure.measure.subtopics for measure in measures):
        whole: dict[str, dict[str, int]] = {}
        for each in parts:
            of_topic = whole.setdefault(each.topic, {})
            of_topic[each.docno] = max(each.grade, of_topic.get(each.docno, each.grade))
        return whole, parts
    try:
        return grades_of(parts), parts
    except RepeatedDocument as error:
        told = f"in {path} {error}, under several subtopics: ask for measures of diversity in a call of their own"
        raise WrongCall(told) from error


def _named_runs(paths: Sequence[str], problems: Problems) -> list[tuple[str, list[RankedDoc]]]:
    """Each run under its tag, in the order of the files; two files with one tag are a wrong call.

    A run in JSON says no tag: it is called as its file, without the suffixes of formats.
    """
    named: dict[str, list[RankedDoc]] = {}
    empty = []
    for path, lines in zip(paths, read_files(paths, read_any_run, problems), strict=True):
        tag = run_name(lines[0].run, path) if lines else path
        if not lines:
            empty.append(path)
        elif tag in named:
            raise WrongCall(f"two runs are called {tag}: rename the one in {path}")
        named[tag] = lines
    for path in empty:
        refuse_empty(path, "ranked document", problems)
    return list(named.items())


def run_name(tag: str, path: str) -> str:
    """What a run is called: its tag, or as its file where it has none."""
    return tag or stem(path)
