"""Votes on the importance of nuggets: the kind of work "votes"."""

from __future__ import annotations

from assess.kinds.base import WorkKind
from nuggets.domain.settling import VOTES
from nuggets.models import NuggetVote
from nuggets.queries.progress import missing_votes, tally_votes
from nuggets.views.votes import page

KIND = WorkKind(
    key="votes",
    page=page,
    tally=tally_votes,
    missing=missing_votes,
    ledgers=((NuggetVote, "assignment"),),
    adjudication=VOTES,
)
