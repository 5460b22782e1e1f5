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

import scoring
from scoring.file_kinds import recognise, recognise_beginning, recognise_path
from scoring.formats.known_formats import FORMATS
from scoring.formats.qrels import read_qrels
from scoring.formats.spec import real
from scoring.formats.trec_run import read_trec_run
from scoring.reading.opening import COMPRESSED, OTHER_FILE
from scoring.reading.unpacking import damage_errors, plain_name, uncompressed
from scoring.records import Issue
from tests.scoring.files_of_kinds import FILES, QRELS, RUN


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
        "folder of `manage.py load_campaign`; commands take them as --qrels or --gold."
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


def test_a_file_packed_otherwise_is_no_archive() -> None:
    (issue,) = errors_of(read_qrels, b"]\x00\x00\x80\x00")
    assert issue.message.startswith("This is a file that is packed by lzma, not qrels. Unpack it first")


@pytest.mark.parametrize(
    ("read", "content", "where", "words"),
    [
        (scoring.read_qrels, "query_id,docid,relevance\n1,d1,1\n1,d2\n", 3, "The line has 2 columns; it needs 3"),
        (scoring.read_run, "qid,docno,rank,score\n1,d1,1,3.5\n1,d2,2\n", 3, "The line has 3 columns; it needs 4"),
        (scoring.read_run, "{“1”: {“d1”: 3.0}}", 1, "names and texts have straight double quotes"),
        (scoring.read_run, '{1: {"d1": 3}}', 1, "a name is missing, or has no double quotes"),
        (
            scoring.read_qrels,
            '{"1": {"d1": 1.5, "d2": 0}}',
            "",
            "write them as whole numbers: there is 1.5 among them.",
        ),
    ],
)
def test_what_is_nearly_right_is_said_as_what_it_is(
    read: Any, content: str, where: Any, words: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text(content)
    with pytest.raises(scoring.InputError) as raised:
        read(tmp_path / "file")
    first = raised.value.issues[0]
    assert (first.where, words in first.message) == (where, True), first


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
