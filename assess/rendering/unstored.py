"""Stylesheets and images that a page refers to but that are not stored with it, including those in styles and
imports.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

NAMED = 2
"""How many addresses of a kind are named; the others are only counted."""
_ADDRESS_SHOWN = 120
_DOT = re.compile(r"\s*[01](?:\.[0-9]+)?\s*(?:px)?\s*\Z")


@dataclass(slots=True)
class Unstored:
    """The addresses of stylesheets and images on the web, each image with the element that shows it."""

    sheets: list[str] = field(default_factory=list)
    images: list[tuple[Element, str]] = field(default_factory=list)

    def note(self, hidden: Collection[Element]) -> str:
        """Return a sentence on what is not stored with the page; "" if nothing is missing.

        Images that the page hides and images of one pixel are not mentioned.
        """
        unseen = {inner for outer in hidden for inner in outer.iter()}
        images = [address for node, address in self.images if node not in unseen and not _is_dot(node)]
        said = [_named(self.sheets, "stylesheet"), _named(images, "image")]
        listed = "; ".join(filter(None, said))
        return f"Not stored with this page: {listed}." if listed else ""


def _is_dot(node: Element) -> bool:
    return any(_DOT.match(node.get(name, "")) for name in ("width", "height"))


def _named(found: Iterable[str], noun: str) -> str:
    addresses = list(dict.fromkeys(found))
    if not addresses:
        return ""
    shown = ", ".join(
        each if len(each) <= _ADDRESS_SHOWN else each[:_ADDRESS_SHOWN] + "…" for each in addresses[:NAMED]
    )
    count = f"1 {noun}" if len(addresses) == 1 else f"{len(addresses)} {noun}s"
    more = f" and {len(addresses) - NAMED} more" if len(addresses) > NAMED else ""
    return f"{count} ({shown}{more})"
