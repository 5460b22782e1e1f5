"""`find`: shards of every form, whole and broken; a search that goes on; ids that are addresses."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from scoring.__main__ import main
from scoring.collections.bundle import BundleDocument, read_bundle
from scoring.collections.finding import FindRequest, find_documents
from scoring.collections.model import Address, Collection, Shard
from scoring.collections.searching import ShardTask, pack_docnos, search_shard
from scoring.records import Issue
from tests.scoring.collections.shard_files import (
    collection_toml,
    docnos_file,
    json_lines,
    packed,
    parquet,
    tar_of,
    texts,
    warc_record,
    warc_records,
)

JSON = 'form = "json-lines"\nid = "docid"\ntext = ["title", "body"]\ntitle = "title"\nurl = "url"\n'
ROWS = 'form = "parquet"\nid = "docid"\ntext = "body"\n'


def find(capsys: pytest.CaptureFixture[str], folder: Path, *more: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a call."""
    paths = ("--collection", folder / "collection.toml", "--docnos", folder / "docnos.txt", "--out", folder / "out")
    try:
        status = main(["find", *map(str, paths), "--workers", "1", *more])
    except SystemExit as end:
        status = int(end.code or 0)
    return status, *capsys.readouterr()


def documents(folder: Path) -> dict[str, BundleDocument]:
    rows = list(read_bundle(folder / "out" / "documents.parquet"))
    assert not [row for row in rows if isinstance(row, Issue)]
    return {row.record.docno: row for row in rows if isinstance(row, BundleDocument)}


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_json_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str) -> None:
    (tmp_path / f"a.jsonl{ending}").write_bytes(packed(json_lines(texts()), ending))
    (tmp_path / f"b.jsonl{ending}").write_bytes(packed(json_lines(texts(5)), ending))
    collection_toml(tmp_path, f'shards = ["*.jsonl{ending}"]\n{JSON}')
    docnos_file(tmp_path, "d-1", "d-7", "nowhere")
    status, out, err = find(capsys, tmp_path)
    assert (status, out) == (0, f"a.jsonl{ending}\t5\t1\nb.jsonl{ending}\t5\t1\n")
    assert "1 of 3 docnos was not found: nowhere" in err
    assert (tmp_path / "out" / "missing.txt").read_text() == "nowhere\n"
    found = documents(tmp_path)
    assert list(found) == ["d-1", "d-7"]
    record = found["d-7"].record
    assert record.raw.decode() == "Title 7\n\nBody of document 7, with “quotes” and d-8."
    assert (record.url, record.media_type, record.fields) == (
        "http://example.org/7",
        "text/plain",
        {"HEADLINE": "Title 7", "SHARD": f"b.jsonl{ending}"},
    )
    assert record.offset == len(json_lines(texts(5, 2)))
    told = json.loads((tmp_path / "out" / "bundle.json").read_text())
    assert (told["documents"], told["missing"], told["wanted"]) == (2, 1, 3)


@pytest.mark.parametrize(
    "line",
    [
        b'{"docid": "w", "body": "x"}',
        b'{"body":"x","docid":"w"}',
        b'{"body": "x", "docid" : "w" , "more": {"docid": "no"}}',
        b'  {"more": {"docid": "no"}, "docid": "w", "body": "x"}',
        b'{"body": "\\"docid\\": \\"no\\"", "docid": "\\u0077"}',
        b'{"body": "x", "docid": "w"}\r',
    ],
)
def test_the_id_is_found_wherever_it_stands(tmp_path: Path, capsys: pytest.CaptureFixture[str], line: bytes) -> None:
    other = b'{"body": "w", "docid": "v", "more": {"docid": "z"}}\n\n{"docid": "u", "body": "\\"docid\\": \\"w\\""}\n'
    (tmp_path / "a.jsonl").write_bytes(other + line + b"\n" + other)
    collection_toml(tmp_path, 'shards = "a.jsonl"\nform = "json-lines"\nid = "docid"\ntext = "body"\n')
    docnos_file(tmp_path, "w")
    assert find(capsys, tmp_path)[:2] == (0, "a.jsonl\t5\t1\n")
    assert documents(tmp_path)["w"].record.offset == len(other)


def test_numbers_as_ids_and_what_has_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"pmid": 12, "abstract": ["One.", "Two."]}\n{"pmid": 13}\n{"pmid": 14\n')
    collection_toml(tmp_path, 'shards = "a.jsonl"\nform = "json-lines"\nid = "pmid"\ntext = "abstract"\n')
    docnos_file(tmp_path, "12", "13", "14")
    status, _, err = find(capsys, tmp_path)
    assert documents(tmp_path)["12"].record.raw == b"One.\nTwo."
    assert status == 1
    assert "a.jsonl\t2\terror\tmissing\t13 has no “abstract”" in err
    assert "a.jsonl\t3\terror\tnot-json" in err


FORMS: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "json": ('form = "json"\nid = "docid"\ntext = "body"', lambda: json.dumps(texts()).encode(), "text/plain"),
    "warc": ('form = "warc"', lambda: b"".join(warc_records()), "text/html"),
    "trec-sgml": (
        'form = "trec-sgml"',
        lambda: b"".join(
            b"<DOC>\n<DOCNO> d-%d </DOCNO>\n<TEXT>Words.</TEXT>\n</DOC>\n" % number for number in range(5)
        ),
        "text/sgml",
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_other_forms(tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, ending: str) -> None:
    toml, make, media_type = FORMS[form]
    (tmp_path / f"a{ending}").write_bytes(packed(make(), ending))
    collection_toml(tmp_path, f'shards = "a{ending}"\n{toml}\n')
    docnos_file(tmp_path, "d-0", "d-3")
    assert find(capsys, tmp_path) == (0, f"a{ending}\t5\t2\n", "")
    found = documents(tmp_path)
    assert {docno: row.record.media_type for docno, row in found.items()} == {"d-0": media_type, "d-3": media_type}


def test_pubmed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    article = (
        "<PubmedArticle><MedlineCitation><PMID>{0}</PMID><Article><ArticleTitle>On {0}</ArticleTitle>"
        "<Abstract><AbstractText>It is so.</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>\n"
    )
    text = f"<PubmedArticleSet>{article.format(71)}{article.format(72)}</PubmedArticleSet>"
    (tmp_path / "p.xml.gz").write_bytes(gzip.compress(text.encode()))
    collection_toml(tmp_path, 'preset = "pubmed"\nshards = "*.xml.gz"\n')
    docnos_file(tmp_path, "72")
    assert find(capsys, tmp_path) == (0, "p.xml.gz\t2\t1\n", "")
    assert b"It is so." in documents(tmp_path)["72"].record.raw


def test_shards_in_a_tar_archive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    members = {
        "c/a.json.gz": gzip.compress(json_lines(texts())),
        "c/README": b"read me",
        "c/b.json.gz": gzip.compress(json_lines(texts(5))),
    }
    (tmp_path / "c.tar").write_bytes(tar_of(members))
    collection_toml(tmp_path, f'shards = "c.tar"\ninside = "*.json.gz"\n{JSON}')
    docnos_file(tmp_path, "d-1", "d-7")
    assert find(capsys, tmp_path) == (0, "c.tar\t10\t2\n", "")
    assert {row.shard for row in documents(tmp_path).values()} == {"c.tar/c/a.json.gz", "c.tar/c/b.json.gz"}


def test_parquet_by_the_column_and_by_the_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parquet(tmp_path / "shard_00000.parquet", texts())
    parquet(tmp_path / "shard_00001.parquet", texts(5))
    docnos_file(tmp_path, "d-1", "d-8")
    collection_toml(tmp_path, f'shards = "shard_*"\n{ROWS}')
    assert find(capsys, tmp_path)[0] == 0
    by_column = {docno: (row.shard, row.record.offset) for docno, row in documents(tmp_path).items()}
    assert by_column == {"d-1": ("shard_00000.parquet", 1), "d-8": ("shard_00001.parquet", 3)}
    again = tmp_path / "rows"
    again.mkdir()
    docnos_file(again, "shard_00001_3")
    collection_toml(again, 'preset = "climbmix"\nshards = "../shard_*.parquet"\ntext = "body"\n')
    assert find(capsys, again)[0] == 0
    (row,) = documents(again).values()
    assert row.record.raw.startswith(b"Body of document 8,")
    assert row.record.offset == 3


def test_only_the_row_groups_that_hold_a_row_are_read(tmp_path: Path) -> None:
    """The second row group is overwritten: who reads it fails."""
    path = tmp_path / "shard_00000.parquet"
    parquet(path, texts(), group=2)
    metadata = pyarrow.parquet.ParquetFile(path).metadata
    start, end = (_first_byte(metadata.row_group(group)) for group in (1, 2))
    content = bytearray(path.read_bytes())
    content[start:end] = b"\xff" * (end - start)
    path.write_bytes(content)
    address = Address(pattern=r"(?P<shard>shard_\d+)_(?P<row>\d+)", shard="{shard}.parquet")
    collection = Collection(name="c", folder=str(tmp_path), shards=(), form="parquet", text=("body",), address=address)
    shard = Shard(name="s", address=str(path), size=1)
    found = {}
    for row in (0, 3, 4):
        task = ShardTask(shard=shard, collection=collection, packed=pack_docnos([f"shard_00000_{row}"]))
        done = search_shard(task)
        found[row] = (done.found, [issue.code for _, issue in done.issues])
    assert found == {0: (1, []), 3: (0, ["damaged-file"]), 4: (1, [])}


def _first_byte(group: Any) -> int:
    columns = [group.column(each) for each in range(group.num_columns)]
    return min(int(each.dictionary_page_offset or each.data_page_offset) for each in columns)


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_ids_that_are_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str) -> None:
    """“byte 677149 of the *uncompressed* file … check that its docid is the one asked for”."""
    lines, ids, place = [], [], 0
    for number in range(4):
        ids.append(f"msmarco_v2.1_doc_29_{place}")
        line = json_lines([{"url": "u", "title": "t", "headings": "", "body": f"B{number}", "docid": ids[-1]}])
        lines.append(line)
        place += len(line)
    (tmp_path / f"msmarco_v2.1_doc_29.json{ending}").write_bytes(packed(b"".join(lines), ending))
    collection_toml(tmp_path, f'preset = "msmarco-v2.1-documents"\nshards = "*.json{ending}"\n')
    docnos_file(tmp_path, ids[1], ids[3], "msmarco_v2.1_doc_29_3", "msmarco_v2.1_doc_30_0", "another")
    status, out, err = find(capsys, tmp_path)
    assert status == 1
    assert out == f"msmarco_v2.1_doc_29.json{ending}\t3\t2\n"
    assert {docno: row.record.raw for docno, row in documents(tmp_path).items()} == {ids[1]: b"B1", ids[3]: b"B3"}
    assert "byte 3\terror\tmisplaced-id\tmsmarco_v2.1_doc_29_3 says that it stands at byte 3" in err
    assert "missing-shard\tThe shard msmarco_v2.1_doc_30.json is not among the files" in err
    assert "no-address\tanother:" in err


def test_ids_that_are_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "clueweb22-en0004-67-0000{}"
    lines = [{"URL": "http://x/\n", "ClueWeb22-ID": name.format(n), "Clean-Text": f"T{n}"} for n in range(5)]
    (tmp_path / "en0004-67.json.gz").write_bytes(gzip.compress(json_lines(lines)))
    collection_toml(tmp_path, 'preset = "clueweb22-text"\nshards = "*.json.gz"\n')
    docnos_file(tmp_path, name.format(2))
    assert find(capsys, tmp_path) == (0, "en0004-67.json.gz\t3\t1\n", "")
    (row,) = documents(tmp_path).values()
    assert (row.record.raw, row.record.url) == (b"T2", "http://x/")


def test_a_gzip_member_that_is_damaged_costs_its_records_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    members = [gzip.compress(record, mtime=0) for record in warc_records()]
    broken = bytearray(members[2])
    broken[40:44] = b"\xff\xff\xff\xff"
    members[2] = bytes(broken)
    (tmp_path / "a.warc.gz").write_bytes(b"".join(members))
    collection_toml(tmp_path, 'shards = "a.warc.gz"\nform = "warc"\n')
    docnos_file(tmp_path, *(f"d-{number}" for number in range(5)))
    status, _, err = find(capsys, tmp_path)
    assert status == 1
    assert set(documents(tmp_path)) == {"d-0", "d-2", "d-3", "d-4"}
    place = len(members[0]) + len(members[1])
    assert f"a.warc.gz\tbyte {place}\terror\tdamaged-file" in err


def test_json_lines_go_on_after_a_damaged_member_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    members = [gzip.compress(json_lines(texts(start, 5)), mtime=0) for start in (0, 5, 10)]
    broken = bytearray(members[1])
    broken[-8] ^= 0xFF  # its checksum
    (tmp_path / "a.gz").write_bytes(members[0] + bytes(broken) + members[2][:-20])
    collection_toml(tmp_path, f'shards = "a.gz"\n{JSON}')
    docnos_file(tmp_path, "d-0", "d-10")
    _, _, err = find(capsys, tmp_path)
    assert {"d-0", "d-10"} >= set(documents(tmp_path)) >= {"d-0"}
    places = [len(members[0]), len(members[0]) + len(members[1])]
    assert [f"byte {place}\terror\tdamaged-file" in err for place in places] == [True, True]


def test_old_crawls_are_read_leniently(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """LF in place of CR LF makes the length of a record too large; the next one is found all the same."""
    broken = warc_record("d-0", "<p>Page</p>\r\n<p>0</p>").replace(b"\r\n", b"\n")
    (tmp_path / "a.warc").write_bytes(broken + warc_record("d-1", "<p>Page 1</p>"))
    collection_toml(tmp_path, 'shards = "a.warc"\nform = "warc"\nid = "WARC-TREC-ID"\n')
    docnos_file(tmp_path, "d-0", "d-1")
    assert find(capsys, tmp_path)[0] == 0
    found = documents(tmp_path)
    assert found["d-1"].record.raw == b"<p>Page 1</p>"
    assert found["d-0"].record.raw.strip() == b"<p>Page</p>\n<p>0</p>"
    assert (found["d-1"].record.charset, found["d-1"].record.fields["DATE"]) == ("utf-8", "2020-01-02T03:04:05Z")


def test_a_warc_that_is_cut_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.warc").write_bytes(b"".join(warc_records(2))[:-20])
    collection_toml(tmp_path, 'shards = "a.warc"\nform = "warc"\n')
    docnos_file(tmp_path, "d-0", "d-1")
    status, _, err = find(capsys, tmp_path)
    assert (status, set(documents(tmp_path))) == (1, {"d-0"})
    assert "the last record is cut off" in err


def test_shards_that_are_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_bytes(json_lines(texts()))
    collection_toml(tmp_path, f'shards = ["a.jsonl", "b-*.jsonl", "none.jsonl", "nosuch://x"]\n{JSON}')
    docnos_file(tmp_path, "d-0")
    status, _, err = find(capsys, tmp_path)
    assert status == 1
    assert [f"no-shards\tThere is no file {name}" in err for name in ("b-*.jsonl", "none.jsonl")] == [True, True]
    assert "nosuch://x can't be listed" in err
    assert set(documents(tmp_path)) == {"d-0"}


def test_an_address_that_fsspec_knows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(json_lines(texts())))
    collection_toml(tmp_path, f'shards = ["file://{tmp_path}/*.jsonl.gz"]\n{JSON}')
    docnos_file(tmp_path, "d-4")
    assert find(capsys, tmp_path)[0] == 0
    assert set(documents(tmp_path)) == {"d-4"}


def test_a_document_that_stands_twice_is_taken_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_bytes(json_lines(texts() + texts()[:1]))
    (tmp_path / "b.jsonl").write_bytes(json_lines([{**texts()[1], "body": "Other."}]))
    collection_toml(tmp_path, f'shards = "*.jsonl"\n{JSON}')
    docnos_file(tmp_path, "d-0", "d-1")
    status, _, err = find(capsys, tmp_path)
    assert status == 0
    assert {docno: row.shard for docno, row in documents(tmp_path).items()} == {"d-0": "a.jsonl", "d-1": "a.jsonl"}
    assert "a.jsonl\t6\tnote\tdocument-twice\td-0 stands in the collection a second time, with the same content" in err
    assert "warning\tdocument-twice\td-1 stands in the collection a second time, with other content" in err


def test_it_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.jsonl").write_bytes(json_lines([{"docid": f"d-{name}", "body": name}]))
    collection = Collection(
        name="c", folder=str(tmp_path), shards=("*.jsonl",), form="json-lines", id=("docid",), text=("body",)
    )
    request, searched = FindRequest(docnos=frozenset({"d-a", "d-b", "d-c"})), []

    class Stopped(Exception):
        pass

    def stop_at_b(shard: str, done: int, total: int) -> None:
        searched.append(shard)
        if shard == "b.jsonl":
            raise Stopped

    with pytest.raises(Stopped):
        find_documents(collection=collection, request=request, out=tmp_path / "out", report_progress=stop_at_b)
    assert not (tmp_path / "out" / "documents.parquet").exists()
    (tmp_path / "out" / "shards" / "00001.json.new").write_text("{")  # as a write that was broken off leaves it

    def hear(shard: str, done: int, total: int) -> None:
        searched.append(f"{shard} {done}/{total}")

    found = find_documents(collection=collection, request=request, out=tmp_path / "out", report_progress=hear)
    assert searched == ["a.jsonl", "b.jsonl", "c.jsonl 3/3"]
    whole = find_documents(collection=collection, request=request, out=tmp_path / "whole")
    assert found.documents == whole.documents == 3
    assert (tmp_path / "out/documents.parquet").read_bytes() == (tmp_path / "whole/documents.parquet").read_bytes()
    os.utime(tmp_path / "a.jsonl", ns=(1, 1))  # another file now, for all that is known
    find_documents(collection=collection, request=request, out=tmp_path / "out", report_progress=hear)
    assert searched[3:] == ["a.jsonl 3/3"]


def test_a_folder_of_another_search_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_bytes(json_lines(texts()))
    collection_toml(tmp_path, f'shards = "a.jsonl"\n{JSON}')
    docnos_file(tmp_path, "d-0")
    assert find(capsys, tmp_path)[0] == 0
    docnos_file(tmp_path, "d-1")
    status, _, err = find(capsys, tmp_path)
    assert (status, "holds a search that differs in: docnos" in err) == (2, True)
    assert set(documents(tmp_path)) == {"d-0"}
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("mine")
    status, _, err = find(capsys, tmp_path, "--out", str(tmp_path / "other"))
    assert (status, "is there already and is no search" in err) == (2, True)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("", "docnos.txt\t\terror\tempty-file"),
        ("a b c\n", "docnos.txt\t1\terror\tcolumns"),
        ("d-1\nä\n", "docnos.txt\t2\terror\t"),
    ],
)
def test_docnos_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: str, said: str) -> None:
    collection_toml(tmp_path, f'shards = "a.jsonl"\n{JSON}')
    (tmp_path / "docnos.txt").write_text(lines)
    status, out, err = find(capsys, tmp_path)
    assert (status, out, said in err) == (1, "", True)


def test_without_its_packages_it_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    status, _, err = find(capsys, tmp_path)
    assert (status, "needs more packages: pip install '.[collections]' in Assay's source" in err) == (2, True)


def test_what_pool_prints_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_bytes(json_lines(texts()))
    collection_toml(tmp_path, f'shards = "a.jsonl"\n{JSON}')
    (tmp_path / "docnos.txt").write_text("1 d-0\n2\td-1\t1\t0.5\n2 d-0\n")
    assert find(capsys, tmp_path)[:2] == (0, "a.jsonl\t5\t2\n")


def test_pages_texts_and_signatures_in_the_same_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = "<p onclick=x()>The ferry stopped in May, and nobody on the island was told why.</p><script>y()</script>"
    records = [warc_record("d-0", page), warc_record("d-1", page.replace("May", "May ")), warc_record("d-2", "<p>Hi")]
    (tmp_path / "a.warc").write_bytes(b"".join(records))
    collection_toml(tmp_path, 'shards = "a.warc"\nform = "warc"\n')
    docnos_file(tmp_path, "d-0", "d-1", "d-2")
    assert find(capsys, tmp_path, "--pages", "--signatures")[0] == 0
    found = documents(tmp_path)
    prepared = found["d-0"].prepared
    assert prepared is not None
    assert prepared.text == "The ferry stopped in May, and nobody on the island was told why."
    assert prepared.page is not None
    assert "onclick" not in prepared.page
    assert "script" not in prepared.page
    assert [len(row.signature) for row in found.values()] == [512] * 3
    assert found["d-0"].signature == found["d-1"].signature != found["d-2"].signature
