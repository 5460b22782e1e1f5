"""Reads nugget lists, matches, votes and lengths from frames, mappings and rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from scoring.commands.command_line import WrongCall
from scoring.commands.nuggets import Campaign, require_known_nuggets
from scoring.formats.nuggetizer import ASSIGNMENTS
from scoring.formats.pool_tables import parse_importance, parse_nugget_name
from scoring.front.errors import refusal
from scoring.front.inputs import RUN, TOPIC
from scoring.front.rows import Column, names_in, rows_of, to_text, to_whole
from scoring.records import Importance, Nugget, NuggetVote, ResponseLength, RunMatch


def _importance(value: Any) -> Importance:
    found = parse_importance(str(value))
    if found is None:
        raise ValueError("must be vital or okay")
    return found


def _nugget(value: Any) -> tuple[int, int]:
    """Return (nugget's number, number of its part or 0) for a value such as 5, "5" or "5.1"."""
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
ID = Column(name="number", others=("nugget", "nugget_id"), read=to_text)
ANY = Column(name="number", others=("nugget", "nugget_id"), read=lambda value: value)
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


class Ids:
    """The ids of nuggets, such as "n1", if a list has ids in place of numbers. Without ids this object is false.

    A nugget's number is its place in the list of its topic.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, dict[str, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._numbers)

    def add(self, topic: str, name: str) -> int:
        """Record the id of a topic's next nugget and return the nugget's number. Raises InputError if the topic has
        this id already.
        """
        known = self._numbers.setdefault(topic, {})
        if name in known:
            message = f"Nugget {name} stands twice in topic {topic}."
            raise refusal("nuggets", message, code="duplicate")
        return known.setdefault(name, len(known) + 1)

    def number_of(self, topic: str, name: str, *, what: str) -> int:
        """Return the number of the nugget with this id. Raises InputError if it is on no list."""
        number = self._numbers.get(topic, {}).get(name)
        if number is None:
            message = f"Nugget {name} of topic {topic} is on no list; do the files belong together?"
            raise refusal(what, message, code="unknown-nugget")
        return number


def lists_of(source: Any, ids: Ids) -> Iterator[Nugget]:
    """Yield nuggets from rows of topic, number, importance, text. In place of numbers the rows may have ids, which are
    then recorded in ``ids``.
    """
    rows = list(rows_of(source, (TOPIC, ANY, IMPORTANCE, TEXT), what="nuggets"))
    are_ids = any(isinstance(number, str) and not number.strip().isdecimal() for _, number, _, _ in rows)
    columns = (TOPIC, ID if are_ids else NUMBER, IMPORTANCE, TEXT)
    for topic, named, importance, text in rows_of(rows, columns, what="nuggets"):
        number = ids.add(topic, named) if are_ids else named
        yield Nugget(topic=topic, number=number, importance=importance, text=text)


def add_marks(campaign: Campaign, source: Any, ids: Ids) -> None:
    """Add the matches in rows of topic, run, item, number and, if present, nuggetizer's assignment.

    A response is recorded even if no nugget was found in it. Raises InputError, for example if a column of another name
    says what was found.
    """
    columns = (TOPIC, OF_RUN, ITEM, ID if ids else NAME, ASSIGNMENT)
    for topic, run, item, named, assignment in rows_of(_without_verdicts(source), columns, what="matches"):
        number, part = (ids.number_of(topic, named, what="matches"), 0) if ids else named
        if assignment == "support":
            campaign.add(RunMatch(topic=topic, run=run, item=item, number=number, part=part))
        else:
            campaign.marks.setdefault((topic, run), [])


def _without_verdicts(source: Any) -> Any:
    """Return the source. Raises InputError if its rows have another column that may say whether a nugget was found."""
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
            raise refusal("matches", message, code="columns")


def votes_of(source: Any, ids: Ids) -> Iterator[NuggetVote]:
    """Yield votes from rows of topic, number, assessor, importance. Yield nothing if the source is None."""
    rows = () if source is None else source
    columns = (TOPIC, ID if ids else NUMBER, ASSESSOR, IMPORTANCE)
    for topic, named, assessor, importance in rows_of(rows, columns, what="votes"):
        number = ids.number_of(topic, named, what="votes") if ids else named
        yield NuggetVote(topic=topic, number=number, assessor=assessor, importance=importance)


def lengths_of(source: Any) -> Iterator[ResponseLength]:
    """Yield lengths from rows of topic, run, characters. Yield nothing if the source is None."""
    rows = () if source is None else source
    for topic, run, characters in rows_of(rows, (TOPIC, OF_RUN, CHARACTERS), what="lengths"):
        yield ResponseLength(topic=topic, run=run, characters=characters)


def require_scorable(campaign: Campaign) -> None:
    """Raise InputError if there are marks or votes for nuggets that are on no list, or responses whose length is not
    known.
    """
    try:
        require_known_nuggets(campaign)
    except WrongCall as error:
        raise refusal("", str(error).removeprefix("--"), code="unknown-nugget") from None
    if missing := sorted(campaign.marks.keys() - campaign.lengths.keys()):
        topic, run = missing[0]
        message = f"There is no length of {run}'s response to {topic}, which has matches ({len(missing)} such)."
        raise refusal("lengths", message, code="missing-length")
