"""`design check`: every fault of a design with its line, its member by name, and what to do."""

from __future__ import annotations

import gzip
import json
import re
import tomllib
from copy import deepcopy
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.design_text import DESIGN
from tracks.__main__ import main
from tracks.designs import checking
from tracks.designs.checking import check_design
from tracks.designs.places import BadToml, read_toml
from tracks.designs.reading import BadDesign, track_of_text
from tracks.designs.shape import Design

DOCS = Path(__file__).resolve().parents[3] / "docs"
OF_STAGE = "stages.passages"
OF_FIRST = f"{OF_STAGE}.questions.misleading"
OF_SECOND = f"{OF_STAGE}.questions.readability"
BROKEN = [
    ("depth = 20", "dept = 20", 10, "pool.dept", "“dept” is no member of [pool]. Did you mean depth?"),
    ("[pool]", "[poll]", 9, "poll", "“poll” is no member of the design. Did you mean pool?"),
    ("depth = 20", 'depth = "20"', 10, "pool.depth", 'depth is a whole number, not "20": take the quotes away.'),
    ("depth = 20", "depth = 0", 10, "pool.depth", "depth is at least 1, not 0."),
    ("depth = 20", "depth = 20\ndepth = 30", 11, "", "“depth” is given twice; it stands in line 10, too."),
    ('title = "Misleading passages"\n', "", 1, "title", "The design needs title."),
    ("design = 1", "design = 2", 1, "design", "design is one of 1, not 2."),
    ('key = "misleading-2026"', 'key = "no blank"', 2, "key", "key has letters, digits, “.”, “_” and “-” alone"),
    ('work = "grade"\n', "", 12, OF_STAGE, 'The stage passages needs work: "grade", "nuggets" or "matches".'),
    ('work = "grade"', 'work = "grad"', 14, f"{OF_STAGE}.work", "work is one of grade, nuggets, matches or pairs"),
    ('level = "ordinal"', 'level = "ordnal"', 20, f"{OF_FIRST}.level", "Did you mean ordinal?"),
    ('press = "s"', 'pres = "s"', 23, f"{OF_FIRST}.grades.somewhat.pres", "“pres” is no member of the grade somewhat."),
    ('name = "yes", ', "", 22, f"{OF_FIRST}.grades.1.name", "Grade 1 needs name."),
    ('press = "s"', 'press = "y"', 23, f"{OF_FIRST}.grades.somewhat.press", "have the same press, “y”. Free are: 1, 2"),
    ("value = 1,", "value = 2,", 23, f"{OF_FIRST}.grades.somewhat.value", "have the same value, 2."),
    ('press = "s"', 'press = "so"', 23, f"{OF_FIRST}.grades.somewhat.press", "it is one key of the keyboard"),
    ('press = "o"', 'press = " "', 24, f"{OF_FIRST}.grades.no.press", "Write a letter, a digit or a sign for press."),
    ('note = "offered"', 'note = "maybe"', 22, f"{OF_FIRST}.grades.yes.note", "note is one of none, offered"),
    ('key = "readability"', 'key = "misleading"', 27, OF_FIRST, "There are two of question misleading"),
    ('press = "s"', "press = 5", 23, f"{OF_FIRST}.grades.somewhat.press", 'press is a text, not 5: write "5".'),
    ("people = 2", 'people = "2"', 15, f"{OF_STAGE}.people", 'not "2": take the quotes away.'),
    ("ends = [", 'unsure = "x"\nends = [', 31, f"{OF_SECOND}.unsure", 'not "x": write { press = … }.'),
    ("people = 2", "people = { each = 2, share = 25 }", 15, f"{OF_STAGE}.people.share", "at most 1, not 25."),
    ('["nDCG@10",', '["ndcg_cut_10",', 36, "scores.measures.1", "Here “ndcg_cut_10” is called nDCG@10: write that."),
    ('ask = "Is it', 'ask: "Is it', 19, "", "After “ask” comes =, not a colon, and a value"),
    ("{ value = 1,", "{ value = 0.555,", 23, f"{OF_FIRST}.grades.somewhat.value", "two decimals at most, not 0.555"),
    ("{ value = 1,", '{ value = 0.5, name = "a" },{value = 0.5,', 23, f"{OF_FIRST}.grades.somewhat.value", ", 0.5."),
    ("{ value = 1,", "{ value = 400.5,", 23, f"{OF_FIRST}.grades.somewhat.value", "at most 327.67, not 400.5."),
    ("{ value = 1,", "{ value = 2.0,", 23, f"{OF_FIRST}.grades.somewhat.value", "have the same value, 2."),
    ('grades = "1-5"', 'grades = "5-1"', 30, f"{OF_SECOND}.grades", "from a lower number to a higher one"),
    ('grades = "1-5"', 'grades = "one"', 30, f"{OF_SECOND}.grades", 'a scale of numbers such as "1-5", not "one".'),
    ('grades = "1-5"\n', "", 27, f"{OF_SECOND}.grades", "The question readability needs two grades or more."),
    ('ask = "How', 'people = 3\nask = "How', 29, f"{OF_SECOND}.people", "move it above line 27."),
    ('ask = "How', 'asked_if = { misleadin = ["no"] }\nask = "How', 29, f"{OF_SECOND}.asked_if.misleadin", "Did you"),
    ('ask = "How', 'asked_if = { misleading = "so" }\nask = "How', 29, f"{OF_SECOND}.asked_if.misleading", "no grade"),
    ('ask = "How', 'asked_if = { readability = 3 }\nask = "How', 29, f"{OF_SECOND}.asked_if.readability", "own answer"),
    ('ask = "Is', 'asked_if = { readability = 3 }\nask = "Is', 19, f"{OF_FIRST}.asked_if.readability", "after this"),
    ('ask = "How', 'asked_if = { misleading = [] }\nask = "How', 29, f"{OF_SECOND}.asked_if.misleading", "name one"),
    ('ask = "How', 'asked_if = {}\nask = "How', 29, f"{OF_SECOND}.asked_if", "always hold"),
    ('ask = "How', 'asked_if = [{ misleading = 7 }]\nask = "How', 29, f"{OF_SECOND}.asked_if.1.misleading", "“7”"),
    ('ends =', 'unsure = { press = "3" }\nends =', 31, f"{OF_SECOND}.unsure.press", "for a grade already. Free"),
    ('ends =', 'unsure = { press = "x", name = "4" }\nends =', 31, f"{OF_SECOND}.unsure.name", "give unsure another"),
    ("relevant_from = 4", "relevant_from = 6", 36, "scores.measures.2.relevant_from", "No grade of readability"),
    ('question = "misleading"', 'question = "mislead"', 34, "scores.question", "Did you mean misleading?"),
    ('"nDCG@10", {', '"nDCK@10", {', 36, "scores.measures.1", "No measure is called"),
    ('question = "readability", rel', 'questions = "a", rel', 36, "scores.measures.2.questions", "“questions” is no"),
    ('question = "readability", rel', 'question = "read", rel', 36, "scores.measures.2.question", "There is no"),
    ('official = "nDCG@10"', 'official = "nDCG@20"', 37, "scores.official", "no measure “nDCG@20” in measures."),
    ("relevant_from = 1", "relevant_from = 9", 35, "scores.relevant_from", "so nothing would be relevant."),
    ('press = "s", name', 'press = "s" name', 23, "", "A comma is missing before “name ="),
    ('ask = "Is it misleading?"', "ask = “Is it misleading?”", 19, "", "“ is a curly quote: write straight ones"),
    ('ask = "Is it misleading?"', 'ask = "Is it misleading?', 19, "", "A text is not closed"),
    ('grades = "1-5"\nends', 'grades = "0-10"\nends', 30, f"{OF_SECOND}.grades", "0-10 has 11 grades"),
    ("[scores]", '[guidelines]\nfile = "../../secret"\n\n[scores]', 34, "guidelines.file", "the name of a file alone"),
    ("[scores]", '[guidelines]\nfile = "/etc/hostname"\n\n[scores]', 34, "guidelines.file", "the name of a file alone"),
    ('grades = "1-5"', 'grades = "1-99999999999999999999"', 30, f"{OF_SECOND}.grades", 'such as "1-5", not "1-99'),
    ('grades = "1-5"', 'grades = "0-9999"', 30, f"{OF_SECOND}.grades", "A scale has at most 101 numbers"),
    ("gain = 1 ", "gain = nan ", 23, f"{OF_FIRST}.grades.somewhat.gain", "gain is a number that can be counted"),
    ("gain = 1 ", "gain = 1e300 ", 23, f"{OF_FIRST}.grades.somewhat.gain", "gain is at most 100,000, not 1e+300."),
    ("gain = 1 ", f"gain = {10**99} ", 23, f"{OF_FIRST}.grades.somewhat.gain", "gain is at most 100,000, not 1000"),
    ("gain = 1 ", f"gain = {10**400} ", 23, "", "A number of 401 characters is more than can be read"),
    ("gain = 1 ", f"gain = 1{'0' * 5000} ", 23, "", "A number of 5,001 characters is more than can be read"),
    ("value = 1,", "value = 40000,", 23, f"{OF_FIRST}.grades.somewhat.value", "value is at most 32,767, not 40000."),
    ("value = 1,", "value = inf,", 23, f"{OF_FIRST}.grades.somewhat.value", "is a number that can be counted with"),
    ("relevant_from = 1", "relevant_from = nan", 35, "scores.relevant_from", "is a number that can be counted with"),
    ("relevant_from = 1", "relevant_from = 0", 35, "scores.relevant_from", "relevant_from is above 0, not 0: else"),
    ("relevant_from = 4", "relevant_from = -1", 36, "scores.measures.2.relevant_from", "is above 0, not -1: else"),
    ("relevant_from = 1", "gains = { yes = inf }", 35, "scores.gains.yes", "yes is a number that can be counted with"),
    ("people = 2", "people = 2\nagreement = { floor = 5 }", 16, f"{OF_STAGE}.agreement.floor", "at most 1, not 5."),
    ("people = 2", "people = { each = 2, share = 1.5 }", 15, f"{OF_STAGE}.people.share", "is at most 1, not 1.5."),
    ("people = 2", "people = 0", 15, f"{OF_STAGE}.people", "people is at least 1, not 0."),
    ("[scores]", "[[changes]]\nquestion = 'misleading'\nfrom = 1.5\nto = 2\n[scores]", 35, "changes.1.from", "whole"),
    ("[scores]", "[[changes]]\nquestion = 'misleading'\nfrom = inf\nto = 2\n[scores]", 35, "changes.1.from", "whole"),
    ('name = "somewhat"', 'name = "YES"', 23, f"{OF_FIRST}.grades.YES.name", "would both be known as yes: give one"),
    ('name = "yes"', 'name = "yes", key = "no"', 24, f"{OF_FIRST}.grades.no.name", "would both be known as no: give"),
    ("[scores]", f"[{'.'.join('a' * 3000)}]\n[scores]", 33, "", "More than 50 tables or lists stand inside"),
    ("depth = 20", f"a = {'[' * 2000}{']' * 2000}", 10, "", "More than 50 tables or lists stand inside one another"),
    ("depth = 20", f"{'.'.join('a' * 3000)} = 1", 10, "", "More than 50 tables or lists stand inside one another"),
    ("depth = 20", "depth = 020", 10, "", "“020” is neither a number nor a date. Write 20."),
    ("depth = 20", "depth = 2026-13-45", 10, "", "“2026-13-45” is neither a number nor a date. A text stands in"),
    ('title = "M', 'title = "C:\\Users\\M', 3, "", "A backslash stands before a sign that it can't stand for: write"),
    ('ask = "Is', 'help = """a\nb\\c"""\nask = "Is', 20, "", "A backslash stands before a sign that it"),
    ("[pool]", "\ufeff[pool]", 9, "", "of letters, digits, - and _, not a sign that nobody sees (U+FEFF)"),
    ("depth = 20", "depth\u00a0= 20", 10, "", "After “depth” stands a sign that nobody sees (U+00A0): take it out."),
    ('title = "M', 'title = "\0M', 3, "", "There is a sign that nobody sees (U+0000): take it out; the file may be"),
    ("depth = 20", "depth = True", 10, "", "“True” is no value here: write true."),
    ("relevant_from = 1", "relevant_from = 1,5", 35, "", "A number has a point before its decimals, as in 3.5"),
    ("[pool]", "[[pool]]", 9, "pool", "pool is a table, not a list."),
    ("[[stages]]", "[stages]", 12, "stages", "stages is a list of tables: write [[stages]], with two brackets."),
    ("[[stages.questions]]", "[stages.questions]", 17, "", "as in line 27: write [[stages.questions]]"),
    ("[scores]", "[stages]\n[scores]", 33, "", "[stages] is a list of tables, as in line 12: write [[stages]] here"),
    ("[[stages]]", "[[stage]]", 12, "stage", "“stage” is no member of the design. Did you mean stages?"),
    ("[pool]", "[topics]\nshown = [1]\n[pool]", 10, "topics.shown.1", "entry 1 of shown is a text, not 1: write"),
    ("[pool]", '[topics]\njudged = ["1", "1"]\n[pool]', 10, "topics.judged.2", "There are two of topic 1"),
    ("[pool]", '[topics]\njudged = [""]\n[pool]', 10, "topics.judged.1", "entry 1 of judged is empty"),
    ("[pool]", '[documents]\nform = "text"\n[pool]', 10, "documents.form", "“form” is no member of [documents]"),
    ("design = 1", "design = true", 1, "design", "design is a whole number, not true."),
    ("design = 1", "design = 1.0", 1, "design", "design is a whole number, not 1.0."),
    ('title = "M', "title = '  ' # M", 3, "title", 'title is blank, not "  ".'),
    ('name = "somewhat"', 'name = "so\\nme"', 23, f"{OF_FIRST}.grades.2.name", "a line break where there is"),
    ('ask = "Is', 'help = "a\\u0000b"\nask = "Is', 19, f"{OF_FIRST}.help", "help has a sign that nobody sees"),
    ('name = "somewhat"', 'name = "2"', 23, f"{OF_FIRST}.grades.2.name", "The name 2 is the value of another grade"),
    ("ends =", 'evidence_labels = ["a", "a"]\nends =', 31, f"{OF_SECOND}.evidence_labels.2", "two of label a"),
    ("ends =", 'answer = "several"\nmost = 9\nends =', 32, f"{OF_SECOND}.most", "more than there are to choose from"),
    ("ends =", 'answer = "several"\nleast = -2\nends =', 32, f"{OF_SECOND}.least", "least is at least 0, not -2."),
    ("ends =", 'answer = "several"\nlevel = "ordinal"\nends =', 32, f"{OF_SECOND}.level", "is of a scale of grades"),
    ("[pool]", '[documents]\nas = "pdf"\n[pool]', 10, "documents.as", 'as is one of text or html, not "pdf".'),
    ("[pool]", '[documents]\nas = "markdown"\n[pool]', 10, "documents.as", 'Not yet known: as = "markdown"'),
    ("[pool]", '[documents]\nshown = ["title"]\n[pool]', 10, "documents.shown", "documents without their text"),
    ("[pool]", '[documents]\nshown = ["text", "Text"]\n[pool]', 10, "documents.shown.2", "There are two of field text"),
    ("people = 2", 'people = 2\nafter = "no"', 16, f"{OF_STAGE}.after", "There is no stage “no” before this one."),
    ('work = "grade"', 'work = "pairs"', 14, f"{OF_STAGE}.work", 'Not yet known: work = "pairs" in a design'),
]  # fmt: skip


MANY = {
    "grades": ('grades = "1-5"\nends = ["unreadable", "clear"]', "grades = [", '{ value = 1, name = "a" },', "]", 101),
    "questions": ("[scores]", "", '[[stages.questions]]\nkey = "a"\nask = "b"\ngrades = "1-5"\n', "[scores]", 100),
    "stages": ("[scores]", "", '[[stages]]\nkey = "a"\nwork = "nuggets"\n', "[scores]", 100),
}


@pytest.mark.parametrize("what", MANY)
def test_lists_that_a_check_walks_again_and_again_have_an_end(what: str) -> None:
    before, begin, entry, end, most = MANY[what]
    design, [fault] = check_design(DESIGN.replace(before, begin + 102 * entry + end))
    assert (design, fault.message) == (None, f"{what} has more than {most} entries: take some out.")


@pytest.mark.parametrize(("before", "after", "line", "member", "words"), BROKEN)
def test_a_broken_design_is_told_by_line_and_name(before: str, after: str, line: int, member: str, words: str) -> None:
    assert before in DESIGN
    design, faults = check_design(DESIGN.replace(before, after, 1))
    told = [(fault.line, fault.member) for fault in faults if words in fault.message]
    assert (design, told) == (None, [(line, member)]), faults
    assert not [fault for fault in faults if "constrained" in fault.member or "literal" in fault.member]


def test_a_backslash_that_stands_for_a_sign_stays() -> None:
    text = DESIGN.replace('title = "M', r'title = "a \\q \u00e9 \U0001F41D \" M').replace(
        'ask = "Is', 'help = """a\\\n b"""\nask = "Is'
    )
    design, faults = check_design(text)
    assert design is not None and faults == [] and design.title.startswith(r"a \q é 🐝")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_right_design_has_no_faults(mark: str) -> None:
    design, faults = check_design(mark + DESIGN)
    assert (faults, design is not None and design.stages[0].key) == ([], "passages")


def test_the_command_prints_faults_and_ends_with_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(DESIGN)
    assert (main(["design", "check", str(path)]), capsys.readouterr().out) == (0, "")
    path.write_text(DESIGN.replace("depth = 20", "dept = 20"))
    assert main(["design", "check", str(path)]) == 1
    assert capsys.readouterr().out.startswith("10\terror\tpool.dept\t“dept” is no member")
    assert main(["design", "check", str(path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)[0]["line"] == "10"
    assert main(["design", "check", str(tmp_path / "none.toml")]) == 2
    path.write_bytes(b"\xff")
    assert main(["design", "check", str(path)]) == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "can't be read"),
        (b"One\n\xe9\n", "rules.md is no text in UTF-8: line 2 has the byte 0xE9. Save it as UTF-8."),
        ("Read closely.".encode("utf-16"), "rules.md is UTF-16, not UTF-8. Save it as UTF-8."),
        ("Read closely, as before.".encode("utf-16-le"), "rules.md is UTF-16, not UTF-8. Save it as UTF-8."),
        (gzip.compress(b"Read closely.", mtime=0), "rules.md is a file that is packed by gzip. Unpack it first."),
        (b" \n", "rules.md is empty: write it, or take its name away."),
        (b"One\n\0\n", "rules.md has a NUL in line 2. Take it out; the file may be damaged."),
    ],
)
def test_guidelines_that_cannot_be_read_are_said(tmp_path: Path, content: bytes | None, words: str) -> None:
    if content is not None:
        (tmp_path / "rules.md").write_bytes(content)
    with pytest.raises(BadDesign, match=words):
        track_of_text(f'{DESIGN}\n[guidelines]\nfile = "rules.md"\n', folder=tmp_path)
    (tmp_path / "rules.md").write_text("Read closely.")
    assert track_of_text(f'{DESIGN}\n[guidelines]\nfile = "rules.md"\n', folder=tmp_path).guidelines == "Read closely."


def test_the_schema_is_closed_and_names_each_kind_of_work(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["design", "schema"]) == 0
    printed = capsys.readouterr().out
    again = "run: .venv/bin/python -m tracks design schema > docs/design.schema.json"
    assert (DOCS / "design.schema.json").read_text() == printed, again
    schema = json.loads(printed)
    tables = [each for each in [schema, *schema["$defs"].values()] if each.get("type") == "object"]
    assert all(each["additionalProperties"] is False and each["description"] for each in tables)
    assert {"GradeStage", "NuggetStage", "MatchStage", "PairStage"} <= set(schema["$defs"])
    assert set(schema["properties"]) == set(Design.model_fields)
    people = schema["$defs"]["GradeStage"]["properties"]["people"]
    assert (people["description"][:24], people["examples"]) == (
        "People who judge a topic",
        [{"each": 2, "share": 0.25}],
    )


def test_every_design_of_the_gallery_names_the_schema_and_keeps_to_it() -> None:
    schema = json.loads((DOCS / "design.schema.json").read_text())
    text = ""
    for path in (DOCS / "designs").glob("*.toml"):
        text = path.read_text()
        assert text.startswith("#:schema ../design.schema.json\n"), path
        jsonschema.validate(tomllib.loads(text), schema)
    with pytest.raises(jsonschema.ValidationError, match="dept"):
        jsonschema.validate({**tomllib.loads(text), "pool": {"dept": 3}}, schema)


def test_the_schema_asks_for_what_no_base_says() -> None:
    schema = json.loads((DOCS / "design.schema.json").read_text())
    based: Any = {
        "design": 1,
        "base": "adhoc",
        "runs": {"limit": 5},
        "stages": [{"key": "documents", "questions": [{"key": "relevance", "ask": "Is it?"}, {"key": "relevance"}]}],
    }
    jsonschema.validate(based, schema)
    repeated = [{**based["stages"][0], "repeats": {"after": 3}}]
    jsonschema.validate({**based, "stages": repeated}, schema)
    with pytest.raises(jsonschema.ValidationError, match="not valid under any"):
        jsonschema.validate({**based, "stages": [{"labl": "a"}]}, schema)
    whole = tomllib.loads(DESIGN)
    jsonschema.validate(whole, schema)
    for gone, words in (
        (("key",), "'key' is a required property"),
        (("runs", "form"), "'form' is a required property"),
        (("stages", 0, "work"), "'work' is a required property"),
        (("stages", 0, "repeats", "share"), "'share' is a required property"),
        (("stages", 0, "questions"), "'questions' is a required property"),
        (("stages", 0, "questions", 0, "ask"), "'ask' is a required property"),
        (("stages", 0, "questions", 0, "grades", 0, "name"), "not valid under any"),
    ):
        design: Any = deepcopy(whole)
        design["stages"][0]["repeats"] = {"share": 0.1, "after": 3}
        del reduce(getitem, gone[:-1], design)[gone[-1]]
        with pytest.raises(jsonschema.ValidationError, match=words):
            jsonschema.validate(design, schema)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a = 1\na = 2", 2, "given twice"),
        ("x = { b = 1,\n c = 2 }", 1, "can't contain a line break"),
        ("x = { b = 1, }", 1, "a comma before }"),
        ("x = [1 2]", 1, "A comma is missing"),
        ("x = [\n1,\n2", 1, "] is missing"),
        ("x = hello", 1, "texts stand in straight quotes"),
        ("x 1", 1, "After “x” comes ="),
        ("x = 1 2", 1, "The line should end here"),
        ("[a]\nx = 1\n[a]\ny = 1", 3, "stands here a second time"),
        ("[a\nx = 1", 1, "ends with ]"),
        ("x = '''never", 1, "is not closed"),
        ("x = 01", 1, "Write 1."),
        ("y = 1\nx = 1\rz = 2", 2, "ends with a carriage return alone"),
    ],
)
def test_bad_syntax_has_its_line_and_its_own_words(text: str, line: int, words: str) -> None:
    with pytest.raises(BadToml, match=words.replace("[", r"\[").replace("]", r"\]").replace(".", r"\.")) as refused:
        read_toml(text)
    assert refused.value.line == line


def test_every_member_has_its_line() -> None:
    text = 'a.b = 1\n"c d" = [\n  1,\n  { e = """two\nlines""" },\n]\n[[t]]\n[t.u]\nx = 2 # said\n[[t]]\ny = "a # b"\n'
    values, places = read_toml(text)
    assert values["t"] == [{"u": {"x": 2}}, {"y": "a # b"}]
    lines = {path: places.line(path) for path in [("a", "b"), ("c d", 1, "e"), ("t", 0, "u", "x"), ("t", 1, "y")]}
    assert lines == {("a", "b"): 1, ("c d", 1, "e"): 4, ("t", 0, "u", "x"): 9, ("t", 1, "y"): 11}
    assert places.line(("t", 1, "absent")) == 10


OF_ANSWERS = """design = 1
key = "support"
title = "Support"

[runs]
form = "answers"
too_long = "warning"

[[stages]]
key = "support"
work = "grade"
item = "citation"

[[stages.questions]]
key = "support"
ask = "Does the document support it?"
evidence_ask = "Select what does"
grades = "0-2"

[scores]
measures = ["citation-precision"]
"""
OF_ITEMS = """design = 1
key = "claims"
title = "Claims"

[runs]
form = "items"
text = "claim"
shown = ["source"]

[[stages]]
key = "claims"
work = "grade"

[[stages.questions]]
key = "truth"
ask = "Is it true?"
grades = "1-5"
"""
WITHOUT_EVIDENCE = OF_ANSWERS.replace("evidence_ask", "note_ask")
EXPORTED = f'{OF_ANSWERS}\n[[exports]]\nname = "a.txt"\nstage = "support"\n'
OF_SUPPORT = "stages.support.questions.support.evidence_ask"
OF_TRUTH = "stages.claims.questions.truth.evidence_ask"
OF_GAIN = "stages.claims.questions.truth.grades.a.gain"
SEVERAL = 'answer = "several"\ngrades = "1-5"\n[scores]\nquestion = "truth"'
OF_OTHER_FORMS = [
    (OF_ANSWERS, '"citation"', '"citatoin"', 12, "stages.support.item", "Did you mean citation?"),
    (OF_ANSWERS, '"citation"', '"string"', 12, "stages.support.item", "There is no item “string” in runs of the form"),
    (OF_ANSWERS, '"warning"', '"warn"', 7, "runs.too_long", "Did you mean warning?"),
    (OF_ANSWERS, 'too_long', "to_long", 7, "runs.to_long", "“to_long” is no member of [runs]. Did you mean too_long?"),
    (OF_ANSWERS, '"answers"', '"answer"', 6, "runs.form", "form is one of ranked, answers, strings or items"),
    (OF_ANSWERS, '["citation-precision"]', '["nDCG@10"]', 21, "scores.measures.1", "no measure of graded items"),
    (OF_ANSWERS, 'item = "citation"', 'item = "response"', 17, OF_SUPPORT, "a response has none"),
    (WITHOUT_EVIDENCE, '"citation"', '"sentence"', 21, "scores.measures.1", "asked of citations, and support"),
    (EXPORTED, 'stage = "support"', 'stage = "suport"', 25, "exports.a.txt.stage", "There is no stage “suport”."),
    (EXPORTED, 'name = "a.txt"', 'name = "../a.txt"', 24, "exports.../a.txt.name", "letters, digits"),
    (EXPORTED, 'name = "a.txt"', 'name = "judgments.jsonl"', 24, "exports.judgments.jsonl.name", "another file called"),
    (EXPORTED, 'stage = "support"', 'stage = "support"\nquestion = "no"', 26, "exports.a.txt.question", "Name one of"),
    (OF_ITEMS, 'text = "claim"\n', "", 5, "runs.text", "[runs] needs text."),
    (OF_ITEMS, 'text = "claim"', 'text = ["a", "b"]', 7, "runs.text", "Not yet known: pairs of texts"),
    (OF_ITEMS, 'shown = ["source"]', 'suggest_shown = "to no one"', 8, "runs.suggest_shown", "name their file in"),
    (OF_ITEMS, "shown =", 'source = "a"\ndocument = "b"\nshown =', 8, "runs.source", "A row has one document"),
    (OF_ITEMS, "grades =", 'evidence_ask = "Where?"\ngrades =', 17, OF_TRUTH, "or of its docno in document"),
    (OF_ITEMS, "shown =", 'systems = ["source"]\nshown =', 9, "runs.shown.1", "“source” names systems, which nobody"),
    (OF_ITEMS, "shown =", 'systems = ["who"]\ntopic = "who"\nshown =', 9, "runs.topic", "“who” names systems"),
    (OF_ITEMS, "shown =", 'systems = ["claim"]\nshown =', 7, "runs.text", "“claim” names systems, which nobody"),
    (OF_ITEMS, "shown =", 'systems = ["who"]\nsource = "who"\nshown =', 9, "runs.source", "“who” names systems"),
    (OF_ITEMS, "shown =", 'systems = ["who"]\ndocument = "who"\nshown =', 9, "runs.document", "“who” names systems"),
    (OF_ITEMS, "shown =", 'topic = "system"\nshown =', 8, "runs.topic", "call this column otherwise."),
    (OF_ITEMS, 'grades = "1-5"', 'grades = [{ value = 1, name = "a", gain = nan }]', 17, OF_GAIN, "counted with"),
    (OF_ITEMS, "[[stages]]", "[pool]\ndepth = 9\n[[stages]]", 11, "pool.depth", "items return is judged: take"),
    (OF_ANSWERS, "[[stages]]", '[documents]\nas = "html"\n[[stages]]', 10, "documents.as", 'say as = "text"'),
    (OF_ITEMS, 'work = "grade"', 'work = "grade"\nitem = "citation"', 13, "stages.claims.item", "There is no item"),
    (OF_ITEMS, 'form = "items"', "", 5, "runs", '[runs] needs form: "ranked", "answers", "strings" or "items".'),
    (OF_ITEMS, 'grades = "1-5"', SEVERAL, 20, "scores.question", 'truth has answer = "several", and only questions'),
    (DESIGN, '["nDCG@10", {', '["nDCG@10", "AP", "AP", {', 36, "scores.measures.3", "two columns called AP: give one"),
    (DESIGN, '["nDCG@10", {', '["nDCG@10", "kappa", {', 36, "scores.measures.2", "is a measure of agreement: name it"),
    (DESIGN, 'work = "grade"', 'work = "pairs"', 14, f"{OF_STAGE}.work", 'nearest is a table of pairs: [runs] form = '),
]  # fmt: skip


@pytest.mark.parametrize(("text", "before", "after", "line", "member", "words"), OF_OTHER_FORMS)
def test_a_design_of_other_runs_is_told_by_line_and_name(
    text: str, before: str, after: str, line: int, member: str, words: str
) -> None:
    assert check_design(text)[1] == [] and before in text
    design, faults = check_design(text.replace(before, after, 1))
    told = [(fault.line, fault.member) for fault in faults if words in fault.message]
    assert (design, told) == (None, [(line, member)]), faults


WITHOUT_EFFECT = [
    (DESIGN, '["nDCG@10", {', '["AP(rel=4)", {', 36, "scores.measures.1", "No grade of misleading gains 4 or more"),
    (DESIGN, '["nDCG@10", {', '["AP", { measure = "nDCG@5", relevant_from = 1 }, {', 36,
     "scores.measures.2.relevant_from", "nDCG@5 counts all gains, and nothing as relevant from a bound on"),
    (OF_ANSWERS, '["citation-precision"]', '[{ measure = "citation-recall", relevant_from = 2 }]', 21,
     "scores.measures.1.relevant_from", "citation-recall counts all gains"),
    (DESIGN, "[scores]", "[scores]\ngains = { yes = 0, 2 = 1 }", 34, "scores.gains.2", "“yes” and “2” are one grade"),
    (OF_ITEMS, "shown =", 'topic = "subject"\nbatch = 10\nshown =', 9, "runs.batch", "groups rows into topics"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "before", "after", "line", "member", "words"), WITHOUT_EFFECT)
def test_what_has_no_effect_is_said_and_stays(
    text: str, before: str, after: str, line: int, member: str, words: str
) -> None:
    text = text.replace('official = "nDCG@10"\n', "")
    assert before in text
    design, (fault,) = check_design(text.replace(before, after, 1))
    assert design is not None and (fault.line, fault.member, fault.severity) == (line, member, "warning")
    assert words in fault.message


def test_means_of_several_people_are_told_where_gains_have_no_decimals() -> None:
    text = DESIGN.replace("people = 2", 'people = 2\nsettle = "mean"').replace('["nDCG@10", {', '["ERR@10", "Q@10", {')
    told = [fault.message for fault in check_design(text)[1] if "decimals" in fault.message]
    assert told == [
        'ERR@10 takes whole gains alone; means of several people (settle = "mean") of misleading have decimals.'
    ]


def test_a_file_is_called_as_the_design_says() -> None:
    assert [export.name for export in track_of_text(EXPORTED).exports] == ["a.txt", "judgments.jsonl"]
    named = f'{DESIGN}\n[[exports]]\nname = "gold.qrels"\nstage = "passages"\nquestion = "misleading"\n'
    track = track_of_text(named)
    assert [export.name for export in track.exports] == ["gold.qrels", "qrels-readability.txt", "judgments.jsonl"]
    assert track.scoring.gold_files == ("gold.qrels", "qrels-readability.txt")


@pytest.mark.parametrize("measure", ["ERR@10", "nDCG(exp=true)@10"])
def test_measures_of_gdeval_take_gains_up_to_four(measure: str) -> None:
    text = DESIGN.replace('["nDCG@10", {', f'["{measure}", {{').replace('official = "nDCG@10"\n', "")
    assert check_design(text.replace("gain = 2 ", "gain = 4 "))[1] == []
    design, [fault] = check_design(text.replace("gain = 2 ", "gain = 5 "))
    assert (design, fault.line) == (None, 36)
    assert fault.message == f"{measure} takes gains up to 4; those of misleading go to 5."


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("alpha_nDCG@10", "alpha_nDCG@10 needs judgments of subtopics, which no design has."),
        ("nDCG(exp=true)", "nDCG(exp=true) can't be computed; change or leave out its parameters or its cutoff."),
        ("nDCG(rel=2)", "nDCG has no parameter “rel=2”; write name=value (it has: exp, judged_only)."),
    ],
)
def test_a_measure_that_is_not_computed_is_refused(measure: str, words: str) -> None:
    text = DESIGN.replace('["nDCG@10", {', f'["{measure}", {{').replace('official = "nDCG@10"\n', "")
    design, [fault] = check_design(text)
    assert (design, fault.line, fault.message) == (None, 36, words)


@pytest.mark.parametrize("name", ["qrels-readability.txt", "QRELS-Readability.txt", "Manifest.json"])
def test_a_file_does_not_take_the_name_of_another(name: str) -> None:
    text = f'{DESIGN}\n[[exports]]\nname = "{name}"\nstage = "passages"\nquestion = "misleading"\n'
    design, [fault] = check_design(text)
    assert (design, fault.line, fault.member) == (None, 40, f"exports.{name}.name")
    assert fault.message == f"There is another file called {name.lower()}."


def test_a_file_may_have_its_own_name_and_one_that_is_free() -> None:
    entry = '\n[[exports]]\nname = "qrels-readability.txt"\nstage = "passages"\nquestion = "{}"\n'
    renamed = entry.format("readability").replace("qrels-readability", "b")
    assert [
        check_design(f"{DESIGN}{entry.format('readability')}")[1],
        check_design(f"{DESIGN}{entry.format('misleading')}{renamed}")[1],
    ] == [[], []]


def test_the_files_of_nuggets_are_no_names_for_others() -> None:
    stages = "".join(f'[[stages]]\nkey = "{key}"\nwork = "{key}"\n{more}\n' for key, more in (
        ("nuggets", ""), ("matches", 'from = "nuggets"\n'),
    ))  # fmt: skip
    text = EXPORTED.replace("[scores]", f"{stages}[scores]")
    assert check_design(text)[1] == []
    design, [fault] = check_design(text.replace('"a.txt"', '"nuggets.jsonl"'))
    assert (design, fault.message) == (None, "There is another file called nuggets.jsonl.")


def test_guidelines_that_are_missing_have_their_line_and_come_to_no_site_with_the_design_alone(tmp_path: Path) -> None:
    text = f'{DESIGN}\n[guidelines]\nfile = "rules.md"\n'
    design, [fault] = check_design(text, folder=tmp_path)
    assert (design, fault.line, fault.member) == (None, 40, "guidelines.file")
    assert fault.message == "rules.md can't be read: No such file or directory."
    design, [fault] = check_design(text)
    assert (design is not None, fault.line, fault.severity) == (True, 40, "warning")
    assert "a new campaign begins with what is asked and its help" in fault.message


@pytest.mark.parametrize("what", ["help_file", "guidelines"])
def test_a_file_beside_the_design_has_a_plain_name_and_lies_there(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "design"
    folder.mkdir()
    (tmp_path / "elsewhere.md").write_text("Not for you.")
    (folder / "link.md").symlink_to(tmp_path / "elsewhere.md")

    def told(name: str) -> list[tuple[int, str]]:
        text = f'{DESIGN}\n[guidelines]\nfile = "{name}"\n'
        if what == "help_file":
            text = DESIGN.replace('ask = "Is', f'help_file = "{name}"\nask = "Is')
        return [(fault.line, fault.message) for fault in check_design(text, folder=folder)[1]]

    line = 19 if what == "help_file" else 40
    words = "link.md is a link that leads elsewhere: put the file itself beside the design."
    assert told("link.md") == [(line, words)]
    assert [at for at, _ in told("a\\u0000")] == [line]


def test_a_check_that_breaks_is_told_as_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracks.designs.checking.broken_rules", lambda design: 1 / 0)
    design, [fault] = check_design(DESIGN)
    assert (design, fault.line) == (None, 1) and "a bug in Assay (ZeroDivisionError)" in fault.message


@pytest.mark.parametrize(
    ("before", "after", "line", "words"),
    [
        ('"nDCG@10", {', '"ERR@10", {', 36, "ERR@10 takes whole gains alone"),
        ('"nDCG@10", {', '"nDCG(exp=true)@10", {', 36, "takes whole gains alone"),
        ('"nDCG@10", {', '"AP(rel=2)", {', 36, "takes whole gains alone"),
        ("gain = 1 ", "gain = 0.123456 ", 33, "more than four decimals"),
        ("gain = 1 ", "gain = 99999.9999 ", 33, "too large for their decimals: 1,000,000 parts of one"),
    ],
)
def test_gains_with_decimals_are_refused_by_what_counts_them_otherwise(
    before: str, after: str, line: int, words: str
) -> None:
    halved = DESIGN.replace("gain = 2 ", "gain = 1.5 ").replace('official = "nDCG@10"\n', "")
    assert (check_design(halved)[1], before in halved) == ([], True)
    design, faults = check_design(halved.replace(before, after, 1))
    assert (design, [fault.line for fault in faults if words in fault.message]) == (None, [line]), faults


RUBRIC = (DOCS / "designs" / "report-verdicts.toml").read_text()
OTHER_FILE = '[[exports]]\nname = "rows-verdict.csv"\nstage = "verdicts"\n\n[scores]'


@pytest.mark.parametrize(
    ("before", "after", "member", "words"),
    [
        (
            'group = "question_id"\n',
            "",
            "scores.measures.1",
            "rubric-supported is counted question by question: name",
        ),
        (
            '"judged",',
            '"mean",',
            "stages.verdicts.questions.verdict.grades.contradicts.gain",
            "A gain of verdict is below 0; the least is 0, but for rubric-supported and",
        ),
        ('row = "answer_id"', 'row = "run_tag"', "runs.row", "“run_tag” names systems, which nobody who judges"),
        ("[scores]", OTHER_FILE, "exports.rows-verdict.csv.name", "There is another file called rows-verdict.csv."),
    ],
)
def test_what_a_rubric_of_rows_cannot_say_is_refused(before: str, after: str, member: str, words: str) -> None:
    assert before in RUBRIC
    _, faults = check_design(RUBRIC.replace(before, after))
    assert (faults[0].member, words in faults[0].message) == (member, True)
    assert check_design(RUBRIC.replace("[scores]", "[scores]\ngains = { none = -2 }"))[1] == []


def test_no_more_faults_are_told_than_anybody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A design of 1 MB of members that are not known took 4 seconds, and a page of 125,000 lines."""
    monkeypatch.setattr(checking, "MOST_FAULTS", 10)
    _, faults = check_design("".join(f"k{number} = 1\n" for number in range(50)))
    assert len(faults) <= 11
    assert any(re.match(r"There are 5\d faults, of which 10 are listed\.", fault.message) for fault in faults)
