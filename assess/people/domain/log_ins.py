"""Record every login, on any page and in any way; and where a person is logged in, if the site lists sessions."""

from __future__ import annotations

from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.db import transaction
from django.http import HttpRequest

from assess.campaigns.activity import record_activity


def register_log_ins() -> None:
    """Make Django's login signal record every login."""
    user_logged_in.connect(_record, sender=User, dispatch_uid="logins")


def _record(request: HttpRequest, user: User, **_: Any) -> None:
    with transaction.atomic():
        record_activity(actor=user, action="login")
    if settings.ASSAY_SESSIONS:
        UserSession.objects.create_from_request(request, user=user)
