from __future__ import annotations

import io
from pathlib import Path

import pytest

from assess.protocol import CheckContext, RunForm, SegmentRecord, TopicRecord
from scoring.folding import answer_key
from scoring.formats.tac_runs import tag_of_run
from scoring.records import Issue
from tracks.tac2008_qa import TRACK
from tracks.tac2008_qa.files import check_form, read_segments, read_topics, write_topics
from tracks.tac2008_qa.settings import Tac2008QaSettings

DATA = Path(__file__).parent.parent / "data" / "small-campaign"
DOCNOS = set((DATA / "docnos.txt").read_text().split())


def topics() -> tuple[TopicRecord, ...]:
    found = list(read_topics(io.BytesIO((DATA / "questions.xml").read_bytes())))
    return tuple(record for record in found if isinstance(record, TopicRecord))


def context(form: RunForm | None = None, **settings: object) -> CheckContext:
    return CheckContext(
        topics=topics(),
        settings=Tac2008QaSettings.from_mapping(settings),
        unknown_docnos=lambda docnos: set(docnos) - DOCNOS,
        form=form,
    )


def check(data: bytes, form: RunForm | None = None, **settings: object) -> list[tuple[int | str, str]]:
    found = TRACK.submissions[0].check(io.BytesIO(data), context(form, **settings))
    return [(issue.where, issue.code) for issue in found]


GOOD = (DATA / "runs" / "good" / "Amber1").read_bytes()


def test_topics_are_targets_and_their_questions() -> None:
    first, second, third = topics()[:3]
    assert (first.number, first.task, first.parent, first.text) == ("1", "", None, "Trader Joe's")
    assert (second.number, second.task, second.parent, second.ordinal) == ("1.1", "rigid", "1", 1)
    assert (third.number, third.task, third.parent, third.fields) == ("1.2", "squishy", "1", {"type": "SquishyList"})


def test_written_topics_come_back_in_any_order() -> None:
    lines = list(write_topics(reversed(topics())))
    found = list(read_topics(io.BytesIO("\n".join(lines).encode())))
    keep = [(t.number, t.task, t.parent, t.ordinal, t.text) for t in found if isinstance(t, TopicRecord)]
    assert keep == [(t.number, t.task, t.parent, t.ordinal, t.text) for t in topics()]
    assert list(write_topics(topics())) == lines


@pytest.mark.parametrize("path", sorted((DATA / "runs" / "good").iterdir()), ids=lambda path: path.name)
def test_good_runs_pass(path: Path) -> None:
    assert check(path.read_bytes()) == []


@pytest.mark.parametrize("path", sorted((DATA / "runs" / "bad").glob("*.txt")), ids=lambda path: path.stem)
def test_bad_runs_have_the_issues_listed(path: Path) -> None:
    expected = path.with_suffix(".issues").read_text().splitlines()
    assert [f"{where} {code}" for where, code in check(path.read_bytes())] == expected


def test_length_limit_is_a_setting() -> None:
    assert check(GOOD, length_limit=65) == [(6, "answer-length")]


def form(**changes: object) -> RunForm:
    values: dict[str, object] = {"team": "Amber", "priority": 1, "fields": {"documents": "collection"}}
    return RunForm(**(values | changes))  # type: ignore[arg-type]


FORMS: dict[str, tuple[dict[str, object], list[str]]] = {
    "automatic first priority": ({}, []),
    "manual second priority": ({"priority": 2, "automatic": False, "description": "we chose words"}, []),
    "top 50 documents": ({"fields": {"documents": "top50"}}, []),
    "manual first priority": ({"automatic": False, "description": "we chose words"}, ["priority-manual"]),
    "manual by the tag alone": (
        {"priority": None, "tag": "Amber1", "automatic": False, "description": "x"},
        ["priority-manual"],
    ),
    "manual without description": ({"priority": 3, "automatic": False, "description": "  "}, ["manual-description"]),
    "priority 0": ({"priority": 0}, ["priority-range"]),
    "priority 4": ({"priority": 4}, ["priority-range"]),
    "tag of another team": ({"tag": "Basil1"}, ["run-tag-mismatch"]),
    "documents not said": ({"fields": {}}, ["form-field"]),
    "documents unheard of": ({"fields": {"documents": "some"}}, ["form-field"]),
}


@pytest.mark.parametrize("name", FORMS)
def test_form_rules(name: str) -> None:
    changes, expected = FORMS[name]
    assert [issue.code for issue in check_form(form(**changes))] == expected


def test_tag_of_the_file_must_be_that_of_the_form() -> None:
    assert check(GOOD, form()) == []
    assert check(GOOD, form(priority=2)) == [(1, "run-tag-mismatch")]
    assert check(GOOD, form(team="", priority=None, tag="Amber2")) == [(1, "run-tag-mismatch")]


def test_segments_are_numbered_within_their_question_and_keyed_by_answer_and_docno() -> None:
    data = b"1.1 A1 D1 two  dollars \n2.1 A1 D1 x\n1.1 A1 D2 tea\n1.1 A1\n"
    found = list(read_segments(io.BytesIO(data), context()))
    assert [(s.topic, s.ordinal, s.text, s.line) for s in found] == [
        ("1.1", 1, "two  dollars", 1),
        ("2.1", 1, "x", 2),
        ("1.1", 2, "tea", 3),
    ]
    assert found[0] == SegmentRecord(
        topic="1.1",
        ordinal=1,
        text="two  dollars",
        docno="D1",
        item_kind="instance",
        item_key=answer_key("two dollars", "D1"),
        line=1,
    )


def test_lines_that_are_passed_over_are_named() -> None:
    data = b"\n1.1 A1\n1.1 A1 D1 x\n"
    assert [(issue.where, issue.code) for issue in TRACK.submissions[0].unreadable(io.BytesIO(data))] == [
        (1, "blank-line"),
        (2, "columns"),
    ]


@pytest.mark.parametrize(("data", "tag"), [(b"\n1.1 Amber1 D1 x\n", "Amber1"), (b"", None), (b"1.1\n", None)])
def test_tag_is_read_from_the_first_line(data: bytes, tag: str | None) -> None:
    assert tag_of_run(io.BytesIO(data)) == tag


def test_messages_say_what_to_do() -> None:
    issues = [*TRACK.submissions[0].check(io.BytesIO((DATA / "runs/bad/bytes.txt").read_bytes()), context())]
    issues += check_form(form(priority=4, automatic=False, fields={}))
    assert all(isinstance(issue, Issue) and issue.message.endswith(".") and len(issue.message) > 30 for issue in issues)
