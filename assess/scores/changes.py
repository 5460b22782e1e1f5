"""What changed between two ledger points of a campaign that may affect scores: some topics, or everything."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Q

from assess.assignments.models import Assignment
from assess.assignments.queries.topics import topics_of_added_rows
from assess.campaigns.models import Activity, Campaign
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
    "member.erase",
    "member.password",
    "member.takes_work",
    "member.team",
    "password.",
    "release.make",
    "release.public",
    "release.publish",
    "report.",
    "run.receive",
    "run.reject",
    "token.",
    "webhook.",
)
"""Beginnings of the names of actions that never change a score. Every other action, even a new one, is taken to change
scores.
"""


RESTATING = ("campaign.design", "campaign.settings", "pool.build", "run.accept", "run.withdraw", "topics.")
"""Beginnings of the names of actions after which scores of an earlier ledger point are others: they are computed with
the runs, topics, pools and settings of now.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """What the ledgers record between two points, as far as it may change scores.

    ``topics`` are the numbers of topics to which rows were added. With ``everything``, anything else may have changed,
    too.
    """

    topics: frozenset[str] = frozenset()
    everything: bool = False

    def __bool__(self) -> bool:
        return bool(self.topics) or self.everything


def is_restated(campaign: Campaign, point: int) -> bool:
    """Return whether anything but judgments changed since a ledger point, as far as scores depend on it. One query."""
    restating = reduce(or_, (Q(action__startswith=begin) for begin in RESTATING))
    return Activity.objects.filter(restating, campaign=campaign, id__gt=point).exists()


def changes_between(campaign: Campaign, after: int, upto: int) -> Changes:
    """Return what the ledgers record after one point and up to another, as far as it may change scores.

    There is nothing if the second point is not later. Changes of runs are left out, since they are found from the runs
    themselves, and so are acts that can't change scores (`NEVER`). Two queries, and one more if an assignment changed.
    """
    if after >= upto:
        return Changes()
    within = {"id__gt": after, "id__lte": upto}
    topics: set[str | None] = set(topics_of_added_rows(campaign, after=after, upto=upto))
    harmless = reduce(or_, (Q(action__startswith=begin) for begin in NEVER))
    acts = Activity.objects.filter(campaign=campaign, **within).exclude(harmless)
    found = set(acts.order_by().values_list("object_type", "object_id").distinct())
    found -= {each for each in found if each[0] == Run._meta.model_name}
    works = [int(pk) for kind, pk in found if kind == Assignment._meta.model_name]
    if works:
        topics |= set(Assignment.objects.filter(pk__in=works).order_by().values_list("topic__number", flat=True))
    named = frozenset(number for number in topics if number is not None)
    return Changes(topics=named, everything=len(found) > len(works) or len(named) < len(topics))
