"""The background jobs that pages show."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import BooleanField, ExpressionWrapper, Q

from assess.campaigns.models import Campaign
from assess.jobs.kinds import CHECK
from assess.jobs.models import Job

SHOWN = 5
RUNNING_CHECKS = 50
"""More checks of runs than are ever under way at once, except for lost ones."""


def shown_jobs(campaign: Campaign) -> list[Job]:
    """Return the campaign's newest jobs, those under way first. One query.

    Checks of runs are shown with their runs, so only lost ones are included.
    """
    under_way = ExpressionWrapper(Q(state__in=Job.UNDER_WAY), output_field=BooleanField())
    jobs = campaign.jobs.filter(~Q(kind=CHECK) | Q(state=Job.State.RUNNING)).annotate(under_way=under_way)
    newest: Iterable[Job] = jobs.select_related("started_by").order_by("-under_way", "-id")[: SHOWN + RUNNING_CHECKS]
    return [job for job in newest if job.kind != CHECK or job.is_lost()][:SHOWN]
