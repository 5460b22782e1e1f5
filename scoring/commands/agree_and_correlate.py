"""The commands `agree` and `correlate`: how far judges, and orders of runs, agree."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

from scoring.commands.command_line import (
    BadInput,
    Cell,
    Problems,
    WrongCall,
    print_rows,
    read_file,
    read_files,
    refuse_empty,
    standard_input_once,
)
from scoring.file_kinds import recognise
from scoring.formats.json_ranked import read_any_qrels
from scoring.formats.qrels import read_qrels
from scoring.formats.spec import first_columns, real
from scoring.formats.value_tables import ItemWord, read_item_values, read_item_words, read_means
from scoring.none_judged import labels_alike, runs_left_out
from scoring.records import Issue, ItemValue, Qrel

if TYPE_CHECKING:
    from scoring.statistics.agreement_report import AgreementReport

Label = float | str
Labels = dict[tuple[str, str], Label]
Values = dict[tuple[str, str], float]


# ---------------------------------------------------------------- agree


def run_agree(options: argparse.Namespace, problems: Problems) -> int:
    """Print how well two or more judges agree on the items that at least two of them judged. Raises WrongCall or
    BadInput.
    """
    if len(options.file) < 2:
        raise WrongCall("agree needs the files of two judges or more")
    standard_input_once(options.file)
    judges = _read_judges(options.file, problems)
    words = _words_of(judges, options)
    for issue in labels_alike(words):
        problems.add(options.file[-1], issue)
    values = [_values(judge, words) for judge in judges]
    header = ["topic"] * options.per_topic + ["measure", "value"] + ["low", "high"] * bool(options.bootstrap)
    print_rows(options.format, header, _agreement_rows(values, words, options))
    return 0


def _read_judges(paths: Sequence[str], problems: Problems) -> list[Labels]:
    files: list[list[Qrel | ItemValue | ItemWord]] = read_files(paths, read_judge, problems)
    judges = [dict(map(_pair, records)) for records in files]
    for path, judge in zip(paths, judges, strict=True):
        if not judge:
            refuse_empty(path, "judgment", problems)
    counts: dict[tuple[str, str], int] = {}
    for judge in judges:
        for key in judge:
            counts[key] = counts.get(key, 0) + 1
    if max(counts.values()) < 2:
        message = "No item of the file is judged in another one. Check that topics and items are named alike."
        problems.add(paths[-1], Issue(where="", code="no-common-item", message=message))
        raise BadInput(paths[-1])
    return judges


def _words_of(judges: Sequence[Labels], options: argparse.Namespace) -> tuple[str, ...]:
    """Return the labels if judges gave words, sorted from the lowest to the highest if the call gives their order.
    Return () if judges gave numbers. Raises WrongCall if some gave words and others numbers, or for an option that does
    not go with the labels.
    """
    used = {label for judge in judges for label in judge.values()}
    found = sorted(label for label in used if isinstance(label, str))
    ordered = tuple(word for word in options.order.split(",") if word)
    if not found:
        if ordered:
            raise WrongCall("--order is for labels in words, and these are numbers: leave it out")
        return ()
    if len(found) < len(used):
        raise WrongCall("some judges gave words, others numbers: write the labels of all in one way")
    if strange := [word for word in found if ordered and word not in ordered]:
        raise WrongCall(f"--order does not name the label “{strange[0]}”; name all of them, from the lowest")
    if len(set(ordered)) < len(ordered):
        raise WrongCall("--order names a label twice")
    if options.level in ("interval", "ratio") or (options.level == "ordinal" and not ordered):
        raise WrongCall(f"words are not {options.level}: use --level nominal, or ordinal with --order LOWEST,…,HIGHEST")
    if options.binary is not None:
        raise WrongCall("--binary is for numbers: words have no lowest one that counts")
    return ordered or tuple(found)


def _values(judge: Labels, words: Sequence[str]) -> Values:
    """Return the labels as numbers; a label in words becomes its index."""
    place = {word: float(number) for number, word in enumerate(words)}
    return {key: place[label] if isinstance(label, str) else label for key, label in judge.items()}


def _agreement_rows(
    judges: list[Values], words: tuple[str, ...], options: argparse.Namespace
) -> Iterator[tuple[Cell, ...]]:
    """Yield rows of measure and value. With --per-topic the topic comes first; with --bootstrap the interval comes
    last.
    """
    from scoring.statistics.agreement_report import ReportOptions, report_agreement, report_topics
    from scoring.statistics.intervals import Sampling

    if options.binary is not None:
        judges = [{key: float(value >= options.binary) for key, value in judge.items()} for judge in judges]
    is_binary = not words and all(value in (0.0, 1.0) for judge in judges for value in judge.values())
    sampling = Sampling(over=options.bootstrap, seed=options.seed) if options.bootstrap else None
    chosen = ReportOptions(level=options.level, relevant_from=1.0 if is_binary else None, sampling=sampling)
    for report in (*(report_topics(judges, chosen) if options.per_topic else ()), report_agreement(judges, chosen)):
        for measure, value, low, high in _report_rows(report, words):
            topic = (report.topic,) if options.per_topic else ()
            yield (*topic, measure, value, low, high) if sampling else (*topic, measure, value)


def _report_rows(report: AgreementReport, words: Sequence[str]) -> Iterator[tuple[str, Cell, Cell, Cell]]:
    """Yield rows of measure, value and the two ends of its interval; counts have no interval."""
    yield "judges", report.judges, "", ""
    yield "items", report.items, "", ""
    for each in report.estimates:
        low, high = (each.interval.low, each.interval.high) if each.interval else (None, None)
        yield each.measure, each.value, low, high
    for pair, count in sorted((report.confusion or {}).items()):
        first, second = (words[int(value)] if words else f"{value:g}" for value in pair)
        yield f"confusion {first} {second}", count, "", ""


def _pair(record: Qrel | ItemValue | ItemWord) -> tuple[tuple[str, str], Label]:
    if isinstance(record, Qrel):
        return (record.topic, record.docno), float(record.grade)
    return (record.topic, record.item), record.word if isinstance(record, ItemWord) else record.value


def read_judge(file: BinaryIO) -> Iterator[Qrel | ItemValue | ItemWord | Issue]:
    """Yield the judgments in a file, and issues. The file holds qrels (in four columns or in another tool's form), or
    rows of topic, item and value. The first line shows which.

    A grade of -1 in qrels means "unjudged", so it is left out.

    The values on all lines must be of the same kind as the value on the first line: numbers or words.
    """
    found = recognise(file)
    if found.form == "broken json" or {"qrels-json", "beir-qrels", "umbrela"} & set(found.formats):
        yield from (each for each in read_any_qrels(file) if isinstance(each, Issue) or each.grade != -1)
        return
    columns = first_columns(file)
    is_table = len(columns) == 3
    if columns and len(columns) in (3, 4) and real(columns[-1]) is None:
        yield from read_item_words(file, as_qrels=not is_table)
    elif is_table:
        yield from read_item_values(file)
    else:
        yield from (each for each in read_qrels(file) if isinstance(each, Issue) or each.grade != -1)


# ---------------------------------------------------------------- correlate


def run_correlate(options: argparse.Namespace, problems: Problems) -> int:
    """Print rank correlations of two lists of runs; the second is the true order. Raises WrongCall or BadInput."""
    from scoring.statistics.correlation import correlate

    paths = [options.first, options.second]
    standard_input_once(paths)
    measures = options.measure * 2 if len(options.measure) == 1 else options.measure or ["", ""]
    if len(measures) > 2:
        raise WrongCall("give -m once, or once for each of the two files")
    first, second = (_means(path, measure, problems) for path, measure in zip(paths, measures, strict=True))
    shared = first.keys() & second.keys()
    if len(shared) < 2:
        message = f"It has {len(shared)} of the runs of {options.first}; two or more are needed for an order."
        problems.add(options.second, Issue(where="", code="no-common-run", message=message))
        raise BadInput(options.second)
    for path, order, other in ((paths[0], first, paths[1]), (paths[1], second, paths[0])):
        for issue in runs_left_out(order, shared, other=other):
            problems.add(path, issue)
    rows: list[tuple[str, float | int | None]] = [("runs", len(shared))]
    print_rows(options.format, ("measure", "value"), rows + list(correlate(first, second).items()))
    return 0


def _means(path: str, measure: str, problems: Problems) -> dict[str, float]:
    """Return run -> value by the chosen measure, or by the only measure that the file has. Raises WrongCall if that
    leaves none or several.
    """
    means: dict[str, dict[str, float]] = {}
    for score in read_file(path, read_means, problems):
        means.setdefault(score.measure, {})[score.run] = score.value or 0.0
    if not means:
        refuse_empty(path, "value of a run", problems)
    if "" in means and not measure:
        return means[""]
    if not measure and len(means) > 1:
        raise WrongCall(f"{path} has several measures: say which with -m, one of {', '.join(means)}")
    if measure and measure not in means:
        known = ", ".join(name or "one that it does not name" for name in means)
        raise WrongCall(f"{path} has no measure {measure}; it has {known}")
    return means[measure or next(iter(means))]
