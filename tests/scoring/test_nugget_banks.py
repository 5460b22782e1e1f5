"""Nugget banks as automatic judges write them."""

from __future__ import annotations

import io
import json

import pytest

from scoring.formats.nugget_banks import read_bank, read_numbered_bank
from scoring.records import Issue

BANK = {
    "query_id": "58",
    "title_query": "women in space",
    "nugget_bank": {
        "q1": {"question": "Who was first?", "answers": {"Tereshkova": {"answer": "Tereshkova"}}, "importance": 2},
        "q2": {"question": "When?", "importance": "should_have"},
    },
    "claim_bank": {"c1": {"claim": "She flew in 1963.", "importance": "must_have"}},
}


def read(*banks: object) -> list[object]:
    return list(read_bank(io.BytesIO("".join(json.dumps(bank) + "\n" for bank in banks).encode())))


def test_questions_then_claims_are_nuggets_numbered_from_one() -> None:
    found = [(n.topic, n.number, n.importance, n.text, n.fields) for n in read(BANK) if not isinstance(n, Issue)]  # type: ignore[attr-defined]
    assert found == [
        ("58", 1, "vital", "Who was first?", {"answers": ["Tereshkova"]}),
        ("58", 2, "okay", "When?", {}),
        ("58", 3, "vital", "She flew in 1963.", {}),
    ]


def test_nuggets_know_their_line() -> None:
    lines = "\n".join(json.dumps({**BANK, "query_id": topic}) for topic in ("1", "2"))
    places = [each[0] for each in read_numbered_bank(io.BytesIO(lines.encode())) if not isinstance(each, Issue)]
    assert places == [1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ({"qid": "1", "nuggets": []}, "record"),
        ({"query_id": 1, "nugget_bank": {}}, "record"),
        ({"query_id": "1", "nugget_bank": {"q": {"answers": {}}}}, "record"),
        ({"query_id": "1", "claim_bank": {"c": "She flew."}}, "record"),
        ([], "record"),
    ],
)
def test_what_is_no_bank_is_an_issue_with_its_line(line: object, code: str) -> None:
    found = read(BANK, line)
    assert [(each.where, each.code) for each in found if isinstance(each, Issue)] == [(2, code)]


def test_a_line_that_is_no_json_is_an_issue() -> None:
    assert [each.code for each in read_bank(io.BytesIO(b"{\n")) if isinstance(each, Issue)] == ["json"]
