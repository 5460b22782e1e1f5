"""What a machine judge says of items, recorded as judgments of its own assignment."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from assess.assignments.models import Assignment
from assess.base.errors import Refused
from assess.campaigns.guidelines import current_guideline_id
from assess.items.models import Item
from assess.judging.domain.evidence import same_evidence, texts_of
from assess.judging.models import Judgment
from assess.judging.queries.current import current_judgments_of
from assess.kinds.base import PlacedDeed
from assess.kinds.grade.record import JudgmentInput, check_content, judgment_row
from assess.ledger.adding import add_rows
from assess.ledger.models import How
from assess.machines.domain.importing import Report, _finder
from assess.protocol import Stage
from scoring.deeds import Judged
from scoring.records import Issue


def record_grades(assignment: Assignment, stage: Stage, deeds: Sequence[PlacedDeed], report: Report) -> None:
    """Add what a machine says of items where it is not what it last said. Six queries, and one for snippets."""
    machine, topic = assignment.assessor, assignment.topic
    find = _finder(topic, stage)
    known = {(row.item_id, row.criterion): row for row in current_judgments_of(topic, assessor=machine)}
    wanted: dict[tuple[int, str], tuple[int | str, JudgmentInput]] = {}
    for where, deed in deeds:
        if isinstance(deed, Judged):
            item = find(deed)
            if item is None:
                message = f"There is no item “{(deed.answer or deed.key or deed.docno)[:80]}” in topic {topic.number}."
                report(Issue(where=where, code="unknown-item", message=message))
            else:
                wanted[item.pk, deed.criterion] = (where, _judgment(item, deed))
    texts = texts_of([judgment.item for _, judgment in wanted.values() if judgment.evidence])
    guideline = current_guideline_id(assignment.campaign)
    rows = []
    for place, (where, judgment) in wanted.items():
        if place in known and _same(known[place], judgment):
            continue
        try:
            asked = check_content(stage=stage, assignment=assignment, judgment=judgment)
            made = judgment_row(
                actor=machine,
                assignment=assignment,
                criterion=asked,
                judgment=judgment,
                guideline=guideline,
                texts=texts,
            )
        except Refused as refused:
            report(Issue(where=where, code=refused.code, message=refused.message))
            continue
        rows.append(made)
    add_rows(rows)


def _judgment(item: Item, deed: Judged) -> JudgmentInput:
    evidence = [{"quote": snippet.quote, "start": snippet.start, "value": snippet.value} for snippet in deed.evidence]
    return JudgmentInput(
        item=item,
        criterion=deed.criterion,
        value=deed.value,
        note=deed.note,
        evidence=evidence or None,
        client_key=uuid4(),
        how=How.IMPORT,
    )


def _same(row: Judgment, judgment: JudgmentInput) -> bool:
    same = (row.value, row.note) == (judgment.value, judgment.note)
    return same and same_evidence(row.evidence, judgment.evidence)
