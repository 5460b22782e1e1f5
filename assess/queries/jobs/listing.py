"""The background jobs that pages show."""

from __future__ import annotations

from django.db.models import BooleanField, ExpressionWrapper, Q

from assess.models import Campaign, Work
from assess.queries.runs.checks import CHECK

SHOWN = 5


def shown_works(campaign: Campaign) -> list[Work]:
    """The campaign's newest jobs, those under way first. Checks of runs are shown with their runs, unless lost.

    Two queries.
    """
    lost = Q(pk__in=[work.pk for work in campaign.works.filter(state=Work.State.RUNNING, kind=CHECK) if work.is_lost()])
    under_way = ExpressionWrapper(Q(state__in=Work.UNDER_WAY), output_field=BooleanField())
    works = campaign.works.filter(~Q(kind=CHECK) | lost).annotate(under_way=under_way)
    return list(works.select_related("started_by").order_by("-under_way", "-id")[:SHOWN])
