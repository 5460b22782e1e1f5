"""The agreement report of a release: every question, every pair of judges that share something, every measure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from assess.analysis.domain.agreement import Comparison, compare_judges, judged_questions
from assess.judging.queries.judges import JudgeSet, judges_of
from assess.judging.snapshots import Snapshot
from assess.kinds.agreement_questions import Question, source_of
from scoring.intervals import Estimate, Sampling

COLUMNS = ("stage", "criterion", "judges", "measure", "value", "low", "high", "items", "topics")
INDEPENDENT = "assessor"
UNDEFINED = "undefined"


def agreement_report(snapshot: Snapshot, *, sampling: Sampling | None = None) -> Iterator[str]:
    """Lines of tab-separated values, a header first: stage criterion judges measure value low high items topics.

    Judges are pairs of keys joined by "+": authors and other assessors, what adjudicators decided against each,
    machines against what is official, and every two people; pairs that judged nothing in common are left out. What is
    undefined says so; low and high are a 95 % interval over topics, empty where there is none. The same ledger point
    gives the same lines. Some two seconds for each question and pair.
    """
    yield "\t".join(COLUMNS)
    for question in judged_questions(snapshot.campaign):
        for first, second in pairs_to_compare(snapshot, question):
            yield from _lines(
                compare_judges(
                    snapshot,
                    stage=question.stage,
                    criterion=question.criterion,
                    judges=(first.key, second.key),
                    sampling=sampling,
                )
            )


def pairs_to_compare(snapshot: Snapshot, question: Question) -> list[tuple[JudgeSet, JudgeSet]]:
    """The pairs of judge sets that say something about each other and judged something in common.

    What is official is the author's or the adjudicator's own value, so it is held against machines alone.
    """
    campaign = snapshot.campaign
    found = source_of(campaign, question.stage, question.criterion)
    if found is None:
        return []
    sets = judges_of(campaign)
    things = {each.key: set(found[0].values(snapshot, question, each.key)) for each in sets}
    return [
        (first, second)
        for first, second in combinations(sets, 2)
        if _tells(first, second) and things[first.key] & things[second.key]
    ]


def _tells(first: JudgeSet, second: JudgeSet) -> bool:
    """Whether the two sets are independent of each other."""
    kinds = {first.kind, second.kind}
    return kinds in ({"role"}, {INDEPENDENT}, {"machine"}, {"official", "machine"})


def _lines(comparison: Comparison) -> Iterator[str]:
    question = comparison.question
    judges = "+".join(each.key for each in comparison.judges)
    counts = str(comparison.report.items), str(comparison.topics)
    for estimate in comparison.report.estimates:
        fields = question.stage, question.criterion, judges, estimate.measure, *_numbers(estimate), *counts
        yield "\t".join(fields)


def _numbers(estimate: Estimate) -> tuple[str, str, str]:
    if estimate.value is None:
        return UNDEFINED, "", ""
    interval = estimate.interval
    low, high = ("", "") if interval is None else (f"{interval.low:.6f}", f"{interval.high:.6f}")
    return f"{estimate.value:.6f}", low, high
