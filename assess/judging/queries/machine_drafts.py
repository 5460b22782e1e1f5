"""What machine judges said of the items on a bench, for campaigns that let assessors see it (`Campaign.drafts`).

A machine has a letter and no name here. A control item among an assessor's work shows what its original shows,
so that nothing gives it away. Adjudicators, who see two people's values, are never shown a machine's.
In a share of the topics, drawn by a seed, nobody sees drafts, so that agreement can say what they do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import QuerySet

from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import MACHINE_PREFIX, pseudonyms
from assess.campaigns.models import Drafts
from assess.campaigns.queries import is_draftless, stage_of
from assess.items.models import Item
from assess.judging.models import DraftSeen, Judgment
from assess.judging.queries.judged import ANSWERED
from assess.ledger.newest import newest_rows
from assess.protocol import Stage

MACHINE = Assignment.Role.MACHINE
SHOWN_TO = (Assignment.Role.PRIMARY, Assignment.Role.SECOND)


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """What one machine last said of an item by one criterion. ``letter`` names the machine, ``name`` is the grade's."""

    letter: str
    criterion: str
    value: int
    name: str
    note: str


@dataclass(frozen=True, slots=True)
class DraftsInSight:
    """What is shown of an item, by criterion, and the criteria of which something is shown once they are answered."""

    shown: Mapping[str, list[Draft]] = field(default_factory=dict)
    to_come: frozenset[str] = frozenset()


def drafts_of(assignment: Assignment, item: Item, judged: Iterable[str]) -> DraftsInSight:
    """Return what machines said of the item, as far as this assignment's assessor may see it now.

    "Open" shows everything, "after" the criteria in ``judged``, which the assessor answered. Two queries at most, none
    where drafts are sealed.
    """
    campaign = assignment.campaign
    if not may_be_shown(assignment):
        return DraftsInSight()
    _, stage = stage_of(campaign, assignment.stage)
    rows = list(_said(assignment, item, stage))
    names = pseudonyms(campaign) if rows else {}
    answered = {row.criterion for row in rows} if campaign.drafts == Drafts.OPEN else set(judged)
    shown: dict[str, list[Draft]] = {}
    for row in rows:
        if row.criterion in answered:
            shown.setdefault(row.criterion, []).append(_draft(row, stage, names))
    for drafts in shown.values():
        drafts.sort(key=lambda draft: draft.letter)
    return DraftsInSight(shown, frozenset(row.criterion for row in rows) - answered)


def draft_seen(assignment: Assignment, item: Item, criterion: str) -> str | None:
    """Return whether a machine's judgment was in sight of whoever answers this now, and since when. Two queries at
    most.

    Told from what the bench shows: at once where drafts are open; where they come after an own judgment, once this
    assessor has given one. It is "after" even if they did not look again.
    """
    if not may_be_shown(assignment):
        return None
    _, stage = stage_of(assignment.campaign, assignment.stage)
    if not _said(assignment, item, stage).filter(criterion=criterion).exists():
        return None
    if assignment.campaign.drafts == Drafts.OPEN:
        return DraftSeen.OPEN
    own = Judgment.objects.filter(ANSWERED, item=item, criterion=criterion, assessor=assignment.assessor_id)
    return DraftSeen.AFTER if own.exists() else None


def may_be_shown(assignment: Assignment) -> bool:
    """Return whether this work is done with machine judgments in sight, at once or afterwards."""
    campaign = assignment.campaign
    if campaign.drafts == Drafts.SEALED or assignment.role not in SHOWN_TO:
        return False
    return not is_draftless(campaign, assignment.topic.number)


def are_open(assignment: Assignment) -> bool:
    """Return whether this work is done with machine judgments in sight before its own: drafts to accept, edit or
    refuse.
    """
    return assignment.campaign.drafts == Drafts.OPEN and may_be_shown(assignment)


def _said(assignment: Assignment, item: Item, stage: Stage) -> QuerySet[Judgment]:
    rows = Judgment.objects.filter(item=item.repeats_id or item.pk, assignment__role=MACHINE)
    rows = rows.filter(assignment__campaign=assignment.campaign_id, assignment__stage=stage.key)
    return newest_rows(rows, "item_id", "criterion", "assessor_id").filter(value__isnull=False)


def _draft(row: Judgment, stage: Stage, names: Mapping[int, str]) -> Draft:
    criterion = stage.criterion(row.criterion)
    value = int(row.value or 0)
    grade = criterion.grade(value) if criterion is not None else None
    return Draft(
        letter=names[row.assessor_id].removeprefix(MACHINE_PREFIX),
        criterion=row.criterion,
        value=value,
        name=grade.name if grade is not None else str(value),
        note=row.note,
    )
