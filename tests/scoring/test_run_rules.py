"""The rules of ranked runs say the same of lines that were read together as of each line by itself."""

from __future__ import annotations

import io
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats import run_blocks, run_rules
from scoring.formats.run_rules import check_ranked_run
from scoring.records import Issue
from scoring.run_tags import ANY_TRACK

COLLECTION = {f"d{number}" for number in range(12)}
LINES = st.builds(
    lambda docno, step, score, run: (docno, step, score, run),
    st.integers(0, 14).map("d{}".format),
    st.sampled_from([1, 1, 1, 1, 1, 2, 0, -1]),
    st.sampled_from(["2", "1.5", "1", "-3e2", "5e307", "-5e307"]),
    st.sampled_from(["run", "run", "run", "run", "run", "run", "run", "run", "other"]),
)
TOPICS = st.lists(
    st.tuples(st.sampled_from(["1", "2", "none"]), st.lists(LINES, max_size=12, unique_by=lambda line: line[0])),
    max_size=5,
    unique_by=lambda topic: topic[0],
)


def file_of(topics: Iterable[tuple[str, Iterable[tuple[str, int, str, str]]]]) -> bytes:
    written = []
    for topic, lines in topics:
        rank = 0
        for docno, step, score, run in lines:
            rank += step
            written.append(f"{topic} Q0 {docno} {rank} {score} {run}\n")
    return "".join(written).encode()


def checked(content: bytes, *, together: bool, limit: int = 3, tag: str = "") -> list[Issue]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_rules, "BATCH", 4)
        patch.setattr(run_blocks, "PIECE", 60)
        if not together:
            patch.setattr(run_blocks, "_plain", lambda *_: None)
        return list(
            check_ranked_run(
                io.BytesIO(content),
                topics=["1", "2"],
                limit=limit,
                tag=tag,
                tags=ANY_TRACK,
                unknown_docnos=lambda docnos: set(docnos) - COLLECTION,
            )
        )


@given(TOPICS.map(file_of), st.integers(1, 6), st.sampled_from(["", "run", "other"]))
def test_whatever_a_run_holds_lines_read_together_break_the_same_rules(content: bytes, limit: int, tag: str) -> None:
    expected = checked(content, together=False, limit=limit, tag=tag)
    assert checked(content, together=True, limit=limit, tag=tag) == expected


def test_what_is_wrong_in_the_middle_of_sound_lines_is_told_with_its_line() -> None:
    lines = [f"1 Q0 d{place} {place + 1} {9 - place} run\n" for place in range(9)]
    lines[4] = lines[4].replace("d4", "d40").replace(" 5 5 ", " 5 50 ")
    issues = checked("".join(lines).encode(), together=True, limit=7)
    assert [(issue.where, issue.code) for issue in issues] == [
        (5, "rank-order"),
        (8, "too-many"),
        (5, "unknown-docno"),
        ("", "missing-topic"),
    ]


@pytest.mark.parametrize("place", range(1, 9))
def test_ranks_that_part_from_the_scores_are_told_wherever_lines_are_parted(place: int) -> None:
    scores = [9 - each if each < place else 20 - each for each in range(9)]
    lines = [f"1 Q0 d{each} {each + 1} {score} run\n" for each, score in enumerate(scores)]
    assert [issue.where for issue in checked("".join(lines).encode(), together=True, limit=9)] == [place + 1, ""]
