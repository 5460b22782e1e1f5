"""Checks that `manage.py check --deploy` makes in addition to Django's own."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning

NO_PROXY = Warning(
    "ASSAY_HTTPS is set, so a proxy stands before the site, and ASSAY_TRUSTED_PROXIES names none: all who come through "
    "it have its address, and ten wrong passwords of anybody close that name for everybody.",
    hint="Name the proxy in ASSAY_TRUSTED_PROXIES, and have it add to X-Forwarded-For, as Run the site says.",
    id="assess.W001",
)


def check_names(**_: Any) -> list[CheckMessage]:
    """Warn of environment variables whose names resemble those of settings but are not settings, so that they have no
    effect.
    """
    return [Warning(f"There is no setting {each}", id="assess.W002") for each in settings.ASSAY_UNREAD]


def check_proxies(**_: Any) -> list[CheckMessage]:
    """Warn if a proxy is trusted to use HTTPS but not to name the caller's address."""
    return [NO_PROXY] if settings.SESSION_COOKIE_SECURE and not settings.ASSAY_TRUSTED_PROXIES else []
