"""The kind of work "votes", which is voting on the importance of nuggets."""

from __future__ import annotations

from django.urls import URLPattern, path

from assess.kinds.base import BENCH, WorkKind, accepts_acts
from nuggets.options import Voting
from nuggets.votes import agreement_questions
from nuggets.votes import pages as vote_pages
from nuggets.votes.adjudicate import VOTES
from nuggets.votes.export import nuggets, voted_acts, votes
from nuggets.votes.models import NuggetVote
from nuggets.votes.pages import page
from nuggets.votes.recent import recent_votes
from nuggets.votes.replay import record_votes, replay_votes
from nuggets.votes.tally import missing_votes, tally_votes
from nuggets.votes.trace import find_votes
from scoring.release.recorded_acts import Voted

# Addresses of the bench for voting.

URLS: tuple[URLPattern, ...] = (path(f"{BENCH}votes/", vote_pages.vote, name="votes-cast"),)


KIND = WorkKind(
    options=Voting,
    page=page,
    urls=URLS,
    tally=tally_votes,
    missing=missing_votes,
    ledgers=((NuggetVote, "assignment"),),
    adjudication=VOTES,
    accepts=accepts_acts(Voted),
    record_machine=record_votes,
    questions=(agreement_questions.VOTES,),
    trace={"nugget": find_votes, "wording": find_votes},
    recent=recent_votes,
    replay=replay_votes,
    acts=voted_acts,
    collectors={"nuggets": nuggets, "votes": votes},
)
