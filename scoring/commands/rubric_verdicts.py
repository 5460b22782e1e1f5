"""The command `nuggets --verdicts`: what reports support and contradict in rubrics, scored as in DRAGUN 2025."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from scoring.commands.command_line import (
    BadInput,
    Problems,
    WrongCall,
    print_scores,
    read_file,
    refuse_empty,
    standard_input_once,
)
from scoring.formats.nugget_banks import own_weight, read_bank
from scoring.formats.pool_tables import topic_order
from scoring.formats.report_verdicts import ReportVerdict, read_verdicts
from scoring.measures.rubric_verdicts import verdict_scores
from scoring.reading.opening import excerpt_of
from scoring.records import Issue, OwnedNugget, Score
from scoring.release.tables import ALL


@dataclass(kw_only=True, slots=True)
class Rubric:
    """The questions of one topic with their weights. It also says to which question each answer belongs."""

    weights: dict[str, Fraction] = field(default_factory=dict)
    question_of: dict[str, str] = field(default_factory=dict)

    def add(self, nugget: OwnedNugget) -> None:
        """Add a question and the ids of its answers."""
        question = str(nugget.number)
        self.weights[question] = own_weight(nugget.fields) or Fraction(0)
        answers: Sequence[Any] = nugget.fields.get("answers", ())
        self.question_of |= {str(each["answer_id"]): question for each in answers if "answer_id" in each}


def run_verdicts(options: argparse.Namespace, problems: Problems) -> int:
    """Print the two scores of each run by topic, then "all", the mean over the topics in which the run has a
    verdict. Raises WrongCall or BadInput.
    """
    others = ("nuggets", "matches", "votes", "lengths", "responses", "nuggetizer")
    if given := [name for name in others if getattr(options, name)] + ["pyramid"] * options.pyramid:
        raise WrongCall(f"--verdicts F and --rubrics F say all that is needed: leave out --{given[0]}")
    if not options.rubrics:
        raise WrongCall("give the topics' rubrics with --rubrics F, once for each file")
    standard_input_once([options.verdicts, *options.rubrics])
    rubrics: dict[str, Rubric] = {}
    for path in options.rubrics:
        for nugget in read_file(path, read_bank, problems):
            rubrics.setdefault(nugget.topic, Rubric()).add(nugget)
    verdicts = list(read_file(options.verdicts, read_verdicts, problems))
    if not verdicts:
        refuse_empty(options.verdicts, "verdict", problems)
    if issues := list(_strangers(verdicts, rubrics)):
        for issue in issues:
            problems.add(options.verdicts, issue)
        raise BadInput(options.verdicts)
    print_scores(options.format, _scores(verdicts, rubrics))
    return 0


def _strangers(verdicts: list[ReportVerdict], rubrics: dict[str, Rubric]) -> Iterator[Issue]:
    """Yield an issue for each verdict on an answer that is in no rubric, for a report's second verdict on an answer,
    which would count as that on another answer, and for each verdict whose rubric has no weight, since the evaluation's
    own script stops there.
    """
    seen: dict[tuple[str, str, str], int] = {}
    for each in verdicts:
        topic = excerpt_of(each.topic, length=60)
        if each.topic not in rubrics:
            message = f"No rubric is of topic {topic}. Give its rubric with --rubrics."
            yield Issue(where=each.line, code="unknown-topic", message=message)
        elif each.answer not in rubrics[each.topic].question_of:
            message = f"The rubric of {topic} has no answer {excerpt_of(each.answer, length=40)}."
            yield Issue(where=each.line, code="unknown-answer", message=f"{message} Do the files belong together?")
        elif (first := seen.setdefault((each.topic, each.run, each.answer), each.line)) != each.line:
            message = f"Line {first} has a verdict of {each.run} on {excerpt_of(each.answer, length=40)} already."
            yield Issue(where=each.line, code="duplicate", message=f"{message} Keep one of them.")
        elif not sum(rubrics[each.topic].weights.values()) > 0:
            message = f"No question of the rubric of {topic} has a weight: “A: Have to Know”, B, C or a number."
            yield Issue(where=each.line, code="no-weight", message=message)


def _scores(verdicts: list[ReportVerdict], rubrics: dict[str, Rubric]) -> Iterator[Score]:
    """Yield, run by run, the scores of its topics, then their means. The means are exact fractions, as on the site."""
    runs: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for each in verdicts:
        runs.setdefault(each.run, {}).setdefault(each.topic, []).append((each.answer, each.verdict))
    for run, reports in sorted(runs.items()):
        found = []
        for topic in sorted(reports, key=topic_order):
            found.append(verdict_scores(reports[topic], rubrics[topic].question_of, rubrics[topic].weights))
            yield from _both(run, topic, found[-1])
        means = [sum(values, Fraction(0)) / len(found) for values in zip(*found, strict=True)]
        yield from _both(run, ALL, means, topics=len(found))


def _both(run: str, topic: str, values: Sequence[Fraction], *, topics: int | None = None) -> Iterator[Score]:
    for measure, value in zip(("supportive", "contradictory"), values, strict=True):
        yield Score(run=run, topic=topic, measure=measure, value=float(value), topics=topics)
