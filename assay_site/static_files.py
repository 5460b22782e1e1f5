"""Static files with their digest in their names, compressed once, which browsers keep for a year (decision 39)."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.management.commands.collectstatic import Command
from django.core.management import call_command
from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]

from scoring.reading.scratch import scratch_folder

logger = logging.getLogger(__name__)

LEFT_OUT = "django_htmx/ext/*"
"""Files that no page uses; a comment in one of them names a file that is not there, at which collecting would end."""


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Adds a digest to the name of each collected file, including the names by which modules import each other. A file
    that was not collected keeps its name and is served from its original place.
    """

    support_js_module_import_aggregation = True
    max_post_process_passes = 50  # a script's name changes with those of all that it imports, one level in each pass

    def stored_name(self, name: str) -> str:
        """Return the name with the digest, or the name itself if the file was not collected."""
        try:
            return str(super().stored_name(name))
        except ValueError:
            return name


def collect_static_files() -> None:
    """Collect all static files again. If that fails, they are served from where they are, and the log says why.

    They are collected beside their folder, which they then replace, so that a server that runs keeps its files.
    """
    root = Path(settings.STATIC_ROOT or settings.DATA_DIR / "static")
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        with scratch_folder(prefix=".assay-static-", place=root.parent) as place:
            collect = Command()
            collect.storage = HashedFiles(location=place / "new")
            call_command(collect, interactive=False, verbosity=0, ignore_patterns=[LEFT_OUT])
            if root.exists():
                root.rename(place / "old")
            (place / "new").rename(root)
    except (OSError, ValueError, RuntimeError) as error:
        logger.warning("static files are served from where they are, since they can't be collected: %s", error)
        with suppress(OSError):  # its names may be another version's; the files stay for a server that runs
            (root / HashedFiles.manifest_name).unlink(missing_ok=True)
