"""The texts of a campaign's documents, for checkers that look up what a run quotes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from assess.campaigns.models import Campaign
from assess.documents.models import DocumentBody

REMEMBERED = 32


def document_text(campaign: Campaign) -> Callable[[str], str | None] | None:
    """What gives the text of a document by its docno, or None where it is not stored; one query each.

    None itself where the campaign has no documents at all, so that quotes are not checked before they are loaded.
    """
    if not campaign.documents.exists():
        return None
    bodies = DocumentBody.objects.filter(document__campaign=campaign)

    @lru_cache(maxsize=REMEMBERED)
    def text(docno: str) -> str | None:
        return bodies.filter(document__docno=docno).values_list("text", flat=True).first()

    return text
