"""What stands around an item on the bench: a whole response string by string, a sentence in its response.

Nothing here joins runs: a response is known by its number alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q

from assess.models import Campaign, Document, Item, Response, Segment


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One string of a response, from 1. ``docno`` is "" where it names no document.

    ``is_here`` says whether the document can be opened, ``is_judged`` that this is the item itself.
    """

    number: int
    text: str
    docno: str = ""
    is_here: bool = False
    is_judged: bool = False


def response_parts(item: Item, campaign: Campaign) -> list[Part]:
    """The strings of a whole response, with their documents; empty for other items. One query at most."""
    found = item.fields.get("parts")
    pairs = [_pair(part) for part in found if isinstance(part, dict)] if isinstance(found, list) else []
    here = _stored(campaign, (docno for _, docno in pairs))
    return [
        Part(number=number, text=text, docno=docno, is_here=docno in here)
        for number, (text, docno) in enumerate(pairs, start=1)
    ]


def surrounding_parts(item: Item, *, seed: int) -> list[Part]:
    """The strings of one response that holds the item, or cites it; which one, the seed says. Two queries."""
    holding = Segment.objects.filter(Q(item=item) | Q(citations__item=item)).order_by()
    responses = list(holding.values_list("response_id", flat=True).distinct())
    if not responses:
        return []
    chosen = min(responses, key=lambda response: _shuffled(seed, response))
    segments = list(Response(pk=chosen).segments.order_by("ordinal", "id").values_list("text", "pk", "item_id"))
    judged = {pk for _, pk, item_id in segments if item_id == item.pk}
    if not judged:
        judged = set(holding.filter(response=chosen).values_list("pk", flat=True))
    return [
        Part(number=number, text=text, is_judged=pk in judged) for number, (text, pk, _) in enumerate(segments, start=1)
    ]


def names_document(docno: str) -> bool:
    """Whether a docno names a document; a row of X's stands for none.

    >>> names_document("XXXXXXXX"), names_document("XIE19990101.0001"), names_document("")
    (False, True, False)
    """
    return bool(docno.strip("Xx "))


def _pair(part: dict[str, object]) -> tuple[str, str]:
    text, docno = part.get("text"), part.get("docno")
    named = docno if isinstance(docno, str) and names_document(docno) else ""
    return (text if isinstance(text, str) else "", named)


def _stored(campaign: Campaign, docnos: Iterable[str]) -> set[str]:
    named = set(docnos) - {""}
    if not named:
        return set()
    return set(Document.objects.filter(campaign=campaign, docno__in=named).values_list("docno", flat=True))


def _shuffled(seed: int, thing: int) -> bytes:
    return hashlib.sha256(f"{seed}\0{thing}".encode()).digest()
