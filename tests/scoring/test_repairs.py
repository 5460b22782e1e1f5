"""Repairing run files: what is repaired, and that nothing else ever changes."""

from __future__ import annotations

import io
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring.formats.run_rules import check_ranked_run
from scoring.formats.trec_run import read_numbered_run
from scoring.reading.line_checks import MAX_LINE_BYTES
from scoring.reading.repairs import (
    MESSAGES,
    NotRepairable,
    Repair,
    repair_answer_lines,
    repair_lines,
    repair_ranked_run,
    write_repaired,
)
from scoring.records import Issue

Repairer = Callable[[io.BytesIO], Iterator[bytes | Repair]]


def repaired(repair: Repairer, content: bytes) -> tuple[bytes, dict[str, int]]:
    target = io.BytesIO()
    repairs = write_repaired(repair(io.BytesIO(content)), target)
    return target.getvalue(), {each.code: each.count for each in repairs}


def test_a_sound_run_stays_as_it_is() -> None:
    content = b"1 Q0 D1 1 2.0 r\n1 Q0 D2 2 1.0 r\n2 Q0 D1 0 9 r\n"
    assert repaired(repair_ranked_run, content) == (content, {})


def test_a_ranked_run_is_put_in_order() -> None:
    content = (
        b"\xef\xbb\xbf1\tQ0 D1 1 1.0 r\r\n"  # mark, tab, CR LF
        b"2 Q0 D1 1 7e0 r\n"
        b"\n"
        b"1 Q0 D2 2 3.0 r\n"  # the topic again, with a better score
        b"2 Q0 D1 1 7e0 r\n"  # the same line again
        b"1 Q0 D1 9 0.5 r"  # the same document, worse; no line break
    )
    assert repaired(repair_ranked_run, content) == (
        b"1 Q0 D2 1 3.0 r\n1 Q0 D1 2 1.0 r\n2 Q0 D1 1 7e0 r\n",
        {
            "byte-order-mark": 1,
            "line-ends": 1,
            "final-line-break": 1,
            "blank-lines": 1,
            "white-space": 1,
            "repeated-lines": 1,
            "repeated-documents": 1,
            "topics-together": 2,
            "score-order": 1,
            "ranks": 1,
        },
    )


def test_equal_scores_stay_as_they_stand_and_ranks_are_numbered_only_where_they_must_be() -> None:
    content = b"1 Q0 B 3 1.0 r\n1 Q0 A 7 1.0 r\n"
    assert repaired(repair_ranked_run, content) == (content, {})
    assert repaired(repair_ranked_run, b"1 Q0 B 3 1.0 r\n1 Q0 A 3 1.0 r\n") == (
        b"1 Q0 B 1 1.0 r\n1 Q0 A 2 1.0 r\n",
        {"ranks": 1},
    )


@pytest.mark.parametrize(
    "line",
    [
        b"1 Q0 D1 1.0 5 r",  # rank and score may be the wrong way round
        b"1 Q0 D 1 1 5.0 r",
        b"1 Q0 D1 1 nan r",
        b"1 Q0 D1 1 5.0 \xff",
        b"1 Q0 D1 1 5.0 r\x00",
        b"  spaces   stay ",
    ],
)
def test_a_line_that_can_not_be_read_stays_as_it_is(line: bytes) -> None:
    content = b"1 Q0 D5 1 9.0 r\n" + line + b"\n1 Q0 D6 2 8.0 r\n"
    assert repaired(repair_ranked_run, content) == (content, {})


def test_where_a_topic_is_put_in_order_what_can_not_be_read_comes_last() -> None:
    content = b"oops\n1 Q0 D5 1 8.0 r\noops too\n1 Q0 D6 2 9.0 r\n"
    assert repaired(repair_ranked_run, content)[0] == b"oops\n1 Q0 D6 1 9.0 r\n1 Q0 D5 2 8.0 r\noops too\n"


def test_lines_of_two_runs_are_no_repetitions() -> None:
    content = b"1 Q0 D1 1 2.0 r\n1 Q0 D1 2 1.0 s\n"
    assert repaired(repair_ranked_run, content) == (content, {})


def test_the_text_of_an_answer_is_never_touched() -> None:
    content = "\ufeff 1.1 H1 D1 a  b\tc \r\n1.1 H1 D1 a b c\n1.1  H1 D1 a  b\tc\n \n1.1 H1 D2 x".encode()
    assert repaired(repair_answer_lines, content) == (
        b"1.1 H1 D1 a  b\tc\n1.1 H1 D1 a b c\n1.1 H1 D2 x\n",
        {
            "byte-order-mark": 1,
            "line-ends": 1,
            "final-line-break": 1,
            "blank-lines": 1,
            "outer-white-space": 1,
            "repeated-lines": 1,
        },
    )


def test_json_lines_lose_blank_lines_and_carriage_returns_alone() -> None:
    content = b' {"a":  1} \r\n\r\n{"b": "\xc3\xa9"}\n'
    assert repaired(repair_lines, content) == (
        b' {"a":  1} \n{"b": "\xc3\xa9"}\n',
        {"line-ends": 2, "blank-lines": 1},
    )


@pytest.mark.parametrize("repair", [repair_ranked_run, repair_answer_lines, repair_lines])
def test_what_is_no_file_of_lines_is_left_alone(repair: Repairer) -> None:
    with pytest.raises(NotRepairable):
        list(repair(io.BytesIO(b"x" * (MAX_LINE_BYTES + 1))))
    assert repaired(repair, b"") == (b"", {})


def wide() -> bytes:
    """White space that fills a line up to the limit but for its columns."""
    return b" " * ((1 << 24) - 40)


def long_text() -> bytes:
    """A text that fills a line of JSON up to the limit."""
    return b'{"a": "' + b"x" * ((1 << 24) - 9) + b'"}'


@pytest.mark.parametrize(
    ("repair", "content", "expected", "codes"),
    [
        (
            repair_ranked_run,
            lambda: b"1 Q0 D1 1" + wide() + b"2.0 r\r\n1 Q0 D2 2 3.0 r\n",
            lambda: b"1 Q0 D2 1 3.0 r\n1 Q0 D1 2 2.0 r\n",
            {"line-ends": 1, "white-space": 1, "score-order": 1, "ranks": 1},
        ),
        (
            repair_answer_lines,
            lambda: wide() + b"1.1 H1 D1 a  b\n1.1 H1 D1" + wide() + b"a  b\r\n",
            lambda: b"1.1 H1 D1 a  b\n",
            {"outer-white-space": 1, "line-ends": 1, "repeated-lines": 1},
        ),
        (
            repair_lines,
            lambda: long_text() + b"\r\n\n",
            lambda: long_text() + b"\n",
            {"line-ends": 1, "blank-lines": 1},
        ),
    ],
    ids=["ranked", "answers", "JSON lines"],
)
def test_lines_of_16_mb_are_repaired_like_others(
    repair: Repairer, content: Callable[[], bytes], expected: Callable[[], bytes], codes: dict[str, int]
) -> None:
    """Made here: to have them in memory whenever tests are collected took a third of a second of each process."""
    sent = content()
    assert max(map(len, sent.splitlines())) > 16_000_000
    found, done = repaired(repair, sent)
    assert found == expected(), f"{len(found):,} bytes"
    assert done == codes


def test_a_line_of_the_limit_is_repaired_with_its_mark_and_line_end() -> None:
    body = b"x" * MAX_LINE_BYTES
    found, done = repaired(repair_lines, b"\xef\xbb\xbf" + body + b"\r\n")
    assert found == body + b"\n"
    assert done == {"byte-order-mark": 1, "line-ends": 1}


def test_long_lines_of_a_topic_are_not_held_together(tmp_path: Path) -> None:
    """Wide gaps and long lines that are none: neither is held for all lines of a topic."""
    path, gap = tmp_path / "run.txt", b" " * 4_000_000
    with path.open("wb") as file:
        for number in range(12):
            file.write(b"1 Q0 D%d %d" % (number, number) + gap + b"%d.0 r\n" % number)
            file.write(b"y" * 4_000_000 + b"\n")
    tracemalloc.start()
    with path.open("rb") as run, (tmp_path / "repaired.txt").open("wb") as target:
        write_repaired(repair_ranked_run(run), target)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    lines = (tmp_path / "repaired.txt").read_bytes().splitlines()
    assert lines[:12] == [b"1 Q0 D%d %d %d.0 r" % (11 - n, n + 1, 11 - n) for n in range(12)]
    assert [len(line) for line in lines[12:]] == [4_000_000] * 12
    assert peak < 70_000_000


def test_every_code_has_its_sentence() -> None:
    assert all(Repair(code=code, count=1).message == sentence for code, sentence in MESSAGES.items())


SPACE = st.sampled_from([" ", "\t", "  "])
GOOD = st.builds(
    lambda topic, docno, rank, score, gap: f"{topic}{gap}Q0 {docno} {rank}{gap}{score} r",
    st.sampled_from(["1", "2", "10_1"]),
    st.sampled_from(["A", "B", "C", "é"]),
    st.integers(-2, 5),
    st.sampled_from(["1.0", "1", "2.5", "-3e1", "0"]),
    SPACE,
)
ANY_LINE = st.one_of(GOOD.map(str.encode), st.binary(max_size=12).filter(lambda raw: b"\n" not in raw))
FILES = st.tuples(
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.lists(st.tuples(ANY_LINE, st.sampled_from([b"\n", b"\r\n"])), max_size=12),
    st.sampled_from([b"", b"1 Q0 Z 1 1 r"]),
).map(lambda parts: parts[0] + b"".join(line + end for line, end in parts[1]) + parts[2])


def readable(content: bytes) -> Counter[tuple[str, str, str]]:
    """(topic, docno, score as written) of every line that is one."""
    lines = (line.removeprefix(b"\xef\xbb\xbf") for line in content.split(b"\n"))
    found: Counter[tuple[str, str, str]] = Counter()
    for line in lines:
        if not isinstance(
            next(read_numbered_run(io.BytesIO(line + b"\n")), Issue(where=0, code="", message="")), Issue
        ):
            columns = line.decode().split()
            found[columns[0], columns[2], columns[4]] += 1
    return found


@settings(max_examples=300)
@given(FILES)
@example(b"\xef\xbb\xbf\xfe\xff\n")
def test_repairing_drops_repetitions_and_keeps_every_topic_document_and_best_score(content: bytes) -> None:
    after, told = repaired(repair_ranked_run, content)
    before, now = readable(content), readable(after)
    dropped = before - now
    assert now - before == Counter()
    assert sum(dropped.values()) == told.get("repeated-lines", 0) + told.get("repeated-documents", 0)
    best = {}
    for topic, docno, score in before:
        best[topic, docno] = max(best.get((topic, docno), float("-inf")), float(score))
    assert {(topic, docno): float(score) for topic, docno, score in now} == best


@settings(max_examples=300)
@given(FILES, st.sampled_from([repair_ranked_run, repair_answer_lines, repair_lines]))
@example(b"\xef\xbb\xbf\xfe\xff\n", repair_ranked_run)
def test_repairing_twice_is_repairing_once(content: bytes, repair: Repairer) -> None:
    once, _ = repaired(repair, content)
    assert repaired(repair, once) == (once, {})


@settings(max_examples=100)
@given(FILES)
@example(b"\xef\xbb\xbf\xfe\xff\n")
def test_a_repaired_run_has_no_fault_that_is_repaired(content: bytes) -> None:
    after, _ = repaired(repair_ranked_run, content)
    issues = list(check_ranked_run(io.BytesIO(after), topics=["1", "2", "10_1"], limit=100))
    codes = {issue.code for issue in issues}
    broken = codes & {
        "columns",
        "value",
        "run-tag",
        "nul-byte",
        "not-utf8",
        "encoding-utf16",
        "other-file",
        "compressed-file",
    }
    assert broken or codes <= {"tied-scores", "missing-topic", "empty-file", "unknown-topic"}
