"""Every page and mail that allauth makes, in English and German: no text is allauth's own, no date or host is shown in
another form than elsewhere.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import allauth
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.template.base import Template
from django.test import Client
from django.test.signals import template_rendered
from django.urls import reverse
from django.utils.translation.template import templatize

from assay_site.ways_in_urls import VIEWS
from assess.base.mail_sender import SENDER
from tests import catalogues, factories
from tests.assay_site import ways
from tests.assay_site.provider import Provider
from tests.pages import page_of

pytestmark = pytest.mark.django_db
university = ways.university
ALLAUTH = Path(allauth.__file__).parent
OURS = {texts[0] for texts in catalogues.read(catalogues.LOCALE / "allauth" / "en" / "LC_MESSAGES" / "django.po")}
OTHERWISE = re.compile(r"\d{1,2}/\d{1,2}/\d{4}|\b[ap]\.m\.|\b[A-Z][a-z]{2,8}\.? \d{1,2}, \d{4}|\bago\b|\bvor \d")
UNUSED = re.compile(
    r"[Pp]hone|same email each|Username, |Username or|or email$|Remember Me|^Login$"
    r"|email address and/or|Email \(again\)|\(optional\)"
    r"|Email address confirmation|^Password \(again\)|^Passwordless|passwordless|^Username|^Current Password"
    r"|sign-in code|Request|^Send me|Sign-In|^%s|code expires"
)
"""Texts of fields that Assay's settings turn off: login by phone, mail or code, signing up, passkeys alone."""


@contextmanager
def seen() -> Iterator[list[Template]]:
    """The templates of allauth that are rendered in the block."""
    found: list[Template] = []

    def note(template: Template, **_: Any) -> None:
        if str(template.origin).startswith(str(ALLAUTH)):
            found.append(template)

    template_rendered.connect(note)
    try:
        yield found
    finally:
        template_rendered.disconnect(note)


def texts_of(template: Template) -> set[str]:
    source = templatize(Path(str(template.origin)).read_text())
    return {ast.literal_eval(each[2]) for each in catalogues.IN_TEMPLATE.finditer(source)}


@pytest.mark.parametrize("language", ["en", "de"])
def test_pages_and_mails_are_in_our_words(
    organiser: User, university: Provider, settings: Any, mailoutbox: list[EmailMessage], language: str
) -> None:
    settings.ASSAY_PASSWORD_MAIL = settings.ASSAY_SECOND_FACTOR = settings.ASSAY_SESSIONS = True
    person, stranger = (Client(headers={"Accept-Language": language}, HTTP_HOST="localhost") for _ in range(2))
    EmailAddress.objects.create(user=organiser, email="ada@example.org", verified=True, primary=True)
    pages: list[str] = []

    def look(client: Client, address: str, **sent: str) -> None:
        answer = client.post(address, sent, follow=True) if sent else client.get(address, follow=True)
        pages.append(page_of(answer) if answer.status_code < 500 else f"{address}: {answer.status_code}")

    def walk(client: Client) -> None:
        for *_, name in VIEWS:
            look(client, ways.address_of(name))
        for address in ("/profile/again/", "/profile/closed/", "/profile/logout/"):
            look(client, address)

    with seen() as templates:
        walk(stranger)
        look(stranger, reverse("account_reset_password"), email="ada@example.org")
        ways.log_in(person)
        look(person, reverse("account_reauthenticate"), password="wrong")
        look(person, reverse("account_reauthenticate"), password=factories.PASSWORD)
        walk(person)
        look(person, reverse("account_email"), email="countess@example.org", action_add="")
        look(person, reverse("account_email"), email="ada@example.org", action_add="")
        SENDER.submit(int).result()
        for mail in mailoutbox:
            (link,) = re.findall(r"http://localhost(/\S+)", mail.body)
            look(stranger, link)
            key = reverse("account_reset_password_from_key", args=["1", "set-password"])
            look(stranger, key.replace("/1-", f"/{link.split('/')[3].split('-')[0]}-"), password1="a", password2="b")
        TOTP.activate(organiser, generate_totp_secret())
        RecoveryCodes.activate(organiser)
        asked = Client(headers={"Accept-Language": language}, HTTP_HOST="localhost")
        look(asked, ways.log_in(asked)["Location"], code="000000")
        walk(person)
        data = {"name": "My laptop", "credential": {"clientExtensionResults": {}}}
        key_row = Authenticator.objects.create(user=organiser, type="webauthn", data=data)
        look(person, reverse("mfa_list_webauthn"))
        for name in ("mfa_edit_webauthn", "mfa_remove_webauthn"):
            look(person, reverse(name, args=[key_row.pk]))
        look(person, reverse("mfa_generate_recovery_codes"), x="")
        look(person, reverse("mfa_remove_webauthn", args=[key_row.pk]), x="")
        look(person, reverse("mfa_deactivate_totp"), x="")
        look(person, reverse("usersessions_list"), x="")
        look(stranger, "/profile/by/provider/back/?error=x")
    mails = [f"{mail.subject}\n{re.sub('http://localhost/', '', mail.body)}" for mail in mailoutbox]
    assert len(mails) == 2 and organiser.username not in "".join(mails)
    assert [each for each in pages if re.fullmatch(r"\S+: 5\d\d", each)] == []
    said = [re.sub(r"(?s)<script.*?</script>|<[^>]*>", " ", each) for each in [*pages, *mails]]
    found = [*map(OTHERWISE.findall, said), *(re.findall("localhost|example.com", each) for each in said)]
    assert [each for each in found if each] == []
    names = {str(Path(str(each.origin)).relative_to(ALLAUTH / "templates")) for each in templates}
    assert len(names) > 30, "the walk has come to them"
    assert {text for each in templates for text in texts_of(each)} - OURS == set()


def test_what_fields_and_refusals_say_is_in_our_words() -> None:
    theirs = (ALLAUTH / "locale" / "de" / "LC_MESSAGES" / "django.po").read_text()
    places = re.compile(r"(account|mfa|socialaccount)/(adapter|forms|\w+/forms)\.py")
    found = set()
    for block in theirs.split("\n\n"):
        if any(places.search(line) for line in block.splitlines() if line.startswith("#:")):
            said = re.search(r'^msgid ((?:".*"\n)+)', block, re.MULTILINE)
            assert said is not None
            found.add("".join(re.findall('"(.*)"', said[1])))
    assert {each for each in found - OURS if not UNUSED.search(each)} == set()
