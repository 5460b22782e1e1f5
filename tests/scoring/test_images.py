"""PNG and JPEG images as documents: decoded, named by their files, refused in words where they are none."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from scoring.formats.document_files import read_documents, sniff_document_format
from scoring.formats.images import IMAGE_LIMIT, read_images
from scoring.records import DocumentRecord, Issue
from tests.scoring.made_images import image


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def read(raw: bytes, name: str = "pages/kessler2020-3.png", start: int = 0) -> list[DocumentRecord | Issue]:
    return list(read_images(io.BytesIO(raw), name=name, start=start))


def codes(raw: bytes, name: str = "a.png") -> list[str]:
    return [each.code for each in read(raw, name) if isinstance(each, Issue)]


def bomb() -> bytes:
    """A PNG of a few hundred bytes that says it is 60,000 pixels wide and high."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 1, 0, 0, 0, 0)
    data = zlib.compress(b"\0" * 1000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


@pytest.mark.parametrize(("kind", "media_type"), [("PNG", "image/png"), ("JPEG", "image/jpeg")])
def test_an_image_is_a_document(kind: str, media_type: str) -> None:
    (record,) = read(image(kind))
    assert record == DocumentRecord(
        docno="kessler2020-3.png",
        media_type=media_type,
        charset=None,
        raw=image(kind),
        fields={"width": "30", "height": "20"},
    )


def test_a_zip_holds_many() -> None:
    raw = zipped({"x/": b"", "x/a.png": image(), "x/b.jpg": image("JPEG"), "__MACOSX/x/a.png": b"", "x/.DS_Store": b""})
    assert [each.docno for each in read(raw) if isinstance(each, DocumentRecord)] == ["a.png", "b.jpg"]
    assert [each.docno for each in read(raw, start=2) if isinstance(each, DocumentRecord)] == ["b.jpg"]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (image()[:-30], "damaged-image"),
        (image()[:20], "damaged-image"),
        (image("JPEG")[:200], "damaged-image"),
        (b"\x89PNG\r\n\x1a\n" + b"<svg onload=alert(1)>", "damaged-image"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not-an-image"),
        (b"GIF89a", "not-an-image"),
        (b"", "not-an-image"),
        (bomb(), "image-too-large"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * IMAGE_LIMIT, "document-too-large"),
        (b"PK\x03\x04 and no more", "damaged-zip"),
        (zipped({"a.png": image()})[:-10], "damaged-zip"),
        (zipped({"a.png": b"text"}), "not-an-image"),
        (zipped({"a b.png": image()}), "bad-docno"),
        (zipped({"bomb.png": b"\0" * (IMAGE_LIMIT + 1)}), "document-too-large"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_image_is_refused(raw: bytes, code: str) -> None:
    assert codes(raw) == [code]


def test_a_damaged_member_does_not_stop_the_rest() -> None:
    raw = bytearray(zipped({"a.png": image(size=(200, 200)), "b.png": image()}))
    raw[60] ^= 0xFF
    found = read(bytes(raw))
    assert [each.docno for each in found if isinstance(each, DocumentRecord)] == ["b.png"]
    assert len(found) == 2


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_member_packed_by_what_takes_any_memory_is_refused(method: int) -> None:
    raw = zipped({"a.png": image()}, method)
    assert codes(raw) == codes(raw.replace(b"\x05\x00", b"\xff\xff")) == ["zip-method"]


@pytest.mark.parametrize("place", [6, 7])
def test_a_zip_of_a_later_version_is_named(place: int) -> None:
    raw = bytearray(zipped({"a.png": image()}))
    raw[raw.index(b"PK\x01\x02") + place] = 0xFF
    assert codes(bytes(raw)) == (["damaged-zip"] if place == 6 else [])


@pytest.mark.parametrize("name", ["a b.png", "ä.png", "x" * 200 + ".png", ""])
def test_a_name_that_is_no_docno_is_refused(name: str) -> None:
    assert len(codes(image(), name)) == 1


def test_images_are_known_by_their_first_bytes(tmp_path: Path) -> None:
    for name, raw in {"a.png": image(), "b.jpg": image("JPEG"), "c.zip": zipped({"d.png": image()})}.items():
        (tmp_path / name).write_bytes(raw)
        assert sniff_document_format(tmp_path / name) == "image"
        (record,) = read_documents(tmp_path / name, "image")
        assert isinstance(record, DocumentRecord)
