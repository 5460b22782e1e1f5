"""How a grade is settled: one more judgment, by the adjudicator, with the snippets of whoever said the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User

from assess.assignments.models import Assignment
from assess.base.errors import NotFound
from assess.items.models import Item
from assess.judging.domain.evidence import texts_of
from assess.judging.models import Judgment
from assess.judging.queries.items import topic_of_item
from assess.kinds.grade.opinions import criteria, labels, said, spoken, told
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.kinds.opinions import Adjudication, Decision, Disagreement, Exchange
from assess.protocol import Criterion, Stage
from scoring.records import InstanceJudgment, ItemGrade


def record_grade(actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision) -> Judgment:
    """The adjudicator's judgment. Refused is what `record_judgment` refuses. The same key keeps its snippets."""
    item = Item.objects.filter(pk=row.thing.item_id or 0).first()
    criterion = stage.criterion(decision.criterion)
    if item is None or criterion is None:
        raise NotFound
    earlier = Judgment.objects.filter(client_key=decision.client_key, assessor=actor).first()
    judgment = JudgmentInput(
        item=item,
        criterion=criterion.key,
        value=decision.value,
        client_key=decision.client_key,
        how=decision.how,
        note=decision.note,
        evidence=earlier.evidence if earlier is not None else _evidence(item, row, criterion, decision),
        seconds=decision.seconds,
    )
    return record_judgment(actor=actor, assignment=assignment, judgment=judgment)


def _evidence(item: Item, row: Disagreement, criterion: Criterion, decision: Decision) -> list[dict[str, Any]] | None:
    """The snippets of the sides that said the same, each once, as far as the document's text still has them."""
    if decision.value is None or not criterion.evidence:
        return None
    agreeing = [side.row for side in row.sides if side.value == decision.value]
    rows = Judgment.objects.filter(pk__in=agreeing).order_by("id").values_list("evidence", flat=True)
    text = texts_of([item]).get(item.document_id or 0)
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for snippet in (snippet for evidence in rows for snippet in evidence or ()):
        start = _place(snippet, text)
        if text is None or start >= 0:
            kept = {"quote": snippet["quote"], "start": start, "value": snippet.get("value")}
            found.setdefault((snippet["quote"], start), kept)
    return list(found.values()) or None


def _place(snippet: dict[str, Any], text: str | None) -> int:
    """Where a snippet stands in the text now; -1 where it does not, or where there is no text."""
    quote, start = snippet["quote"], snippet.get("start", -1)
    if text is None:
        return -1
    return start if start >= 0 and text.startswith(quote, start) else text.find(quote)


def exchanged_grades(collector: str, records: list[Any], exchange: Exchange) -> list[Any]:
    """The records with this value for the item; one that nobody gave is added to none."""
    del collector
    return [_with_value(each, exchange) for each in records]


def _with_value(record: Any, exchange: Exchange) -> Any:
    item, row, criterion, value = exchange.item, exchange.row, exchange.criterion, exchange.value
    if item is None:
        return record
    if isinstance(record, ItemGrade):
        same = (record.topic, record.kind, record.key, record.criterion) == (
            row.topic,
            item.kind,
            item.key,
            criterion.key,
        )
        return replace(record, value=value) if same and record.role != "second" else record
    if isinstance(record, InstanceJudgment):
        same_pair = (record.topic, record.docno, record.text) == (row.topic, item.docno, item.text)
        if same_pair and record.correctness != value:
            return replace(record, correctness=value, answer_class="")
    return record


ADJUDICATION = Adjudication(
    criteria=criteria,
    said=said,
    labels=labels,
    told=told,
    record=record_grade,
    spoken=spoken,
    topic_of=topic_of_item,
    exchange=exchanged_grades,
    keeps_note=True,
)
