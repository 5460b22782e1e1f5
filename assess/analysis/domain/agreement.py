"""How far the judges of a campaign agree: any two or more sets of judgments, on any question that they all answer.

All numbers come from `scoring.agreement_report`. Only what two or more of the sets judged is compared; what one judged
alone is counted apart. Everything drawn comes from a seed that is said with the result.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from assess.analysis.domain.judged_things import JudgedThings, Pair, Pairs, judged_things
from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.base.errors import Invalid
from assess.campaigns.models import Campaign
from assess.jobs.progress import JobProgress, ReportProgress, no_report
from assess.judging.figures import FigureBasis, figure_basis
from assess.judging.queries.judges import INDEPENDENT, OFFICIAL, JudgeSet, judges_of
from assess.judging.snapshots import Snapshot
from assess.kinds.agreement_questions import Question, Thing, Values, ValueSource, questions_of, source_of
from scoring.agreement_report import AgreementReport, ReportOptions, report_agreement, report_topics
from scoring.intervals import Estimate, Sampling

if TYPE_CHECKING:
    from datetime import datetime

    from assess.jobs.models import Job

OVERLAPS = ("overlap", "overlap_pooled")
TOPIC_RESAMPLES = 500
JUDGES_LIMIT = 12
"""Sets compared at once: more make a table of pairs that nobody can read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What is compared: judge sets on one question, at the ledger point of ``basis``, and where values come from.

    ``is_newest``: no point was named, so it is the newest.

    ``relevant`` is what counts as relevant in overlaps (None: there are none).
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
    """What came of it: over all topics, and topic by topic without intervals where two judged something of the topic.

    ``alone`` is how many things each judged and no other of them did.
    """

    things: JudgedThings
    alone: tuple[int, ...]
    report: AgreementReport
    by_topic: tuple[AgreementReport, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """The agreement of some judge sets on one question at a ledger point.

    ``at`` says when it was computed. ``newer`` is the job that computes a newer one, where this one is older than what
    was asked for.
    """

    asked: Asked
    found: Compared
    as_of: int
    at: datetime
    newer: Job | None = None

    @property
    def question(self) -> Question:
        """What they were asked."""
        return self.asked.question

    @property
    def judges(self) -> tuple[JudgeSet, ...]:
        """Who is compared."""
        return self.asked.judges

    @property
    def relevant(self) -> float | None:
        """What counts as relevant in overlaps."""
        return self.asked.relevant

    @property
    def sampling(self) -> Sampling:
        """How intervals were drawn."""
        return self.asked.sampling

    @property
    def alone(self) -> tuple[int, ...]:
        """How many things each judged and no other of them did."""
        return self.found.alone

    @property
    def report(self) -> AgreementReport:
        """The agreement over all topics."""
        return self.found.report

    @property
    def by_topic(self) -> tuple[AgreementReport, ...]:
        """The same topic by topic, without intervals."""
        return self.found.by_topic

    @property
    def topics(self) -> int:
        """Topics with a thing that two of them judged."""
        return len(self.by_topic)


@dataclass(frozen=True, kw_only=True, slots=True)
class Matrix:
    """What the first said against what the second said: ``cells`` by (value, value), of what both judged."""

    first: JudgeSet
    second: JudgeSet
    scale: tuple[float, ...]
    cells: Mapping[tuple[float, float], int]

    def row(self, value: float) -> int:
        """Things that the first gave this value."""
        return sum(count for (a, _), count in self.cells.items() if a == value)

    def column(self, value: float) -> int:
        """Things that the second gave this value."""
        return sum(count for (_, b), count in self.cells.items() if b == value)

    @property
    def total(self) -> int:
        """Things that both judged."""
        return sum(self.cells.values())


def judged_questions(campaign: Campaign) -> list[Question]:
    """What judges can be compared on in this campaign."""
    return questions_of(campaign)


def ask_comparison(
    snapshot: Snapshot,
    *,
    stage: str,
    criterion: str,
    judges: Sequence[str],
    relevant: float | None = None,
    sampling: Sampling | None = None,
) -> Asked:
    """Two or more judge sets, named by their keys, on one question.

    ``relevant`` is the value from which on things count as relevant (of values without order: the one that does); the
    question's own where none is given. Intervals are drawn over topics unless ``sampling`` says otherwise. Refused: an
    unknown question or set, fewer than two sets or one twice, a point not reached yet.
    """
    campaign = snapshot.campaign
    basis = figure_basis(snapshot)
    found = source_of(campaign, stage, criterion)
    if found is None:
        known = ", ".join(f"{each.stage} {each.criterion}" for each in questions_of(campaign)) or "none"
        raise Invalid(f"Nobody is asked “{criterion[:60]}” in a stage “{stage[:60]}”. There are: {known}.")
    source, question = found
    if relevant is not None and not math.isfinite(relevant):
        raise Invalid("What counts as relevant must be a number on the scale.")
    return Asked(
        basis=basis,
        is_newest=snapshot.as_of is None,
        source=source,
        question=question,
        judges=_judge_sets(campaign, judges),
        relevant=question.relevant if relevant is None else relevant,
        sampling=sampling or Sampling(),
    )


def compare(asked: Asked, progress: ReportProgress = no_report) -> Compared:
    """What comes of a comparison, computed: a second for each 200,000 judgments. ``progress`` hears of each judge."""
    question, threshold = asked.question, asked.relevant
    values = []
    for done, judge in enumerate(asked.judges):
        progress(JobProgress(done=done, total=len(asked.judges), unit="judges", note=f"reading {judge.label}"))
        values.append(dict(asked.source.values(asked.snapshot, question, judge.key)))
    done = len(values)
    progress(JobProgress(done=done, total=done, unit="judges", note="comparing topic by topic"))
    said = Counter(thing for each in values for thing in each)
    reports = report_topics(values, _options(question, threshold))
    if threshold is not None and question.level == "nominal":
        overlaps = report_topics(_as_relevant(values, threshold), _OVERLAPS_ALONE)
        reports = [_joined(*pair) for pair in zip(reports, overlaps, strict=True)]
    progress(JobProgress(done=done, total=done, unit="judges", note="comparing over all topics"))
    return Compared(
        things=judged_things(values, [thing for thing, judges in said.items() if judges > 1]),
        alone=tuple(sum(said[thing] == 1 for thing in each) for each in values),
        report=_whole(question, values, threshold, asked.sampling),
        by_topic=tuple(reports),
    )


def topic_intervals(comparison: Comparison, topics: Sequence[str], measure: str) -> dict[str, Estimate]:
    """One measure with its interval over items for each of these topics. Some 2 ms a topic."""
    values: list[dict[Thing, float]] = comparison.found.things.values_of(topics)
    options = _options(comparison.question, comparison.relevant)
    if measure in OVERLAPS and comparison.question.level == "nominal" and comparison.relevant is not None:
        values, options = _as_relevant(values, comparison.relevant), _OVERLAPS_ALONE
    sampling = replace(comparison.sampling, over="items", resamples=TOPIC_RESAMPLES)
    reports = report_topics(values, replace(options, only=frozenset({measure}), sampling=sampling))
    return {report.topic: estimate for report in reports for estimate in report.estimates}


def matrix_of(comparison: Comparison, first: int, second: int) -> Matrix:
    """The confusion matrix of two of the sets, by their places among the judges."""
    cells = comparison.found.things.confusion(first, second)
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
    """What both of two sets judged, in order: of one cell of their matrix, or else where they differ; of one topic."""
    return comparison.found.things.pairs(first, second, values=values, topic=topic)


def with_texts(campaign: Campaign, comparison: Comparison, pairs: Sequence[Pair]) -> list[Pair]:
    """The same pairs with what people read; one query for all."""
    question = comparison.question
    source = source_of(campaign, question.stage, question.criterion)
    shown = source[0].shown(campaign, question, [pair.thing for pair in pairs]) if source else {}
    return [replace(pair, shown=shown.get(pair.thing)) for pair in pairs]


def why_undefined(measure: str, report: AgreementReport) -> str:
    """Why a measure has no value here, in a sentence."""
    if not report.items:
        return "No two of them judged the same thing."
    if measure in OVERLAPS:
        return "None of them called anything relevant here, so there is no set to overlap (0 / 0)."
    if measure == "fleiss_kappa" and report.judges > 2:
        return "Nothing has a value from all of them, or all values are the same (0 / 0)."
    return "All values given are the same, so chance alone would agree as much (0 / 0)."


def _judge_sets(campaign: Campaign, judges: Sequence[str]) -> tuple[JudgeSet, ...]:
    known = {each.key: each for each in judges_of(campaign)}
    for key in judges:
        if key not in known:
            raise Invalid(f"There is no judge “{key[:60]}”. Judges: {', '.join(known)}.")
    if not 2 <= len(judges) <= JUDGES_LIMIT or len(set(judges)) != len(judges):
        raise Invalid(f"Name two to {JUDGES_LIMIT} different judges to compare. Judges: {', '.join(known)}.")
    return tuple(known[key] for key in judges)


_OVERLAPS_ALONE = ReportOptions(relevant_from=1, only=frozenset(OVERLAPS))


def _whole(
    question: Question, values: Sequence[Values], threshold: float | None, sampling: Sampling
) -> AgreementReport:
    report = report_agreement(values, replace(_options(question, threshold), sampling=sampling))
    if threshold is None or question.level != "nominal":
        return report
    overlaps = replace(_OVERLAPS_ALONE, sampling=sampling)
    return _joined(report, report_agreement(_as_relevant(values, threshold), overlaps))


def _options(question: Question, threshold: float | None) -> ReportOptions:
    return ReportOptions(
        level=question.level,
        scale=tuple(value for value, _ in question.scale),
        relevant_from=None if question.level == "nominal" else threshold,
    )


def _as_relevant(values: Sequence[Values], relevant: float) -> list[dict[Thing, float]]:
    """1 for the one value that counts as relevant, 0 for all others: how values without order overlap."""
    return [{thing: float(value == relevant) for thing, value in each.items()} for each in values]


def _joined(report: AgreementReport, overlaps: AgreementReport) -> AgreementReport:
    return replace(report, estimates=(*report.estimates, *overlaps.estimates))


# What to compare where nobody has chosen yet: the first question that two judges were given on the same topic.

PRIMARY, SECOND, MACHINE = Assignment.Role.PRIMARY, Assignment.Role.SECOND, Assignment.Role.MACHINE


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """A question and the keys of the judges to compare on it."""

    question: Question
    judges: tuple[str, ...]


def first_choice(campaign: Campaign) -> Choice | None:
    """The author and other assessors where both work on a topic; else what is official and a machine; else the two
    people who share most topics. Of voting, whoever wrote the list is its author. None where no topic was given to two.
    Two queries.
    """
    names = pseudonyms(campaign)
    given: dict[str, dict[int, set[tuple[int, str]]]] = {}
    counting = campaign.assignments.filter(topic__dropped=False).order_by()
    rows = counting.values_list("stage", "topic_id", "assessor_id", "role").distinct()
    for stage, topic, assessor, role in rows:
        given.setdefault(stage, {}).setdefault(topic, set()).add((assessor, role))
    for question in questions_of(campaign):
        judges = _judges(list(given.get(question.stage, {}).values()), names)
        if judges:
            return Choice(question=question, judges=judges)
    authored = {topic for held in given.values() for topic, who in held.items() if PRIMARY in {role for _, role in who}}
    for question in questions_of(campaign):
        others = {topic for topic, who in given.get(question.stage, {}).items() if SECOND in {role for _, role in who}}
        if others & authored:
            return Choice(question=question, judges=("primary", "second"))
    return None


def _judges(topics: list[set[tuple[int, str]]], names: dict[int, str]) -> tuple[str, ...]:
    roles = [{role for _, role in held} for held in topics]
    if any({PRIMARY, SECOND} <= each for each in roles):
        return "primary", "second"
    machines = sorted({names[assessor] for held in topics for assessor, role in held if role == MACHINE})
    if machines:
        return OFFICIAL, machines[0]
    shared: Counter[tuple[str, str]] = Counter()
    for held in topics:
        people = sorted({names[assessor] for assessor, role in held if role in INDEPENDENT})
        shared.update(combinations(people, 2))
    pairs = sorted(shared, key=lambda pair: (-shared[pair], pair))
    return pairs[0] if pairs else ()
