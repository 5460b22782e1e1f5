"""How pages send and show what was answered: a value, a word, the snippets that go with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assess.protocol import UNSURE, as_word

UNSURE_WORD = "unsure"
"""What pages send and show in place of a value where somebody can't tell."""


def answer_word(value: int | None, given: Mapping[str, Any] | None) -> int | str | None:
    """Return an answer as pages send and show it: the value of the grade, a word or JSON, or None for no answer."""
    if value is not None or given is None:
        return value
    return UNSURE_WORD if given == UNSURE else as_word(given)


def snippet_words(snippets: Iterable[Mapping[str, Any]]) -> list[list[object]]:
    """Return what a page shows of snippets, to be compared with what it showed: quote, value and label."""
    return [[each["quote"], each["value"], *([each["label"]] if each.get("label") else [])] for each in snippets]
