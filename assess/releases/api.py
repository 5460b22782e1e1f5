"""What is still missing before a campaign can be frozen, and its releases."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.models import Role
from assess.kinds.base import FreezeIssue
from assess.organising.queries.freezing import freeze_state
from assess.progress.domain import counts_for_a_call
from assess.releases.access import access_release, access_releases
from assess.releases.domain.archives import manifest_sha256
from assess.releases.domain.releasing import publish_release, release_key, released_names, set_public, start_release
from assess.releases.domain.succession import successors
from assess.releases.downloads import archive_download
from assess.releases.models import Release
from assess.runs.access import access_runs
from assess.runs.models import Run
from assess.web.api import ProblemOut, SeatViewSet, checked
from assess.web.problems import PROBLEM_TYPE
from assess.web.shapes import DataSerializer

ORGANISER = Role.ORGANISER


class FreezeIssueOut(DataSerializer):
    """Something that is missing, and how often. An "error" must be resolved; a "warning" may be passed over with a
    reason.
    """

    class Meta:
        of = FreezeIssue
        fields = ("code", "severity", "count", "text")


class SupersedesOut(serializers.Serializer[Any]):
    """The release that a corrected release supersedes, and the reason."""

    archive = serializers.CharField()
    manifest_sha256 = serializers.CharField()
    as_of = serializers.IntegerField()
    reason = serializers.CharField()


class ReleaseOut(serializers.ModelSerializer[Release]):
    """A release. `archive` is the sha256 of its zip, `manifest_sha256` that of its manifest.json, for verification.

    In a corrected release, `supersedes` names the release that it corrects, and the reason; `superseded_by` is the id
    of the release that corrects this one. A release that is `public` has a page that anybody can open: `/public/` and
    the campaign's short name.
    """

    manifest_sha256 = serializers.SerializerMethodField()
    supersedes = SupersedesOut(allow_null=True, read_only=True)
    superseded_by = serializers.SerializerMethodField()

    class Meta:
        model = Release
        fields = [
            "id",
            "as_of",
            "archive",
            "manifest_sha256",
            "code_version",
            "published",
            "public",
            "created_at",
            "supersedes",
            "superseded_by",
        ]

    def get_superseded_by(self, release: Release) -> int | None:
        """Return the id of the published release that corrects this one, or None."""
        known = self.context.get("successors")
        found = (successors(release.campaign) if known is None else known).get(release.archive)
        return found.pk if found is not None else None

    def get_manifest_sha256(self, release: Release) -> str:
        """Return the digest that `python -m scoring verify --sha256` takes."""
        return manifest_sha256(release.archive)


class ReleaseIn(serializers.Serializer[Any]):
    """Whether run files that can't be given another name are included as they were submitted."""

    with_runs = serializers.BooleanField(required=False, default=False)


class PublicIn(serializers.Serializer[Any]):
    """Whether the release has a page that anybody can open without an account."""

    public = serializers.BooleanField()


class NamedRunOut(serializers.Serializer[Any]):
    """A run and its name in the published release, such as RUN-A."""

    tag = serializers.CharField()
    team = serializers.CharField()
    name = serializers.CharField()


class ReleaseViewSet(SeatViewSet):
    """Releases: all for organisers, published ones for every other member."""

    serializer_class = ReleaseOut

    @extend_schema(responses=ReleaseOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """List the releases, newest first."""
        seat = self.seat()
        return self.paged(access_releases(seat), ReleaseOut, successors=successors(seat.campaign))

    @extend_schema(request=ReleaseIn, responses={201: ReleaseOut, 202: None})
    def create(self, request: Request, slug: str) -> Response:
        """Make a release: at once if the campaign is small, otherwise in the background (202; see the jobs)."""
        campaign = self.seat(ORGANISER).campaign
        made = start_release(actor=self.user, campaign=campaign, **checked(ReleaseIn, request))
        if made is None:
            return Response(status=status.HTTP_202_ACCEPTED)
        return Response(ReleaseOut(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=FreezeIssueOut(many=True))
    @action(detail=False)
    def missing(self, request: Request, slug: str) -> Response:
        """List what is still missing before the campaign can be frozen."""
        campaign = self.seat(ORGANISER).campaign
        return self.paged(freeze_state(campaign, counts_for_a_call(campaign)).issues, FreezeIssueOut)

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR})
    @action(detail=False)
    def key(self, request: Request, slug: str) -> HttpResponse:
        """Return the key as lines: the names of runs and teams in the release beside the real ones."""
        lines = release_key(self.seat(ORGANISER).campaign).key_lines()
        return HttpResponse("".join(lines), content_type="text/plain; charset=utf-8")

    @extend_schema(responses=NamedRunOut(many=True))
    @action(detail=False)
    def names(self, request: Request, slug: str) -> Response:
        """List the names of runs in the published release: all for organisers, those of their own teams for
        participants.
        """
        seat = self.seat(ORGANISER, Role.PARTICIPANT)
        names = released_names(seat.campaign)
        runs = access_runs(seat).filter(tag__in=list(names)).exclude(state=Run.State.REJECTED)
        rows = runs.order_by("tag").values("tag", "team").distinct()
        return self.paged([{**row, "name": names[row["tag"]]} for row in rows], NamedRunOut)

    @extend_schema(
        responses={
            (200, "application/zip"): OpenApiTypes.BINARY,
            (206, "application/zip"): OpenApiTypes.BINARY,
            (416, PROBLEM_TYPE): ProblemOut,
        }
    )
    @action(detail=True)
    def file(self, request: Request, slug: str, pk: str) -> HttpResponseBase:
        """Return the archive. A download that broke off can be continued (`Range`)."""
        return archive_download(request._request, slug, access_release(self.seat(), int(pk)))

    @extend_schema(request=None, responses=ReleaseOut)
    @action(detail=True, methods=["post"])
    def publish(self, request: Request, slug: str, pk: str) -> Response:
        """Publish the release, so that the campaign is released. If one is published already, the new one must be the
        corrected release that supersedes it, and counts from then on.
        """
        found = access_release(self.seat(ORGANISER), int(pk))
        return Response(ReleaseOut(publish_release(actor=self.user, release=found)).data)

    @extend_schema(request=PublicIn, responses=ReleaseOut)
    @action(detail=True, methods=["post"])
    def public(self, request: Request, slug: str, pk: str) -> Response:
        """Give a published release a page that anybody can open without an account, or take that page away."""
        found = access_release(self.seat(ORGANISER), int(pk))
        return Response(ReleaseOut(set_public(actor=self.user, release=found, **checked(PublicIn, request))).data)
