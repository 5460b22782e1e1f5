"""Add a question to the text of a design, at the end of its stage; every other line stays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tracks.designs.places import BadToml, Places, read_toml, unix_text
from tracks.designs.reading import BadDesign
from tracks.designs.writing import design_lines

GRADE = re.compile(r"(-?[0-9]{1,9}(?:\.[0-9]{1,9})?)\s+(\S)\s+(\S.*)")
SCALE = re.compile(r"-?[0-9]+-[0-9]+")


def with_question(text: str, said: Mapping[str, str]) -> str:
    """Return the text with one more question. ``said`` holds the question's values: `stage`, `key`, `ask`, `help`,
    `grades` and, if the question is asked only after certain answers, `if`. A `stage` "" is the last one.

    `grades` is a scale such as "1-5", or has one line for each grade: its value, the key to press, and its name. `if`
    has one line for each earlier question: its key, a colon, and the answers, separated by commas. Raises BadDesign if
    the text is not TOML or has no such stage, if nothing is asked, or if a line is not a grade or a condition.
    """
    try:
        values, places = read_toml(text)
    except BadToml as error:
        raise BadDesign(f"line {error.line}: {error}") from error
    stages = values.get("stages", [])
    keys = [str(each.get("key", "")) for each in stages if isinstance(each, dict)] if isinstance(stages, list) else []
    if not keys:
        raise BadDesign("The design has no stage yet: write [[stages]] with its key and work first.")
    stage = said["stage"] or keys[-1]
    if stage not in keys:
        raise BadDesign(f"There is no stage “{stage[:50]}”. There are: {', '.join(keys)}.")
    lines = unix_text(text).removesuffix("\n").split("\n")
    place = _end_of_stage(lines, places, keys.index(stage))
    return "\n".join([*lines[:place], *_block(said), *lines[place:]]) + "\n"


def _block(said: Mapping[str, str]) -> list[str]:
    ask = said["ask"].strip()
    if not ask:
        raise BadDesign("Say what is asked.")
    key = said["key"].strip() or re.sub(r"[^a-z0-9]+", "-", ask.lower()).strip("-")[:40].strip("-") or "question"
    question: dict[str, Any] = {"key": key, "ask": ask}
    question |= {"help": said["help"].strip()} if said["help"].strip() else {}
    written = [line.strip() for line in said["grades"].splitlines() if line.strip()]
    if len(written) == 1 and SCALE.fullmatch(written[0]):
        question["grades"] = written[0]
    else:
        question["grades"] = [_grade(line) for line in written]
    if conditions := [line.strip() for line in said.get("if", "").splitlines() if line.strip()]:
        question["asked_if"] = dict(_condition(line) for line in conditions)
    return ["", "[[stages.questions]]", *design_lines(question)]


def _grade(line: str) -> dict[str, Any]:
    found = GRADE.fullmatch(line)
    if found is None:
        raise BadDesign(f"“{line[:60]}” is no grade: write its value, the key that is pressed and its name: 2 y yes.")
    value = float(found[1]) if "." in found[1] else int(found[1])
    return {"value": value, "press": found[2], "name": found[3]}


def _condition(line: str) -> tuple[str, list[str]]:
    key, colon, answers = line.partition(":")
    names = [name.strip() for name in answers.split(",") if name.strip()]
    if not (key.strip() and colon and names):
        raise BadDesign(
            f"“{line[:60]}” is no condition: write the key of an earlier question, a colon, and the answers after "
            "which this one is asked, such as relevant: somewhat, yes."
        )
    return key.strip(), names


def _end_of_stage(lines: list[str], places: Places, stage: int) -> int:
    """Return the number of lines up to the end of the stage. The next table does not belong to it, nor do the comments
    and blank lines right above that table.
    """
    begin = places.lines[("stages", stage)]
    others = [line for path, line in places.lines.items() if line > begin and path[:2] != ("stages", stage)]
    end = min(others, default=len(lines) + 1) - 1
    while end > begin and lines[end - 1].lstrip().startswith("#"):
        end -= 1
    while end > begin and not lines[end - 1].strip():
        end -= 1
    return end
