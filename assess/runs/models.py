"""Runs and what they returned: responses, their segments, and the documents that these cite."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from assess.base.fields import CharField, JSONField, TextField
from assess.campaigns.models import Campaign
from assess.items.models import Item
from assess.topics.models import Topic


class Run(models.Model):
    """One system's output. The file is stored byte for byte under its sha256, whatever the checker found.

    ``report`` holds the first issues; ``errors``, ``warnings`` and ``notes`` count all of them. A run that is rejected
    or still being checked has no responses. ``repaired`` is the sha256 of a file with all safe repairs ("" if there is
    none); ``repairs`` lists these: [{"code", "count", "message"}, …]. ``replaces`` is the run that this one replaced
    or, while it is being checked, the one that it may replace.
    """

    class State(models.TextChoices):
        CHECKING = "checking", gettext_lazy("being checked")
        ACCEPTED = "accepted", gettext_lazy("accepted")
        REJECTED = "rejected", gettext_lazy("rejected by the checker")
        WITHDRAWN = "withdrawn", gettext_lazy("withdrawn")

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="runs")
    submission = CharField(max_length=50)
    tag = CharField(max_length=100)
    team = CharField(max_length=50, blank=True)
    priority = models.PositiveSmallIntegerField(null=True, blank=True)
    automatic = models.BooleanField(default=True)
    description = TextField(blank=True)
    fields = JSONField(default=dict, blank=True)
    file = CharField(max_length=64)
    file_name = CharField(max_length=255)
    size = models.BigIntegerField()
    state = CharField(max_length=10, choices=State)
    report = JSONField(default=list, blank=True)
    errors = models.PositiveIntegerField(default=0)
    warnings = models.PositiveIntegerField(default=0)
    notes = models.PositiveIntegerField(default=0)
    repaired = CharField(max_length=64, blank=True)
    repairs = JSONField(default=list, blank=True)
    replaces = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="replacements")
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    submitted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["tag", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "tag"], condition=Q(state="accepted"), name="one_accepted_run_a_tag"
            )
        ]

    def __str__(self) -> str:
        return self.tag


class Response(models.Model):
    """A run's answer to one topic. ``item`` leads to the judgment of the whole response, if wholes are judged."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="responses")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="responses")
    characters = models.PositiveIntegerField(default=0)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="responses", null=True)

    class Meta:
        ordering = ["run", "topic"]
        constraints = [models.UniqueConstraint(fields=["run", "topic"], name="one_response_a_topic")]

    def __str__(self) -> str:
        return f"response {self.pk}"


class Segment(models.Model):
    """One string or sentence of a response, in the order submitted. ``item`` leads to its judgment.

    ``no_docno`` is what the run wrote instead of a docno if it gave none ("XXXX"); exports write it again.
    """

    response = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="segments")
    ordinal = models.PositiveIntegerField()
    text = TextField()
    docno = CharField(max_length=200, blank=True)
    no_docno = CharField(max_length=200, blank=True, default="")
    line = models.PositiveIntegerField(null=True)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="segments", null=True)

    class Meta:
        ordering = ["response", "ordinal"]
        constraints = [models.UniqueConstraint(fields=["response", "ordinal"], name="one_segment_an_ordinal")]

    def __str__(self) -> str:
        return self.text[:80]


class Citation(models.Model):
    """A document that a segment cites. ``item`` leads to the citation's judgment."""

    segment = models.ForeignKey(Segment, on_delete=models.CASCADE, related_name="citations")
    ordinal = models.PositiveIntegerField()
    docno = CharField(max_length=200)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="citations", null=True)

    class Meta:
        ordering = ["segment", "ordinal"]
        constraints = [models.UniqueConstraint(fields=["segment", "ordinal"], name="one_citation_an_ordinal")]

    def __str__(self) -> str:
        return self.docno
