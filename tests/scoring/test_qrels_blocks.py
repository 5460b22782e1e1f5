"""Judgments read many lines at once: the same judgments and issues as line by line."""

from __future__ import annotations

import io

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring.formats import run_blocks
from scoring.formats.qrels import read_qrels
from scoring.formats.qrels_blocks import read_qrels_blocks
from scoring.records import Issue

LINES = st.one_of(
    st.builds(
        lambda topic, docno, grade, end: f"{topic} 0 {docno} {grade}{end}".encode(),
        st.sampled_from(["1", "2", "9-1_3"]),
        st.integers(0, 400).map("d{}".format) | st.just("né"),
        st.sampled_from(["0", "1", "-1", "+2", "007", "999999999", "1234567890", "x", "1.0", "1.5", "--1", "-", "1_0"])
        | st.sampled_from("012"),
        st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", "\n\n", "\t7\n", "\u2028\n", " \x00\n", ""]),
    ),
    st.binary(max_size=6),
    st.just("\ufeff".encode()),
)


def by_block(content: bytes) -> list[Issue | tuple[str, str, int]]:
    found: list[Issue | tuple[str, str, int]] = []
    for each in read_qrels_blocks(io.BytesIO(content)):
        if isinstance(each, Issue):
            found.append(each)
        else:
            topic, docnos, grades = each
            found += [(topic, docno, grade) for docno, grade in zip(docnos, grades, strict=True)]
    return found


def by_line(content: bytes) -> list[Issue | tuple[str, str, int]]:
    lines = read_qrels(io.BytesIO(content))
    return [each if isinstance(each, Issue) else (each.topic, each.docno, each.grade) for each in lines]


@settings(deadline=None)
@example(b"\xef\xbb\xbf\x00\x1e\x1e\xef\xbb\xbf9-1_3 0 d100 0\n\x00\x00\x00\x00\x001 0 d10 0\n", 40)
@given(st.lists(LINES, max_size=12).map(b"".join), st.sampled_from([7, 40, 90, 1 << 19]))
def test_whatever_a_file_holds_both_readers_say_the_same(content: bytes, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_blocks, "PIECE", piece)
        assert by_block(content) == by_line(content)


def test_a_document_judged_again_in_a_later_piece_is_told_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_blocks, "PIECE", 64)
    lines = [f"{topic} 0 d{number} {number % 3}\n" for topic in (1, 2) for number in range(20)]
    content = "".join([*lines, "1 0 d3 1\n", "2 0 d30 1\n"]).encode()
    *judged, told, last = by_block(content)
    assert (len(judged), last) == (40, ("2", "d30", 1))
    assert isinstance(told, Issue)
    assert (told.where, told.code) == (41, "duplicate")
