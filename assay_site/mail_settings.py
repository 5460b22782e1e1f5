"""Read from the environment how mail is sent."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit

from assay_site.environment import CLASS, setting

CONSOLE = "django.core.mail.backends.console.EmailBackend"


def mail(name: str) -> dict[str, Any]:
    """Return Django's settings for sending mail, from the address of a mail server or the name of a backend. If the
    setting is empty, mails are printed.

    Raises `BadSetting` if it is neither, or if the address says anything after "?" but "starttls", which smtps does not
    take.
    """

    def read(text: str) -> dict[str, Any]:
        parts = urlsplit(text)
        if parts.scheme in ("smtp", "smtps") and parts.hostname:
            is_tls = parts.scheme == "smtps"
            if parts.query not in ("", *(() if is_tls else ("starttls",))):
                raise ValueError
            return {
                "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
                "EMAIL_HOST": parts.hostname,
                "EMAIL_PORT": parts.port or (465 if is_tls else 25),
                "EMAIL_HOST_USER": unquote(parts.username or ""),
                "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
                "EMAIL_USE_SSL": is_tls,
                "EMAIL_USE_TLS": parts.query == "starttls",
                "EMAIL_TIMEOUT": 10,
            }
        if not CLASS.fullmatch(text):
            raise ValueError
        return {"EMAIL_BACKEND": text}

    words = "smtp://name:password@host:587?starttls, smtps://…, or the class of a Django mail backend"
    return setting(name, {"EMAIL_BACKEND": CONSOLE}, read, words, secret=True)
