"""Marking which nuggets an item contains: the kind of work "matches"."""

from __future__ import annotations

from assess.kinds.base import WorkKind, accepts_deeds
from nuggets.domain.machine_nuggets import record_matches
from nuggets.domain.settling import MARKS
from nuggets.models import ItemReview, NuggetMatch
from nuggets.queries.progress import missing_matches, tally_matches
from nuggets.views.matches import page
from scoring.deeds import Matched, Reviewed

KIND = WorkKind(
    key="matches",
    page=page,
    tally=tally_matches,
    missing=missing_matches,
    ledgers=((NuggetMatch, "assignment"), (ItemReview, "assignment")),
    asks_pooled=True,
    adjudication=MARKS,
    accepts=accepts_deeds(Matched, Reviewed),
    record_machine=record_matches,
)
