"""Statements of the TAC 2008 QA guidelines that no other test quotes."""

from __future__ import annotations

import io
import re

import pytest

from assess.protocol import CheckContext, SegmentRecord
from nuggets.options import ItemGrouping
from scoring.measures.nuggets import nugget_score
from scoring.records import Issue
from tests.tracks.tac2008_records import content, gold, segments
from tracks.tac2008_qa import CORRECTNESS, RIGID, TRACK
from tracks.tac2008_qa.files import read_segments, read_topics
from tracks.tac2008_qa.settings import Tac2008QaSettings

GUIDELINES = re.sub(r"\s+", " ", TRACK.guidelines)


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("incorrect", "the answer-string does not contain a correct answer item"),
        (
            "unsupported",
            "the answer-string contains a correct answer item but the document returned does not support that answer "
            "item",
        ),
        (
            "non-exact",
            "the answer-string contains a correct answer item and the document supports that answer item, but the "
            "string contains more than just the answer item (or is missing bits of the answer item)",
        ),
        (
            "correct",
            "the answer-string consists of exactly a correct answer item and that answer item is supported by the "
            "document returned",
        ),
    ],
)
def test_the_four_judgments_have_their_definitions(name: str, definition: str) -> None:
    """“Instances will be judged by human assessors who will assign one of four possible judgments to an instance”."""
    (grade,) = (grade for grade in CORRECTNESS.grades if grade.name == name)
    assert len(CORRECTNESS.grades) == 4
    assert (grade.help[0].lower() + grade.help[1:]).rstrip(".") == definition


def test_assessors_are_told_that_a_string_need_not_stand_in_the_document() -> None:
    """“The answer-string does not have to appear literally in a document”."""
    assert "The string need not appear literally in the document for the document to support it." in GUIDELINES


def test_assessors_are_told_that_several_items_are_not_exact() -> None:
    """“if an answer-string contains multiple answer items for the question it will be marked inexact”."""
    assert "An answer-string with several answer items is non-exact." in GUIDELINES


def test_correct_instances_are_grouped_after_they_were_judged() -> None:
    """“the assessors will also group correct instances into equivalence classes”."""
    judging, grouping = RIGID.stages
    assert (grouping.work, grouping.after) == (ItemGrouping(grade=("correctness", 1)), judging.key)


def test_a_squishy_response_has_the_syntax_of_a_rigid_one() -> None:
    """“The response for a squishy list question is syntactically the same as for a rigid list question”."""
    context = CheckContext(topics=(), settings=Tac2008QaSettings())
    rigid, squishy = read_segments(io.BytesIO(b"1.1 A1 D1 wine\n1.2 A1 D1 wine\n"), context)
    assert (rigid.item_kind, rigid.item_key, rigid.docno) == (squishy.item_kind, squishy.item_key, squishy.docno)


def test_a_series_of_other_length_than_two_to_four_is_warned_of() -> None:
    """“The test set consists of 50 targets, each with a series of 2-4 questions about that target.”"""

    def issues(count: int) -> list[tuple[str, str]]:
        kinds = ("RigidList", "SquishyList")
        inside = "".join(f'<q id="1.{number}" type="{kinds[number % 2]}">What?</q>' for number in range(1, count + 1))
        found = read_topics(io.BytesIO(f'<x><target id="1" text="Tea">{inside}</target></x>'.encode()))
        return [(each.severity, each.code) for each in found if isinstance(each, Issue)]

    assert [issues(count) for count in (2, 3, 4)] == [[], [], []]
    assert [{severity for severity, _ in issues(count)} for count in (1, 5)] == [{"warning"}, {"warning"}]


def test_a_series_of_one_type_alone_is_taken() -> None:
    """“Each series will contain a number of rigid list questions and a number of squishy list questions”: not asked."""
    both = '<q id="1.1" type="RigidList">What?</q><q id="1.2" type="RigidList">Which?</q>'
    found = list(read_topics(io.BytesIO(f'<x><target id="1" text="Tea">{both}</target></x>'.encode())))
    assert not [each for each in found if isinstance(each, Issue) and each.severity == "error"]


def test_a_nugget_in_two_strings_is_counted_once() -> None:
    """“Each nugget that is present will be counted only once.”"""
    given = segments("Amber1")
    again = [
        SegmentRecord(
            topic=each.topic, ordinal=100 + each.ordinal, text=each.text, docno=each.docno,
            item_kind=each.item_kind, item_key=each.item_key,
        )
        for each in given
        if each.topic == "1.2"
    ]  # fmt: skip

    def recall(run: list[SegmentRecord]) -> float | None:
        scores = TRACK.scoring.score(gold(), "run", content(run), Tac2008QaSettings())
        (found,) = (each.value for each in scores if (each.topic, each.measure) == ("1.2", "NR"))
        return found

    assert recall([*given, *again]) == recall(given) == 1.0


def test_length_counts_what_is_no_white_space_of_all_strings() -> None:
    """“length = total # non-white-space characters in answer strings”."""
    run = b"1.2 A1 D1 a b\tc\n1.2 A1 D2  de \xc2\xa0f\n"
    context = CheckContext(topics=(), settings=Tac2008QaSettings())
    scores = TRACK.scoring.score(gold(), "run", content(read_segments(io.BytesIO(run), context)), Tac2008QaSettings())
    assert [each.value for each in scores if (each.topic, each.measure) == ("1.2", "length")] == [6.0]


@pytest.mark.parametrize(("length", "precision"), [(299, 1.0), (300, 1.0), (301, 300 / 301), (450, 2 / 3)])
def test_precision_is_one_up_to_the_allowance_and_falls_above(length: int, precision: float) -> None:
    """“NP = 1 if length < allowance; NP = 1 - [(length - allowance) / length] if length >= allowance”."""
    found = nugget_score({1: 1, 2: 1, 3: 1}, {1, 2, 3}, length, beta=3).precision
    assert found is not None and float(found) == pytest.approx(precision)


def test_assessors_are_told_what_is_left_out_of_pages() -> None:
    """“It tries to show the document as closely as possible to how it would be seen during normal browsing, with two
    caveats.” What else is left out is named."""
    for words in ("Scripts were removed", "come from the web as it is today", "Framed pages, plug-ins, video, sound"):
        assert words in GUIDELINES
    assert "what stands in fields and on buttons does" in GUIDELINES
