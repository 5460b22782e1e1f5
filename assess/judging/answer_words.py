"""Convert answers (values, texts, snippets) to the form in which pages send and show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assess.protocol import UNSURE, as_word

UNSURE_WORD = "unsure"
"""The word that pages send and show instead of a value when an assessor can't tell."""


def answer_word(value: int | None, given: Mapping[str, Any] | None) -> int | str | None:
    """Return an answer in the form that pages send and show: a grade's value, a word or JSON.

    Return None if nothing was answered.
    """
    if value is not None or given is None:
        return value
    return UNSURE_WORD if given == UNSURE else as_word(given)


def snippet_words(snippets: Iterable[Mapping[str, Any]]) -> list[list[object]]:
    """Return quote, value and label of each snippet, to compare them with what a page showed."""
    return [[each["quote"], each["value"], *([each["label"]] if each.get("label") else [])] for each in snippets]
