"""What views read from a request, with its type made certain."""

from __future__ import annotations

from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest


def person_of(request: HttpRequest) -> User:
    """The person who is logged in; only for views that require it."""
    return cast(User, request.user)
