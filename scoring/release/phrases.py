"""English phrases that know the text and the values of which they are made, so that a site can say them otherwise."""

from __future__ import annotations

from typing import Any


def marked(text: str) -> str:
    """Mark a text of which phrases are made, for the catalogue of a site, and return it."""
    return text


class Phrase(str):
    """A phrase of an explanation: a text with the values in it, which may be phrases themselves.

    >>> said = Phrase("{count} of {all} averaged", count=1, all=2)
    >>> said == "1 of 2 averaged", said.text, said.values
    (True, '{count} of {all} averaged', {'count': 1, 'all': 2})
    """

    __slots__ = ("text", "values")
    text: str
    values: dict[str, Any]

    def __new__(cls, text: str, **values: Any) -> Phrase:
        """Make a phrase of a text and the values that it names in braces."""
        made = super().__new__(cls, text.format(**values))
        made.text, made.values = text, values
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        """Return what a copy is made of."""
        return (self.text,), self.values


def yes_or_no(is_so: bool) -> Phrase:
    """Return the word for whether something is so."""
    return Phrase("yes") if is_so else Phrase("no")
