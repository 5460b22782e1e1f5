"""How marks and votes are settled: rows of their own ledgers under the adjudicator's work."""

from __future__ import annotations

from dataclasses import replace

from django.contrib.auth.models import User

from assess.domain.errors import Conflict
from assess.models import Assignment, Item
from assess.protocol import Stage
from assess.queries.judging.graded_twice import topic_of_item
from assess.settling import Adjudication, Decision, Disagreement
from nuggets.domain.matches import MatchInput, record_match
from nuggets.domain.votes import record_vote
from nuggets.models import Nugget, NuggetMatch, NuggetVote
from nuggets.queries import settled_effects, settled_marks, settled_votes

FULL, PARTIAL, ABSENT = NuggetMatch.Value.FULL, NuggetMatch.Value.PARTIAL, NuggetMatch.Value.ABSENT


def record_mark(
    actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision
) -> NuggetMatch:
    """The adjudicator's mark of the nugget in the string, with what a side selected that said the same.

    "No" is said expressly, and a decision that is taken back withdraws it, so that the author's mark counts again.
    """
    earlier = NuggetMatch.objects.filter(client_key=decision.client_key).first()
    nugget = _nugget(row)
    item = Item.objects.get(pk=row.thing.item_id or 0)
    value = _mark_of(stage, decision.value)
    quote = _quote(row, decision) if value in (FULL, PARTIAL) else ""
    mark = MatchInput(
        nugget=nugget, item=item, client_key=decision.client_key, value=value, quote=quote, how=decision.how
    )
    if earlier is not None:
        return record_match(actor=actor, assignment=assignment, match=replace(mark, quote=earlier.quote))
    return record_match(actor=actor, assignment=assignment, match=mark)


def _mark_of(stage: Stage, value: int | None) -> str | None:
    """A decided value as the ledger of marks has it."""
    if not value:
        return None if value is None else ABSENT
    return PARTIAL if stage.partial and value == 1 else FULL


def _nugget(row: Disagreement) -> Nugget:
    found = settled_marks.disputed_nuggets([row]).get((row.topic_id, row.thing.number))
    if found is None:
        raise Conflict("This nugget is not on the list that counts now. Reload the page to see the newest list.")
    return found


def _quote(row: Disagreement, decision: Decision) -> str:
    """What the first side that said the same had selected."""
    agreeing = [side.row for side in row.sides if side.value == decision.value]
    marks = NuggetMatch.objects.filter(pk__in=agreeing, item=row.thing.item_id or 0).exclude(quote="")
    return marks.order_by("id").values_list("quote", flat=True).first() or ""


def record_importance(
    actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision
) -> NuggetVote:
    """The adjudicator's vote. It is the nugget's importance from now on, and one vote more among those counted."""
    del stage
    importances = {value: name for name, value in settled_votes.VALUES.items()}
    return record_vote(
        actor=actor,
        assignment=assignment,
        nugget=_nugget(row),
        importance=importances[decision.value] if decision.value is not None else None,
        client_key=decision.client_key,
        how=decision.how,
    )


MARKS = Adjudication(
    criteria=settled_marks.criteria,
    said=settled_marks.said,
    labels=settled_marks.labels,
    told=settled_marks.told,
    record=record_mark,
    spoken=settled_marks.spoken,
    topic_of=topic_of_item,
    about=settled_marks.about,
    exchange=settled_effects.exchanged_marks,
)
VOTES = Adjudication(
    criteria=settled_votes.criteria,
    said=settled_votes.said,
    labels=settled_votes.labels,
    told=settled_votes.told,
    record=record_importance,
    spoken=settled_votes.spoken,
    about=settled_marks.about,
    exchange=settled_effects.exchanged_votes,
    is_choice=True,
)
