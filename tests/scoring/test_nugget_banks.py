"""Nugget banks as automatic judges write them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.graded_nuggets import GradedNugget, read_graded_nuggets, write_graded_nuggets
from scoring.formats.nugget_banks import (
    ANSWERS,
    SAID,
    ReportedOnce,
    read_bank,
    read_numbered_bank,
    write_bank,
    write_question_lists,
)
from scoring.formats.rag_nuggets import GROUP, read_numbered_nuggets, read_rag_nuggets, write_rag_nuggets
from scoring.records import Issue, OwnedNugget

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
        ("58", 1, "vital", "Who was first?", {"importance": 2, "answers": [{"answer": "Tereshkova"}]}),
        ("58", 2, "okay", "When?", {"importance": "should_have", "answers": []}),
        ("58", 3, "vital", "She flew in 1963.", {"importance": "must_have"}),
    ]


def test_nuggets_know_their_line() -> None:
    lines = "\n".join(json.dumps({**BANK, "query_id": topic}) for topic in ("1", "2"))
    places = [each[0] for each in read_numbered_bank(io.BytesIO(lines.encode())) if not isinstance(each, Issue)]
    assert places == [1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ({"qid": "1", "nuggets": []}, "record"),
        ({"query_id": "two words", "nugget_bank": {}}, "record"),
        ({"query_id": "1", "nugget_bank": {"q": {"answers": {}}}}, "record"),
        ({"query_id": "1", "claim_bank": {"c": "She flew."}}, "record"),
        ([], "record"),
    ],
)
def test_what_is_no_bank_is_an_issue_with_its_line(line: object, code: str) -> None:
    found = read(BANK, line)
    wrong = [each for each in found if isinstance(each, Issue) and each.severity == "error"]
    assert [(each.where, each.code) for each in wrong] == [(2, code)]


def test_a_line_that_is_no_json_is_an_issue() -> None:
    assert [each.code for each in read_bank(io.BytesIO(b"{\n")) if isinstance(each, Issue)] == ["not-json"]


def nuggets(written: object, told: ReportedOnce | None = None) -> list[OwnedNugget]:
    file = io.BytesIO(json.dumps(written, indent=1).encode())
    return [each[1] for each in read_numbered_nuggets(file, told) if not isinstance(each, Issue)]


ANSWER = {"answer": "May", "references": ["d-17"]}
SAME: dict[str, Any] = {
    "version 3": {"query_id": "7", "nugget_bank": {"k": {"question": "When?", "answers": {"May": ANSWER}}}},
    "a list": {"metadata": {"topic_id": "7"}, "nugget_bank": [{"question": "When?", "answers": [ANSWER]}]},
    "pairs": {"topic_id": 7, "nugget_list": [["When?", {"May": ["d-17"]}]]},
    "an older object": {"qid": "7", "nugget_dict": {"When?": {"May": ["d-17"]}}},
    "an envelope": {
        "schema_version": "castorini.cli.v1",
        "artifacts": [
            {"name": "x", "data": {"query_id": "7", "nugget_bank": [{"question": "When?", "answers": [ANSWER]}]}}
        ],
    },
}


@pytest.mark.parametrize("form", SAME)
def test_questions_with_answers_are_read_in_each_form(form: str) -> None:
    (nugget,) = nuggets(SAME[form])
    assert (nugget.topic, nugget.number, nugget.text, nugget.fields) == ("7", 1, "When?", {"answers": [ANSWER]})


def test_questions_without_a_topic_have_that_of_the_name() -> None:
    argue = {"When?": ["OR", {"May": ["d-17"]}], "Why?": ["AND", {"fog": []}]}
    tool = {"nugget_list": [["When?", {"May": []}]], "group_assignment": {"When?": "dates"}}
    for name, written, known in (
        ("nuggets_1007.json", argue, ()),
        ("nuggets_1007_anna.revised.json", tool, ()),
        ("nuggets_9-1_3_anna.json", tool, ("9-1_3", "9-1")),
    ):
        found = nuggets(written, ReportedOnce(name=name, known=known))
        assert {each.topic for each in found} == {known[0] if known else "1007"}, name
    assert [
        (each.text, each.fields["aggregator_type"]) for each in nuggets(argue, ReportedOnce(name="nuggets_1.json"))
    ] == [
        ("When?", "OR"),
        ("Why?", "AND"),
    ]
    assert nuggets(tool, ReportedOnce(name="nuggets_1.json"))[0].group == "dates"
    (issue,) = read_bank(io.BytesIO(json.dumps(argue).encode()))
    assert isinstance(issue, Issue)
    assert "no topic" in issue.message


def test_rubrics_are_lists_and_what_is_to_be_avoided_is_said() -> None:
    rubric = {
        "qid": "683a",
        "domain": "STEM",
        "rubrics": [
            {"criterion": "It says when.", "weight": 5.0, "axis": "Explicit Criteria"},
            {"criterion": "It is rude.", "weight": -4.0, "axis": "Communication Quality"},
        ],
    }
    dragun = {
        "topic_id": "d_1",
        "rubrics": [
            {"question_id": "d_1-1", "question_text": "Who owns it?", "importance": "A: Have to Know",
             "short_answers": [{"answer_id": "na-1", "answer_text": "A bank.", "references": ["https://a.example"]}]},
        ],
    }  # fmt: skip
    found = read(rubric, dragun)
    assert [(each.importance, each.text) for each in found if isinstance(each, OwnedNugget)] == [
        ("vital", "It says when."), ("okay", "It is rude."), ("vital", "Who owns it?")
    ]  # fmt: skip
    said = [(each.severity, each.code) for each in found if isinstance(each, Issue)]
    assert said == [("note", "unused"), ("warning", "avoid")]
    (question,) = [each for each in found if isinstance(each, OwnedNugget) and each.topic == "d_1"]
    assert question.fields["answers"] == [
        {"answer": "A bank.", "answer_id": "na-1", "references": ["https://a.example"]}
    ]


def test_all_that_is_said_comes_back_in_each_form_that_is_written() -> None:
    again = {"question": "Who?", "answers": {"x": {"answer": "x", "quality": 1}}, "creator": [{"is_human": True}]}
    bank = {
        "query_id": "1",
        "nugget_bank": {"a": again, "b": again | {"aggregator_type": "AND", "importance": 2}},
        "claim_bank": {"c": {"claim": "So it is.", "importance": "must_have", "metadata": {"deep": [1, {"x": None}]}}},
    }
    first = [each for each in read(bank) if isinstance(each, OwnedNugget)]
    assert [each.text for each in first] == ["Who?", "Who?", "So it is."]
    for write in (write_bank, write_rag_nuggets):
        lines = "".join(f"{line}\n" for line in write(first))
        assert list(read_rag_nuggets(io.BytesIO(lines.encode()))) == first, write
    questions = first[:2]
    lines = "".join(f"{line}\n" for line in write_question_lists(questions))
    assert list(read_bank(io.BytesIO(lines.encode()))) == questions


TAKEN = {
    *SAID,
    *ANSWERS,
    GROUP,
    "text",
    "importance",
    "weight",
    "number",
    "group",
    "query_id",
    "assignment",
    "relevance",
}
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).filter(
    lambda name: (
        name
        not in {
            *SAID,
            *ANSWERS,
            "text",
            "importance",
            "weight",
            "number",
            "group",
            "query_id",
            "assignment",
            "relevance",
            GROUP,
        }
    )
)
VALUES = st.recursive(
    st.booleans() | st.integers(-99, 99) | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)


@given(fields=st.dictionaries(NAMES, VALUES, max_size=3), form=st.sampled_from(["bank", "list", "questions", "graded"]))
def test_any_further_member_of_a_nugget_survives(fields: dict[str, Any], form: str) -> None:
    if form == "graded":
        graded = GradedNugget(topic="1_1", number=1, text="So.", grade="2", others=fields)
        written = "\n".join(write_graded_nuggets([graded])).encode()
        assert list(read_graded_nuggets(io.BytesIO(written))) == [graded]
        return
    write = {"bank": write_bank, "list": write_rag_nuggets, "questions": write_question_lists}[form]
    answers = {"answers": []} if form == "questions" else {}
    nugget = OwnedNugget(
        by="", role="primary", topic="1", number=1, importance="vital", text="So.", fields=fields | answers
    )
    written = "".join(f"{line}\n" for line in write([nugget])).encode()
    assert list(read_rag_nuggets(io.BytesIO(written))) == [nugget]


@pytest.mark.parametrize(
    ("entry", "kept"),
    [
        ({"claim": "So.", "": "kept"}, {"": "kept"}),
        ({"claim": "So.", "query_id": "kept"}, {"query_id": "kept"}),
        ({"question": "Who?", "answers": "kept"}, {"answers": [{"answer": "kept"}]}),
        ({"question": "Who?", "answers": 7}, {"answers": [{"answer": "7"}]}),
    ],
)
def test_what_a_reader_of_banks_might_take_for_its_own_is_kept(entry: dict[str, Any], kept: dict[str, Any]) -> None:
    bank = "nugget_bank" if "question" in entry else "claim_bank"
    (nugget,) = read({"query_id": "1", bank: {"a": entry}})
    assert isinstance(nugget, OwnedNugget)
    assert nugget.fields == kept
    assert list(read_rag_nuggets(io.BytesIO("\n".join(write_bank([nugget])).encode()))) == [nugget]


@pytest.mark.shared
def test_real_lists_are_read_whole(shared_data: Path) -> None:
    counts = {}
    for name in (
        "ragtime2026/T3_run_1.first12.jsonl",
        "rag25-nuggets/rag25-dev-nuggets.jsonl",
        "rag2026/research-rubrics-dev-rubrics.jsonl",
    ):
        found = list(read_rag_nuggets(io.BytesIO((shared_data / name).read_bytes())))
        kept = [each for each in found if isinstance(each, OwnedNugget)]
        answers = sum(len(each.fields.get("answers", ())) for each in kept)
        said = [(each.severity, each.code) for each in found if isinstance(each, Issue)]
        counts[name.partition("/")[0]] = (len({each.topic for each in kept}), len(kept), answers, said)
    assert counts == {
        "ragtime2026": (12, 207, 424, [("note", "unused")]),
        "rag25-nuggets": (22, 1255, 0, []),
        "rag2026": (30, 755, 0, [("note", "unused"), ("warning", "avoid")]),
    }
