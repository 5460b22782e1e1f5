"""The archive of a release and the file of a backup as downloads, the same from every page and from the API."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase

from assess.releases.domain.archives import release_archive
from assess.releases.domain.site_jobs import take_backup
from assess.releases.models import Release, SiteJob
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


def backup_download(actor: User, job: SiteJob) -> FileResponse:
    """Return a backup as a download, and record who took it."""
    path = take_backup(actor=actor, job=job)
    name, kind = f"assay-{path.name}", "application/octet-stream"
    return FileResponse(path.open("rb"), as_attachment=True, filename=name, content_type=kind)
