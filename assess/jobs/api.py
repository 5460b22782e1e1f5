"""API of background jobs: their progress, stopping them, and starting them again."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.models import Role
from assess.jobs import access as jobs_access
from assess.jobs.domain import restart_job, stop_job
from assess.jobs.kinds import job_kinds
from assess.jobs.models import Job
from assess.web.api import IssueOut, SeatViewSet, filter_parameters, narrowed, query_choice

ORGANISER = Role.ORGANISER


class JobOut(serializers.ModelSerializer[Job]):
    """A background job: its progress, and how it ended."""

    started_by = serializers.CharField(source="started_by.username", read_only=True)
    issues = IssueOut(many=True, read_only=True)
    is_lost = serializers.BooleanField(
        read_only=True,
        help_text="Its worker was lost. The next one goes on with it by itself; it may be stopped, too.",
    )

    class Meta:
        model = Job
        fields = [
            "id",
            "kind",
            "state",
            "is_lost",
            "done",
            "total",
            "unit",
            "message",
            "issues",
            "started_by",
            "created_at",
            "updated_at",
        ]


class JobViewSet(SeatViewSet):
    """Background jobs, for organisers."""

    serializer_class = JobOut

    @extend_schema(responses=JobOut(many=True), parameters=filter_parameters("kind", "state"))
    def list(self, request: Request, slug: str) -> Response:
        """List the jobs, newest first; `kind` and `state` choose some of them."""
        jobs = self.seat(ORGANISER).campaign.jobs.select_related("started_by")
        query_choice(request, "kind", sorted(job_kinds()))
        return self.paged(narrowed(request, jobs, {"kind": "kind", "state": "state"}), JobOut)

    @extend_schema(responses=JobOut)
    def retrieve(self, request: Request, slug: str, pk: int) -> Response:
        """Return one job."""
        return Response(JobOut(self._job(pk)).data)

    @extend_schema(request=None, responses=JobOut)
    @action(detail=True, methods=["post"])
    def stop(self, request: Request, slug: str, pk: int) -> Response:
        """Ask a job to stop after its current step; a job that waits or lost its worker is stopped at once."""
        return Response(JobOut(stop_job(self._job(pk))).data)

    @extend_schema(request=None, responses=JobOut)
    @action(detail=True, methods=["post"])
    def restart(self, request: Request, slug: str, pk: int) -> Response:
        """Start a job again that was stopped, failed or lost its worker; it continues where it left off."""
        return Response(JobOut(restart_job(actor=self.user, job=self._job(pk))).data)

    def _job(self, pk: int) -> Job:
        return jobs_access.access_job(self.seat(ORGANISER), pk)
