"""Replaying recorded judgments: people's under their assignments, machine judges' under assignments of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from uuid import UUID, uuid4

from django.db.models import Q

from assess.assignments.domain.held_work import hold
from assess.assignments.models import Assignment
from assess.base.errors import Refused
from assess.items.models import Item
from assess.items.queries import pooled_items
from assess.judging.domain import same_evidence
from assess.judging.models import Judgment
from assess.judging.queries.current import current_judgments_of
from assess.judging.queries.stage_items import unpooled_items
from assess.kinds.base import PlacedAct
from assess.kinds.grade.plain_rows import add_plain
from assess.kinds.grade.record import JudgmentInput, add_judgments
from assess.ledger.models import How
from assess.machines.domain import Report
from assess.protocol import Stage
from assess.replay.parts import is_answer
from assess.replay.session import Anchors, Desk, ReplayLine
from assess.topics.models import Topic
from scoring.folding import answer_key
from scoring.records import Issue
from scoring.release.recorded_acts import LIKE, Judged

BLOCK = 500
"""The number of judgments that are recorded in one transaction."""


def replay_grades(desk: Desk, lines: list[ReplayLine]) -> None:
    """Record the judgments of one person in one stage of one topic, in blocks; report those that are refused.

    If the assignment can't be written to, report that once, and stop.
    """
    said = [line for line in lines if isinstance(line.act, Judged)]
    unpooled = _unpooled(desk) if said else set()
    if not all(is_answer(line.act) for line in said):
        desk = replace(desk, only_looks=False)  # what a withdrawal takes back has to be stored
    for first in range(0, len(said), BLOCK):
        block = said[first : first + BLOCK]
        if add_plain(desk, block, unpooled):
            continue
        try:
            _record(desk, _judgments_in(desk, block), unpooled)
        except Refused as refused:
            _judgments_in(desk, said[first + BLOCK :])  # reports the errors in the remaining lines, too
            desk.session.refuse(lines[0], refused)
            return


def _unpooled(desk: Desk) -> Set[int]:
    """Return the `unpooled_items`, looked up once for all assessors of a stage and topic. A release has none that was
    not pooled when it was judged.
    """
    known, place = desk.session.unpooled, (desk.assignment.topic_id, desk.stage.key)
    if place not in known:
        known.clear()
        is_any = desk.session.works is None and desk.session.returned_items
        known[place] = unpooled_items(desk.assignment, desk.stage.item_kind) if is_any else set()
    return known[place]


def _judgments_in(desk: Desk, lines: Sequence[ReplayLine]) -> list[tuple[ReplayLine, JudgmentInput]]:
    """Return the judgment of each line; report lines that are about no stored item."""
    given: list[tuple[ReplayLine, JudgmentInput]] = []
    for line in lines:
        if isinstance(line.act, Judged):
            try:
                given.append((line, _judgment(desk, line.act)))
            except Refused as refused:
                desk.session.refuse(line, refused)
    return given


def _record(desk: Desk, given: Sequence[tuple[ReplayLine, JudgmentInput]], unpooled: Set[int]) -> None:
    """Record judgments together and report each that is refused. Raises what `require_open` raises."""
    judgments = [judgment for _, judgment in given]
    with hold(desk.assignment) as held:
        held = replace(held, stage=held.stage.asking(map(desk.session.as_taken, held.stage.criteria)))
        rows = add_judgments(actor=desk.user, held=held, judgments=judgments, unpooled=unpooled)
    for (line, _), row in zip(given, rows, strict=True):
        if isinstance(row, Refused):
            desk.session.refuse(line, row)


def _judgment(desk: Desk, act: Judged) -> JudgmentInput:
    said = _input(desk.item(act), act, desk.session.key(act), desk.session.anchors)
    return replace(said, draft=act.draft, order=act.order, version=act.version, was_like=act.how == LIKE)


def _input(item: Item, act: Judged, key: UUID, known: Anchors | None = None) -> JudgmentInput:
    """Return the judgment of an item in an act; ``known`` supplies the text around its snippets."""
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
        item=item,
        criterion=act.criterion,
        value=act.value,
        given=act.given or None,
        note=act.note,
        evidence=evidence or None,
        client_key=key,
        how=How.IMPORT,
    )


# A machine judge's judgments of items are recorded under its own assignment.


def _finder(topic: Topic, kind: str) -> Callable[[Judged], Item | None]:
    """Return a function that finds the item of an act: by its key, by answer and docno, or by a docno that only one
    item of this kind has. It returns None if there is no such item.
    """
    asked = Q(given=True) | Q(pk__in=pooled_items(topic, kind).order_by().values("pk"))
    items = list(Item.objects.filter(asked, topic=topic, kind=kind, repeats__isnull=True).select_related("topic"))
    by_key = {item.key: item for item in items}
    counts = Counter(item.docno for item in items)
    by_docno = {item.docno: item for item in items if item.docno and counts[item.docno] == 1}

    def find(act: Judged) -> Item | None:
        found = by_key.get(act.key or answer_key(act.answer, act.docno))
        return found or (by_docno.get(act.docno) if not act.answer else None)

    return find


def record_grades(assignment: Assignment, stage: Stage, acts: Sequence[PlacedAct], report: Report) -> None:
    """Add those of a machine's judgments that differ from its current ones. Items need not be pooled.

    Unknown items and refused judgments are reported and skipped; the rest is added. Raises what `require_open` raises.
    Costs a dozen queries, and some more for snippets.
    """
    machine, topic = assignment.assessor, assignment.topic
    find = _finder(topic, stage.item_kind)
    known = {(row.item_id, row.criterion): row for row in current_judgments_of(topic, assessor=machine)}
    wanted: dict[tuple[int, str], tuple[int | str, JudgmentInput]] = {}
    for where, act in acts:
        if isinstance(act, Judged):
            item = find(act)
            if item is None:
                message = f"There is no item “{(act.answer or act.key or act.docno)[:80]}” in topic {topic.number}."
                report(Issue(where=where, code="unknown-item", message=message))
            else:
                wanted[item.pk, act.criterion] = (where, _input(item, act, uuid4()))
    new = [
        (where, judgment)
        for place, (where, judgment) in wanted.items()
        if place not in known or not _same(known[place], judgment)
    ]
    with hold(assignment) as held:
        judgments = [judgment for _, judgment in new]
        rows = add_judgments(actor=machine, held=held, judgments=judgments, unpooled=frozenset())
    for (where, _), row in zip(new, rows, strict=True):
        if isinstance(row, Refused):
            report(Issue(where=where, code=row.code, message=row.message))


def _same(row: Judgment, judgment: JudgmentInput) -> bool:
    same = (row.value, row.given, row.note) == (judgment.value, judgment.given, judgment.note)
    return same and same_evidence(row.evidence, judgment.evidence)
