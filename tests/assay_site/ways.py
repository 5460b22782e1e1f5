"""Ways in beside name and password, for tests: logging in, addresses, codes, and a provider that the site asks."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.socialaccount.providers import registry
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from django.test import Client
from django.urls import reverse

from assay_site.ways_in_urls import VIEWS
from tests import factories
from tests.assay_site.provider import provider


def log_in(client: Client, name: str = "organiser", password: str = factories.PASSWORD, **more: str) -> Any:
    return client.post(reverse("login"), {"username": name, "password": password, **more})


def is_in(client: Client) -> bool:
    return client.get(reverse("profile")).status_code == 200


def address_of(name: str) -> str:
    values = {"provider_id": "provider", "pk": 1, "key": "k", "uidb36": "u"}
    wanted = re.findall(r":(\w+)>", next(place for _, place, _, each in VIEWS if each == name))
    return reverse(name, kwargs={each: values[each] for each in wanted})


@pytest.fixture
def university(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    registry.load()
    monkeypatch.setitem(registry.provider_map, "openid_connect", OpenIDConnectProvider)  # as where the setting is made
    with provider() as told:
        settings.ASSAY_OIDC = told.configured()
        settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": told.configured()}}
        yield told


def code_of(secret: str, *, later: int = 0) -> str:
    """The code of now, or of some half-minutes later."""
    return format_hotp_value(hotp_value(secret, list(yield_hotp_counters_from_time())[1 + later]))
