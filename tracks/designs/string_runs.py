"""Runs of answer strings, for designs: topic, run tag, docno and string on each line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from assess.protocol import CheckContext, RunForm, SegmentRecord
from scoring.formats.tac_columns import RunLine
from scoring.formats.tac_runs import check_run, parse_run, tag_of_run
from scoring.reading.opening import excerpt_of
from scoring.records import Issue
from scoring.run_tags import letters
from tracks.designs.judged_items import STRING
from tracks.plain_topics import segments_of_lines

TASK = "strings"
TAGS = letters(50)
ANY_LENGTH = 1_000_000_000
"""The most characters of a topic's strings; designs have no such limit."""


def check(file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
    """Yield an issue for each rule that a run breaks (`scoring.formats.tac_runs`), and for too many strings.

    The form of run tags is not checked.
    """
    checked = check_run(
        file,
        questions=[topic.number for topic in context.topics if topic.task],
        length_limit=ANY_LENGTH,
        tag=context.form.tag if context.form is not None else None,
        unknown_docnos=context.unknown_docnos,
    )
    for issue in checked:
        if issue.code == "missing-question":  # a missing topic counts as 0
            yield replace(issue, severity="warning")
        elif issue.code != "run-tag-form":
            yield issue
    file.seek(0)
    if limit := context.settings.string_limit:
        for topic, strings in Counter(line.topic for line in _lines(file)).items():
            if strings > limit:
                message = f"Topic {excerpt_of(topic, length=40)} has {strings:,} strings; {limit:,} are allowed."
                yield Issue(where="", code="too-many-strings", message=message)


def _lines(file: BinaryIO) -> Iterator[RunLine]:
    return (line for line in parse_run(file) if isinstance(line, RunLine))


def read(file: BinaryIO, context: CheckContext) -> Iterator[SegmentRecord]:
    """Return the strings of a run, numbered within each topic. Lines that can't be read are skipped."""
    del context
    return segments_of_lines(_lines(file), STRING)


def read_form(file: BinaryIO) -> RunForm | None:
    """Return the run's form: its tag, whose first 50 characters are also used as the team. Return None if the run has
    no tag.
    """
    tag = tag_of_run(file)
    return RunForm(tag=tag, team=tag[:50]) if tag else None
