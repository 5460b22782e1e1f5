"""A person's latest grades and notes, for a second look. Nothing here joins runs."""

from __future__ import annotations

from collections.abc import Mapping

from assess.assignments.models import Assignment
from assess.campaigns.queries import stage_of
from assess.campaigns.track_texts import in_language
from assess.judging.answer_words import given_shown
from assess.judging.models import Judgment
from assess.judging.queries.bench import label_of
from assess.kinds.recent import RecentAct
from assess.ledger.newest import newest_rows
from assess.protocol import Criterion

MOST_NOTES = 500
"""The largest number of notes listed, which is more than anybody looks through."""


def recent_grades(works: Mapping[int, Assignment], most: int) -> list[RecentAct]:
    """Return the latest answers in these assignments, and the latest ones that have a note. Two queries.

    If several criteria of an item were answered, each answer is a separate act, which says its question.
    """
    rows = newest_rows(Judgment.objects.filter(assignment__in=list(works)), "item_id", "criterion", "assessor_id")
    shown = rows.select_related("item", "item__repeats").order_by("-id")
    found = {row.pk: row for row in (*shown[:most], *shown.exclude(note="")[:MOST_NOTES])}
    return [_act(row, works[row.assignment_id]) for row in found.values()]


def _act(row: Judgment, work: Assignment) -> RecentAct:
    stage = stage_of(work.campaign, work.stage)[1]
    criterion = stage.criterion(row.criterion)
    said = _in_words(criterion, row)
    return RecentAct(
        assignment=work.pk,
        item=row.item_id,
        label=label_of(row.item),
        said=f"{in_language(criterion.question)}: {said}"
        if said and criterion is not None and len(stage.criteria) > 1
        else said,
        note=row.note,
        at=row.created_at,
    )


def _in_words(criterion: Criterion | None, row: Judgment) -> str:
    if row.value is None:
        return given_shown(criterion, row.given) if row.given is not None else ""
    grade = criterion.grade(row.value) if criterion is not None else None
    return in_language(grade.name) if grade is not None else str(row.value)
