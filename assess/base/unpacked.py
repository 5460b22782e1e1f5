"""Files as every import reads them: gzip, zstd, bzip2 or xz is unpacked once, and the result can be rewound."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext

from assess.base.errors import Invalid
from assess.base.numbers import grouped
from assess.base.one_at_a_time import one_at_a_time
from assess.base.outages import DiskFull, has_room
from scoring.reading.unpacking import BUFFER, damage_errors, damage_issue, is_packed, plain_name, uncompressed


@dataclass(frozen=True, kw_only=True, slots=True)
class UnpackedFile:
    """An opened file: its unpacked bytes, and the name that fits them."""

    stream: BinaryIO
    name: str

    @property
    def size(self) -> int:
        """The number of unpacked bytes, as far as they were read (`open_unpacked`)."""
        start = self.stream.tell()
        end = self.stream.seek(0, io.SEEK_END)
        self.stream.seek(start)
        return end - start


@contextmanager
def open_unpacked(raw: BinaryIO, *, name: str, limit: int, person: User | None = None) -> Iterator[UnpackedFile]:
    """Yield a file from an upload, the disk or standard input, unpacked if it is packed.

    At most one byte beyond ``limit`` is unpacked, into a file that is deleted when it is closed; the caller refuses
    what is larger than the limit. Of a damaged file the readable part is read, and then the damage is raised
    (`damage_errors`), as by a reader that unpacks as it reads. A file that was packed twice is unpacked once. Raises
    `DiskFull` for content that would use up the disk's reserve, however small the upload was, and `Busy` for a second
    file of a ``person`` while one is being unpacked.
    """
    start, stream = _start(raw)
    if not is_packed(start):
        yield UnpackedFile(stream=stream, name=name)
        return
    with tempfile.TemporaryFile(dir=settings.DATA_DIR) as copy:
        with one_at_a_time(person, "unpacked") if person is not None else nullcontext():
            damage = _unpack(stream, cast(BinaryIO, copy), most=limit + 1)
        copy.seek(0)
        found = cast(BinaryIO, copy if damage is None else io.BufferedReader(_Damaged(cast(BinaryIO, copy), damage)))
        yield UnpackedFile(stream=found, name=plain_name(name))


def _unpack(packed: BinaryIO, copy: BinaryIO, *, most: int) -> BaseException | None:
    """Write the unpacked bytes, up to the limit; return the damage in the file, or None. Raises `DiskFull`."""
    plain, left = cast(Any, uncompressed(packed)), most
    while left > 0:
        try:
            piece = plain.read1(min(left, BUFFER))
        except damage_errors() as error:
            return error
        if not piece:
            break
        if not has_room(len(piece)):
            raise DiskFull
        copy.write(piece)
        left -= len(piece)
    return None


@contextmanager
def open_upload(file: BinaryIO, *, name: str) -> Iterator[UnpackedFile]:
    """Yield an uploaded file, unpacked. Raises `Invalid` if it has more bytes than may be uploaded, and `DiskFull`."""
    limit = settings.ASSAY_UPLOAD_MB * 1024 * 1024
    with open_unpacked(file, name=name, limit=limit) as opened:
        if opened.size > limit:
            raise Invalid(
                gettext("The file is larger than %(limit)s bytes when it is unpacked. Split it.")
                % {"limit": grouped(limit)}
            )
        yield opened


def read_upload(file: UploadedFile[Any], *, most: int) -> bytes:
    """Return the first ``most`` bytes of an uploaded file, unpacked. Raises `Invalid` for a packed file that is cut off
    or damaged, and what `open_upload` raises.
    """
    with open_upload(cast(BinaryIO, file), name=file.name or "") as opened:
        try:
            return opened.stream.read(most)
        except damage_errors() as error:
            raise Invalid(damage_issue(error).message) from error


def _start(raw: BinaryIO) -> tuple[bytes, BinaryIO]:
    """Return the first bytes of a file, and the file from its beginning."""
    if not raw.seekable():
        buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(Any, raw))
        return buffered.peek(10)[:10], buffered
    place = raw.tell()
    start = raw.read(10)
    raw.seek(place)
    return start, raw


class _Damaged(io.RawIOBase):
    """A file that gives what could be unpacked of a damaged file, and then raises the damage."""

    def __init__(self, copy: BinaryIO, damage: BaseException) -> None:
        self._copy, self.damage = copy, damage

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, place: int, whence: int = io.SEEK_SET, /) -> int:
        return self._copy.seek(place, whence)

    def readinto(self, target: Any) -> int:
        piece = self._copy.read(len(target))
        if not piece:
            raise self.damage
        target[: len(piece)] = piece
        return len(piece)
