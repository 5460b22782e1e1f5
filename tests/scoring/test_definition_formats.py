"""The files of the definition pilot: every form is read, what is written comes back, every flaw is named."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.formats.definition_judgments import (
    HolisticScores,
    is_score_line,
    read_comments,
    read_definition_nuggets,
    read_holistic,
    read_pieces,
    write_definition_nuggets,
    write_holistic,
    write_pieces,
)
from scoring.formats.definition_runs import check_definition_run, parse_definition_run, read_bundle, write_bundle
from scoring.formats.definition_topics import (
    AuthorSummary,
    DefinitionQuestion,
    read_author_summaries,
    read_definition_questions,
    write_definition_questions,
)
from scoring.formats.judgments_jsonl import Reviewed, read_judgments, write_judgments
from scoring.formats.known_formats import find_format
from scoring.formats.tac_columns import RunLine
from scoring.records import Issue, Nugget, NuggetPiece, ResponseItem

NUMBER = st.from_regex(r"[A-Za-z._-]{0,3}[0-9][A-Za-z0-9._-]{0,5}", fullmatch=True)
RUN = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,6}", fullmatch=True)
DOCNO = st.just("") | st.from_regex(r"[A-Z]{3}[0-9]{8}\.[0-9]{4}", fullmatch=True)
TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=24)
LINE = TEXT.filter(lambda text: text == text.strip())
ANSWER = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=12)
PARAGRAPHS = st.lists(st.lists(ANSWER, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=3).map("\n\n".join)
SCORE = st.none() | st.integers(0, 10)
PAIR = st.tuples(SCORE, SCORE)
SMALL = st.integers(1, 999)


def numbered(strings: Iterable[tuple[str, str, str, str]]) -> list[ResponseItem]:
    """Strings with their numbers, those of a run and question together."""
    counts: dict[tuple[str, str], int] = {}
    found = []
    for topic, run, docno, text in strings:
        counts[topic, run] = counts.get((topic, run), 0) + 1
        found.append(ResponseItem(topic=topic, run=run, item=counts[topic, run], docno=docno, text=text))
    return found


RECORDS: dict[str, st.SearchStrategy[list[Any]]] = {
    "definition-questions": st.lists(
        st.builds(DefinitionQuestion, number=NUMBER, text=LINE), min_size=1, max_size=5, unique_by=lambda r: r.number
    ),
    "author-summaries": st.lists(
        st.builds(AuthorSummary, topic=NUMBER, text=PARAGRAPHS), min_size=1, max_size=5, unique_by=lambda r: r.topic
    ),
    "definition-responses": st.lists(st.tuples(NUMBER, RUN, DOCNO, ANSWER), min_size=1, max_size=8).map(numbered),
    "holistic": st.lists(
        st.builds(
            HolisticScores,
            topic=st.from_regex(r"[0-9][A-Za-z0-9._-]{0,5}", fullmatch=True),
            run=RUN,
            contractor=PAIR,
            author=st.tuples(st.integers(0, 10), SCORE),
            other=PAIR,
        ),
        min_size=1,
        max_size=5,
        unique_by=lambda r: (r.topic, r.run),
    ),
    "definition-nuggets": st.lists(
        st.builds(Nugget, topic=NUMBER, number=SMALL, importance=st.sampled_from(["vital", "okay"]), text=LINE),
        min_size=1,
        max_size=6,
        unique_by=lambda r: (r.topic, r.number),
    ),
    "definition-pieces": st.lists(
        st.builds(
            NuggetPiece,
            topic=NUMBER,
            run=RUN,
            item=SMALL,
            number=SMALL,
            part=st.integers(0, 9),
            docno=DOCNO,
            text=LINE,
        ),
        max_size=6,
        unique=True,
    ),
}


def content(lines: Iterable[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode()


@pytest.mark.parametrize("name", RECORDS)
@given(data=st.data())
def test_what_is_written_is_read_back(name: str, data: st.DataObject) -> None:
    known = find_format(name)
    assert known is not None and known.read is not None and known.write is not None
    records = data.draw(RECORDS[name])
    lines = list(known.write(records))
    read = list(known.read(io.BytesIO(content(lines))))
    assert not [each for each in read if isinstance(each, Issue) and each.severity == "error"]
    assert sorted(read, key=repr) == sorted(records, key=repr) or _same(read, records)
    assert list(known.write(read)) == lines


def _same(read: list[Any], records: list[Any]) -> bool:
    """Equal but for what equality does not compare: the line."""
    return len(read) == len(records) and all(each in records for each in read)


def parsed(read: Any, text: str | bytes, **options: Any) -> list[Any]:
    return list(read(io.BytesIO(text if isinstance(text, bytes) else text.encode()), **options))


def flaws(found: Iterable[Any]) -> list[tuple[int | str, str, str]]:
    return [(each.where, each.severity, each.code) for each in found if isinstance(each, Issue)]


# ---------------------------------------------------------------- questions and definitions


@pytest.mark.parametrize("line", ["7\tWho is A?", "7 Who is A?", "7: Who is A?", "7:\tWho is A?", "  7   Who is A?  "])
def test_questions_are_read_in_every_plain_form(line: str) -> None:
    assert parsed(read_definition_questions, line) == [DefinitionQuestion(number="7", text="Who is A?")]


@pytest.mark.parametrize(
    "text",
    [
        "<7>\nA cellist\nof Orvane.\n\nShe plays.\n",
        "7\nA cellist of Orvane.\n\nShe plays.\n",
        "7: A cellist of Orvane.\n\n\nShe plays.",
        "7\tA cellist of  Orvane.\n\nShe plays.\n\n",
    ],
)
def test_a_definition_starts_in_every_plain_form(text: str) -> None:
    assert parsed(read_author_summaries, text) == [AuthorSummary(topic="7", text="A cellist of Orvane.\n\nShe plays.")]


def test_a_year_at_the_start_of_a_line_starts_nothing() -> None:
    (found,) = parsed(read_author_summaries, "<7>\nThe ferry has been in service since\n1873 and was drawn by\n1999\n")
    assert found.text == "The ferry has been in service since 1873 and was drawn by 1999"


# ---------------------------------------------------------------- runs


def check(text: str | bytes, **options: Any) -> list[tuple[int | str, str, str]]:
    return flaws(parsed(check_definition_run, text, questions=["1", "2"], **options))


GOOD = "1 A D1 the first woman\n1 A D2 in space\n2 A XXXX a mould\n"


def test_a_good_run_has_no_issues_and_a_string_of_x_is_no_docno() -> None:
    assert check(GOOD, unknown_docnos=lambda docnos: set(docnos) - {"D1", "D2"}) == []
    *_, last = parsed(parse_definition_run, GOOD)
    assert last == RunLine(line=3, topic="2", run="A", docno="", text="a mould")


def test_neither_the_length_of_a_snippet_nor_their_number_is_limited() -> None:
    """ "There were no limits placed on either the length of an individual snippet or on the number of snippets in a
    list" (AQUAINT definition pilot, the task).
    """
    long = "1 A D1 " + "word " * 3_400_000 + "\n"
    assert len(long) > 16 << 20
    assert check(long + "2 A D1 x\n" + "".join(f"2 A D{n} x\n" for n in range(2, 3000))) == []
    (item,) = parsed(read_bundle, long)
    assert "".join(write_bundle([item])) == long.rstrip()
    (mark,) = parsed(read_pieces, f"1 A 1 1 D1 {item.text}\n")
    assert mark.text == item.text
    (act,) = parsed(read_judgments, "".join(write_judgments([reviewed(item.text)])) + "\n")
    assert act == reviewed(item.text)


def reviewed(text: str) -> Reviewed:
    return Reviewed(by="assessor-1", topic="1", docno="D1", answer=text)


def test_the_tag_is_that_of_the_form() -> None:
    assert check(GOOD, tag="A") == []
    assert check(GOOD, tag="B") == [(1, "error", "run-tag-mismatch")]


BUNDLE = "1 A D1 x\n1 A D2 y\n**************\n1 B XXXXXX z\n"


def test_a_bundle_is_read_run_by_run() -> None:
    assert parsed(read_bundle, BUNDLE) == [
        ResponseItem(topic="1", run="A", item=1, docno="D1", text="x"),
        ResponseItem(topic="1", run="A", item=2, docno="D2", text="y"),
        ResponseItem(topic="1", run="B", item=1, docno="", text="z"),
    ]


def test_a_string_of_xs_is_written_as_long_as_it_was() -> None:
    """ "the document-id is a string of X's" (AQUAINT definition pilot, 1)"""
    assert "".join(line + "\n" for line in write_bundle(parsed(read_bundle, BUNDLE))) == BUNDLE
    pieces = "1 B 1 1 XXXX z\n**************\n1 C 1 2 XX z\n"
    assert "".join(line + "\n" for line in write_pieces(parsed(read_pieces, pieces))) == pieces
    unsaid = ResponseItem(topic="1", run="B", item=1, docno="", text="z")
    assert list(write_bundle([unsaid])) == [f"1 B {'X' * 16} z"]


@pytest.mark.parametrize("between", ["\t", " ", "  ", ": ", ":", " : ", " \t"])
def test_what_stands_between_number_and_question_is_written_again(between: str) -> None:
    content = f"1{between}Who is Ann Lee?\n2\tWhat is mold?\n"
    read = parsed(read_definition_questions, content)
    assert [(each.number, each.text) for each in read] == [("1", "Who is Ann Lee?"), ("2", "What is mold?")]
    assert "".join(line + "\n" for line in write_definition_questions(read)) == content


def test_a_run_in_two_pieces_is_an_issue() -> None:
    assert flaws(parsed(read_bundle, BUNDLE + "****\n1 A D3 q\n")) == [(6, "error", "run-split")]


# ---------------------------------------------------------------- judgments


def test_a_nugget_that_begins_with_an_asterisk_is_written_so_that_it_comes_back() -> None:
    nuggets = [Nugget(topic="1", number=n, importance=kind, text="*first") for n, kind in ((1, "vital"), (2, "okay"))]
    lines = list(write_definition_nuggets(nuggets))
    assert lines == ["<1>", "1 * \\u002afirst", "2 \\u002afirst"]
    assert [(each.importance, each.text) for each in parsed(read_definition_nuggets, "\n".join(lines) + "\n")] == [
        ("vital", "*first"),
        ("okay", "*first"),
    ]


def test_comments_before_the_scores_are_passed_over() -> None:
    text = "Scores of eight systems.\nThe first pair is the contractor's own, then others.\n1 A 7 5 8 6 7 4\n"
    expected = HolisticScores(topic="1", run="A", contractor=(7, 5), author=(8, 6), other=(7, 4))
    assert parsed(read_holistic, text) == [expected]


@given(lines=st.lists(LINE | st.sampled_from(["", " ", "# 1 A 2", "2 systems"]), max_size=5))
@example(lines=[""])
def test_comments_before_the_scores_come_back(lines: list[str]) -> None:
    """ "The file called holistic (after comments)" (AQUAINT definition pilot, 1)."""
    lines = [line for line in lines if not is_score_line(line) and "\r" not in line and "\n" not in line]
    scores = HolisticScores(topic="1", run="A", contractor=(7, 5), author=(8, 6), other=(7, 4))
    comments = content(lines).decode()
    written = content(write_holistic([scores], comments=comments))
    assert written == comments.encode() + b"1 A 7 5 8 6 7 4\n"
    if "\0" not in comments:
        assert read_comments(io.BytesIO(written)) == comments
    assert parsed(read_holistic, content(write_holistic([scores]))) == [scores]


def test_comments_that_are_no_text_are_none() -> None:
    assert read_comments(io.BytesIO(b"caf\xe9\n1 A 7 5 8 6 7 4\n")) is None


def test_a_score_may_be_missing() -> None:
    (found,) = parsed(read_holistic, "1 A - - 8 6 7 -\n")
    assert (found.contractor, found.author, found.other) == ((None, None), (8, 6), (7, None))


def test_an_asterisk_before_the_text_says_vital() -> None:
    found = parsed(read_definition_nuggets, "1 * first woman\n2 in space\n3* A\n4. B\n", topic="9")
    assert [(each.number, each.importance, each.text) for each in found] == [
        (1, "vital", "first woman"),
        (2, "okay", "in space"),
        (3, "vital", "A"),
        (4, "okay", "B"),
    ]


def test_parts_of_a_nugget_are_real_numbers() -> None:
    found = parsed(read_pieces, "1 A 2 5.1 D1 first\n1 A 3 5.2 D1 woman\n****\n1 B 1 5.0 XXX first woman\n")
    assert [(each.run, each.item, each.number, each.part, each.docno) for each in found] == [
        ("A", 2, 5, 1, "D1"),
        ("A", 3, 5, 2, "D1"),
        ("B", 1, 5, 0, ""),
    ]


BROKEN: list[tuple[str, Any, str | bytes, list[tuple[int | str, str, str]]]] = [
    ("questions: none", read_definition_questions, "", [("", "error", "no-questions")]),
    ("questions: a number alone", read_definition_questions, "1\n2 B?\n", [(1, "error", "columns")]),
    ("questions: no digit", read_definition_questions, "one Who?\n2 B?\n", [(1, "error", "value")]),
    ("questions: huge number", read_definition_questions, "9" * 500 + " Who?\n2 B?\n", [(1, "error", "value")]),
    ("questions: half a pair", read_definition_questions, b"1 \xed\xa0\x80\n2 B?\n", [(1, "error", "not-utf8")]),
    ("summaries: lost text", read_author_summaries, "lost\nlost\n<1>\nx\n", [(1, "error", "no-number")]),
    ("summaries: nothing", read_author_summaries, "<1>\n<2>\nx\n", [(1, "error", "empty-summary")]),
    ("bundle: no lines", read_bundle, "****\n", [("", "error", "no-answers")]),
    ("bundle: two columns", read_bundle, "1 A\n1 A D x\n", [(1, "error", "columns")]),
    ("bundle: empty", read_bundle, b"", [("", "error", "empty-file")]),
    ("holistic: below 0", read_holistic, "1 A 1 2 3 4 5 -1\n", [(1, "error", "value")]),
    ("holistic: NaN", read_holistic, "1 A 1 2 3 4 5 nan\n", [(1, "error", "value")]),
    ("holistic: nine columns", read_holistic, "1 A 1 2 3 4 5 6 7\n", [(1, "error", "columns")]),
    ("holistic: first line cut off", read_holistic, "1 A 1 2\n1 B 1 2 3 4 5 6\n", [(1, "error", "columns")]),
    ("holistic: comments alone", read_holistic, "a b c\n", [("", "warning", "no-scores")]),
    ("nuggets: no question", read_definition_nuggets, "1 * a\n", [(1, "error", "no-number")]),
    ("nuggets: an asterisk alone", read_definition_nuggets, "<1>\n1 *\n", [(2, "error", "nugget-line")]),
    ("nuggets: a part", read_definition_nuggets, "<1>\n5.1 x\n", [(2, "error", "nugget-line")]),
    ("nuggets: twice", read_definition_nuggets, "<1>\n1 x\n1 y\n", [(3, "error", "duplicate")]),
    ("nuggets: huge number", read_definition_nuggets, "<1>\n" + "9" * 300 + " x\n", [(2, "error", "nugget-line")]),
    ("pieces: five columns", read_pieces, "1 A 1 1 D\n", [(1, "error", "columns")]),
    ("pieces: item 0", read_pieces, "1 A 0 1 D x\n", [(1, "error", "value")]),
    ("pieces: part 0 of 5", read_pieces, "1 A 1 5.00 D x\n", [(1, "error", "value")]),
    ("pieces: NUL", read_pieces, b"1 A 1 5 D x\0\n", [(1, "error", "nul-byte")]),
    ("run: other tag", check_definition_run, GOOD + "1 B D1 x\n", [(4, "error", "run-tag-differs")]),
    ("run: asterisks", check_definition_run, GOOD + "*****\n", [(4, "error", "separator")]),
    (
        "run: others after it",
        check_definition_run,
        GOOD + "***\n" + GOOD.replace("A", "B"),
        [(4, "error", "separator")],
    ),
    ("run: again", check_definition_run, GOOD + "1 A D2  in  space\n", [(4, "warning", "duplicate-snippet")]),
    ("run: left out", check_definition_run, "1 A D2 in space\n", [("", "warning", "missing-question")]),
]


@pytest.mark.parametrize(("read", "text", "expected"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_every_flaw_is_named_with_its_line(read: Any, text: str | bytes, expected: list[Any]) -> None:
    options = {"questions": ["1", "2"]} if read is check_definition_run else {}
    assert flaws(parsed(read, text, **options)) == expected


@pytest.mark.parametrize("read", [read_definition_nuggets, read_holistic, read_pieces, read_author_summaries])
@given(hostile=st.binary(max_size=200) | st.text(st.sampled_from("1 *<>:.\tAX5\n-"), max_size=80).map(str.encode))
def test_no_reader_raises(read: Any, hostile: bytes) -> None:
    assert all(each.message for each in parsed(read, hostile) if isinstance(each, Issue))
