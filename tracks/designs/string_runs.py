"""Runs of answer strings as files of a design: topic, run tag, docno and string, a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from assess.protocol import CheckContext, RunForm, SegmentRecord
from scoring.formats.tac_runs import RunLine, check_run, parse_run
from scoring.reading.opening import excerpt_of, first_record
from scoring.records import Issue
from scoring.run_tags import letters
from tracks.designs.judged_items import STRING
from tracks.plain_topics import segments_of_lines

TASK = "strings"
TAGS = letters(50)
ANY_LENGTH = 1_000_000_000
"""Characters of all strings of a topic: a design has no bound of them."""


def check(file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
    """Yield every rule that a run breaks (`scoring.formats.tac_runs`), but for the form of tags; then too many
    strings.
    """
    checked = check_run(
        file,
        questions=[topic.number for topic in context.topics if topic.task],
        length_limit=ANY_LENGTH,
        tag=context.form.tag if context.form is not None else None,
        unknown_docnos=context.unknown_docnos,
    )
    for issue in checked:
        if issue.code == "missing-question":  # a topic that is left out counts 0
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
    """Return the strings of a run, numbered within each topic."""
    del context
    return segments_of_lines(_lines(file), STRING)


def read_tag(file: BinaryIO) -> str | None:
    """Return the run tag of the first line."""
    line = first_record(parse_run(file))
    return line.run if line is not None else None


def read_form(file: BinaryIO) -> RunForm | None:
    """Return what a run says of itself: its tag, which stands for the team, too."""
    tag = read_tag(file)
    return RunForm(tag=tag, team=tag[:50]) if tag else None


def unreadable_lines(file: BinaryIO) -> Iterator[Issue]:
    """Return what is wrong with single lines, apart from the rules that a run must keep."""
    return (line for line in parse_run(file) if isinstance(line, Issue))
