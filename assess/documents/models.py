"""Documents, their bytes, and the list of docnos that runs may name."""

from __future__ import annotations

from django.db import models

from assess.base.fields import CharField, JSONField, TextField
from assess.campaigns.models import Campaign


class Document(models.Model):
    """A document that may be shown, with what was found when it was prepared for showing.

    The bytes, the page and the text are in `DocumentBody`, so that lists of documents stay light.
    """

    class Status(models.TextChoices):
        OK = "ok", "page and text"
        TEXT_ONLY = "text-only", "text only"
        BLANK = "blank", "shows nothing without scripts"
        FAILED = "failed", "could not be prepared"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="documents")
    docno = CharField(max_length=200)
    media_type = CharField(max_length=100)
    charset = CharField(max_length=50, blank=True)
    url = TextField(blank=True)
    title = CharField(max_length=300, blank=True)
    fields = JSONField(default=dict, blank=True)
    size = models.PositiveIntegerField()
    sha256 = CharField(max_length=64)
    source_file = CharField(max_length=500)
    source_offset = models.BigIntegerField()
    text_sha256 = CharField(max_length=64)
    text_version = CharField(max_length=50)
    page_version = CharField(max_length=50)
    status = CharField(max_length=10, choices=Status, default=Status.OK)
    note = TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["docno"]
        constraints = [models.UniqueConstraint(fields=["campaign", "docno"], name="one_document_a_docno")]

    def __str__(self) -> str:
        return self.docno


class DocumentBody(models.Model):
    """A document's raw bytes and prepared page (both zlib), and its viewable text."""

    document = models.OneToOneField(Document, on_delete=models.CASCADE, related_name="body", primary_key=True)
    raw = models.BinaryField()
    page = models.BinaryField(null=True)
    text = TextField()

    def __str__(self) -> str:
        return f"body of {self.document_id}"


class ValidDocno(models.Model):
    """One docno of the collection. Runs are checked against these without loading the list anew."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="valid_docnos", db_index=False)
    docno = CharField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["campaign", "docno"], name="one_valid_docno")]

    def __str__(self) -> str:
        return self.docno
