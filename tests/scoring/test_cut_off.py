"""A packed file that is cut off or damaged anywhere: what could be unpacked is read, then it is said, and by all."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import zstandard

from scoring.collections.guesses import guess_members
from scoring.file_kinds import recognise, recognise_path
from scoring.formats.json_ranked import read_any_qrels, read_any_run
from scoring.formats.rag_answers import read_rag_answers
from scoring.formats.trec_topics import read_trec_topics
from scoring.formats.unfit_files import unfit_document_file
from scoring.reading.opening import open_input
from scoring.reading.unpacking import damage_errors, uncompressed
from scoring.records import Issue

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda content: gzip.compress(content, mtime=0),
    "zst": zstandard.compress,
    "xz": lzma.compress,
    "bz2": lambda content: bz2.compress(content, 1),  # blocks of 100,000 bytes
}
DRAWN = Random(23)
RUN = "".join(f"1 Q0 d{DRAWN.randrange(10**9)} {rank} {99_000 - rank}.5 r\n" for rank in range(1, 20_000)).encode()
READERS = (read_any_run, read_any_qrels, read_trec_topics, read_rag_answers)


def damaged_files(path: Path, packed: bytes) -> list[str]:
    """What all that look at a file say of it."""
    path.write_bytes(packed)
    said = []
    for read in READERS:
        with open_input(path) as file:
            issues = [each for each in read(file) if isinstance(each, Issue) and each.severity == "error"]
        assert len(issues) == 1, (read, issues)
        said.append(issues[0].message)
    for issue in (unfit_document_file(path, ["text"]), guess_members(path)):
        assert isinstance(issue, Issue)
        said.append(issue.message)
    return said


@pytest.mark.parametrize("name", PACKERS)
def test_a_file_that_is_cut_off_before_anything_can_be_unpacked_is_said_to_be(tmp_path: Path, name: str) -> None:
    packed = PACKERS[name](RUN)
    for length in (4, 5, 9, 10, 11, 18, 30):
        for message in damaged_files(tmp_path / "file", packed[:length]):
            assert f": it is cut off after {length} bytes." in message
        assert recognise_path(tmp_path / "file").sentence.startswith(f"a file that is cut off after {length} bytes")


@pytest.mark.parametrize("name", PACKERS)
def test_what_is_there_of_a_file_that_is_cut_off_is_read(tmp_path: Path, name: str) -> None:
    packed = PACKERS[name](RUN)
    for length in (len(packed) * 3 // 4, len(packed) - 1):
        path = tmp_path / "file"
        path.write_bytes(packed[:length])
        with open_input(path) as file:
            found = list(read_any_run(file))
        last = found.pop()
        assert isinstance(last, Issue) and f"it is cut off after {length:,} bytes." in last.message
        assert len(found) > 9_000
        assert recognise_path(path).kinds == ("run",)


@pytest.mark.parametrize("name", PACKERS)
def test_damage_is_met_by_whoever_reads_on_however_often(tmp_path: Path, name: str) -> None:
    packed = bytearray(PACKERS[name](RUN))
    place = len(packed) // 3
    packed[place : place + 40] = bytes(40)
    stream = uncompressed(io.BytesIO(bytes(packed)))
    recognise(stream)
    for _ in range(3):
        with pytest.raises(damage_errors(), match=r"^damaged \("):
            stream.read()
    path = tmp_path / "file"
    path.write_bytes(bytes(packed))
    with open_input(path) as file:
        *_, last = read_any_run(file)
    assert isinstance(last, Issue) and last.code == "damaged-file"


@pytest.mark.parametrize("name", ["gz", "xz", "bz2"])
def test_other_bytes_behind_the_end_are_not_called_cut_off(tmp_path: Path, name: str) -> None:
    for further in (b"junk", b"\0\0junk", b"\n"):
        for message in damaged_files(tmp_path / "file", PACKERS[name](RUN[:500].rpartition(b"\n")[0]) + further)[:1]:
            assert "it is damaged (other bytes follow its end)." in message


@pytest.mark.parametrize("name", ["gz", "xz", "bz2"])
def test_a_packed_file_filled_up_with_zeros_is_whole_however_many_they_are(name: str) -> None:
    part = PACKERS[name](RUN[:500])
    for zeros in (512, 1 << 16):
        assert uncompressed(io.BytesIO(part + bytes(zeros))).read() == RUN[:500]
        assert uncompressed(io.BytesIO(part + bytes(zeros) + part)).read() == RUN[:500] * 2
