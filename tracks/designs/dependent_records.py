"""Count the judgments in a file that a change of a design would affect, without a site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from assess.protocol.designs import DependentRecords
from scoring.commands.command_line import BadInput
from scoring.reading.json_reading import BadJson, read_json
from scoring.reading.opening import open_input
from tracks.designs.shape import Design

Counts = Mapping[tuple[str, int | None], int]
"""How many current judgments give or choose a value, by question and value; None counts all answers."""


def judgments_counted(path: Path) -> Counts:
    """Count the current judgments in an exported judgments.jsonl. Of several judgments by one person on the same item
    and question, the newest is current. Raises BadInput for a line that is not JSON, and CannotOpen if there is no
    file.
    """
    newest: dict[tuple[str, ...], dict[str, Any]] = {}
    with open_input(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                act = read_json(line)
            except BadJson as error:
                raise BadInput(str(path), f"line {number}: {error}") from error
            if isinstance(act, dict) and act.get("do") == "judge":
                of = tuple(str(act.get(name, "")) for name in ("criterion", "by", "topic", "kind", "key", "docno"))
                newest[of] = act
    return Counter((str(act.get("criterion", "")), value) for act in newest.values() for value in _answers(act))


def _answers(act: Mapping[str, Any]) -> list[int | None]:
    """Return the keys under which a judgment is counted: None for the judgment itself, then the values that it gives or
    chooses. Return [] if the judgment gives no answer.
    """
    value, given = act.get("value"), act.get("given")
    chosen = given.get("several", given.get("rank")) if isinstance(given, dict) else None
    values = [value] if value is not None else chosen if isinstance(chosen, list) else []
    return [None, *(each for each in values if isinstance(each, int))] if value is not None or given else []


def count_dependents(counts: Counts, stands_on: DependentRecords, questions: Collection[str]) -> int:
    """Return how many judgments depend on a part of a design. ``questions`` are all questions of its stage.

    Runs are not counted, since the file of judgments does not contain them.
    """
    asked = {stands_on.question} if stands_on.question else set(questions)
    return sum(number for (question, value), number in counts.items() if question in asked and value == stands_on.value)


def questions_of(design: Design, stage: str) -> list[str]:
    """Return the keys of the questions in a stage, or in all stages for ""."""
    stages = [each for each in design.stages if stage in ("", each.key)]
    return [question.key for each in stages for question in getattr(each, "questions", ())]
