"""Releases imported as new campaigns, and backups of the whole site: long jobs that belong to no campaign."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.auth.models import User
from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status, viewsets
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from assess.releases.access import access_backups, access_imports, access_site_job
from assess.releases.domain.site_jobs import remove_backup, start_backup, start_import
from assess.releases.downloads import backup_download
from assess.releases.models import SiteJob
from assess.web.api import OneNegotiation, UploadIn, checked
from assess.web.scopes import ADMINISTER
from assess.web.strict_calls import StrictCalls


class SiteJobOut(serializers.ModelSerializer[SiteJob]):
    """The progress of a job of the site: its state (`waiting`, `running`, `done` or `failed`), and a `message` about
    its result.

    If `is_lost`, the worker ended before the job did. The next worker then repeats an import, and reports a backup as
    failed.
    """

    is_lost = serializers.BooleanField(read_only=True)
    started_by = serializers.CharField(source="started_by.username", read_only=True)
    state = serializers.CharField(read_only=True)

    class Meta:
        model = SiteJob
        fields = ["id", "state", "is_lost", "message", "started_by", "created_at", "updated_at"]


class ReleaseImportOut(SiteJobOut):
    """A release that is loaded as the campaign `slug`."""

    slug = serializers.CharField(source="arguments.slug", read_only=True)

    class Meta(SiteJobOut.Meta):
        fields = ["slug", *SiteJobOut.Meta.fields]


class BackupOut(SiteJobOut):
    """A backup of the whole site; `size` is that of its file in bytes, once it is done."""

    class Meta(SiteJobOut.Meta):
        fields = ["size", *SiteJobOut.Meta.fields]


class ImportIn(UploadIn):
    """The zip of a release, the short name of the new campaign, and its title (default: that of the release)."""

    slug = serializers.SlugField(max_length=50)
    title = serializers.CharField(required=False, default="", allow_blank=True, max_length=200)


class _SiteJobViewSet(StrictCalls, viewsets.GenericViewSet[Any]):
    queryset = None
    filter_backends: list[Any] = []
    content_negotiation_class = OneNegotiation

    @property
    def user(self) -> User:
        """The caller, who is logged in."""
        return cast(User, self.request.user)


class ImportViewSet(_SiteJobViewSet):
    """Imports of releases, for those who may make campaigns; each sees their own."""

    serializer_class = ReleaseImportOut
    parser_classes = [MultiPartParser]

    @extend_schema(responses=ReleaseImportOut(many=True))
    def list(self, request: Request) -> Response:
        """List the imports, newest first."""
        page = self.paginate_queryset(access_imports(self.user).select_related("started_by"))
        return self.get_paginated_response(ReleaseImportOut(page, many=True).data)

    @extend_schema(request=ImportIn, responses={202: ReleaseImportOut})
    def create(self, request: Request) -> Response:
        """Load a release as a new, frozen campaign, in the background: all of it or nothing. A release contains no
        documents.
        """
        access_imports(self.user)
        job = start_import(actor=self.user, **checked(ImportIn, request))
        return Response(ReleaseImportOut(job).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(responses=ReleaseImportOut)
    def retrieve(self, request: Request, pk: int) -> Response:
        """Return how far an import is."""
        return Response(ReleaseImportOut(access_site_job(access_imports(self.user), pk)).data)


class BackupViewSet(_SiteJobViewSet):
    """Backups of the whole site, for superusers. Programs need the scope `administer` even to list them, since whoever
    reads a backup reads everything.
    """

    serializer_class = BackupOut
    reads = scope = (ADMINISTER,)

    @extend_schema(responses=BackupOut(many=True))
    def list(self, request: Request) -> Response:
        """List the backups that were asked for by the API and not removed, newest first."""
        page = self.paginate_queryset(access_backups(self.user).select_related("started_by"))
        return self.get_paginated_response(BackupOut(page, many=True).data)

    @extend_schema(request=None, responses={202: BackupOut})
    def create(self, request: Request) -> Response:
        """Make a backup in the background, while people continue to work. It stays on the disk of the site until it is
        removed.
        """
        access_backups(self.user)
        return Response(BackupOut(start_backup(actor=self.user)).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(responses=BackupOut)
    def retrieve(self, request: Request, pk: int) -> Response:
        """Return how far a backup is."""
        return Response(BackupOut(access_site_job(access_backups(self.user), pk)).data)

    @extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    def file(self, request: Request, pk: int) -> FileResponse:
        """Return the backup as `manage.py restore` takes it. Who took it is recorded."""
        return backup_download(self.user, access_site_job(access_backups(self.user), pk))

    @extend_schema(request=None, responses={204: None})
    def destroy(self, request: Request, pk: int) -> Response:
        """Remove a backup and its file."""
        remove_backup(actor=self.user, job=access_site_job(access_backups(self.user), pk))
        return Response(status=status.HTTP_204_NO_CONTENT)
