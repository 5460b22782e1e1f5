"""Runs read many lines at once: the same lines and issues as line by line."""

import gzip
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.file_kinds import refusing
from scoring.formats import run_blocks
from scoring.formats.run_blocks import blocks_of_checked_run, read_run_blocks
from scoring.formats.trec_run import read_trec_run
from scoring.reading.opening import LINE_LIMIT
from scoring.reading.unpacking import uncompressed
from scoring.records import Issue

LINES = st.one_of(
    st.builds(
        lambda topic, docno, rank, score, run, end: f"{topic} Q0 {docno} {rank} {score} {run}{end}".encode(),
        st.sampled_from(["1", "2", "9-1_3"]),
        st.integers(0, 400).map("d{}".format),
        st.sampled_from(["1", "2", "+3", "007", "x", "1234567890"]) | st.just("5"),
        st.sampled_from(["1", "-2.5", ".5", "3e-2", "nan", "1_0", "1e999", "--1", "+"]) | st.floats(0, 9).map(str),
        st.sampled_from(["run", "run", "run", "run", "other"]),
        st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", "\n\n", "\t7\n", "\u2028\n", " \x00\n", ""]),
    ),
    st.binary(max_size=6),
    st.just("\ufeff".encode()),
)


def by_block(content):
    found = []
    for each in read_run_blocks(io.BytesIO(content)):
        if isinstance(each, Issue):
            found.append(each)
        else:
            run, topic, docnos, scores = each
            found += [(run, topic, docno, score) for docno, score in zip(docnos, scores, strict=True)]
    return found


def by_line(content):
    lines = read_trec_run(io.BytesIO(content))
    return [each if isinstance(each, Issue) else (each.run, each.topic, each.docno, each.score) for each in lines]


@settings(deadline=None)
@given(st.lists(LINES, max_size=12).map(b"".join), st.sampled_from([7, 40, 90, 1 << 19]))
def test_whatever_a_file_holds_both_readers_say_the_same(content, piece):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_blocks, "PIECE", piece)
        assert by_block(content) == by_line(content)


def test_a_checked_run_is_read_the_same_without_being_recognised(monkeypatch):
    content = plain(120)
    read = by_block(content)
    monkeypatch.setattr(refusing, "recognise", lambda file: pytest.fail("recognised again"))
    found = blocks_of_checked_run(io.BytesIO(content))
    lines = [(tag, topic, *each) for tag, topic, docnos, scores in found for each in zip(docnos, scores, strict=True)]
    assert lines == read


@pytest.mark.parametrize("score", ["1.2.3", "-", "1-2", "..", "3e-2", "1e999", "2e2e2"])
def test_scores_that_are_no_numbers_are_refused_alike(score):
    content = f"1 Q0 d1 1 2.5 run\n1 Q0 d2 2 {score} run\n".encode()
    assert by_block(content) == by_line(content)


def plain(count):
    return "".join(f"{place // 50} Q0 d{place} {place % 50 + 1} {-place / 8} run\n" for place in range(count)).encode()


def test_a_plain_file_is_read_in_groups_of_a_topic():
    groups = [(topic, len(docnos)) for _, topic, docnos, _ in read_run_blocks(io.BytesIO(plain(120)))]
    assert groups == [("0", 50), ("1", 50), ("2", 20)]


@pytest.mark.parametrize(
    "spoilt", [b"0 Q0 d3 9 1 run\n", b"0 Q0 new 9 1 other\n", b"0 Q0 new 9 1\n", b"\xff\n", b"\0\n"]
)
def test_what_is_wrong_late_in_a_file_is_told_with_its_line(monkeypatch, spoilt):
    monkeypatch.setattr(run_blocks, "PIECE", 1 << 14)  # the file is read in five pieces
    content = plain(2_000) + spoilt + plain(2_000).replace(b" d", b" e")
    issues = [each for each in by_block(content) if isinstance(each, Issue)]
    assert [issue.where for issue in issues] == [2_001]
    assert by_block(content) == by_line(content)


def test_a_line_that_is_too_long_is_told_alike_though_two_pieces_hold_it():
    content = b"0 Q0 d1 1 2 run\n0 Q0 " + b"x" * (LINE_LIMIT + 9) + b" 2 1 run\n0 Q0 d2 3 1 run\n"
    assert by_block(content) == by_line(content)
    assert [(each.where, each.code) for each in by_block(content) if isinstance(each, Issue)] == [(2, "line-too-long")]


def test_a_damaged_archive_ends_with_an_issue():
    packed = gzip.compress(plain(40_000), 1)
    for end in (len(packed) // 2, len(packed) - 4):
        *_, last = read_run_blocks(uncompressed(io.BytesIO(packed[:end])))
        assert isinstance(last, Issue)
        assert last.code == "damaged-file"


def test_a_topic_that_comes_back_is_read_alike_and_its_documents_are_remembered():
    content = plain(40_000) + b"7 Q0 new 1 2.5 run\n7 Q0 d350 2 2.25 run\n8 Q0 d350 1 1 run\n"
    assert by_block(content) == by_line(content)
    (issue,) = (each for each in by_block(content) if isinstance(each, Issue))
    assert (issue.where, issue.code) == (40_002, "duplicate")


def test_the_beginning_of_a_file_is_recognised_once(monkeypatch):
    seen, recognise = [], refusing.recognise
    monkeypatch.setattr(refusing, "recognise", lambda file: (seen.append(file), recognise(file))[1])
    assert by_block(b"1 Q0 d1 1 2.0 run\n") == [("run", "1", "d1", 2.0)]
    assert len(seen) == 1
