"""Machine judgments of the items on a bench, for campaigns that show them to assessors (`Campaign.drafts`).

A machine is shown by a letter, never by name. A control item shows what its original shows, so that nothing gives it
away. Adjudicators see two people's values, and never a machine's. In some topics, drawn by a seed, nobody sees drafts,
so that agreement can measure their effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import QuerySet

from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import MACHINE_PREFIX, pseudonyms
from assess.campaigns.models import Campaign, Drafts
from assess.campaigns.queries import is_without_drafts, stage_of
from assess.items.models import Item
from assess.judging.models import DraftSeen, Judgment
from assess.judging.queries.judged import ANSWERED
from assess.ledger.newest import newest_rows
from assess.protocol import Stage

MACHINE = Assignment.Role.MACHINE
SHOWN_TO = (Assignment.Role.PRIMARY, Assignment.Role.SECOND)


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """One machine's newest judgment of an item for one criterion.

    ``letter`` identifies the machine; ``name`` is the name of the grade.
    """

    letter: str
    criterion: str
    value: int
    name: str
    note: str


@dataclass(frozen=True, slots=True)
class DraftsInSight:
    """The machine judgments of an item that the assessor sees now, and those to come.

    ``shown`` has them by criterion. ``to_come`` are the criteria whose drafts appear once the assessor has answered
    them.
    """

    shown: Mapping[str, list[Draft]] = field(default_factory=dict)
    to_come: frozenset[str] = frozenset()


def drafts_of(assignment: Assignment, item: Item, judged: Iterable[str]) -> DraftsInSight:
    """Return the machine judgments of the item that this assignment's assessor may see now.

    If the campaign's drafts are "open", all are shown. If they come "after" the assessor's judgment, those are shown
    for the criteria in ``judged`` that this assessor has answered; a former assessor's answer is not enough. Three
    queries at most, none if drafts are sealed.
    """
    campaign = assignment.campaign
    if not may_be_shown(assignment):
        return DraftsInSight()
    _, stage = stage_of(campaign, assignment.stage)
    rows = list(_machine_judgments(assignment, item, stage))
    names = pseudonyms(campaign) if rows else {}
    answered = {row.criterion for row in rows}
    if answered and campaign.drafts != Drafts.OPEN:
        own = Judgment.objects.filter(ANSWERED, item=item, assessor=assignment.assessor_id)
        answered = set(judged) & set(own.values_list("criterion", flat=True))
    shown: dict[str, list[Draft]] = {}
    for row in rows:
        if row.criterion in answered:
            shown.setdefault(row.criterion, []).append(_draft(row, stage, names))
    for drafts in shown.values():
        drafts.sort(key=lambda draft: draft.letter)
    return DraftsInSight(shown, frozenset(row.criterion for row in rows) - answered)


def draft_seen(assignment: Assignment, item: Item, criterion: str, *, was_on_page: bool = False) -> str | None:
    """Return when the assessor saw a machine's judgment of this criterion (`DraftSeen`), or None if they did not.

    The answer follows from what the bench shows. Open drafts are seen at once. Drafts that come after the assessor's
    own judgment are seen once this assessor has judged, even if they did not look again. A draft once seen stays seen
    after drafts are hidden again, even if the assessor judges only then: ``was_on_page`` means that their page, which
    may be older than that change, shows a draft. Four queries at most.
    """
    campaign = assignment.campaign
    _, stage = stage_of(campaign, assignment.stage)
    machines = _machine_judgments(assignment, item, stage).filter(criterion=criterion)
    if assignment.role not in SHOWN_TO or not machines.exists():
        return None
    own = Judgment.objects.filter(item=item, criterion=criterion, assessor=assignment.assessor_id)
    if are_open(assignment):
        return DraftSeen.OPEN
    last = last_shown(campaign)
    if may_be_shown(assignment):
        return DraftSeen.AFTER if own.exists() else DraftSeen.OPEN if was_on_page and last else None
    if seen := own.exclude(draft=None).order_by("-id").values_list("draft", flat=True).first():
        return seen
    is_sealed = campaign.drafts == Drafts.SEALED and not is_without_drafts(campaign, assignment.topic.number)
    if is_sealed and last and own.filter(ANSWERED, id__lt=last).exists():
        return DraftSeen.AFTER
    return DraftSeen.OPEN if was_on_page and last else None


def last_shown(campaign: Campaign) -> int | None:
    """Return the ledger point of the last change from a setting that showed drafts; None if there was none."""
    shown = campaign.activities.filter(action="campaign.drafts", data__from__in=[Drafts.AFTER, Drafts.OPEN])
    return shown.order_by("-id").values_list("id", flat=True).first()


def may_be_shown(assignment: Assignment) -> bool:
    """Return whether this assignment shows machine judgments, either at once or after the assessor's own."""
    campaign = assignment.campaign
    if campaign.drafts == Drafts.SEALED or assignment.role not in SHOWN_TO:
        return False
    return not is_without_drafts(campaign, assignment.topic.number)


def are_open(assignment: Assignment) -> bool:
    """Return whether this assignment shows machine judgments before the assessor's own, to accept, edit or refuse."""
    return assignment.campaign.drafts == Drafts.OPEN and may_be_shown(assignment)


def _machine_judgments(assignment: Assignment, item: Item, stage: Stage) -> QuerySet[Judgment]:
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
