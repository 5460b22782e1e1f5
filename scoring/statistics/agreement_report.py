"""Reports how judges agree: every measure of `scoring.statistics.agreement` that applies, over all topics and topic by
topic.

    two judges         agreement, cohen_kappa (unless nominal weighted, too), fleiss_kappa, alpha, ac1, overlaps
    three or more      these except Cohen's; fleiss_kappa over the items that all of them judged; overlaps are the
                       mean over all pairs

Only items that two or more of the judges judged are compared, identified by topic and item. They are counted by pattern
(the values that the judges gave an item), and all resamples of an interval are measured at once
(`scoring.statistics.resampled_agreement`). All measures of two judges on a scale of five take some milliseconds,
whatever the number of items, and as much again for each topic.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations
from operator import methodcaller
from typing import Any

from scoring.release.grid_values import count_implied, explicit
from scoring.statistics import agreement
from scoring.statistics.agreement import Counts, Judge, Level, Weights
from scoring.statistics.intervals import Estimate, Interval, Sampling, draw_items, draw_topics, interval_of
from scoring.statistics.resampled_agreement import Pattern, Resamples

Values = Mapping[tuple[str, str], float]
"""The values of one judge: (topic, item) -> value."""

Patterns = Mapping[str, Counter[Pattern]]
"""Topic -> the values that judges gave an item (None: no value) -> the number of items with these values."""

Measure = Callable[[Sequence[Judge], Counts], float | None]
Resampled = Callable[[Resamples], Any]
"""The values of a measure for all resamples, with NaN if undefined."""

ALL = "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgreementReport:
    """The agreement of judges on one topic, or on all topics (``topic`` is then "all")."""

    topic: str
    judges: int
    items: int
    """The number of items that two or more judged."""

    estimates: tuple[Estimate, ...]
    confusion: Mapping[tuple[float, float], int] | None
    """(first's value, second's value) -> items; None for three judges or more."""

    def value(self, measure: str) -> float | None:
        """Return the value of a measure; None if it is undefined or was not computed."""
        return next((each.value for each in self.estimates if each.measure == measure), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportOptions:
    """The options of a report. ``relevant_from`` is the lowest relevant value; without it no overlaps are computed.

    ``sampling`` asks for confidence intervals, drawn over items or topics. The intervals of a single topic are always
    over its items, and that of ``overlap`` is always over topics. ``scale`` is every value that could be given.
    ``only`` names the measures to compute; if it is empty, all that apply are computed.
    """

    level: Level = "nominal"
    relevant_from: float | None = None
    scale: tuple[float, ...] = ()
    sampling: Sampling | None = None
    only: frozenset[str] = frozenset()


def report_agreement(judges: Sequence[Values], options: ReportOptions) -> AgreementReport:
    """Return the agreement of two judges or more over all topics."""
    return report_patterns(count_patterns(judges), len(judges), options)


def report_topics(judges: Sequence[Values], options: ReportOptions) -> list[AgreementReport]:
    """Return the agreement on every topic in which two judges judged the same item, sorted by topic."""
    return report_patterns_by_topic(count_patterns(judges), len(judges), options)


def report_patterns(patterns: Patterns, judges: int, options: ReportOptions) -> AgreementReport:
    """Return the same report as `report_agreement`, from patterns that are already counted."""
    return _report(ALL, of_several(patterns), judges, options, _scale(patterns, options))


def report_patterns_by_topic(patterns: Patterns, judges: int, options: ReportOptions) -> list[AgreementReport]:
    """Return the same reports as `report_topics`, from patterns that are already counted, in the order of the patterns.

    Intervals are drawn over items, whatever the options say; ``overlap`` has none.
    """
    scale = _scale(patterns, options)
    if options.sampling:
        options = replace(options, sampling=replace(options.sampling, over="items"))
    return [_report(topic, {topic: found}, judges, options, scale) for topic, found in of_several(patterns).items()]


def _report(
    topic: str, by_topic: Mapping[str, Counter[Pattern]], judges: int, options: ReportOptions, scale: Sequence[float]
) -> AgreementReport:
    totals: Counter[Pattern] = Counter()
    for found in by_topic.values():
        totals.update(found)
    patterns = sorted(totals, key=_sortable)
    columns: list[Judge] = list(zip(*patterns, strict=True)) or [()] * judges
    counts = [totals[pattern] for pattern in patterns]
    if options.sampling:
        draws, units = _draws(by_topic, patterns, counts, options.sampling)
        resamples = Resamples(patterns=patterns, draws=draws, scale=scale)
    estimates = []
    for name, measure, resampled in _measures(judges, options, scale):
        value, interval = measure(columns, counts), None
        if options.sampling and value is not None:
            interval = interval_of(_or_none(resampled(resamples)), units=units, sampling=options.sampling)
        estimates.append(Estimate(measure=name, value=value, interval=interval))
    if options.relevant_from is not None and (not options.only or "overlap" in options.only):
        place = len(estimates) - any(each.measure == "overlap_pooled" for each in estimates)
        estimates.insert(place, _mean_overlap(by_topic, options.relevant_from, options.sampling))
    return AgreementReport(
        topic=topic,
        judges=judges,
        items=totals.total(),
        estimates=tuple(estimates),
        confusion=agreement.confusion(columns[0], columns[1], counts=counts) if judges == 2 else None,
    )


def _draws(
    by_topic: Mapping[str, Counter[Pattern]], patterns: Sequence[Pattern], counts: Counts, sampling: Sampling
) -> tuple[Any, int]:
    """Return the resamples, and the number of items or topics from which they were drawn. A resample is a row with the
    number of items of each pattern.
    """
    import numpy as np

    if sampling.over == "items":
        return draw_items(counts, sampling), sum(counts)
    table = np.array([[found[pattern] for pattern in patterns] for found in by_topic.values()], dtype=np.int64)
    topics = len(by_topic)
    return draw_topics(topics, sampling) @ table.reshape(topics, len(patterns)), topics


def _measures(judges: int, options: ReportOptions, scale: Sequence[float]) -> Iterator[tuple[str, Measure, Resampled]]:
    """Yield (name, function that computes the measure for the items, function that computes it for resamples) for each
    measure to compute.
    """
    level, threshold = options.level, options.relevant_from
    found: list[tuple[str, Measure, Resampled]] = [
        ("agreement", lambda columns, n: agreement.raw_agreement(columns, counts=n), Resamples.raw_agreement)
    ]
    if judges == 2:
        weights: tuple[Weights, ...] = () if level == "nominal" else ("linear", "quadratic")
        found.append(("cohen_kappa", partial(_cohen, None, scale), Resamples.cohen_kappa))
        found += [
            (f"cohen_kappa_{each}", partial(_cohen, each, scale), methodcaller("cohen_kappa", each)) for each in weights
        ]
    found += [
        ("fleiss_kappa", _fleiss_of_complete, Resamples.fleiss_kappa),
        (
            f"krippendorff_alpha_{level}",
            lambda columns, n: agreement.krippendorff_alpha(columns, level=level, counts=n),
            methodcaller("krippendorff_alpha", level),
        ),
        ("ac1", lambda columns, n: agreement.ac1(columns, scale=scale, counts=n), Resamples.ac1),
    ]
    if threshold is not None:
        overlap = methodcaller("pooled_overlap", threshold)
        found.append(("overlap_pooled", partial(_mean_pooled_overlap, threshold), overlap))
    return (each for each in found if not options.only or each[0] in options.only)


def _cohen(weights: Weights | None, scale: Sequence[float], columns: Sequence[Judge], counts: Counts) -> float | None:
    of_scale = scale if weights else ()
    return agreement.cohen_kappa(columns[0], columns[1], weights=weights, scale=of_scale, counts=counts)


def _fleiss_of_complete(columns: Sequence[Judge], counts: Counts) -> float | None:
    complete = [
        0 if any(value is None for value in values) else count
        for values, count in zip(zip(*columns, strict=True), counts, strict=True)
    ]
    return agreement.fleiss_kappa(columns, counts=complete)


def _mean_pooled_overlap(relevant_from: float, columns: Sequence[Judge], counts: Counts) -> float | None:
    found = [
        agreement.pooled_overlap(a, b, relevant_from=relevant_from, counts=counts) for a, b in combinations(columns, 2)
    ]
    return _mean(found)


def _mean_overlap(
    by_topic: Mapping[str, Counter[Pattern]], relevant_from: float, sampling: Sampling | None
) -> Estimate:
    """Return the mean overlap of the judges. For each pair of judges the mean over topics is computed first, and then
    the mean over all pairs.
    """
    table: list[list[float | None]] = []
    for found in by_topic.values():
        patterns = list(found)
        columns: list[Judge] = list(zip(*patterns, strict=True))
        counts = [found[pattern] for pattern in patterns]
        table.append(
            [
                agreement.pooled_overlap(a, b, relevant_from=relevant_from, counts=counts)
                for a, b in combinations(columns, 2)
            ]
        )
    value = _mean([_mean(column) for column in zip(*table, strict=True)])
    interval = None if sampling is None or value is None else _overlap_interval(table, replace(sampling, over="topics"))
    return Estimate(measure="overlap", value=value, interval=interval)


def _overlap_interval(table: list[list[float | None]], sampling: Sampling) -> Interval | None:
    """Return the interval of the mean overlap, for resamples drawn over topics, or None as `interval_of` does. In the
    table a row is a topic and a column a pair of judges.
    """
    import numpy as np

    values = np.array([[math.nan if value is None else value for value in row] for row in table])
    draws = draw_topics(len(table), sampling)
    sums, defined = draws @ np.nan_to_num(values), draws @ ~np.isnan(values)
    means = np.divide(sums, defined, out=np.full(sums.shape, math.nan), where=defined > 0)
    drawn = (_mean(_or_none(row)) for row in means)
    return interval_of(drawn, units=len(table), sampling=sampling)


def _or_none(values: Any) -> list[float | None]:
    """Return the numbers of an array, with None in place of NaN."""
    return [None if math.isnan(value) else value for value in values.tolist()]


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return math.fsum(defined) / len(defined) if defined else None


def count_patterns(judges: Sequence[Values]) -> Patterns:
    """Return topic -> pattern -> number of items, where a pattern holds the value that each judge gave to an item.

    Values that a judge gave only by finishing a whole column (`scoring.release.grid_values`) are counted, too, without
    listing their items.
    """
    looks = [each.get for each in judges]
    keys = dict.fromkeys(chain.from_iterable(explicit(each) for each in judges))
    of_patterns: Counter[tuple[str, Pattern]] = Counter((key[0], tuple([look(key) for look in looks])) for key in keys)
    of_patterns.update(count_implied(judges, keys))
    found: dict[str, Counter[Pattern]] = {}
    for topic, pattern in sorted(of_patterns, key=lambda each: (each[0], _sortable(each[1]))):
        found.setdefault(topic, Counter())[pattern] = of_patterns[topic, pattern]
    return found


def of_several(patterns: Patterns) -> dict[str, Counter[Pattern]]:
    """Return the patterns of items that two or more judges judged. A topic without such items is left out."""
    found = {
        topic: Counter({pattern: n for pattern, n in counted.items() if len(pattern) - pattern.count(None) > 1})
        for topic, counted in patterns.items()
    }
    return {topic: counted for topic, counted in found.items() if counted}


def _scale(patterns: Patterns, options: ReportOptions) -> list[float]:
    values = {value for found in patterns.values() for each in found for value in each if value is not None}
    return sorted(values.union(options.scale))


def _sortable(pattern: Pattern) -> tuple[float, ...]:
    return tuple(-math.inf if value is None else value for value in pattern)
