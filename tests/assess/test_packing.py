"""Zips of whole folders: the same bytes for the same files, whatever their size and time."""

from __future__ import annotations

import io
import os
import random
import zipfile
import zlib
from pathlib import Path

import pytest

from assess.base import files
from assess.base.files import write_zip


def zipped(folder: Path) -> bytes:
    file = io.BytesIO()
    write_zip(folder, file)
    return file.getvalue()


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    made = []
    for place, time in (("one", 1_000_000_000), ("two", 1_500_000_000)):
        (tmp_path / place / "inner").mkdir(parents=True)
        names = ("b.txt", "a.txt", "inner/c.txt")
        for name in names if place == "one" else reversed(names):
            path = tmp_path / place / name
            path.write_text(name)
            os.utime(path, (time, time))
        made.append(zipped(tmp_path / place))
    assert made[0] == made[1]
    assert zipfile.ZipFile(io.BytesIO(made[0])).namelist() == ["a.txt", "b.txt", "inner/c.txt"]


def test_a_file_that_needs_sizes_of_64_bits_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 5_000)  # in truth 2 GiB
    monkeypatch.setattr(files, "LARGE", 4_000)
    content = random.Random(1).randbytes(20_000)
    (tmp_path / "large.bin").write_bytes(content)
    with zipfile.ZipFile(io.BytesIO(zipped(tmp_path))) as archive:
        assert archive.read("large.bin") == content


def test_members_are_packed_quickly_and_are_plain_files(tmp_path: Path) -> None:
    content = " ".join(str(number * number % 977) for number in range(5_000)).encode()
    (tmp_path / "text.txt").write_bytes(content)
    quickly = zlib.compressobj(1, zlib.DEFLATED, -15)
    with zipfile.ZipFile(io.BytesIO(zipped(tmp_path))) as archive:
        (member,) = archive.infolist()
    assert member.compress_size == len(quickly.compress(content) + quickly.flush())
    assert (member.date_time, member.external_attr) == ((1980, 1, 1, 0, 0, 0), 0o100644 << 16)


def test_a_file_of_packed_bytes_is_not_packed_again(tmp_path: Path) -> None:
    (tmp_path / "table.parquet").write_bytes(b"as it is" * 100)
    with zipfile.ZipFile(io.BytesIO(zipped(tmp_path))) as archive:
        (member,) = archive.infolist()
        assert (member.compress_type, archive.read(member)) == (zipfile.ZIP_STORED, b"as it is" * 100)
    assert (member.date_time, member.external_attr) == ((1980, 1, 1, 0, 0, 0), 0o100644 << 16)
