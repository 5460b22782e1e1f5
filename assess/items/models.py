"""Items, which are what assessors judge, and the pools that say which items are judged."""

from __future__ import annotations

from django.db import models

from assess.base.fields import CharField, JSONField, TextField
from assess.campaigns.models import Campaign
from assess.topics.models import Topic


class Item(models.Model):
    """One thing to judge.

    It is unique by topic, kind and key, so it is judged once, whichever runs returned it. ``fields`` holds further
    values that the page shows (`assess.protocol.ItemRecord`). A ``given`` item came with the topic, from a file of
    judgments or from an assessor, not from a run. An item that ``repeats`` another is shown to one assessor a second
    time, unannounced (`ControlItem`). It is in no pool, export or score.
    """

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="items")
    kind = CharField(max_length=30)
    key = CharField(max_length=200)
    text = TextField(blank=True)
    docno = CharField(max_length=200, blank=True)
    document = models.ForeignKey(
        "assess.Document", on_delete=models.SET_NULL, null=True, blank=True, related_name="items"
    )
    fields = JSONField(default=dict, blank=True)
    given = models.BooleanField(default=False)
    repeats = models.ForeignKey(
        "self", on_delete=models.PROTECT, related_name="copies", null=True, blank=True, db_index=False
    )

    class Meta:
        ordering = ["topic", "id"]
        constraints = [models.UniqueConstraint(fields=["topic", "kind", "key"], name="one_item_a_key")]
        indexes = [
            models.Index(fields=["docno"]),
            # Not the key's own index: without statistics SQLite would use that for every item that repeats no other.
            models.Index(fields=["repeats"], condition=models.Q(repeats__isnull=False), name="item_that_repeats"),
        ]

    def __str__(self) -> str:
        return self.text[:80] or self.key


class WholePools(models.Manager["Pool"]):
    """The pools that are built to their end."""

    def get_queryset(self) -> models.QuerySet[Pool]:
        """Return the pools that are not unfinished; `campaign.pools` uses this, too."""
        return super().get_queryset().filter(unfinished=False)


class Pool(models.Model):
    """The items of one task that are to be judged, and the recipe by which they were chosen.

    ``digest`` covers the recipe and the members with which it was built, so building again from the same runs gives the
    same digest and adds nothing; a pool that grows keeps its digest. A build that gives another digest adds a pool. The
    newest pool of a task counts; judgments of items that are only in earlier pools are kept.

    A pool is stored in pieces, so that nobody waits for all of them. Until the last one is stored it is ``unfinished``:
    ``Pool.objects`` and ``campaign.pools`` leave it out, and only ``with_unfinished`` finds it.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="pools")
    task = CharField(max_length=50)
    recipe = JSONField()
    digest = CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)
    unfinished = models.BooleanField(default=False)

    objects = WholePools()
    with_unfinished = models.Manager["Pool"]()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"pool {self.pk} of {self.task}"


class PoolItem(models.Model):
    """An item in a pool, with its stratum and its inclusion probability.

    ``place`` counts from 1 in the item's topic and gives the order in which a strategy wants items judged; None means
    any order. When a pool grows, its new items get places after the topic's last.
    """

    pool = models.ForeignKey(Pool, on_delete=models.CASCADE, related_name="pool_items", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="pool_items")
    stratum = CharField(max_length=50, blank=True)
    probability = models.FloatField(default=1.0)
    place = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["pool", "id"]
        constraints = [models.UniqueConstraint(fields=["pool", "item"], name="one_place_in_a_pool")]
        # Instead of the pool's own index, since lists of a pool come in the order of their ids.
        indexes = [models.Index(fields=["pool", "id"], name="pool_item_since")]

    def __str__(self) -> str:
        return f"{self.item_id} in {self.pool_id}"
