"""Stored counts of the ledgers, so that pages need not count a million rows each time. They may be deleted at any
time.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models

from assess.base.fields import CharField
from assess.campaigns.models import Campaign
from assess.items.models import Pool
from assess.topics.models import Topic


class CountedUpTo(models.Model):
    """How far a campaign's ledgers and pools are counted in `WorkDay` and `PooledCount`.

    Rows up to ledger point ``point`` and pool items up to ``pool_item`` are counted, under ``basis``: a digest of
    everything that counting depends on. If the digest has changed, the counts are invalid and are made again.
    """

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="counted")
    point = models.BigIntegerField(default=0)
    pool_item = models.BigIntegerField(default=0)
    basis = CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.campaign} up to {self.point}"


class WorkDay(models.Model):
    """What one person did in one stage of one topic on one day of the campaign's time zone, counted from the ledgers.

    ``acts`` is the number of recorded rows. ``settled`` is the number of pooled items that became judged by every
    criterion on that day. ``seconds`` are the active seconds of ``timed`` judgments; ``last_at`` is the time of the
    last act.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="work_days", db_index=False)
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="+")
    stage = CharField(max_length=50)
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    day = models.DateField()
    acts = models.IntegerField(default=0)
    settled = models.IntegerField(default=0)
    seconds = models.FloatField(default=0)
    timed = models.IntegerField(default=0)
    last_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "topic", "stage", "assessor", "day"], name="one_row_a_day_of_work"
            )
        ]

    def __str__(self) -> str:
        return f"{self.stage} of {self.topic_id} on {self.day}"


class PooledCount(models.Model):
    """The number of items of a kind in a pool for a topic."""

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="counts", db_index=False)
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="+")
    kind = CharField(max_length=30)
    items = models.IntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool", "topic", "kind"], name="one_count_of_a_pool")]

    def __str__(self) -> str:
        return f"{self.items} of {self.topic_id} in {self.pool_id}"
