"""What changed between two ledger points of a campaign that scores may depend on: which topics, or everything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Q

from assess.assignments.models import Assignment
from assess.campaigns.models import Activity, Campaign
from assess.ledger.models import LedgerRow
from assess.runs.models import Run

NEVER = (
    "agreement.",
    "campaign.deadline",
    "campaign.drafts",
    "campaign.freeze",
    "campaign.release_dates",
    "campaign.state",
    "campaign.time_zone",
    "campaign.unfreeze",
    "campaign.work_rules",
    "docnos.",
    "document_list.",
    "documents.cluster",
    "documents.prepare",
    "draft.back",
    "draft.begin",
    "draft.drop",
    "draft.send",
    "export.",
    "guideline.",
    "help.",
    "invitation",
    "member.name",
    "member.password",
    "member.takes_work",
    "member.team",
    "password.",
    "release.make",
    "release.publish",
    "report.",
    "run.receive",
    "run.reject",
    "token.",
)
"""How the actions begin that leave every score as it is. Of any other, new ones among them, the opposite is taken."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """``topics`` are the numbers of the topics that rows were added to; ``everything`` may have changed besides."""

    topics: frozenset[str] = frozenset()
    everything: bool = False

    def __bool__(self) -> bool:
        return bool(self.topics) or self.everything


def changes_between(campaign: Campaign, after: int, upto: int) -> Changes:
    """What the ledgers' rows above one point, up to another, say of scores. Two queries, and one where work was done.

    What was done with a run is seen by the runs themselves, so it is not among them.
    """
    if after >= upto:
        return Changes()
    within = {"id__gt": after, "id__lte": upto}
    topics: set[str | None] = set(_topics_of_rows(campaign, within))
    harmless = reduce(or_, (Q(action__startswith=begin) for begin in NEVER))
    acts = Activity.objects.filter(campaign=campaign, **within).exclude(harmless)
    found = set(acts.order_by().values_list("object_type", "object_id").distinct())
    found -= {each for each in found if each[0] == Run._meta.model_name}
    works = [int(pk) for kind, pk in found if kind == Assignment._meta.model_name]
    if works:
        topics |= set(Assignment.objects.filter(pk__in=works).order_by().values_list("topic__number", flat=True))
    named = frozenset(number for number in topics if number is not None)
    return Changes(topics=named, everything=len(found) > len(works) or len(named) < len(topics))


def _topics_of_rows(campaign: Campaign, within: dict[str, int]) -> Iterable[str]:
    """The numbers of the topics in whose work rows were added. One query.

    The rows are found by their ids alone: of a campaign's rows SQLite would look at every one for its id.
    """
    ways = [(ledger, ledger.campaign_path.removesuffix("__campaign")) for ledger in LedgerRow.__subclasses__()]
    added = [
        Q(pk__in=ledger._default_manager.filter(**within).order_by().values(path))
        for ledger, path in ways
        if path.endswith("assignment")
    ]
    works = campaign.assignments.filter(reduce(or_, added)).order_by()
    return works.values_list("topic__number", flat=True).distinct()
