"""Refusals: each has a status and a sentence for the person whose request is refused."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext

from assess.base.sentences import Sentence, in_words
from scoring.records import Issue


class Refused(Exception):
    """A request was refused. ``message`` says why and what to do next, in plain words.

    ``message`` is in the reader's language. Where it was given as a `Sentence`, ``sentence`` can be stored and read in
    another; else it is the message. ``field`` is the part of the request that is wrong, by the name that functions,
    forms and the API use; "" means the whole request.
    """

    status = 400
    code = "refused"

    def __init__(self, message: str | Promise, *, code: str = "", field: str = "") -> None:
        self.sentence = message if isinstance(message, Sentence) else str(message)
        self.message = in_words(message.made_of) if isinstance(message, Sentence) else str(message)
        super().__init__(self.message)
        self.field = field
        if code:
            self.code = code


class Invalid(Refused):
    """A value does not have the required form."""

    status = 422
    code = "invalid"


__all__ = [
    "BadFile",
    "BadShape",
    "Conflict",
    "Invalid",
    "NoLongerYours",
    "NotAllowed",
    "NotFound",
    "Refused",
    "UnknownItem",
]


class NotFound(Refused):
    """The object is absent, or the person may not see it; both look the same, so that nobody learns what exists."""

    status = 404
    code = "not-found"

    def __init__(self, message: str | Promise = "") -> None:
        super().__init__(message or gettext("There is nothing here for you at this address."))


UNKNOWN_ITEM = "unknown-item"
"""The code of a refusal if a number is no item of one's own assignment; browsers keep the unsent answer."""


class NoLongerYours(NotFound):
    """The assignment was the person's own, and was given back or to somebody else. ``now`` is the id of the assignment
    as which it is theirs again; None if it is not.
    """

    code = "no-longer-yours"

    def __init__(self, message: str, *, now: int | None = None) -> None:
        super().__init__(message)
        self.now = now


class UnknownItem(NotFound):
    """A number that names no item of the person's own assignment; a number of somebody else's looks the same."""

    code = UNKNOWN_ITEM

    def __init__(self) -> None:
        super().__init__(
            gettext("This is not in your work, or its number was changed after you opened the page. Reload the page.")
        )


class NotAllowed(Refused):
    """The person may see the object but not do this with it."""

    status = 403
    code = "not-allowed"


class BadShape(Invalid):
    """Data that a program sent has the wrong shape. ``faults`` are (field, what is wrong), with the field as a path."""

    def __init__(self, message: str, *, faults: Sequence[tuple[str, str]]) -> None:
        super().__init__(message)
        self.faults = tuple(faults)


class Conflict(Refused):
    """The state has changed: by somebody else's write, another value under the same key, or a frozen list."""

    status = 409
    code = "conflict"


class BadFile(Refused):
    """A file has errors; nothing of it was stored. ``issues`` are the first ones, ``total`` counts all errors."""

    status = 422
    code = "bad-file"

    def __init__(self, message: str, *, issues: Sequence[Issue], total: int) -> None:
        super().__init__(message)
        self.issues = tuple(issues)
        self.total = total

    @property
    def hidden(self) -> int:
        """The number of errors that are counted but not among ``issues``, where one issue may stand for several."""
        return self.total - sum(issue.count for issue in self.issues if issue.severity == "error")
