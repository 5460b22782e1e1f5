"""Items whose grades are known, as the file says that [stages.control] names: a JSON object a line.

    {"topic": "1", "docno": "BREAD-01", "relevant": "yes"}

``topic`` is a topic's number; one of ``key``, ``docno`` and ``text`` names the item; every other member is a question
of the stage with the name or the value of its grade.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assess.protocol import KnownAnswer
from scoring.json_reading import BadJson, read_json
from tracks.designs.broken import no_such
from tracks.designs.question_rules import grades_of
from tracks.designs.shape import GradeStage

NAMES = ("key", "docno", "text")
"""What may name an item."""


def known_answers(stage: GradeStage) -> Iterator[KnownAnswer | str]:
    """Return the known answers of a stage, and a sentence for each line that is none."""
    text = stage.control.answers if stage.control is not None else ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            found = _answer(stage, line)
            yield f"Line {number} of the known answers: {found}" if isinstance(found, str) else found


def _answer(stage: GradeStage, line: str) -> KnownAnswer | str:
    try:
        said: Any = read_json(line.encode())
    except BadJson as error:
        return f"{error}."
    if not isinstance(said, dict):
        return "it is no JSON object."
    topic, named = said.pop("topic", None), [name for name in NAMES if name in said]
    if isinstance(topic, bool) or not isinstance(topic, str | int):
        return 'it needs a topic, as in "topic": "1".'
    if len(named) != 1 or not isinstance(said[named[0]], str):
        return f"one of {', '.join(NAMES)} names the item, as a text."
    item = said.pop(named[0])
    questions = {each.key: each for each in stage.questions if each.answer == "grade"}
    expected = {}
    for key, value in said.items():
        if key not in questions:
            return no_such("question", key, list(questions), f"in the stage {stage.key}")
        grades = grades_of(questions[key])
        grade = next((each for each in grades if str(value) in (each.name, str(each.value))), None)
        if grade is None:
            return no_such(f"grade of {key}", str(value), [each.name for each in grades], "")
        expected[key] = int(grade.value)
    if not expected:
        return f"no grade is known here: name one of {', '.join(questions)}."
    return KnownAnswer(topic=str(topic), named_by=named[0], item=item, expected=tuple(expected.items()))
