"""Releases of the site, unpacked into folders."""

from __future__ import annotations

from pathlib import Path

from assess.base.files import stored_path
from assess.models import Release
from assess.releases.domain.releasing import place_files
from scoring.release.releases import open_release


def unpack_release(release: Release, folder: Path) -> None:
    """Write the files of a release into a folder that is empty or does not exist yet."""
    with open_release(stored_path(release.archive)) as opened:
        place_files(opened.folder, folder)
