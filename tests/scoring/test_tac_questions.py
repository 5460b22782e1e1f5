from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.tac_questions import MAX_BYTES, SeriesQuestion, Target, read_questions, write_questions
from scoring.records import Issue

GOOD = """<?xml version="1.0" encoding="UTF-8"?>
<tacqa year="2008">
  <target id="3" text="Trader Joe's">
    <qa>
      <q id="3.1" type="RigidList"> Which products
         do people buy? </q>
      <q id="3.2" type="SquishyList">What do people like &amp; why?</q>
    </qa>
  </target>
</tacqa>
"""


def read(text: str | bytes) -> list[Target | SeriesQuestion | Issue]:
    return list(read_questions(io.BytesIO(text.encode() if isinstance(text, str) else text)))


def issues(text: str | bytes) -> list[tuple[int | str, str, str]]:
    return [(item.where, item.severity, item.code) for item in read(text) if isinstance(item, Issue)]


def in_target(questions: str) -> str:
    """A file whose only target stands on line 1 and whose questions start on line 2."""
    return f'<tacqa><target id="3" text="Wine">\n{questions}\n</target></tacqa>'


def test_what_is_not_read_is_named_once() -> None:
    assert issues(GOOD) == [(2, "note", "unknown-attribute")], "the year of the file"
    first = '<q id="3.1" type="RigidList" lang="en">a <b>c</b></q>'
    found = read(in_target(first + '<q id="3.2" type="RigidList" lang="en">b</q>'))
    assert [each.text for each in found if isinstance(each, SeriesQuestion)] == ["a c", "b"]
    assert [each.message for each in found if isinstance(each, Issue)] == [
        "The element <b> is not known here; its text is read as the question's.",
        "The attribute lang is not used, here or wherever else it stands.",
    ]
    assert issues(in_target(f"Drinks {FIRST}{SECOND} and more")) == [(1, "warning", "text-outside")]
    assert issues(in_target(f"<title>Drinks</title>{FIRST}{SECOND}")) == [(2, "warning", "text-outside")]
    named = f'<tacqa><target id="3" name="Drinks" text="Wine">{FIRST}{SECOND}</target></tacqa>'
    assert issues(named) == [(1, "note", "unknown-attribute")]
    inside = f'<tacqa><target id="3"><title>Wine</title>{FIRST}{SECOND}</target></tacqa>'
    assert issues(inside) == []


FIRST = '<q id="3.1" type="RigidList">a</q>'
SECOND = '<q id="3.2" type="SquishyList">b</q>'


def test_series_are_read_in_file_order_with_lines() -> None:
    assert [each for each in read(GOOD) if not isinstance(each, Issue)] == [
        Target(number="3", text="Trader Joe's", ordinal=1, line=3),
        SeriesQuestion(number="3.1", target="3", kind="rigid", text="Which products do people buy?", ordinal=1, line=5),
        SeriesQuestion(number="3.2", target="3", kind="squishy", text="What do people like & why?", ordinal=2, line=7),
    ]


@pytest.mark.parametrize(
    ("spelling", "kind"),
    [
        ("RigidList", "rigid"),
        ("RIGIDLIST", "rigid"),
        ("rigid", "rigid"),
        ("Rigid List", "rigid"),
        ("rigid-list", "rigid"),
        ("SquishyList", "squishy"),
        ("SQUISHYLIST", "squishy"),
        (" squishy  list ", "squishy"),
        ("squishy_list", "squishy"),
        ("Squishy", "squishy"),
    ],
)
def test_type_spelling_is_free(spelling: str, kind: str) -> None:
    found = read(in_target(f'<q id="3.1" type="{spelling}">a</q>' + SECOND))
    assert found[1] == SeriesQuestion(number="3.1", target="3", kind=kind, text="a", ordinal=1, line=2)


@pytest.mark.parametrize(
    "text",
    [
        '<trecqa><testset><target id="3" text="Wine"><qa>{}</qa></target></testset></trecqa>',
        '<QUESTIONS><TARGET ID="3" TEXT="Wine">{}</TARGET></QUESTIONS>',
        '<x><target number="3" name="Wine"><series>{}</series></target></x>',
        '<x><target num="3"><text> Wine </text>{}</target></x>',
        '<x xmlns="urn:x"><target id=" 3 " title="Wine">{}</target></x>',
        '<!DOCTYPE x SYSTEM "http://example.org/x.dtd"><x><target id="3" text="Wine">{}</target></x>',
    ],
)
def test_roots_containers_and_attribute_names_are_free(text: str) -> None:
    found = read(text.format(FIRST + SECOND.replace("<q ", "<Question ").replace("/q>", "/Question>")))
    records = [item for item in found if not isinstance(item, Issue)]
    assert records == [
        Target(number="3", text="Wine", ordinal=1, line=1),
        SeriesQuestion(number="3.1", target="3", kind="rigid", text="a", ordinal=1, line=1),
        SeriesQuestion(number="3.2", target="3", kind="squishy", text="b", ordinal=2, line=1),
    ]
    assert all(item.severity == "warning" for item in found if isinstance(item, Issue))


BROKEN: dict[str, tuple[str | bytes, list[tuple[int | str, str, str]]]] = {
    "empty file": ("", [("", "error", "xml")]),
    "white space alone": (" \n", [("", "error", "xml")]),
    "no XML": ("1.1 What?\n", [(1, "error", "xml")]),
    "cut off": ('<tacqa>\n<target id="3" text="Wine">\n', [(3, "error", "xml")]),
    "bare ampersand": (in_target('<q id="3.1" type="RigidList">AT&T</q>'), [(2, "error", "xml")]),
    "bare less-than": (in_target('<q id="3.1" type="RigidList">a < b</q>'), [(2, "error", "xml")]),
    "wrong end tag": (in_target('<q id="3.1" type="RigidList">a</question>'), [(2, "error", "xml")]),
    "attribute twice": (in_target('<q id="3.1" id="3.1" type="RigidList">a</q>'), [(2, "error", "xml")]),
    "bad UTF-8": (b"<tacqa>\n\xff</tacqa>", [(2, "error", "xml")]),
    "UTF-7": ('<?xml version="1.0" encoding="UTF-7"?><a/>', [(1, "error", "encoding")]),
    "NUL": ("<tacqa>\0</tacqa>", [(1, "error", "encoding")]),
    "entities": ('<!DOCTYPE a [\n<!ENTITY x "y">]>\n<a/>', [(2, "error", "entity")]),
    "external entity": ('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', [(1, "error", "entity")]),
    "deep nesting": ("<a>" * 300 + "</a>" * 300, [(1, "error", "xml-bounds")]),
    "no target": ("<tacqa>\n</tacqa>", [("", "error", "no-targets")]),
    "question outside": ("<tacqa>\n" + FIRST + "</tacqa>", [
        (2, "error", "question-outside-target"), ("", "error", "no-targets"),
    ]),
    "target without id": ('<t><target text="Wine">' + FIRST + SECOND + "</target></t>", [
        (1, "error", "target-id"), (1, "error", "question-id"), (1, "error", "question-id"),
    ]),
    "target id with a dot": ('<t><target id="3.1" text="Wine"></target></t>', [
        (1, "error", "target-id"), (1, "error", "no-questions"),
    ]),
    "target without text": ('<t><target id="3">' + FIRST + SECOND + "</target></t>", [(1, "error", "target-text")]),
    "target twice": (
        f'<t><target id="3" text="a">{FIRST}{SECOND}</target>\n<target id="3" text="b"><q id="3.3" type="rigid">c</q>'
        '<q id="3.4" type="rigid">d</q></target></t>',
        [(2, "error", "target-duplicate"), (2, "warning", "question-order")],
    ),
    "target in target": (
        f'<t><target id="3" text="a">{FIRST}{SECOND}\n<target id="4" text="b"></target></target></t>',
        [(2, "error", "target-nested")],
    ),
    "no questions": (in_target(""), [(1, "error", "no-questions")]),
    "one question": (in_target(FIRST), [(1, "warning", "series-length")]),
    "five questions": (
        in_target("".join(f'<q id="3.{n}" type="rigid">a</q>' for n in range(1, 6))),
        [(1, "warning", "series-length")],
    ),
    "id of another target": (in_target(FIRST + '<q id="4.2" type="rigid">a</q>'), [(2, "error", "question-id")]),
    "id without target": (in_target(FIRST + '<q id="2" type="rigid">a</q>'), [(2, "error", "question-id")]),
    "id with a leading zero": (in_target(FIRST + '<q id="3.02" type="rigid">a</q>'), [
        (2, "error", "question-id"), (1, "warning", "question-order"),
    ]),
    "no id": (in_target(FIRST + '<q type="rigid">a</q>'), [(2, "error", "question-id")]),
    "id twice": (in_target(FIRST + "\n" + FIRST), [(3, "error", "question-duplicate")]),
    "unknown type": (in_target(FIRST + '<q id="3.2" type="FACTOID">a</q>'), [(2, "error", "question-type")]),
    "no type": (in_target(FIRST + '<q id="3.2">a</q>'), [(2, "error", "question-type")]),
    "empty text": (in_target(FIRST + '<q id="3.2" type="rigid"> \n </q>'), [(2, "error", "question-text")]),
    "out of order": (in_target(SECOND + FIRST), [(1, "warning", "question-order")]),
    "unknown element": (in_target(FIRST + SECOND + "\n<answer>x</answer>"), [(3, "warning", "unknown-element")]),
    "too large": (b"<a>" + b" " * MAX_BYTES, [("", "error", "too-large")]),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_file_is_named(name: str) -> None:
    text, expected = BROKEN[name]
    assert issues(text) == expected


@pytest.mark.parametrize("declared", ["UTF-16", "utf-16le", "UTF-8"])
def test_a_file_in_utf_16_is_read_whatever_it_declares(declared: str) -> None:
    *found, note = read(GOOD.replace("UTF-8", declared).encode("utf-16"))
    assert found == read(GOOD)
    assert isinstance(note, Issue) and (note.severity, note.code) == ("note", "encoding")


def test_flawed_question_is_not_returned_and_the_next_is() -> None:
    found = read(in_target('<q id="3.1" type="FACTOID">a</q>' + SECOND))
    assert [item.number for item in found if isinstance(item, SeriesQuestion)] == ["3.2"]


def test_malformed_message_says_what_to_write() -> None:
    (issue,) = read(in_target('<q id="3.1" type="RigidList">AT&T</q>'))
    assert isinstance(issue, Issue)
    assert "line 2" in issue.message
    assert "Write & as &amp;" in issue.message


def test_entities_in_attributes_are_not_expanded() -> None:
    text = '<!DOCTYPE a SYSTEM "x.dtd"><a><target id="3" text="&laugh;">' + FIRST + SECOND + "</target></a>"
    assert all("laugh" not in item.text for item in read(text) if isinstance(item, Target))


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Co", "Cn"]), max_size=40)
TEXTS = WORDS.map(lambda text: " ".join(text.split())).filter(bool)


@st.composite
def question_files(draw: st.DrawFn) -> list[Target | SeriesQuestion]:
    numbers = draw(st.lists(st.from_regex(r"[A-Za-z0-9_-]{1,6}", fullmatch=True), min_size=1, max_size=4, unique=True))
    records: list[Target | SeriesQuestion] = []
    for place, number in enumerate(numbers, start=1):
        records.append(Target(number=number, text=draw(TEXTS), ordinal=place))
        for ordinal in range(1, draw(st.integers(2, 4)) + 1):
            kind = draw(st.sampled_from(["rigid", "squishy"]))
            name = f"{number}.{ordinal}"
            records.append(SeriesQuestion(number=name, target=number, kind=kind, text=draw(TEXTS), ordinal=ordinal))
    return records


def without_line(record: Target | SeriesQuestion | Issue) -> Target | SeriesQuestion | Issue:
    if isinstance(record, Target):
        return Target(number=record.number, text=record.text, ordinal=record.ordinal)
    if isinstance(record, SeriesQuestion):
        return SeriesQuestion(
            number=record.number, target=record.target, kind=record.kind, text=record.text, ordinal=record.ordinal
        )
    return record


@given(question_files())
def test_written_questions_come_back(records: list[Target | SeriesQuestion]) -> None:
    text = "".join(line + "\n" for line in write_questions(records))
    assert [without_line(record) for record in read(text)] == records


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_reader_never_raises(data: bytes) -> None:
    assert read(data)


@given(st.text("<>/targetqidxnp=\"'&; 3.12[]!-", max_size=120))
def test_reader_never_raises_on_almost_xml(text: str) -> None:
    assert read("<t>" + text + "</t>")
