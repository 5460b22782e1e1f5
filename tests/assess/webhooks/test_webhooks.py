"""Webhooks: told of what happens, signed, tried again with growing pauses, and never sent where nobody allowed it."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from assess.assignments.domain.assignments import finish_assignment
from assess.base import http_json
from assess.models import Activity, Assignment, Campaign, WebhookCall
from assess.webhooks.domain import PAUSES, send_webhooks
from tests.assess.judged_campaign import judge, submit, work
from tests.search_server import SearchServer, search_server, send

pytestmark = pytest.mark.django_db
BASE = "/api/v1/campaigns/opinions/webhooks/"


@pytest.fixture
def hooks(settings: Any) -> Iterator[SearchServer]:
    """Who is called: a server of this machine, which the site allows."""
    with search_server(send(b"thanks")) as server:
        settings.ASSAY_WEBHOOKS, settings.ASSAY_WEBHOOKS_PRIVATE = [f"{server.address}/assay"], True
        yield server


def add(client: Client, url: str, *events: str) -> Any:
    body = {"url": url, "events": events or ["run-checked", "topic-finished", "disagreement", "release"]}
    return client.post(BASE, body, content_type="application/json")


def calls(client: Client, pk: int) -> list[dict[str, Any]]:
    return list(client.get(f"{BASE}{pk}/calls/").json()["results"])


def heard(server: SearchServer) -> list[dict[str, Any]]:
    """What the server was told since it was asked last."""
    told = [body for _, _, _, body in server.asked]
    server.asked.clear()
    return told


def make_due() -> None:
    WebhookCall.objects.exclude(next_try=None).update(next_try=timezone.now())


def test_an_address_is_told_of_what_happens_once(
    campaign: Campaign,
    organiser: User,
    begun_grading: Assignment,
    second_assessor: User,
    at_desk: Client,
    hooks: SearchServer,
) -> None:
    made = add(at_desk, f"{hooks.address}/assay/told").json()
    other = add(at_desk, f"{hooks.address}/assay", "release").json()
    send_webhooks()
    assert hooks.asked == []  # nothing happened since
    run = submit(campaign, organiser, "Cedar1", "1.1 Cedar1 D1 blue\n1.2 Cedar1 D1 It is cheap and light.\n")
    second = work(campaign, "1.1", "instances", second_assessor, role="second")
    for own, value in ((begun_grading, 1), (second, -1)):
        for text in ("blue", "red", "the blue one", "green"):
            judge(own, text, value, again=1)
        finish_assignment(actor=own.assessor, assignment=own)
        send_webhooks()
    send_webhooks()
    place = {"campaign": "opinions", "topic": "1.1", "stage": "instances"}
    told = heard(hooks)
    assert [{**place, "event": each["event"]}.items() <= each.items() for each in told[1:]] == [True, True]
    assert [(each["event"], each.get("run"), each.get("open")) for each in told] == [
        ("run-checked", {"id": run.pk, "tag": "Cedar1", "team": "Cedar", "state": "accepted"}, None),
        ("topic-finished", None, None),
        ("disagreement", None, 4),
    ]
    kept = calls(at_desk, made["id"])
    assert [(each["id"], each["status"], each["answer"], each["next_try"]) for each in kept] == [
        (each["id"], 200, "thanks", None) for each in reversed(told)
    ]
    assert calls(at_desk, other["id"]) == []


def test_an_unknown_event_is_refused_with_those_there_are(
    campaign: Campaign, at_desk: Client, hooks: SearchServer
) -> None:
    told = add(at_desk, f"{hooks.address}/assay", "release", "nonsense")
    events = "run-checked, topic-finished, disagreement, release"
    fault = {"field": "events.1", "detail": f"“nonsense” is none of: {events}."}
    assert (told.status_code, told.json()["errors"]) == (422, [fault])


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://127.0.0.1:9/", "Nothing takes connections there."),
        ("http://nowhere.invalid/", "The name of its host is not known."),
        ("http://x..y/", "The name of its host is not known."),
        ("http://[::1/", "It is no address that can be called."),
    ],
)
def test_why_an_address_can_not_be_reached_is_said_in_plain_words(address: str, said: str, settings: Any) -> None:
    settings.ASSAY_WEBHOOKS_PRIVATE = True
    with pytest.raises(http_json.ServiceAway) as away:
        http_json.post_json(address, b"{}", {})
    assert away.value.cause == said


@pytest.mark.parametrize(
    ("answer", "scheme", "said"),
    [
        (lambda request: request.wfile.write(b"hello\r\n\r\n"), "http", "It broke off, or answered with something"),
        (lambda request: request.connection.close(), "http", "It broke off, or answered with something"),
        (send(b"thanks"), "https", "It does not speak https."),
    ],
)
def test_so_is_an_answer_in_another_form(answer: Any, scheme: str, said: str, settings: Any) -> None:
    settings.ASSAY_WEBHOOKS_PRIVATE = True
    with search_server(answer) as server, pytest.raises(http_json.ServiceAway) as away:
        http_json.post_json(server.address.replace("http", scheme), b"{}", {})
    assert str(away.value.cause).startswith(said)


def test_the_time_of_a_call_is_over_also_while_the_name_of_its_host_is_looked_up(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ASSAY_WEBHOOKS_PRIVATE, settings.ASSAY_SEARCH_SECONDS = True, 0.2
    hangs = threading.Event()
    monkeypatch.setattr("socket.getaddrinfo", lambda *args, **kwargs: hangs.wait(20) and [])
    begun = time.monotonic()
    with pytest.raises(http_json.ServiceAway) as away:
        http_json.post_json("http://hook.example.org/", b"{}", {})
    hangs.set()
    assert (away.value.cause, time.monotonic() - begun < 10) == ("No answer within 0.2 seconds.", True)


def test_a_call_is_signed_with_the_secret_that_is_shown_once(
    campaign: Campaign, at_desk: Client, hooks: SearchServer
) -> None:
    headers: dict[str, str] = {}

    def answer(request: BaseHTTPRequestHandler) -> None:
        headers.update(request.headers.items())
        send(b"")(request)

    hooks.answer = answer
    made = add(at_desk, f"{hooks.address}/assay").json()
    assert at_desk.post(f"{BASE}{made['id']}/try/").status_code == 202
    send_webhooks()
    (body,) = heard(hooks)
    seconds, _, digest = headers["Assay-Signature"].removeprefix("t=").partition(",v1=")
    content = f"{seconds}.{json.dumps(body, sort_keys=True)}".encode()
    assert digest == hmac.new(made["secret"].encode(), content, hashlib.sha256).hexdigest()
    assert (headers["Assay-Event"], headers["Assay-Delivery"]) == ("ping", str(body["id"]))
    assert headers["Host"] == hooks.address.removeprefix("http://")
    assert "secret" not in at_desk.get(BASE).json()["results"][0]
    assert not any(made["secret"] in json.dumps(each.data) for each in Activity.objects.all())


@pytest.mark.parametrize("answer", [send(b"no", status=500), send(b"", status=302, Location="http://127.0.0.1:1/")])
def test_what_is_not_taken_is_tried_again_after_growing_pauses_until_it_is_given_up(
    campaign: Campaign, at_desk: Client, hooks: SearchServer, answer: Any
) -> None:
    hooks.answer = answer
    made = add(at_desk, f"{hooks.address}/assay").json()
    at_desk.post(f"{BASE}{made['id']}/try/")
    pauses = []
    for _ in range(len(PAUSES) + 2):
        send_webhooks()
        send_webhooks()  # it is not due yet
        call = WebhookCall.objects.get()
        assert call.answered_at is not None
        pauses.append(call.next_try and call.next_try - call.answered_at)
        make_due()
    assert pauses == [*PAUSES, None, None]
    assert [*PAUSES] == sorted({*PAUSES})
    ids = [each["id"] for each in heard(hooks)]
    assert ids == [call.pk] * (len(PAUSES) + 1)
    assert [(each["tries"], each["status"]) for each in calls(at_desk, made["id"])] == [(9, call.status)]


def test_once_it_is_taken_it_is_over(campaign: Campaign, at_desk: Client, hooks: SearchServer) -> None:
    made = add(at_desk, f"{hooks.address}/assay").json()
    address, hooks.answer = hooks.answer, send(b"busy", status=503)
    at_desk.post(f"{BASE}{made['id']}/try/")
    send_webhooks()
    hooks.answer = address
    make_due()
    send_webhooks()
    make_due()
    send_webhooks()
    assert [(each["tries"], each["status"], each["next_try"]) for each in calls(at_desk, made["id"])] == [
        (2, 200, None)
    ]


ELSEWHERE = (
    "{0}/assayed",
    "{0}/",
    "{0}/assay/../x",
    "{0}/assay/%2e%2e/x",
    "{0}/assay\\x",
    "{0}/assay x",
    "{0}/assay#x",
    "http://127.0.0.1:1/assay",
    "https://hooks.example.org/assay",
    "{0}@evil.example.org/assay",
    "file:///assay",
    "//assay",
    "http://[x/assay",
)


@pytest.mark.parametrize("url", ELSEWHERE)
def test_an_address_that_nobody_allowed_is_refused(
    campaign: Campaign, at_desk: Client, hooks: SearchServer, url: str
) -> None:
    refused = add(at_desk, url.format(hooks.address))
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    assert f"below: {hooks.address}/assay" in refused.json()["detail"]


def test_without_the_setting_there_are_none(campaign: Campaign, at_desk: Client) -> None:
    assert "calls no address yet" in add(at_desk, "https://hooks.example.org/").json()["detail"]


def test_an_address_that_is_allowed_no_more_is_not_called(
    campaign: Campaign, at_desk: Client, hooks: SearchServer, settings: Any
) -> None:
    made = add(at_desk, f"{hooks.address}/assay").json()
    at_desk.post(f"{BASE}{made['id']}/try/")
    settings.ASSAY_WEBHOOKS = ["https://other.example.org"]
    send_webhooks()
    assert (hooks.asked, calls(at_desk, made["id"])[0]["status"]) == ([], None)


def test_a_private_address_and_plain_http_need_the_second_setting(
    campaign: Campaign, at_desk: Client, hooks: SearchServer, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ASSAY_WEBHOOKS_PRIVATE = False
    settings.ASSAY_WEBHOOKS = [hooks.address, "https://localhost"]
    found = []
    for url in (hooks.address, "https://localhost/x"):
        made = add(at_desk, url).json()
        at_desk.post(f"{BASE}{made['id']}/try/")
        send_webhooks()
        found.append(calls(at_desk, made["id"])[0]["answer"])
    assert (hooks.asked, found) == ([], ["Only https is allowed.", "Its host is at an address that is not public."])


def test_one_that_does_not_answer_keeps_no_other_from_being_told(
    campaign: Campaign, at_desk: Client, hooks: SearchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, well = (add(at_desk, f"{hooks.address}/assay/{name}").json()["id"] for name in ("slow", "well"))
    for pk in (slow, slow, well):
        at_desk.post(f"{BASE}{pk}/try/")
    send_on = http_json.post_json

    def post(url: str, content: bytes, headers: Any) -> tuple[int, str]:
        if url.endswith("slow"):
            raise http_json.ServiceAway("No answer within 5 seconds.")
        return send_on(url, content, headers)

    monkeypatch.setattr("assess.webhooks.domain.post_json", post)
    monkeypatch.setattr("assess.webhooks.domain.AT_ONCE", 1)  # one of them has more calls than are sent at once
    send_webhooks()
    assert [each["status"] for each in calls(at_desk, well)] == [200]
    send_webhooks()
    assert [each["tries"] for each in calls(at_desk, slow)] == [0, 1]  # the second is not tried at once


def test_one_that_answers_slowly_takes_turns_with_others(
    campaign: Campaign, at_desk: Client, hooks: SearchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, well = (add(at_desk, f"{hooks.address}/assay/{name}").json()["id"] for name in ("slow", "well"))
    for pk in (slow, slow, slow, well):
        at_desk.post(f"{BASE}{pk}/try/")
    monkeypatch.setattr("assess.webhooks.domain.SECONDS", -1.0)  # the time is over after each answer
    for _ in range(3):
        send_webhooks()
    asked = [path for _, path, _, _ in hooks.asked]
    assert asked == ["/assay/slow", "/assay/well", "/assay/slow"]


def test_a_campaign_whose_track_is_gone_keeps_the_worker_from_nothing(
    begun_grading: Assignment, at_desk: Client, hooks: SearchServer
) -> None:
    add(at_desk, f"{hooks.address}/assay")
    for text in ("red", "the blue one", "green"):
        judge(begun_grading, text, 1)
    finish_assignment(actor=begun_grading.assessor, assignment=begun_grading)
    Campaign.objects.update(track="gone")
    send_webhooks()
    assert hooks.asked == []


def test_what_was_accepted_or_given_up_is_sent_again_with_its_id(
    campaign: Campaign, at_desk: Client, hooks: SearchServer
) -> None:
    made = add(at_desk, f"{hooks.address}/assay").json()
    call = at_desk.post(f"{BASE}{made['id']}/try/").json()
    send_webhooks()
    WebhookCall.objects.update(tries=len(PAUSES) + 1, status=500)  # as if it had been given up
    again = at_desk.post(f"{BASE}{made['id']}/calls/{call['id']}/again/")
    assert (again.status_code, again.json()["id"]) == (202, call["id"])
    send_webhooks()
    send_webhooks()
    assert [each["id"] for each in heard(hooks)] == [call["id"]] * 2
    (kept,) = calls(at_desk, made["id"])
    assert (kept["tries"], kept["status"], kept["next_try"]) == (1, 200, None)
    other = add(at_desk, f"{hooks.address}/assay").json()
    assert at_desk.post(f"{BASE}{other['id']}/calls/{call['id']}/again/").status_code == 404


def test_one_that_was_given_up_is_tried_anew_with_all_its_pauses(
    campaign: Campaign, organiser: User, at_desk: Client, hooks: SearchServer
) -> None:
    hooks.answer = send(b"no", status=500)
    made = add(at_desk, f"{hooks.address}/assay").json()
    call = at_desk.post(f"{BASE}{made['id']}/try/").json()
    WebhookCall.objects.update(tries=len(PAUSES) + 1, status=500, next_try=None)
    at_desk.post(f"{BASE}{made['id']}/calls/{call['id']}/again/")
    send_webhooks()
    kept = WebhookCall.objects.get()
    assert kept.answered_at is not None
    assert (kept.tries, kept.next_try) == (1, kept.answered_at + PAUSES[0])
    at_desk.post(f"{BASE}{made['id']}/calls/{call['id']}/again/")
    assert WebhookCall.objects.get().tries == 1  # it waited for its next try
    acts = Activity.objects.filter(action="webhook.again")
    assert [(each.actor, each.data) for each in acts] == [(organiser, {"call": call["id"], "event": "ping"})] * 2


def test_a_removed_one_is_told_nothing(campaign: Campaign, at_desk: Client, hooks: SearchServer) -> None:
    made = add(at_desk, f"{hooks.address}/assay").json()
    at_desk.post(f"{BASE}{made['id']}/try/")
    assert at_desk.delete(f"{BASE}{made['id']}/").status_code == 204
    send_webhooks()
    assert (hooks.asked, at_desk.get(f"{BASE}{made['id']}/calls/").status_code) == ([], 404)
    acts = Activity.objects.filter(action__startswith="webhook.").order_by("id")
    assert list(acts.values_list("action", flat=True)) == ["webhook.add", "webhook.ping", "webhook.remove"]
    assert PAUSES[-1] == timedelta(days=1)


def test_one_that_is_removed_while_it_is_called_stays_removed(
    campaign: Campaign, at_desk: Client, hooks: SearchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = add(at_desk, f"{hooks.address}/assay").json()
    at_desk.post(f"{BASE}{made['id']}/try/")

    def post(url: str, content: bytes, headers: Any) -> tuple[int, str]:
        assert at_desk.delete(f"{BASE}{made['id']}/").status_code == 204
        return 200, ""

    monkeypatch.setattr("assess.webhooks.domain.post_json", post)
    send_webhooks()
    assert WebhookCall.objects.count() == 0


def test_a_call_that_is_sent_again_while_it_is_under_way_stays_due(
    campaign: Campaign, at_desk: Client, hooks: SearchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = add(at_desk, f"{hooks.address}/assay").json()
    call = at_desk.post(f"{BASE}{made['id']}/try/").json()

    def post(url: str, content: bytes, headers: Any) -> tuple[int, str]:
        assert at_desk.post(f"{BASE}{made['id']}/calls/{call['id']}/again/").status_code == 202
        return 200, ""

    monkeypatch.setattr("assess.webhooks.domain.post_json", post)
    send_webhooks()
    kept = WebhookCall.objects.get()
    assert kept.next_try is not None and kept.next_try <= timezone.now()
    assert kept.status == 200
