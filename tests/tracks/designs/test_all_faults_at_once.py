"""A design with several faults: those of syntax, of members and of rules are told in one check, and none besides."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.design_text import DESIGN
from tracks.designs import checking
from tracks.designs.checking import check_design
from tracks.designs.described_work import design_model
from tracks.designs.model_paths import value_at
from tracks.designs.places import read_toml
from tracks.designs.writing import design_lines

DOCS = Path(__file__).resolve().parents[3] / "docs" / "designs"
DESIGNS = {"misleading": DESIGN} | {path.stem: path.read_text() for path in sorted(DOCS.glob("*.toml"))}
FAULTS = [
    ('title = "Misleading passages"', "title = “Misleading passages”", 3, "“ is a curly quote"),
    ("limit = 1000", "limit = 0", 7, "limit is at least 1, not 0."),
    ("depth = 20", 'depth = "20"', 10, 'depth is a whole number, not "20"'),
    ("people = 2", 'after = "nothing"', 15, "There is no stage “nothing” before this one."),
    ('level = "ordinal"', 'levl = "ordinal"', 20, "“levl” is no member of the question misleading."),
    ('press = "s"', 'press = "y"', 23, "Two grades of misleading have the same press, “y”."),
    ('ask = "How readable is it?"', 'ask = "How?"\nhelp_file = "none.md"', 30, "none.md can't be read"),
    ('ends = ["un', 'asked_if = { misleding = ["yes"] }\nends = ["un', 32, "There is no question “misleding”"),
    ('["nDCG@10", {', '["nDCGG@10", {', 38, "nDCGG"),
    ('official = "nDCG@10"', 'official: "nDCG@10"', 39, "After “official” comes =, not a colon"),
]


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    text = DESIGN
    for before, after, _, _ in FAULTS:
        assert before in text
        text = text.replace(before, after, 1)
    text += '[guidelines]\nfile = "no.md"\n'
    design, faults = check_design(text, folder=tmp_path)
    told = [(each.line, next((words for *_, words in FAULTS if words in each.message), "")) for each in faults]
    assert (design, told[:-1]) == (None, [(line, words) for _, _, line, words in FAULTS])
    assert (faults[-1].line, faults[-1].member) == (41, "guidelines.file")


def test_a_rule_that_may_follow_from_another_fault_waits() -> None:
    text = DESIGN.replace("relevant_from = 1\n", "").replace('value = 1, press = "s"', 'valu = 1, pres = "s"', 1)
    _, faults = check_design(text.replace("measures = [", "gains = { most = 1 }\nmeasures = [", 1))
    told = [(each.line, each.severity) for each in faults]
    assert told == [(23, "error"), (23, "error"), (23, "error")], faults


def test_lines_that_cannot_be_left_out_end_the_check() -> None:
    _, faults = check_design(DESIGN.replace("[pool]", "[pool", 1).replace("depth = 20", 'depth = "x"'))
    assert [each.line for each in faults] == [9]
    _, faults = check_design("".join(f"k{number} = x\n" for number in range(50)))
    assert len(faults) == 20


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield (*path, step)
        yield from _places(inner, (*path, step))


@pytest.mark.parametrize("name", DESIGNS)
def test_a_fault_of_one_member_brings_no_others(name: str) -> None:
    values = read_toml(DESIGNS[name])[0]
    for number, path in enumerate(islice(_places(values), None, None, 2)):
        changed = deepcopy(values)
        table = value_at(changed, path[:-1]) if path[1:] else changed
        if number % 2 and isinstance(table, dict):
            table[f"{path[-1][:1]}{path[-1]}"] = table.pop(path[-1])
        else:
            table[path[-1]] = 0.123 if isinstance(table[path[-1]], str) else "x\x01"
        if not isinstance(value_at(values, path), str | int | float):
            continue
        text = "\n".join(design_lines(changed, [])) + "\n"
        given, places = read_toml(text)
        try:
            design_model().model_validate(given)
            continue
        except ValidationError as error:
            known = list(checking._shape_faults(error, given, places, left_out=()))
        errors = [each for each in check_design(text)[1] if each.severity == "error"]
        assert errors == sorted(known, key=lambda fault: fault.line), path


@pytest.mark.parametrize("text", ["", "\n \n", "# nothing but this line\n"])
def test_an_empty_design_needs_all_that_a_design_needs(text: str) -> None:
    design, faults = check_design(text)
    assert (design, [each.member for each in faults]) == (None, ["design", "key", "title", "stages"])
