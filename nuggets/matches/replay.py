"""Replaying the marks of nuggets in items, people's and machine judges'."""

from __future__ import annotations

from assess.items.queries import pooled_items
from assess.ledger.models import How
from assess.replay.session import Desk, ReplayLine
from nuggets.matches.models import NuggetMatch
from nuggets.matches.record import MatchInput, record_match, review_items
from nuggets.writing.replay import Numbered, _numbered, _recorded_by, _used
from scoring.formats.judgments_jsonl import Matched, Reviewed


def replay_matches(desk: Desk, lines: list[ReplayLine], *, all_finished: bool = True) -> None:
    """Mark nuggets in items, then say which items are finished.

    Where no line says that, nor what is absent, all pooled items are taken to be, unless ``all_finished`` is false, or
    the lines are a release's: work that was stopped before any item was finished has marks alone.
    """
    nuggets = _used(desk)
    for line in lines:
        if isinstance(line.act, Matched):
            desk.session.attempt(line, _mark, desk, nuggets, line.act)
    reviewed = [line for line in lines if isinstance(line.act, Reviewed)]
    for line in reviewed:
        desk.session.attempt(line, _review, desk, line.act)
    says_absent = any(isinstance(line.act, Matched) and line.act.is_absent for line in lines)
    if all_finished and not desk.session.says_finished and not reviewed and not says_absent:
        desk.session.attempt(lines[0], _review_all, desk)  # who says what is absent leaves open what is not said


def _mark(desk: Desk, nuggets: Numbered, act: Matched) -> None:
    match = MatchInput(
        nugget=_numbered(nuggets, act.number),
        item=desk.item(act),
        part=act.part,
        quote=act.quote,
        value=_value(act),
        client_key=desk.session.key(act),
        how=How.IMPORT,
    )
    record_match(actor=desk.user, assignment=desk.assignment, match=match)


def _value(act: Matched) -> str:
    if act.is_absent:
        return NuggetMatch.Value.ABSENT
    return NuggetMatch.Value.PARTIAL if act.is_partial else NuggetMatch.Value.FULL


def _review(desk: Desk, act: Reviewed) -> None:
    items = [desk.item(act)]
    key = desk.session.key(act)
    review_items(actor=desk.user, assignment=desk.assignment, items=items, client_key=key, how=How.IMPORT)


def _review_all(desk: Desk) -> None:
    items = list(pooled_items(desk.assignment.topic, desk.stage.item_kind).order_by("id"))
    key = desk.session.key("all finished", desk.assignment.topic.number, desk.user.username)
    review_items(actor=desk.user, assignment=desk.assignment, items=items, client_key=key, how=How.IMPORT)


# What machine judges mark on the list that counts, replayed as people's.


def _matches(desk: Desk, lines: list[ReplayLine]) -> None:
    """Marks and finished items as they are said: what a machine leaves out it did not look at."""
    replay_matches(desk, lines, all_finished=False)


record_matches = _recorded_by(_matches)
