"""Reads nugget lists, matches, votes and lengths from frames, mappings and rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from scoring.commands.command_line import WrongCall
from scoring.commands.nuggets import Campaign, read_found, read_lists, require_known_nuggets
from scoring.formats.nugget_files import read_vote_lines
from scoring.formats.nuggetizer import ASSIGNMENTS
from scoring.formats.pool_tables import parse_importance, parse_nugget_name
from scoring.formats.value_tables import read_lengths
from scoring.front.errors import refusal
from scoring.front.inputs import RUN, TOPIC
from scoring.front.rows import Column, names_in, rows_of, to_text, to_whole
from scoring.front.sources import called, is_file, records_in, taken
from scoring.records import Importance, Nugget, NuggetVote, ResponseItem, ResponseLength, RunMatch


def _importance(value: Any) -> Importance:
    if str(value) in ("True", "False"):
        return "vital" if str(value) == "True" else "okay"
    found = parse_importance(str(value))
    if found is None:
        raise ValueError("must be vital or okay, or True (vital) or False (okay)")
    return found


def _nugget(value: Any) -> tuple[int, int]:
    """Return (nugget's number, number of its part or 0) for a value such as 5, 5.0, "5" or "5.1". Raises ValueError for
    any other value.
    """
    found = parse_nugget_name(str(int(value) if isinstance(value, float) and value.is_integer() else value))
    if found is None:
        raise ValueError("must be a nugget's number, as in 5 or 5.1")
    return found


def _assignment(value: Any) -> str:
    if value not in (*ASSIGNMENTS, "failed"):
        raise ValueError(f"must be one of {', '.join(ASSIGNMENTS)}")
    return str(value)


NUMBER = Column(name="number", others=("nugget_id",), loose=("nugget",), read=to_whole)
NAME = replace(NUMBER, read=_nugget)
ID = replace(NUMBER, read=to_text)
ANY = replace(NUMBER, read=lambda value: value)
IMPORTANCE = Column(name="importance", others=("vital", "is_vital"), loose=("vote", "label"), read=_importance)
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

VOTE = replace(IMPORTANCE, others=("vote",), loose=("label",))
OF_RUN = replace(RUN, otherwise=None, has_place=True)


class Ids:
    """The ids of nuggets, such as "n1", if a list has ids in place of numbers. Without ids this object is false.

    A nugget's number is its place in the list of its topic.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, dict[str, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._numbers)

    def add(self, topic: str, name: str) -> int:
        """Record the id of a topic's next nugget and return the nugget's number."""
        known = self._numbers.setdefault(topic, {})
        return known.setdefault(name, len(known) + 1)

    def number_of(self, topic: str, name: str, *, what: str) -> int:
        """Return the number of the nugget with this id. Raises InputError if it is on no list."""
        number = self._numbers.get(topic, {}).get(name)
        if number is None:
            message = f"Nugget {name} of topic {topic} is on no list; do the files belong together?"
            raise refusal(what, message, code="unknown-nugget")
        return number


def lists_of(source: Any, ids: Ids) -> Iterator[Nugget]:
    """Yield nuggets from a file, or from rows of topic, number, importance, text. In place of numbers the rows may have
    ids, which are then recorded in ``ids``. Raises InputError.
    """
    what, source = called(source, "nuggets"), taken(source, what="nuggets")
    if is_file(source):
        yield from records_in(source, read_lists)
        return
    rows = list(rows_of(source, (TOPIC, ANY, IMPORTANCE, TEXT), what=what, once=(TOPIC, ANY)))
    are_ids = any(isinstance(number, str) and not number.strip().isdecimal() for _, number, _, _ in rows)
    columns = (TOPIC, ID if are_ids else NUMBER, IMPORTANCE, TEXT)
    for topic, named, importance, text in rows_of(rows, columns, what=what, once=columns[:2]):
        number = ids.add(topic, named) if are_ids else named
        yield Nugget(topic=topic, number=number, importance=importance, text=text)


def add_marks(campaign: Campaign, source: Any, ids: Ids) -> None:
    """Add the matches in a file, or in rows of topic, run, item, number and, if present, nuggetizer's assignment.

    A response is recorded even if no nugget was found in it. Raises InputError, for example if a column of another name
    says what was found.
    """
    what, source = called(source, "matches"), taken(source, what="matches")
    if is_file(source):
        marks: Iterable[RunMatch | ResponseItem] = records_in(
            source, partial(read_found, listed={} if ids else campaign.nuggets)
        )
        for mark in marks:
            campaign.add(mark)
        return
    columns = (TOPIC, OF_RUN, ITEM, ID if ids else NAME, ASSIGNMENT)
    for topic, run, item, named, assignment in rows_of(_without_verdicts(source, what), columns, what=what):
        number, part = (ids.number_of(topic, named, what=what), 0) if ids else named
        if assignment == "support":
            campaign.add(RunMatch(topic=topic, run=run, item=item, number=number, part=part))
        else:
            campaign.marks.setdefault((topic, run), [])


def _without_verdicts(source: Any, what: str) -> Any:
    """Return the source. Raises InputError if its rows have another column that may say whether a nugget was found."""
    if hasattr(source, "columns"):
        _refuse_verdicts(map(str, source.columns), what)
        return source
    return (_checked_row(row, what) for row in source)


def _checked_row(row: Any, what: str) -> Any:
    _refuse_verdicts(names_in(row), what)
    return row


def _refuse_verdicts(names: Iterable[str], what: str) -> None:
    for name in names:
        if str(name).lower() in VERDICTS:
            message = (
                f"Column {name}: each row of matches is a nugget that was found. Keep the rows of those, without this "
                "column, or call it assignment, of support, partial_support and not_support."
            )
            raise refusal(what, message, code="columns")


def votes_of(source: Any, ids: Ids) -> Iterator[NuggetVote]:
    """Yield votes from a file, or from rows of topic, number, assessor, importance. Yield nothing if the source is
    None. Raises InputError.
    """
    what, source = called(source, "votes"), taken(() if source is None else source, what="votes")
    if is_file(source):
        yield from records_in(source, read_vote_lines)
        return
    columns = (TOPIC, ID if ids else NUMBER, ASSESSOR, VOTE)
    for topic, named, assessor, importance in rows_of(source, columns, what=what, once=columns[:3]):
        number = ids.number_of(topic, named, what=what) if ids else named
        yield NuggetVote(topic=topic, number=number, assessor=assessor, importance=importance)


def lengths_of(source: Any) -> Iterator[ResponseLength]:
    """Yield lengths from a file, or from rows of topic, run, characters. Yield nothing if the source is None. Raises
    InputError.
    """
    what, source = called(source, "lengths"), taken(() if source is None else source, what="lengths")
    if is_file(source):
        yield from records_in(source, read_lengths)
        return
    columns = (TOPIC, OF_RUN, CHARACTERS)
    for topic, run, characters in rows_of(source, columns, what=what, once=columns[:2]):
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
