"""The archives of releases, stored under their sha256."""

from __future__ import annotations

import hashlib
import zipfile
from functools import lru_cache
from typing import BinaryIO

from assess.base.errors import NotFound
from assess.base.files import open_file
from assess.releases.models import Release
from scoring.release.releases import MANIFEST


def release_archive(release: Release) -> BinaryIO:
    """Return the stored archive, opened. The caller closes it."""
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
