"""A design written by forms: what a form says gets into the text, and nothing else of it is touched."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

from assess.protocol.designs import DesignField
from tests.design_text import DESIGN
from tracks.designs.checking import check_design
from tracks.designs.form_tables import FORMS
from tracks.designs.forms import edited, parts_of
from tracks.designs.members import COLOURS, Table
from tracks.designs.nugget_tables import NuggetStage
from tracks.designs.reading import BadDesign
from tracks.designs.run_tables import AnswerRuns
from tracks.designs.shape import Documents, Grade, GradeStage, Question

GALLERY = sorted((Path(__file__).resolve().parents[3] / "docs" / "designs").glob("*.toml"))
QUESTION = "stages.0.questions.0"
MISLEADING = next(path for path in GALLERY if path.stem == "misleading-passages").read_text()


def write(text: str, key: str, values: Mapping[str, str]) -> str:
    """The text with these fields of a form changed."""
    part = next(each for each in parts_of(text) if each.key == key)
    return edited(text, verb="write", key=key, values=values, made_from=part.made_from)


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_what_is_written_as_it_stands_changes_no_byte(path: Path) -> None:
    text = path.read_text()
    for part in parts_of(text):
        values = {each.name: each.value for each in part.fields}
        values |= {f"{row.key}:{each.name}": each.value for row in part.rows for each in row.fields}
        assert write(text, part.key, values) == text, part.key


CHANGES: list[tuple[str, dict[str, str], dict[str, Any]]] = [
    ("", {"title": "What misleads"}, {"title": "What misleads"}),
    ("pool", {"depth": "7"}, {"pool.depth": 7}),
    ("topics", {"judged": "3, 1"}, {"topics.judged": ["3", "1"]}),
    ("documents", {"shown": "title, text"}, {"documents.shown": ["title", "text"]}),
    (QUESTION, {"order": "random"}, {"stages.0.questions.0.order": "random"}),
    ("stages.0", {"settle": "majority"}, {"stages.0.settle": "majority"}),
    ("stages.0", {"people": "3", "share": ""}, {"stages.0.people": 3}),
    ("stages.0", {"people": "any"}, {"stages.0.people": "any"}),
    ("stages.0", {"share": "0.5"}, {"stages.0.people": {"each": 2, "share": 0.5}}),
    ("stages.0", {"settle": "none", "help": "Read\nit."}, {"stages.0.settle": "none", "stages.0.help": "Read\nit."}),
    (QUESTION, {"ask": 'Is it "bad"?'}, {"stages.0.questions.0.ask": 'Is it "bad"?'}),
    (QUESTION, {"help": ""}, {"stages.0.questions.0.help": None}),
    (QUESTION, {"unsure_press": ""}, {"stages.0.questions.0.unsure": None}),
    (QUESTION, {"unsure_name": "no idea"}, {"stages.0.questions.0.unsure": {"press": "x", "name": "no idea"}}),
    (QUESTION, {"evidence_labels": "false"}, {"stages.0.questions.0.evidence_labels": ["false"]}),
    (QUESTION, {f"{QUESTION}.grades.1:gain": "0.5"}, {"stages.0.questions.0.grades.1.gain": 0.5}),
    (QUESTION, {f"{QUESTION}.grades.0:note": "none"}, {"stages.0.questions.0.grades.0.note": "none"}),
    (QUESTION, {f"{QUESTION}.grades.2:colour": "green"}, {"stages.0.questions.0.grades.2.colour": "green"}),
    (
        QUESTION,
        {f"{QUESTION}.grades.3:name": "utterly", f"{QUESTION}.grades.3:press": "z"},
        {"stages.0.questions.0.grades.3": {"value": 3, "press": "z", "name": "utterly"}},
    ),
    ("stages.0.questions.1", {"scale": "1-7"}, {"stages.0.questions.1.grades": "1-7"}),
    ("stages.0.questions.1", {"ends": ""}, {"stages.0.questions.1.ends": None}),
    ("stages.0.questions.1", {"if_misleading": "no"}, {"stages.0.questions.1.asked_if": {"misleading": ["no"]}}),
    ("stages.0.questions.1", {"if_misleading": ""}, {"stages.0.questions.1.asked_if": None}),
    ("stages.0.questions.1", {"required": "false"}, {"stages.0.questions.1.required": False}),
    ("scores", {"official": "AP", "relevant_from": "2"}, {"scores.official": "AP", "scores.relevant_from": 2}),
    ("stages.0.checks", {"repeats.share": "0.05"}, {"stages.0.repeats": {"share": 0.05}}),
    (
        "stages.0.checks",
        {"hand_out.days": "7", "by_hand": "true"},
        {"stages.0.hand_out": {"days": 7}, "stages.0.by_hand": True},
    ),
    (
        "stages.0.checks",
        {"agreement.measures": "alpha, kappa", "agreement.floor": "0.6"},
        {"stages.0.agreement": {"measures": ["alpha", "kappa"], "floor": 0.6}},
    ),
    (
        "stages.0.checks",
        {"control.answers": '{"topic": "1", "docno": "A", "misleading": "no"}', "control.every": "10"},
        {"stages.0.control": {"answers": '{"topic": "1", "docno": "A", "misleading": "no"}', "every": 10}},
    ),
    ("scores", {"gains": "yes = 0\nno = 2.5"}, {"scores.gains": {"yes": 0, "no": 2.5}}),
    ("scores", {"scores.measures.5:measure": "RR"}, {"scores.measures.5": "RR"}),
    ("scores", {"scores.measures.4:label": "AP r"}, {"scores.measures.4.label": "AP r"}),
    (
        "scores",
        {"scores.measures.0:question": "readability", "scores.measures.0:relevant_from": "4"},
        {"scores.measures.0": {"measure": "nDCG@10", "question": "readability", "relevant_from": 4}},
    ),
]


def put(values: Any, path: str, value: Any) -> None:
    """Set what stands at a path; None takes it out."""
    *outer, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in outer:
        values = values[step]
    if value is None:
        del values[last]
    elif isinstance(values, list) and last == len(values):
        values.append(value)
    else:
        values[last] = value


@pytest.mark.parametrize(("key", "given", "expected"), CHANGES)
def test_a_field_changes_its_member_alone(key: str, given: dict[str, str], expected: dict[str, Any]) -> None:
    text = write(MISLEADING, key, given)
    values = tomllib.loads(MISLEADING)
    for path, value in expected.items():
        put(values, path, value)
    assert tomllib.loads(text) == values
    assert check_design(text)[0] is not None
    before, after = MISLEADING.splitlines(), text.splitlines()
    comments = [line.partition("  #")[2] for line in before if "  #" in line]
    kept = [line.partition("  #")[2] for line in after if "  #" in line]
    assert len(comments) - len(kept) <= sum(value is None for value in expected.values())
    assert sum(line not in after for line in before) <= len(expected) + 1


OF_OTHERS: list[tuple[str, str, dict[str, str], dict[str, Any]]] = [
    ("claims", "runs", {"systems": "x, y", "batch": "20"}, {"runs.systems": ["x", "y"], "runs.batch": 20}),
    ("claims", "runs", {"shown": ""}, {"runs.shown": None}),
    ("supported-answers", "runs", {"citations.most": "2"}, {"runs.citations.most": 2}),
    ("supported-answers", "runs", {"too_long": "cut"}, {"runs.too_long": "cut"}),
]


@pytest.mark.parametrize(("stem", "key", "given", "expected"), OF_OTHERS)
def test_fields_of_runs_of_other_forms(stem: str, key: str, given: dict[str, str], expected: dict[str, Any]) -> None:
    before = next(path for path in GALLERY if path.stem == stem).read_text()
    values = tomllib.loads(before)
    for path, value in expected.items():
        put(values, path, value)
    assert tomllib.loads(write(before, key, given)) == values


ADHOC = (Path(__file__).resolve().parents[3] / "tracks" / "adhoc.toml").read_text()
OF_ADHOC: list[tuple[str, dict[str, str], dict[str, Any]]] = [
    (QUESTION, {"highest": "4", "qrels": "a.txt"}, {f"{QUESTION}.highest": 4, f"{QUESTION}.qrels": ["a.txt"]}),
    (
        QUESTION,
        {"scales": "no, yes\nno, partly ,yes\n\n", "highest": "2"},
        {f"{QUESTION}.scales": [["no", "yes"], ["no", "partly", "yes"]], f"{QUESTION}.highest": 2},
    ),
    ("scores", {"relevant_from_setting": "false"}, {"scores.relevant_from_setting": False}),
    ("guidelines", {"text": '# Read "this"\n\nAll.'}, {"guidelines.text": '# Read "this"\n\nAll.'}),
    ("guidelines", {"text": "", "file": "rules.md"}, {"guidelines.text": None, "guidelines.file": "rules.md"}),
]


@pytest.mark.parametrize(("key", "given", "expected"), OF_ADHOC)
def test_what_each_campaign_sets_has_fields(key: str, given: dict[str, str], expected: dict[str, Any]) -> None:
    values = tomllib.loads(ADHOC)
    for path, value in expected.items():
        put(values, path, value)
    text = write(ADHOC, key, given)
    assert tomllib.loads(text) == values
    assert not {*ADHOC.splitlines()[:20]} - {*text.splitlines()}


def test_adhoc_is_written_as_it_stands_and_scales_stand_in_place_of_grades() -> None:
    for part in parts_of(ADHOC):
        assert write(ADHOC, part.key, {each.name: each.value for each in part.fields}) == ADHOC, part.key
    (part,) = (each for each in parts_of(ADHOC) if each.key == QUESTION)
    names = {each.name: each.value for each in part.fields}
    assert names["scales"].splitlines()[0] == "not relevant, relevant"
    assert not {"scale", "ends"} & names.keys() and not part.rows
    (graded,) = (each for each in parts_of(MISLEADING) if each.key == QUESTION)
    assert not {"scales", "highest"} & {each.name for each in graded.fields}
    of_items = next(path for path in GALLERY if path.stem == "claims").read_text()
    fields = {each.name for part in parts_of(of_items) for each in part.fields}
    assert not {"scales", "highest", "qrels", "relevant_from_setting"} & fields


def test_a_list_that_can_not_be_typed_is_left_to_the_text() -> None:
    text = ADHOC.replace('["not relevant", "relevant"]', '["no, not at all", "relevant"]')
    (part,) = (each for each in parts_of(text) if each.key == QUESTION)
    assert "scales" not in {each.name for each in part.fields}
    text = write(text, QUESTION, {"ask": "How?"})
    assert '["no, not at all", "relevant"]' in text and 'ask = "How?"' in text


def test_a_form_has_the_fields_of_its_kind_of_table() -> None:
    text = MISLEADING.replace('ask = "Is', 'answer = "rank"\nask = "Is')
    fields = {each.name for part in parts_of(text) if part.key == QUESTION for each in part.fields}
    assert {"least", "most"} <= fields and not {"words", "scale"} & fields
    runs = {each.name for part in parts_of(text) if part.key == "runs" for each in part.fields}
    assert runs == {"form", "limit"}


def test_members_and_tables_that_are_not_there_are_written() -> None:
    text = 'design = 1\nkey = "x"\ntitle = "X"\n\n# Where it begins.\n[[stages]]\nkey = "s"\nwork = "grade"\n'
    text += '[[stages.questions]]\nkey = "q"\nask = "Q?"\n'
    text += 'grades = [{ value = 1, name = "yes" }, { value = 0, name = "no" }]'
    text = write(text, "pool", {"depth": "5"})
    text = write(text, "scores", {"scores.measures.0:measure": "AP"})
    text = write(text, "stages.0", {"label": "Judge"})
    text = write(text, QUESTION, {"unsure_press": "x", f"{QUESTION}.grades.2:name": "very"})
    assert (
        text
        == """design = 1
key = "x"
title = "X"

[pool]
depth = 5

# Where it begins.
[[stages]]
key = "s"
work = "grade"
label = "Judge"
[[stages.questions]]
key = "q"
ask = "Q?"
grades = [{ value = 1, name = "yes" }, { value = 0, name = "no" }, { value = 2, name = "very" }]
unsure = { press = "x" }

[scores]
measures = ["AP"]
"""
    )


def test_entries_are_moved_and_taken_out_with_what_is_said_of_them() -> None:
    noted = MISLEADING.replace('name = "somewhat", gain = 1, evidence = "offered" },', 'name = "somewhat" },   # half')
    noted = noted.replace(
        '[[stages.questions]]\nkey = "readability"', '# Asked last.\n[[stages.questions]]\nkey = "readability"'
    )
    text = edited(noted, verb="up", key=f"{QUESTION}.grades.1", values={}, made_from="")
    grades = text[text.index("grades = [") : text.index("note_ask")]
    assert [line.split('name = "')[1].split('"')[0] for line in grades.splitlines()[1:-1]] == ["somewhat", "yes", "no"]
    assert "# half" in grades.splitlines()[1]
    text = edited(noted, verb="up", key="stages.0.questions.1", values={}, made_from="")
    first, second = tomllib.loads(text)["stages"][0]["questions"]
    assert (first["key"], second["key"]) == ("readability", "misleading")
    assert '# Asked last.\n[[stages.questions]]\nkey = "readability"' in text
    assert sorted(text.splitlines()) == sorted(noted.splitlines())
    text = edited(noted, verb="remove", key="stages.0.questions.1", values={}, made_from="")
    assert [each["key"] for each in tomllib.loads(text)["stages"][0]["questions"]] == ["misleading"]
    assert "Asked last" not in text and "\n\n\n" not in text and "[scores]" in text
    for place in range(3):
        text = edited(noted, verb="remove", key=f"{QUESTION}.grades.{place}", values={}, made_from="")
        assert len(tomllib.loads(text)["stages"][0]["questions"][0]["grades"]) == 2
    text = edited(noted, verb="remove", key="scores.measures.4", values={}, made_from="")
    assert tomllib.loads(text)["scores"]["measures"] == ["nDCG@10", "AP", "P@5", "Judged@10"]
    text = edited(noted, verb="list", key="stages.0.questions.1.grades", values={}, made_from="")
    grades = tomllib.loads(text)["stages"][0]["questions"][1]["grades"]
    assert [(each["value"], each["name"]) for each in grades][::4] == [(1, "unreadable"), (5, "clear")]


HEADINGS = """design = 1
key = "x"
title = "X"
pool.depth = 3  # by a dot
[[stages]]
key = "s"
work = "grade"
people.each = 2
[[stages.questions]]
key = "q"
ask = "Q?"
grades = "0-1"
[stages.questions.unsure]  # who knows
press = "x"
[stages.hand_out]
days = 3
"""


@pytest.mark.parametrize(
    ("key", "given", "before", "after"),
    [
        (QUESTION, {"unsure_press": "y"}, 'press = "x"', 'press = "y"'),
        (QUESTION, {"unsure_name": "no idea"}, 'press = "x"\n', 'press = "x"\nname = "no idea"\n'),
        (QUESTION, {"unsure_press": ""}, '[stages.questions.unsure]  # who knows\npress = "x"\n', ""),
        ("pool", {"depth": "4"}, "depth = 3", "depth = 4"),
        ("stages.0", {"people": "3"}, "people.each = 2", "people = 3"),
        ("stages.0", {"people": ""}, "people.each = 2\n", ""),
        ("stages.0.checks", {"hand_out.days": "9"}, "days = 3", "days = 9"),
        ("stages.0.checks", {"hand_out.days": ""}, "[stages.hand_out]\ndays = 3\n", ""),
    ],
)
def test_tables_with_headings_and_names_with_dots_are_changed_where_they_stand(
    key: str, given: dict[str, str], before: str, after: str
) -> None:
    part = next((each for each in parts_of(HEADINGS) if each.key == key), None)
    assert part is not None
    changed = write(HEADINGS, key, given)
    expected = tomllib.loads(HEADINGS.replace(before, after))
    assert tomllib.loads(changed) == expected
    assert changed == HEADINGS.replace(before, after) or key == "stages.0"


NOT_OFFERED = {"markdown"}
"""Values that designs have and no form offers: what comes later."""


def member_of(model: type[Table], named: str) -> Any:
    """The member of a table that a field writes, None where it writes none."""
    return next((member for name, member in model.model_fields.items() if named in (name, member.alias)), None)


OTHERWISE = {(NuggetStage, "settle"), (AnswerRuns, "form")}
"""Fields that say of other kinds of a table what they say of this one in part."""

OFFERED = [
    (model, field)
    for form, model in (
        *(("stages", GradeStage), ("stages", NuggetStage), ("checks", GradeStage), ("runs", AnswerRuns)),
        *(("questions", Question), ("grades", Grade), ("documents", Documents)),
    )
    for field in FORMS[form]
    if field.choices and member_of(model, field.name) and (model, field.name) not in OTHERWISE
]


@pytest.mark.parametrize(("model", "field"), OFFERED, ids=lambda each: getattr(each, "name", None))
def test_a_choice_offers_what_a_design_may_say(model: Any, field: DesignField) -> None:
    member = member_of(model, field.name)
    said = {str(each).lower() for each in get_args(member.annotation)} or {"true", "false"}
    if type(None) in get_args(member.annotation):
        said = {"", *COLOURS}
    assert {value for value, _ in field.choices} == said - NOT_OFFERED
    assert field.choices[0][0] == ("" if member.default is None else str(member.default).lower())


def test_a_form_of_another_text_is_not_written_and_no_entry_is_invented() -> None:
    part = next(each for each in parts_of(DESIGN) if each.key == "pool")
    with pytest.raises(BadDesign, match="was changed after the form was made"):
        edited(
            DESIGN.replace("depth = 20", "depth = 3"), verb="write", key="pool", values={"depth": "9"},
            made_from=part.made_from,
        )  # fmt: skip
    for verb, key in (
        ("up", QUESTION),
        ("remove", "stages.0.questions.9"),
        ("remove", "scores"),
        ("write", "x"),
        ("up", ""),
        ("remove", f"{QUESTION}.ask.1"),
        ("list", f"{QUESTION}.ask.1"),
    ):
        with pytest.raises(BadDesign):
            edited(DESIGN, verb=verb, key=key, values={}, made_from="")


def test_what_is_no_number_is_written_and_told_beside_its_line() -> None:
    text = write(DESIGN, "pool", {"depth": "deep"})
    (fault,) = check_design(text)[1]
    assert (fault.line, fault.message) == (10, 'depth is a whole number, not "deep".')


ODD = [
    "x",
    "",
    "stages = 1",
    "[stages]\nkey = 1",
    "scores = 2\nruns = 3",
    "pool = []\n[scores]\nmeasures = 3",
    "[[stages]]\nquestions = [1, {}]",
    "[[stages]]\n[[stages.questions]]\ngrades = 5\nasked_if = 3\nends = 3\nunsure = 2\n"
    "[[stages.questions]]\ngrades = [1]\nasked_if = { x = 1 }",
]


@pytest.mark.parametrize("text", ODD)
def test_a_text_with_faults_has_what_forms_it_can_have(text: str) -> None:
    for part in parts_of(text):
        values = {each.name: each.value for each in part.fields}
        assert write(text, part.key, values) == text


@pytest.mark.parametrize(
    ("verb", "key", "values", "official"),
    [
        ("write", "scores", {"scores.measures.0:measure": "P@5"}, "P@5"),
        ("remove", "scores.measures.0", {}, "AP (readable)"),
        ("up", "scores.measures.1", {}, "nDCG@10"),
        ("write", "scores", {"scores.measures.1:measure": "P@5"}, "nDCG@10"),
    ],
)
def test_the_official_measure_follows_one_that_is_renamed_or_goes(
    verb: str, key: str, values: dict[str, str], official: str
) -> None:
    made_from = next((part.made_from for part in parts_of(DESIGN) if part.key == key), "")
    text = edited(DESIGN, verb=verb, key=key, values=values, made_from=made_from)
    assert tomllib.loads(text)["scores"]["official"] == official


@pytest.mark.parametrize("key", ["key", "stages.0.questions.0", "stages.²", "stages.0.questions.0.ask", ""])
def test_only_a_scale_is_made_a_list_of_grades(key: str) -> None:
    with pytest.raises(BadDesign):
        edited(DESIGN, verb="list", key=key, values={}, made_from="")


def test_a_scale_that_is_none_is_not_made_a_list() -> None:
    key = "stages.0.questions.1.grades"
    with pytest.raises(BadDesign, match="The scale can't be read"):
        edited(DESIGN.replace('"1-5"', '"one"'), verb="list", key=key, values={}, made_from="")


def test_a_number_too_long_to_read_stays_as_it_was_typed() -> None:
    text = write(DESIGN, "pool", {"depth": "9" * 5000})
    assert "depth is a whole number" in check_design(text)[1][0].message


@pytest.mark.parametrize("odd", ["people = [2]", 'people = ["any"]'])
def test_a_member_that_no_field_can_hold_is_no_crash(odd: str) -> None:
    text = write(DESIGN.replace("people = 2", odd), "stages.0", {"share": "0.5"})
    assert "share = 0.5" in text
