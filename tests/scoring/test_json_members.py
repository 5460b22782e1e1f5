"""The one checker of members of JSON objects: what it takes, and what it says of the rest."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.formats.json_members import (
    FILLED,
    FLAG,
    MISSING,
    NAME,
    NUMBER,
    OBJECT,
    REST,
    TEXT,
    WHOLE,
    Kind,
    Member,
    Shape,
    Taken,
    list_of,
    one_of,
    one_word,
    whole_within,
)
from scoring.formats.member_reports import MOST_OTHERS, Codes, Path, Report
from scoring.formats.object_lists import objects_of_list
from scoring.reading import opening as reading
from scoring.records import Issue

PART = Shape(members=(Member("text", TEXT), Member("score", NUMBER, default=0)))
THING = Shape(
    members=(
        Member("id", NAME, also=("number",)),
        Member("title", FILLED),
        Member("grade", WHOLE, default=None, null=None),
        Member("is_new", FLAG, default=False),
        Member("parts", list_of(PART), default=()),
    ),
)


def said(shape: Shape, value: object, **where: Any) -> tuple[Any, list[tuple[int | str, str, str]]]:
    """What is taken, and (place, code, sentence) of what is wrong."""
    report = Report(**where)
    taken = shape.take(value, report)
    return taken, [(each.where, each.code, each.message) for each in report.issues]


def test_members_are_taken_by_name_and_the_others_have_their_defaults() -> None:
    taken, issues = said(THING, {"number": 7, "title": "T", "grade": None, "parts": [{"text": "a"}], "else": 1})
    assert issues == []
    assert taken == {
        "id": "7", "title": "T", "grade": None, "is_new": False, "parts": [{"text": "a", "score": 0}],
    }  # fmt: skip


def test_everything_wrong_is_found_in_one_look_each_with_its_path() -> None:
    value = {"id": True, "title": " ", "grade": True, "is_new": 1, "parts": [{"text": "a"}, {"score": "1"}, 5]}
    taken, issues = said(THING, value, root="$[3]")
    assert issues == [
        ("$[3].id", "type", "“id” must be a text or a whole number, not true or false."),
        ("$[3].title", "missing", "“title” is empty. Fill it in."),
        ("$[3].grade", "type", "“grade” must be a whole number, not true or false."),
        ("$[3].is_new", "type", "“is_new” must be true or false, not a number."),
        ("$[3].parts[1].text", "missing", "“text” is missing. Add it; it must be a text."),
        ("$[3].parts[1].score", "type", "“score” must be a number, not a text."),
        ("$[3].parts[2]", "type", "“parts[2]” must be an object with text, score, not a number."),
    ]
    assert taken["title"] is None
    assert taken["grade"] is None
    assert taken["parts"] == [{"text": "a", "score": 0}, {"text": None, "score": 0}]


def test_an_issue_of_a_line_has_its_number_and_its_sentence_the_path_inside() -> None:
    _, issues = said(THING, {"id": "1", "title": "T", "parts": [{"text": 1}]}, at=12, then="It is passed over.")
    assert issues == [(12, "type", "“parts[0].text” must be a text, not a number. It is passed over.")]


@pytest.mark.parametrize(
    ("where", "begin"), [({}, "The file"), ({"at": 3}, "The line"), ({"root": "$[0]"}, "This"), ({"at": "$.a"}, "This")]
)
def test_what_is_no_object_has_no_members(where: dict[str, Any], begin: str) -> None:
    taken, issues = said(PART, [1], **where)
    assert taken is None
    assert [message for _, _, message in issues] == [f"{begin} must be an object with text, score, not a list."]


def test_null_is_a_value_of_the_wrong_type_unless_it_stands_for_something() -> None:
    of = {
        "wrong": Member("a", TEXT, default=""),
        "other": Member("a", TEXT, null="-"),
        "left out": Member("a", TEXT, default="", null=MISSING),
        "missing": Member("a", TEXT, null=MISSING),
    }
    found = {name: said(Shape(members=(member,)), {"a": None}) for name, member in of.items()}
    assert {name: taken["a"] for name, (taken, _) in found.items()} == {
        "wrong": "", "other": "-", "left out": "", "missing": None,
    }  # fmt: skip
    assert {name: [code for _, code, _ in issues] for name, (_, issues) in found.items()} == {
        "wrong": ["type"], "other": [], "left out": [], "missing": ["missing"],
    }  # fmt: skip


def test_unknown_members_are_passed_over_warned_of_once_kept_or_refused() -> None:
    value = {"text": "a", "x": 1, "": 2}
    assert said(PART, value)[1] == []
    assert [issue[:2] for issue in said(replace(PART, others="refused"), value)[1]] == [
        ("$.x", "unknown-field"), ("$['']", "unknown-field"),
    ]  # fmt: skip
    told: set[str] = set()
    kept = replace(PART, others="kept")
    assert [len(said(kept, value, told=told)[1]) for _ in range(2)] == [2, 0]
    assert said(kept, value)[0][REST] == (("x", 1), ("", 2))
    report = Report()
    replace(PART, others="not used").take(value, report)
    assert not report.is_wrong
    assert "“x” is not used" in report.issues[0].message


def test_texts_and_lists_may_be_bounded() -> None:
    shape = Shape(members=(Member("a", replace(TEXT, limit=3)), Member("b", list_of(TEXT, limit=1))))
    assert said(shape, {"a": "abcd", "b": ["", ""]})[1] == [
        ("$.a", "too-long", "“a” has 4 characters; it may have 3. Shorten it."),
        ("$.b", "too-long", "“b” has 2 entries; it may have 1. Shorten it."),
    ]


def test_entries_of_the_wrong_type_are_named_each_by_its_place() -> None:
    inside = Shape(members=(Member("words", list_of(TEXT)),))
    taken, issues = said(Shape(members=(Member("parts", list_of(inside)),)), {"parts": [{"words": ["a", None, 1]}]})
    assert [(place, code) for place, code, _ in issues] == [
        ("$.parts[0].words[1]", "type"),
        ("$.parts[0].words[2]", "type"),
    ]
    assert taken == {"parts": [{"words": ["a"]}]}


def test_words_and_choices() -> None:
    shape = Shape(members=(Member("a", one_word(3)), Member("b", one_word(numbers=True)), Member("c", one_of("x", ""))))
    assert said(shape, {"a": "abc", "b": 5, "c": ""}) == ({"a": "abc", "b": "5", "c": ""}, [])
    assert [message for _, _, message in said(shape, {"a": " b", "b": "", "c": "y"})[1]] == [
        "“a” must be one word of at most 3 characters, not “ b”.",
        "“b” must be a whole number or one word, not “”.",
        "“c” must be one of x, an empty text, not “y”.",
    ]


def test_a_format_has_its_own_codes_and_a_kind_one_for_all_of_it() -> None:
    codes = Codes(missing="fields", type="field-type", value="value", empty="blank", shape="shape")
    number = Kind(wanted="a number in quotes", types=(str,), make=int, code="number")
    members = (
        Member("a", FILLED),
        Member("b", one_of("x")),
        Member("c", number),
        Member("d", replace(OBJECT, each=PART)),
    )
    shape = Shape(members=members, codes=codes)
    assert [issue[1] for issue in said(shape, {"a": "", "b": "y", "c": "z", "d": {}})[1]] == [
        "blank", "value", "number", "missing",
    ]  # fmt: skip
    assert [issue[1] for issue in said(shape, {"b": 1})[1]] == ["fields", "field-type", "number", "fields"]
    assert said(shape, None)[1][0][1] == "shape"


def test_a_shape_makes_its_records_and_may_say_more() -> None:
    def make(taken: Taken, report: Report, inside: Path) -> tuple[str, float] | None:
        if taken["score"] > 1:
            report.say((*inside, "score"), "score", "Too much.", severity="warning")
        return (taken["text"], taken["score"]) if taken["text"] else None

    shape = Shape(members=(Member("parts", list_of(replace(PART, make=make))),))
    taken, issues = said(shape, {"parts": [{"text": "a", "score": 2}, {"text": ""}]})
    assert taken == {"parts": [("a", 2)]}
    assert issues == [("$.parts[0].score", "score", "Too much.")]


def test_the_objects_of_a_file_that_is_one_list() -> None:
    found = list(objects_of_list(io.BytesIO(b'[{"text": "a"}, {}]'), shape=PART, wanted="a list of parts"))
    assert [(each[0], each[1], len(each[2].issues)) for each in found if not isinstance(each, Issue)] == [
        (0, {"text": "a", "score": 0}, 0), (1, {"text": None, "score": 0}, 1),
    ]  # fmt: skip
    for content, code in ((b"[]", "no-claims"), (b"{}", "type"), (b"{", "not-json")):
        (issue,) = objects_of_list(io.BytesIO(content), shape=PART, wanted="a list of parts")
        assert isinstance(issue, Issue)
        assert issue.code == code


ENTRY = Shape(
    members=(
        Member("text", FILLED),
        Member("words", list_of(one_word(3), limit=2), default=()),
        Member("lines", list_of(TEXT), default=()),
        Member("short", Kind(wanted="a text", types=(str,), limit=2), default=""),
        Member("number", NUMBER, default=0),
    )
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from(["", " ", "a", "abc", "abcd", "a b", "\u2003"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "words", "lines", "short", "number", "entries", "entry"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(VALUES)
@example({"entries": [{"text": "a", "words": ["a"]}, {"text": "b"}], "entry": {"text": "a", "short": "ab"}})
@example({"entries": [{"text": "a", "lines": [None]}, {"text": "b", "lines": ["a", 1]}]})
@example({"entries": [{"text": "a"}, {"text": "\u2003"}, {"words": ["a b"]}], "entry": {"text": "a", "short": "abc"}})
def test_objects_inside_are_taken_alike_on_the_short_way_and_on_the_long_one(value: object) -> None:
    """The short way tells nobody where it is; a shape that makes its own records goes the long one."""

    def around(entry: Shape) -> Shape:
        one = Kind(wanted="an object", types=(dict,), each=entry)
        return Shape(members=(Member("entries", list_of(entry, is_filled=True)), Member("entry", one)))

    long = replace(ENTRY, make=lambda taken, report, inside: taken)
    assert (ENTRY.is_quick, long.is_quick) == (True, False)
    assert said(around(ENTRY), value) == said(around(long), value)


def test_a_kind_may_have_one_sentence_for_all_that_is_wrong_with_it() -> None:
    grade = replace(whole_within(9), code="value", sentence="The grade must be a digit.")
    shape = Shape(members=(Member("grade", grade),))
    for wrong in ({"grade": True}, {"grade": 10}, {"grade": None}, {}):
        assert said(shape, wrong)[1] == [("$.grade", "value", "The grade must be a digit.")]
    assert said(shape, {"grade": -9}) == ({"grade": -9}, [])


def test_what_was_reported_is_given_once() -> None:
    report = Report()
    assert WHOLE.read("1", report, ("a",)) is None
    assert [issue.where for issue in report.flush()] == ["$.a"]
    assert (report.flush(), report.is_wrong) == ([], False)
    assert WHOLE.read(1, report, ("a",)) == 1
    assert report.issues == []


@pytest.mark.parametrize("others", ["not used", "kept", "further", "refused"])
def test_an_object_with_more_unknown_members_than_anybody_has_is_refused(others: Any) -> None:
    shape = Shape(members=(Member("a", TEXT),), others=others)
    many = {f"k{number}": number for number in range(MOST_OTHERS)}
    _, issues = said(shape, many | {"a": "b"})
    assert len(issues) == MOST_OTHERS
    taken, issues = said(shape, many | {"a": "b", "more": 1})
    assert taken.get(REST, ()) == ()
    assert issues == [("$", "too-long", "The file has 1,001 members that are not known; it may have 1,000. Known: a.")]


def test_nothing_is_said_of_unknown_members_once_enough_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(reading.TOO_MANY, "error", 3)
    report = Report()
    shape = Shape(members=(), others="refused")
    for _ in range(5):
        shape.take({"k": 1}, report)
    assert [issue.code for issue in report.issues] == ["unknown-field"] * 3


def test_an_object_of_names_may_be_bounded() -> None:
    shape = Shape(members=(Member("a", Kind(wanted="an object", types=(dict,), limit=1)),))
    assert said(shape, {"a": {"x": 1}}) == ({"a": {"x": 1}}, [])
    assert said(shape, {"a": {"x": 1, "y": 2}})[1] == [
        ("$.a", "too-long", "“a” has 2 entries; it may have 1. Shorten it.")
    ]
