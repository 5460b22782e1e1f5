"""Removing documents that were loaded from the wrong file, as long as nobody has worked with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid
from assess.base.sentences import Sentence
from assess.campaigns.activity import lock_open, record_activity
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.documents.models import Document, DocumentBody, DocumentTranslation, DocumentWords
from assess.documents.queries.dependent_rows import rows_on_documents
from assess.documents.queries.documents import loaded_from
from assess.items.models import Item
from assess.jobs.progress import JobProgress, no_report

BATCH = 500
TAKEN_OUT = "documents.take_out"
"""The action of the activity that records a batch."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TakenOut:
    """How many documents of a file or folder were removed, and how many are left if the job was stopped."""

    source: str
    documents: int
    left: int

    def sentence(self) -> Sentence:
        """Return a sentence on the result."""
        done = Sentence(
            "%(number)s document of %(source)s taken out",
            "%(number)s documents of %(source)s taken out",
            self.documents,
            source=self.source,
        )
        if self.left:
            return Sentence("Stopped: %(done)s, %(left)s left. Start again to go on.", done=done, left=self.left)
        return Sentence("%(done)s.", done=done)


def require_loose(documents: QuerySet[Document]) -> None:
    """Raise `Invalid` if there are no documents, and `Conflict` if a record depends on one of them.

    The message says how many records of each kind depend on them (`rows_on_documents`).
    """
    if not documents.exists():
        raise Invalid(
            gettext("No document was loaded from a file or folder of that name. The page of documents names them.")
        )
    if holds := rows_on_documents(documents):
        raise Conflict(
            Sentence(
                "These documents can't be taken out, since work stands on them: %(named)s. Nothing was changed. Where "
                "texts must not be kept, whoever runs the site deletes them by the command withhold_documents.",
                named=[Sentence("%(count)s %(noun)s", count=hold.count, noun=Sentence(hold.noun)) for hold in holds],
            )
        )


def take_out_documents(
    *,
    actor: User,
    campaign: Campaign,
    source: str,
    progress: Callable[[JobProgress], None] = no_report,
    should_stop: Callable[[], bool] = lambda: False,
) -> TakenOut:
    """Remove all documents that were loaded from a file or folder.

    Items that runs returned lose the document, and get it again once one with the same docno is loaded. Batches of 500
    are committed as they are finished, so nobody waits long; each batch is refused if somebody began to work with its
    documents meanwhile. The activity records each batch with it, so that nothing is removed unrecorded, however the
    process ends. Raises what `require_loose` raises, and `Conflict` for a closed campaign.
    """
    require_changeable(campaign)
    found = loaded_from(campaign, source)
    require_loose(found)
    newest = found.aggregate(newest=Max("pk"))["newest"]  # documents loaded from now on stay
    found = found.filter(pk__lte=newest)
    total, done = found.count(), 0
    while taken := _take_out(actor, campaign, found, source):
        done += taken
        progress(JobProgress(done=done, total=total))
        if should_stop():
            break
    return TakenOut(source=source, documents=done, left=total - done)


def _take_out(actor: User, campaign: Campaign, found: QuerySet[Document], source: str) -> int:
    """Remove and record one batch in a transaction, during which nobody can build a pool; return its size, 0 if none is
    left.

    Raises `Conflict` if somebody works with its documents by now, or the campaign is closed.
    """
    with transaction.atomic():
        lock_open(campaign)
        ids = list(found.order_by("pk").values_list("pk", flat=True)[:BATCH])
        batch = Document.objects.filter(pk__in=ids)
        if ids:
            require_loose(batch)
            Item.objects.filter(document__in=ids).update(document=None)
            DocumentBody.objects.filter(document__in=ids).delete()
            DocumentWords.objects.filter(document__in=ids).delete()
            docnos = list(batch.values_list("docno", flat=True))
            DocumentTranslation.objects.filter(campaign=campaign, docno__in=docnos).delete()
            batch.delete()
            data = {"source": source, "documents": len(ids), "left": found.count()}
            record_activity(actor=actor, action=TAKEN_OUT, campaign=campaign, data=data)
    return len(ids)
