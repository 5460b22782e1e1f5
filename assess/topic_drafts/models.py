"""Topics while assessors make them: drafts, their steps, and their finds."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from assess.base.fields import CharField, JSONField, TextField
from assess.campaigns.models import Campaign
from assess.documents.models import Document
from assess.ledger.models import LedgerRow
from assess.topics.models import Topic


class TopicDraft(models.Model):
    """A topic that an assessor makes. Its content and state are in its steps.

    ``number`` counts the drafts of the campaign. ``topic`` is what an accepted draft became: its head, if it has
    several questions.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="topic_drafts")
    number = models.PositiveIntegerField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="topic_drafts")
    topic = models.OneToOneField(Topic, on_delete=models.PROTECT, related_name="draft", null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["campaign", "number"]
        constraints = [models.UniqueConstraint(fields=["campaign", "number"], name="one_topic_draft_a_number")]

    def __str__(self) -> str:
        return f"draft {self.number} of {self.campaign_id}"


class DraftStep(LedgerRow):
    """A step of a draft: its whole content as it was written, or that it was sent, sent back, accepted or dropped.

    ``content`` of the newest step is the draft's content: ``{"text", "task", "parts": [{"key", "task", "text"}],
    "definition", "notes", "query"}``. ``word`` is the organiser's remark when the draft is sent back. When it is sent,
    ``word`` is a sentence that estimates how many documents are relevant, and ``estimate`` is its basis: ``{"ranked":
    [docnos of the first documents of the search, all judged], "found": how many it found}``. It is None if no document
    was judged, and for drafts sent before this was stored.
    """

    class Action(models.TextChoices):
        WRITE = "write", gettext_lazy("written")
        SEND = "send", gettext_lazy("sent")
        BACK = "back", gettext_lazy("sent back")
        ACCEPT = "accept", gettext_lazy("accepted")
        DROP = "drop", gettext_lazy("dropped")

    campaign_path = "draft__campaign"

    draft = models.ForeignKey(TopicDraft, on_delete=models.PROTECT, related_name="steps")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    action = CharField(max_length=6, choices=Action)
    content = JSONField()
    word = TextField(blank=True)
    estimate = JSONField(null=True)
    client_key = models.UUIDField(unique=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.action} {self.draft_id}"


class DraftFind(LedgerRow):
    """A find of the author: an answer, a nugget, or whether a document is relevant. The newest row of a number counts.

    ``part`` is the key of the question that it answers, or 0 for the draft as a whole. ``quote`` and ``span`` give its
    place in the document. ``grade`` is 1 for a relevant document and 0 for another.
    """

    class Kind(models.TextChoices):
        ANSWER = "answer", gettext_lazy("answer")
        NUGGET = "nugget", gettext_lazy("nugget")
        DOCUMENT = "document", gettext_lazy("document")

    campaign_path = "draft__campaign"

    draft = models.ForeignKey(TopicDraft, on_delete=models.PROTECT, related_name="finds")
    number = models.PositiveIntegerField()
    kind = CharField(max_length=8, choices=Kind)
    part = models.PositiveIntegerField(default=0)
    text = TextField(blank=True)
    docno = CharField(max_length=200)
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="+", null=True)
    quote = TextField(blank=True)
    span = JSONField(null=True)
    grade = models.SmallIntegerField(null=True)
    is_withdrawn = models.BooleanField(default=False)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    client_key = models.UUIDField(unique=True)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["draft", "number", "id"], name="current_find")]

    def __str__(self) -> str:
        return f"{self.kind} {self.number} of {self.draft_id}"
