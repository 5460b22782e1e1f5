"""The command `check`: it checks a run of answers, questions or citations as its evaluation's checker does, without a
campaign.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import BinaryIO

from scoring.commands.command_line import Problems, print_rows, read_file, standard_input_once
from scoring.formats.answer_checks import AnswerCheck
from scoring.formats.answer_limits import own_limit
from scoring.formats.answer_rules import RULES
from scoring.formats.citation_runs import check_citation_run
from scoring.formats.question_runs import check_questions
from scoring.formats.topic_texts import TopicText
from scoring.formats.trec_topics import read_trec_topics
from scoring.reading.opening import open_input, until_too_many
from scoring.records import Issue

OTHERS = {"dragun-2025-questions": check_questions, "biogen-2025-citations": check_citation_run}
NAMES = (*RULES, *OTHERS)


def run_check(options: argparse.Namespace, problems: Problems) -> int:
    """Print one line for each issue. Return status 1 if any is an error. Raises WrongCall or BadInput."""
    standard_input_once([options.topics, options.file])
    topics: list[TopicText] = []
    if options.topics:
        topics = list(read_file(options.topics, read_trec_topics, problems))
    failed = False

    def rows(file: BinaryIO) -> Iterator[tuple[str, ...]]:
        nonlocal failed
        for issue in until_too_many(_issues(options, topics, file)):
            if isinstance(issue, Issue):
                failed = failed or issue.severity == "error"
                yield issue.as_row()

    with open_input(options.file) as file:
        print_rows(options.format, ("where", "severity", "code", "message"), rows(file))
    return int(failed)


def _issues(options: argparse.Namespace, topics: list[TopicText], file: BinaryIO) -> Iterator[Issue]:
    numbers = [topic.number for topic in topics]
    if options.rules in OTHERS:
        return OTHERS[options.rules](file, numbers)
    rules = RULES[options.rules]
    limits = {topic.number: limit for topic in topics if (limit := own_limit(topic.further))}
    check = AnswerCheck(
        rules=rules,
        topics=numbers,
        words=rules.words if options.words is None else options.words,
        limits=limits,
        references=rules.most_references,
        strict_length=options.strict_length,
    )
    return check.issues(file)
