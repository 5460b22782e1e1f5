"""Reads nugget lists, matches, votes and lengths from frames, mappings and rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from scoring.commands.command_line import WrongCall
from scoring.commands.nuggets import Campaign, require_known_nuggets
from scoring.formats.nuggetizer import ASSIGNMENTS
from scoring.formats.pool_tables import parse_importance, parse_nugget_name
from scoring.front.inputs import RUN, TOPIC, Column, InputError, names_in, rows_of, to_text, to_whole
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


def _assignment(value: Any) -> str:
    if value not in (*ASSIGNMENTS, "failed"):
        raise ValueError(f"must be one of {', '.join(ASSIGNMENTS)}")
    return str(value)


NUMBER = Column(name="number", others=("nugget", "nugget_id"), read=to_whole)
NAME = Column(name="number", others=("nugget", "nugget_id"), read=_nugget)
IMPORTANCE = Column(name="importance", others=("vote", "label"), read=_importance)
TEXT = Column(name="text", others=("nugget_text",), read=str, otherwise="")
ITEM = Column(name="item", others=("string",), read=to_whole, otherwise=0)
ASSESSOR = Column(name="assessor", others=("judge", "annotator"), read=to_text)
CHARACTERS = Column(name="characters", others=("length",), read=to_whole)
ASSIGNMENT = Column(name="assignment", read=_assignment, otherwise="support")
VERDICTS = frozenset(
    ("value", "label", "grade", "relevance", "rel", "relevant", "judgment", "judgement", "verdict", "correct", "match",
     "matched", "is_match", "found", "is_found", "present", "support", "supported")
)  # fmt: skip
"""Columns of matches that are refused, since they may say that a nugget was not found."""

OF_RUN = Column(name="run", others=RUN.others, read=to_text)


def lists_of(source: Any) -> Iterator[Nugget]:
    """Yield nuggets from rows of topic, number, importance, text."""
    for topic, number, importance, text in rows_of(source, (TOPIC, NUMBER, IMPORTANCE, TEXT), what="nuggets"):
        yield Nugget(topic=topic, number=number, importance=importance, text=text)


def add_marks(campaign: Campaign, source: Any) -> None:
    """Add the matches in rows of topic, run, item, number and perhaps nuggetizer's assignment. A response of which
    nothing was found is known, too. Raises InputError, also for another column that says what was found.
    """
    columns = (TOPIC, OF_RUN, ITEM, NAME, ASSIGNMENT)
    for topic, run, item, (number, part), assignment in rows_of(_without_verdicts(source), columns, what="matches"):
        if assignment == "support":
            campaign.add(RunMatch(topic=topic, run=run, item=item, number=number, part=part))
        else:
            campaign.marks.setdefault((topic, run), [])


def _without_verdicts(source: Any) -> Any:
    """Return the source if its rows have no column that may say "not found" in words or numbers of its own."""
    if hasattr(source, "columns"):
        _refuse_verdicts(map(str, source.columns))
        return source
    return map(_checked_row, source)


def _checked_row(row: Any) -> Any:
    if names := names_in(row):
        _refuse_verdicts(names)
    return row


def _refuse_verdicts(names: Iterable[str]) -> None:
    for name in names:
        if str(name).lower() in VERDICTS:
            message = (
                f"Column {name}: each row of matches is a nugget that was found. Keep the rows of those, without this "
                "column, or call it assignment, of support, partial_support and not_support."
            )
            raise InputError("matches", [Issue(where="", code="columns", message=message)])


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
        message = f"There is no length of {run}'s response to {topic}, which has matches ({len(missing)} such)."
        raise InputError("lengths", [Issue(where="", code="missing-length", message=message)])
