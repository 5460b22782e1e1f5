"""Ways in beside name and password: reset by mail, a provider of OpenID Connect, second factors, sessions.

The provider and the mail server are started by the tests.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse

from assay_site.ways_in_urls import VIEWS
from assess.base.mail_sender import SENDER
from assess.models import Activity, Campaign
from assess.people.domain.invitations import create_invitation
from tests import factories
from tests.assay_site import ways
from tests.assay_site.provider import Provider, mail_server
from tests.assay_site.ways import address_of, code_of, is_in, log_in
from tests.pages import page_of

pytestmark = pytest.mark.django_db
university = ways.university
NEW = "plum and walnut 81"

FOCUSED_CODE = re.compile(r'<input [^>]*name="code"[^>]* autofocus')


def test_none_is_there_until_it_is_set(organiser: User, client: Client) -> None:
    client.force_login(organiser)
    assert len(VIEWS) > 20
    assert {client.get(address_of(name)).status_code for *_, name in VIEWS} == {404}
    assert "Logging in" not in page_of(client.get(reverse("profile")))
    assert "Password forgotten? The organiser of the site" in page_of(Client().get(reverse("login")))


def test_none_but_those_that_let_in_is_open_to_who_is_not_logged_in(settings: Any) -> None:
    settings.ASSAY_PASSWORD_MAIL = settings.ASSAY_SECOND_FACTOR = settings.ASSAY_SESSIONS = True
    settings.ASSAY_OIDC = [{}]
    settings.SOCIALACCOUNT_PROVIDERS = {}
    answers = {name: Client().get(address_of(name)) for *_, name in VIEWS}
    assert {name for name, answer in answers.items() if answer.status_code == 200} == {
        *("account_confirm_email", "account_email_verification_sent", "account_reset_password"),
        *("account_reset_password_done", "account_reset_password_from_key", "account_reset_password_from_key_done"),
        "socialaccount_login_cancelled",
    }
    assert {answer.status_code for answer in answers.values()} <= {200, 302, 401, 404}


def test_a_password_is_reset_by_mail(organiser: User, settings: Any) -> None:
    settings.ASSAY_PASSWORD_MAIL = True
    EmailAddress.objects.create(user=organiser, email="ada@example.org", verified=True, primary=True)
    program = Client(headers={"Authorization": f"Token {factories.api_token(organiser)}"})
    elsewhere, person = Client(), Client()
    elsewhere.force_login(organiser)
    with mail_server() as (port, came):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
        for mail in ("nobody@example.org", "ada@example.org"):
            answer = person.post(reverse("account_reset_password"), {"email": mail})
            assert answer["Location"] == reverse("account_reset_password_done"), "both look the same"
        SENDER.submit(int).result()  # until the mail is sent
    (mail,) = came
    assert "To: ada@example.org" in mail
    link = re.search(r"http://testserver(/profile/reset/\S+)", mail.replace("=\r\n", ""))
    assert link is not None
    page = person.get(link[1])["Location"]
    assert person.post(page, {"password1": "short", "password2": "short"}).status_code == 200
    assert person.post(page, {"password1": NEW, "password2": NEW}).status_code == 302
    assert log_in(person, password=NEW).status_code == 302
    assert not is_in(elsewhere)
    assert program.get("/api/v1/campaigns/").status_code == 401, "tokens end with the password"
    assert "This link is not valid" in page_of(Client().get(link[1]))
    actions = Activity.objects.order_by("id").values_list("action", flat=True)
    assert list(actions) == ["password.reset", "token.revoke", "login"]


def test_a_mail_server_that_is_away_or_slow_does_not_tell_which_addresses_are_known(
    organiser: User, settings: Any, caplog: pytest.LogCaptureFixture, no_mail_waits: None
) -> None:
    settings.ASSAY_PASSWORD_MAIL = True
    EmailAddress.objects.create(user=organiser, email="ada@example.org", verified=True, primary=True)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    is_slow = Event()
    SENDER.submit(is_slow.wait, 20)  # as if it were still busy with another mail
    for mail in ("nobody@example.org", "ada@example.org"):
        answer = Client().post(reverse("account_reset_password"), {"email": mail})
        assert answer["Location"] == reverse("account_reset_password_done")
    is_slow.set()
    SENDER.submit(int).result()
    assert caplog.text.count("A mail can't be sent now: ") == 1


def there_and_back(client: Client, told: Provider, page: str) -> Any:
    """Press the provider's button on a page, log in there, and come back."""
    form = re.search(r'action="(/profile/by/provider/[^"]*)"', page_of(client.get(page)))
    assert form is not None
    there = client.post(form[1].replace("&amp;", "&"))
    assert there["Location"].startswith(f"{told.address}/authorize?")
    back = urlsplit(httpx.get(there["Location"]).headers["Location"])
    return client.get(f"{back.path}?{back.query}")


def test_by_a_provider_come_those_who_are_connected_and_those_who_are_invited(
    university: Provider, campaign: Campaign, organiser: User
) -> None:
    stranger = Client()
    answer = there_and_back(stranger, university, reverse("login"))
    assert "No account here is connected with that one" in page_of(answer)
    assert User.objects.count() == 1

    link = reverse("invitation", args=[create_invitation(actor=organiser, campaign=campaign, role="assessor")[1]])
    invited = Client()
    form = there_and_back(invited, university, link)["Location"]
    page = page_of(invited.get(form))
    assert 'value="ada"' in page, "suggested, and theirs to change"
    assert "Choose the name under which you work here" in page and "Mail address" in page
    assert "Sign Up" not in page and page.count("(optional)") == 1
    assert "looks like one that is taken" in page_of(invited.post(form, {"username": "0rganiser"}))
    assert invited.post(form, {"username": "quiet"})["Location"] == link
    invited.post(link)
    person = User.objects.get(username="quiet")
    assert not person.has_usable_password()
    assert campaign.memberships.get(user=person).role == "assessor"

    again = Client()
    assert there_and_back(again, university, f"{reverse('login')}?next=/help/")["Location"] == "/help/"
    assert is_in(again)
    assert Activity.objects.filter(action="login", actor=person).count() == 2
    User.objects.filter(pk=person.pk).update(is_active=False)
    closed = Client()
    there_and_back(closed, university, reverse("login"))
    assert not is_in(closed)
    assert set(university.asked) == {"/.well-known/openid-configuration", "/authorize", "/token", "/userinfo"}


def test_an_account_is_connected_and_disconnected_on_ones_profile(university: Provider, organiser: User) -> None:
    client = Client()
    log_in(client)
    connections = reverse("socialaccount_connections")
    again = there_and_back(client, university, connections)["Location"]
    client.get(client.post(again, {"password": factories.PASSWORD})["Location"])
    assert "Disconnect" in page_of(client.get(connections))
    assert there_and_back(Client(), university, reverse("login"))["Location"] == "/"
    client.post(connections, {"account": organiser.socialaccount_set.get().pk})
    assert not organiser.socialaccount_set.exists()


def test_a_provider_that_leads_elsewhere_is_not_followed(university: Provider) -> None:
    university.redirects = True
    client = Client()
    form = re.search(r'action="(/profile/by/provider/[^"]*)"', page_of(client.get(reverse("login"))))
    answer = client.post(form[1].replace("&amp;", "&"))
    assert (answer.status_code, "does not answer" in page_of(answer)) == (503, True)
    assert "/elsewhere" not in university.asked


@pytest.mark.parametrize("place", ["/.well-known/openid-configuration", "/token", "/userinfo"])
def test_a_provider_that_sends_a_byte_now_and_then_holds_no_thread(
    university: Provider, settings: Any, place: str
) -> None:
    settings.SOCIALACCOUNT_REQUESTS_TIMEOUT, university.drips = 1.0, place  # what does not drip has time
    client, begun = Client(), time.monotonic()
    end = time.monotonic() + 8
    Thread(target=lambda: time.sleep(end - time.monotonic()) or setattr(university, "drips", ""), daemon=True).start()
    told = client.post("/profile/by/provider/") if "known" in place else there_and_back(client, university, "/login/")
    assert (told.status_code, time.monotonic() - begun < 6) == (503 if "known" in place else 401, True)
    university.drips = ""


def test_a_name_server_that_does_not_answer_holds_neither_a_login_nor_the_end_of_the_process() -> None:
    """Python waits at its end for all threads of its pools."""
    script = """
import socket, sys, time
import django
django.setup()
from django.conf import settings
from assay_site.ways_in import ProviderAccounts
from assess.base.http_json import Service, ServiceAway, ask_json, post_json
settings.ASSAY_SEARCH_SECONDS = settings.SOCIALACCOUNT_REQUESTS_TIMEOUT = 0.2
settings.ASSAY_WEBHOOKS_PRIVATE = True
socket.getaddrinfo = lambda *args, **more: time.sleep(60)
for asked in (
    lambda: post_json("http://hook.example.org/", b"{}", {}),
    lambda: ask_json(Service(name="S", address="http://search.example.org"), "/"),
    lambda: ProviderAccounts().get_requests_session().get("http://provider.example.org/"),
):
    begun = time.monotonic()
    try:
        asked()
    except Exception as error:
        print(type(error).__name__, time.monotonic() - begun < 10)
"""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "assay_site.settings"}
    ended = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=40, check=True
    )
    assert ended.stdout.splitlines() == ["ServiceAway True", "ServiceAway True", "ConnectionError True"]


GOOD = {"authorization_endpoint": "https://a.org/a", "token_endpoint": "https://a.org/t"}
NO_DESCRIPTIONS = {
    "no JSON": "<html>",
    "a list": "[1]",
    "nothing in it": "{}",
    "an address that is none": json.dumps({**GOOD, "userinfo_endpoint": "javascript:alert(1)"}),
}
NO_TOKENS = {
    "no object": '["access_token"]',
    "a number": '{"access_token": 5}',
    "no time": '{"access_token": "an access token", "expires_in": "soon"}',
    "no JWT": '{"access_token": "an access token", "id_token": "x.y.z"}',
}
NO_PEOPLE = {
    "no text": '"ada"',
    "nobody": '{"preferred_username": "ada"}',
    "null, which would be everybody": '{"sub": null}',
    "an object": '{"sub": {"id": 1}}',
    "half a character": '{"sub": "\\ud800"}',
    "longer than a row holds": json.dumps({"sub": "x" * 192}),
    "an odd name": '{"sub": "4711", "preferred_username": ["ada"]}',
}


@pytest.mark.parametrize("answer", NO_DESCRIPTIONS.values(), ids=NO_DESCRIPTIONS)
def test_a_provider_that_describes_itself_in_another_way_is_away(university: Provider, answer: str) -> None:
    university.instead["/.well-known/openid-configuration"] = answer
    told = Client().post("/profile/by/provider/")
    assert (told.status_code, "does not answer" in page_of(told)) == (503, True)


@pytest.mark.parametrize(
    ("place", "answer"),
    [("/token", each) for each in NO_TOKENS.values()] + [("/userinfo", each) for each in NO_PEOPLE.values()],
    ids=[*NO_TOKENS, *NO_PEOPLE],
)
def test_what_a_provider_says_in_another_form_lets_nobody_in(
    university: Provider, place: str, answer: str, caplog: pytest.LogCaptureFixture
) -> None:
    university.instead[place] = answer
    client = Client()
    told = there_and_back(client, university, reverse("login"))
    assert (told.status_code, is_in(client)) == (401, False)
    assert "A login by the University failed: " in caplog.text


def test_a_provider_may_say_in_the_id_token_alone_who_somebody_is(university: Provider, organiser: User) -> None:
    university.tells_people = False
    client = Client()
    log_in(client)
    connections = reverse("socialaccount_connections")
    again = there_and_back(client, university, connections)["Location"]
    client.get(client.post(again, {"password": factories.PASSWORD})["Location"])
    assert organiser.socialaccount_set.get().uid == "4711"
    other = Client()
    there_and_back(other, university, reverse("login"))
    assert is_in(other)
    assert "/userinfo" not in university.asked


@pytest.mark.parametrize(
    "person", [{}, {"sub": None}, {"sub": "x" * 192}, {"sub": "4711", "preferred_username": ["a"]}]
)
def test_an_id_token_that_identifies_nobody_lets_nobody_in(
    university: Provider, person: Any, caplog: pytest.LogCaptureFixture
) -> None:
    university.tells_people, university.person = False, person
    client = Client()
    told = there_and_back(client, university, reverse("login"))
    assert (told.status_code, is_in(client)) == (401, False)
    university.instead["/token"] = '{"access_token": "an access token"}'
    told = there_and_back(client, university, reverse("login"))
    assert (told.status_code, is_in(client)) == (401, False)
    assert caplog.text.count("A login by the University failed: ") == 2


def test_who_has_a_second_factor_is_asked_for_it_on_every_way_in(
    campaign: Campaign, organiser: User, assessor: User, settings: Any
) -> None:
    settings.ASSAY_SECOND_FACTOR = settings.ASSAY_PASSWORD_MAIL = True
    client = Client()
    log_in(client)
    EmailAddress.objects.create(user=organiser, email="ada@example.org")  # not confirmed yet, which holds nothing up
    again = client.get(reverse("mfa_activate_totp"))
    assert again["Location"].startswith(reverse("account_reauthenticate")), "the password is asked for once more"
    assert client.post(again["Location"], {"password": "wrong"}).status_code == 200
    activate = client.post(again["Location"], {"password": factories.PASSWORD})["Location"]
    page = page_of(client.get(activate))
    assert len(FOCUSED_CODE.findall(page)) == 1
    secret = re.search(r'value="([A-Z2-7]{32})"', page)
    assert secret is not None
    assert client.post(activate, {"code": code_of(secret[1])}).status_code == 302
    assert Authenticator.objects.filter(user=organiser).count() == 2, "the app and the recovery codes"
    client.post(reverse("account_email"), {"email": "lovelace@example.org", "action_add": ""})
    assert [each.email for each in EmailAddress.objects.filter(user=organiser)] == ["lovelace@example.org"]

    other = Client()
    asked = log_in(other, next="/help/")
    assert asked["Location"] == reverse("mfa_authenticate")
    assert len(FOCUSED_CODE.findall(page_of(other.get(asked["Location"])))) == 1
    assert not is_in(other)
    assert other.post(asked["Location"], {"code": "000000"}).status_code == 200
    assert not is_in(other)
    codes = Authenticator.objects.get(user=organiser, type="recovery_codes").wrap().get_unused_codes()
    assert other.post(asked["Location"], {"code": codes[0]})["Location"] == "/help/"
    assert is_in(other)
    for later in (-1, 1):
        late = Client()
        place = log_in(late)["Location"]
        assert late.post(place, {"code": code_of(secret[1], later=later)}).status_code == 302, "a phone's clock is off"
        assert is_in(late)
    plain = Client()
    assert log_in(plain, name="assessor")["Location"] == "/", "who has none comes in at once"
    assert Client().get("/admin/", follow=True).redirect_chain[-1] == ("/login/?next=/admin/", 302)
    assert plain.get("/admin/login/").status_code == 404, "no second page lets anybody in"


def test_who_has_a_confirmed_address_is_asked_for_the_password_as_others_are(organiser: User, settings: Any) -> None:
    settings.ASSAY_PASSWORD_MAIL = settings.ASSAY_SECOND_FACTOR = True
    EmailAddress.objects.create(user=organiser, email="ada@example.org", verified=True, primary=True)
    client = Client()
    log_in(client)
    assert "Confirm that it is you" in page_of(client.get(reverse("account_reauthenticate")))
    for name in ("mfa_activate_totp", "mfa_add_webauthn"):
        assert client.get(reverse(name))["Location"].startswith(reverse("account_reauthenticate"))
    new = {"email": "countess@example.org", "action_add": ""}
    again = client.post(reverse("account_email"), new)["Location"]
    assert client.post(again, {"password": factories.PASSWORD})["Location"] == reverse("account_email")
    assert EmailAddress.objects.filter(user=organiser, email="countess@example.org").exists()
    SENDER.submit(int).result()  # the mail belongs to this test


def test_who_has_no_password_is_led_to_the_page_that_sends_a_link_for_one(
    organiser: User, settings: Any, mailoutbox: list[EmailMessage]
) -> None:
    settings.ASSAY_PASSWORD_MAIL = settings.ASSAY_SECOND_FACTOR = True
    organiser.set_unusable_password()
    organiser.save()
    client = Client()
    client.force_login(organiser, "django.contrib.auth.backends.ModelBackend")
    assert client.get(reverse("mfa_activate_totp")).status_code == 403, "there is no address for a link"
    EmailAddress.objects.create(user=organiser, email="ada@example.org", verified=True, primary=True)
    for name in ("mfa_activate_totp", "account_reauthenticate"):
        assert client.get(reverse(name))["Location"].startswith(reverse("account_reset_password"))
    assert "You log in without a password." in page_of(client.get(reverse("account_reset_password")))
    assert client.post(reverse("account_reset_password"), {"email": "ada@example.org"}).status_code == 302
    SENDER.submit(int).result()
    assert "/profile/reset/" in mailoutbox[-1].body


def test_one_sees_where_one_is_logged_in_and_ends_it(organiser: User, settings: Any) -> None:
    settings.ASSAY_SESSIONS = True
    engine, gecko = "AppleWebKit/537.36 (KHTML, like Gecko)", "Gecko/20100101 Firefox/140.0"
    agents = {
        f"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) {gecko}": "Firefox, Linux",
        f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {engine} Chrome/143.0.0.0 Safari/537.36": "Chrome, Windows",
        f"Mozilla/5.0 (Windows NT 10.0) {engine} Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0": "Edge, Windows",
        f"Mozilla/5.0 (Linux; Android 10; K) {engine} Chrome/143.0.0.0 Mobile Safari/537.36": "Chrome, Android",
        f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {engine} Version/26.0 Safari/605.1.15": "Safari, macOS",
        f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) {engine} Version/26.0 Safari/604.1": "Safari, iPhone",
        "A robot 1.0": "A robot 1.0",
    }
    clients = [Client(headers={"User-Agent": agent}) for agent in agents]
    here, there, *_ = clients
    for client in clients:
        log_in(client)
    page = page_of(here.get(reverse("usersessions_list")))
    assert [name for name in agents.values() if f'<th scope="row">{name}' not in page] == []
    here.post(reverse("usersessions_list"))
    assert is_in(here) and not is_in(there)
