"""Campaigns: settings, states, guidelines, the activity ledger."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.assignments.domain.leases import change_work_rules
from assess.campaigns import seats as access
from assess.campaigns.dates import set_deadline, set_release_dates, set_time_zone
from assess.campaigns.domain import DESIGN_LIMIT, publish_guideline
from assess.campaigns.models import Activity, Campaign, Guideline, Role
from assess.organising.copying import copy_campaign
from assess.organising.domain import change_settings, move_campaign
from assess.organising.making import make_campaign
from assess.organising.stop_work import resume_judging, stop_judging
from assess.web.api import SeatViewSet, checked, filter_parameters, narrowed
from assess.web.known_values import require_known
from assess.web.made_from import FIELD, BeforeIn

ORGANISER = Role.ORGANISER


class CampaignOut(serializers.ModelSerializer[Campaign]):
    """A campaign as its members see it."""

    class Meta:
        model = Campaign
        fields = [
            *("slug", "title", "track", "state", "settings", "runs_due", "due_zone", "time_zone", "created_at"),
            *("topics_from", "lists_from", "package_from"),
        ]


class CampaignIn(serializers.Serializer[Any]):
    """The values for a new campaign: the key of a track, or the text of a `design`, which is an evaluation as one TOML
    file.

    `files` holds the texts of the files that the design names, by name. Suggested answers among them are recorded
    whenever a pool is built.
    """

    slug = serializers.CharField(max_length=50)
    title = serializers.CharField(max_length=200)
    track = serializers.CharField(required=False, default="", allow_blank=True, max_length=50)
    design = serializers.CharField(
        required=False, default="", allow_blank=True, trim_whitespace=False, max_length=DESIGN_LIMIT
    )
    files = serializers.DictField(
        child=serializers.CharField(trim_whitespace=False, max_length=DESIGN_LIMIT), required=False, default=dict
    )
    settings = serializers.DictField(required=False, default=dict)


class CopyIn(serializers.Serializer[Any]):
    """The names of the copy, and whether people and documents are copied as well."""

    new_slug = serializers.CharField(max_length=50)
    title = serializers.CharField(max_length=200)
    people = serializers.BooleanField(required=False, default=True)
    documents = serializers.BooleanField(required=False, default=True)


class SettingsIn(BeforeIn):
    """The settings to change; settings that are not named keep their values."""

    settings = serializers.DictField()


class DeadlineIn(BeforeIn):
    """The deadline for runs: "2026-12-01 23:59" in the time zone, or with an offset; "" for no deadline.

    The zone is the name of a place, UTC or AoE (anywhere on Earth). If it is "", the zone of the previous deadline is
    used, or else the campaign's. A deadline in the past is refused (code `past-deadline`) unless `past` confirms it.
    """

    due = serializers.CharField(allow_blank=True, max_length=40)
    time_zone = serializers.CharField(required=False, default="", allow_blank=True, max_length=64)
    past = serializers.BooleanField(required=False, default=False)


class ReleaseDatesIn(BeforeIn):
    """The times from which participants see topics, document lists and the package: "2026-06-24 09:00"; "" for at once.

    A value that is left out keeps its current time. `time_zone` is the name of a place, UTC or AoE; "" means the
    campaign's. Lists can't be released before the topics, nor the package before the lists.
    """

    topics = serializers.CharField(required=False, allow_blank=True, max_length=40)
    lists = serializers.CharField(required=False, allow_blank=True, max_length=40)
    package = serializers.CharField(required=False, allow_blank=True, max_length=40)
    time_zone = serializers.CharField(required=False, default="", allow_blank=True, max_length=64)


class TimeZoneIn(serializers.Serializer[Any]):
    """The time zone in which the campaign's days begin: the name of a place, UTC, or AoE (anywhere on Earth)."""

    time_zone = serializers.CharField(max_length=64)


class StateIn(serializers.Serializer[Any]):
    """The state to move to. A reason is needed to freeze a campaign although something is missing, and to reopen
    one.
    """

    state = serializers.CharField()
    reason = serializers.CharField(required=False, default="", allow_blank=True)


class ResumeIn(serializers.Serializer[Any]):
    """The stages (keys) and topics (numbers) in which judging resumes. If none is named, it resumes in all."""

    stages = serializers.ListField(child=serializers.CharField(max_length=50), required=False, default=list)
    topics = serializers.ListField(child=serializers.CharField(max_length=100), required=False, default=list)


class StopIn(ResumeIn):
    """The reason why judging stops, and the stages (keys) and topics (numbers) in which it stops. If none is named, it
    stops in all.
    """

    reason = serializers.CharField()


class StoppedOut(serializers.Serializer[Any]):
    """The number of assignments that were stopped or reopened."""

    pieces = serializers.IntegerField()


class GuidelineOut(serializers.ModelSerializer[Guideline]):
    """A published version of the guidelines."""

    class Meta:
        model = Guideline
        fields = ["version", "text", "published_at"]


class GuidelineIn(BeforeIn):
    """The text of a new version."""

    text = serializers.CharField()


class WorkRulesIn(BeforeIn):
    """The hours after which untouched work goes back (null: never), and whether assessors take primary work from the
    stack.
    """

    lease_hours = serializers.IntegerField(allow_null=True)
    takes_primary = serializers.BooleanField()


class ActivityOut(serializers.ModelSerializer[Activity]):
    """A row of the activity ledger. `token` is the id of the API token that was used, if any."""

    actor = serializers.CharField(source="actor.username", read_only=True, default=None, allow_null=True)

    class Meta:
        model = Activity
        fields = ["id", "created_at", "actor", "action", "object_type", "object_id", "data", "request_id", "token"]


class CampaignViewSet(SeatViewSet):
    """Campaigns that the caller belongs to."""

    serializer_class = CampaignOut
    lookup_field = "slug"
    lookup_value_regex = "[a-z0-9-]+"

    @extend_schema(responses=CampaignOut(many=True))
    def list(self, request: Request) -> Response:
        """List the caller's campaigns."""
        return self.paged(access.access_campaigns(self.user), CampaignOut)

    @extend_schema(request=CampaignIn, responses={201: CampaignOut})
    def create(self, request: Request) -> Response:
        """Make a campaign. Only staff accounts may."""
        access.access_campaign_making(self.user)
        values = checked(CampaignIn, request)
        values["files"] = {name: text.encode() for name, text in values["files"].items()}
        campaign = make_campaign(actor=self.user, **values)
        return Response(CampaignOut(campaign).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses=CampaignOut)
    def retrieve(self, request: Request, slug: str) -> Response:
        """Return one campaign."""
        return Response(CampaignOut(self.seat().campaign).data)

    @extend_schema(request=CopyIn, responses={201: CampaignOut})
    @action(detail=True, methods=["post"])
    def copy(self, request: Request, slug: str) -> Response:
        """Make a new campaign from this one, with its evaluation, settings and guidelines. Only staff accounts may.

        Organisers, assessors and adjudicators are copied, too, and documents in a background job. Judgments are never
        copied.
        """
        campaign = self.seat(ORGANISER).campaign
        access.access_campaign_making(self.user)
        asked = checked(CopyIn, request)
        asked["slug"] = asked.pop("new_slug")
        made = copy_campaign(actor=self.user, campaign=campaign, **asked)
        return Response(CampaignOut(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=DeadlineIn, responses=CampaignOut)
    @action(detail=True, methods=["post"])
    def deadline(self, request: Request, slug: str) -> Response:
        """Set the time until which participants can submit, replace and withdraw runs."""
        campaign = self.seat(ORGANISER).campaign
        changed = set_deadline(actor=self.user, campaign=campaign, **checked(DeadlineIn, request))
        return Response(CampaignOut(changed).data)

    @extend_schema(request=ReleaseDatesIn, responses=CampaignOut)
    @action(detail=True, methods=["post"], url_path="release-dates", url_name="release-dates")
    def release_dates(self, request: Request, slug: str) -> Response:
        """Set the times from which participants see topics, document lists and the package of documents."""
        campaign = self.seat(ORGANISER).campaign
        values = checked(ReleaseDatesIn, request)
        zone, made_from = values.pop("time_zone"), values.pop(FIELD, None)
        changed = set_release_dates(
            actor=self.user, campaign=campaign, dates=values, time_zone=zone, made_from=made_from
        )
        return Response(CampaignOut(changed).data)

    @extend_schema(request=TimeZoneIn, responses=CampaignOut)
    @action(detail=True, methods=["post"], url_path="time-zone", url_name="time-zone")
    def time_zone(self, request: Request, slug: str) -> Response:
        """Set the time zone in which the campaign's days begin."""
        campaign = self.seat(ORGANISER).campaign
        changed = set_time_zone(actor=self.user, campaign=campaign, **checked(TimeZoneIn, request))
        return Response(CampaignOut(changed).data)

    @extend_schema(request=SettingsIn, responses=CampaignOut)
    @action(detail=True, methods=["patch"], url_path="settings", url_name="settings")
    def change_settings(self, request: Request, slug: str) -> Response:
        """Change a campaign's settings. Settings that are not named keep their values."""
        campaign = self.seat(ORGANISER).campaign
        asked = checked(SettingsIn, request)
        asked["values"] = asked.pop("settings")
        return Response(CampaignOut(change_settings(actor=self.user, campaign=campaign, **asked)).data)

    @extend_schema(request=WorkRulesIn, responses=WorkRulesIn)
    @action(detail=True, methods=["post"], url_path="work-rules", url_name="work-rules")
    def work_rules(self, request: Request, slug: str) -> Response:
        """Set when work goes back by itself, and whether assessors may take primary work."""
        campaign = self.seat(ORGANISER).campaign
        changed = change_work_rules(actor=self.user, campaign=campaign, **checked(WorkRulesIn, request))
        return Response(WorkRulesIn(changed).data)

    @extend_schema(request=StateIn, responses=CampaignOut)
    @action(detail=True, methods=["post"])
    def state(self, request: Request, slug: str) -> Response:
        """Move the campaign to another state."""
        campaign = self.seat(ORGANISER).campaign
        return Response(
            CampaignOut(move_campaign(actor=self.user, campaign=campaign, **checked(StateIn, request))).data
        )

    @extend_schema(request=StopIn, responses=StoppedOut)
    @action(detail=True, methods=["post"])
    def stop(self, request: Request, slug: str) -> Response:
        """Stop judging: all unfinished work ends as it is, so that the campaign can be frozen."""
        campaign = self.seat(ORGANISER).campaign
        number = stop_judging(actor=self.user, campaign=campaign, **checked(StopIn, request))
        return Response(StoppedOut({"pieces": number}).data)

    @extend_schema(request=ResumeIn, responses=StoppedOut)
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, slug: str) -> Response:
        """Reopen the work that was stopped."""
        campaign = self.seat(ORGANISER).campaign
        number = resume_judging(actor=self.user, campaign=campaign, **checked(ResumeIn, request))
        return Response(StoppedOut({"pieces": number}).data)

    @extend_schema(
        responses=ActivityOut(many=True),
        parameters=filter_parameters("action", "actor"),
    )
    @action(detail=True)
    def activity(self, request: Request, slug: str) -> Response:
        """List the recorded acts, newest first."""
        seat = self.seat(ORGANISER)
        require_known(request, seat, "action", "actor")
        rows = seat.campaign.activities.select_related("actor")
        return self.paged(narrowed(request, rows, {"action": "action", "actor": "actor__username"}), ActivityOut)


class GuidelineViewSet(SeatViewSet):
    """The campaign's guidelines."""

    serializer_class = GuidelineOut

    @extend_schema(responses=GuidelineOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """List all versions, newest first."""
        return self.paged(self.seat().campaign.guidelines.all(), GuidelineOut)

    @extend_schema(request=GuidelineIn, responses={201: GuidelineOut})
    def create(self, request: Request, slug: str) -> Response:
        """Publish a new version."""
        campaign = self.seat(ORGANISER).campaign
        made = publish_guideline(actor=self.user, campaign=campaign, **checked(GuidelineIn, request))
        return Response(GuidelineOut(made).data, status=status.HTTP_201_CREATED)
