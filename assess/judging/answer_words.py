"""Convert answers (values, texts, snippets) to the form in which pages send and show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.formats import localize_input
from django.utils.translation import gettext, gettext_lazy

from assess.protocol import UNSURE, Criterion, as_word, given_words

UNSURE_WORD = "unsure"
"""The word that pages send and show instead of a value when an assessor can't tell."""
LINE_STATES = {
    "excused": gettext_lazy("excused"),
    "asked": gettext_lazy("asked"),
    "answered": gettext_lazy("answered"),
    "later": gettext_lazy("later"),
    "open": gettext_lazy("open"),
}
"""What a list shows of an item without an answer, by its flag or its state."""


def answer_word(value: int | None, given: Mapping[str, Any] | None) -> int | str | None:
    """Return an answer in the form that pages send and show: a grade's value, a word or JSON.

    Return None if nothing was answered.
    """
    if value is not None or given is None:
        return value
    return UNSURE_WORD if given == UNSURE else as_word(given)


def given_shown(criterion: Criterion | None, given: Mapping[str, Any]) -> str:
    """Return an answer without a grade in words, as pages show it in their language."""
    if "number" in given:
        return str(localize_input(given["number"]))
    if given.get("several") == []:
        return gettext("none of them")
    return given_words(criterion, given)


def snippet_words(snippets: Iterable[Mapping[str, Any]]) -> list[list[object]]:
    """Return quote, value and label of each snippet, to compare them with what a page showed."""
    return [[each["quote"], each["value"], *([each["label"]] if each.get("label") else [])] for each in snippets]
