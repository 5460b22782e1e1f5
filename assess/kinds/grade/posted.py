"""What a click or a plain form says of an item: snippets, and answers without a grade."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext

from assess.base.errors import Invalid
from assess.judging.answer_words import UNSURE_WORD
from assess.protocol import UNSURE
from scoring.json_reading import BadJson, read_json


def posted_given(request: HttpRequest) -> dict[str, Any] | None:
    """The answer without a grade: a word or JSON as the script sends it, or the fields of a plain form; else None.

    What is no number is kept as it was typed, and refused with the question's own sentence.
    """
    value = request.POST.get("value", "")
    if value == UNSURE_WORD:
        return dict(UNSURE)
    if value.startswith("{"):
        try:
            given = read_json(value)
        except BadJson as error:
            raise Invalid(gettext("“value” must be JSON. Reload the page and try again.")) from error
        return dict(given)
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
    """The snippets that a click brings; a plain form may bring one more, as words that were copied into a field."""
    snippets = _snippets(request)
    if quote := request.POST.get("quote", "").strip().replace("\r\n", "\n"):
        snippets = [*(snippets or ()), {"quote": quote}]
    return snippets


def _snippets(request: HttpRequest) -> list[dict[str, object]] | None:
    value = request.POST.get("evidence", "")
    if not value:
        return None
    try:
        snippets = read_json(value)
    except BadJson as error:
        raise Invalid(gettext("“evidence” must be JSON. Reload the page and try again.")) from error
    if not isinstance(snippets, list):
        raise Invalid(gettext("“evidence” must be a JSON list. Reload the page and try again."))
    return snippets
