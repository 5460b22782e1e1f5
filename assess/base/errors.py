"""The refusals that the tables themselves give; the others are in `assess/domain/errors.py`."""

from __future__ import annotations


class Refused(Exception):
    """Something was refused. ``message`` says why and what to do next, in plain words.

    ``field`` is what it is about, by the name under which functions, forms and the API take it; "": all of it.
    """

    status = 400
    code = "refused"

    def __init__(self, message: str, *, code: str = "", field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        if code:
            self.code = code


class Invalid(Refused):
    """A value is not of the form it must have."""

    status = 422
    code = "invalid"
