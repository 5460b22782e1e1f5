"""To whom a security problem of a site is reported: what the setting takes, and what the site says."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from assay_site.environment import BadSetting, contacts


def test_a_site_says_whom_to_tell_and_nothing_without_the_setting(client: Client, settings: Any) -> None:
    settings.ASSAY_SECURITY_CONTACT = []
    assert client.get("/.well-known/security.txt").status_code == 404
    settings.ASSAY_SECURITY_CONTACT = ["mailto:security@example.org", "https://example.org/report"]
    answer = client.get("/.well-known/security.txt")
    first, second, expires, *more = answer.content.decode().splitlines()
    assert (answer["Content-Type"], first) == ("text/plain; charset=utf-8", "Contact: mailto:security@example.org")
    assert second == "Contact: https://example.org/report"
    until = datetime.fromisoformat(expires.removeprefix("Expires: "))
    assert timedelta(days=80) < until - timezone.now() < timedelta(days=365), "RFC 9116: less than a year"
    assert more == ["Preferred-Languages: en", "Canonical: http://testserver/.well-known/security.txt"]
    assert "Set-Cookie" not in answer.headers
    assert client.post("/.well-known/security.txt").status_code == 405


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("", []),
        (
            "security@example.org, mailto:a.b@c.example,",
            ["mailto:security@example.org", "mailto:a.b@c.example"],
        ),
        ("https://example.org/report/", ["https://example.org/report"]),
    ],
)
def test_contacts_are_mail_addresses_or_pages(monkeypatch: pytest.MonkeyPatch, given: str, read: list[str]) -> None:
    monkeypatch.setenv("ASSAY_SECURITY_CONTACT", given)
    assert contacts("ASSAY_SECURITY_CONTACT") == read


@pytest.mark.parametrize("given", ["nobody", "http://example.org", "a@b\nContact: mailto:c@d", "javascript:x", "@x"])
def test_other_contacts_are_refused(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("ASSAY_SECURITY_CONTACT", given)
    with pytest.raises(BadSetting, match=r"security@example\.org"):
        contacts("ASSAY_SECURITY_CONTACT")
