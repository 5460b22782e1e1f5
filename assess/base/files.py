"""Uploaded files, stored byte for byte under the sha256 of their content; and zips with reproducible bytes."""

from __future__ import annotations

import fcntl
import hashlib
import io
import logging
import os
import re
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, Protocol, cast

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.utils.translation import gettext

from assess.base.errors import Invalid, NotFound
from assess.base.numbers import grouped

logger = logging.getLogger(__name__)

CHUNK = 1 << 20
LEFT_BEHIND = 6 * 3600.0
"""The age in seconds from which an unfinished file is abandoned: stalled connections end long before."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MARKED = "-may-be-dropped"


class Readable(Protocol):
    """An object from which bytes are read: a file or an upload."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes."""
        ...


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A stored file: the sha256 of its bytes, by which it is opened, and its size in bytes."""

    sha256: str
    size: int


def store_file(stream: BinaryIO, limit: int | None = None, *, may_be_dropped: bool = False) -> StoredFile:
    """Store the bytes of ``stream``; they are on the disk when this returns.

    They are stored for good, unless ``may_be_dropped`` is true and no other call stores the same bytes: then
    `drop_file` may remove them. Raises `Invalid` for more than ``limit`` bytes (default: the upload limit of the site),
    and stores nothing. A crash at any moment leaves the whole file or none, since it is written to a temporary file
    that is then renamed. If the upload is already a file on the same disk, it is linked and not written again.
    """
    most = limit if limit is not None else settings.ASSAY_UPLOAD_MB * 1024 * 1024
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with tempfile.NamedTemporaryFile(dir=folder, prefix="incoming-", delete=False) as file:
        path = Path(file.name)
        try:
            target: BinaryIO | None = None if _linked(stream, path) else cast(BinaryIO, file)
            while chunk := stream.read(CHUNK):
                size += len(chunk)
                if size > most:
                    raise Invalid(
                        gettext("The file is larger than %(most)s bytes. Split it, or ask whoever runs the site.")
                        % {"most": grouped(most)}
                    )
                digest.update(chunk)
                if target is not None:
                    target.write(chunk)
            file.flush()
            sync(path)
            _move(path, stored_path(digest.hexdigest()), may_be_dropped=may_be_dropped)
        finally:
            path.unlink(missing_ok=True)
    return StoredFile(digest.hexdigest(), size)


def keep_bytes(content: bytes) -> str:
    """Store bytes of any size for good, and return their sha256. Bytes stored already are not written again."""
    digest = hashlib.sha256(content).hexdigest()
    keep_always(digest)
    if not stored_path(digest).is_file():  # nobody drops it from here on
        store_file(io.BytesIO(content), limit=len(content))
    return digest


def keep_always(sha256: str) -> None:
    """Ensure that the file is never dropped, because something else needs it, too; wait if it is just being dropped."""
    with nothing_dropped():
        _mark(sha256).unlink(missing_ok=True)


def drop_file(sha256: str) -> bool:
    """Remove a file that was stored only once, and with ``may_be_dropped``; return whether it was removed.

    Bytes that were stored a second time, for whatever purpose, are kept for good. The mark of a file that may be
    dropped names its inode, so that a file that replaces it at this moment is not removed. While a backup is made,
    nothing is removed; a later call may do it.
    """
    try:
        with _dropping(fcntl.LOCK_EX | fcntl.LOCK_NB):
            return _dropped(sha256)
    except BlockingIOError:  # another is being dropped, or a backup is made
        return False


@contextmanager
def nothing_dropped() -> Iterator[None]:
    """Keep all files from being dropped within the block."""
    with _dropping(fcntl.LOCK_SH):
        yield


@contextmanager
def _dropping(how: int) -> Iterator[None]:
    folder = Path(settings.DATA_DIR) / "busy"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "files").open("ab") as file:
        fcntl.flock(file, how)
        yield


def _dropped(sha256: str) -> bool:
    mark, place = _mark(sha256), stored_path(sha256)
    claimed = mark.with_name(f"{mark.name}-claimed")
    try:
        mark.rename(claimed)
        gone = place.with_name(f"{place.name}-dropped")
        place.rename(gone)
        if str(gone.stat().st_ino) != claimed.read_text():
            gone.rename(place)
            return False
        gone.unlink()
    except FileNotFoundError:
        return False
    finally:
        claimed.unlink(missing_ok=True)
    return True


def kept_size(sha256: str) -> int:
    """Return the size of the file in bytes; 0 if it is no longer stored."""
    try:
        return stored_path(sha256).stat().st_size
    except FileNotFoundError:
        return 0


def droppable_files(*, before: float) -> Iterator[str]:
    """Yield the sha256 of each file that `drop_file` may remove, and that was stored before this time (in seconds)."""
    for mark in _folder().glob(f"??/*{_MARKED}"):
        try:
            if mark.lstat().st_mtime <= before:
                yield mark.name.removesuffix(_MARKED)
        except FileNotFoundError:  # dropped meanwhile, or stored once more
            continue


def put_back(path: Path, sha256: str, *, may_be_dropped: bool) -> None:
    """Move a file that a backup holds to its place, over a file that is there. It may be dropped only if the backup
    says so, and if no other file was stored there for good.
    """
    place, mark = stored_path(sha256), _mark(sha256)
    place.parent.mkdir(parents=True, exist_ok=True)
    if may_be_dropped and (mark.exists() or not place.exists()):
        mark.write_text(str(path.stat().st_ino))
    else:
        mark.unlink(missing_ok=True)
    path.replace(place)


def waits_to_be_dropped(sha256: str) -> bool:
    """Return whether a file is still marked as one that may be dropped. `drop_file` leaves the mark while a backup is
    made.
    """
    return _mark(sha256).exists()


def _mark(sha256: str) -> Path:
    place = stored_path(sha256)
    return place.with_name(f"{place.name}{_MARKED}")


def sweep_unfinished() -> int:
    """Remove unfinished files of killed programs (uploads that never ended, files never renamed); return their number.

    Only files that were not written to for `LEFT_BEHIND` seconds are removed.
    """
    folder, before = Path(settings.DATA_DIR), time.time() - LEFT_BEHIND
    kept = tuple((name, "*/incoming-*") for name in ("exports", "export-parts", "scores", "rankings", "draft-uses"))
    places = (("files", "incoming-*"), ("files", "??/*-dropped"), ("pools", "incoming-*"), ("incoming", "*.upload*"))
    swept = 0
    for path in (path for name, pattern in (*places, *kept) for path in (folder / name).glob(pattern)):
        try:
            if path.lstat().st_mtime < before and path.is_file():
                path.unlink()
                swept += 1
        except OSError as error:  # another program swept it, or it is another account's
            logger.info("%s was not swept: %s", path, error)
    return swept


def open_file(sha256: str) -> BinaryIO:
    """Return the stored file with this sha256, opened for reading; the caller closes it. Raises `NotFound` if it is
    gone.
    """
    path = stored_path(sha256)
    if not path.is_file():
        raise NotFound(gettext("The file is not kept here any more. Restore the data folder, or upload it again."))
    return path.open("rb")


def stored_path(sha256: str) -> Path:
    """Return the path of the stored file with this sha256, whether it exists or not. Raise `NotFound` for anything but
    a digest, so that nothing else becomes part of a path.
    """
    if not _DIGEST.fullmatch(sha256):
        raise NotFound
    return _folder() / sha256[:2] / sha256


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "files"


def _move(path: Path, place: Path, *, may_be_dropped: bool) -> None:
    place.parent.mkdir(exist_ok=True)
    mark = _mark(place.name)
    if may_be_dropped and not place.exists():
        mark.write_text(str(path.stat().st_ino))
    else:
        mark.unlink(missing_ok=True)
    path.replace(place)
    for folder in (place.parent, place.parent.parent):
        sync(folder)


def _linked(stream: BinaryIO, path: Path) -> bool:
    """Make ``path`` a hard link to the upload and return True; return False if the upload was partly read or is on
    another disk.
    """
    if not isinstance(stream, TemporaryUploadedFile) or stream.tell() != 0:
        return False
    stream.flush()
    beside = path.with_name(f"{path.name}-linked")
    try:
        os.link(stream.temporary_file_path(), beside)
    except OSError:  # another disk
        return False
    beside.replace(path)
    return True


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# Zips with equal bytes for equal files: with a fixed time, fixed rights, and files in the order of their names.

LEVEL = 1
"""The compression level: a zip is a fifth larger than at level 6, and packed in a fifth of the time."""

LARGE = 1 << 30
"""The size in bytes above which a member of a zip gets room for sizes of 64 bits."""

_CLOCK = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can record
_RIGHTS = 0o100644 << 16


PACKED = (".parquet",)
"""Suffixes of files that are compressed already, so that compressing them again takes long and saves nothing."""


def zip_entry(name: str, *, is_packed: bool = False) -> zipfile.ZipInfo:
    """Return a zip member whose metadata doesn't depend on when or where it was made. With ``is_packed`` its bytes stay
    as they are.
    """
    entry = zipfile.ZipInfo(name, date_time=_CLOCK)
    entry.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
    entry.external_attr = _RIGHTS
    return entry


def write_zip(folder: Path, target: IO[bytes], tell: Callable[[str, int], None] = lambda name, done: None) -> None:
    """Write all files of a folder, of any size, as a zip, piece by piece. ``tell`` is called with the name of the file
    being written and the number of its bytes written so far.
    """
    with zipfile.ZipFile(target, "w", compression=zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
            if path.is_dir():
                continue
            name, is_large = path.relative_to(folder).as_posix(), path.stat().st_size > LARGE
            # opened by name, since a prepared member would ignore the level; its time is then `_CLOCK`
            member = zip_entry(name, is_packed=True) if name.endswith(PACKED) else name
            with archive.open(member, "w", force_zip64=is_large) as inside, path.open("rb") as source:
                while piece := source.read(1 << 20):
                    inside.write(piece)
                    tell(name, source.tell())
            archive.getinfo(name).external_attr = _RIGHTS
