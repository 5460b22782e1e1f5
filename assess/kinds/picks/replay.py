"""Replaying recorded picks."""

from __future__ import annotations

from django.utils.translation import gettext

from assess.base.errors import Invalid, Refused
from assess.kinds.grade.replay import replay_grades
from assess.kinds.picks.record import add_label, record_picks
from assess.ledger.models import How
from assess.replay.session import Desk, ReplayLine
from scoring.release.recorded_acts import Judged, NonePicked, key_of


def replay_picks(desk: Desk, lines: list[ReplayLine]) -> None:
    """Record the picks with their places, or that none of the items fits.

    If assessors may pick what no run returned, an unknown item must have been added by an assessor, so it is added
    again.
    """
    picks = [line for line in lines if isinstance(line.act, Judged)]
    if picks:
        replay_grades(desk, [line for line in picks if _is_there(desk, line)])
    for line in lines:
        if isinstance(line.act, NonePicked):
            desk.session.attempt(line, _pick_none, desk, line.act, bool(picks))


def _is_there(desk: Desk, line: ReplayLine) -> bool:
    """Return whether the picked item is stored, after adding it if necessary; report an item that the site refuses."""
    act, known = line.act, desk.items()
    if desk.stage.work.may_add and isinstance(act, Judged) and key_of(act) not in known:
        try:
            added = add_label(actor=desk.user, assignment=desk.assignment, label=act.answer or act.key)
        except Refused as refused:
            desk.session.refuse(line, refused)
            return False
        known[key_of(act)] = added
    return True


def _pick_none(desk: Desk, act: NonePicked, has_picks: bool) -> None:
    if has_picks:
        raise Invalid(gettext("The file has picks of this person, and that none fits. Leave out one or the other."))
    key = desk.session.key(act)
    record_picks(actor=desk.user, assignment=desk.assignment, items=[], client_key=key, none=True, how=How.IMPORT)
