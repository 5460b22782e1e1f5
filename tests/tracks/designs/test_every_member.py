"""No member of a design is passed over: what a track is built of reads it, or the check refuses it by its line."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.design_text import DESIGN
from tracks import ADHOC
from tracks.designs import nugget_tables, run_tables, shape
from tracks.designs.checking import check_design
from tracks.designs.members import Table
from tracks.designs.other_forms import built_track

GALLERY = sorted((Path(__file__).resolve().parents[3] / "docs" / "designs").glob("*.toml"))
GRADED = '[[stages.questions]]\nkey = "q"\nask = "Q?"\ngrades = "0-1"\n'
NUGGETS = """design = 1
key = "nuggets"
title = "Nuggets"
runs = { form = "answers" }

[[stages]]
key = "list"
work = "nuggets"

[[stages]]
key = "found"
work = "matches"
from = "list"
"""
WEIGHED = (
    NUGGETS.replace('work = "nuggets"', 'work = "nuggets"\nimportance = [{ key = "vital", weight = 2 }]')
    + 'marks = [{ key = "full", value = 1 }]\n\n[scores]\nmeasures = ["W"]\n'
)
STRINGS = f"""design = 1
key = "strings"
title = "Strings"

[runs]
form = "strings"

[[stages]]
key = "strings"
work = "grade"

{GRADED}"""
ITEMS = STRINGS.replace('form = "strings"', 'form = "items"\ntext = "claim"')
SUGGESTED = ITEMS.replace("[runs]", '[runs]\nsuggest = "a"')
EXPORTED = f'{DESIGN}\n[[exports]]\nname = "a"\nstage = "passages"\nquestion = "readability"\n'
CHECKED = DESIGN.replace("[scores]", """[stages.control]
answers = '{"topic": "1", "docno": "A", "misleading": "no"}'

[stages.practice]
items = 1
answers = '{"topic": "1", "docno": "B", "misleading": "yes", "reason": "So it is."}'

[stages.repeats]
share = 0.1

[stages.hand_out]
days = 7

[stages.agreement]
floor = 0.5

[scores]""")  # fmt: skip
READ_BY_OTHERS = {
    "Design": {"base", "changes", "design"},  # put together, compared with the version before, a version
    "Changed": {"question", "before", "now"},
    "Citations": {"must_be_in_references"},  # read as a run is checked
    "ItemRuns": {"batch", "systems"},  # read with the table
    "Practice": {"file"},  # as well
    "Control": {"file"},  # its text is put under answers
    "Exported": {"name", "stage", "question"},  # of which a design of this test has none
    "Guidelines": {"file"},
    **{key: {"work", "help_file"} for key in ("GradeStage", "NuggetStage", "MatchStage")},
    "Question": {"help_file"},
    "Grade": {"help_file", "key"},  # by which versions are compared
}
"""What other things than the track are made of."""

OF_PAIRS = {"PairStage", "Choose", "Verdict"}
"""Tables of a kind of work that is refused as a whole."""

NONE = 'none = { press = "0" }'
NEITHER = {
    "agreement": "agreement = { floor = 0.5 }",
    "hand_out": "hand_out = { most = 5 }",
    "control": 'control = { answers = "{}" }',
    "needs": 'needs = "list"',
    "practice": "practice = { items = 5 }",
    "repeats": "repeats = { share = 0.1 }",
    "without_runs": "without_runs = true",
}
"""What stages of nuggets and of matches don't take."""

REFUSED_AFTER: dict[tuple[str, str, str], dict[str, str]] = {
    ("GradeStage", DESIGN, 'work = "grade"'): {
        "needs": 'needs = "passages"',
        "source": 'from = "passages"',
        "without_runs": "without_runs = true",
    },
    ("NuggetStage", NUGGETS, 'work = "nuggets"'): {
        **NEITHER,
        "file": 'file = "a.tsv"',
        "frozen": "frozen = true",
        "lines": 'lines = "questions"',
        "most": "most = 3",
        "people": "people = 3",
        "sealed": "sealed = true",
        "settle": 'settle = "fuse"',
    },
    ("MatchStage", NUGGETS, 'from = "list"'): {
        **NEITHER,
        "item": 'item = "string"',
        "none": NONE,
        "settle": 'settle = "majority"',
    },
    ("Question", DESIGN, 'ask = "Is it misleading?"'): {
        "reasons": 'reasons = ["a"]',
        "verdicts": 'verdicts = [{ press = "a", name = "a", wins = "left" }]',
    },
    ("Importance", NUGGETS, 'work = "nuggets"'): {
        name: f'importance = [{{ key = "vital", {name} = "a" }}]' for name in ("press", "name")
    },
    ("Mark", NUGGETS, 'from = "list"'): {
        name: f'marks = [{{ key = "full", value = 1, {name} = {value} }}]'
        for name, value in (("press", '"a"'), ("wins", "true"))
    },
    ("NoMark", NUGGETS, 'from = "list"'): dict.fromkeys(("press", "name"), NONE),
    ("Exported", EXPORTED, 'name = "a"'): {"columns": 'columns = ["a"]'},
}
"""Of a table, after which line of a text, what is refused in it."""
REFUSED = {
    (table, member): (text, line, added)
    for (table, text, line), members in REFUSED_AFTER.items()
    for member, added in members.items()
}


def test_every_member_makes_a_difference_or_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [
        *(path.read_text() for path in GALLERY),
        NUGGETS,
        WEIGHED,
        STRINGS,
        ITEMS,
        SUGGESTED,
        CHECKED,
        ADHOC.design,
    ]
    designs = [check_design(text)[0] for text in texts]
    read: set[tuple[str, str]] = set()
    found = object.__getattribute__

    def noted(table: Table, name: str) -> object:
        if name in found(type(table), "__pydantic_fields__"):
            read.add((type(table).__name__, name))
        return found(table, name)

    monkeypatch.setattr(Table, "__getattribute__", noted)
    for design in designs:
        assert design is not None
        built_track(design)
    monkeypatch.undo()
    bases = (Table, shape.StageBase, shape.ItemStage, run_tables.RunsBase)
    for name, table in {**vars(shape), **vars(nugget_tables), **vars(run_tables)}.items():
        is_table = inspect.isclass(table) and issubclass(table, Table) and table not in bases
        if is_table and name not in OF_PAIRS:
            passed_over = set(table.model_fields) - {each for of, each in read if of == name}
            passed_over -= READ_BY_OTHERS.get(name, set())
            assert {each for each in passed_over if (name, each) not in REFUSED} == set(), name


@pytest.mark.parametrize(("table", "member"), REFUSED, ids=[".".join(each) for each in REFUSED])
def test_what_is_refused_is_told(table: str, member: str) -> None:
    text, line, added = REFUSED[table, member]
    assert line in text and check_design(text)[1] == []
    design, faults = check_design(text.replace(line, f"{line}\n{added}", 1))
    number = text.splitlines().index(line) + 2
    assert design is None and number in [fault.line for fault in faults], faults
