"""Recording many judgments of one assignment at once: what an import of tens of thousands needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import islice
from uuid import UUID

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from assess.assignments.domain.assignments import lock_assignment, require_open_for_writing
from assess.assignments.models import Assignment
from assess.base.errors import Conflict, Invalid, Refused
from assess.campaigns.queries import current_guideline_id, stage_of
from assess.items.models import Item
from assess.items.queries import pooled_items
from assess.judging.domain import texts_of
from assess.judging.models import Judgment
from assess.kinds.grade.record import USED_KEY, JudgmentInput, check_content, is_same, judgment_row
from assess.ledger.adding import add_rows
from assess.protocol import Criterion
from assess.runs.models import Citation, Response, Segment

LOOKUP = 5_000
TEXTS_AT_ONCE = 200


def record_judgments(
    *,
    actor: User,
    assignment: Assignment,
    judgments: Sequence[JudgmentInput],
    unpooled: Set[int] | None = None,
    taking: Mapping[str, Criterion] | None = None,
) -> list[Refused | None]:
    """Add judgments to the ledger, in their order; for each None, or why it was refused.

    The rules of `record_judgment`, in turn: what was recorded before under the same key is left as it is. An item is
    taken though nothing that it cites counts as good enough any more. Where one is refused, the caller decides about
    the rest. ``unpooled`` are the `unpooled_items` of the work, for whoever records a part of them after another;
    ``taking`` are criteria, by key, that hold in place of the stage's. Costs a dozen queries for some thousand
    judgments, and one for every 200 of them that have snippets.
    """
    if unpooled is None:
        unpooled = unpooled_items(assignment, stage_of(assignment.campaign, assignment.stage)[1].item_kind)
    keys = [judgment.client_key for judgment in judgments]
    if len(set(keys)) == len(keys):  # as a rule nothing of an import is there already
        try:
            with transaction.atomic():
                results = _record(actor, assignment, judgments, unpooled, earlier={}, taking=taking)
                if not any(results):
                    return results
                transaction.set_rollback(True)
        except (IntegrityError, Refused):
            pass  # what is there already is looked up, and then what is refused is refused
    with transaction.atomic():
        return _record(actor, assignment, judgments, unpooled, earlier=_earlier(keys), taking=taking)


def _record(
    actor: User,
    assignment: Assignment,
    judgments: Sequence[JudgmentInput],
    unpooled: Set[int],
    *,
    earlier: dict[UUID, Judgment],
    taking: Mapping[str, Criterion] | None,
) -> list[Refused | None]:
    """Add judgments whose keys are not among the earlier ones, which grow by them."""
    _, stage = stage_of(assignment.campaign, assignment.stage)
    stage = replace(stage, criteria=tuple((taking or {}).get(each.key, each) for each in stage.criteria))
    results: list[Refused | None] = [None] * len(judgments)
    rows: list[Judgment] = []
    with transaction.atomic():
        locked = lock_assignment(assignment)
        if len(earlier) < len(judgments):
            require_open_for_writing(actor=actor, assignment=locked)
        guideline = current_guideline_id(assignment.campaign)
        texts: dict[int, str] = {}
        for place, judgment in enumerate(judgments):
            if place % TEXTS_AT_ONCE == 0:
                texts = _texts(judgments[place : place + TEXTS_AT_ONCE])
            try:
                criterion = check_content(stage=stage, assignment=assignment, judgment=judgment)
                if judgment.client_key in earlier:
                    before = earlier[judgment.client_key]
                    if not is_same(before, actor=actor, assignment=assignment, judgment=judgment):
                        raise Conflict(USED_KEY)
                    continue
                if judgment.item.pk in unpooled:
                    raise Invalid("This item is not in the pool, so it is not judged.")
                row = judgment_row(
                    actor=actor,
                    assignment=assignment,
                    criterion=criterion,
                    judgment=judgment,
                    guideline=guideline,
                    texts=texts,
                )
            except Refused as refused:
                results[place] = refused
                continue
            earlier[judgment.client_key] = row
            rows.append(row)
        add_rows(rows)
    return results


def _earlier(keys: Sequence[UUID]) -> dict[UUID, Judgment]:
    return {row.client_key: row for batch in _batches(keys) for row in Judgment.objects.filter(client_key__in=batch)}


def unpooled_items(assignment: Assignment, kind: str) -> set[int]:
    """The items of the topic that runs returned and that are neither given nor in the pool."""
    items = Item.objects.filter(topic=assignment.topic_id, kind=kind, given=False)
    returned: set[int] = set()
    for model in (Segment, Citation, Response):
        named = model._default_manager.filter(item__in=items).order_by()
        returned.update(named.values_list("item_id", flat=True).distinct())
    if not returned:
        return returned
    return returned - set(pooled_items(assignment.topic, kind).order_by().values_list("pk", flat=True))


def _texts(judgments: Sequence[JudgmentInput]) -> dict[int, str]:
    """The texts of the documents in which these judgments have snippets."""
    items = [judgment.item for judgment in judgments if judgment.evidence]
    return texts_of(items) if items else {}


def _batches(keys: Sequence[UUID]) -> Iterator[list[UUID]]:
    remaining = iter(keys)
    yield from iter(lambda: list(islice(remaining, LOOKUP)), [])
