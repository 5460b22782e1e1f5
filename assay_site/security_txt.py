"""Say at `/.well-known/security.txt` (RFC 9116) to whom a security problem of this site is reported."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

HOLDS = timedelta(days=90)
"""How long somebody who has read the addresses may rely on them."""


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """Return the text with the addresses in `ASSAY_SECURITY_CONTACT`. Answers "not found" if the setting is empty."""
    if not settings.ASSAY_SECURITY_CONTACT:
        raise Http404
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    lines = [
        *(f"Contact: {address}" for address in settings.ASSAY_SECURITY_CONTACT),
        f"Expires: {today + HOLDS:%Y-%m-%dT%H:%M:%SZ}",
        "Preferred-Languages: en",
        f"Canonical: {request.build_absolute_uri(reverse('security-txt'))}",
    ]
    answer = HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
    answer["Cache-Control"] = "public, max-age=86400"
    return answer
