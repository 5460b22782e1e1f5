"""Refusals: what a person asked for and may not have, each with a status and a sentence for the person."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext

from scoring.records import Issue


class Refused(Exception):
    """Something was refused. ``message`` says why and what to do next, in plain words.

    ``field`` is what it is about, by the name under which functions, forms and the API take it; "": all of it.
    """

    status = 400
    code = "refused"

    def __init__(self, message: str | Promise, *, code: str = "", field: str = "") -> None:
        super().__init__(message)
        self.message = str(message)
        self.field = field
        if code:
            self.code = code


class Invalid(Refused):
    """A value is not of the form it must have."""

    status = 422
    code = "invalid"


__all__ = ["BadFile", "BadShape", "Conflict", "Invalid", "NotAllowed", "NotFound", "Refused", "UnknownItem"]


class NotFound(Refused):
    """The object is absent, or the person may not see it; both look the same, so that nobody learns what exists."""

    status = 404
    code = "not-found"

    def __init__(self, message: str | Promise = "") -> None:
        super().__init__(message or gettext("There is nothing here for you at this address."))


UNKNOWN_ITEM = "unknown-item"
"""Code of a refusal of a number that names no item in one's own work: browsers keep what was said of it."""


class UnknownItem(NotFound):
    """A number that names nothing in work that is the person's own; another's numbers look the same."""

    code = UNKNOWN_ITEM

    def __init__(self) -> None:
        super().__init__(
            gettext("Nothing in your work has this number; a change of the site may have given it another.")
        )


class NotAllowed(Refused):
    """The person may see the object but not do this with it."""

    status = 403
    code = "not-allowed"


class BadShape(Invalid):
    """What a program sent is not of the right shape. ``faults`` are (field, what is wrong), the field as a path."""

    def __init__(self, message: str, *, faults: Sequence[tuple[str, str]]) -> None:
        super().__init__(message)
        self.faults = tuple(faults)


class Conflict(Refused):
    """The state has moved on: somebody else's write, another value under the same key, a frozen list."""

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
        """How many errors are counted and not told among ``issues``, alone or together with others."""
        return self.total - sum(issue.count for issue in self.issues if issue.severity == "error")
