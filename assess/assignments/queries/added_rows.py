"""Which topics rows were added to between two ledger points."""

from __future__ import annotations

from functools import reduce
from operator import or_

from django.db.models import Q

from assess.campaigns.models import Campaign
from assess.ledger.models import LedgerRow


def topics_of_added_rows(campaign: Campaign, *, after: int, upto: int) -> frozenset[str]:
    """Return the numbers of the topics in whose work rows were added above one point, up to another. One query.

    The rows are found by their ids alone: of a campaign's rows SQLite would look at every one for its id.
    """
    ways = [(ledger, ledger.campaign_path.removesuffix("__campaign")) for ledger in LedgerRow.__subclasses__()]
    added = [
        Q(pk__in=ledger._default_manager.filter(id__gt=after, id__lte=upto).order_by().values(path))
        for ledger, path in ways
        if path.endswith("assignment")
    ]
    works = campaign.assignments.filter(reduce(or_, added)).order_by()
    return frozenset(works.values_list("topic__number", flat=True).distinct())
