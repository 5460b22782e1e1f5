"""The organisers' pages of webhooks say and do what the API does."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assess.models import Activity, Campaign, Webhook, WebhookCall
from assess.web.navigation import navigation_of
from tests.pages import page_of

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.org/assay/told"


@pytest.fixture(autouse=True)
def allowed(settings: Any) -> None:
    settings.ASSAY_WEBHOOKS = ["https://hooks.example.org/assay"]


@pytest.fixture
def hook(campaign: Campaign, organiser: User) -> Webhook:
    return campaign.webhooks.create(url=URL, events="release run-checked", told=0, created_by=organiser)


def at(name: str, *of: int) -> str:
    return reverse(name, args=["opinions", *of])


def test_one_is_added_and_its_secret_shown_once(campaign: Campaign, at_desk: Client) -> None:
    assert "No webhook yet" in page_of(at_desk.get(at("webhooks")))
    answer = at_desk.post(at("webhooks"), {"url": URL, "events": ["release", "run-checked"]})
    made = Webhook.objects.get()
    assert (made.url, made.event_list, made.created_by.username) == (URL, ["release", "run-checked"], "organiser")
    assert made.secret in page_of(answer)
    assert "no-store" in answer["Cache-Control"]
    assert made.secret not in page_of(at_desk.get(at("webhooks"))) + page_of(at_desk.get(at("webhook", made.pk)))
    assert Activity.objects.filter(action="webhook.add").count() == 1


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"url": "https://evil.example.org/", "events": ["release"]}, "only to addresses below"),
        ({"url": URL}, "Choose at least one event."),
        ({"url": URL, "events": ["else"]}, "else"),
        ({"events": ["release"]}, "Give the address that is told."),
    ],
)
def test_what_is_wrong_is_said_at_its_field_as_by_the_api(
    campaign: Campaign, at_desk: Client, sent: dict[str, Any], said: str
) -> None:
    answer = at_desk.post(at("webhooks"), sent)
    assert (answer.status_code, said in page_of(answer), Webhook.objects.count()) == (422, True, 0)
    base = "/api/v1/campaigns/opinions/webhooks/"
    assert at_desk.post(base, sent, content_type="application/json").status_code in (400, 422)


def test_where_nothing_is_allowed_the_page_says_so(
    settings: Any, campaign: Campaign, hook: Webhook, at_desk: Client
) -> None:
    settings.ASSAY_WEBHOOKS = []
    page = page_of(at_desk.get(at("webhooks")))
    assert "ASSAY_WEBHOOKS" in page
    assert 'name="url"' not in page
    assert "Nothing is sent to this address now." in page_of(at_desk.get(at("webhook", hook.pk)))


def test_the_list_counts_calls_and_the_page_says_what_came_of_each(hook: Webhook, at_desk: Client) -> None:
    now = timezone.now()
    for given in (
        {"status": 200, "answer": "thanks", "answered_at": now, "tries": 1},
        {"status": 500, "answer": "<b>broken", "answered_at": now, "tries": 9},
        {"status": None, "answer": "It can't be reached.", "answered_at": now, "tries": 9},
        {"status": 500, "answered_at": now, "tries": 2, "next_try": now},
        {"next_try": now},
    ):
        WebhookCall.objects.create(webhook=hook, event="release", body={}, **given)
    (listed,) = at_desk.get(at("webhooks")).context["hooks"]
    assert (listed.accepted, listed.waiting, listed.given_up) == (1, 2, 2)
    page = page_of(at_desk.get(at("webhook", hook.pk)))
    for text in ("Status 200", "thanks", "&lt;b&gt;broken", "It can&#x27;t be reached.", "given up", "not sent yet"):
        assert text in page, text
    assert (page.count("Send again<"), page.count("Send now<")) == (3, 2)


def test_a_ping_and_a_call_again_are_due_at_once(hook: Webhook, at_desk: Client) -> None:
    assert at_desk.post(at("webhook-try", hook.pk)).status_code == 302
    call = WebhookCall.objects.get()
    assert (call.event, call.state) == ("ping", "waiting")
    WebhookCall.objects.update(next_try=None, status=200, tries=1)
    assert at_desk.post(at("webhook-again", hook.pk, call.pk)).status_code == 302
    call.refresh_from_db()
    assert (call.next_try is not None and call.next_try <= timezone.now(), call.tries) == (True, 0)
    assert at_desk.post(at("webhook-again", hook.pk, call.pk + 1)).status_code == 404


def test_one_is_removed_with_its_calls(hook: Webhook, at_desk: Client) -> None:
    WebhookCall.objects.create(webhook=hook, event="release", body={})
    asked = at_desk.post(at("webhook-remove", hook.pk), follow=True)
    assert ("Nothing was removed." in page_of(asked), Webhook.objects.count()) == (True, 1)
    assert at_desk.post(at("webhook-remove", hook.pk), {"sure": "yes"}).status_code == 302
    assert (Webhook.objects.count(), WebhookCall.objects.count()) == (0, 0)
    assert Activity.objects.filter(action="webhook.remove").count() == 1


def test_the_pages_belong_to_the_settings(hook: Webhook, at_desk: Client) -> None:
    for address in (at("webhooks"), at("webhook", hook.pk)):
        shown = navigation_of(address, at_desk.get(address).context["seat"])
        assert [each.label for each in shown.entries if each.current] == ["Settings"]
        assert [each.label for each in shown.beside if each.current] == ["Webhooks"]
