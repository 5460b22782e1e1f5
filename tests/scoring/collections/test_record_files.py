"""Files of records read whole: what is guessed, what is read, and what is said of records that are none."""

from __future__ import annotations

import gzip
import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from scoring.collections.guesses import Guess, guess_members, plain_records
from scoring.collections.members import Members, members_from, preset_members
from scoring.collections.record_files import read_members
from scoring.records import DocumentRecord, Issue
from tests.scoring.collections.shard_files import warc_record

RECORDS = [
    {"id": "a_1", "text": "Спрос растёт.", "title": "News", "url": "http://n.example/1", "date": "2024-05-01"},
    {"id": "a_2", "text": '经济, "quoted"\nline', "title": "", "url": "", "date": ""},
]


def lines(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records))
    return path


def guessed(path: Path) -> Guess:
    guess = guess_members(path)
    assert isinstance(guess, Guess), guess
    return guess


def read(path: Path, members: Members) -> list[tuple[str, str, str, str, str]]:
    found = list(read_members(path, members, name=path.name))
    assert all(isinstance(each, DocumentRecord) for each in found), found
    return [
        (each.docno, each.raw.decode(), each.fields.get("HEADLINE", ""), each.url, each.fields.get("DATE", ""))
        for each in found
        if isinstance(each, DocumentRecord)
    ]


def wrong(path: Path, members: Members) -> list[tuple[object, str]]:
    return [(each.where, each.code) for each in read_members(path, members) if isinstance(each, Issue)]


MS_MARCO = {"url": "u", "title": "t", "headings": "h"}


@pytest.mark.parametrize(
    ("record", "preset", "members"),
    [
        (
            {"docid": "m_0", **MS_MARCO, "body": "b"},
            "msmarco-v2.1-documents",
            {"id": "docid", "text": ("headings", "body"), "title": "title", "url": "url"},
        ),
        (
            {"docid": "m#1_2", **MS_MARCO, "segment": "s", "start_char": 0},
            "msmarco-v2.1-segments",
            {"id": "docid", "text": ("headings", "segment"), "title": "title", "url": "url"},
        ),
        (
            {"ClueWeb22-ID": "c", "Clean-Text": "words", "URL": "u", "Language": "en"},
            "clueweb22-text",
            {"id": "ClueWeb22-ID", "text": ("Clean-Text",), "url": "URL"},
        ),
        ({"id": "7", "contents": "words"}, "pyserini", {"id": "id", "text": ("contents",)}),
        (
            {"id": "7", "contents": "words", "headline": "h", "published": "2024"},
            "pyserini",
            {"id": "id", "text": ("contents",), "title": "headline", "date": "published"},
        ),
        (
            {"docid": "7", "headline": "h", "body": "b", "url": "u", "date": "d", "extra": "e"},
            "",
            {"id": "docid", "text": ("body",), "title": "headline", "url": "url", "date": "date"},
        ),
        ({"docid": "7", "body": "b", "title": "t"}, "", {"id": "docid", "text": ("body",), "title": "title"}),
        ({"docid": "m#1_2", "segment": "s"}, "", {"id": "docid", "text": ("segment",)}),
        ({"id": "a_1", "text": "words", "lang": "rus"}, "", {"id": "id", "text": ("text",)}),
        ({"DocNo": "7", "html": "<p>x</p>"}, "", {"id": "DocNo", "text": ("html",), "media_type": "text/html"}),
        (
            {"_id": "7", "abstract": "<!DOCTYPE html><p>x"},
            "",
            {"id": "_id", "text": ("abstract",), "media_type": "text/html"},
        ),
    ],
)
def test_members_are_guessed(tmp_path: Path, record: dict[str, Any], preset: str, members: dict[str, Any]) -> None:
    guess = guessed(lines(tmp_path / "a.jsonl", record))
    assert (guess.preset, guess.names) == (preset, tuple(record))
    assert guess.members == Members(form="json-lines", **members)


def test_no_member_of_a_table_or_of_parquet_is_lost_to_a_known_collection(tmp_path: Path) -> None:
    table, parquet = tmp_path / "a.csv", tmp_path / "a.parquet"
    table.write_text("docid,headline,body\n7,h,b\n")
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{"docid": "7", "headline": "h", "body": "b"}]), parquet)
    for path in (table, parquet):
        guess = guessed(path)
        assert (guess.preset, guess.members.title, guess.members.text) == ("", "headline", ("body",)), path
        assert read(path, guess.members) == [("7", "b", "h", "", "")]


def test_names_that_become_further_fields_are_known(tmp_path: Path) -> None:
    guess = guessed(lines(tmp_path / "a.jsonl", {"docid": "7", "body": "b", "extra": "e", "x" * 99: ""}))
    assert guess.further(guess.members) == ("extra", "x" * 59 + "…")
    assert guess.further(Members(form="json-lines", id="docid", text=("extra", "x" * 99))) == ("body",)


def test_the_same_documents_are_read_from_json_lines_csv_and_parquet(tmp_path: Path) -> None:
    expected = [
        ("a_1", "Спрос растёт.", "News", "http://n.example/1", "2024-05-01"),
        ("a_2", '经济, "quoted"\nline', "", "", ""),
    ]
    plain = lines(tmp_path / "a.jsonl", *RECORDS)
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    table = tmp_path / "a.csv"
    table.write_text(
        "id,text,title,url,date\na_1,Спрос растёт.,News,http://n.example/1,2024-05-01\n"
        'a_2,"经济, ""quoted""\nline",,,\n',
        encoding="utf-8-sig",
    )
    parquet = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(RECORDS), parquet, row_group_size=1)
    for path in (plain, packed, table, parquet):
        assert guessed(path).preset == "ragtime", path
        assert read(path, guessed(path).members) == expected, path


def test_rows_without_ids_are_called_by_file_and_row(tmp_path: Path) -> None:
    path = tmp_path / "shard_00007.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{"text": "one"}, {"text": "two"}]), path)
    assert guessed(path).preset == "climbmix"
    assert [each[:2] for each in read(path, guessed(path).members)] == [
        ("shard_00007_0", "one"),
        ("shard_00007_1", "two"),
    ]


def test_responses_of_a_warc_file_are_its_documents(tmp_path: Path) -> None:
    content = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>one</p>"
    record = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-TREC-ID: clue-1\r\nWARC-Target-URI: http://w.example/\r\n"
        b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(content), content)
    )
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(record))
    (found,) = read_members(path, guessed(path).members)
    assert isinstance(found, DocumentRecord)
    assert (found.docno, found.media_type, found.charset, found.raw, found.url) == (
        "clue-1",
        "text/html",
        "utf-8",
        b"<p>one</p>",
        "http://w.example/",
    )


def test_each_record_that_is_none_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'{"id": "a", "text": "x"}\n{"id": "b"}\n[]\n{"text": "x"}\n\n{"id": "c", "text": "\xff"}\n'
        b'{"id": "d d", "text": "x"}\n{'
    )
    found = wrong(path, Members(form="json-lines", id="id", text=("text",)))
    assert found[:4] == [(2, "missing"), (3, "type"), (4, "missing"), (6, "not-utf8")]
    assert [where for where, _ in found[4:]] == [7, 8]
    table = tmp_path / "a.csv"
    table.write_bytes(b'id,text\na,x\nb,x,y\nc\nd,"open\n')
    assert wrong(table, Members(form="csv", id="id", text=("text",))) == [(3, "columns"), (4, "columns"), (5, "csv")]
    table.write_bytes(b"id,text\na,\xff\n")
    assert [code for _, code in wrong(table, Members(form="csv", id="id", text=("text",)))] == ["not-utf8"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 400,
        b"PAR1" + b"\0" * 40,
        b"%PDF-1.4 ,,,\0",
        b"one word\n",
        b'{"id": \n',
        b"\x1f\x8b\x08broken",
        b"{" * 90_000,
    ],
    ids=["empty", "NUL", "half Parquet", "PDF", "text", "half JSON", "half gzip", "deep"],
)
def test_hostile_bytes_are_told_and_never_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "hostile"
    path.write_bytes(content)
    guess = guess_members(path)
    assert isinstance(guess, Issue)
    assert guess.message.endswith(".")
    for form in ("json-lines", "csv", "parquet", "warc"):
        for each in read_members(path, Members(form=form, id="id", text=("text",))):
            assert isinstance(each, Issue)


@pytest.mark.parametrize(
    ("names", "docno"),
    [
        ("product_id text", "product_id"),
        ("text tweetId", "tweetId"),
        ("user_id tweet_id text", "user_id"),
        ("query_id text", ""),
        ("text", ""),
    ],
)
def test_the_docno_is_the_column_that_ends_in_id_before_rows_are_numbered(
    tmp_path: Path, names: str, docno: str
) -> None:
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{name: f"{name} 1" for name in names.split()}]), path)
    assert (guessed(path).members.id, plain_records(path) is not None) == (docno, bool(docno))


def test_one_member_that_ends_in_id_is_the_docno_and_of_several_none(tmp_path: Path) -> None:
    assert guessed(lines(tmp_path / "a", {"product_id": "1", "text": "x"})).members.id == "product_id"
    assert guessed(lines(tmp_path / "b", {"user_id": "1", "tweet_id": "2", "text": "x"})).members.id == ""
    sold = {"seller": {"id": "S"}, "product_id": "P", "text": "x"}
    assert guessed(lines(tmp_path / "c", sold)).members.id == "product_id"
    assert guessed(lines(tmp_path / "d", {"meta": {"id": "P"}, "text": "x"})).members.id == "meta.id"


@pytest.mark.parametrize("records", [1, 20, 400])
@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_packed_file_that_is_cut_off_is_said_to_be(tmp_path: Path, records: int, form: str) -> None:
    rows = [{"id": f"a_{number}", "text": sha256(b"%d" % number).hexdigest()} for number in range(records)]
    plain = "".join(json.dumps(each) + "\n" for each in rows)
    if form == "csv":
        plain = "id,text\n" + "".join(f"{each['id']},{each['text']}\n" for each in rows)
    packed = gzip.compress(plain.encode())
    for length in (len(packed) * 2 // 3, len(packed) - 9, len(packed) - 1):
        path = tmp_path / f"cut.{form}.gz"
        path.write_bytes(packed[:length])
        issue = guess_members(path)
        assert isinstance(issue, Issue)
        assert issue.code == "damaged-file" and "it is cut off after" in issue.message, length


def test_members_say_what_is_missing_and_come_back_from_json() -> None:
    members = Members(form="csv", id="a", text=("b", "c"), media_type="text/html")
    assert members_from(members.as_values()) == members
    assert members_from({"form": "csv", "id": "a", "text": "b, c", "media_type": "text/html"}) == members
    forms = ("csv", "parquet", "warc", "tar")
    unnamed = {form: [each.where for each in Members(form=form).missing()] for form in forms}
    assert unnamed == {"csv": ["text", "id"], "parquet": ["text", "id"], "warc": [], "tar": ["form", "text", "id"]}
    assert Members(form="parquet", text=("text",)).missing() == []
    assert preset_members("pubmed") is None
    assert preset_members("pyserini") == Members(form="json-lines", id="id", text=("contents",))


def test_contents_of_a_crawl_are_undone_and_other_records_named(tmp_path: Path) -> None:
    record = warc_record("d-1", "").split(b"\r\n\r\n")[0]
    page = gzip.compress(b"<p>one</p>")
    parts = []
    for docno, content in (("d-1", page), ("d-2", page[:-9])):
        sent = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nLast-Modified: Monday\r\n\r\n" + content
        head = re.sub(rb"Content-Length: \d+", b"Content-Length: %d\r\nWARC-IP-Address: 127.0.0.1" % len(sent), record)
        parts.append(head.replace(b"d-1", docno.encode()) + b"\r\n\r\n" + sent + b"\r\n\r\n")
    others = warc_record("i", "info", kind="warcinfo") + warc_record("r", "again", kind="revisit")
    path = tmp_path / "a.warc"
    path.write_bytes(others + b"".join(parts))
    one, warning, two, note = read_members(path, guessed(path).members)
    assert isinstance(one, DocumentRecord) and isinstance(two, DocumentRecord)
    assert (one.raw, two.docno) == (b"<p>one</p>", "d-2")
    assert one.fields == {
        "DATE": "2020-01-02T03:04:05Z",
        "WARC-IP-ADDRESS": "127.0.0.1",
        "LAST-MODIFIED": "Monday",
    }
    assert isinstance(warning, Issue) and isinstance(note, Issue)
    assert (warning.severity, warning.code) == ("warning", "content-encoding")
    assert (
        warning.message
        == "d-2 is stored as far as it could be undone. Its gzip encoding can't be undone: it is cut off."
    )
    assert note.message == "Records that are no documents were passed over: 1 revisit, 1 warcinfo."
