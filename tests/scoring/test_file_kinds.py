"""What a file is: its form and what it probably holds, and readers that refuse a file of another kind in one line."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.file_kinds import recognise, recognise_beginning, recognise_path
from scoring.formats.known_formats import FORMATS
from scoring.formats.qrels import read_qrels
from scoring.formats.spec import real
from scoring.formats.trec_run import read_trec_run
from scoring.reading import COMPRESSED, OTHER_FILE
from scoring.records import Issue
from scoring.unpacking import damage_errors, plain_name, uncompressed

RUN = b"1 Q0 a 1 3.0 r\n1 Q0 b 2 2.5 r\n2 Q0 c 1 1.0 r\n"
QRELS = b"1 0 a 2\n1 0 b 0\n2 0 c 1\n"
TOPICS = b"<top>\n<num> Number: 1\n<title> bridges\n</top>\n"
ANSWERS = b'{"metadata": {"run_id": "r", "topic_id": "1"}, "responses": [{"text": "One.", "citations": []}]}\n'

FILES: dict[str, tuple[bytes, str, str]] = {
    "run": (RUN, "6 columns by white space", "run"),
    "run by tabs, decimal commas": (RUN.replace(b" ", b"\t").replace(b".", b","), "6 columns by a tab", "run"),
    "qrels": (QRELS, "4 columns by white space", "qrels"),
    "qrels of BEIR": (b"query-id\tcorpus-id\tscore\n1\ta\t1\n", "3 columns by a tab with a header", "qrels"),
    "run of MS MARCO": (b"1\ta\t1\n1\tb\t2\n2\tc\t1\n", "3 columns by a tab", "run values qrels"),
    "run as a mapping": (b'{"1": {"a": 3.5}}', "one JSON value", "run"),
    "run as pairs": (b'{"1": [["a", 3.5]]}', "one JSON value", "run"),
    "judgments as a mapping": (b'{"1": {"a": 2}}', "one JSON value", "qrels run"),
    "topics of TREC": (TOPICS, "SGML that begins with <top>", "topics"),
    "topics in XML": (
        b'<?xml version="1.0"?>\n<topics><topic number="1"/></topics>',
        "XML that begins with <topics>", "topics",
    ),
    "topics in lines": (b'{"qid": "1", "query": "a"}\n{"qid": "2", "query": "b"}\n', "JSON lines", "topics"),
    "topics in an array": (b'[{"number": "1", "turn": [{}]}]', "a JSON array", "topics"),
    "topics by colons": (b"1:bridge of examples\n2:ferry\n3:a dog is saved\n", "lines of text", "topics"),
    "topics on one line": (
        b'{"qid": "1", "query": "a"}{"qid": "2", "query": "b"}',
        "JSON values one after another", "topics",
    ),
    "indented objects": (
        b'{\n "qid": "1",\n "title": "a"\n}\n{\n "qid": "2",\n "title": "b"\n}\n',
        "JSON values one after another", "topics",
    ),
    "numbers and texts": (b"1\tbridges of examples\n2\tferries\n", "2 columns by a tab", "topics documents"),
    "answers": (ANSWERS, "one JSON value", "answers"),
    "citations for given answers": (
        b'{"metadata": {"qa_id": "1"}, "answer": [{"text": "a", "supported_citations": [1]}]}',
        "one JSON value", "citations",
    ),
    "nuggets": (b"1 1 vital a bridge\n1 2 okay a ferry that goes\n", "lines of text", "nuggets"),
    "nugget lists": (b'{"qid": "1", "nuggets": []}\n{"qid": "2", "nuggets": []}\n', "JSON lines", "nuggets"),
    "a bank": (b'{"query_id": "1", "nugget_bank": {}}', "one JSON value", "nuggets questions"),
    "newswire": (b"<DOC>\n<DOCNO> A </DOCNO>\n</DOC>\n", "SGML that begins with <DOC>", "documents"),
    "a web archive": (b"WARC/1.0\r\nWARC-Type: response\r\n", "a web archive", "documents"),
    "PubMed": (b"PMID- 1\nTI  - A title\n", "lines of text", "documents"),
    "CORD-19": (
        b'cord_uid,sha,title,abstract\nz1,,"A ""made up"" ward","One, two."\n',
        "4 columns by a comma with a header", "documents",
    ),
    "candidates": (
        b'{"query": {"qid": "1"}, "candidates": [{"docid": "a", "score": 2.0, "doc": {}}]}',
        "one JSON value", "candidates documents run",
    ),
    "docnos": (b"a\nb\nc\n", "1 columns by white space", "docnos"),
    "recorded judgments": (b'{"do": "judge", "by": "a"}\n', "one JSON value", "judgments"),
    "forms": (b'{"r": {"team": "north", "priority": "1"}}', "one JSON value", "forms"),
    "scores": (b"r 1 AP 0.5\nr all AP 0.25\n", "4 columns by white space", "scores"),
    "UTF-16": ("1 0 a 2\n1 0 b 1\n".encode("utf-16"), "4 columns by white space", "qrels"),
    "Latin-1": ("1\tcafé of examples\n2\tnaïve\n".encode("latin-1"), "2 columns by a tab", "topics documents"),
    "a PDF": (b"%PDF-1.7\n\x00\x01", "a PDF file", ""),
    "a Parquet file": (b"PAR1\x15\x04", "a Parquet file", "documents"),
    "zip": (b"PK\x03\x04\x14\x00", "an archive (zip)", ""),
    "compress": (b"\x1f\x9d\x90", "an archive (compress (.Z))", ""),
    "prose": (b"It rains.\nNobody was there, but a dog.\nThe end of it all came later.\n", "lines of text", ""),
    "nothing": (b"", "an empty file", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_recognised(name: str) -> None:
    content, form, kinds = FILES[name]
    found = recognise_beginning(content)
    assert (found.form_name, " ".join(found.kinds)) == (form, kinds)


def test_a_stream_is_left_where_it_stood(tmp_path: Path) -> None:
    file = io.BytesIO(b"x" + QRELS)
    file.seek(1)
    assert recognise(file).kinds[0] == "qrels"
    assert file.read() == QRELS
    packed = tmp_path / "qrels.xz"
    packed.write_bytes(lzma.compress(QRELS))
    assert (
        recognise_path(packed).sentence
        == "4 columns by white space, UTF-8, packed with xz: qrels (topic iteration docno grade)"
    )


@pytest.mark.parametrize("size", [100, 1_000, 70_000])
def test_a_beginning_that_is_cut_off_anywhere_is_read_as_far_as_it_goes(size: int) -> None:
    lines = b"".join(b'{"qid": "%d", "query": "caf\xc3\xa9 \\"x\\" [1, {2"}\n' % number for number in range(3_000))
    assert recognise_beginning(lines[:size], is_whole=False).form == "json lines"
    whole = b'[{"qid": "1", "title": "' + b"long, [text] " * 9_000 + b'"}]'
    assert recognise_beginning(whole[: size * 9], is_whole=False).kinds == ("topics",)


@given(st.binary(max_size=200) | st.text('{}[]",:\\<>a1 \n\t').map(str.encode))
def test_whatever_bytes_a_file_has_it_is_something(content: bytes) -> None:
    assert recognise_beginning(content).sentence
    assert recognise_beginning(content, is_whole=False).sentence


# ---------------------------------------------------------------- readers

READERS = {known.name: known.read for known in FORMATS if known.read is not None}


def errors_of(read: Callable[[io.BytesIO], Any], content: bytes) -> list[Issue]:
    return [each for each in read(io.BytesIO(content)) if isinstance(each, Issue)]


def test_qrels_given_as_a_run_are_named_in_one_line() -> None:
    (issue,) = errors_of(read_trec_run, QRELS * 1)
    assert (issue.where, issue.code) == ("", OTHER_FILE)
    assert issue.message == (
        "This is a file of another kind: qrels (topic iteration docno grade), not a ranked run. Qrels go into the "
        "folder of `manage.py load_campaign`, or after --qrels or --gold."
    )


def test_what_only_columns_tell_does_not_refuse_what_can_be_read() -> None:
    content = b"1 x a 2\n1 y b 0\n"
    assert not errors_of(read_qrels, content)
    one_broken = b"1 0 a 2\n1 0 b 0\n1 0 c\n"
    assert [issue.code for issue in errors_of(read_qrels, one_broken)] == ["columns"]


def test_an_archive_is_refused_by_its_name() -> None:
    (issue,) = errors_of(read_qrels, b"PK\x03\x04\x14\x00")
    assert issue.code == COMPRESSED
    assert issue.message == "This is an archive (zip), not qrels. Unpack it first, and give what is in it."


@pytest.mark.parametrize("line", [b"1 Q0 a 1 %sx r\n", b"1 0 a %sx\n", b"1 a %sx\n", b"r %sx\n"])
def test_a_long_number_that_is_none_is_looked_at_once(line: bytes) -> None:
    """Tried at every digit anew, the first of these took hours."""
    assert recognise_beginning(line % (b"1" * 60_000) + line % b"1").form == "columns"
    assert real("1" * 1_000_000 + "x") is None
    assert errors_of(read_trec_run, line % (b"1" * 60_000) * 2)


# ---------------------------------------------------------------- unpacking

PACKERS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("name", PACKERS)
def test_packed_files_are_unpacked_part_by_part(name: str) -> None:
    pack = PACKERS[name]
    assert uncompressed(io.BytesIO(pack(QRELS) + pack(RUN))).read() == QRELS + RUN
    assert uncompressed(io.BytesIO(pack(b""))).read() == b""
    assert plain_name(f"qrels.txt.{name}") == "qrels.txt"
    with pytest.raises(damage_errors()):
        uncompressed(io.BytesIO(pack(QRELS * 50)[:-6])).read()


@pytest.mark.parametrize("name", ["bz2", "xz"])
def test_a_bomb_takes_no_more_memory_than_is_asked_for(name: str) -> None:
    bomb = PACKERS[name](bytes(20_000_000))
    stream = uncompressed(io.BytesIO(bomb))
    tracemalloc.start()
    try:
        assert len(stream.read(1000)) == 1000
        assert tracemalloc.get_traced_memory()[1] < 12_000_000  # of which xz takes 8 MB for what came before
    finally:
        tracemalloc.stop()
