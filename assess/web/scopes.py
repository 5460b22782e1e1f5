"""The scopes of an API token, which limit what a program may do. Each call needs one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_noop
from rest_framework.request import Request

from assess.base.errors import NotAllowed

READ, JUDGE, SUBMIT, ORGANISE, ADMINISTER = "read", "judge", "submit", "organise", "administer"
SCOPES: Mapping[str, str] = {
    READ: gettext_noop("see what you may see"),
    JUDGE: gettext_noop("do assignments, practice and topic drafts, and adjudicate"),
    SUBMIT: gettext_noop("check, submit and withdraw runs, and accept the user agreement"),
    ORGANISE: gettext_noop("change campaigns that you organise, and who belongs to them"),
    ADMINISTER: gettext_noop("make, download and remove backups of the whole site, if you administer it"),
}
"""Each scope with what it allows a program to do, within what the person may do."""
SAFE = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True, slots=True)
class HeldToken:
    """The token with which a call was made (`request.auth`)."""

    pk: int
    scopes: frozenset[str]


def require_scope(view: Any, request: Request) -> None:
    """Refuse a call with a token that lacks the scope needed. A person logged in with a session needs no scope.

    Reading needs `read`, or one of the view's ``reads``. A change needs one of the scopes that the view's ``scopes``
    give for the action, or one of those in ``scope`` if they give none.
    """
    token = request.auth
    if not isinstance(token, HeldToken):
        return
    needed = view.reads if request.method in SAFE else view.scopes.get(view.action, view.scope)
    if token.scopes.isdisjoint(needed):
        named = " or ".join(f"“{scope}”" for scope in needed)
        held = ", ".join(scope for scope in SCOPES if scope in token.scopes)
        raise NotAllowed(
            gettext(
                "This call needs the scope %(named)s, and the token has: %(held)s. Make a token with it "
                "on your profile."
            )
            % {"named": named, "held": held},
            code="missing-scope",
        )
