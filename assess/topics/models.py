"""Topics, which systems answer, and the document lists that come with them."""

from __future__ import annotations

from django.db import models

from assess.base.fields import CharField, JSONField, TextField
from assess.campaigns.models import Campaign


class CountedTopics(models.Manager["Topic"]):
    """The topics that count: those that were not dropped (`assess.topics.domain.changing`)."""

    def get_queryset(self) -> models.QuerySet[Topic]:
        """Return the topics that were not dropped; `campaign.topics` uses this, too."""
        return super().get_queryset().filter(dropped=False)


class Topic(models.Model):
    """A question, turn or claim; or, with an empty task, a series or target that groups others.

    ``Topic.objects`` and ``campaign.topics`` have only the topics that count. A dropped topic is found through
    ``with_dropped``: it keeps all its records, and is in no pool, work, export or score.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="topics")
    task = CharField(max_length=50, blank=True)
    number = CharField(max_length=100)
    parent = models.ForeignKey("self", on_delete=models.CASCADE, related_name="children", null=True, blank=True)
    ordinal = models.PositiveIntegerField(default=0)
    text = TextField()
    fields = JSONField(default=dict, blank=True)
    dropped = models.BooleanField(default=False)

    objects = CountedTopics()
    with_dropped = models.Manager["Topic"]()

    class Meta:
        ordering = ["ordinal", "id"]
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="one_topic_a_number")]

    def __str__(self) -> str:
        return f"{self.number} {self.text}"


class ListedDocument(models.Model):
    """A line of a document list: a search engine's ranking for a target, provided as a service."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="listed_documents")
    rank = models.PositiveIntegerField()
    docno = CharField(max_length=200)
    score = models.FloatField()

    class Meta:
        ordering = ["topic", "rank", "id"]
        constraints = [models.UniqueConstraint(fields=["topic", "docno"], name="one_listing_a_document")]
        indexes = [models.Index(fields=["topic", "rank"])]

    def __str__(self) -> str:
        return f"{self.rank} {self.docno}"
