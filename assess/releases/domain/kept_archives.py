"""The archives of releases as they are kept, under their sha256."""

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
    """The kept archive, opened; the caller closes it."""
    return open_file(release.archive)


@lru_cache(maxsize=256)
def manifest_sha256(archive: str) -> str:
    """The sha256 of the manifest in a kept archive, by which anybody tells that a release is the published one.

    "" where the archive is none that can be read. An archive never changes, so its answer is kept.
    """
    try:
        with open_file(archive) as file, zipfile.ZipFile(file) as opened:
            return hashlib.sha256(opened.read(MANIFEST)).hexdigest()
    except (NotFound, OSError, KeyError, zipfile.BadZipFile):
        return ""
