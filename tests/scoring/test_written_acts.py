"""Lines that are read at a look give what reading them closely gives, and are written as a release writes them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats import judgments_jsonl
from scoring.formats.act_places import act_place, places_of_rows
from scoring.formats.judgments_jsonl import act_line, parse_judgment, write_judgments
from scoring.formats.written_acts import WRITTEN, act_as_written, act_of_row, rows_as_written, verb_of
from scoring.records import Issue
from scoring.release.recorded_acts import (
    Judged,
    ListFrozen,
    Matched,
    RecordedAct,
    RefusedDraft,
    Reviewed,
    TopicMarks,
    Voted,
)

ITEM = {"by": "assessor-1", "topic": "3.1", "docno": "D1", "answer": "wine"}
PLAIN = [
    Judged(**ITEM, criterion="c", value=-1, note="n"),
    Matched(**ITEM, number=5, part=1, quote="wi", role="second", is_partial=True),
    Reviewed(**ITEM, key="0" * 32, role="adjudicator"),
    Voted(by="assessor-2", topic="3.1", number=0, importance="okay"),
]

TEXT = st.text('aé"\\\t\u2028 0', max_size=4)
DRAWN = {"by": TEXT, "topic": TEXT, "role": st.sampled_from(["", "second", "adjudicator", "machine"])}
DRAWN_ITEM = DRAWN | {"docno": TEXT, "answer": TEXT, "key": TEXT}
NUMBER = st.integers(0, 10**9)
ACTS = st.one_of(
    st.builds(Judged, **DRAWN_ITEM, criterion=TEXT, value=st.integers(-(10**9), 10**9), note=TEXT),
    st.builds(Matched, **DRAWN_ITEM, number=NUMBER, part=st.integers(0, 9), quote=TEXT, is_absent=st.booleans()),
    st.builds(Reviewed, **DRAWN_ITEM),
    st.builds(Voted, **DRAWN, number=NUMBER, importance=st.sampled_from(["vital", "okay"])),
)


OFFERED = [
    Matched(**ITEM, number=5, key="0" * 32, is_absent=True, draft="full"),
    Matched(**ITEM, number=5, draft="none", quote="wi"),
    ListFrozen(by="assessor-1", topic="3.1", refused=(RefusedDraft(by="machine-A", number=3, text="tall"),)),
]


@pytest.mark.parametrize("act", OFFERED)
def test_what_was_offered_by_a_machine_is_read_as_it_is_written(act: RecordedAct) -> None:
    line = act_line(act)
    assert (parse_judgment(7, line), WRITTEN(json.loads(line))) == (act, line)


def closely(line: str) -> RecordedAct | Issue:
    """What a line says to who looks at each member."""
    with mock.patch.object(judgments_jsonl, "act_as_written", return_value=None):
        return parse_judgment(7, line)


@given(ACTS)
def test_quickly_written_lines_are_those_of_the_json_encoder(act: Any) -> None:
    assert WRITTEN(json.loads(act_line(act))) == act_line(act)


@given(ACTS, st.data())
def test_a_line_read_at_a_look_is_the_same_and_written_so(act: Any, data: st.DataObject) -> None:
    line = act_line(act)
    if data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(line)))
        line = line[:place] + data.draw(st.text('0-\\"\t, {}d', max_size=2)) + line[place + 1 :]
    if (told := act_as_written(line)) is not None:
        assert (told, act_line(told)) == (closely(line), line)


@pytest.mark.parametrize("act", PLAIN)
def test_what_there_are_hundreds_of_thousands_of_is_told_at_a_look(act: RecordedAct) -> None:
    assert act_as_written(act_line(act)) == closely(act_line(act)) == act


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"5.1"', '"05.1"'),
        ('"5.1"', '"5.0"'),
        ('"5.1"', '"5.1000000"'),
        ('"partial"', '"full"'),
        ('"second"', '""'),
        ('"second"', '"author"'),
        ('"quote": "wi", ', '"quote": "", '),
        ('"wine"', '"wi\\u006ee"'),
        ('"wine"', '"wi\tne"'),
        ('"topic": "3.1", ', '"topic": "3.1", "topic": "3.1", '),
        (', "docno"', ',"docno"'),
        ('"do": "match"', '"do": "review"'),
        ('"D1"', "1"),
    ],
)
def test_what_is_written_otherwise_is_read_closely(old: str, new: str) -> None:
    line = act_line(PLAIN[1]).replace(old, new, 1)
    assert new in line
    assert act_as_written(line) is None
    assert parse_judgment(7, line) == closely(line)


SAID = TopicMarks(
    topic="3.10",
    items={1: ("wine", "D1", ""), 2: ('two "dollars"', "", "0" * 32 + ".1@A")},
    marks=[
        ("assessor-1", "", 1, 5, 0, "full", "", ""),
        ("assessor-2", "second", 2, 5, 2, "partial", "do", "full"),
        ("assessor-1", "", 2, 12, 0, "none", "", "none"),
    ],
    finished=[("assessor-1", "", 1), ("assessor-2", "second", 2)],
)


def test_all_that_was_said_of_a_topic_is_written_as_its_acts_are() -> None:
    first, second, *_ = acts = list(SAID.acts())
    assert (first.docno, second.key, second.quote, second.draft, second.is_partial) == (
        "D1", "0" * 32 + ".1@A", "do", "full", True,
    )  # fmt: skip
    lines = list(write_judgments([*PLAIN, SAID]))
    assert lines == list(write_judgments([*PLAIN, *acts]))
    assert [parse_judgment(7, line) for line in lines[-5:]] == sorted(acts, key=lambda act: lines.index(act_line(act)))


def test_lines_read_together_say_what_they_say_one_by_one() -> None:
    for act in PLAIN:
        lines = [act_line(replace(act, by=f"assessor-{number}")) for number in range(1, 4)]
        together = [f"{line}\n".encode() for line in lines]
        verb = verb_of(together[0])
        rows = rows_as_written(verb, together) or []
        assert [act_of_row(verb, row) for row in rows] == list(map(act_as_written, lines))
        assert places_of_rows(verb, rows) == [act_place(act)] * 3
        for odd in (b"\n", b"junk " + together[0], together[1][:-1], together[1][:-1] + b"\r\n", b"\xff" + together[1]):
            assert rows_as_written(verb, [together[0], odd, together[2]]) is None, odd


def test_lines_of_other_kinds_are_not_read_together() -> None:
    lines = [f"{act_line(act)}\n".encode() for act in (*PLAIN, OFFERED[2])]
    assert list(map(verb_of, [*lines, b"{}\n"])) == ["judge", "match", "review", "vote", "freeze", ""]
    assert (
        rows_as_written("match", lines) is rows_as_written("freeze", lines[-1:]) is rows_as_written("", lines) is None
    )
