"""Reads and writes nuggets with grades, as the study of TREC iKAT 2024 published them.

    gold_nuggets_human.json        {"8_5": {"[1]": {"text": "Wide tyres grip …", "relevance": "2"}, …}, …}

Turns are named topic_turn; nuggets keep the numbers of their file; relevance is a grade from "1" to "4". Codes: those
of `scoring.reading.json_reading`, and type, number, grade, no-nuggets (warning, once: turns without nuggets).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from scoring.file_kinds import JSON, reads
from scoring.formats.json_members import FILLED, Member, Shape, one_of
from scoring.formats.member_reports import Codes, Report
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.reading.json_reading import json_path, load_json
from scoring.records import Issue
from scoring.wording import counted_of

GRADES = ("1", "2", "3", "4")
_NUMBER = re.compile(r"\[([1-9][0-9]{0,5})\]")


@dataclass(frozen=True, kw_only=True, slots=True)
class GradedNugget:
    """A nugget of a turn, with its number in the file and its grade. The text is unchanged, white space included.

    ``others`` are the further members of the nugget in its file.
    """

    topic: str
    number: int
    text: str
    grade: str
    others: Mapping[str, Any] = field(default_factory=dict)


@reads("nuggets", forms=JSON)
def read_graded_nuggets(file: BinaryIO) -> Iterator[GradedNugget | Issue]:
    """Yield the nuggets in file order, and issues with the JSON path of what is wrong."""
    value = load_json(file)
    if isinstance(value, Issue):
        yield value
    elif not isinstance(value, dict):
        yield _issue((), "type", "The file must be an object: turn -> nuggets.")
    else:
        if empty := [topic for topic, nuggets in value.items() if nuggets == {}]:
            shown = ", ".join(topic[:40] for topic in empty[:10]) + (" …" if len(empty) > 10 else "")
            message = (
                f"{counted_of(len(empty), len(value), 'turn', 'has', 'have')} no nuggets, and so no list: {shown}."
            )
            yield Issue(where="$", code="no-nuggets", message=message, severity="warning")
        for topic, nuggets in value.items():
            if not isinstance(nuggets, dict):
                yield _issue((topic,), "type", "This must be an object: [number] -> nugget.")
                continue
            for name, nugget in nuggets.items():
                yield _nugget(topic, name, nugget)


def write_graded_nuggets(records: Iterable[GradedNugget]) -> Iterator[str]:
    """Yield the lines of one JSON object, indented by four, sorted by turn and number."""
    turns: dict[str, dict[str, Any]] = {}
    for r in sorted(records, key=lambda r: (topic_order(r.topic), r.number)):
        turns.setdefault(r.topic, {})[f"[{r.number}]"] = {"text": r.text, "relevance": r.grade} | dict(r.others)
    yield from json.dumps(turns, indent=4).split("\n")


def _nugget(topic: str, name: str, nugget: Any) -> GradedNugget | Issue:
    number = _NUMBER.fullmatch(name)
    if number is None:
        return _issue((topic, name), "number", "A nugget is numbered [1], [2], and so on.")
    report = Report(root=json_path((topic, name)))
    taken = _NUGGET.take(nugget, report)
    if report.issues:
        return report.issues[0]
    others = {name: value for name, value in nugget.items() if name not in _NUGGET.known}
    return GradedNugget(topic=topic, number=int(number[1]), text=taken["text"], grade=taken["relevance"], others=others)


_NUGGET = Shape(
    members=(Member("text", FILLED), Member("relevance", replace(one_of(*GRADES), code="grade"))),
    codes=Codes(missing="type"),
)


def _issue(path: tuple[str | int, ...], code: str, message: str) -> Issue:
    return Issue(where=json_path(path), code=code, message=message)


FORMAT = Format(
    name="graded-nuggets", label="Nuggets with grades 1 to 4", source="TREC iKAT 2024; irlabamsterdam/CONE-RAG",
    layout='{turn: {"[1]": {"text", "relevance": "1".."4"}}}', record=GradedNugget,
    read=read_graded_nuggets, write=write_graded_nuggets,
)  # fmt: skip
