"""Records as the field's collections have them: tables without names or quotes, lists in objects, further members."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.collections.guesses import Guess, guess_members
from scoring.collections.members import Members, preset_members
from scoring.collections.record_files import read_members
from scoring.records import DocumentRecord, Issue


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def guessed(path: Path) -> Guess:
    guess = guess_members(path)
    assert isinstance(guess, Guess), guess
    return guess


def read(path: Path, members: Members | None = None) -> list[tuple[str, str]]:
    """(docno, text) of every document; every issue is a note."""
    found = list(read_members(path, members or guessed(path).members, name=path.name))
    assert [each for each in found if isinstance(each, Issue) and each.severity == "error"] == []
    return [(each.docno, each.raw.decode()) for each in found if isinstance(each, DocumentRecord)]


def said(path: Path, members: Members) -> list[tuple[object, str]]:
    return [(each.where, each.code) for each in read_members(path, members) if isinstance(each, Issue)]


CORD = (
    "cord_uid,sha,source_x,title,abstract,publish_time,authors,url\n"
    'zz001abc,,PMC,"A ""made up"" ward","One, two.\nThree",2020-03-01,"Doe, A; Roe, B",https://example.org/a\n'
)
SEGMENT = {"title": "T", "segment": "one", "headings": "H", "url": "http://x.example", "start_char": 7}
POOL = {"query": {"qid": "1", "text": "q"}, "candidates": [{"docid": "d1", "score": 2.0, "doc": SEGMENT}]}

COLLECTIONS: dict[str, tuple[str, str | bytes, list[tuple[str, str]]]] = {
    "collection.tsv": (
        "msmarco-v1-passages",
        '0\tThe first, "so" called, passage.\n1\t"The second\n2\tquotes" and more',
        [("0", 'The first, "so" called, passage.'), ("1", '"The second'), ("2", 'quotes" and more')],
    ),
    "psgs_w100.tsv": (
        "",
        'id\ttext\ttitle\n1\t"Aaron ("Aharon"") is one."\tAaron\n2\t"He was ""high"" priest."\t"Aaron"\n'.replace(
            '("A', '(""A'
        ),
        [("1", 'Aaron ("Aharon") is one.'), ("2", 'He was "high" priest.')],
    ),
    "by_names.json": (
        "",
        json.dumps({"d1": {"title": "T", "text": "One."}, "d2": {"title": "U", "text": "Two."}}),
        [("d1", "One."), ("d2", "Two.")],
    ),
    "by_names_indented.json": (
        "",
        json.dumps({"d1": {"text": "One."}, "d2": {"text": "Two."}}, indent=1),
        [("d1", "One."), ("d2", "Two.")],
    ),
    "dpr.json": (
        "",
        json.dumps(
            {
                "1": {"question": "Why?", "answers": [], "contexts": [{"docid": "a", "score": "2", "text": "A."}]},
                "2": {"question": "Who?", "answers": [], "contexts": [{"docid": "b", "score": "1", "text": "B."}]},
            }
        ),
        [("a", "A."), ("b", "B.")],
    ),
    "facebook_dpr.json": (
        "",
        json.dumps(
            [
                {"question": "Why?", "answers": [], "ctxs": [{"id": "a", "title": "T", "text": "A.", "score": "2"}]},
                {"question": "Who?", "answers": [], "ctxs": [{"id": "b", "title": "T", "text": "B.", "score": "1"}]},
            ],
            indent=4,
        ),
        [("a", "A."), ("b", "B.")],
    ),
    "collection.tsv.gz": (
        "msmarco-v1-passages",
        gzip.compress(b"0\tOne.\r\n1\tTwo.\r\n", mtime=0),
        [("0", "One."), ("1", "Two.")],
    ),
    "msmarco-docs.tsv": (
        "msmarco-v1-documents",
        "D1\thttp://a.example/\tShort\tA long body of words\nD2\thttp://b.example/\t\tAnother long body\n",
        [("D1", "A long body of words"), ("D2", "Another long body")],
    ),
    "psgs.tsv": ("", "id\ttext\ttitle\n1\tWords of it.\tOne\n", [("1", "Words of it.")]),
    "metadata.csv": ("cord19", CORD, [("zz001abc", "One, two.\nThree")]),
    "corpus.jsonl": ("beir", '{"_id": "d1", "title": "T", "text": "one", "metadata": {"url": "u"}}\n', [("d1", "one")]),
    "v2.jsonl": (
        "msmarco-v2-passages",
        '{"pid": "msmarco_passage_00_0", "passage": "one", "spans": "(0,3)", "docid": "d"}',
        [("msmarco_passage_00_0", "one")],
    ),
    "pool.jsonl": ("castorini", json.dumps(POOL), [("d1", "H\n\none")]),
    "pool.json": ("castorini", json.dumps([POOL, POOL], indent=2), [("d1", "H\n\none"), ("d1", "H\n\none")]),
    "hits.jsonl": (
        "castorini",
        '{"query": "q", "candidates": [{"docid": "7", "doc": {"contents": "words"}}]}',
        [("7", "words")],
    ),
    "array.json": (
        "pyserini",
        '[{"id": "1", "contents": "one"},\n {"id": "2", "contents": "two"}]',
        [("1", "one"), ("2", "two")],
    ),
    "indented.json": (
        "pyserini",
        '{\n  "id": "1",\n  "contents": "one"\n}\n{\n  "id": "2",\n  "contents": "two"\n}',
        [("1", "one"), ("2", "two")],
    ),
    "nested.jsonl": ("", '{"meta": {"docno": "n1", "title": "T"}, "content": {"body": "words"}}', [("n1", "words")]),
    "numbered.csv": ("", '7,"One, two."\n8,Three\n', [("7", "One, two."), ("8", "Three")]),
}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_each_collection_is_known_and_read(tmp_path: Path, name: str) -> None:
    preset, content, documents = COLLECTIONS[name]
    path = written(tmp_path / name, content)
    assert guessed(path).preset == preset
    assert read(path) == documents
    if preset:
        known = preset_members(preset)
        assert known is not None and known.id == guessed(path).members.id


def test_cord_has_its_date_title_and_further_columns(tmp_path: Path) -> None:
    path = written(tmp_path / "metadata.csv", CORD)
    (found,) = read_members(path, guessed(path).members)
    assert isinstance(found, DocumentRecord)
    assert found.url == "https://example.org/a"
    assert found.fields == {
        "HEADLINE": 'A "made up" ward',
        "DATE": "2020-03-01",
        "source_x": "PMC",
        "authors": "Doe, A; Roe, B",
    }


def test_paragraphs_of_the_washington_post_are_its_text(tmp_path: Path) -> None:
    parts = [{"type": "title", "content": "T"}, {"type": "sanitized_html", "content": "One <b>two</b>"}, {"type": "x"}]
    article = {"id": "w1", "article_url": "http://w.example", "title": "T", "author": "A", "contents": parts}
    path = written(tmp_path / "wp.jl", json.dumps({**article, "published_date": 1325376562000}))
    assert guessed(path).preset == "washington-post"
    (found,) = read_members(path, guessed(path).members)
    assert isinstance(found, DocumentRecord)
    assert (found.media_type, found.raw) == ("text/html", b"T\n<p>One <b>two</b>")
    assert found.fields == {"HEADLINE": "T", "DATE": "2012-01-01", "author": "A"}


@pytest.mark.parametrize(
    ("header", "first", "fields"),
    [("", "x", {"(unnamed)": "x"}), ("", "0", {}), ("Unnamed: 0", "0", {}), ("row", "0", {"row": "0"})],
)
def test_a_column_without_a_name_is_a_field_unless_it_numbers_the_rows(
    tmp_path: Path, header: str, first: str, fields: dict[str, str]
) -> None:
    path = written(tmp_path / "pandas.csv", f"{header},docid,text\n{first},a,hello\n")
    guess = guessed(path)
    (found,) = read_members(path, guess.members)
    assert isinstance(found, DocumentRecord)
    assert (found.fields, found.url, guess.further(guess.members)) == (fields, "", tuple(fields))


def test_candidates_keep_the_members_of_their_documents_and_the_query_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "pool.jsonl", json.dumps(POOL))
    found, note = read_members(path, guessed(path).members)
    assert isinstance(found, DocumentRecord) and isinstance(note, Issue)
    assert (found.url, found.fields) == ("http://x.example", {"HEADLINE": "T", "score": "2.0", "doc.start_char": "7"})
    assert (note.severity, note.code) == ("note", "passed-over")
    assert note.message.endswith("stands what is of no document, and not kept: query (1).")


def test_a_first_line_that_may_be_either_is_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path / "a.tsv", "Docs\tCats\nD2\tDogs\n")
    asked = guessed(path).members
    assert asked.header == ""
    assert said(path, Members(form="tsv", id="1", text=("2",))) == [(1, "header")]
    assert read(path, Members(form="tsv", id="1", text=("2",), header="no")) == [("Docs", "Cats"), ("D2", "Dogs")]
    assert read(path, Members(form="tsv", id="Docs", text=("Cats",))) == [("D2", "Dogs")]


def test_no_document_is_lost_to_a_header_that_is_none(tmp_path: Path) -> None:
    path = written(tmp_path / "collection.tsv", "0\tThe first passage.\n1\tThe second passage.\n")
    (issue,) = read_members(path, Members(form="tsv", id="0", text=("The first passage.",)))
    assert isinstance(issue, Issue)
    assert (issue.where, issue.code) == (1, "no-column")
    assert "Without names they are 1 to 2." in issue.message


@pytest.mark.parametrize(
    "content",
    [
        "1\t0\tD1\t1\n1\t0\tD2\t0\n",
        "1\tQ0\tD1\t1\t9.5\tr\n1\tQ0\tD2\t2\t8.5\tr\n",
        '{"query_id": "1", "title": "bees", "narrative": "Which"}\n' * 2,
    ],
)
def test_a_file_of_another_kind_is_no_file_of_records(tmp_path: Path, content: str) -> None:
    issue = guess_members(written(tmp_path / "a.txt", content))
    assert isinstance(issue, Issue)
    assert issue.code == "other-file", issue


def test_rows_that_do_not_fit_are_named_with_their_line(tmp_path: Path) -> None:
    path = written(tmp_path / "a.tsv", b"id\ttext\n1\tone\n2\ttwo\tmore\n\n3\t\xff\n4\tfour\n")
    members = guessed(path).members
    assert said(path, members) == [(3, "columns"), (5, "not-utf8")]
    assert sum(isinstance(each, DocumentRecord) for each in read_members(path, members)) == 2


CHARACTERS = st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"])
NAMES = st.text(CHARACTERS, min_size=1, max_size=8)
TEXTS = st.text(CHARACTERS, max_size=20)
VALUES = st.one_of(TEXTS, st.integers(-(10**17), 10**17), st.booleans(), st.lists(TEXTS, max_size=2))


@given(further=st.dictionaries(NAMES.filter(lambda name: name not in ("id", "text")), VALUES, max_size=5))
def test_any_member_that_is_not_known_is_a_field(
    tmp_path_factory: pytest.TempPathFactory, further: dict[str, Any]
) -> None:
    path = tmp_path_factory.getbasetemp() / "further.jsonl"
    path.write_text(json.dumps({"id": "d", **further, "text": "words"}))
    (found,) = read_members(path, Members(form="json-lines", id="id", text=("text",)))
    assert isinstance(found, DocumentRecord)
    expected = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in further.items()
        if value not in ("", [])
    }
    assert found.fields == expected


@pytest.mark.parametrize(("form", "between"), [("tsv", "\t"), ("csv", ",")])
def test_columns_of_one_name_are_both_kept(tmp_path: Path, form: str, between: str) -> None:
    rows = (["id", "text", "note", "note", "text"], ["d", "words", "first", "second", "third"])
    path = written(tmp_path / f"a.{form}", "".join(f"{between.join(row)}\n" for row in rows))
    (found,) = read_members(path, guessed(path).members)
    assert isinstance(found, DocumentRecord)
    assert (found.raw, found.fields) == (b"words", {"note": "first", "note_2": "second", "text_2": "third"})


def test_columns_that_are_not_known_are_fields_in_parquet_and_tables(tmp_path: Path) -> None:
    rows = [{"id": "d", "text": "words", "lang": "en", "year": 2020, "tags": ["a", "b"], "none": None}]
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    (found,) = read_members(path, guessed(path).members)
    assert isinstance(found, DocumentRecord)
    assert found.fields == {"lang": "en", "year": "2020", "tags": '["a", "b"]'}
    table = written(tmp_path / "a.csv", "id;text;lang\nd;words;en\n")
    (row,) = read_members(table, guessed(table).members)
    assert isinstance(row, DocumentRecord) and row.fields == {"lang": "en"}
