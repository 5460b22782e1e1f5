"""JSON from anybody: read whole or refused with a place, never an exception."""

from __future__ import annotations

import io
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.reading.json_lists import entries_of_list, texts_of_list
from scoring.reading.json_reading import DEEPEST, BadJson, Flaw, json_lines, json_path, load_json, parse_json, read_json
from scoring.reading.json_values import json_values
from scoring.records import Issue

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
WHOLE = st.integers(-(10**18) + 1, 10**18 - 1)
VALUES = st.recursive(
    st.none() | st.booleans() | WHOLE | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(TEXT, inside, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(value=VALUES, ascii_only=st.booleans())
def test_what_json_writes_is_read(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert parse_json(text) == value
    assert load_json(io.BytesIO(text.encode())) == value


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"a": 1, "a": 1}', "duplicate-key"),
        ('{"a": {"b": 1, "b": 2}}', "duplicate-key"),
        ('{"a": "\\":", "a": 1}', "duplicate-key"),
        ('{"a": 1000000000000000000}', "number"),
        ('{"a": -1000000000000000000}', "number"),
        ('{"a": 1e999, "b": ""}', "number"),
        ('{"a": NaN}', "number"),
        ('{"a": "\\u0000"}', "character"),
        ('{"a": 1} {"b": 2}', "not-json"),
    ],
)
def test_an_object_that_looks_plain_is_refused_as_any_other(text: str, code: str) -> None:
    flaw = parse_json(text)
    assert isinstance(flaw, Flaw) and flaw.code == code


def test_the_largest_numbers_of_a_plain_object_are_read() -> None:
    value = {"a": 10**18 - 1, "b": -(10**18) + 1, "c": 1.5, "d": "x: y", "e": {}}
    assert parse_json(json.dumps(value)) == value


@given(content=st.binary(max_size=200) | st.text(st.sampled_from('{}[]",:\\ud8001e9NaN'), max_size=80).map(str.encode))
def test_nothing_raises(content: bytes) -> None:
    value = load_json(io.BytesIO(content))
    assert not isinstance(value, Flaw)
    assert not isinstance(value, Issue) or value.message


@pytest.mark.parametrize(
    ("text", "where", "code"),
    [
        ("", "", "empty-file"),
        ('{"a": [1,\n}', 2, "not-json"),
        ('{"a": "\x01"}', 1, "not-json"),
        ('{"a": [{"b": 1, "c": 2, "b": 3}]}', "$.a[0]", "duplicate-key"),
        ('{"a": {"b": NaN}}', "$.a.b", "number"),
        ('{"a": [0, -Infinity]}', "$.a[1]", "number"),
        ('{"a": 1e999}', "$.a", "number"),
        ('{"a": ' + "9" * 5000 + "}", "$.a", "number"),
        ('{"two words": "\\ud800"}', "$['two words']", "character"),
        ('["\\u0000"]', "$[0]", "character"),
        ('{"\\udc00": 1}', "$", "character"),
        ("[" * 50_000, "$", "nesting"),
        ("[" * 101 + "]" * 101, "$", "nesting"),
        ('{"a":' * 60 + "[" * 41 + "]" * 41 + "}" * 60, "$", "nesting"),
        ('{"a":' * 50_000, "$", "nesting"),
    ],
)
def test_each_flaw_has_its_place(text: str, where: int | str, code: str) -> None:
    issue = load_json(io.BytesIO(text.encode()))
    assert isinstance(issue, Issue)
    assert (issue.where, issue.code, issue.severity) == (where, code, "error")


@pytest.mark.parametrize(
    ("content", "where", "code"),
    [
        (b"\xff\xfe[\x00]\x00", 1, "encoding-utf16"),
        (b"\x1f\x8b\x08\x00", 1, "compressed-file"),
        (b'["a",\n"\xe9"]', 2, "encoding"),
        (b"[1, 2, 3]", "", "file-too-large"),
    ],
)
def test_bytes_that_are_no_text_are_named(content: bytes, where: int | str, code: str) -> None:
    issue = load_json(io.BytesIO(content), limit=8 if code == "file-too-large" else 100)
    assert isinstance(issue, Issue)
    assert (issue.where, issue.code) == (where, code)


def test_a_byte_order_mark_and_pairs_of_surrogates_do_no_harm() -> None:
    assert load_json(io.BytesIO(b'\xef\xbb\xbf["\\ud83d\\ude00"]')) == ["\N{GRINNING FACE}"]


@pytest.mark.parametrize(
    ("control", "told"),
    [
        ("\n", "a text has a line break, or its closing quote is missing. Write \\n in a text, or close it."),
        ("\r", "a text has a line break (carriage return), or its closing quote is missing. Write \\r in a text, or"),
        ("\t", "a text has a tab, or its closing quote is missing. Write \\t in a text, or close it."),
        ("\x01", "Invalid control character at. Correct it there."),
    ],
)
def test_a_line_break_in_a_text_is_told_by_its_name(control: str, told: str) -> None:
    issue = load_json(io.BytesIO(f'{{"a": 1,\n "b": "x{control}y"}}'.encode()))
    assert isinstance(issue, Issue)
    assert (issue.where, issue.code) == (2, "not-json")
    assert issue.message.startswith(f"This is not JSON: line 2, column 9: {told}")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{'a': 1}", "column 2: names and texts have straight double quotes"),
        ('{"a": 1,}', "column 9: a comma stands before a closing bracket"),
        ('{"a": 1},', "column 9: a comma follows the whole value"),
        ('{"a": None}', "column 7: JSON has null, true and false"),
        ('{"a": 1} {}', "column 10: one value is read here"),
        ('{"a": [1', "column 9: the file or line ends before its value does"),
        ('{"a": "x', "column 7: the text that begins here has no closing quote"),
        ('{"a": "he said "no""}', "column 17: a comma or a closing bracket is missing"),
    ],
)
def test_what_breaks_a_line_is_said_with_what_to_do(text: str, told: str) -> None:
    (issue,) = [each for each in json_lines(io.BytesIO(f'{{"b": 1}}\n{text}\n'.encode())) if isinstance(each, Issue)]
    assert issue.where == 2 and issue.message.startswith(f"This is not JSON: {told}"), issue.message


@pytest.mark.parametrize(
    ("parts", "values"),
    [
        ([], []),
        (["1"], [1]),
        (['\n {"a": [1, "],"]}', " [[], {}] \r\n", '\t"x, y]\\""'], [{"a": [1, "],"]}, [[], {}], 'x, y]"']),
    ],
)
def test_a_list_is_taken_apart_as_it_is_written(parts: list[str], values: list[Any]) -> None:
    text = f" [{','.join(parts)}] \n"
    assert list(texts_of_list(text)) == parts
    assert list(map(json.loads, parts)) == json.loads(text) == values


def test_the_entries_of_a_list_are_read_one_by_one() -> None:
    text = ' [\n {"a": [1, "],"]}, {"b": {}}\t] \n'
    assert list(entries_of_list(text)) == [('\n {"a": [1, "],"]}', {"a": [1, "],"]}), (' {"b": {}}\t', {"b": {}})]
    begun = entries_of_list('[{"a": 1}, {"a" ')
    assert next(begun) == ('{"a": 1}', {"a": 1})
    assert [isinstance(each, Flaw) and each.code for each in begun] == ["not-json"]
    deep = "[" * (DEEPEST - 2) + "]" * (DEEPEST - 2)
    assert list(entries_of_list(f'[{{"a": {deep}}}]')) == [(f'{{"a": {deep}}}', {"a": json.loads(deep)})]


@pytest.mark.parametrize(
    ("second", "code", "path"),
    [
        ('{"a": 1, "a": 2}', "duplicate-key", "$[1]"),
        ('{"a": NaN}', "number", "$[1].a"),
        ('{"a": 1e999}', "number", "$[1].a"),
        ('{"a": 1234567890123456789}', "number", "$[1].a"),
        ('{"a": "\\u0000"}', "character", "$[1].a"),
        ('{"a": "\\ud800"}', "character", "$[1].a"),
        ('{"a": ' + "[" * DEEPEST + "]" * DEEPEST + "}", "nesting", "$"),
    ],
)
def test_the_first_flaw_of_a_list_ends_its_entries(second: str, code: str, path: str) -> None:
    *before, flaw = entries_of_list(f'[{{"a": 1}}, {second}, {{"a": 3}}]')
    assert before in ([], [('{"a": 1}', {"a": 1})])
    assert isinstance(flaw, Flaw)
    assert (flaw.code, flaw.path) == (code, path)


def test_where_a_flaw_of_a_list_stands_is_said_once() -> None:
    (issue,) = json_values(io.BytesIO(b'[{"a": 1, "a": 2}]'))
    assert isinstance(issue, Issue)
    assert (issue.where, issue.message) == ("$[0]", "“a” is given twice. Keep one.")


@given(st.lists(VALUES | st.dictionaries(TEXT, st.floats() | st.integers() | st.text(), max_size=4), max_size=5))
def test_a_list_entry_by_entry_is_the_list(entries: list[Any]) -> None:
    text = json.dumps(entries)
    found, whole = list(entries_of_list(text)), parse_json(text)
    if isinstance(whole, Flaw):
        assert found[-1] == whole
    else:
        assert [value for _, value in found] == whole
        assert [written for written, _ in found] == list(texts_of_list(text))


@given(st.lists(st.lists(st.dictionaries(TEXT, st.text("[]{}, \n")), max_size=3), max_size=3))
def test_lists_of_objects_one_after_another_are_all_read(lists: list[list[dict[str, str]]]) -> None:
    text = "\n".join(map(json.dumps, lists))
    found = [each for each in json_values(io.BytesIO(text.encode())) if not isinstance(each, Issue)]
    values = [each for objects in lists for each in (objects or [objects])]
    assert [value for _, value in found] == (values if lists != [[]] else [])


@given(st.lists(st.integers() | st.floats() | st.sampled_from([10**18 - 1, -(10**18), 1.7976931348623157e308])))
def test_numbers_are_told_apart_as_by_looking_at_each(numbers: list[float]) -> None:
    value = parse_json(json.dumps({"a": [numbers]}))
    wrong = [n for n in numbers if not math.isfinite(n) or (isinstance(n, int) and len(str(abs(n))) > 18)]
    assert (value.code if isinstance(value, Flaw) else value) == ("number" if wrong else {"a": [numbers]})


@pytest.mark.parametrize(
    "written", ["1e309", "1E+309", "-1e0309", "0." + "0" * 400 + "1e800", "9" * 310 + ".0", "1" * 19]
)
def test_a_number_that_nothing_can_hold_is_named(written: str) -> None:
    flaw = parse_json(f'{{"a": [{written}]}}')
    assert isinstance(flaw, Flaw)
    assert (flaw.code, flaw.path) == ("number", "$.a[0]")


def test_lines_go_on_after_one_that_is_no_json() -> None:
    found = list(json_lines(io.BytesIO(b'{"a": 1}\n\n{"a"\n[{"b": NaN}]\n"x"')))
    assert [each if not isinstance(each, Issue) else (each.where, each.code) for each in found] == [
        (1, {"a": 1}),
        (3, "not-json"),
        (4, "number"),
        (5, "x"),
    ]
    assert isinstance(found[2], Issue)
    assert found[2].message.startswith("$[0].b: ")


def test_paths_quote_what_is_no_name() -> None:
    assert json_path(("turns", 3, "my key")) == "$.turns[3]['my key']"


def test_a_hundred_levels_are_read() -> None:
    text = '{"a":' * 60 + "[" * 40 + "]" * 40 + "}" * 60
    assert json.dumps(parse_json(text), separators=(",", ":")) == text


@pytest.mark.parametrize("text", ["[" * 200_000, b"[" * 200_000, b"\xff", '["\\ud800"]', "[NaN]", ""])
def test_what_a_person_sent_is_read_or_refused_with_a_sentence(text: str | bytes) -> None:
    with pytest.raises(BadJson, match=r"\.$"):
        read_json(text)
