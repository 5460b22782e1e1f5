"""Copying documents from one campaign to another, with their prepared pages, texts and indexed words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import connection, transaction

from assess.base.bulk import add_rows
from assess.base.sentences import Sentence
from assess.campaigns.activity import lock_open, record_activity
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.documents.domain.document_rows import link_items
from assess.documents.domain.indexing import add_words
from assess.documents.domain.translations import copy_translations
from assess.documents.models import Document, DocumentBody, DocumentWords
from assess.jobs.progress import JobProgress, no_report

BATCH = 100
"""The number of documents that are committed at once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CopiedDocuments:
    """How many documents were copied, how many were stored before, and whether the copying was stopped."""

    stored: int
    before: int
    stopped: bool

    def sentence(self) -> Sentence:
        """Return a sentence on the result."""
        told = Sentence(
            "%(number)s document copied, %(before)s stored before",
            "%(number)s documents copied, %(before)s stored before",
            self.stored,
            before=self.before,
        )
        if self.stopped:
            return Sentence("Stopped: %(done)s. Copy them again to go on.", done=told)
        return Sentence("%(done)s.", done=told)


def copy_documents(
    *,
    actor: User,
    campaign: Campaign,
    source: Campaign,
    progress: Callable[[JobProgress], None] = no_report,
    should_stop: Callable[[], bool] = lambda: False,
) -> CopiedDocuments:
    """Copy every document of ``source`` into the campaign. A document whose docno is stored already stays.

    Nothing is prepared again, so a copy costs only its rows. Batches are committed as they are finished, and a stopped
    copy continues when it is started again. Raises `Conflict` for a closed campaign.
    """
    require_changeable(campaign)
    rows = Document.objects.filter(campaign=source).order_by("pk")
    total, done, stored, last, stopped = rows.count(), 0, 0, 0, False
    while batch := list(rows.filter(pk__gt=last)[:BATCH]):
        if stopped := should_stop():
            break
        stored += _copy(campaign, source, batch)
        last, done = batch[-1].pk, done + len(batch)
        progress(JobProgress(done=done, total=total))
    data = {"from": source.slug, "documents": stored}
    with transaction.atomic():
        record_activity(actor=actor, action="documents.copy", campaign=campaign, about=campaign, data=data)
    return CopiedDocuments(stored=stored, before=done - stored, stopped=stopped)


def _copy(campaign: Campaign, source: Campaign, batch: list[Document]) -> int:
    """Store the documents of a batch that the campaign does not have yet, with what is kept of them, and return their
    number. Raises `Conflict` in a closed campaign.
    """
    fields = [field for field in Document._meta.concrete_fields if not field.primary_key]
    docnos = [document.docno for document in batch]
    with transaction.atomic():
        lock_open(campaign)
        known = set(Document.objects.filter(campaign=campaign, docno__in=docnos).values_list("docno", flat=True))
        wanted = {document.pk: document for document in batch if document.docno not in known}
        if not wanted:
            return 0
        for document in wanted.values():
            document.campaign = campaign
        rows = [
            tuple(field.get_db_prep_save(getattr(document, field.attname), connection) for field in fields)
            for document in wanted.values()
        ]
        add_rows(Document, [str(field.column) for field in fields], rows)
        ids = dict(Document.objects.filter(campaign=campaign, docno__in=docnos).values_list("docno", "pk"))
        bodies = DocumentBody.objects.filter(document__in=list(wanted)).values_list(
            "document_id", "raw", "page", "text"
        )
        copied = [(ids[wanted[old].docno], raw, page, text) for old, raw, page, text in bodies]
        add_rows(DocumentBody, ["document_id", "raw", "page", "text"], copied)
        words = DocumentWords.objects.filter(document__in=list(wanted)).values_list("document_id", "words")
        add_words([(ids[wanted[old].docno], form) for old, form in words])
        copy_translations(campaign, source, [document.docno for document in wanted.values()])
        link_items(campaign, [document.docno for document in wanted.values()])
    return len(wanted)
