"""Documents, their bytes and texts, translations, clusters, and the lists of docnos that runs may name."""

from __future__ import annotations

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.translation import gettext_lazy

from assess.base.fields import CharField, JSONField, TextField
from assess.campaigns.models import Campaign
from assess.topics.models import Topic


class Document(models.Model):
    """A document that may be shown, with the results of preparing it for display.

    The bytes, the page and the text are in `DocumentBody`, so that lists of documents stay light.
    """

    class Status(models.TextChoices):
        OK = "ok", gettext_lazy("page and text")
        TEXT_ONLY = "text-only", gettext_lazy("text only")
        BLANK = "blank", gettext_lazy("shows nothing without scripts")
        FAILED = "failed", gettext_lazy("could not be prepared")
        WITHHELD = "withheld", gettext_lazy("text taken out")

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
    language = CharField(max_length=8, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["docno"]
        constraints = [models.UniqueConstraint(fields=["campaign", "docno"], name="one_document_a_docno")]
        indexes = [models.Index(fields=["campaign", "language"], name="documents_by_language")]

    def __str__(self) -> str:
        return self.docno


class DocumentBody(models.Model):
    """A document's raw bytes and prepared page, and its viewable text.

    Bytes and page may be stored outside the database: only `domain.bodies` writes them, and `queries.bodies` reads
    them.
    """

    document = models.OneToOneField(Document, on_delete=models.CASCADE, related_name="body", primary_key=True)
    raw = models.BinaryField()
    page = models.BinaryField(null=True)
    text = TextField()

    def __str__(self) -> str:
        return f"body of {self.document_id}"


class DocumentTranslation(models.Model):
    """A document's text in another language, made by a person or a tool, to be read next to it.

    It names its document by docno, not by key: a release lists which documents had translations, and may be loaded into
    a site that stores neither documents nor translations. ``text`` is "" in such a site. Only `domain.translations`
    writes it.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="translations", db_index=False)
    docno = CharField(max_length=200)
    language = CharField(max_length=35)
    tool = CharField(max_length=200, blank=True)
    sha256 = CharField(max_length=64)
    text = TextField(blank=True)

    class Meta:
        ordering = ["docno", "language"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "docno", "language"], name="one_translation_of_a_document_a_language"
            )
        ]

    def __str__(self) -> str:
        return f"{self.docno} in {self.language}"


class IndexWords(models.Field[str, str]):
    """The words of a text with their places, as each database indexes them: text on SQLite, tsvector on PostgreSQL."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        """Return the type of the column."""
        return "tsvector" if connection.vendor == "postgresql" else "text"


class DocumentWords(models.Model):
    """The search index of a document: the words of its text, made by `assess.documents.words`. Pages never read it."""

    document = models.OneToOneField(Document, on_delete=models.CASCADE, related_name="+", primary_key=True)
    words = IndexWords()

    def __str__(self) -> str:
        return f"words of {self.document_id}"


class DocumentCluster(models.Model):
    """A pooled document of a topic that is near-identical to the topic's other documents with the same ``number``.

    It is derived from the texts and the pool: only `domain.clusters` writes it, and replaces all of them at once.
    """

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="clusters", db_index=False)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="clusters")
    number = models.PositiveIntegerField()

    class Meta:
        ordering = ["topic", "number", "document"]
        constraints = [models.UniqueConstraint(fields=["topic", "document"], name="one_cluster_of_a_document")]

    def __str__(self) -> str:
        return f"{self.document_id} in cluster {self.number}"


class DocnoList(models.Model):
    """A list of valid docnos that is in place, or one that is being loaded or removed and does not count."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="docno_lists")
    name = CharField(max_length=255)
    docnos = models.PositiveIntegerField(default=0)
    in_place = models.BooleanField(default=False)

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "name"], condition=models.Q(in_place=True), name="one_docno_list_a_name"
            )
        ]

    def __str__(self) -> str:
        return self.name


class ValidDocno(models.Model):
    """One docno of a list. Runs are checked against these rows without loading the list."""

    docno_list = models.ForeignKey(DocnoList, on_delete=models.CASCADE, related_name="+", db_index=False)
    docno = CharField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["docno_list", "docno"], name="one_docno_a_list")]

    def __str__(self) -> str:
        return self.docno
