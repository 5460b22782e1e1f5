"""Read a judgment from a click or a plain form: a grade, or an answer without one, with its note and snippets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext

from assess.base.errors import Invalid
from assess.judging.answer_words import UNSURE_WORD
from assess.kinds.grade.record import JudgmentInput
from assess.ledger.newest import Click
from assess.protocol import UNSURE
from assess.web.requests import posted_json, posted_number, posted_seconds, posted_text


def posted_judgment(request: HttpRequest, click: Click) -> Callable[..., JudgmentInput]:
    """Return a function that takes ``item`` and returns the judgment that the form holds."""
    given = posted_given(request)
    return partial(
        JudgmentInput,
        criterion=request.POST.get("criterion", ""),
        value=posted_number(request, "value") if request.POST.get("value") and given is None else None,
        given=given,
        client_key=click.key,
        how=click.how,
        note=posted_text(request, "note"),
        evidence=posted_evidence(request),
        seconds=posted_seconds(request),
    )


def posted_given(request: HttpRequest) -> dict[str, Any] | None:
    """Return the answer without a grade, from a script's word or JSON or from the fields of a plain form; else None.

    Text that is not a number is kept as typed, so that the question's own message refuses it.
    """
    value = request.POST.get("value", "")
    if value == UNSURE_WORD:
        return dict(UNSURE)
    if value.startswith("{"):
        return dict(posted_json(request, "value"))
    if value != "given":
        return None
    if "given_text" in request.POST:
        return {"text": request.POST["given_text"].replace("\x00", "").replace("\r\n", "\n")}
    if "given_number" in request.POST:
        return {"number": _number(request.POST["given_number"])}
    if "given_order" in request.POST:
        return {"rank": [_number(each) for each in request.POST["given_order"].replace(",", " ").split()]}
    chosen = {_number(each) for each in request.POST.getlist("given_several")}
    return {"several": sorted(chosen, key=lambda each: (isinstance(each, str), each))}


def _number(text: str) -> Any:
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def posted_evidence(request: HttpRequest) -> list[dict[str, object]] | None:
    """Return the snippets of a click; a plain form may add one more, as text pasted into a field."""
    snippets: list[dict[str, object]] | None = posted_json(request, "evidence")
    if request.POST.get("evidence") and not isinstance(snippets, list):
        raise Invalid(gettext("“evidence” must be a JSON list. Reload the page and try again."))
    if quote := request.POST.get("quote", "").strip().replace("\r\n", "\n"):
        snippets = [*(snippets or ()), {"quote": quote}]
    return snippets
