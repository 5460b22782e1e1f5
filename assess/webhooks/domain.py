"""Add, remove and try webhooks; make calls from recorded acts, which the worker sends until they are answered."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid
from assess.base.http_json import ServiceAway, post_json
from assess.campaigns.activity import record_activity
from assess.campaigns.models import Activity, Campaign
from assess.campaigns.queries import ledger_point
from assess.webhooks.models import Webhook, WebhookCall
from assess.webhooks.queries import ACTIONS, EVENTS, PING, events_of

MOST = 10
"""The most webhooks of a campaign."""
PAUSES = tuple(timedelta(seconds=each) for each in (10, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400))
"""The pause after each failed try. After the last of them, a call is given up."""
HELD = timedelta(minutes=2)
"""How long a call that is being sent is reserved for its worker."""
SILENCE = timedelta(minutes=1)
"""How long other calls wait after one to the same address that nothing answered."""
AT_ONCE = 100
SECONDS = 5.0
"""How long the worker sends calls before it looks for jobs again."""


def add_webhook(*, actor: User, campaign: Campaign, url: str, events: Sequence[str]) -> Webhook:
    """Report these events to an address from now on, and return the webhook.

    Refuses an address that the setting ASSAY_WEBHOOKS does not allow, no events or unknown ones, and more than `MOST`
    webhooks.
    """
    require_allowed(url)
    if strange := [event for event in events if event not in EVENTS]:
        raise Invalid(
            gettext("There is no event %(strange)s. Events: %(events)s.")
            % {"strange": ", ".join(strange), "events": ", ".join(EVENTS)},
            field="events",
        )
    if not events:
        raise Invalid(gettext("Name at least one event: %(events)s.") % {"events": ", ".join(EVENTS)}, field="events")
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if campaign.webhooks.count() >= MOST:
            raise Conflict(gettext("A campaign has at most %(most)s webhooks. Remove one first.") % {"most": MOST})
        hook = Webhook.objects.create(
            campaign=campaign,
            url=url,
            events=" ".join(dict.fromkeys(events)),
            secret=get_random_string(48),
            told=ledger_point(campaign),
            created_by=actor,
        )
        data = {"url": url, "events": hook.event_list}
        record_activity(actor=actor, action="webhook.add", campaign=campaign, about=hook, data=data)
    return hook


def remove_webhook(*, actor: User, webhook: Webhook) -> None:
    """Stop reporting events to this address, and delete the record of its calls."""
    with transaction.atomic():
        data = {"url": webhook.url}
        record_activity(actor=actor, action="webhook.remove", campaign=webhook.campaign, about=webhook, data=data)
        webhook.delete()


def try_webhook(*, actor: User, webhook: Webhook) -> WebhookCall:
    """Have the worker send the event `PING` to an address as soon as it is free. Return the call."""
    with transaction.atomic():
        call = _call(webhook, PING, {}, webhook.told, timezone.now())
        call.save()
        _record_sending(actor, "webhook.ping", call)
    return call


def send_again(*, actor: User, call: WebhookCall) -> WebhookCall:
    """Have the worker send a call again as soon as it is free, with the same ``id``. Return the call.

    If it was accepted or given up, its tries start over; one that waits for its next try keeps their number.
    """
    with transaction.atomic():
        if call.next_try is None:
            call.tries = 0
        call.next_try = timezone.now()
        call.save(update_fields=["next_try", "tries"])
        _record_sending(actor, "webhook.again", call)
    return call


def _record_sending(actor: User, action: str, call: WebhookCall) -> None:
    hook, data = call.webhook, {"call": call.pk, "event": call.event}
    record_activity(actor=actor, action=action, campaign=hook.campaign, about=hook, data=data)


def require_allowed(url: str) -> None:
    """Refuse an address that is not below one of those that the setting ASSAY_WEBHOOKS allows."""
    if not settings.ASSAY_WEBHOOKS:
        raise Invalid(
            gettext(
                "This site calls no address yet. Whoever runs it names those below which it may, in the setting "
                "ASSAY_WEBHOOKS."
            ),
            field="url",
        )
    if not any(_lies_below(url, allowed) for allowed in settings.ASSAY_WEBHOOKS):
        below = ", ".join(settings.ASSAY_WEBHOOKS)
        raise Invalid(
            gettext("Webhooks of this site go only to addresses below: %(below)s.") % {"below": below}, field="url"
        )


def _lies_below(url: str, allowed: str) -> bool:
    if not (url.isascii() and url.isprintable()) or {*url} & {*" \\#"}:
        return False
    try:
        asked, known = urlsplit(url), urlsplit(allowed)
    except ValueError:
        return False
    if (asked.scheme, asked.netloc.lower()) != (known.scheme, known.netloc.lower()):
        return False
    if {".", ".."} & {*unquote(asked.path).split("/")}:
        return False
    above = known.path.rstrip("/")
    return asked.path == above or asked.path.startswith(f"{above}/")


# What the worker does, whenever it looks for jobs.


def send_webhooks() -> None:
    """Make calls from recent acts, and send the calls that are due, for some seconds. One query if there are no
    webhooks.

    Each webhook that has due calls gets its turn, first the one that was called least recently. So neither a dead
    address nor a slow one, however many calls it has, keeps others from being called. After a call to a webhook failed,
    its other calls wait for the next time, and for a minute if nothing answered. A call is sent after it is committed,
    and again if its answer was lost. An address that accepts each ``id`` once receives everything exactly once.
    """
    hooks = list(Webhook.objects.select_related("campaign"))
    if not hooks:
        return
    for hook in hooks:
        _make_calls(hook)
    until = time.monotonic() + SECONDS
    due = WebhookCall.objects.filter(next_try__lte=timezone.now())
    last = F("last").asc(nulls_first=True)
    waiting = Webhook.objects.filter(pk__in=due.values("webhook")).annotate(last=Max("calls__answered_at"))
    for hook in waiting.order_by(last, "id"):
        for call in due.filter(webhook=hook).select_related("webhook").order_by("id")[:AT_ONCE]:
            is_taken = _send(call)
            if time.monotonic() > until:
                return
            if not is_taken:
                break


def _make_calls(hook: Webhook) -> None:
    """Make calls for the acts after the last one that was reported to the address."""
    campaign = hook.campaign
    if (point := ledger_point(campaign)) <= hook.told:
        return
    acts = Activity.objects.filter(campaign=campaign, id__gt=hook.told, id__lte=point, action__in=ACTIONS)
    calls: list[WebhookCall] = []
    for act in acts.order_by("id"):  # before the transaction: finding disagreements takes long, and others wait for it
        act.campaign = campaign
        calls += [
            _call(hook, event, about, act.pk, act.created_at)
            for event, about in events_of(act)
            if event in hook.event_list
        ]
    with transaction.atomic():
        if Webhook.objects.filter(pk=hook.pk, told=hook.told).update(told=point):  # else another worker has done it
            WebhookCall.objects.bulk_create(calls, batch_size=500)


def _call(hook: Webhook, event: str, about: dict[str, object], point: int, at: datetime) -> WebhookCall:
    body = {"event": event, "campaign": hook.campaign.slug, "point": point, "at": at.isoformat(), **about}
    return WebhookCall(webhook=hook, event=event, body=body, next_try=timezone.now())


def _send(call: WebhookCall) -> bool:
    """Send a call and record the outcome. Return whether the address accepted it.

    A call that another worker is sending is left to it, and counts as accepted here. If somebody asks meanwhile to send
    it again, it stays due.
    """
    now, hook = timezone.now(), call.webhook
    own = WebhookCall.objects.filter(pk=call.pk)
    if not own.filter(next_try=call.next_try).update(next_try=now + HELD):
        return True
    content = json.dumps({"id": call.pk, **call.body}, sort_keys=True).encode()
    headers = {"Assay-Event": call.event, "Assay-Delivery": str(call.pk), "Assay-Signature": sign(hook, content, now)}
    try:
        require_allowed(hook.url)  # the setting may be another since
        status, answer = post_json(hook.url, content, headers)
    except (ServiceAway, Invalid) as error:
        status, answer = None, str(error.cause) if isinstance(error, ServiceAway) else error.message
    is_taken = status is not None and 200 <= status < 300
    tries, at = call.tries + 1, timezone.now()
    own.update(status=status, answer=answer[:200], answered_at=at)  # nothing, if the webhook was removed meanwhile
    further = None if is_taken or tries > len(PAUSES) else at + PAUSES[tries - 1]
    own.filter(next_try=now + HELD).update(tries=tries, next_try=further)
    if status is None:  # each of its calls would hold up the worker's jobs until the time is over
        WebhookCall.objects.filter(webhook=hook, next_try__lte=at).update(next_try=at + SILENCE)
    return is_taken


def sign(hook: Webhook, content: bytes, at: datetime) -> str:
    """Return the proof that a call is from this site and of this moment: `t=SECONDS,v1=HMAC-SHA256 of
    "SECONDS.CONTENT"`.
    """
    seconds = int(at.timestamp())
    digest = hmac.new(hook.secret.encode(), b"%d.%s" % (seconds, content), hashlib.sha256).hexdigest()
    return f"t={seconds},v1={digest}"
