"""`agree` and `correlate`: how far judges, and orders of runs, agree."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from io import BufferedReader
from typing import TYPE_CHECKING, BinaryIO

from scoring.commands.shell import BadInput, Cell, WrongCall, print_rows, read_file
from scoring.formats.qrels import read_qrels
from scoring.formats.value_tables import read_item_values, read_run_values
from scoring.reading import damage_errors
from scoring.records import Issue, ItemValue, Qrel

if TYPE_CHECKING:
    from scoring.agreement_report import AgreementReport

Values = dict[tuple[str, str], float]


def run_agree(options: argparse.Namespace) -> int:
    """Agreement of two or more judges on the items that they share."""
    if len(options.file) < 2:
        raise WrongCall("agree needs the files of two judges or more")
    if options.file.count("-") > 1:
        raise WrongCall("standard input (-) can be read only once")
    header = ["topic"] * options.per_topic + ["measure", "value"] + ["low", "high"] * bool(options.bootstrap)
    print_rows(options.format, header, _agreement_rows(_read_all(options.file), options))
    return 0


def run_correlate(options: argparse.Namespace) -> int:
    """Rank correlations of two lists of runs; the second is the true order."""
    from scoring.correlation import correlate

    if options.first == options.second == "-":
        raise WrongCall("standard input (-) can be read only once")
    first, second = (dict(read_file(path, read_run_values)) for path in (options.first, options.second))
    rows: list[tuple[str, float | int | None]] = [("runs", len(first.keys() & second.keys()))]
    print_rows(options.format, ("measure", "value"), rows + list(correlate(first, second).items()))
    return 0


def _agreement_rows(judges: list[Values], options: argparse.Namespace) -> Iterator[tuple[Cell, ...]]:
    """Measure and value; with --per-topic a topic before them, with --bootstrap the interval after them."""
    from scoring.agreement_report import ReportOptions, report_agreement, report_topics
    from scoring.intervals import Sampling

    if options.binary is not None:
        judges = [{key: float(value >= options.binary) for key, value in judge.items()} for judge in judges]
    is_binary = all(value in (0.0, 1.0) for judge in judges for value in judge.values())
    sampling = Sampling(over=options.bootstrap, seed=options.seed) if options.bootstrap else None
    chosen = ReportOptions(level=options.level, relevant_from=1.0 if is_binary else None, sampling=sampling)
    for report in (*(report_topics(judges, chosen) if options.per_topic else ()), report_agreement(judges, chosen)):
        for measure, value, low, high in _report_rows(report):
            topic = (report.topic,) if options.per_topic else ()
            yield (*topic, measure, value, low, high) if sampling else (*topic, measure, value)


def _report_rows(report: AgreementReport) -> Iterator[tuple[str, Cell, Cell, Cell]]:
    """Measure, value, and the ends of its interval; counts have none."""
    yield "judges", report.judges, "", ""
    yield "items", report.items, "", ""
    for each in report.estimates:
        low, high = (each.interval.low, each.interval.high) if each.interval else (None, None)
        yield each.measure, each.value, low, high
    for (a, b), count in sorted((report.confusion or {}).items()):
        yield f"confusion {a:g} {b:g}", count, "", ""


def _read_all(paths: list[str]) -> list[Values]:
    judges: list[Values] = []
    bad: list[str] = []
    for path in paths:
        try:
            records: Iterator[Qrel | ItemValue] = read_file(path, _read_judge)
            judges.append(dict(map(_pair, records)))
        except BadInput:
            bad.append(path)
    if bad:
        raise BadInput(", ".join(bad))
    return judges


def _pair(record: Qrel | ItemValue) -> tuple[tuple[str, str], float]:
    if isinstance(record, Qrel):
        return (record.topic, record.docno), float(record.grade)
    return (record.topic, record.item), record.value


def _read_judge(file: BinaryIO) -> Iterator[Qrel | ItemValue | Issue]:
    """Qrels (four columns) or topic item value (three), told apart by the first line; -1 is "unjudged"."""
    try:
        start = file.peek(1 << 12) if isinstance(file, BufferedReader) else b""
    except damage_errors():
        start = b""  # the reader below tells what is damaged
    columns = next((len(line.split()) for line in start.splitlines() if line.strip()), 0)
    if columns == 3:
        yield from read_item_values(file)
    else:
        yield from (each for each in read_qrels(file) if isinstance(each, Issue) or each.grade != -1)
