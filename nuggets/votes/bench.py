"""What the workbench for votes shows."""

from __future__ import annotations

from dataclasses import dataclass

from assess.assignments.models import Assignment
from assess.judging.queries.blind_responses import in_seeded_order
from assess.kinds.base import Tally
from nuggets.votes.current import own_votes
from nuggets.writing.counting_lists import active_nuggets, official_list
from nuggets.writing.models import Nugget, NuggetList, NuggetSource


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteDesk:
    """What a voter sees of the frozen list: the nuggets in the author's order, and the voter's own votes by number."""

    nugget_list: NuggetList
    nuggets: tuple[Nugget, ...]
    votes: dict[int, str]


def vote_desk(assignment: Assignment) -> VoteDesk | None:
    """Return what a voter sees, or None if no list is frozen yet. It contains no votes but the voter's own."""
    nugget_list = official_list(assignment.topic_id)
    if nugget_list is None:
        return None
    own = own_votes(nugget_list, assignment)
    return VoteDesk(
        nugget_list=nugget_list,
        nuggets=tuple(active_nuggets([nugget_list])[nugget_list.pk]),
        votes={vote.number: vote.importance for vote in own},
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteLine:
    """A nugget with its place in the voter's own order. ``vote`` is the voter's own vote, or "".

    ``besides`` holds further members that the nugget has in its file. Nobody's opinion is among them.
    """

    place: int
    number: int
    text: str
    vote: str
    quotes: tuple[str, ...]
    besides: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteBoard:
    """The nuggets of the list that counts (its id), and the number of nuggets on which the voter has voted."""

    list_id: int
    lines: tuple[VoteLine, ...]
    tally: Tally


def vote_board(assignment: Assignment) -> VoteBoard | None:
    """Return the page's content, or None if no list is frozen yet. Six queries for a list of any length.

    The nuggets are in a random order that depends on the voter, since the author's order would reveal which nuggets
    came to the author's mind first.
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
            besides=nugget.besides,
        )
        for place, nugget in enumerate(nuggets, start=1)
    )
    done = sum(1 for line in lines if line.vote)
    return VoteBoard(list_id=desk.nugget_list.pk, lines=lines, tally=Tally(done=done, total=len(lines), unit="nuggets"))
