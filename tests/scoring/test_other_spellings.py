"""Files of the field that are spelt a little other than expected: what they are read as, or what is said of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from scoring.file_kinds import recognise_beginning
from scoring.formats.doc_records import RECORD_LIMIT
from scoring.formats.json_ranked import read_any_judged, read_any_qrels, read_any_run
from scoring.formats.nugget_banks import read_bank
from scoring.formats.qrels import read_graded_qrels, read_qrels
from scoring.formats.rag_answers import RagAnswer, read_rag_answers
from scoring.formats.rag_nuggets import read_rag_nuggets
from scoring.formats.separated import table_of
from scoring.formats.trec_run import read_trec_run
from scoring.formats.trec_topics import TopicText, read_trec_topics
from scoring.formats.unfit_files import unfit_document_file
from scoring.records import Issue, OwnedNugget, Qrel


def read(reader: Callable[[BinaryIO], Iterator[Any]], content: str | bytes) -> tuple[list[Any], list[Issue]]:
    found = list(reader(io.BytesIO(content.encode() if isinstance(content, str) else content)))
    return [each for each in found if not isinstance(each, Issue)], [each for each in found if isinstance(each, Issue)]


@pytest.mark.parametrize(
    ("content", "numbers", "title", "said"),
    [
        ("tweet_id\ttweet_content\n12\tMasks work.\n13\tFive.\n", ["12", "13"], "Masks work.", "tweet_content"),
        ("queryId\tqueryText\nq1\tmasks\nq2\tvaccines\n", ["q1", "q2"], "masks", "queryText"),
        (
            "topic\ttweet_id\ttweet_url\ttweet_text\tclaim\ncovid-19\t7\thttp://x\tOne text\t0\n"
            "covid-19\t8\thttp://y\tTwo\t1\n",
            ["7", "8"], "One text", "tweet_text",
        ),
    ],
)  # fmt: skip
def test_names_of_columns_that_are_not_known_are_a_header(
    content: str, numbers: list[str], title: str, said: str
) -> None:
    topics, issues = read(read_trec_topics, content)
    assert [topic.number for topic in topics] == numbers
    assert topics[0].title == title
    note = next(issue for issue in issues if issue.code == "read-as")
    assert note.severity == "note" and f"“{said}”" in note.message


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("id,title\n1-Feb,rain\n302,snow\n", "Topic 1-Feb looks as if a spreadsheet program had changed its number"),
        ("id,title\n3.2,rain\nMrz-02,snow\n", "Topic Mrz-02 looks as if"),
        ("id,title\n301.0,rain\n302.0,snow\n", "Topic 301.0 and 1 more look as if"),
        ("id,title\n3.0,rain\n3.1,snow\n", ""),
        (
            "id,qid,query\n1,301,rain\n2,302,snow\n",
            "numbered 1, 2 …, while “qid” gives each another number, such as 301.",
        ),
        (
            '{"id": 0, "topic_id": "a", "title": "x"}\n{"id": 1, "topic_id": "b", "title": "y"}',
            "numbered 0, 1 …, while",
        ),
        ("\u200b1\train\n2\tsnow\n", "has a sign that nobody sees (U+200B). Take it out."),
        ('{"id": 1, "topic_id": "a", "title": "x"}\n{"id": 2, "topic_id": "a", "title": "y"}', ""),
        ('{"id": 1, "num": "1", "title": "x"}\n{"id": 2, "num": "2", "title": "y"}', ""),
    ],
)
def test_numbers_that_may_not_be_those_of_the_topics_are_told(content: str, told: str) -> None:
    _, issues = read(read_trec_topics, content)
    assert [told in issue.message for issue in issues if issue.severity != "note"] == ([True] if told else [])


@pytest.mark.parametrize("between", [",", ";", "|"])
@pytest.mark.parametrize("names", ["tweet_id tweet_content", "Topic-No Topic-Title", "id query"])
def test_a_header_may_stand_between_commas_semicolons_and_bars(names: str, between: str) -> None:
    lines = [between.join(names.split()), f'12{between}"Masks{between} they\nwork ""well"""', f'13{between}5" disk']
    topics, issues = read(read_trec_topics, "\n".join(lines))
    assert [(each.number, each.title, each.line) for each in topics] == [
        ("12", f'Masks{between} they work "well"', 2),
        ("13", '5" disk', 4),
    ]
    assert {issue.severity for issue in issues} <= {"note"}


@pytest.mark.parametrize(("between", "said"), [(",", "a comma"), (";", "a semicolon"), ("|", "a vertical bar")])
@pytest.mark.parametrize("header", ["", "Thema:Frage\n"])
def test_columns_that_no_header_names_are_told_by_what_stands_between(between: str, said: str, header: str) -> None:
    content = f"{header}1:Was ist?\n2:Wer da?\n".replace(":", between)
    _, (issue,) = read(read_trec_topics, content)
    assert issue.message == (
        f"This is 2 columns by {said}. No line has the columns of topics. "
        "It is read here as number<TAB>query or columns with a header or number:query."
    )


@pytest.mark.parametrize("header", ["Thema\tFrage", "番号\tクエリ"])
def test_a_first_line_that_may_be_a_header_is_named_where_it_is_read_as_a_topic(header: str) -> None:
    topics, issues = read(read_trec_topics, f"{header}\n1\tone thing\n2\tanother thing\n")
    assert [topic.number for topic in topics] == [header.partition("\t")[0], "1", "2"]
    assert [(issue.severity, issue.code, issue.where) for issue in issues] == [("warning", "header", 1)]


@pytest.mark.parametrize("content", ["android\tphone\nq2\tcar\n", "q1\tone\nq2\ttwo\n", "a\tb c\nb\tc d\n"])
def test_topics_without_a_header_are_read_as_before(content: str) -> None:
    topics, issues = read(read_trec_topics, content)
    assert (len(topics), [issue for issue in issues if issue.code != "header"]) == (2, [])


def test_a_header_may_begin_with_a_number_sign() -> None:
    topics, issues = read(read_trec_topics, "#id\tquery\n1\tone thing\n2\ttwo things\n")
    assert ([(topic.number, topic.title) for topic in topics], issues) == (
        [("1", "one thing"), ("2", "two things")],
        [],
    )


def test_grades_with_a_point_and_a_nought_are_whole_numbers() -> None:
    content = "51 0 S1-A1 2.0\n51 0 S1-A2 0.0\n52 0 S1-A3 -1.0\n"
    assert [record.grade for record in read(read_any_qrels, content)[0]] == [2, 0, -1]
    assert [grade for each in read(read_any_judged, content)[0] for grade in each[2]] == [2, 0, -1]
    assert [record.value for record in read(read_graded_qrels, content)[0]] == [2, 0, None]
    assert [issue.code for issue in read(read_any_qrels, content.replace("2.0", "2.5"))[1]] == ["value"]


def test_grades_with_a_letter_are_read_as_ntcir_writes_them() -> None:
    content = "0001 clueweb12-1 L2\n0001 clueweb12-2 L0\n0002 clueweb12-4 L1\n"
    records, (note,) = read(read_any_qrels, content)
    assert [record.grade for record in records] == [2, 0, 1]
    assert (note.severity, note.code) == ("note", "read-as")
    (issue,) = read(read_trec_run, content)[1]
    assert "qrels" in issue.message


@pytest.mark.parametrize("separator", [";", ",", "|"])
@pytest.mark.parametrize(("columns", "kind"), [("1 Q0 D1 1 9.5 tag", "run"), ("1 0 D1 1", "qrels")])
@pytest.mark.parametrize("quote", ["", '"'])
def test_columns_by_another_separator_are_read(separator: str, columns: str, kind: str, quote: str) -> None:
    lines = [columns, columns.replace("D1 1", "D2 2").replace("9.5", "8.5")]
    between = f"{quote}{separator}{quote}"
    content = "".join(f"{quote}{line.replace(' ', between)}{quote}\n" for line in lines)
    any_reader, own_reader = (read_any_run, read_trec_run) if kind == "run" else (read_any_qrels, read_qrels)
    assert recognise_beginning(content.encode()).kinds == (kind,)
    for count in (1, 2):  # one line as well as several
        part = "".join(content.splitlines(keepends=True)[:count])
        records, (note,) = read(any_reader, part)
        assert records == read(own_reader, "\n".join(lines[:count]))[0]
        layout = "topic Q0 docno rank score run-tag" if kind == "run" else "topic iteration docno grade"
        assert note.message.endswith(f" whose columns are those of TREC in a table: {layout}.")
        (issue,) = read(own_reader, part)[1]
        assert "`python -m scoring convert --from" in issue.message


def test_judgments_of_subtopics_name_the_measures_that_take_them() -> None:
    issues = read(read_any_qrels, "1 1 D1 1\n1 2 D1 0\n1 1 D2 0\n")[1]
    assert [issue.code for issue in issues] == ["duplicate"]
    assert "subtopic" in issues[0].message and "alpha_nDCG" in issues[0].message
    assert "subtopic" not in read(read_any_qrels, "1 0 D1 1\n1 0 D1 0\n")[1][0].message


def test_qrels_with_a_header_are_no_run() -> None:
    qrels = "query-id\tcorpus-id\tscore\n1\tD1\t1\n1\tD2\t0\n2\tD2\t2\n"
    assert read(read_any_qrels, qrels)[0][:1] == [Qrel(topic="1", docno="D1", grade=1)]
    for reader in (read_any_run, read_trec_run):
        records, (issue,) = read(reader, qrels)
        assert (records, issue.code) == ([], "other-file")
        assert "convert" not in issue.message and "Qrels go into" in issue.message
    assert read(read_any_run, qrels.replace("-", "_"))[0] == []
    assert len(read(read_any_run, qrels.replace("\t1\n", "\t1.5\n"))[0]) == 3


@pytest.mark.parametrize(
    "content",
    [
        "1\tCaf\xe9 one here\n2\tNa\xefve two\n".encode("latin-1"),
        b"1\tplain one\n2\tNa\xefve two\n",
        *("id,text\nd1,One two\nd2,Three\n".encode(each) for each in ("utf-16", "utf-32")),
        '{"id": "1", "text": "One."}\n{"id": "2", "text": "Two."}\n'.encode("utf-16"),
        b"FBIS3-1\nFBIS3-2\nFBIS3-3\n",
        b"18461106\n33659106\n",
        b"runA 1 map 0.5\nrunA 2 map 0.25\nrunB 1 map 0.1\n",
        b"1 1 vital The moon is made.\n1 2 okay The sun.\n",
    ],
)
def test_lists_and_tables_are_no_plain_text(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert unfit_document_file(path, ["text"]) is not None


@pytest.mark.parametrize("content", ["雨\n雪\n風\n".encode(), b"rain\nsnow\nwind\n", b"Caf\xe9\tand\nmore\n"])
def test_words_one_a_line_are_a_text(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert unfit_document_file(path, ["text"]) is None


def test_reading_a_table_changes_no_limit_of_those_who_read_csv_after_it() -> None:
    before = csv.field_size_limit(131_072)
    try:
        assert table_of(b"docid,text\n7,Words\n") is not None
        assert (before, csv.field_size_limit()) == (RECORD_LIMIT, 131_072)
    finally:
        csv.field_size_limit(before)


ANSWER = {"metadata": {"run_id": "r", "topic_id": "1"}, "references": ["a", "b"]}
RUN = "1 Q0 a 1 3.0 r\n1 Q0 b 2 2.5 r\n"


def answer(**members: Any) -> str:
    return json.dumps(ANSWER | members)


@pytest.mark.parametrize(
    ("reader", "content", "said"),
    [
        (
            read_any_run,
            RUN.encode("utf-16"),
            ["The file is UTF-16, not UTF-8. Save it as UTF-8 and try again;"],
        ),
        (read_any_run, '// my run\n{"1": {"a": 1.5}}', ["This is JSON with comments, which JSON can't have."]),
        (read_trec_topics, '/* of 2025 */\n[{"id": 1, "title": "x"}]', ["This is JSON with comments"]),
        (read_any_run, "{'1': {'a': 1.5}}", ["This is what Python prints of a value"]),
        (
            read_any_run,
            "Lauf\tQ0\tDokument\tRang\tWert\tTag\n" + RUN.replace(" ", "\t"),
            ["whole number. If the line names the columns, take it out."],
        ),
        (
            read_any_qrels,
            "Anfrage\tDokument\tUrteil\n1\ta\t2\n1\tb\t0\n",
            ["If the line names the columns, take it out."],
        ),
        (read_any_qrels, '{"qid": "1", "docid": "a", "judgment": null}\n', ["There is no grade."]),
        (read_any_qrels, '{"1": {"a": 2.0, "b": 2.5}}', ["This is a file of another kind: a ranked run"]),
        (
            read_rag_answers,
            answer(references=[{"docid": "a"}], responses=[{"text": "x", "citations": ["a"]}]),
            ["“references[0]” must be one word"],
        ),
        (
            read_rag_answers,
            answer(responses=[{"text": "x", "citations": {"a": "high", "b": 2}}]),
            ["“responses[0].citations”: not all values are numbers; what is cited is read in its order."],
        ),
        (
            read_rag_answers,
            answer(metadata={"run_id": "r", "topic_id": 1.5}),
            ["a whole number or one word", "“responses” is"],
        ),
        (
            read_bank,
            '{"topic_id": "1", "nugget_bank": null}',
            ['"nugget_bank" must be a list or an object, not nothing.'],
        ),
        (read_trec_topics, '[{"id": 1.0, "title": "x"}]', ['"id" must be text or a whole number.']),
    ],
)
def test_what_is_wrong_is_said_once_and_as_it_is(reader: Any, content: str | bytes, said: list[str]) -> None:
    _, issues = read(reader, content)
    found = [issue.message for issue in issues if issue.severity != "note"]
    assert len(found) == len(said) and all(part in " | ".join(found) for part in said), found


@pytest.mark.parametrize(
    ("reader", "content", "expected"),
    [
        (read_any_qrels, '{"1": {"a": 2.0, "b": 0.0}}', [("a", 2), ("b", 0)]),
        (read_trec_topics, "1\ta b\t\n2\tc d\t \n", [("1", "a b"), ("2", "c d")]),
        (read_trec_topics, "<top>\n<num> Nummer: 301\n<title> Verbrechen\n</top>\n", [("301", "Verbrechen")]),
        (
            read_trec_topics,
            '<t:topics xmlns:t="u"><t:topic number="1"><t:title>x</t:title></t:topic></t:topics>',
            [("1", "x")],
        ),
        (
            read_rag_answers,
            answer(responses=[{"text": "x", "citations": {"a": "0.5", "b": "0.9"}}]),
            [("1", ("b", "a"))],
        ),
        (read_rag_nuggets, '{"qid": 1, "nuggets": [{"text": "a", "importance": "VITAL"}]}', [("1", "vital")]),
    ],
)
def test_what_is_meant_is_read(reader: Any, content: str, expected: list[tuple[Any, ...]]) -> None:
    records, issues = read(reader, content)
    kinds: dict[type, Callable[[Any], tuple[Any, ...]]] = {
        Qrel: lambda each: (each.docno, each.grade),
        TopicText: lambda each: (each.number, each.title),
        RagAnswer: lambda each: (each.topic, each.sentences[0].citations),
        OwnedNugget: lambda each: (each.topic, each.importance),
    }
    assert ([kinds[type(each)](each) for each in records], issues) == (expected, [])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[]", "This is an empty list in JSON: there are no documents in it."),
        (b'// of 2025\n{"id": "1", "text": "x"}\n', "This is JSON with comments, which JSON can't have."),
    ],
)
def test_json_that_holds_no_document_is_none(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "a.json").write_bytes(content)
    issue = unfit_document_file(tmp_path / "a.json", ("text", "trec-sgml"))
    assert issue is not None and issue.message.startswith(said)


def test_lines_that_no_row_of_csv_has_are_no_columns() -> None:
    assert recognise_beginning(b"a\rb,c\nd\re,f\n").form_name == "2 columns by white space"
