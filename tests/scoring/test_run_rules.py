"""The rules of ranked runs say the same of lines that were read together as of each line by itself."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats import run_blocks, run_rules
from scoring.formats.answer_checks import AnswerCheck
from scoring.formats.citation_runs import (
    SupportedAnswer,
    SupportedSentence,
    check_citation_run,
    write_citation_run,
)
from scoring.formats.run_rules import check_ranked_run
from scoring.formats.tac_runs import check_run
from scoring.records import Issue, RankedDoc
from scoring.run_tags import ANY_TRACK

COLLECTION = {f"d{number}" for number in range(12)}
LINES = st.builds(
    lambda docno, step, score, run: (docno, step, score, run),
    st.integers(0, 15).map(lambda number: f"d{number}" if number < 15 else "d3\u200b"),
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


def checked(content: bytes, *, piece: int, limit: int = 3, tag: str = "") -> list[Issue]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_rules, "BATCH", 4)
        patch.setattr(run_blocks, "PIECE", piece or 60)
        if not piece:
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


@given(TOPICS.map(file_of), st.integers(1, 6), st.sampled_from(["", "run", "other"]), st.sampled_from([60, 1 << 14]))
def test_whatever_a_run_holds_lines_read_together_break_the_same_rules(
    content: bytes, limit: int, tag: str, piece: int
) -> None:
    expected = checked(content, piece=0, limit=limit, tag=tag)
    assert checked(content, piece=piece, limit=limit, tag=tag) == expected


def test_of_a_topic_that_is_unknown_one_line_is_looked_at_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    alone: list[int] = []
    check_line = run_rules._Rules.check_line

    def watched(rules: run_rules._Rules, number: int, line: RankedDoc) -> Iterator[Issue]:
        alone.append(number)
        return check_line(rules, number, line)

    monkeypatch.setattr(run_rules._Rules, "check_line", watched)
    lines = [f"{topic} Q0 d{place} {place + 1} {90 - place} run\n" for topic in "789" for place in range(40)]
    found = check_ranked_run(io.BytesIO("".join(lines).encode()), topics=["1"], limit=50)
    assert [(issue.where, issue.code) for issue in found] == [
        *((place, "unknown-topic") for place in (1, 41, 81)),
        ("", "missing-topic"),
    ]
    assert alone == [1, 41, 81]


def test_what_is_wrong_in_the_middle_of_sound_lines_is_told_with_its_line() -> None:
    lines = [f"1 Q0 d{place} {place + 1} {9 - place} run\n" for place in range(9)]
    lines[4] = lines[4].replace("d4", "d40").replace(" 5 5 ", " 5 50 ")
    lines[5] = lines[5].replace("d5", "d5\u200b")
    issues = checked("".join(lines).encode(), piece=60, limit=7)
    assert [(issue.where, issue.code) for issue in issues] == [
        (8, "too-many"),
        (5, "unknown-docno"),
        (6, "unknown-docno"),
        (6, "unseen-sign"),
        (5, "rank-order"),
        ("", "missing-topic"),
    ]


@pytest.mark.parametrize("place", range(1, 9))
def test_ranks_that_part_from_the_scores_are_told_wherever_lines_are_parted(place: int) -> None:
    scores = [9 - each if each < place else 20 - each for each in range(9)]
    lines = [f"1 Q0 d{each} {each + 1} {score} run\n" for each, score in enumerate(scores)]
    assert [issue.where for issue in checked("".join(lines).encode(), piece=60, limit=9)] == [place + 1, ""]


def test_ranks_against_the_scores_are_one_warning() -> None:
    content = b"1 Q0 d1 1 3 run\n1 Q0 d2 2 1 run\n1 Q0 d3 3 2 run\n2 Q0 d5 1 1 run\n2 Q0 d4 2 2 run\n2 Q0 d6 3 3 run\n"
    for piece in (60, 0):
        (issue,) = checked(content, piece=piece)
        assert (issue.where, issue.code, issue.severity) == (3, "rank-order", "warning")
        assert issue.message == (
            "The ranks do not follow the scores in 2 topics, at 3 documents. Scores alone count, ties by docno, "
            "descending: in topic 1 the order used is d3 (rank 3), d2 (rank 2)."
        )


def test_a_topic_that_is_written_otherwise_is_named() -> None:
    def message(issues: Iterable[Issue]) -> str:
        return next(issue.message for issue in issues if issue.code.startswith("unknown-"))

    written, alike = "There is no topic “01”", ", but there is 1: write both alike."
    assert message(checked(b"01 Q0 d1 1 2 run\n", piece=0)) == f"{written}{alike}"
    answer = b'{"metadata": {"topic_id": "01", "run_id": "a"}, "responses": [{"text": "b", "citations": []}]}\n'
    assert message(AnswerCheck(topics=["1"]).issues(io.BytesIO(answer))) == f"{written}{alike}"
    (cited,) = write_citation_run([SupportedAnswer(topic="Q1", sentences=(SupportedSentence(text="b"),))])
    said = message(check_citation_run(io.BytesIO(cited.encode()), ["q1"]))
    assert said == "There is no question “Q1”, but there is q1: write both alike."
    said = message(check_run(io.BytesIO(b"01 Team1 D1 x\n"), questions=["1"]))
    assert said == f"There is no question “01”{alike}"


def test_ranks_in_the_place_of_scores_are_told() -> None:
    content = b"1 Q0 d1 90 1 run\n1 Q0 d2 80 2 run\n1 Q0 d3 70 3 run\n2 Q0 d4 9 1 run\n"
    for piece in (60, 0):
        (issue,) = checked(content, piece=piece)
        assert (issue.where, issue.code, issue.severity) == ("", "ranks", "warning")
        assert checked(content.replace(b"90", b"3").replace(b"80", b"2").replace(b"70", b"1"), piece=piece) == []
        assert checked(content.replace(b" 3 run", b" 4 run"), piece=piece) == []


def test_lines_from_the_last_rank_up_say_the_same() -> None:
    """The order of lines does not matter: what was said of equal scores from the first rank down holds here, too."""
    content = b"1 Q0 d3 3 1 run\n1 Q0 d1 2 2 run\n1 Q0 d2 1 3 run\n2 Q0 d5 2 2 run\n2 Q0 d4 1 2 run\n"
    (issue,) = checked(content, piece=60)
    assert (issue.where, issue.code) == (5, "tied-scores")
    assert "in topic 2 the order used is d5, d4, not that of the ranks" in issue.message


def test_scores_that_are_one_in_single_precision_tie() -> None:
    """trec_eval holds a score as a float of C, so the docnos decide here."""
    content = b"1 Q0 d1 1 0.99999999 run\n1 Q0 d2 2 0.99999998 run\n2 Q0 d3 3 1e-50 run\n2 Q0 d4 4 1e-60 run\n"
    for piece in (60, 0):
        (issue,) = checked(content, piece=piece)
        assert (issue.where, issue.code) == (2, "tied-scores")
        assert issue.message.startswith(
            "Tied scores against the ranks in 2 topics: 2 documents have the score of the document ranked before "
            "(0.99999999 and 0.99999998 are one in single precision). Scores alone count"
        )
    assert checked(b"1 Q0 d1 1 0.9999999 run\n1 Q0 d2 2 0.9999998 run\n2 Q0 d3 1 1 run\n", piece=60) == []


def test_scores_that_tie_against_the_ranks_are_one_warning() -> None:
    content = b"1 Q0 d1 1 3 run\n1 Q0 d2 2 3 run\n2 Q0 d5 1 2 run\n2 Q0 d4 2 2 run\n2 Q0 d6 3 2 run\n"
    for piece in (60, 0):
        (issue,) = checked(content, piece=piece)
        assert (issue.where, issue.code, issue.severity) == (2, "tied-scores", "warning")
        assert issue.message.startswith(
            "Tied scores against the ranks in 2 topics: 2 documents have the score of the document ranked before. "
        )
        assert "in topic 1 the order used is d2, d1, not that of the ranks" in issue.message


@pytest.mark.parametrize(
    ("content", "codes"),
    [
        (b"1 Q0 d1 1 3,5 run\n2 Q0 d2 1 1 run\n", ["value"]),
        (b"1\tQ0\td1\t1\t3,5\trun\n2 Q0 d2 1 1 run\n", ["value"]),
        (b"1 Q0 d1 1 \xff run\n2 Q0 d2 1 1 run\n", ["not-utf8"]),
        (b"1 Q0 d1 1 3 run\r2 Q0 d2 1 1 run", ["line-break"]),
        (b"1 Q0 d1\n9 Q0 d2 1 1 run\n", ["columns", "unknown-topic", "missing-topic"]),
        (b"1 Q0 d1 1 3 run\nnonsense\n", ["columns", "missing-topic"]),
    ],
)
def test_a_topic_whose_line_cannot_be_read_is_not_said_to_be_missing(content: bytes, codes: list[str]) -> None:
    found = checked(content, piece=60)
    assert [issue.code for issue in found] == codes
    if "missing-topic" in codes:
        assert found[-1].message == "1 of 2 topics has no document: 2. What is missing counts 0."


def test_the_tag_is_looked_at_on_the_first_line_that_can_be_read() -> None:
    found = checked(b"1 Q0 d1 1 3,5 run\n2 Q0 d2 1 1 run\n", piece=60, tag="other")
    assert [(issue.where, issue.code) for issue in found] == [(1, "value"), (2, "run-tag-mismatch")]
