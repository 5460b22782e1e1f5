from __future__ import annotations

import io
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.folding import answer_key, count_characters
from scoring.formats import tac_run_rules, tac_runs
from scoring.formats.tac_columns import RunLine, run_strings, string_lengths
from scoring.formats.tac_run_rules import DOCNO_BATCH, split_tag
from scoring.formats.tac_runs import check_run, parse_run
from scoring.reading import line_pieces
from scoring.records import Issue
from tracks.plain_topics import segments_of_lines

QUESTIONS = ("3.1", "3.2")
GOOD = b"3.1 Team1 D1 the two-dollar wine\n3.1\tTeam1 \t D2\tcheese\n3.2 Team1 D1 friendly staff\n"

Found = list[tuple[int | str, str, str]]


def unknown(docnos: Iterable[str]) -> set[str]:
    return {docno for docno in docnos if not docno.startswith("D")}


def check(data: bytes | str, *, tag: str | None = None, limit: int = 7000) -> Found:
    content = data.encode() if isinstance(data, str) else data
    found = check_run(io.BytesIO(content), questions=QUESTIONS, length_limit=limit, tag=tag, unknown_docnos=unknown)
    return [(issue.where, issue.severity, issue.code) for issue in found]


def test_good_run_has_no_issues() -> None:
    assert check(GOOD, tag="Team1") == []


def test_any_white_space_separates_columns_and_stays_in_the_answer() -> None:
    (line,) = parse_run(io.BytesIO(b"  3.1 \t Team1\t\tD1   two  dollar\twine  \n"))
    assert line == RunLine(line=1, topic="3.1", run="Team1", docno="D1", text="two  dollar\twine")


BROKEN: dict[str, tuple[bytes | str, Found]] = {
    "empty file": (b"", [("", "error", "empty-file")]),
    "one column": (GOOD + b"3.1\n", [(4, "error", "columns")]),
    "two columns": (GOOD + b"3.1 Team1\n", [(4, "error", "columns")]),
    "no answer": (GOOD + b"3.1 Team1 D4\n", [(4, "error", "empty-answer")]),
    "white space for an answer": (GOOD + b"3.1 Team1 D4 \t \n", [(4, "error", "empty-answer")]),
    "no-break space for an answer": (GOOD + "3.1 Team1 D4 \u00a0\n".encode(), [(4, "error", "empty-answer")]),
    "zero-width answer": (GOOD + "3.1 Team1 D4 \u200b\u200d\n".encode(), [(4, "error", "empty-answer")]),
    "blank line": (GOOD + b"\n", [(4, "error", "blank-line")]),
    "blank line in the middle": (b"\n" + GOOD, [(1, "error", "blank-line")]),
    "unknown question": (GOOD + b"9.9 Team1 D4 x\n", [(4, "error", "unknown-question")]),
    "target for a question": (GOOD + b"3 Team1 D4 x\n", [(4, "error", "unknown-question")]),
    "zero-padded question": (GOOD + b"3.01 Team1 D4 x\n", [(4, "error", "unknown-question")]),
    "question missing": (b"3.1 Team1 D1 x\n", [("", "error", "missing-question")]),
    "both questions missing": (b"9.9 Team1 D1 x\n", [
        (1, "error", "unknown-question"), ("", "error", "missing-question"), ("", "error", "missing-question"),
    ]),
    "unknown docid": (GOOD + b"3.1 Team1 X9 x\n", [(4, "error", "unknown-docid")]),
    "docid too long": (GOOD + b"3.1 Team1 " + b"D" * 200 + b" x\n", [(4, "error", "docid-form")]),
    "no priority in the tag": (GOOD.replace(b"Team1", b"Team"), [(1, "error", "run-tag-form")]),
    "priority 4": (GOOD.replace(b"Team1", b"Team4"), [(1, "error", "run-tag-form")]),
    "priority alone": (GOOD.replace(b"Team1", b"1"), [(1, "error", "run-tag-form")]),
    "tag with a slash": (GOOD.replace(b"Team1", b"Te/am1"), [(1, "error", "run-tag-form")]),
    "tag beyond ASCII": (GOOD.replace(b"Team1", "Téam1".encode()), [(1, "error", "run-tag-form")]),
    "tag of 100 characters": (GOOD.replace(b"Team1", b"T" * 99 + b"1"), [(1, "error", "run-tag-form")]),
    "two tags": (GOOD + b"3.1 Team2 D4 x\n", [(4, "error", "run-tag-differs")]),
    "exact duplicate": (GOOD + b"3.1 Team1 D2 cheese\n", [(4, "error", "duplicate-instance")]),
    "duplicate but for space": (GOOD + b"3.1 Team1 D1 the  two-dollar\twine\n", [(4, "error", "duplicate-instance")]),
    "same string, other docid": (GOOD + b"3.1 Team1 D3 cheese\n", []),
    "same pair, other question": (GOOD + b"3.2 Team1 D2 cheese\n", []),
    "CR LF": (GOOD.replace(b"\n", b"\r\n"), [(1, "warning", "carriage-returns")]),
    "lone CR": (GOOD + b"3.1 Team1 D4 a\rb\n", [(4, "error", "line-break")]),
    "line separator": (GOOD + "3.1 Team1 D4 a\u2028b\n".encode(), [(4, "error", "line-break")]),
    "next line": (GOOD + "3.1 Team1 D4 a\x85b\n".encode(), [(4, "error", "line-break")]),
    "Latin-1": (GOOD + b"3.1 Team1 D4 caf\xe9\n", [(4, "error", "encoding")]),
    "NUL": (GOOD + b"3.1 Team1 D4 a\0b\n", [(4, "error", "nul")]),
    "escape": (GOOD + b"3.1 Team1 D4 \x1b[31mred\n", [(4, "error", "control-character")]),
    "byte order mark": (b"\xef\xbb\xbf" + GOOD, [(1, "warning", "byte-order-mark")]),
    "UTF-16": (GOOD.decode().encode("utf-16"), [(1, "error", "encoding-utf16")]),
    "no final line break": (GOOD[:-1], [(3, "warning", "no-final-line-break")]),
    "overlong line": (GOOD + b"3.1 Team1 D4 " + b"ab " * 9_000_000 + b"\n", [(4, "error", "line-too-long")]),
    "overlong answer": (GOOD + b"3.1 Team1 D4 " + b"ab " * 100_000 + b"\n", [(4, "error", "answer-length")]),
    "several at once": (b"3.1 Team D1 x\n\n3.1 Team9 X1 x\n9 Team\n", [
        (1, "error", "run-tag-form"), (2, "error", "blank-line"), (3, "error", "run-tag-differs"),
        (4, "error", "columns"), (3, "error", "unknown-docid"), ("", "error", "missing-question"),
    ]),
}  # fmt: skip


WIDE = {
    "before the first column": b" " * 70_000 + b"3.1 Team1 D4 nice\n",
    "between columns": b"3.1" + b" \t" * 70_000 + b"Team1 D4 nice\n",
    "in the answer": b"3.1 Team1 D4 nice" + b" " * 17_000_000 + b"wine\n",
    "after the answer": b"3.1 Team1 D4 nice" + b" " * 70_000 + b"\n",
}


@pytest.mark.parametrize("name", WIDE)
def test_any_amount_of_white_space_passes(name: str) -> None:
    """III: "Any amount of white space may be used to separate columns"; "Other white space is allowed"."""
    assert check(GOOD + WIDE[name]) == []


def test_vertical_tabs_and_form_feeds_are_white_space_of_which_it_is_told_once() -> None:
    """III: "Other white space is allowed in answer-string"."""
    assert check(GOOD + b"3.1\x0bTeam1\x0cD4 a\x0bb\n3.1 Team1 D3 c\x0bd\n") == [
        (4, "note", "white-space"),
        (4, "note", "white-space"),
    ]


def test_a_flawed_line_is_named_once() -> None:
    """A line that is none names its question: that this has no other line follows from it."""
    flawed = GOOD.replace(GOOD.splitlines(keepends=True)[-1], b"")
    number = GOOD.splitlines()[-1].split()[0]
    assert check(flawed + number + b" Team1 D4\n") == [(3, "error", "empty-answer")]
    assert check(flawed + number + b" Team1 D4 " + b"ab" * 9_000_000 + b"\n") == [(3, "error", "line-too-long")]
    assert check(flawed) == [("", "error", "missing-question")]


@pytest.mark.parametrize("name", BROKEN)
def test_broken_run_is_named(name: str) -> None:
    data, expected = BROKEN[name]
    assert check(data) == expected


def test_of_a_file_whose_lines_end_with_cr_alone_nothing_else_is_said() -> None:
    assert check(GOOD.decode().replace("\n", "\r"), limit=3) == [(1, "error", "line-ends")]


def test_tag_must_be_that_of_the_form() -> None:
    assert check(GOOD, tag="Team2") == [(1, "error", "run-tag-mismatch")]


def run_of_length(length: int) -> str:
    return f"3.1 Team1 D1 {'x' * (length - 4)}\n3.1 Team1 D2 a b\u00a0c d\n3.2 Team1 D1 y\n"


def test_length_of_exactly_the_limit_passes() -> None:
    assert check(run_of_length(7000)) == []


def test_length_over_the_limit_is_named_where_it_is_passed_and_once() -> None:
    assert check(run_of_length(7001) + "3.1 Team1 D3 more\n") == [(2, "error", "answer-length")]


def test_zero_width_characters_count_towards_the_limit() -> None:
    assert check("3.1 Team1 D1 ab\u200b\n3.2 Team1 D1 y\n", limit=2) == [(1, "error", "answer-length")]


def test_unknown_docid_is_named_once_with_its_count() -> None:
    data = GOOD + b"3.1 Team1 X9 a\n3.1 Team1 X9 b\n3.1 Team1 X9 c\n"
    (issue,) = check_run(io.BytesIO(data), questions=QUESTIONS, unknown_docnos=unknown)
    assert (issue.where, issue.code) == (4, "unknown-docid")
    assert 'The document "X9" (also on 2 more lines) is not in the collection.' in issue.message


def test_docnos_are_asked_in_batches() -> None:
    asked: list[int] = []

    def ask(docnos: Iterable[str]) -> set[str]:
        known = list(docnos)
        asked.append(len(known))
        return {docno for docno in known if docno == "X1"}

    lines = "".join(f"3.1 Team1 D{number} a\n" for number in range(DOCNO_BATCH)) + "3.2 Team1 X1 a\n"
    found = check_run(io.BytesIO(lines.encode()), questions=QUESTIONS, length_limit=10**6, unknown_docnos=ask)
    assert [issue.where for issue in found] == [DOCNO_BATCH + 1]
    assert asked == [DOCNO_BATCH, 1]


def test_docnos_are_not_checked_without_a_list() -> None:
    assert list(check_run(io.BytesIO(GOOD.replace(b"D1", b"X1")), questions=QUESTIONS)) == []


def test_hostile_columns_are_cut_and_escaped_in_messages() -> None:
    data = GOOD + b"9\x1b[2J" + b"9" * 500 + b" Team1 D4 x\n"
    (_, issue) = check_run(io.BytesIO(data), questions=QUESTIONS)
    assert issue.code == "unknown-question"
    assert "\x1b" not in issue.message
    assert len(issue.message) < 200


@pytest.mark.parametrize(
    ("tag", "parts"),
    [
        ("Team1", ("Team", 1)),
        ("a.b-c_d3", ("a.b-c_d", 3)),
        ("Team12", ("Team1", 2)),
        ("Team0", None),
        ("1", None),
        ("", None),
    ],
)
def test_split_tag(tag: str, parts: tuple[str, int] | None) -> None:
    assert split_tag(tag) == parts


COLUMN = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp", "Zs"]), min_size=1, max_size=10)
ANSWER = st.lists(st.text("abc😀é.,'\"", min_size=1, max_size=8), min_size=1, max_size=5).map(" ".join)


@given(st.lists(st.tuples(COLUMN, COLUMN, COLUMN, ANSWER), min_size=1), st.sampled_from([" ", "\t", " \t "]))
def test_lines_come_back_as_written(rows: list[tuple[str, str, str, str]], space: str) -> None:
    text = "".join(space.join(row) + "\n" for row in rows)
    expected = [
        RunLine(line=number, topic=topic, run=run, docno=docno, text=answer)
        for number, (topic, run, docno, answer) in enumerate(rows, start=1)
    ]
    if not any(topic.startswith("\ufeff") for topic, *_ in rows):  # a mark at the start of a line is skipped
        assert list(parse_run(io.BytesIO(text.encode()))) == expected


@given(st.binary(max_size=300))
def test_checker_never_raises(data: bytes) -> None:
    assert all(isinstance(issue, Issue) for issue in check_run(io.BytesIO(data), questions=QUESTIONS))


@given(st.lists(st.tuples(st.sampled_from(["3.1", "3.2"]), st.sampled_from("abc"), st.sampled_from(["D1", "D2"]))))
def test_duplicates_are_the_lines_beyond_the_distinct_pairs(rows: list[tuple[str, str, str]]) -> None:
    data = "".join(f"{topic} Team1 {docno} {text}\n" for topic, text, docno in rows)
    codes = [code for _, _, code in check(data)]
    distinct = {(topic, answer_key(text, docno)) for topic, text, docno in rows}
    assert codes.count("duplicate-instance") == len(rows) - len(distinct)


LINES = st.one_of(
    st.builds(
        lambda gap, *columns: gap.join(columns[:4]) + columns[4],
        st.sampled_from(["\t", "\t", " ", " \t"]),
        st.sampled_from(["3.1", "3.1", "3.2", "9.9"]),
        st.sampled_from(["Team1", "Team1", "Team1", "Team1", "Team2", "Team"]),
        st.sampled_from(["D1", "D2", "D3", "X1", "D" * 129]),
        st.sampled_from(["wine", "cheap  wine", "cheap wine", "\t cheap\twine ", "caf\u00e9"])
        | st.sampled_from(["cafe\u0301", "\u00a0wine", "\u200b", "x" * 9, ""]),
        st.sampled_from(["\n", "\n", "\n", "\n", " \n", "\r\n", "\n\n", "\x0b\n", "\x85\n", "\u2028\n", "\x00\n", ""]),
    ).map(str.encode),
    st.binary(max_size=6),
    st.sampled_from([b"\xef\xbb\xbf", b"BZh", b"\n"]),
)  # fmt: skip


def one_by_one(content: bytes) -> list[Issue]:
    """As `check_run` where no lines are looked at together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tac_runs, "columns_of", lambda piece: None)
        patch.setattr(line_pieces, "_plain_text", lambda raw, is_first: None)
        return together(content)


def together(content: bytes) -> list[Issue]:
    found = check_run(io.BytesIO(content), questions=QUESTIONS, length_limit=40, unknown_docnos=unknown, tag="Team1")
    return list(found)


@settings(deadline=None)
@given(st.lists(LINES, max_size=14).map(b"".join), st.sampled_from([5, 30, 90, 1 << 18]), st.sampled_from([2, 50_000]))
def test_lines_looked_at_together_have_the_issues_of_lines_looked_at_one_by_one(
    content: bytes, piece: int, batch: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_pieces, "PIECE", piece)
        patch.setattr(tac_run_rules, "DOCNO_BATCH", batch)
        assert together(content) == one_by_one(content)


def test_lines_without_a_flaw_are_not_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tac_runs, "parse_line", None)
    assert check(GOOD, tag="Team1") == []
    assert check(GOOD.replace(b"cheese", "caf\u00e9".encode()), tag="Team1") == []


def lengths_one_by_one(content: bytes) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for line in parse_run(io.BytesIO(content)):
        if isinstance(line, RunLine):
            found.setdefault(line.topic, {}).setdefault(answer_key(line.text, line.docno), count_characters(line.text))
    return found


@settings(deadline=None)
@given(st.lists(LINES, max_size=6).map(b"".join), st.sampled_from([5, 30, 1 << 18]))
def test_lengths_read_together_are_those_of_the_lines_one_by_one(content: bytes, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_pieces, "PIECE", piece)
        found, strings = string_lengths(io.BytesIO(content)), run_strings(io.BytesIO(content))
    assert found is None or found == lengths_one_by_one(content)
    assert (strings is None) == (found is None)
    lines = (each for each in parse_run(io.BytesIO(content)) if isinstance(each, RunLine))
    one_by_one = [
        (each.topic, each.ordinal, each.item_key, each.docno, each.text) for each in segments_of_lines(lines, "x")
    ]
    assert strings is None or strings == one_by_one


def test_lengths_of_lines_without_a_flaw_are_read_together() -> None:
    again = GOOD + GOOD.replace(b"cheese", "caf\u00e9".encode())
    found = string_lengths(io.BytesIO(again))
    assert found == lengths_one_by_one(again) != {}
    assert string_lengths(io.BytesIO(again[:-1])) is None


def test_a_tab_too_many_is_not_made_good_by_one_too_few() -> None:
    content = b"3.1\tTeam1\tD1\n3.1\tTeam1\tD2\tcheap\twine\n3.2\tTeam1\tD3\tbread\n"
    assert check(content) == [(1, "error", "empty-answer")]
