"""The archive of a release as a download, the same from every page and from the API."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from assess.releases.domain.kept_archives import release_archive
from assess.releases.models import Release
from assess.web.stored_downloads import stored_download


def archive_download(request: HttpRequest, slug: str, release: Release) -> HttpResponseBase:
    """Return the archive as a download, which can be continued where it broke off."""
    return stored_download(
        request,
        release_archive(release),
        sha256=release.archive,
        name=f"{slug}-{release.as_of}.zip",
        content_type="application/zip",
    )
