"""Count what assessors did with machines' drafts in their nugget lists, one record for each assignment."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.campaigns.queries import rows_between
from assess.judging.queries.machine_drafts import SHOWN_TO
from assess.kinds.base import DraftUse, active_seconds
from nuggets.writing.drafts import EDITED, ORIGINAL, REFUSE, drafts_for_each, key_of_draft, offered_in, refused_drafts
from nuggets.writing.models import Nugget, NuggetEdit, NuggetList
from nuggets.writing.visible_members import DRAFT


def has_drafts(campaign: Campaign) -> bool:
    """Return whether a machine wrote a list, or a person accepted or refused a draft. At most three queries."""
    if NuggetList.objects.filter(assignment__campaign=campaign, assignment__role=Assignment.Role.MACHINE).exists():
        return True
    if Nugget.objects.filter(nugget_list__assignment__campaign=campaign, fields__has_key=DRAFT).exists():
        return True
    return rows_between(NuggetEdit.objects.filter(action=REFUSE), campaign, after=0).exists()


def draft_uses(campaign: Campaign) -> Iterator[DraftUse]:
    """Yield, for each assignment that has a list, what became of machines' drafts in its newest one, frozen or not.

    It includes assignments to which no draft was shown, but not those of roles that never see drafts, returned ones,
    and those of dropped topics. A draft that was accepted and later retired counts as refused; a draft that was merged
    into another nugget counts as edited. At most nine queries.
    """
    lists: dict[int, NuggetList] = {}
    rows = NuggetList.objects.filter(assignment__campaign=campaign, assignment__role__in=SHOWN_TO)
    rows = rows.filter(topic__dropped=False).exclude(assignment__state=Assignment.State.RETURNED)
    for each in rows.select_related("assignment", "topic").order_by("version"):
        lists[each.assignment_id] = each
    newest = sorted(lists.values(), key=lambda each: (each.topic.ordinal, each.topic_id, each.assignment_id))
    nuggets: dict[int, list[Nugget]] = {}
    for nugget in Nugget.objects.filter(nugget_list__in=[each.pk for each in newest]).order_by("number"):
        nuggets.setdefault(nugget.nugget_list_id, []).append(nugget)
    refused = refused_drafts(newest)
    times: dict[int, list[datetime]] = {}
    edits = NuggetEdit.objects.filter(nugget_list__assignment__in=list(lists)).order_by()
    for work, at in edits.values_list("nugget_list__assignment_id", "created_at"):
        times.setdefault(work, []).append(at)
    for each in newest:
        each.assignment.campaign, each.assignment.topic = campaign, each.topic
    drafts = drafts_for_each([each.assignment for each in newest])
    for each in newest:
        fates, new = _fates(nuggets.get(each.pk, []))
        for key in refused.get(each.pk, {}):
            fates.setdefault(key, "refused")
        said = list(fates.values())
        yield DraftUse(
            assignment=each.assignment_id,
            stage=each.assignment.stage,
            topic=each.topic.number,
            assessor=each.owner_id,
            offered=len({*fates, *(draft.key for draft in drafts.get(each.assignment_id, ()))}),
            original=said.count(ORIGINAL),
            edited=said.count(EDITED),
            refused=said.count("refused"),
            new=new,
            seconds=active_seconds(times.get(each.assignment_id, [])),
        )


def _fates(nuggets: list[Nugget]) -> tuple[dict[str, str], int]:
    """Return draft's key -> what became of the draft, and the number of active nuggets that were not made from
    a draft.
    """
    fates: dict[str, str] = {}
    new = 0
    for nugget in nuggets:
        offered = offered_in(nugget.fields)
        if offered is None:
            new += nugget.is_active
            continue
        key = key_of_draft(str(offered.get("by", "")), offered["number"])
        became = EDITED if nugget.merged_into_id is not None else str(offered.get("became", ORIGINAL))
        if not nugget.is_retired:
            fates[key] = became
        else:
            fates.setdefault(key, "refused")
    return fates, new
