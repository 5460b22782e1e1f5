"""How marks are settled: rows of their own ledger under the adjudicator's work."""

from __future__ import annotations

from dataclasses import replace

from django.contrib.auth.models import User

from assess.assignments.models import Assignment
from assess.items.models import Item
from assess.judging.queries.items import topic_of_item
from assess.kinds.opinions import Adjudication, Decision, Disagreement
from assess.protocol import Stage
from nuggets.matches import effects as matches_effects
from nuggets.matches import opinions as matches_opinions
from nuggets.matches.models import NuggetMatch
from nuggets.matches.record import MatchInput, record_match
from nuggets.writing import disputed as writing_disputed
from nuggets.writing.adjudicate import nugget_of

FULL, PARTIAL, ABSENT = NuggetMatch.Value.FULL, NuggetMatch.Value.PARTIAL, NuggetMatch.Value.ABSENT


def record_mark(
    actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision
) -> NuggetMatch:
    """The adjudicator's mark of the nugget in the string, with what a side selected that said the same.

    "No" is said expressly, and a decision that is taken back withdraws it, so that the author's mark counts again.
    """
    earlier = NuggetMatch.objects.filter(client_key=decision.client_key).first()
    nugget = nugget_of(row)
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


def _quote(row: Disagreement, decision: Decision) -> str:
    """What the first side that said the same had selected."""
    agreeing = [side.row for side in row.sides if side.value == decision.value]
    marks = NuggetMatch.objects.filter(pk__in=agreeing, item=row.thing.item_id or 0).exclude(quote="")
    return marks.order_by("id").values_list("quote", flat=True).first() or ""


MARKS = Adjudication(
    criteria=matches_opinions.criteria,
    said=matches_opinions.said,
    labels=matches_opinions.labels,
    told=matches_opinions.told,
    record=record_mark,
    spoken=matches_opinions.spoken,
    topic_of=topic_of_item,
    about=writing_disputed.about,
    exchange=matches_effects.exchanged_marks,
)
