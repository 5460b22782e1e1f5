"""What adjudicators settle: things on which two people have different opinions. Each kind of work says how.

A kind of work expresses each opinion as a number on the scale of a criterion, so that one page, command and API can
compare grades, marks and votes. If work is settled as a whole (a list, a grouping, picks), the number is a digest of
its content, so equal content is agreement.
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
"""Roles in which all assignments together give one opinion on an item, whoever has them."""
NUMBER_DIGITS = 18
WHOLE_BYTES = 6
"""The length of a digest in bytes: numbers up to this size are exact in a browser."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AdjudicableItem:
    """What is disputed: an item, a nugget (``number``) in an item, a nugget of a topic, or all work on a topic."""

    topic_id: int
    item_id: int | None = None
    number: int | None = None

    @property
    def name(self) -> str:
        """The name in an address, unique within one criterion of one stage."""
        first = self.topic_id if self.item_id is None else self.item_id
        return str(first) if self.number is None else f"{first}-{self.number}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Opinion:
    """One person's value, identified by the id of its row.

    Whose value it is limits who may settle it, and is never shown.
    """

    row: int
    value: int
    assessor_id: int


@dataclass(slots=True)
class Opinions:
    """The opinions on one thing: the newest of the primary assessors, each second assessor's, and the decision.

    ``decided`` is the adjudicator's value and note. ``is_wanted`` means that an answer has to be given although
    opinions don't differ: an earlier decision asks the question, and the assessor whose answer counts was not asked.
    ``seconds`` maps an assessor to their opinion and to whether they still have the assignment.
    """

    primary: Opinion | None = None
    seconds: dict[int, tuple[Opinion, bool]] = field(default_factory=dict)
    decided: tuple[int, str] | None = None
    is_wanted: bool = False

    def add(self, role: str, side: Opinion, *, is_live: bool = True, note: str = "") -> None:
        """Add one person's opinion. Of several primary assessors or adjudicators, the last one added counts.

        ``is_live`` means that the person still has the assignment.
        """
        if role == ADJUDICATOR:
            self.decided = (side.value, note)
        elif role == PRIMARY:
            self.primary = side
        else:
            self.seconds[side.assessor_id] = (side, is_live)


@dataclass(frozen=True, kw_only=True, slots=True)
class Disagreement:
    """A thing on which opinions differ on one criterion. The order of the ``sides`` does not reveal roles.

    There are fewer than two ``sides`` if an earlier decision asks the question (`Opinions.is_wanted`).

    ``size`` is the number of steps on the scale between the lowest and the highest value (1 on a nominal scale).
    ``decided`` is the adjudicator's value or None, ``note`` the adjudicator's note.
    """

    thing: AdjudicableItem
    topic: str
    sides: tuple[Opinion, ...]
    size: int
    decided: int | None = None
    note: str = ""

    @property
    def name(self) -> str:
        """The thing's name in an address."""
        return self.thing.name

    @property
    def topic_id(self) -> int:
        """The id of the thing's topic."""
        return self.thing.topic_id

    @property
    def values(self) -> tuple[int, ...]:
        """The values of the opinions, in the order of display."""
        return tuple(side.value for side in self.sides)


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """An adjudicator's decision about one thing on one criterion; a ``value`` of None withdraws the decision.

    ``about`` is the text of the disputed nugget that the page showed, or None if it does not say that.
    """

    thing: str
    criterion: str
    value: int | None
    client_key: UUID
    note: str = ""
    how: str = "key"
    seconds: float | None = None
    about: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """A thing in a list: its label, and its document's docno."""

    label: str
    docno: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class OpinionLine:
    """A line of work that is compared as a whole; ``is_alone`` means that no other side has this line."""

    text: str
    mark: str = ""
    is_alone: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Reasoning:
    """The reasons that go with an opinion: notes, quotes from the document, and the lines of work that is compared as a
    whole.
    """

    notes: Sequence[str] = ()
    quotes: Sequence[str] = ()
    lines: Sequence[OpinionLine] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetFacts:
    """More about a disputed nugget: its number, its text, and the documents in which it was seen."""

    number: int
    text: str
    sources: Sequence[str] = ()


OpinionsOn = Mapping[AdjudicableItem, Opinions]
Narrow = Collection[str] | None
Spread = Mapping[tuple[int, int, int, bool], int]
"""The number of disputed things by topic (id), lowest value, highest value, and whether they are decided."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Adjudication:
    """How disagreements in one kind of work are settled. Every function makes a bounded number of queries.

    ``criteria(campaign, stage)`` returns the criteria that are compared. ``opinions(campaign, stage, criterion, things,
    topics)`` returns the opinions on things that may be disputed or were settled, only for these names of things (None:
    all) and these topics (ids). ``counted(campaign, stage, criterion, topics)`` counts disagreements without reading
    them one by one, in topics in which no side gave its assignment back or took over another's, and names the things
    that it leaves to ``opinions``; it is None if a kind reads them all. ``labels`` and ``reasonings`` return what is
    shown of them; ``about`` returns the nuggets that are disputed, by the names of the things. ``record(actor,
    assignment, stage, row, decision)`` adds the decision to the ledger and returns the row with its key.
    ``count_opinions(campaign, stage, limit)`` counts second assessors' opinions up to a limit. ``topic_of(number)``
    returns the topic (id) of the things whose names begin with a number, or None; by default the number is the topic's
    own, which is right unless things are items or belong to items.

    ``is_whole`` means that work is settled as a whole. ``is_choice`` means that a decision is optional, because every
    vote counts or because two lists are never alike. ``taking`` is a sentence on what it means to take a whole work;
    ``can_go_back`` says whether that can be undone.
    """

    criteria: Callable[[Campaign, Stage], Sequence[Criterion]]
    opinions: Callable[[Campaign, Stage, Criterion, Narrow, Collection[int]], OpinionsOn]
    labels: Callable[[Campaign, Stage, Sequence[Disagreement]], Mapping[str, Label]]
    reasonings: Callable[[Campaign, Stage, Criterion, Disagreement], Mapping[int, Reasoning]]
    record: Callable[[User, Assignment, Stage, Disagreement, Decision], LedgerRow]
    count_opinions: Callable[[Campaign, Stage, int], int]
    topic_of: Callable[[int], int | None] = lambda number: number
    about: Callable[[Sequence[Disagreement]], Mapping[str, NuggetFacts]] = lambda rows: {}
    counted: Callable[[Campaign, Stage, Criterion, Collection[int]], tuple[Spread, Sequence[str]]] | None = None
    keeps_note: bool = False
    is_whole: bool = False
    is_choice: bool = False
    can_go_back: bool = True
    taking: str = ""


def parse_name(name: str) -> tuple[int, int | None] | None:
    """Return the numbers in a thing's name, or None if it is not such a name.

    >>> parse_name("17-3"), parse_name("17"), parse_name("x")
    ((17, 3), (17, None), None)
    """
    first, dash, number = name.partition("-")
    parts = [first, number] if dash else [first]
    if not all(part.isascii() and part.isdigit() and len(part) <= NUMBER_DIGITS for part in parts):
        return None
    return int(first), int(number) if dash else None


def first_ids(names: Iterable[str]) -> set[int]:
    """Return the ids of the items or topics with which these names begin."""
    return {parsed[0] for parsed in map(parse_name, names) if parsed is not None}


def digest_of(content: object) -> int:
    """Return one number for the whole content of an assignment. On one site, equal content gives equal numbers.

    The digest uses a secret of the site, since adjudicators see it. A plain digest of a few ids could be reversed by
    trying, and the ids would reveal the order of runs.
    """
    return int.from_bytes(salted_hmac("assay.wholes", repr(content), algorithm="sha256").digest()[:WHOLE_BYTES])
