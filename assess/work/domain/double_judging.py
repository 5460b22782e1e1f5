"""Handing out a sample of the topics, or all of them, to second assessors."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction

from assess.assignments.domain.assignments import create_assignment
from assess.assignments.domain.leases import return_lapsed
from assess.assignments.models import Assignment
from assess.base.errors import Conflict, Invalid
from assess.campaigns.activity import record_activity
from assess.campaigns.closed import lock_open
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.work.queries.double_judging import DoublePlan, Sample, double_plan, double_stages


def checked_sample(*, share: float | None = None, number: int | None = None, seed: int = 1) -> Sample:
    """The sample that is meant. Refused: both a share and a number, a share that is none, a number below 1."""
    if share is not None and number is not None:
        raise Invalid("Give a share of the topics or a number of them, not both.")
    if share is not None and not 0 < share <= 1:
        raise Invalid("A share is more than 0 and at most 1 (100 per cent).")
    if number is not None and number < 1:
        raise Invalid("At least one topic is needed.")
    return Sample(share=share, number=number, seed=seed)


def plan_double_judging(*, campaign: Campaign, stages: Iterable[str], sample: Sample) -> DoublePlan:
    """What `assign_seconds` would do now; nothing is written. Refused: a stage that there is not, none at all."""
    known = {stage.key for _, stage in double_stages(campaign)}
    chosen = list(dict.fromkeys(stages))
    unknown = [key for key in chosen if key not in known]
    if not chosen or unknown:
        said = f"There is no stage “{unknown[0]}” for a second assessor." if unknown else "Choose at least one stage."
        raise Invalid(f"{said} The stages are: {', '.join(sorted(known))}.")
    return double_plan(campaign, stages=chosen, sample=sample)


def assign_seconds(*, actor: User, campaign: Campaign, stages: Iterable[str], sample: Sample) -> list[Assignment]:
    """Hand the sampled topics out as `double_plan` says, to others than their authors; what is there is left.

    The same sample again hands out what has come to lack a second assessor since, and else nothing. Refused while
    nobody judges in the campaign.
    """
    require_changeable(campaign)
    with transaction.atomic():
        lock_open(campaign)
        return_lapsed(campaign=campaign)
        plan = plan_double_judging(campaign=campaign, stages=stages, sample=sample)
        if plan.works and not plan.handouts and all(work.why != "has no author yet" for work in plan.works):
            raise Conflict("Nobody can be second assessor: add assessors who are not the authors of these topics.")
        made = [
            create_assignment(
                actor=actor,
                campaign=campaign,
                topic=work.topic,
                stage=stage,
                assessor=work.assessor,
                role=Assignment.Role.SECOND,
            )
            for work in plan.handouts
            if work.assessor is not None
            for stage in work.stages
        ]
        if made:
            data = {"share": sample.share, "number": sample.number, "seed": sample.seed, "pieces": len(made)}
            record_activity(actor=actor, action="work.double", campaign=campaign, data=data)
    return made
