"""Items whose grades are known, read from the file that [stages.control] names: a JSON object on each line.

    {"topic": "1", "docno": "BREAD-01", "relevant": "yes"}

``topic`` is a topic's number, or its text, as the topic column of a table has it. Exactly one of ``key``, ``docno`` and
``text`` names the item. ``reason`` explains the answer. Every other member is a question of the stage, with the name or
the value of its grade.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assess.protocol import KnownAnswer
from scoring.reading.json_reading import BadJson, read_json
from tracks.designs.broken import unknown_name
from tracks.designs.question_rules import as_word, grades_by_word, grades_of
from tracks.designs.shape import GradeStage, Question

NAMES = ("key", "docno", "text")
"""The members that can name an item."""


def known_answers(stage: GradeStage) -> Iterator[KnownAnswer | str]:
    """Yield the known answers that are mixed into a stage's work. For a line that is not a known answer, yield a
    sentence that says why.
    """
    return _answers(stage, stage.control.answers if stage.control is not None else "", "the known answers")


def practice_answers(stage: GradeStage) -> Iterator[KnownAnswer | str]:
    """Yield the answers for practice: those in [stages.practice] or, if there are none, the stage's known answers. For
    a line that is not an answer, yield a sentence that says why.
    """
    own = stage.practice.answers if stage.practice is not None else ""
    return _answers(stage, own, "what is practised") if own.strip() else known_answers(stage)


def _answers(stage: GradeStage, text: str, whose: str) -> Iterator[KnownAnswer | str]:
    questions = {each.key: each for each in stage.questions}
    seen: dict[tuple[str, str, str], int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = answer_in(read_json(line.encode()), questions, f"in the stage {stage.key}")
        except BadJson as error:
            found = f"{str(error).rstrip('.')}."
        if isinstance(found, KnownAnswer):
            before = seen.setdefault((found.topic, found.named_by, found.item), number)
            if before != number:
                named = f"{found.item[:60]} of topic {found.topic}"
                found = f"{named} stands in line {before}, too: say all that is known of it in one line."
        yield f"Line {number} of {whose}: {found}" if isinstance(found, str) else found


def answer_in(said: Any, asked: Mapping[str, Question], where: str) -> KnownAnswer | str:
    """Return the known answer that a JSON object contains, or a sentence that says what is wrong with it.

    ``asked`` are the questions by key that it may answer.
    """
    if not isinstance(said, dict):
        return "it is no JSON object."
    topic, named = said.get("topic"), [name for name in NAMES if name in said]
    if isinstance(topic, bool) or not isinstance(topic, str | int):
        return 'it needs a topic, as in "topic": "1".'
    if len(named) != 1 or not isinstance(said[named[0]], str):
        return f"one of {', '.join(NAMES)} names the item, as a text."
    questions = {key: each for key, each in asked.items() if each.answer == "grade"}
    expected = {}
    for key, value in said.items():
        if key in ("topic", "reason", named[0]):
            continue
        if key not in questions:
            return unknown_name("question", key, list(questions), where)
        grade = grades_by_word(questions[key]).get(as_word(value))
        if grade is None:
            return unknown_name(
                f"grade of {key}", as_word(value), [each.name for each in grades_of(questions[key])], ""
            )
        expected[key] = int(grade.value)
    if not isinstance(reason := said.get("reason", ""), str):
        return "its reason is no text."
    if not expected:
        return f"no grade is known here: name one of {', '.join(questions)}."
    return KnownAnswer(
        topic=str(topic),
        named_by=named[0],
        item=said[named[0]],
        expected=tuple(expected.items()),
        reason=reason,
    )
