"""The archives of releases, stored under their sha256."""

from __future__ import annotations

import hashlib
import zipfile
from functools import lru_cache
from typing import BinaryIO

from assess.base.errors import NotFound
from assess.base.files import open_file, stored_path
from assess.releases.models import Release
from scoring.release.releases import MANIFEST, README

README_LIMIT = 1 << 18


def release_archive(release: Release) -> BinaryIO:
    """Return the stored archive, opened. The caller closes it. Raise NotFound if it is not there."""
    return open_file(release.archive)


@lru_cache(maxsize=256)
def manifest_sha256(archive: str) -> str:
    """Return the sha256 of the manifest in a stored archive, by which anybody can recognise the published release.

    It is "" if the archive can't be read. An archive never changes, so the result is cached.
    """
    try:
        with open_file(archive) as file, zipfile.ZipFile(file) as opened:
            return hashlib.sha256(opened.read(MANIFEST)).hexdigest()
    except (NotFound, OSError, KeyError, zipfile.BadZipFile):
        return ""


@lru_cache(maxsize=16)
def release_readme(archive: str) -> str:
    """Return the README in a stored archive, of which at most 256 KiB are read; "" if it can't be read."""
    try:
        with open_file(archive) as file, zipfile.ZipFile(file) as opened, opened.open(README) as readme:
            return readme.read(README_LIMIT).decode(errors="replace")
    except (NotFound, OSError, KeyError, zipfile.BadZipFile):
        return ""


def archive_size(archive: str) -> int | None:
    """Return how many bytes a stored archive has, or None if it is not there."""
    path = stored_path(archive)
    return path.stat().st_size if path.is_file() else None
