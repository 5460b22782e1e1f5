"""What the page of votes shows: nothing of what the author or other voters think."""

from __future__ import annotations

from dataclasses import dataclass

from assess.kinds.base import Tally
from assess.models import Assignment
from nuggets.models import NuggetSource
from nuggets.queries.desks import in_seeded_order, vote_desk


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteLine:
    """A nugget under the place that this voter's order gives it; ``vote`` is their own, or ""."""

    place: int
    number: int
    text: str
    vote: str
    quotes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteBoard:
    """The nuggets of the list that counts, and how many of them have the voter's vote."""

    lines: tuple[VoteLine, ...]
    tally: Tally


def vote_board(assignment: Assignment) -> VoteBoard | None:
    """The page's content, or None while no list is frozen; six queries, however long the list.

    The author's order would tell what they thought of first: the voter's seed gives another.
    """
    desk = vote_desk(assignment)
    if desk is None:
        return None
    quotes: dict[int, list[str]] = {}
    rows = NuggetSource.objects.filter(nugget__nugget_list=desk.nugget_list).order_by("id")
    for nugget, quote in rows.values_list("nugget_id", "quote"):
        if quote and quote not in quotes.setdefault(nugget, []):
            quotes[nugget].append(quote)
    nuggets = in_seeded_order(desk.nuggets, seed=assignment.seed, key=lambda nugget: nugget.number)
    lines = tuple(
        VoteLine(
            place=place,
            number=nugget.number,
            text=nugget.text,
            vote=desk.votes.get(nugget.number, ""),
            quotes=tuple(quotes.get(nugget.pk, ())),
        )
        for place, nugget in enumerate(nuggets, start=1)
    )
    done = sum(1 for line in lines if line.vote)
    return VoteBoard(lines=lines, tally=Tally(done=done, total=len(lines), unit="nuggets"))
