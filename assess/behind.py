"""What stands behind a row of an explained score: the ledger rows that people added about the thing it stands for.

A row says by `scoring.records.About` what it stands for. Apps register who finds what was said of each kind of thing;
of a thing that several know, what each says stands one after the other. `assess` knows of items; it need not know which
app knows of nuggets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assess.models import Campaign, Run
    from scoring.records import About


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """Words selected in a document, with what stands before and after them; ``value`` is their own grade or ""."""

    quote: str
    docno: str = ""
    before: str = ""
    after: str = ""
    value: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Deed:
    """One ledger row: what was said, when and how. ``was`` is what it changed, "" where it was the first.

    ``seconds`` and ``guideline`` are None where they were not recorded.
    """

    number: int
    value: str
    at: datetime
    how: str
    was: str = ""
    seconds: float | None = None
    guideline: int | None = None
    note: str = ""
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """Everything that one person said to one question about a thing, in the order of the ledger.

    ``role`` is what participants see of who it was, ``assessor`` what organisers see. ``counts``: the newest of the
    rows is the official value.
    """

    question: str
    role: str
    assessor: str
    deeds: tuple[Deed, ...]
    counts: bool = False

    @property
    def last(self) -> Deed:
        """What they say now."""
        return self.deeds[-1]

    @property
    def earlier(self) -> tuple[Deed, ...]:
        """What they said before, the newest first."""
        return self.deeds[-2::-1]


@dataclass(frozen=True, kw_only=True, slots=True)
class Thing:
    """What a row stands for, and all that was said of it. ``docno`` is "" where no document belongs to it."""

    title: str
    text: str = ""
    docno: str = ""
    said: tuple[Said, ...] = ()


Finder = Callable[["Campaign", "About", "Run | None", "int | None"], Thing | None]
"""Campaign, what to find, the run whose value is explained (None where judgments alone score it), ledger point."""

_FINDERS: dict[str, list[Finder]] = {}


def register(kind: str, finder: Finder) -> None:
    """Make known who finds things of this kind; called by each app when the site starts."""
    finders = _FINDERS.setdefault(kind, [])
    if finder not in finders:
        finders.append(finder)


def find_behind(campaign: Campaign, about: About, *, run: Run | None, as_of: int | None) -> Thing | None:
    """The thing with everything said of it up to a ledger point; None where nobody knows it."""
    found: Thing | None = None
    for finder in _FINDERS.get(about.kind, ()):
        thing = finder(campaign, about, run, as_of)
        if thing is not None:
            found = thing if found is None else replace(found, said=(*found.said, *thing.said))
    return found


def in_turn(deeds: list[Deed]) -> tuple[Deed, ...]:
    """The deeds of one person on one question, each knowing what it changed."""
    return tuple(
        replace(deed, was=deeds[place - 1].value) if place and deeds[place - 1].value != deed.value else deed
        for place, deed in enumerate(deeds)
    )
