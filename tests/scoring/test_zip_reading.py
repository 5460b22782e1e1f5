"""Zips that say more than they hold, or hold very many files, are refused before a byte is unpacked."""

from __future__ import annotations

import io
import struct
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from scoring.formats import images
from scoring.formats.images import IMAGE_LIMIT, read_images
from scoring.reading.bounded_files import SMALL, directory_flaw, zip_flaw
from scoring.records import Issue
from scoring.release.releases import BadRelease, open_release
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


def zip_of(files: int, *, name: str = "a{}.png", comment: bytes = b"") -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.comment = comment
        for number in range(files):
            archive.writestr(name.format(number), b"")
    return target.getvalue()


def test_what_the_end_says_counts() -> None:
    whole = zip_of(3, comment=b"a comment PK")
    assert directory_flaw(io.BytesIO(whole), members=3) is None
    assert directory_flaw(io.BytesIO(whole), members=2) == "the zip holds 3 files; 2 are allowed"
    assert directory_flaw(io.BytesIO(b"no zip"), members=2) is None
    assert directory_flaw(io.BytesIO(b""), members=2) is None


def test_an_end_that_tells_too_few_files_is_no_way_around() -> None:
    whole = bytearray(zip_of(40, name="a" * 200 + "{}"))
    end = whole.rindex(b"PK\x05\x06")
    whole[end + 8 : end + 12] = b"\x01\x00\x01\x00"
    flaw = directory_flaw(io.BytesIO(bytes(whole)), members=1)
    assert flaw is not None
    assert "too many for the 1 files that are allowed" in flaw


def test_a_long_directory_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 2)  # so that zipfile writes the form for many files
    assert directory_flaw(io.BytesIO(zip_of(5)), members=4) == "the zip holds 5 files; 4 are allowed"


def test_what_hides_the_end_from_a_plain_search_is_no_way_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """`zipfile` reads these, and lists all five files: the sign of the end once more in its own last bytes, and a long
    form that is not where it is said to be.
    """
    hidden = bytearray(zip_of(5))
    hidden[-6:-2] = b"PK\x05\x06"  # where the directory begins, by which nothing is found
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 2)
    moved = bytearray(zip_of(5))
    place = moved.rindex(b"PK\x06\x07")
    moved[place + 8 : place + 16] = bytes(8)
    moved[place + 20 + 8 : place + 20 + 16] = bytes(8)
    for each in (hidden, moved):
        whole = bytes(each)
        assert len(zipfile.ZipFile(io.BytesIO(whole)).namelist()) == 5
        assert directory_flaw(io.BytesIO(whole), members=4) == "the zip holds 5 files; 4 are allowed"


def test_where_the_long_form_counts_the_short_one_need_not_say_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Go and Java write it, whatever of it was too large."""
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 2)
    whole = bytearray(zip_of(5))
    end = whole.rindex(b"PK\x05\x06")
    whole[end + 8 : end + 20] = b"\xff" * 12
    assert directory_flaw(io.BytesIO(bytes(whole)), members=5) is None
    assert directory_flaw(io.BytesIO(bytes(whole)), members=4) == "the zip holds 5 files; 4 are allowed"


def test_nothing_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(*args: object, **kwargs: object) -> None:
        raise AssertionError("the directory was listed")

    path = tmp_path / "many.zip"
    path.write_bytes(zip_of(5))
    monkeypatch.setattr(images, "MEMBER_LIMIT", 4)
    monkeypatch.setattr("scoring.release.releases.FILES_LIMIT", 3)
    monkeypatch.setattr(zipfile, "ZipFile", listed)
    with path.open("rb") as file:
        (issue,) = images.read_images(file, name="many.zip")
    assert (issue.code, "holds 5 files; 4 are allowed" in issue.message) == ("zip-too-many", True)
    with pytest.raises(BadRelease, match="holds 5 files; 4 are allowed"), open_release(path):
        pass
