"""Reads nugget lists, matches, votes and lengths from frames, mappings and rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scoring.commands.command_line import WrongCall
from scoring.commands.nuggets import Campaign, require_known_nuggets
from scoring.formats.pool_tables import parse_importance, parse_nugget_name
from scoring.front.inputs import RUN, TOPIC, Column, InputError, rows_of, to_text, to_whole
from scoring.records import Importance, Issue, Nugget, NuggetVote, ResponseLength, RunMatch


def _importance(value: Any) -> Importance:
    found = parse_importance(str(value))
    if found is None:
        raise ValueError("must be vital or okay")
    return found


def _nugget(value: Any) -> tuple[int, int]:
    """Return a nugget's number and its part, from 5, "5" or "5.1"."""
    found = parse_nugget_name(str(value))
    if found is None:
        raise ValueError("must be a nugget's number, as in 5 or 5.1")
    return found


NUMBER = Column(name="number", others=("nugget", "nugget_id"), read=to_whole)
NAME = Column(name="number", others=("nugget", "nugget_id"), read=_nugget)
IMPORTANCE = Column(name="importance", others=("vote", "label"), read=_importance)
TEXT = Column(name="text", others=("nugget_text",), read=str, otherwise="")
ITEM = Column(name="item", others=("string",), read=to_whole, otherwise=0)
ASSESSOR = Column(name="assessor", others=("judge", "annotator"), read=to_text)
CHARACTERS = Column(name="characters", others=("length",), read=to_whole)
OF_RUN = Column(name="run", others=RUN.others, read=to_text)


def lists_of(source: Any) -> Iterator[Nugget]:
    """Yield nuggets from rows of topic, number, importance, text."""
    for topic, number, importance, text in rows_of(source, (TOPIC, NUMBER, IMPORTANCE, TEXT), what="nuggets"):
        yield Nugget(topic=topic, number=number, importance=importance, text=text)


def marks_of(source: Any) -> Iterator[RunMatch]:
    """Yield matches from rows of topic, run, item, number."""
    for topic, run, item, (number, part) in rows_of(source, (TOPIC, OF_RUN, ITEM, NAME), what="matches"):
        yield RunMatch(topic=topic, run=run, item=item, number=number, part=part)


def votes_of(source: Any) -> Iterator[NuggetVote]:
    """Yield votes from rows of topic, number, assessor, importance; nothing if the source is None."""
    rows = () if source is None else source
    for topic, number, assessor, importance in rows_of(rows, (TOPIC, NUMBER, ASSESSOR, IMPORTANCE), what="votes"):
        yield NuggetVote(topic=topic, number=number, assessor=assessor, importance=importance)


def lengths_of(source: Any) -> Iterator[ResponseLength]:
    """Yield lengths from rows of topic, run, characters; nothing if the source is None."""
    rows = () if source is None else source
    for topic, run, characters in rows_of(rows, (TOPIC, OF_RUN, CHARACTERS), what="lengths"):
        yield ResponseLength(topic=topic, run=run, characters=characters)


def require_scorable(campaign: Campaign) -> None:
    """Refuse marks and votes for nuggets that are on no list, and responses without a known length. Raises
    InputError.
    """
    try:
        require_known_nuggets(campaign)
    except WrongCall as error:
        raise InputError("", [Issue(where="", code="unknown-nugget", message=str(error).removeprefix("--"))]) from None
    if missing := sorted(campaign.marks.keys() - campaign.lengths.keys()):
        topic, run = missing[0]
        message = (
            f"There is no length of {run}'s response to {topic}, in which nuggets were found ({len(missing)} such)."
        )
        raise InputError("lengths", [Issue(where="", code="missing-length", message=message)])
