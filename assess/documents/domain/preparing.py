"""Preparing again the pages of stored documents that another version of the site made. Their texts stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from assess.base.errors import Conflict, NotFound
from assess.base.file_issues import Collector, Report
from assess.base.sentences import Sentence
from assess.campaigns.activity import record_activity
from assess.campaigns.models import Campaign
from assess.documents.domain.bodies import keep_body
from assess.documents.domain.document_rows import page_title, render_job, stored_sheets
from assess.documents.models import Document, DocumentBody
from assess.documents.queries.bodies import raw_of
from assess.documents.queries.documents import with_older_pages
from assess.jobs.domain import enqueue_job
from assess.jobs.kinds import PREPARE
from assess.jobs.models import Job
from assess.jobs.progress import JobProgress, no_report
from assess.rendering.processes import RenderPool
from assess.rendering.rendered import Rendering
from scoring.records import DocumentRecord, Issue

BATCH = 50
BATCH_BYTES = 16_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedAgain:
    """The result of preparing: ``documents`` is the number of documents that now have a page of this version, ``left``
    the number of those that still have an older page.

    ``other_texts`` counts the prepared documents that would get another text if they were loaded today; they keep the
    text they have. ``failed`` counts the documents that could not be prepared, which keep their page. The report names
    the documents of both sorts.
    """

    documents: int
    other_texts: int
    failed: int
    left: int
    report: Report
    stopped: bool

    def sentence(self) -> Sentence:
        """Return a sentence on the result."""
        done = Sentence("%(number)s page prepared again", "%(number)s pages prepared again", self.documents)
        others, failed = "", ""
        if self.other_texts:
            others = Sentence(
                "; %(count)s of them would have another text today; the text that was stored stays",
                count=self.other_texts,
            )
        if self.failed:
            failed = Sentence("; %(count)s could not be prepared, so the old page stays", count=self.failed)
        if not self.stopped:
            return Sentence("%(done)s%(others)s%(failed)s.", done=done, others=others, failed=failed)
        return Sentence(
            "Stopped: %(done)s%(others)s%(failed)s; %(left)s left. Start again to go on.",
            done=done,
            others=others,
            failed=failed,
            left=self.left,
        )


def start_preparing(*, actor: User, campaign: Campaign) -> Job:
    """Start a job that prepares all pages that another version of the site made (`prepare_documents`).

    Raises `Conflict` if there are no such pages, and while such a job is under way.
    """
    if not with_older_pages(campaign).exists():
        raise Conflict(gettext("Every page was made by this version of the site. There is nothing to prepare."))
    return enqueue_job(actor=actor, campaign=campaign, kind=PREPARE, arguments={})


def prepare_documents(
    *,
    actor: User,
    campaign: Campaign,
    progress: Callable[[JobProgress], None] = no_report,
    should_stop: Callable[[], bool] = lambda: False,
) -> PreparedAgain:
    """Prepare all pages that another version of the site made, even in a closed campaign.

    The title is read again as well. The text never changes, nor its digest, words or language, because the spans of
    judgments and quotes count its characters. If this version would extract another text, that is reported. A document
    that can't be prepared (in time) keeps its page, is reported, and is tried again the next time. Batches of 50
    documents or 16 MB are committed as they are finished, so a stopped run continues where it ended; one batch is in
    memory. The activity records what was done, even by a stopped run. Raises `StoreAway` if an external storage is
    away.
    """
    preparing = _Preparing(campaign=campaign)
    waiting = with_older_pages(campaign).order_by("pk")
    total, last, stopped = waiting.count(), 0, False
    try:
        with RenderPool(processes=settings.ASSAY_RENDER_PROCESSES, seconds=settings.ASSAY_RENDER_SECONDS) as pool:
            while batch := _fitting(list(waiting.filter(pk__gt=last)[:BATCH])):
                preparing.prepare(batch, pool)
                last = batch[-1].pk
                progress(JobProgress(done=preparing.documents + preparing.failed, total=total))
                if should_stop():
                    stopped = waiting.filter(pk__gt=last).exists()
                    break
    finally:
        if preparing.documents:
            data = {"documents": preparing.documents, "other_texts": preparing.other_texts, "failed": preparing.failed}
            with transaction.atomic():
                record_activity(actor=actor, action="documents.prepare", campaign=campaign, data=data)
    return PreparedAgain(
        documents=preparing.documents,
        other_texts=preparing.other_texts,
        failed=preparing.failed,
        left=waiting.count(),
        report=preparing.collector.report(),
        stopped=stopped,
    )


@dataclass(slots=True)
class _Preparing:
    """A run in progress: its counts, and its reports on single documents."""

    campaign: Campaign
    collector: Collector = field(default_factory=Collector)
    documents: int = 0
    other_texts: int = 0
    failed: int = 0

    def prepare(self, batch: Sequence[Document], pool: RenderPool) -> None:
        """Prepare and commit one batch. Raises `StoreAway` if an external storage does not answer."""
        records = {each.pk: record for each in batch if (record := self._record(each)) is not None}
        sheets = stored_sheets(self.campaign, list(records.values()))
        by_docno = {each.docno: each for each in batch}
        made = pool.map(render_job(record, sheets) for record in records.values())
        rows = [(by_docno[job.key], rendering) for job, rendering in made]
        titles = {pk: page_title(record) for pk, record in records.items()}
        new = [(document, rendering) for document, rendering in rows if not self._is_lost(document, rendering)]
        pages = [keep_body(each.page.encode(errors="replace")) if each.page is not None else None for _, each in new]
        with transaction.atomic():
            for (document, rendering), page in zip(new, pages, strict=True):
                Document.objects.filter(pk=document.pk).update(
                    page_version=rendering.page_version,
                    status=rendering.status,
                    note=rendering.note,
                    title=titles[document.pk],
                )
                DocumentBody.objects.filter(document=document.pk).update(page=page)
        self.documents += len(new)
        for document, rendering in new:
            if rendering.text_sha256 != document.text_sha256:
                self.other_texts += 1
                self.collector(_other_text(document))

    def _record(self, document: Document) -> DocumentRecord | None:
        """Return the document as it was loaded; report it and return None if its bytes are gone or were changed."""
        body = DocumentBody.objects.defer("text", "page").get(document=document.pk)
        try:
            raw = raw_of(body)
        except NotFound as changed:
            self._fail(document, changed.message)
            return None
        return DocumentRecord(
            docno=document.docno,
            media_type=document.media_type,
            charset=document.charset or None,
            raw=raw,
            url=document.url,
            fields=document.fields,
        )

    def _is_lost(self, document: Document, rendering: Rendering) -> bool:
        """Return whether storing this result would lose an existing page because no page could be made now; report
        that.
        """
        had_page = document.status not in (Document.Status.TEXT_ONLY, Document.Status.FAILED)
        if not had_page or rendering.status not in ("text-only", "failed"):
            return False
        self._fail(document, rendering.note)
        return True

    def _fail(self, document: Document, why: str) -> None:
        self.failed += 1
        message = f"{why} The page that an earlier version made was kept; start again to try once more."
        self.collector(Issue(where=document.docno, code="not-prepared", message=message, severity="warning"))


def _fitting(documents: Sequence[Document]) -> Sequence[Document]:
    """Return as many of the first documents as have at most 16 MB together, but at least one document."""
    sizes = accumulate(each.size for each in documents)
    return documents[: max(1, sum(size <= BATCH_BYTES for size in sizes))]


def _other_text(document: Document) -> Issue:
    message = (
        "This version would read another text in the document. The text that was stored stays, since judgments may "
        "stand on its characters; where nobody judged it, take it out and load it again to have the new one."
    )
    return Issue(where=document.docno, code="other-text", message=message, severity="note")
