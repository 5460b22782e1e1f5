"""A broken rule of designs, its place, and the words that describe it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from tracks.designs.places import Path


@dataclass(frozen=True, kw_only=True, slots=True)
class BrokenRule:
    """A rule that a design breaks: the path of the member at fault, and what is wrong with it."""

    path: Path
    message: str
    severity: Literal["error", "warning"] = "error"


def doubled_names(what: str, names: Iterable[str], path: Path) -> Iterator[BrokenRule]:
    seen: set[str] = set()
    for place, name in enumerate(names):
        if name in seen:
            yield BrokenRule(
                path=(*path, place), message=f"There are two of {what} {name}: give each a name of its own."
            )
        seen.add(name)


def unknown_name(what: str, name: str, known: Sequence[str], where: str) -> str:
    near = get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    there = f" There are: {', '.join(known)}." if known else " There is none."
    return f"There is no {what} “{name}”{f' {where}' if where else ''}.{hint}{there}"


def quoted(value: Any) -> str:
    return f"“{value}”" if isinstance(value, str) else str(value)


def not_yet_known(path: Path, what: str) -> BrokenRule:
    return BrokenRule(path=path, message=f"Not yet known: {what}. Leave it out until it is.")
