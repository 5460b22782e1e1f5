"""The background jobs that pages show."""

from __future__ import annotations

from django.db.models import BooleanField, ExpressionWrapper, Q
from django.utils import timezone

from assess.models import Campaign, Work
from assess.models.work import SILENCE
from assess.queries.runs.checks import CHECK

SHOWN = 5


def shown_works(campaign: Campaign) -> list[Work]:
    """The campaign's newest jobs, those under way first. Checks of runs are shown with their runs, unless lost.

    One query.
    """
    lost = Q(state=Work.State.RUNNING, updated_at__lt=timezone.now() - SILENCE)
    under_way = ExpressionWrapper(Q(state__in=Work.UNDER_WAY), output_field=BooleanField())
    works = campaign.works.filter(~Q(kind=CHECK) | lost).annotate(under_way=under_way)
    return list(works.select_related("started_by").order_by("-under_way", "-id")[:SHOWN])
