"""What views read from a request, with its type checked."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar, cast
from uuid import UUID, uuid4

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_noop

from assess.base.errors import Invalid, Refused
from assess.base.quotes import SpanValues
from assess.campaigns.models import Campaign
from assess.campaigns.queries import point_named
from assess.ledger.models import How
from assess.ledger.newest import Click, Shown
from scoring.reading.json_reading import BadJson, read_json

T = TypeVar("T")


def wants_json(request: HttpRequest) -> bool:
    """Return whether the answer goes to a script (the outbox, the API) and not to a page."""
    return "application/json" in request.headers.get("Accept", "")


def person_of(request: HttpRequest) -> User:
    """Return the person who is logged in. Only for views that require a login."""
    return cast(User, request.user)


def add_refusal(form: forms.BaseForm, refused: Refused) -> None:
    """Show in a form why it was refused, beside the field that the refusal names, if the form has that field."""
    form.add_error(refused.field if refused.field in form.fields else None, refused.message)


def requested_point(request: HttpRequest, campaign: Campaign) -> int | None:
    """Return the ledger point that the address names, or None for the newest. Refuse a point that does not exist."""
    text = request.GET.get("as_of", "").strip()
    return point_named(campaign, text) if text else None


def posted_number(request: HttpRequest, name: str) -> int:
    """Return a whole number of the form, of at most 18 digits. Refuse the form if it is missing or anything else."""
    value = request.POST.get(name, "").strip()
    digits = value.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        raise Invalid(gettext("“%(name)s” must be a whole number. Reload the page and try again.") % {"name": name})
    return int(value)


def posted_yes_no(request: HttpRequest, name: str) -> bool:
    """Return a yes or no of the form. Refuse the form if it is missing or anything else."""
    value = request.POST.get(name, "")
    if value not in ("yes", "no"):
        raise Invalid(gettext("“%(name)s” must be yes or no. Reload the page and try again.") % {"name": name})
    return value == "yes"


def _posted(request: HttpRequest, name: str, read: Callable[[str], T], problem: str) -> T | None:
    """Return a value of the form, or None if it is empty. Refuse a value that can't be read, with the sentence
    ``problem``.
    """
    text = request.POST.get(name, "")
    try:
        return read(text) if text else None
    except (BadJson, ValueError) as error:
        raise Invalid(gettext(problem) % {"name": name}) from error


def posted_key(request: HttpRequest) -> UUID:
    """Return the key of a click. Refuse one that is no UUID. A form without one gets a new key, and is not protected
    against being sent twice.
    """
    problem = gettext_noop("“client_key” must be a UUID. Reload the page and try again.")
    return _posted(request, "client_key", UUID, problem) or uuid4()


def posted_click(request: HttpRequest, *, also: Collection[str] = ()) -> Click:
    """Return the click as the page sent it. It is made by key or by pointer, or in one of the ways in ``also``.

    Any other ``how`` is refused: no page can say that it is an import or an API call. What can't be read is refused,
    too.
    """
    how = request.POST.get("how", How.CLICK)
    if how not in (How.KEY, How.CLICK, *also):
        raise Invalid(
            gettext("%(how)s is not a way in which work comes in here. Reload the page and try again.")
            % {"how": how[:20]}
        )
    told = posted_number(request, "told") if request.POST.get("told", "") else None
    shown = Shown(posted_json(request, "shown")) if request.POST.get("shown", "") else None
    return Click(key=posted_key(request), how=how, shown=shown, told=told)


def posted_json(request: HttpRequest, name: str) -> Any:
    """Return the form's JSON value under this name; None if it is empty. Refuse what is no JSON."""
    return _posted(request, name, read_json, gettext_noop("“%(name)s” must be JSON. Reload the page and try again."))


def posted_seconds(request: HttpRequest) -> float | None:
    """Return the active seconds that a form gives; None if it gives none or no time. Refuse what is no number."""
    problem = gettext_noop("“seconds” must be a number. Reload the page and try again.")
    seconds = _posted(request, "seconds", float, problem)
    return seconds if seconds == seconds else None  # not a number is not a time


def posted_text(request: HttpRequest, name: str) -> str:
    """Return a text of the form, with plain line ends and without NUL."""
    return request.POST.get(name, "").replace("\x00", "").replace("\r\n", "\n")


def posted_span(request: HttpRequest) -> SpanValues | None:
    """Return the place of the marked words if a script sent one, otherwise None. Refuse what is no JSON object."""
    problem = gettext_noop("“span” must be JSON. Reload the page and mark the words again.")
    span: Any = _posted(request, "span", read_json, problem)
    if not isinstance(span, dict | None):
        raise Invalid(gettext("“span” must be a JSON object. Reload the page and mark the words again."))
    return cast(SpanValues | None, span)
