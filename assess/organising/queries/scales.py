"""What was judged under a campaign's settings: how many judgments depend on a criterion, and which fit no scale."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import gettext

from assess.base.numbers import grouped
from assess.campaigns.models import Campaign
from assess.campaigns.queries import stage_of, track_of
from assess.judging.models import Judgment
from assess.judging.queries.current import current_judgments
from assess.judging.snapshots import Snapshot
from assess.kinds.base import kinds
from assess.protocol import Criterion


def count_ledger_rows(campaign: Campaign, criterion: str = "") -> int:
    """Return the number of rows in the ledgers of judging: of this criterion or, if it is "", of all kinds of work.

    Judgments that were withdrawn or replaced count, too, since they stay in the ledger. One query for each ledger.
    """
    judgments = Judgment.objects.filter(assignment__campaign=campaign)
    if criterion:
        return judgments.filter(criterion=criterion).count()
    others = ((ledger, path) for kind in kinds().values() for ledger, path in kind.ledgers)
    return judgments.count() + sum(
        ledger._default_manager.filter(**{f"{path}__campaign": campaign}).count() for ledger, path in others
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class OffScale:
    """The number of current judgments of a kind of item whose value is on no stage's scale of the criterion."""

    item_kind: str
    criterion: str
    value: int
    count: int

    def __str__(self) -> str:
        return gettext("%(criterion)s %(self)s of a %(item_kind)s (%(count)s)") % {
            "criterion": self.criterion,
            "self": self.value,
            "item_kind": self.item_kind,
            "count": grouped(self.count),
        }


def values_off_scale(campaign: Campaign) -> list[OffScale]:
    """Return the current values that are on no scale under the current settings, by kind of item, criterion and value.

    One query reads the campaign's judgments; a second is made if any is off its scale.
    """
    on_scale = Q(value=None)  # includes "can't tell"
    for task in track_of(campaign).tasks:
        for stage in task.stages:
            for criterion in stage_of(campaign, stage.key)[1].criteria:
                on_scale |= Q(item__kind=stage.item_kind, criterion=criterion.key) & _allowed(criterion)
    off = Judgment.objects.filter(assignment__campaign=campaign).exclude(on_scale).order_by()
    if not off.exists():
        return []
    rows = current_judgments(Snapshot(campaign)).filter(pk__in=off.values("pk")).order_by()
    found = rows.values_list("item__kind", "criterion", "value").annotate(number=Count("pk"))
    return [
        OffScale(item_kind=kind, criterion=criterion, value=value, count=number)
        for kind, criterion, value, number in sorted(found)
    ]


def _allowed(criterion: Criterion) -> Q:
    if criterion.ranks:
        return Q(value__range=(1, criterion.ranks))
    return Q(value__in=[grade.value for grade in criterion.grades])
