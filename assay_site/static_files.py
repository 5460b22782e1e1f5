"""Static files with their digest in their names, compressed once, which browsers keep for a year (decision 39)."""

from __future__ import annotations

import logging

from django.core.management import call_command
from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]

logger = logging.getLogger(__name__)

LEFT_OUT = "django_htmx/ext/*"
"""Files that no page uses; a comment in one of them names a file that is not there, at which collecting would end."""


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Adds a digest to the name of each collected file, including the names by which modules import each other. A file
    that was not collected keeps its name and is served from its original place.
    """

    support_js_module_import_aggregation = True

    def stored_name(self, name: str) -> str:
        """Return the name with the digest, or the name itself if the file was not collected."""
        try:
            return str(super().stored_name(name))
        except ValueError:
            return name


def collect_static_files() -> None:
    """Collect all static files again. If that fails, they are served from where they are, and the log says why."""
    try:
        call_command("collectstatic", interactive=False, clear=True, verbosity=0, ignore_patterns=[LEFT_OUT])
    except (OSError, ValueError) as error:
        logger.warning("static files are served from where they are, since they can't be collected: %s", error)
