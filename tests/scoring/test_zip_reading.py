"""Zips that say more than they hold: refused by their directories, before a byte is unpacked."""

from __future__ import annotations

import io
import struct
import zipfile
from contextlib import suppress

import pytest

from scoring.formats.images import IMAGE_LIMIT, read_images
from scoring.reading.bounded_files import SMALL, zip_flaw
from scoring.records import Issue
from tests.scoring.made_images import image


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def shared(count: int, content: bytes) -> bytes:
    """A zip whose ``count`` entries all lie at the place of the first, which holds ``content``; each has its name, too,
    since zipfile takes none out whose name is not that of its place.
    """
    one = zipped({"00000.png": content})
    directory, end = one.index(b"PK\1\2"), one.index(b"PK\5\6")
    entry = one[directory:end]
    entries = entry * count
    tail = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(entries), directory, 0)
    return one[:directory] + entries + tail


def flaw(raw: bytes, *, members: int = 100) -> str | None:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        found = zip_flaw(archive, packed=len(raw), members=members)
    return found and found[0]


def issues(raw: bytes) -> list[str]:
    return [each.code for each in read_images(io.BytesIO(raw), name="a.zip") if isinstance(each, Issue)]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_plain_zip_has_no_flaw(method: int) -> None:
    assert flaw(zipped({"a.png": b"1" * 500, "ä/ö.png": b"2" * 5000, "empty/": b""}, method)) is None


def test_entries_that_share_their_bytes_are_refused() -> None:
    assert flaw(shared(2, b"x" * 100)) == "zip-overlap"


def test_an_entry_that_reaches_into_the_directory_is_refused() -> None:
    raw = bytearray(zipped({"a.png": b"x" * 100}, zipfile.ZIP_STORED))
    struct.pack_into("<2L", raw, raw.index(b"PK\1\2") + 20, 101, 101)
    assert flaw(bytes(raw)) == "zip-overlap"


def test_what_unpacks_to_very_many_times_its_size_is_refused() -> None:
    assert flaw(zipped({"a.png": b"\0" * SMALL})) is None
    assert flaw(zipped({"a.png": b"\0" * SMALL, "b.png": b"\0"})) == "zip-bomb"


def test_more_entries_than_are_read_are_refused() -> None:
    assert flaw(zipped({f"{number}.png": b"" for number in range(3)}), members=2) == "zip-too-many"


def test_twenty_thousand_images_at_one_place_are_refused_at_once() -> None:
    """A megabyte that held the worker for three quarters of an hour."""
    content = b"\x89PNG\r\n\x1a\n" + b"\0" * (IMAGE_LIMIT - 8)
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(shared(2, content))) as archive:  # or refused
        assert [len(archive.read(entry)) for entry in archive.infolist()] == [IMAGE_LIMIT] * 2  # each would be unpacked
    assert issues(shared(20_000, content)) == ["zip-overlap"]


def test_many_small_images_that_would_unpack_to_terabytes_are_refused() -> None:
    assert issues(zipped({f"{number}.png": b"\0" * (SMALL // 4) for number in range(5)})) == ["zip-bomb"]


def test_what_a_mac_adds_to_a_zip_is_not_counted() -> None:
    assert issues(zipped({"a.png": image(), "__MACOSX/a.png": b"\0" * (SMALL + 1)})) == []
