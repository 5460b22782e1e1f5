"""How votes are settled: rows of their own ledger under the adjudicator's work."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.assignments.models import Assignment
from assess.kinds.opinions import Adjudication, Decision, Disagreement
from assess.protocol import Stage
from nuggets.votes import effects as votes_effects
from nuggets.votes import opinions as settled_votes
from nuggets.votes.models import NuggetVote
from nuggets.votes.record import record_vote
from nuggets.writing import disputed as writing_disputed
from nuggets.writing.adjudicate import nugget_of


def record_importance(
    actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision
) -> NuggetVote:
    """The adjudicator's vote. It is the nugget's importance from now on, and one vote more among those counted."""
    del stage
    importances = {value: name for name, value in settled_votes.VALUES.items()}
    return record_vote(
        actor=actor,
        assignment=assignment,
        nugget=nugget_of(row),
        importance=importances[decision.value] if decision.value is not None else None,
        client_key=decision.client_key,
        how=decision.how,
    )


VOTES = Adjudication(
    criteria=settled_votes.criteria,
    said=settled_votes.said,
    labels=settled_votes.labels,
    told=settled_votes.told,
    record=record_importance,
    spoken=settled_votes.spoken,
    about=writing_disputed.about,
    exchange=votes_effects.exchanged_votes,
    is_choice=True,
)
