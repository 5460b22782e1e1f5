"""What adjudicators settle: items on which two people have different opinions. Each kind of work says how.

A kind of work says what everybody said of each thing as a number on the scale of a criterion, so that the same page,
command and API set the sides of a grade, a mark and a vote beside each other. Of works that are settled as a whole (a
list, a grouping, picks) the number is a digest of what the work holds: who holds the same agrees.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from django.utils.crypto import salted_hmac

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from assess.assignments.models import Assignment
    from assess.campaigns.models import Campaign
    from assess.ledger.models import LedgerRow
    from assess.protocol import Criterion, Stage

PRIMARY, ADJUDICATOR = "primary", "adjudicator"
"""Roles in which all assignments together give one opinion on an item, whoever holds them."""
NUMBER_DIGITS = 18
WHOLE_BYTES = 6
"""Bytes of the digest of a whole: what a browser still counts exactly."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AdjudicableItem:
    """What is disputed: an item, a nugget (``number``) in an item, a nugget of a topic, or all of a topic's work."""

    topic_id: int
    item_id: int | None = None
    number: int | None = None

    @property
    def name(self) -> str:
        """What names it in an address, within one criterion of one stage."""
        first = self.topic_id if self.item_id is None else self.item_id
        return str(first) if self.number is None else f"{first}-{self.number}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Opinion:
    """One person's value, by the number of its row. Whose it is decides who may settle it, and is never shown."""

    row: int
    value: int
    assessor_id: int


@dataclass(slots=True)
class Opinions:
    """What was said of one thing: the newest of the authors, each other assessor's, the adjudicator's with a note.

    ``seconds`` holds by assessor their side, and whether it is still their work.
    """

    primary: Opinion | None = None
    seconds: dict[int, tuple[Opinion, bool]] = field(default_factory=dict)
    decided: tuple[int, str] | None = None

    def hear(self, role: str, side: Opinion, *, is_live: bool = True, note: str = "") -> None:
        """Take in one person's word; of several authors and adjudicators, the one heard last stands."""
        if role == ADJUDICATOR:
            self.decided = (side.value, note)
        elif role == PRIMARY:
            self.primary = side
        else:
            self.seconds[side.assessor_id] = (side, is_live)


@dataclass(frozen=True, kw_only=True, slots=True)
class Disagreement:
    """A thing with values that differ on one criterion. ``sides`` stand in an order that says nothing of roles.

    ``size`` counts the steps on the scale between the lowest and the highest (1 on a nominal scale). ``decided`` is
    the adjudicator's value, with their note, or None.
    """

    thing: AdjudicableItem
    topic: str
    sides: tuple[Opinion, ...]
    size: int
    decided: int | None = None
    note: str = ""

    @property
    def name(self) -> str:
        """What names it in an address."""
        return self.thing.name

    @property
    def topic_id(self) -> int:
        """The topic that it belongs to."""
        return self.thing.topic_id

    @property
    def values(self) -> tuple[int, ...]:
        """The values of the opinions, in the order of display."""
        return tuple(side.value for side in self.sides)


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """An adjudicator's decision on one item by one criterion; a ``value`` of None withdraws the decision."""

    thing: str
    criterion: str
    value: int | None
    client_key: UUID
    note: str = ""
    how: str = "key"
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """A thing in a list: what it is called in a line, and its document."""

    label: str
    docno: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class OpinionLine:
    """A line of a whole work; ``is_alone``: no other side has it."""

    text: str
    mark: str = ""
    is_alone: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Reasoning:
    """What a side says beside its value: notes, quotes from the document, the lines of a whole work."""

    notes: Sequence[str] = ()
    quotes: Sequence[str] = ()
    lines: Sequence[OpinionLine] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """What is disputed where that is more than an item: a nugget's number, text, and where it was seen."""

    number: int
    text: str
    sources: Sequence[str] = ()


Said = Mapping[AdjudicableItem, Opinions]
Narrow = Collection[str] | None
Spread = Mapping[tuple[int, int, int, bool], int]
"""How many things sides say differently, by topic (id), lowest value, highest value, and whether that is decided."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Adjudication:
    """How one kind of work is settled. Every function costs a bounded number of queries, whatever there is.

    ``criteria(campaign, stage)``: what is asked. ``said(campaign, stage, criterion, things, topics)``: what people said
    of the things that may be disputed or were settled, narrowed to names of things and to topics (ids). ``counted``
    counts these without reading them one by one, in topics in which no side gave work back or went on with another's,
    and names the things that it leaves to ``said``; None where a kind reads them all. ``labels`` and
    ``reasonings`` show them, ``about`` says more where a thing is not an item. ``record(actor, assignment, stage, row,
    decision)`` adds the decision to the ledger, and returns the row that the key stands for. ``count_opinions(campaign,
    stage, limit)`` counts what second assessors said, up to a limit. ``topic_of(number)``: the topic (id) of the things
    whose names begin with a number, which is its own unless they are items or lie in items; None where there is none.
    ``is_whole``: works are settled as wholes. ``is_choice``: nothing is missing where nobody
    decides, as every vote counts, and two lists are never alike. ``taking`` says in a sentence what taking a whole work
    does; it can be taken back where it ``can_go_back``.
    """

    criteria: Callable[[Campaign, Stage], Sequence[Criterion]]
    said: Callable[[Campaign, Stage, Criterion, Narrow, Collection[int]], Said]
    labels: Callable[[Campaign, Stage, Sequence[Disagreement]], Mapping[str, Label]]
    reasonings: Callable[[Campaign, Stage, Criterion, Disagreement], Mapping[int, Reasoning]]
    record: Callable[[User, Assignment, Stage, Disagreement, Decision], LedgerRow]
    count_opinions: Callable[[Campaign, Stage, int], int]
    topic_of: Callable[[int], int | None] = lambda number: number
    about: Callable[[Campaign, Stage, Disagreement], About | None] | None = None
    counted: Callable[[Campaign, Stage, Criterion, Collection[int]], tuple[Spread, Sequence[str]]] | None = None
    keeps_note: bool = False
    is_whole: bool = False
    is_choice: bool = False
    can_go_back: bool = True
    taking: str = ""


def parse_name(name: str) -> tuple[int, int | None] | None:
    """Return the numbers in a thing's name; None where it names nothing.

    >>> parse_name("17-3"), parse_name("17"), parse_name("x")
    ((17, 3), (17, None), None)
    """
    first, dash, number = name.partition("-")
    parts = [first, number] if dash else [first]
    if not all(part.isascii() and part.isdigit() and len(part) <= NUMBER_DIGITS for part in parts):
        return None
    return int(first), int(number) if dash else None


def firsts(names: Iterable[str]) -> set[int]:
    """Return the ids of the items or topics that these names begin with."""
    return {parsed[0] for parsed in map(parse_name, names) if parsed is not None}


def digest_of(content: object) -> int:
    """Return what a whole work holds, as one number: equal content, equal number, on this site.

    It is made with a key that the site keeps, since whoever settles sees it: from a plain digest of a few ids these
    could be found by trying, and ids stand in the order of runs.
    """
    return int.from_bytes(salted_hmac("assay.wholes", repr(content), algorithm="sha256").digest()[:WHOLE_BYTES])
