"""Suggested answers for a table's items, read from a file beside the design: a JSON object on each line.

    {"topic": "1", "text": "Bees like lavender.", "supported": "yes", "note": "Row 12 says so."}

They have the format of known answers, with an optional ``note``, and are recorded as a machine judge's. ``topic`` may
also be the text in the topic column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assess.protocol import CheckContext, JudgmentFile
from scoring.formats.spec import short
from scoring.reading.json_values import json_values
from scoring.reading.opening import CannotOpen, open_input
from scoring.records import Issue
from scoring.release.recorded_acts import Judged
from tracks.designs.known_answers import NAMES, answer_in
from tracks.designs.run_tables import ItemRuns
from tracks.designs.shape import Design, GradeStage, Question

DRAFTS: Mapping[str, str] = {"with the item": "open", "after one's own judgment": "after", "to no one": "sealed"}
"""For each value of `suggest_shown`, when a campaign shows machine judges' answers to assessors."""

Items = Mapping[tuple[str, str, str], Sequence[Mapping[str, Any]]]
"""Items by topic, the member that names them, and their name."""

Earlier = dict[tuple[str, str, str], tuple[int, int]]
"""What a file suggests so far: topic, item's key and criterion -> the value, and its line."""


def suggested_file(design: Design, runs: ItemRuns) -> JudgmentFile:
    """Return the kind of file for the suggested answers that a design names in `suggest`."""

    def read(paths: Sequence[Path], context: CheckContext) -> Iterator[tuple[int | str, Judged] | Issue]:
        stages = [stage for stage in design.stages if isinstance(stage, GradeStage)]
        questions = {each.key: each for stage in stages for each in stage.questions}
        numbers = {topic.text: topic.number for topic in context.topics}
        numbers |= {topic.number: topic.number for topic in context.topics}
        items: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
        for topic in context.topics:
            for item in topic.fields.get("items", ()):
                for by in NAMES:
                    items.setdefault((topic.number, by, item[by]), []).append(item)
        for path in paths:
            earlier: Earlier = {}
            try:
                with open_input(path) as file:
                    for each in json_values(file):
                        if isinstance(each, Issue):
                            yield each
                        else:
                            yield from _acts(*each, questions, numbers, items, earlier)
            except CannotOpen as error:
                yield Issue(where=path.name, code="cannot-open", message=str(error))

    return JudgmentFile(
        key="suggested",
        label="Answers that are suggested",
        help="A JSON object a line: its topic, its key, docno or text, and questions with names of grades.",
        file_names=(runs.suggest,),
        read=read,
        of_machine=Path(runs.suggest).stem,
    )


def _acts(
    line: int,
    said: Any,
    questions: Mapping[str, Question],
    numbers: Mapping[str, str],
    items: Items,
    earlier: Earlier,
) -> Iterator[tuple[int, Judged] | Issue]:
    note = said.pop("note", "") if isinstance(said, dict) else ""
    found = answer_in(said, questions, "in this design")
    if not isinstance(note, str):
        found = "its note is no text."
    if isinstance(found, str):
        yield Issue(where=line, code="bad-suggestion", message=f"{found[:1].upper()}{found[1:]}")
        return
    topic = numbers.get(found.topic, found.topic)
    named = items.get((topic, found.named_by, found.item))
    if named is None:
        there = [name for number, by, name in items if (number, by) == (topic, found.named_by)]
        first = f" Its first is “{there[0][:80]}”." if there else ""
        message = f"Topic {found.topic[:80]} has no item with the {found.named_by} “{found.item[:80]}”.{first}"
        yield Issue(where=line, code="unknown-item", message=message, severity="warning")
        return
    if len(named) > 1:
        keys = ", ".join(f"{each['key']} ({short(each['docno'] or each['text'])})" for each in named[:5])
        message = f"{short(found.item)} names {len(named)} items of topic {topic}. Name one by its key: {keys}."
        yield Issue(where=line, code="bad-suggestion", message=message)
        return
    (item,) = named
    for criterion, value in found.expected:
        before, first_line = earlier.setdefault((topic, item["key"], criterion), (value, line))
        if value != before:
            message = f"Line {first_line} suggests another grade of {criterion} for this item. Leave one of them out."
            yield Issue(where=line, code="bad-suggestion", message=message)
            continue
        yield (
            line,
            Judged(
                by="machine",
                topic=topic,
                docno=item["docno"],
                answer=item["text"],
                key=item["key"],
                criterion=criterion,
                value=value,
                note=note,
            ),
        )
