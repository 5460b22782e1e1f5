"""Agreement between two or more sets of judgments of a campaign, on any question that they all answer.

All numbers come from `scoring.statistics.agreement_report`. Only items in two or more of the sets are compared; items
that only one judge judged are counted separately. Random draws use a seed that is part of the result.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as noop

from assess.analysis.domain.judged_things import Pair, Pairs
from assess.base.errors import Invalid
from assess.base.wording import natural
from assess.campaigns.models import Campaign
from assess.jobs.progress import JobProgress, ReportProgress, no_report
from assess.judging.figures import FigureBasis, figure_basis
from assess.judging.queries.judges import JudgeSet, judges_of
from assess.judging.snapshots import Snapshot
from assess.kinds.agreement_questions import Question, Values, ValueSource, questions_of, source_of
from scoring.statistics.agreement_report import (
    AgreementReport,
    Patterns,
    ReportOptions,
    count_patterns,
    of_several,
    report_patterns,
    report_patterns_by_topic,
)
from scoring.statistics.intervals import Estimate, Sampling
from scoring.statistics.resampled_agreement import Pattern

if TYPE_CHECKING:
    from datetime import datetime

    from assess.jobs.models import Job

OVERLAPS = ("overlap", "overlap_pooled")
TOPIC_RESAMPLES = 500
JUDGES_LIMIT = 12
"""The most sets that can be compared at once: more would make an unreadable table of pairs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparisonRequest:
    """A request to compare judge sets on one question, at the ledger point of ``basis``, with values read from
    ``source``.
    """

    basis: FigureBasis
    is_newest: bool
    source: ValueSource
    question: Question
    judges: tuple[JudgeSet, ...]
    relevant: float | None
    sampling: Sampling

    @property
    def snapshot(self) -> Snapshot:
        """The campaign at the point."""
        return self.basis.snapshot

    @property
    def point(self) -> int:
        """The ledger point."""
        return self.basis.point


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """The agreement over all topics, with intervals, and in each topic in which two judges judged the same thing."""

    patterns: Patterns
    report: AgreementReport
    by_topic: tuple[AgreementReport, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """The agreement of some judge sets on one question at a ledger point.

    ``at`` says when it was computed. ``newer`` is the job that computes a newer one, if this one is older than
    requested.
    """

    asked: ComparisonRequest
    found: Compared
    as_of: int
    at: datetime
    newer: Job | None = None

    @property
    def question(self) -> Question:
        """The question that the judges answered."""
        return self.asked.question

    @property
    def judges(self) -> tuple[JudgeSet, ...]:
        """The judge sets that are compared."""
        return self.asked.judges

    @property
    def relevant(self) -> float | None:
        """What counts as relevant in overlaps, or None if no overlaps are computed."""
        return self.asked.relevant

    @property
    def sampling(self) -> Sampling:
        """How intervals were drawn."""
        return self.asked.sampling

    @property
    def alone(self) -> tuple[int, ...]:
        """For each judge, the number of things that none of the other compared judges judged."""
        patterns = self.found.patterns.values()
        only = [(each, n) for counted in patterns for each, n in counted.items() if len(each) - each.count(None) == 1]
        return tuple(sum(n for each, n in only if each[place] is not None) for place in range(len(self.judges)))

    @property
    def report(self) -> AgreementReport:
        """The agreement over all topics."""
        return self.found.report

    @property
    def by_topic(self) -> tuple[AgreementReport, ...]:
        """The agreement in each topic, without intervals."""
        return self.found.by_topic

    @property
    def topics(self) -> int:
        """The number of topics with a thing that at least two of the judges judged."""
        return len(self.by_topic)


@dataclass(frozen=True, kw_only=True, slots=True)
class Matrix:
    """The confusion matrix of two judges: ``cells`` counts, by (value, value), the items that both judged."""

    first: JudgeSet
    second: JudgeSet
    scale: tuple[float, ...]
    cells: Mapping[tuple[float, float], int]

    def row(self, value: float) -> int:
        """Return the number of things to which the first judge gave this value."""
        return sum(count for (a, _), count in self.cells.items() if a == value)

    def column(self, value: float) -> int:
        """Return the number of things to which the second judge gave this value."""
        return sum(count for (_, b), count in self.cells.items() if b == value)

    @property
    def total(self) -> int:
        """The number of things that both judged."""
        return sum(self.cells.values())


def ask_comparison(
    snapshot: Snapshot,
    *,
    stage: str,
    criterion: str,
    judges: Sequence[str],
    relevant: float | None = None,
    sampling: Sampling | None = None,
) -> ComparisonRequest:
    """Return a request to compare two or more judge sets, named by their keys, on one question.

    ``relevant`` is the lowest value that counts as relevant (the only one, if values have no order); by default it is
    the question's own. Intervals are drawn over topics unless ``sampling`` says otherwise. Raises `Invalid` for an
    unknown question or judge set, fewer than two sets or more than `JUDGES_LIMIT`, a set that is named twice, a
    ``relevant`` that is not finite, and a point not reached yet.
    """
    campaign = snapshot.campaign
    basis = figure_basis(snapshot)
    found = source_of(campaign, stage, criterion)
    if found is None:
        known = ", ".join(f"{each.stage} {each.criterion}" for each in questions_of(campaign)) or "none"
        raise Invalid(
            gettext("Nobody is asked “%(criterion)s” in a stage “%(stage)s”. There are: %(known)s.")
            % {"criterion": criterion[:60], "stage": stage[:60], "known": known}
        )
    source, question = found
    if relevant is not None and not math.isfinite(relevant):
        raise Invalid(gettext("What counts as relevant must be a number on the scale."))
    return ComparisonRequest(
        basis=basis,
        is_newest=snapshot.as_of is None,
        source=source,
        question=question,
        judges=_judge_sets(campaign, judges),
        relevant=question.relevant if relevant is None else relevant,
        sampling=sampling or Sampling(),
    )


def compare(asked: ComparisonRequest, progress: ReportProgress = no_report) -> Compared:
    """Compute a comparison, which takes a second for each 200,000 judgments. Nothing is cached.

    Judgments are read for some topics at a time, so that memory is bounded. ``progress`` is called before each judge's.
    """
    patterns: dict[str, Counter[Pattern]] = {}
    groups, judges = _topic_groups(asked.snapshot.campaign), asked.judges
    total = len(groups) * len(judges)
    for number, topics in enumerate(groups):
        values = []
        for place, judge in enumerate(judges):
            done = number * len(judges) + place
            progress(
                JobProgress(
                    done=done,
                    total=total,
                    unit="parts",
                    note=noop("reading %(name)s"),
                    values={"name": judge.label},
                )
            )
            values.append(asked.source.values(replace(asked.snapshot, topics=topics), asked.question, judge.key))
        patterns |= count_patterns(values)
    progress(JobProgress(done=total, total=total, unit="parts", note=noop("comparing topic by topic")))
    by_topic = _by_topic(asked, patterns)
    progress(JobProgress(done=total, total=total, unit="parts", note=noop("comparing over all topics")))
    return Compared(patterns=patterns, report=_whole(asked, patterns), by_topic=tuple(by_topic))


TOPICS_AT_ONCE = 25


def _topic_groups(campaign: Campaign) -> list[frozenset[str] | None]:
    """Return the topics in groups that are read one after the other. If the topics are few, return [None], which means
    all of them.
    """
    numbers = sorted(campaign.topics.values_list("number", flat=True))
    if len(numbers) <= TOPICS_AT_ONCE:
        return [None]
    return [frozenset(numbers[first : first + TOPICS_AT_ONCE]) for first in range(0, len(numbers), TOPICS_AT_ONCE)]


def topic_intervals(comparison: Comparison, topics: Sequence[str], measure: str) -> dict[str, Estimate]:
    """Return one measure with its interval over items for each of these topics. Takes about 2 ms a topic."""
    counted = comparison.found.patterns
    patterns: Patterns = of_several({topic: counted[topic] for topic in topics if topic in counted})
    options = _options(comparison.question, comparison.relevant)
    if measure in OVERLAPS and comparison.question.level == "nominal" and comparison.relevant is not None:
        patterns, options = _as_relevant(patterns, comparison.relevant), _OVERLAPS_ALONE
    sampling = replace(comparison.sampling, over="items", resamples=TOPIC_RESAMPLES)
    options = replace(options, only=frozenset({measure}), sampling=sampling)
    reports = report_patterns_by_topic(patterns, len(comparison.judges), options)
    return {report.topic: estimate for report in reports for estimate in report.estimates}


def by_condition(comparison: Comparison) -> list[tuple[str, int, AgreementReport]]:
    """Return (name, number of topics, agreement) for each condition in which judges worked (`ValueSource.conditions`).

    Empty if judges of this question work under no conditions, or if no topic was judged under one of them.
    """
    asked, patterns = comparison.asked, comparison.found.patterns
    if asked.source.conditions is None:
        return []
    divided = asked.source.conditions(asked.snapshot.campaign, [report.topic for report in comparison.by_topic])
    if not all(divided.values()):
        return []
    return [
        (name, len(topics), _whole(asked, {topic: patterns[topic] for topic in topics}))
        for name, topics in divided.items()
    ]


def matrix_of(comparison: Comparison, first: int, second: int) -> Matrix:
    """Return the confusion matrix of two of the sets, by their places among the judges."""
    cells: Counter[tuple[float, float]] = Counter()
    for counted in comparison.found.patterns.values():
        for pattern, number in counted.items():
            a, b = pattern[first], pattern[second]
            if a is not None and b is not None:
                cells[a, b] += number
    seen = {value for pair in cells for value in pair}
    scale = [value for value, _ in comparison.question.scale]
    return Matrix(
        first=comparison.judges[first],
        second=comparison.judges[second],
        scale=(*scale, *sorted(seen.difference(scale))),
        cells=cells,
    )


def pairs_in(
    comparison: Comparison, first: int, second: int, *, values: tuple[float, float] | None = None, topic: str = ""
) -> Pairs:
    """Return the things that two of the sets both judged, in order.

    With ``values``, these are the things in that cell of the sets' confusion matrix; without it, all things on which
    the sets differ. ``topic`` limits them to one topic.
    """
    asked = comparison.asked

    def read(topics: Collection[str]) -> tuple[Values, Values]:
        snapshot = replace(asked.snapshot, as_of=comparison.as_of, topics=frozenset(topics))
        judges = (asked.judges[first].key, asked.judges[second].key)
        one, other = (asked.source.values(snapshot, asked.question, judge) for judge in judges)
        return one, other

    def fits(pattern: Pattern) -> bool:
        a, b = pattern[first], pattern[second]
        return a is not None and b is not None and (a != b if values is None else (a, b) == values)

    counted = comparison.found.patterns
    names = sorted(counted, key=natural) if not topic else [topic] if topic in counted else []
    counts = {name: sum(n for pattern, n in counted[name].items() if fits(pattern)) for name in names}
    return Pairs(counts={name: n for name, n in counts.items() if n}, values=values, read=read)


def with_texts(campaign: Campaign, comparison: Comparison, pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs with their texts, read in one query."""
    question = comparison.question
    source = source_of(campaign, question.stage, question.criterion)
    shown = source[0].shown(campaign, question, [pair.thing for pair in pairs]) if source else {}
    return [pair._replace(shown=shown.get(pair.thing)) for pair in pairs]


def why_undefined(measure: str, report: AgreementReport) -> str:
    """Return a sentence that says why a measure has no value here."""
    if not report.items:
        return gettext("No two of them judged the same thing.")
    if measure in OVERLAPS:
        return gettext("None of them called anything relevant here, so there is no set to overlap (0 / 0).")
    if measure == "fleiss_kappa" and report.judges > 2:
        return gettext("Nothing has a value from all of them, or all values are the same (0 / 0).")
    return gettext("All values given are the same, so chance alone would agree as much (0 / 0).")


def _judge_sets(campaign: Campaign, judges: Sequence[str]) -> tuple[JudgeSet, ...]:
    known = {each.key: each for each in judges_of(campaign)}
    for key in judges:
        if key not in known:
            raise Invalid(
                gettext("There is no judge “%(key)s”. Judges: %(known)s.")
                % {"key": key[:60], "known": ", ".join(known)}
            )
    if not 2 <= len(judges) <= JUDGES_LIMIT or len(set(judges)) != len(judges):
        raise Invalid(
            gettext("Name two to %(judges_limit)s different judges to compare. Judges: %(known)s.")
            % {"judges_limit": JUDGES_LIMIT, "known": ", ".join(known)}
        )
    return tuple(known[key] for key in judges)


_OVERLAPS_ALONE = ReportOptions(relevant_from=1, only=frozenset(OVERLAPS))


def _whole(asked: ComparisonRequest, patterns: Patterns) -> AgreementReport:
    options = replace(_options(asked.question, asked.relevant), sampling=asked.sampling)
    report = report_patterns(patterns, len(asked.judges), options)
    if asked.relevant is None or asked.question.level != "nominal":
        return report
    overlaps = replace(_OVERLAPS_ALONE, sampling=asked.sampling)
    return _joined(report, report_patterns(_as_relevant(patterns, asked.relevant), len(asked.judges), overlaps))


def _by_topic(asked: ComparisonRequest, patterns: Patterns) -> list[AgreementReport]:
    judges = len(asked.judges)
    reports = report_patterns_by_topic(patterns, judges, _options(asked.question, asked.relevant))
    if asked.relevant is None or asked.question.level != "nominal":
        return reports
    overlaps = report_patterns_by_topic(_as_relevant(patterns, asked.relevant), judges, _OVERLAPS_ALONE)
    return [_joined(*pair) for pair in zip(reports, overlaps, strict=True)]


def _options(question: Question, threshold: float | None) -> ReportOptions:
    return ReportOptions(
        level=question.level,
        scale=tuple(value for value, _ in question.scale),
        relevant_from=None if question.level == "nominal" else threshold,
    )


def _as_relevant(patterns: Patterns, relevant: float) -> Patterns:
    """Return the patterns with 1 for the relevant value and 0 for all others, to compute overlaps of values without
    order.
    """
    found: dict[str, Counter[Pattern]] = {}
    for topic, counted in patterns.items():
        of_topic = found.setdefault(topic, Counter())
        for pattern, number in counted.items():
            of_topic[tuple([None if value is None else float(value == relevant) for value in pattern])] += number
    return found


def _joined(report: AgreementReport, overlaps: AgreementReport) -> AgreementReport:
    return replace(report, estimates=(*report.estimates, *overlaps.estimates))
