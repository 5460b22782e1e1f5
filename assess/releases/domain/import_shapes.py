"""Check the rows of a release: the type, length and range of each member. `BadRelease` names file, line and member."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from scoring.pooling.recipe import read_recipe
from scoring.reading.json_reading import Flaw
from scoring.reading.opening import excerpt_of
from scoring.release.releases import BadRelease

Check = Callable[[Any], str]
"""A check that returns what a value must be, as "must be …", or "" if it is right."""

WHOLE_LIMIT = 2**31 - 1


def text(most: int, pattern: str = "", like: str = "") -> Check:
    """Return a check for a text of at most ``most`` characters without NUL.

    With a ``pattern``, the whole text must match it; ``like`` is an example for the message.
    """

    def check(value: Any) -> str:
        if not isinstance(value, str) or len(value) > most or "\0" in value:
            return f"must be text of at most {most:,} characters"
        return f"must be like {like}" if pattern and not re.fullmatch(pattern, value) else ""

    return check


def whole(low: int, high: int = WHOLE_LIMIT) -> Check:
    """Return a check for a whole number in a range."""

    def check(value: Any) -> str:
        is_one = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return "" if is_one else f"must be a whole number from {low:,} to {high:,}"

    return check


def share(value: Any) -> str:
    """Return "" for a probability above 0, otherwise what the value must be."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return "" if is_number and 0 < value <= 1 else "must be a number above 0 and up to 1"


def flag(value: Any) -> str:
    """Return "" for true or false, otherwise what the value must be."""
    return "" if isinstance(value, bool) else "must be true or false"


def mapping(value: Any) -> str:
    """Return "" for an object, otherwise what the value must be."""
    return "" if isinstance(value, dict) else "must be an object"


def or_null(check: Check) -> Check:
    """Return a check that also accepts null."""
    return lambda value: "" if value is None else (found := check(value)) and f"{found}, or null"


def one_of(*known: str) -> Check:
    """Return a check for one of these words."""
    return lambda value: "" if isinstance(value, str) and value in known else f"must be one of {', '.join(known)}"


def list_whose(check: Check) -> Check:
    """Return a check for a list whose entries all pass ``check``."""

    def all_of(value: Any) -> str:
        if not isinstance(value, list):
            return "must be a list"
        return next((f"holds what {found}" for each in value if (found := check(each))), "")

    return all_of


def tuple_of(*checks: Check) -> Check:
    """Return a check for a list with one entry for each of these checks."""

    def each_of(value: Any) -> str:
        if not isinstance(value, list) or len(value) != len(checks):
            return f"must be a list of {len(checks)}"
        return next((found for check, each in zip(checks, value, strict=True) if (found := check(each))), "")

    return each_of


def mapping_of(key: Check, check: Check) -> Check:
    """Return a check for an object whose keys and values pass the two checks."""

    def all_of(value: Any) -> str:
        if not isinstance(value, dict):
            return "must be an object"
        wrong = (found for name, each in value.items() if (found := key(name) or check(each)))
        return next((f"holds what {found}" for found in wrong), "")

    return all_of


def record(needed: Mapping[str, Check], further: Mapping[str, Check] | None = None) -> Check:
    """Return a check for an object with these members, optionally with the further ones, and no others."""
    known = {**needed, **(further or {})}

    def check(value: Any) -> str:
        if not isinstance(value, dict) or not needed.keys() <= value.keys() <= known.keys():
            return f"must be an object with {', '.join(known)}"
        return next((f"says a “{name}” that {found}" for name in value if (found := known[name](value[name]))), "")

    return check


def checked_row(
    value: Any, members: Mapping[str, Check], where: str, further: Mapping[str, Check] | None = None
) -> dict[str, Any]:
    """Return an object that has these members, and possibly the further ones (None if missing), but no others.

    Raise `BadRelease` if it does not.
    """
    if isinstance(value, Flaw):
        raise BadRelease(f"{where}: {value.message}")
    known = {**members, **further} if further else members
    if not isinstance(value, dict) or not members.keys() <= value.keys() <= known.keys():
        raise BadRelease(f"{where} is no object with {', '.join(known)}")
    for name, check in known.items():
        if name in value and (found := check(value[name])):
            raise BadRelease(f"{where}: “{name}” {found}; it is {excerpt_of(repr(value[name]), length=60)}")
    return dict.fromkeys(known) | value if further else value


def _choosing(value: Any) -> str:
    """Return "" for a strategy as `scoring.pooling.recipe` writes it, otherwise what the value must be."""
    try:
        read_recipe(json.dumps(value))
    except (ValueError, RecursionError) as error:
        return f"must be the recipe of a strategy ({error})"
    return ""


def _number(value: Any) -> str:
    """Return "" for a finite number, otherwise what the value must be."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return "" if is_number else "must be a number"


_RUN = text(300)
_KIND = {"kind": text(30)}
_CHOICE = {"priorities": list_whose(whole(-WHOLE_LIMIT)), "depth": whole(0)}
_COUNTED = {"documents": whole(0), "sha256": text(64)}

RECIPE = record(
    {"strategy": text(50), **_KIND},
    {
        "priorities": _CHOICE["priorities"],
        "runs": list_whose(tuple_of(_RUN, _RUN)),
        "kinds": list_whose(record(_KIND, _CHOICE)),
        "topics": list_whose(text(100)),
        "best": mapping_of(
            text(30), record({"measure": text(100), "runs": whole(1), "scores": mapping_of(_RUN, or_null(_number))})
        ),
        "ordered": list_whose(text(30)),
        "ranked": mapping_of(text(30), mapping_of(_RUN, tuple_of(whole(0), whole(0)))),
        "selection": record(
            {"recipe": _choosing},
            {
                "lists": whole(0),
                "batch": whole(1),
                "union": record(_COUNTED, {"file": text(255)}),
                "minus_judged": record(_COUNTED),
                "relevant_from": whole(-WHOLE_LIMIT),
                "rankings": text(64),
            },
        ),
    },
)
"""The recipe of a pool, as `assess.pools.domain.candidates` writes it."""
