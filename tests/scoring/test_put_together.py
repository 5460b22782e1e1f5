"""Files in other encodings, in quotes, or put together of several: read as they are meant, and said."""

from __future__ import annotations

import codecs
import io
from pathlib import Path
from typing import Any

import pytest

from scoring.collections.guesses import guess_members
from scoring.collections.record_files import read_members
from scoring.file_kinds import recognise_beginning
from scoring.formats.context25_predictions import read_evidence_answers
from scoring.formats.json_ranked import read_any_blocks, read_any_judged, read_any_qrels, read_any_run
from scoring.formats.nugget_files import read_nugget_lines
from scoring.formats.qrels import read_judged_qrels, read_qrels
from scoring.formats.rag_answers import read_rag_answers
from scoring.formats.trec_run import read_trec_run
from scoring.formats.trec_topics import read_trec_topics
from scoring.formats.unfit_files import unfit_document_file
from scoring.reading.line_checks import read_lines
from scoring.reading.opening import MARK
from scoring.records import DocumentRecord, Issue

RUN, QRELS = "1 Q0 a 1 3.0 r\n1 Q0 b 2 2.5 r\n", "1 0 a 2\n1 0 b 0\n"
TOPICS, NUGGETS = "1\tbridges of wood\n2\tcafés in towns\n", "1 1 vital a bridge\n1 2 okay a café that floats\n"
ANSWER = '{"metadata": {"run_id": "r", "topic_id": "%s"}, "responses": [{"text": "x", "citations": []}]}'

WIDE = {
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


def read_of(read: Any, content: bytes | str) -> tuple[list[Any], list[Issue]]:
    found = list(read(io.BytesIO(content if isinstance(content, bytes) else content.encode())))
    return [each for each in found if not isinstance(each, Issue)], [each for each in found if isinstance(each, Issue)]


@pytest.mark.parametrize("is_marked", [True, False])
@pytest.mark.parametrize("codec", WIDE)
def test_files_in_utf16_and_utf32_are_read_and_runs_are_refused_by_name(
    tmp_path: Path, codec: str, is_marked: bool
) -> None:
    mark, name = WIDE[codec] if is_marked else b"", codec[:6].upper()
    for read, content in ((read_any_qrels, QRELS), (read_trec_topics, TOPICS), (read_nugget_lines, NUGGETS)):
        records, (note,) = read_of(read, mark + content.encode(codec))
        assert records == read_of(read, content)[0]
        assert note.message == f"The file is written in {name} and was read so. It is given out in UTF-8."
    for read, content in ((read_any_run, RUN), (read_rag_answers, ANSWER % 1)):
        (issue,) = read_of(read, mark + content.encode(codec))[1]
        assert issue.message.startswith(f"The file is {name}, not UTF-8. Save it as UTF-8")
    path = tmp_path / "file"
    path.write_bytes(mark + "It rains on the bridge. Nobody was there.\n".encode(codec))
    unfit = unfit_document_file(path, ["text"])
    if is_marked and name == "UTF-16":
        assert unfit is None  # browsers know it by its mark, and so do we
    else:
        assert unfit is not None and unfit.message == f"This is text in {name}. Save it as UTF-8, and load it again."
    path.write_bytes(mark + "id,text\nd1,One\nd2,Two\n".encode(codec))
    guess = guess_members(path)
    assert isinstance(guess, Issue) and guess.message.startswith(f"The file is written in {name}. Save it as UTF-8")


def test_a_note_on_the_qrels_of_a_campaign_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_bytes(QRELS.encode("utf-16"))
    *judged, note = read_judged_qrels([path], topics=["1"], grades=(0, 1, 2))
    assert len(judged) == 2 and isinstance(note, Issue)
    assert (note.severity, note.where) == ("note", "a.qrels")


@pytest.mark.parametrize("content", [b"\x01\x00\x00\x00\x02\x00\x00\x00" * 40, bytes(400), bytes(range(256)) * 2])
def test_numbers_in_four_bytes_are_no_text(content: bytes) -> None:
    assert recognise_beginning(content).form == "binary"


@pytest.mark.parametrize("read", [read_any_run, read_any_blocks, read_any_qrels, read_any_judged])
def test_the_mark_of_a_file_that_was_put_behind_is_no_part_of_a_topic(read: Any) -> None:
    content = (RUN if read in (read_any_run, read_any_blocks) else QRELS).encode()
    joined = MARK + MARK + content + MARK + content.replace(b" a ", b" c ").replace(b" b ", b" d ")
    assert "\ufeff" not in str(read_of(read, joined)[0])
    assert not [issue for issue in read_of(read, joined)[1] if issue.severity == "error"]


TABLES = [
    (read_any_run, "qid,docid,rank,score\n", "1,a,1,3.5\n", "1,b,2,2.5\n"),
    (read_any_run, "topic Q0 docno rank score tag\n", "1 Q0 a 1 3.5 r\n", "1 Q0 b 2 2.5 r\n"),
    (read_any_qrels, "query-id\tcorpus-id\tscore\n", "1\ta\t1\n", "1\tb\t0\n"),
    (read_trec_topics, "qid\tquery\n", "1\tbees\n", "2\twax\n"),
    (read_trec_topics, "id,title\n", '1,"bees, and"\n', "2,wax\n"),
    (read_evidence_answers, "claimid,predictions\n", 'a-1,"FIG 1"\n', 'a-2,"FIG 2"\n'),
]


@pytest.mark.parametrize(("read", "header", "first", "second"), TABLES)
def test_the_names_of_columns_that_stand_again_are_passed_over_and_said(
    read: Any, header: str, first: str, second: str
) -> None:
    records, issues = read_of(read, header + first + header + second)
    plain = read_of(read, header + first + second)[0]
    assert len(records) == len(plain)
    (again,) = [issue for issue in issues if issue.severity == "warning"]
    assert (again.where, again.code) == (3, "header")
    assert again.message.startswith("The names of the columns stand here again, as where files were put together.")


@pytest.mark.parametrize("separator", [",", "\t"])
def test_names_that_stand_again_among_documents_are_no_document(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "file"
    path.write_text(
        "".join(separator.join(row) + "\n" for row in (("id", "text"), ("d1", "One"), ("id", "text"), ("d2", "2")))
    )
    guess = guess_members(path)
    assert not isinstance(guess, Issue)
    found = list(read_members(path, guess.members))
    assert [each.docno for each in found if isinstance(each, DocumentRecord)] == ["d1", "d2"]
    assert [each.code for each in found if isinstance(each, Issue)] == ["header"]


@pytest.mark.parametrize("read", [read_trec_run, read_qrels])
def test_names_among_columns_that_have_none_are_called_that(read: Any) -> None:
    names, rows = (
        ("topic Q0 docno rank score tag\n", RUN) if read is read_trec_run else ("topic iteration docno grade\n", QRELS)
    )
    first, *rest = rows.splitlines(keepends=True)
    (issue,) = read_of(read, first + names + "".join(rest))[1]
    assert issue.where == 2 and issue.message.endswith("If the line names the columns, take it out.")


def test_lists_among_lines_of_json_are_read_as_lines() -> None:
    lines = '{"qid": "1", "query": "bees"}\n{"qid": "2", "query": "wax"}\n'
    listed = '[{"qid": "3", "query": "hives"}]\n'
    for content in (lines + listed, listed + lines, listed.strip() + lines):
        records, issues = read_of(read_trec_topics, content)
        assert (sorted(each.number for each in records), issues) == (["1", "2", "3"], [])
    answers = f"{ANSWER % 1}\n[{ANSWER % 2}]\n"
    assert [each.topic for each in read_of(read_rag_answers, answers)[0]] == ["1", "2"]


def test_quotes_around_all_columns_between_tabs_are_none_of_the_topic() -> None:
    for content in (
        '"1"\t"bridges of ""wood"""\n"2"\t"cafés"\n',
        '"qid"\t"query"\n"1"\t"bridges of ""wood"""\n"2"\t"cafés"\n',
    ):
        records, issues = read_of(read_trec_topics, content)
        assert [(each.number, each.title) for each in records] == [("1", 'bridges of "wood"'), ("2", "cafés")]
        assert not issues
    assert read_of(read_trec_topics, '1\t"wood" of bridges\n')[0][0].title == '"wood" of bridges'


def test_a_table_in_quotes_is_not_one_text(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content in ('"1","bridges, of wood"\n"2","cafés"\n', '"1","bridges of wood"\n'):
        path.write_text(content)
        unfit = unfit_document_file(path, ["text"])
        assert unfit is not None and unfit.message.startswith("This is a table")


def test_names_among_topics_that_have_none_are_no_topic() -> None:
    records, (again,) = read_of(read_trec_topics, "1\tbees\nqid\tquery\n2\twax\n")
    assert ([each.number for each in records], again.where, again.code) == (["1", "2"], 2, "header")


@pytest.mark.parametrize(
    ("read", "content", "count"),
    [
        (read_any_run, "1,Q0,a,1,3.0\n1,Q0,b,2,2.0\n", 2),
        (read_any_run, "1;a;1;3.0;r\n1;b;2;2.0;r\n", 2),
        (read_any_qrels, "1,a,1\n1,b,0\n2,c,0\n", 3),
    ],
)
def test_shorter_columns_of_a_table_are_read(read: Any, content: str, count: int) -> None:
    records, (note,) = read_of(read, content)
    assert len(records) == count and "those of TREC in a table" in note.message


def test_a_line_may_begin_with_many_marks() -> None:
    marks = b"\xef\xbb\xbf" * 3
    (row,) = read_any_run(io.BytesIO(marks + b"1 Q0 a 1 2.5 r\n"))
    assert not isinstance(row, Issue) and (row.topic, row.docno) == ("1", "a")
    lines = [each for each in read_lines(io.BytesIO(b"a\n" + marks + b"b\xff\n")) if not isinstance(each, Issue)]
    assert [each.text for each in lines] == ["a", "b\ufffd"]
    told = [each.message for each in read_lines(io.BytesIO(b"a\n" + marks + b"b\xff\n")) if isinstance(each, Issue)]
    assert len(told) == 2 and "12" in told[1]
