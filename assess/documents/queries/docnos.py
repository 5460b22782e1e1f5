"""Which docnos are valid: asked of the stored list in batches, never loaded whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

from assess.campaigns.models import Campaign
from assess.documents.models import ValidDocno

LOOKUP = 5_000


def unknown_docnos(campaign: Campaign) -> Callable[[Iterable[str]], set[str]] | None:
    """What tells which docnos of a batch are not valid in this campaign; None where no list was loaded.

    The documents that are stored say nothing about which are valid: they are only those that runs named.
    """
    if not ValidDocno.objects.filter(campaign=campaign).exists():
        return None

    def unknown(docnos: Iterable[str]) -> set[str]:
        missing = set(docnos)
        remaining = iter(sorted(missing))
        while batch := list(islice(remaining, LOOKUP)):
            known = ValidDocno.objects.filter(campaign=campaign, docno__in=batch)
            missing.difference_update(known.values_list("docno", flat=True))
        return missing

    return unknown
