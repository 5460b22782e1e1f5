"""The background jobs that pages show."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import BooleanField, ExpressionWrapper, Q

from assess.campaigns.models import Campaign
from assess.jobs.kinds import CHECK
from assess.jobs.models import Job

SHOWN = 5


def shown_jobs(campaign: Campaign) -> list[Job]:
    """Return the campaign's newest jobs, those under way first. One query.

    Checks of runs are shown with their runs, so only lost ones are included.
    """
    is_busy = ExpressionWrapper(Q(state__in=Job.UNDER_WAY), output_field=BooleanField())
    newest = campaign.jobs.exclude(kind=CHECK).order_by("-id").values("pk")[:SHOWN]
    busy = Job.objects.filter(state__in=Job.UNDER_WAY).values("pk")  # of all campaigns: their index is short
    jobs: Iterable[Job] = (
        Job.objects.filter(Q(pk__in=newest) | Q(pk__in=busy, campaign=campaign))
        .exclude(kind=CHECK, state=Job.State.WAITING)
        .select_related("started_by")
        .annotate(under_way=is_busy)
        .order_by("-under_way", "-id")
    )
    return [job for job in jobs if job.kind != CHECK or job.is_lost()][:SHOWN]
