"""Sentences stored in English with what they are made of, for pages to translate: how jobs end, and why they fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, override

from assess.base.numbers import grouped


def ngettext_noop(one: str, many: str) -> tuple[str, str]:
    """Mark the singular and the plural of a text for the catalogue, and return both."""
    return one, many


class CatalogueText(str):
    """A text that is in the catalogue as it is, such as the label of a stage: as a value of a sentence it is translated
    with it.
    """

    __slots__ = ()


class Sentence(str):
    """An English sentence that knows the text of the catalogue and the values of which it is made.

    >>> str(Sentence("%(number)s line of %(name)s.", "%(number)s lines of %(name)s.", 1200, name="a.txt"))
    '1,200 lines of a.txt.'
    """

    __slots__ = ("made_of",)
    made_of: dict[str, Any]

    def __new__(cls, text: str, many: str = "", number: int = 1, **values: Any) -> Sentence:
        """Make a sentence of a text and its values: numbers, texts, sentences, labels that Django translates, and lists
        of these.

        ``many`` is the text for any ``number`` other than 1. Both texts may contain the number.
        """
        made_of = {"text": text, "many": many, "number": number, "values": _stored(values)}
        with override("en"):
            made = super().__new__(cls, in_words(made_of))
        made.made_of = {**made_of, "said": str(made)}
        return made


def in_words(made_of: Mapping[str, Any]) -> str:
    """Return the sentence that was stored as ``made_of``, in the reader's language."""
    text, many, number = made_of["text"], made_of["many"], made_of["number"]
    words = ngettext(text, many, number) if many else gettext(text)
    if made_of["values"] is None:
        return words
    values = {name: _word(value) for name, value in made_of["values"].items()}
    return words % {"number": grouped(number), **values}


def told(text: str) -> str:
    """Return a sentence in the reader's language; another text, too, if it is a whole text of the catalogue, else as
    it is.
    """
    if isinstance(text, Sentence):
        return in_words(text.made_of)
    return gettext(text) if text else ""


def _word(value: Any) -> str:
    if isinstance(value, int):
        return grouped(value)
    if isinstance(value, list):
        return ", ".join(map(_word, value))
    return in_words(value) if isinstance(value, dict) else str(value)


def _stored(value: Any) -> Any:
    """Return a value in stored form. A sentence becomes the text and the values of which it is made."""
    if isinstance(value, Sentence):
        return value.made_of
    if isinstance(value, CatalogueText | Promise):
        with override("en"):
            return {"text": str(value), "many": "", "number": 1, "values": None}
    if isinstance(value, dict):
        return {name: _stored(each) for name, each in value.items()}
    return [_stored(each) for each in value] if isinstance(value, list) else value
