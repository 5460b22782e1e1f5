"""Find how far a transform moves a box, or whether it leaves nothing of the box to see."""

from __future__ import annotations

import re

from assess.rendering.lengths import Values, length, number, parted, words_of

FAR = 999.0
"""The pixels that text must be moved left or up to be off the page from any position."""
SMALL = 0.02
"""The scale at or below which a text is unreadable."""

_FUNCTION = re.compile(r"([a-z0-9]+)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)")
_EDGE = re.compile(r"-?(?:90|270)deg|-?0?\.[27]5turn|-?(?:100|300)grad")
_BACK = re.compile(r"-?180deg|-?0?\.5turn|-?200grad")
_FLAT = ("rotatex", "rotatey")
Moved = tuple[tuple[float, float], tuple[float, float]]
"""How far an element is moved along each axis: in pixels, and as a share of its own size."""


def functions(transform: str) -> list[tuple[str, list[str]]]:
    """Return the functions of a transform, each with its arguments."""
    return [(name, _arguments(given)) for name, given in _FUNCTION.findall(transform)]


def moves(values: Values) -> Moved | None:
    """Return how far an element is moved; None if that is unknown, for instance because it is also turned."""
    moved = [[0.0, 0.0], [0.0, 0.0]]
    given = functions(values.get("transform", ""))
    translate = values.get("translate", "none")
    if translate != "none":
        given = [("translate", words_of(translate)), *given]
    for name, arguments in given:
        if not name.startswith("translate"):
            if name not in ("scale", "rotate") or any(number(each.rstrip("deg")) not in (0, 1) for each in arguments):
                return None
            continue
        for axis, value in enumerate(arguments[:2]):
            found = length(value)
            if found is None:
                return None
            at = {"translatey": 1, "translatez": None}.get(name, axis)
            if at is not None:
                moved[at][0] += found.pixels
                moved[at][1] += found.share
    return (moved[0][0], moved[0][1]), (moved[1][0], moved[1][1])


def is_moved_or_shrunk(values: Values) -> bool:
    """Return whether a transform moves text off the page from any position, shrinks it to nothing, or turns it so that
    only its edge is to be seen.
    """
    if any(_is_far(each) for each in words_of(values.get("translate", ""))):
        return True
    if any(_is_small(each) for each in words_of(values.get("scale", ""))[:2]):
        return True
    if any(axis in values.get("rotate", "").split() for axis in "xy") and _EDGE.search(values["rotate"]):
        return True
    for name, given in functions(values.get("transform", "")):
        if name.startswith("scale") and name != "scalez" and any(_is_small(each) for each in given[:2]):
            return True
        if name.startswith("translate") and name != "translatez" and any(_is_far(each) for each in given[:2]):
            return True
        if name in _FLAT and any(_EDGE.fullmatch(each) for each in given):
            return True
        if name.startswith("matrix") and _leaves_nothing([number(each) for each in given]):
            return True
    return False


def hides_its_back(values: Values) -> bool:
    """Return whether an element is turned round and its back is not shown."""
    if "hidden" not in (values.get("backface-visibility"), values.get("-webkit-backface-visibility")):
        return False
    rotate = values.get("rotate", "")
    turns = sum(
        name in _FLAT and bool(_BACK.fullmatch(given[0]))
        for name, given in functions(values.get("transform", ""))
        if given
    )
    turns += any(axis in rotate.split() for axis in "xy") and bool(_BACK.search(rotate))
    return turns % 2 == 1


def _leaves_nothing(numbers: list[float | None]) -> bool:
    known = [each or 0.0 for each in numbers]
    if len(known) == 6:
        wide, skewed, slanted, high, *by = known
    elif len(known) == 16:
        wide, skewed, slanted, high, by = known[0], known[1], known[4], known[5], known[12:14]
    else:
        return False
    return wide * high == skewed * slanted or any(each <= -FAR for each in by)


def _arguments(given: str) -> list[str]:
    """Return the arguments, which are separated by commas."""
    return [each for part in parted(given, ",".__eq__) if (each := part.strip())]


def _is_far(value: str) -> bool:
    found = length(value)
    return found is not None and found.pixels <= -FAR


def _is_small(value: str) -> bool:
    found = number(value)
    return found is not None and abs(found) <= SMALL
