"""Votes on the importance of nuggets: the kind of work "votes"."""

from __future__ import annotations

from assess.kinds.base import WorkKind, accepts_deeds
from nuggets.domain.machine_nuggets import record_votes
from nuggets.domain.replay_nuggets import replay_votes
from nuggets.domain.settling import VOTES
from nuggets.models import NuggetVote
from nuggets.queries import judge_values
from nuggets.queries.deeds import voted_deeds
from nuggets.queries.exports import nuggets, votes
from nuggets.queries.progress import missing_votes, tally_votes
from nuggets.views.votes import page
from nuggets.votes.trace import find_votes
from nuggets.votes.urls import URLS
from scoring.deeds import Voted

KIND = WorkKind(
    key="votes",
    page=page,
    urls=URLS,
    tally=tally_votes,
    missing=missing_votes,
    ledgers=((NuggetVote, "assignment"),),
    adjudication=VOTES,
    accepts=accepts_deeds(Voted),
    record_machine=record_votes,
    questions=(judge_values.VOTES,),
    trace={"nugget": find_votes, "wording": find_votes},
    replay=replay_votes,
    deeds=voted_deeds,
    collectors={"nuggets": nuggets, "votes": votes},
)
