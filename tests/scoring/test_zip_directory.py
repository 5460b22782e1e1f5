"""A zip of very many files is refused before its directory is listed."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from scoring.formats import images
from scoring.reading.bounded_files import directory_flaw
from scoring.release.releases import BadRelease, open_release


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
