"""The versions of a campaign's design: listing them, trying a new one, and putting it into force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.designs import DesignVersion, design_versions, text_of_design
from assess.campaigns.domain import DESIGN_LIMIT, text_with_files
from assess.campaigns.models import Role
from assess.organising.copying import save_as_design
from assess.organising.design_versions import change_design, plan_design
from assess.web.api import SeatViewSet, checked
from assess.web.made_from import BeforeIn

ORGANISER = Role.ORGANISER


@dataclass(frozen=True, slots=True)
class _Out:
    """A version of the design, whose text is read from its file on demand."""

    of: DesignVersion

    @property
    def text(self) -> str:
        return text_of_design(self.of.design)


class DesignOut(serializers.Serializer[Any]):
    """A version of the design: the ledger point from which it is in force, its author, its changes, and its text."""

    version = serializers.IntegerField(source="of.version")
    point = serializers.IntegerField(source="of.point")
    by = serializers.CharField(source="of.by")
    at = serializers.DateTimeField(source="of.at")
    changes = serializers.ListField(child=serializers.CharField(), source="of.changes")
    mapped = serializers.ListField(child=serializers.DictField(), source="of.mapped")
    design = serializers.CharField(source="text")


class DesignTryIn(serializers.Serializer[Any]):
    """The text of a design to try. `files` holds the texts of the files that the design names, by name."""

    design = serializers.CharField(trim_whitespace=False, max_length=DESIGN_LIMIT)
    files = serializers.DictField(
        child=serializers.CharField(trim_whitespace=False, allow_blank=True, max_length=DESIGN_LIMIT), default=dict
    )


class DesignIn(DesignTryIn, BeforeIn):
    """The text of the next version, and in `files` the texts of the files that it names.

    `before` names, as `design`, the design that the caller last saw in force; if another one is in force now, the
    version is refused.
    """


class SavedDesignOut(serializers.Serializer[Any]):
    """A campaign as a design; `unsaid` lists what no design can express."""

    design = serializers.CharField(source="text")
    unsaid = serializers.ListField(child=serializers.CharField())


class DesignFaultOut(serializers.Serializer[Any]):
    """A fault in the text, with its line and its member."""

    line = serializers.IntegerField()
    severity = serializers.CharField()
    member = serializers.CharField()
    message = serializers.CharField()


class DesignChangeOut(serializers.Serializer[Any]):
    """A change that the text makes. It is possible if no record is in its way, or if the text has the `mapping`.

    `line` is a line of the text or, if the member is `gone`, of the design in force.
    """

    line = serializers.IntegerField(source="change.line")
    gone = serializers.BooleanField(source="change.gone")
    member = serializers.CharField(source="change.member")
    message = serializers.CharField(source="change.message")
    in_the_way = serializers.IntegerField(source="number")
    noun = serializers.CharField()
    mapping = serializers.CharField(source="change.mapping")


class DesignPlanOut(serializers.Serializer[Any]):
    """What a text would do as the next version: its faults, its changes, and the number of judgments that it would
    move.
    """

    faults = DesignFaultOut(many=True)
    changes = DesignChangeOut(many=True)
    moved = serializers.IntegerField()


class DesignViewSet(SeatViewSet):
    """The design of a campaign. A campaign of an installed track has none."""

    serializer_class = DesignOut

    @extend_schema(responses=DesignOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """List all versions, newest first; the first one listed is in force."""
        return self.paged([_Out(each) for each in reversed(design_versions(self.seat(ORGANISER).campaign))], DesignOut)

    @extend_schema(request=DesignIn, responses={201: DesignOut})
    def create(self, request: Request, slug: str) -> Response:
        """Put the next version of the design into force. Refused if judgments are in the way."""
        campaign = self.seat(ORGANISER).campaign
        asked = checked(DesignIn, request)
        asked["text"] = asked.pop("design")
        asked["files"] = _bytes(asked["files"])
        made = change_design(actor=self.user, campaign=campaign, **asked)
        return Response(DesignOut(_Out(made)).data, status.HTTP_201_CREATED)

    @extend_schema(responses=SavedDesignOut)
    def saved(self, request: Request, slug: str) -> Response:
        """Return the campaign as a design with its current settings. For an installed track, only what a design can
        express is returned.
        """
        return Response(SavedDesignOut(save_as_design(self.seat(ORGANISER).campaign)).data)

    @extend_schema(request=DesignTryIn, responses=DesignPlanOut)
    def attempt(self, request: Request, slug: str) -> Response:
        """Return what a text would do as the next version, without storing anything."""
        campaign, asked = self.seat(ORGANISER).campaign, checked(DesignTryIn, request)
        text = text_with_files(asked["design"], _bytes(asked["files"])) if asked["files"] else asked["design"]
        return Response(DesignPlanOut(plan_design(campaign, text)).data)


def _bytes(files: dict[str, str]) -> dict[str, bytes]:
    return {name: text.encode() for name, text in files.items()}
