"""Taking away for good the texts of documents that may no longer be kept, such as when a publisher forbids it."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import BinaryField
from django.db.models.functions import Substr

from assess.base.errors import Invalid
from assess.base.write_ahead_log import empty_write_ahead_log
from assess.campaigns.activity import record_activity
from assess.campaigns.models import Campaign
from assess.documents.models import Document, DocumentBody, DocumentTranslation, DocumentWords
from assess.documents.queries.bodies import LONGEST_REFERENCE, REFERENCE

MOST_REASON = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class Withheld:
    """How many documents have no text any more, and under which names a store outside the database still has bytes."""

    documents: int
    stored: tuple[str, ...]


def withhold_texts(*, actor: User, campaign: Campaign, docnos: Sequence[str], reason: str) -> Withheld:
    """Delete the bytes, page, text, title, fields and translations of documents, also in a closed campaign.

    Docnos, digests, judgments, and the words that assessors selected stay, so scores and releases are the same. Whoever
    opens such a document reads the reason. Its page is never prepared again, and loading the same docno again brings
    nothing back. Refused, before anything is changed: no reason, and a docno that is not stored. Bytes in a store
    outside the database stay there, since other documents may have the same.
    """
    if not (told := " ".join(reason.split())) or len(told) > MOST_REASON:
        raise Invalid(f"Give a reason of at most {MOST_REASON} characters: it is shown in place of the text.")
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        found = Document.objects.filter(campaign=campaign, docno__in=docnos)
        ids = dict(found.values_list("docno", "pk"))
        if missing := [docno for docno in docnos if docno not in ids]:
            raise Invalid(f"Not stored in {campaign.slug}: {', '.join(missing[:10])}. Nothing was changed.")
        bodies = DocumentBody.objects.filter(document__in=ids.values())
        begins = [Substr(name, 1, LONGEST_REFERENCE, output_field=BinaryField()) for name in ("raw", "page")]
        columns = chain.from_iterable(bodies.values_list(*begins))
        stored = {bytes(each) for each in columns if each and bytes(each).startswith(REFERENCE)}
        bodies.update(raw=zlib.compress(b""), page=None, text="")
        DocumentWords.objects.filter(document__in=ids.values()).delete()
        DocumentTranslation.objects.filter(campaign=campaign, docno__in=ids).update(text="")
        Document.objects.filter(pk__in=ids.values()).update(
            status=Document.Status.WITHHELD, note=told, title="", fields={}, media_type="text/plain", charset=""
        )
        data = {"docnos": sorted(ids), "reason": told}
        record_activity(actor=actor, action="documents.withhold", campaign=campaign, data=data)
        transaction.on_commit(empty_write_ahead_log, robust=True)
    names = sorted(each.removeprefix(REFERENCE).decode() for each in stored)
    return Withheld(documents=len(ids), stored=tuple(names))
