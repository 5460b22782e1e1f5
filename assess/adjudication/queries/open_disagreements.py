"""How many disagreements wait for an adjudicator, at a cost that a first page can afford."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import User

from assess.adjudication.queries.disagreements import adjudicated_stages, kind_of, stage_disagreements
from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.protocol import Stage

FEW = 20_000


def stages_to_settle(campaign: Campaign) -> list[Stage]:
    """The stages where something is missing until a disagreement is settled: no choice (`Adjudication.is_choice`)."""
    return [stage for _, stage in adjudicated_stages(campaign) if not kind_of(stage).is_choice]


def undecided(campaign: Campaign, stages: Iterable[Stage], person: User | None = None) -> int:
    """How many disagreements of these stages nobody settled; for a ``person`` those that they may settle.

    Queries: those of `disagreements` for each criterion.
    """
    return sum(row.decided is None for stage in stages for row in stage_disagreements(campaign, stage, person=person))


def open_disagreements(campaign: Campaign, person: User | None = None) -> int | None:
    """How many disagreements wait to be settled, or wait for a ``person``; None: more is judged twice than is counted.

    One query where nobody judges after another; else one for each stage in which somebody does, and those of
    `undecided`.
    """
    seconds = campaign.assignments.filter(role=Assignment.Role.SECOND).order_by()
    keys = set(seconds.values_list("stage", flat=True).distinct())
    if not keys:
        return 0
    stages = [stage for stage in stages_to_settle(campaign) if stage.key in keys]
    if sum(kind_of(stage).spoken(campaign, stage, FEW + 1) for stage in stages) > FEW:
        return None
    return undecided(campaign, stages, person)
