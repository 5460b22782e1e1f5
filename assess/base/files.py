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

logger = logging.getLogger(__name__)

CHUNK = 1 << 20
LEFT_BEHIND = 6 * 3600.0
"""Seconds. What nobody has written to for so long, nobody is writing: connections that stand still end long before."""
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Readable(Protocol):
    """What bytes are read from: a file, or what was uploaded."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes."""
        ...


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that is kept: the sha256 of its bytes, by which it is opened, and its size in bytes."""

    sha256: str
    size: int


def store_file(stream: BinaryIO, limit: int | None = None, *, may_be_dropped: bool = False) -> StoredFile:
    """Keep the bytes of ``stream``; they are on the disk when this returns.

    They are kept for good, unless they came in once alone and ``may_be_dropped`` (`drop_file`).

    More than ``limit`` bytes (default: the upload limit of the site) are refused and nothing is kept. A
    stop at any moment leaves the whole file or none: it is written beside its place and then renamed. An upload that
    lies on the same disk already is read, but not written again.
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
                        % {"most": f"{most:,}"}
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
    """Store bytes as `store_file` does and return their sha256. Bytes that are stored already are not written again."""
    digest = hashlib.sha256(content).hexdigest()
    keep_for_good(digest)
    if not stored_path(digest).is_file():
        store_file(io.BytesIO(content), limit=len(content))
    return digest


def keep_for_good(sha256: str) -> None:
    """From now on the file is never dropped: it is needed once more."""
    _mark(sha256).unlink(missing_ok=True)


def drop_file(sha256: str) -> bool:
    """Remove a file that came in once, as one that may be dropped; whether it was removed.

    Bytes that were uploaded a second time, for whatever purpose, are kept for good, and so are those that a backup
    restored. The mark of a file that may be dropped names its inode, so that a file that takes its place at this moment
    is not removed. While a backup is made nothing is removed; the next call may do it.
    """
    try:
        with _dropping(fcntl.LOCK_EX | fcntl.LOCK_NB):
            return _dropped(sha256)
    except BlockingIOError:  # another is being dropped, or a backup is made
        return False


@contextmanager
def nothing_dropped() -> Iterator[None]:
    """Keep every file in its place until this is done."""
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
    """Return how many bytes the file has; 0 where it is not kept any longer."""
    try:
        return stored_path(sha256).stat().st_size
    except FileNotFoundError:
        return 0


def _mark(sha256: str) -> Path:
    place = stored_path(sha256)
    return place.with_name(f"{place.name}-may-be-dropped")


def sweep_unfinished() -> int:
    """Remove what killed programs left half written: uploads that never ended, files that never got their place.

    Only what nobody has touched for `LEFT_BEHIND` seconds goes: who writes touches. Returns how many files went.
    """
    folder, before = Path(settings.DATA_DIR), time.time() - LEFT_BEHIND
    kept = tuple((name, "*/incoming-*") for name in ("exports", "export-parts", "scores", "rankings"))
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
    """The kept file with this sha256, opened for reading; the caller closes it."""
    path = stored_path(sha256)
    if not path.is_file():
        raise NotFound(gettext("The file is not kept here any more. Restore the data folder, or upload it again."))
    return path.open("rb")


def stored_path(sha256: str) -> Path:
    """Return where the file with this sha256 is kept, or would be. Only a digest is ever part of the path."""
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
    """Whether ``path`` is now the upload itself, at its start; its other name goes with it."""
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


# Zips that are the same bytes where the files are the same: a fixed time, fixed rights, in the order of names.

LEVEL = 1
"""Of compression: a zip is a fifth larger than at level 6, and packed in a fifth of the time."""

LARGE = 1 << 30
"""Bytes above which room is left for sizes of 64 bits."""

_CLOCK = (1980, 1, 1, 0, 0, 0)  # the first that a zip can say
_RIGHTS = 0o100644 << 16


def zip_entry(name: str) -> zipfile.ZipInfo:
    """Return a member of a zip that says nothing of when or where it was made."""
    entry = zipfile.ZipInfo(name, date_time=_CLOCK)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = _RIGHTS
    return entry


def write_zip(folder: Path, target: IO[bytes], tell: Callable[[str, int], None] = lambda name, done: None) -> None:
    """All files of a folder as a zip, of any size, read piece by piece; ``tell`` hears of the bytes of each so far."""
    with zipfile.ZipFile(target, "w", compression=zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
            if path.is_dir():
                continue
            name, is_large = path.relative_to(folder).as_posix(), path.stat().st_size > LARGE
            # by its name, since a member that is made before has no level of its own; its clock is `_CLOCK`
            with archive.open(name, "w", force_zip64=is_large) as inside, path.open("rb") as source:
                while piece := source.read(1 << 20):
                    inside.write(piece)
                    tell(name, source.tell())
            archive.getinfo(name).external_attr = _RIGHTS
