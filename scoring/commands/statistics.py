"""`agree` and `correlate`: how far judges, and orders of runs, agree."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from io import BufferedReader
from itertools import combinations
from typing import BinaryIO

from scoring.commands.shell import BadInput, WrongCall, print_rows, read_file
from scoring.formats.qrels import read_qrels
from scoring.formats.value_tables import read_item_values, read_run_values
from scoring.reading import damage_errors
from scoring.records import Issue, ItemValue, Qrel

Values = dict[tuple[str, str], float]


def run_agree(options: argparse.Namespace) -> int:
    """Agreement of two or more judges on the items that they share."""
    if len(options.file) < 2:
        raise WrongCall("agree needs the files of two judges or more")
    if options.file.count("-") > 1:
        raise WrongCall("standard input (-) can be read only once")
    print_rows(options.format, ("measure", "value"), _agreement(_read_all(options.file), options))
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


def _agreement(judges: list[Values], options: argparse.Namespace) -> list[tuple[str, float | int | None]]:
    from scoring import agreement

    if options.binary is not None:
        judges = [{key: float(value >= options.binary) for key, value in judge.items()} for judge in judges]
    items = sorted({key for judge in judges for key in judge})
    columns = [[judge.get(key) for key in items] for judge in judges]
    shared = sum(sum(key in judge for judge in judges) > 1 for key in items)
    rows: list[tuple[str, float | int | None]] = [
        ("judges", len(judges)),
        ("items", shared),
        ("agreement", agreement.raw_agreement(columns)),
    ]
    if len(judges) == 2:
        first, second = columns
        rows.append(("cohen_kappa", agreement.cohen_kappa(first, second)))
        if options.level != "nominal":
            rows.append(("cohen_kappa_linear", agreement.cohen_kappa(first, second, weights="linear")))
            rows.append(("cohen_kappa_quadratic", agreement.cohen_kappa(first, second, weights="quadratic")))
    complete = [place for place in range(len(items)) if all(column[place] is not None for column in columns)]
    rows += [
        ("fleiss_kappa", agreement.fleiss_kappa([[column[place] for place in complete] for column in columns])),
        (f"krippendorff_alpha_{options.level}", agreement.krippendorff_alpha(columns, level=options.level)),
        ("ac1", agreement.ac1(columns)),
    ]
    if options.binary is not None or all(value in (0.0, 1.0) for judge in judges for value in judge.values()):
        rows += _overlap(judges)
    if len(judges) == 2:
        counts = agreement.confusion(columns[0], columns[1])
        rows += [(f"confusion {a:g} {b:g}", count) for (a, b), count in sorted(counts.items())]
    return rows


def _overlap(judges: list[Values]) -> list[tuple[str, float | int | None]]:
    """Mean overlap of relevant sets, over all pairs of judges; only items that both judged count."""
    from scoring.agreement import overlap

    means, pooled = [], []
    for a, b in combinations(judges, 2):
        both = a.keys() & b.keys()
        mean, _ = overlap(_relevant(a, both), _relevant(b, both))
        if mean is not None:
            means.append(mean)
            found = [(a[key] > 0) + (b[key] > 0) for key in both]
            pooled.append(found.count(2) / (found.count(1) + found.count(2)))
    if not means:
        return [("overlap", None), ("overlap_pooled", None)]
    return [("overlap", sum(means) / len(means)), ("overlap_pooled", sum(pooled) / len(pooled))]


def _relevant(judge: Values, both: set[tuple[str, str]]) -> dict[str, list[str]]:
    sets: dict[str, list[str]] = {topic: [] for topic, _ in both}
    for topic, item in both:
        if judge[topic, item] > 0:
            sets[topic].append(item)
    return sets


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
