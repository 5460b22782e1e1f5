"""Replaying judgments of items: people's as they were recorded, machine judges' under work of their own."""

from __future__ import annotations

from collections.abc import Sequence, Set
from uuid import uuid4

from assess.assignments.models import Assignment
from assess.base.errors import Refused
from assess.campaigns.queries import current_guideline_id
from assess.items.models import Item
from assess.judging.domain import same_evidence, texts_of
from assess.judging.models import Judgment
from assess.judging.queries.current import current_judgments_of
from assess.kinds.base import PlacedAct
from assess.kinds.grade.plain_rows import add_plain
from assess.kinds.grade.record import JudgmentInput, check_content, judgment_row
from assess.kinds.grade.record_many import record_judgments, unpooled_items
from assess.ledger.adding import add_rows
from assess.ledger.models import How
from assess.machines.domain import Report, _finder
from assess.protocol import Stage
from assess.replay.session import Desk, ReplayLine
from scoring.recorded_acts import Judged
from scoring.records import Issue

BLOCK = 500
"""Judgments that are recorded in one transaction."""


def replay_grades(desk: Desk, lines: list[ReplayLine]) -> None:
    """Record the judgments, some hundred at a time."""
    said = [line for line in lines if isinstance(line.act, Judged)]
    unpooled = _unpooled(desk) if said else set()
    for first in range(0, len(said), BLOCK):
        block = said[first : first + BLOCK]
        if add_plain(desk, block, unpooled):
            continue
        try:
            _record(desk, _given(desk, block), unpooled)
        except Refused as refused:
            _given(desk, said[first + BLOCK :])  # what else is wrong is told, too
            desk.session.refuse(lines[0], refused)
            return


def _unpooled(desk: Desk) -> Set[int]:
    """The `unpooled_items`, looked up once for all who judge in a stage of a question."""
    known, place = desk.session.unpooled, (desk.assignment.topic_id, desk.stage.key)
    if place not in known:
        known.clear()
        is_any = desk.session.returned_items
        known[place] = unpooled_items(desk.assignment, desk.stage.item_kind) if is_any else set()
    return known[place]


def _given(desk: Desk, lines: Sequence[ReplayLine]) -> list[tuple[ReplayLine, JudgmentInput]]:
    """What these lines say; those that say nothing of an item here are reported."""
    given: list[tuple[ReplayLine, JudgmentInput]] = []
    for line in lines:
        if isinstance(line.act, Judged):
            try:
                given.append((line, _judgment(desk, line.act)))
            except Refused as refused:
                desk.session.refuse(line, refused)
    return given


def _record(desk: Desk, given: Sequence[tuple[ReplayLine, JudgmentInput]], unpooled: Set[int]) -> None:
    """Record judgments one by one; each that is refused is reported. Refused: work that can't be written to."""
    judgments = [judgment for _, judgment in given]
    results = record_judgments(
        actor=desk.user,
        assignment=desk.assignment,
        judgments=judgments,
        unpooled=unpooled,
        taking=desk.session.taking,
    )
    for (line, _), result in zip(given, results, strict=True):
        if result is not None:
            desk.session.refuse(line, result)


def _judgment(desk: Desk, act: Judged) -> JudgmentInput:
    known = desk.session.anchors
    evidence = [
        {
            **(known.get(act.docno, snippet.quote, snippet.start) if known is not None else {}),
            "quote": snippet.quote,
            "start": snippet.start,
            "value": snippet.value,
            "label": snippet.label,
        }
        for snippet in act.evidence
    ]
    return JudgmentInput(
        item=desk.item(act),
        criterion=act.criterion,
        value=act.value,
        given=act.given or None,
        note=act.note,
        evidence=evidence or None,
        client_key=desk.session.key(act),
        how=How.IMPORT,
        draft=act.draft,
        order=act.order,
        version=act.version,
    )


# What a machine judge says of items, recorded as judgments of its own assignment.


def record_grades(assignment: Assignment, stage: Stage, acts: Sequence[PlacedAct], report: Report) -> None:
    """Add what a machine says of items where it is not what it last said. Six queries, and one for snippets."""
    machine, topic = assignment.assessor, assignment.topic
    find = _finder(topic, stage)
    known = {(row.item_id, row.criterion): row for row in current_judgments_of(topic, assessor=machine)}
    wanted: dict[tuple[int, str], tuple[int | str, JudgmentInput]] = {}
    for where, act in acts:
        if isinstance(act, Judged):
            item = find(act)
            if item is None:
                message = f"There is no item “{(act.answer or act.key or act.docno)[:80]}” in topic {topic.number}."
                report(Issue(where=where, code="unknown-item", message=message))
            else:
                wanted[item.pk, act.criterion] = (where, _machine_judgment(item, act))
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


def _machine_judgment(item: Item, act: Judged) -> JudgmentInput:
    evidence = [
        {"quote": each.quote, "start": each.start, "value": each.value, "label": each.label} for each in act.evidence
    ]
    return JudgmentInput(
        item=item,
        criterion=act.criterion,
        value=act.value,
        given=act.given or None,
        note=act.note,
        evidence=evidence or None,
        client_key=uuid4(),
        how=How.IMPORT,
    )


def _same(row: Judgment, judgment: JudgmentInput) -> bool:
    same = (row.value, row.given, row.note) == (judgment.value, judgment.given, judgment.note)
    return same and same_evidence(row.evidence, judgment.evidence)
