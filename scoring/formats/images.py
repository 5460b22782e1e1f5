"""Reads PNG and JPEG images as documents: a file is one document named after the file, or a zip of such files.

The docno is the file's name without folders ("kessler2020-3.png"). Every image is decoded completely before it is
accepted, so that browsers receive an image and nothing else. The record's fields give its width and height.
"""

from __future__ import annotations

import io
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO

from scoring.formats.doc_records import check_docno
from scoring.reading.bounded_files import directory_flaw, zip_flaw
from scoring.reading.opening import COMPRESSED, excerpt_of
from scoring.reading.unpacking import damage_words, is_leftover, read_up_to
from scoring.records import DocumentRecord, Issue

IMAGE_LIMIT = 32 * 1024 * 1024
"""The most bytes in one image."""
PIXEL_LIMIT = 50_000_000
"""The most pixels in one image: enough for a scanned page in print quality, but not for a decompression bomb."""
MEMBER_LIMIT = 20_000
"""The most files in one zip."""

MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg"}
PNG_START, JPEG_START, ZIP_START = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"PK\x03\x04"


def looks_like_images(head: bytes) -> bool:
    """Return whether a file has the beginning of a PNG, a JPEG or a zip."""
    return head.startswith((PNG_START, JPEG_START, ZIP_START))


def read_images(stream: BinaryIO, *, name: str, start: int = 0) -> Iterator[DocumentRecord | Issue]:
    """Yield the image in a file, or the images in a zip in the order of the zip. Yield an issue for each file that is
    not an image.

    ``name`` is the file's name. If the file is a zip, the ``offset`` of a record is the number of its entry, and
    entries before ``start`` are skipped.
    """
    head, damage = read_up_to(stream, len(PNG_START))
    if head.startswith(ZIP_START):
        if stream.seekable():
            yield from _read_zip(stream, start=start)
        else:
            message = "The zip is in a compressed file. Unpack that file, and load the zip."
            yield Issue(where="", code=COMPRESSED, message=message)
        return
    if start > 0:
        return
    if damage is None:
        rest, damage = read_up_to(stream, IMAGE_LIMIT + 1 - len(head))
        head += rest
    if damage is not None:
        message = f"The file cannot be read: it is {damage_words(damage)}. Copy it again."
        yield Issue(where="", code="damaged-file", message=message)
        return
    yield _image(head, name=name, where="", offset=0)


def _read_zip(stream: BinaryIO, *, start: int) -> Iterator[DocumentRecord | Issue]:
    try:
        if (problem := directory_flaw(stream, members=MEMBER_LIMIT)) is not None:
            message = f"Nothing was read: {problem}. Pack the images anew, or split them."
            yield Issue(where="", code="zip-too-many", message=message)
            return
        with zipfile.ZipFile(stream) as archive:
            packed = stream.seek(0, io.SEEK_END)
            if flaw := zip_flaw(archive, packed=packed, members=MEMBER_LIMIT, is_read=_is_read):
                code, problem = flaw
                yield Issue(
                    where="", code=code, message=f"Nothing was read: {problem}. Pack the images anew, or split them."
                )
                return
            for number, entry in enumerate(archive.infolist()):
                if number >= start and _is_read(entry):
                    yield _member(archive, entry, number)
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        message = f"The zip cannot be read: it is cut off or damaged ({excerpt_of(str(error))}). Pack it again."
        yield Issue(where="", code="damaged-zip", message=message)


def _is_read(entry: zipfile.ZipInfo) -> bool:
    return not (entry.is_dir() or is_leftover(PurePosixPath(entry.filename)))


def _member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, number: int) -> DocumentRecord | Issue:
    where = excerpt_of(entry.filename)
    if entry.file_size > IMAGE_LIMIT:
        return _too_large(where)
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        message = "The file is packed in a way that is not read here. Pack the zip anew without special settings."
        return Issue(where=where, code="zip-method", message=message)
    try:
        with archive.open(entry) as member:
            raw = member.read(IMAGE_LIMIT + 1)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, zlib.error) as error:
        message = (
            f"The file cannot be taken out of the zip ({excerpt_of(str(error))}). Pack it again, without a password."
        )
        return Issue(where=where, code="damaged-zip", message=message)
    return _image(raw, name=entry.filename, where=where, offset=number)


def _image(raw: bytes, *, name: str, where: str, offset: int) -> DocumentRecord | Issue:
    """Return the record of an image that can be decoded, or the issue that says what is wrong with it."""
    docno = PurePosixPath(name.replace("\\", "/")).name
    if issue := check_docno(docno, 1):
        message = "The file's name becomes the docno: up to 128 visible ASCII characters and no white space. Rename it."
        return Issue(where=where, code=issue.code, message=message, excerpt=excerpt_of(docno))
    if len(raw) > IMAGE_LIMIT:
        return _too_large(where)
    if not raw.startswith((PNG_START, JPEG_START)):
        message = "This is neither a PNG nor a JPEG image; it is passed over. Save it as one of these."
        return Issue(where=where, code="not-an-image", message=message, excerpt=excerpt_of(docno))
    try:
        width, height, kind = _decoded(raw)
    except _TooManyPixels:
        message = f"The image has more than {PIXEL_LIMIT:,} pixels. Make it smaller."
        return Issue(where=where, code="image-too-large", message=message, excerpt=excerpt_of(docno))
    except Exception as error:  # noqa: BLE001 - a decoder meets anything in a broken file, and says so by any exception
        message = f"The image cannot be decoded ({type(error).__name__}): it is cut off or damaged. Copy it again."
        return Issue(where=where, code="damaged-image", message=message, excerpt=excerpt_of(docno))
    fields = {"width": str(width), "height": str(height)}
    return DocumentRecord(
        docno=docno, media_type=MEDIA_TYPES[kind], charset=None, raw=raw, offset=offset, fields=fields
    )


class _TooManyPixels(Exception):
    """Raised when the image has more pixels than may be decoded."""


def _decoded(raw: bytes) -> tuple[int, int, str]:
    """Return the width, height and format of an image after decoding it to its last row. Raises _TooManyPixels, and any
    other exception for an image that can't be decoded.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own warning about large images: the limit is ours
            with Image.open(io.BytesIO(raw), formats=tuple(MEDIA_TYPES)) as image:
                width, height = image.size
                if width * height > PIXEL_LIMIT:
                    raise _TooManyPixels
                if image.format not in MEDIA_TYPES:
                    raise UnidentifiedImageError(str(image.format))
                image.load()
                return width, height, image.format
    except Image.DecompressionBombError as error:
        raise _TooManyPixels from error


def _too_large(where: str) -> Issue:
    message = f"The image has more than {IMAGE_LIMIT:,} bytes. It is passed over: make it smaller."
    return Issue(where=where, code="document-too-large", message=message)
