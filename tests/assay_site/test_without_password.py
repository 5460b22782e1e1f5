"""People who come by a provider alone and have no password: they confirm who they are there, and lose nothing."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.models import Activity
from tests.assay_site import ways
from tests.assay_site.provider import Provider
from tests.pages import page_of

pytestmark = pytest.mark.django_db
NEW = "plum and walnut 81"
AGAIN = "/profile/again/by/"
university = ways.university


@pytest.fixture
def without(organiser: User, university: Provider, settings: Any) -> Client:
    """The organiser, who has neither a password nor a mail address, logged in by the provider some time ago."""
    settings.ASSAY_PASSWORD_MAIL = settings.ASSAY_SECOND_FACTOR = True
    organiser.set_unusable_password()
    organiser.save()
    SocialAccount.objects.create(user=organiser, provider="provider", uid="4711")
    client = Client()
    client.force_login(organiser, "django.contrib.auth.backends.ModelBackend")
    return client


def confirm(client: Client, there: str) -> Any:
    """Press the provider's button on the page, log in there, come back, and follow to what the page leads to."""
    asked = page_of(client.get(there))
    assert "Confirm that it is you" in asked and "Log in once more with the University" in asked
    form = re.search(r'action="(/profile/by/provider/[^"]*)"', asked)
    assert form is not None
    to = client.post(form[1].replace("&amp;", "&"))["Location"]
    assert parse_qs(urlsplit(to).query)["prompt"] == ["login"], "an earlier login there does not count"
    back = urlsplit(httpx.get(to).headers["Location"])
    answer = client.get(f"{back.path}?{back.query}")
    assert answer["Location"].startswith(AGAIN)
    return client.get(answer["Location"])


def test_a_typed_address_is_kept_while_they_confirm_who_they_are(without: Client, organiser: User) -> None:
    there = without.post(reverse("account_email"), {"email": "ada@example.org", "action_add": ""})["Location"]
    assert confirm(without, there)["Location"] == reverse("account_email")
    assert EmailAddress.objects.get(user=organiser).email == "ada@example.org"


def test_a_second_factor_is_set_up_and_asked_for_from_then_on(without: Client, organiser: User) -> None:
    there = without.get(reverse("mfa_activate_totp"))["Location"]
    assert confirm(without, there)["Location"] == reverse("mfa_activate_totp")
    secret = re.search(r'value="([A-Z2-7]{32})"', page_of(without.get(reverse("mfa_activate_totp"))))
    assert secret is not None
    code = ways.code_of(secret[1])
    assert without.post(reverse("mfa_activate_totp"), {"code": code}).status_code == 302
    assert Authenticator.objects.filter(user=organiser).count() == 2
    assert without.get(AGAIN).status_code == 404, "the provider alone is not enough any more"
    assert without.get(reverse("mfa_deactivate_totp"))["Location"].startswith(reverse("mfa_reauthenticate"))


def test_a_first_password_is_set_without_an_old_one(without: Client, organiser: User) -> None:
    assert "Set a password" in page_of(without.get(reverse("profile")))
    page = reverse("password_change")
    there = without.get(page)["Location"]
    assert there.startswith(AGAIN)
    assert confirm(without, there)["Location"] == page
    asked = page_of(without.get(page))
    assert "You have no password so far." in asked and "Old password" not in asked
    assert "at least 10 characters" in page_of(without.post(page, {"password": "short", "again": "short"}))
    assert without.post(page, {"password": NEW, "again": NEW})["Location"] == reverse("profile")
    assert ways.is_in(without), "they stay logged in"
    organiser.refresh_from_db()
    assert organiser.check_password(NEW)
    assert Activity.objects.filter(action="password.change", actor=organiser).count() == 1
    assert "Old password" in page_of(without.get(page)), "from now on it is changed with the old one"


def test_somebody_else_there_confirms_nothing(without: Client, university: Provider) -> None:
    there = without.get(reverse("password_change"))["Location"]
    university.person = {"sub": "4712"}
    page = page_of(confirm(without, there))
    assert "You logged in there as somebody else." in page and "Confirm that it is you" in page
    assert ways.is_in(without)


def test_it_is_for_nobody_else(organiser: User, university: Provider) -> None:
    client = Client()
    assert client.get(AGAIN)["Location"].startswith(reverse("login"))
    client.force_login(organiser)
    assert client.get(AGAIN).status_code == 404, "who has a password is asked for that"
