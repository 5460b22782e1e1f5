"""Webhooks of a campaign, with the outcome of the calls to them. For organisers."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from assess.campaigns.models import Role
from assess.web.api import NUMBER, SeatViewSet, checked
from assess.webhooks.access import access_call, access_webhook
from assess.webhooks.domain import add_webhook, remove_webhook, send_again, try_webhook
from assess.webhooks.models import Webhook, WebhookCall
from assess.webhooks.queries import EVENTS


class WebhookOut(serializers.ModelSerializer[Webhook]):
    """An address, and the events that are reported to it."""

    events = serializers.ListField(source="event_list", child=serializers.CharField(), read_only=True)

    created_by = serializers.CharField(source="created_by.username", read_only=True)

    class Meta:
        model = Webhook
        fields = ["id", "url", "events", "created_by", "created_at"]


class WebhookMadeOut(WebhookOut):
    """A new webhook with the secret that signs its calls, which is shown only once."""

    class Meta(WebhookOut.Meta):
        fields = [*WebhookOut.Meta.fields, "secret"]


class WebhookIn(serializers.Serializer[Any]):
    """An address below one that the site allows, and the events to report to it."""

    url = serializers.CharField(max_length=500)
    events = serializers.ListField(child=serializers.ChoiceField(choices=[*EVENTS.items()]), min_length=1)


class WebhookCallOut(serializers.ModelSerializer[WebhookCall]):
    """A call: its content, the number of tries, and the last answer. `next_try` is null after the last try."""

    body = serializers.DictField()

    class Meta:
        model = WebhookCall
        fields = ["id", "event", "body", "tries", "next_try", "status", "answer", "answered_at", "created_at"]


class WebhookViewSet(SeatViewSet):
    """Addresses to which events are reported."""

    serializer_class = WebhookOut

    @extend_schema(responses=WebhookOut(many=True))
    def list(self, request: Request, slug: str) -> Response:
        """List the webhooks of the campaign."""
        return self.paged(self.seat(Role.ORGANISER).campaign.webhooks.select_related("created_by"), WebhookOut)

    @extend_schema(request=WebhookIn, responses={201: WebhookMadeOut})
    def create(self, request: Request, slug: str) -> Response:
        """Report events to an address from now on."""
        campaign = self.seat(Role.ORGANISER).campaign
        hook = add_webhook(actor=self.user, campaign=campaign, **checked(WebhookIn, request))
        return Response(WebhookMadeOut(hook).data, status=status.HTTP_201_CREATED)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, slug: str, pk: int) -> Response:
        """Stop reporting events to this address, and remove the record of its calls."""
        remove_webhook(actor=self.user, webhook=access_webhook(self.seat(Role.ORGANISER), pk))
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(responses=WebhookCallOut(many=True))
    @action(detail=True)
    def calls(self, request: Request, slug: str, pk: int) -> Response:
        """List the calls to this address, newest first."""
        return self.paged(access_webhook(self.seat(Role.ORGANISER), pk).calls.all(), WebhookCallOut)

    @extend_schema(request=None, responses={202: WebhookCallOut})
    @action(detail=True, methods=["post"], url_path="try", url_name="try")
    def attempt(self, request: Request, slug: str, pk: int) -> Response:
        """Send a `ping` to this address as soon as the worker is free."""
        call = try_webhook(actor=self.user, webhook=access_webhook(self.seat(Role.ORGANISER), pk))
        return Response(WebhookCallOut(call).data, status=status.HTTP_202_ACCEPTED)

    @extend_schema(request=None, responses={202: WebhookCallOut})
    @action(detail=True, methods=["post"], url_path=f"calls/(?P<call_id>{NUMBER})/again", url_name="again")
    def again(self, request: Request, slug: str, pk: int, call_id: str) -> Response:
        """Send a call again, with the same id, as soon as the worker is free. It may have been accepted or given up, or
        be waiting.

        The tries of a call that was accepted or given up start over.
        """
        call = send_again(actor=self.user, call=access_call(self.seat(Role.ORGANISER), pk, int(call_id)))
        return Response(WebhookCallOut(call).data, status=status.HTTP_202_ACCEPTED)
