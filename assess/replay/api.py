"""All judgments of a campaign, for its organisers' programs: exported in lines or pages, and imported."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.models import Role
from assess.exports.all_judgments import TAKE_BACK, ActsInFile, judgments_file, judgments_point
from assess.jobs.api import JobOut
from assess.judging.snapshots import Snapshot
from assess.replay.importing import start_import
from assess.runs.api import AnswersField
from assess.web.api import SeatViewSet, UploadIn, checked, query_text
from assess.web.as_of import AS_OF, with_point

ORGANISER = Role.ORGANISER
NDJSON = "application/x-ndjson"
SINCE = OpenApiParameter(
    "since",
    OpenApiTypes.STR,
    description="A ledger point: only what makes the lines of that point those of now. By default all lines.",
)


class ActOut(serializers.Serializer[Any]):
    """A line of judgments.jsonl as an object. `taken_back` is true for a line that existed at `since` and no longer
    does.
    """

    act = serializers.DictField()
    taken_back = serializers.BooleanField()

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any]:
        """Return the object, extracted from the line that takes it back if there is one."""
        is_gone = instance["do"] == TAKE_BACK
        return {"act": instance["act"] if is_gone else instance, "taken_back": is_gone}


class JudgmentFileIn(UploadIn):
    """A file like judgments.jsonl. `people` gives user names for its pseudonyms: a part with a JSON object, or a part
    `people.PSEUDONYM` for each.

    Other pseudonyms go to people who have worked already, and then to the other judges in the order in which they
    joined.
    """

    people = AnswersField(child=serializers.CharField(), required=False, default=dict)


class JudgmentsViewSet(SeatViewSet):
    """All judgments of a campaign, official or not, in the form of judgments.jsonl, for organisers."""

    serializer_class = ActOut
    parser_classes = [MultiPartParser]

    @extend_schema(responses=ActOut(many=True), parameters=[SINCE, *AS_OF])
    def list(self, request: Request, slug: str) -> Response:
        """List all judgments in pages. If there are very many, `judgments/lines/` returns them in one answer."""
        snapshot, since = self._requested(request)
        with judgments_file(actor=self.user, snapshot=snapshot, since=since) as lines:
            return with_point(self.paged(ActsInFile(lines), ActOut), snapshot.reached())

    @extend_schema(responses={(200, NDJSON): OpenApiTypes.STR}, parameters=[SINCE, *AS_OF])
    def lines(self, request: Request, slug: str) -> FileResponse:
        """Return all judgments, one object a line. For a large campaign the lines are first made in the background,
        like its exports.

        With `since`, there is a line for each new judgment, and `{"do": "take_back", "act": …}` for each that no longer
        exists.
        """
        snapshot, since = self._requested(request)
        made = judgments_file(actor=self.user, snapshot=snapshot, since=since)
        return with_point(FileResponse(made, content_type=NDJSON), snapshot.reached())

    @extend_schema(request=JudgmentFileIn, responses={202: JobOut})
    def create(self, request: Request, slug: str) -> Response:
        """Import recorded judgments in the background: all or nothing. Importing the same file again adds nothing."""
        campaign = self.seat(ORGANISER).campaign
        job = start_import(actor=self.user, campaign=campaign, **checked(JudgmentFileIn, request))
        return Response(JobOut(job).data, status=status.HTTP_202_ACCEPTED)

    def _requested(self, request: Request) -> tuple[Snapshot, int]:
        campaign = self.seat(ORGANISER).campaign
        point, since = judgments_point(campaign, query_text(request, "as_of"), query_text(request, "since"))
        return Snapshot(campaign, point), since
