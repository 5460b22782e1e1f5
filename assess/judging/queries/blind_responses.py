"""Responses as benches show them, without naming their runs, and the text around an item."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Q
from django.utils.crypto import salted_hmac

from assess.assignments.models import Assignment, HelpRequest
from assess.assignments.queries.handoffs import heirs_of
from assess.campaigns.models import Campaign
from assess.documents.models import Document
from assess.items.models import Item
from assess.items.queries import pooled_items
from assess.protocol import Stage
from assess.runs.models import Response, Segment

# None of these queries joins runs: neither order nor numbers show which run answered.

Thing = TypeVar("Thing")


def in_seeded_order(things: Iterable[Thing], *, seed: int, key: Callable[[Thing], int]) -> list[Thing]:
    """Return the things in an order that depends only on the seed and their ids, so it is the same on every machine."""

    def place(thing: Thing) -> bytes:
        return hashlib.sha256(f"{seed} {key(thing)}".encode()).digest()

    return sorted(things, key=place)


def excused_items(assignments: Iterable[Assignment]) -> dict[int, set[int]]:
    """Return the ids of the items that each assignment need not judge, by assignment id; each has an entry.

    An organiser excuses an assessor from an item by answering a question about it. After a hand-over, the items that a
    former assessor was excused from are included. One query, or two after a hand-over.
    """
    group = list(assignments)
    heirs = heirs_of(group)
    found: dict[int, set[int]] = {work.pk: set() for work in group}
    requests = HelpRequest.objects.filter(assignment__in=list(heirs), excused=True, item__isnull=False)
    for assignment, item in requests.values_list("assignment_id", "item_id"):
        for heir in heirs[assignment]:
            found[heir.pk].add(item)
    return found


def blind_strings(assignment: Assignment, stage: Stage) -> tuple[list[list[tuple[int, int]]], list[int]]:
    """Return the strings of a topic's fully pooled responses, and the remaining pooled items.

    The first value has one list for each response whose items are all pooled: (ordinal, item id) of each of its
    strings. The second holds the ids of the pooled items that occur in none of these responses. Both are in this
    assignment's order. Two queries, which read no text.
    """
    pooled = set(pooled_items(assignment.topic, stage.item_kind).order_by().values_list("pk", flat=True))
    rows = Segment.objects.filter(response__topic=assignment.topic_id).order_by("response_id", "ordinal")
    by_response: dict[int, list[tuple[int, int]]] = {}
    not_pooled: set[int] = set()
    for response, ordinal, item in rows.values_list("response_id", "ordinal", "item_id"):
        if item is None or item not in pooled:
            not_pooled.add(response)
        else:
            by_response.setdefault(response, []).append((ordinal, item))
    judged = in_seeded_order(by_response.keys() - not_pooled, seed=assignment.seed, key=int)
    responses = [by_response[pk] for pk in judged]
    rest = pooled - {item for strings in responses for _, item in strings}
    return responses, in_seeded_order(rest, seed=assignment.seed, key=int)


# The context of an item on the bench: a whole response string by string, or the response around a sentence.
#
# Nothing here joins runs: a response is known by its number alone.


@dataclass(frozen=True, kw_only=True, slots=True)
class Cited:
    """A document that a string names, and whether it can be opened.

    ``place`` identifies it within the response: "2" is the first document of the second string, "2.2" its second
    document.
    """

    docno: str
    place: str
    is_here: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One string of a response, numbered from 1, with the documents that it names.

    ``is_judged`` means that this string is the item itself.
    """

    number: int
    text: str
    documents: tuple[Cited, ...] = ()
    is_judged: bool = False


def response_parts(item: Item, campaign: Campaign) -> list[Part]:
    """Return the strings of a whole response with their documents, or an empty list for other items.

    They are read from the item's field "parts": {"text", "docno"} or, if a string may name several documents, {"text",
    "docnos"}. One query at most.
    """
    found = item.fields.get("parts")
    read = [_text_and_docnos(part) for part in found if isinstance(part, dict)] if isinstance(found, list) else []
    here = _stored(campaign, (docno for _, docnos in read for docno in docnos))
    return [
        Part(number=number, text=text, documents=tuple(_cited(number, docnos, here)))
        for number, (text, docnos) in enumerate(read, start=1)
    ]


def surrounding_parts(item: Item, *, seed: int) -> list[Part]:
    """Return the strings of one response that contains or cites the item; the seed decides which. Return an empty list
    if no response does. At most three queries.
    """
    known = item.repeats_id or item.pk
    holding = Segment.objects.filter(Q(item=known) | Q(citations__item=known)).order_by()
    responses = list(holding.values_list("response_id", flat=True).distinct())
    if not responses:
        return []
    chosen = min(responses, key=lambda response: _shuffled(seed, response))
    segments = list(Response(pk=chosen).segments.order_by("ordinal", "id").values_list("text", "pk", "item_id"))
    judged = {pk for _, pk, item_id in segments if item_id == known}
    if not judged:
        judged = set(holding.filter(response=chosen).values_list("pk", flat=True))
    return [
        Part(number=number, text=text, is_judged=pk in judged) for number, (text, pk, _) in enumerate(segments, start=1)
    ]


def names_document(docno: str) -> bool:
    """Return whether a docno names a document; a row of X's means that there is none.

    >>> names_document("XXXXXXXX"), names_document("XIE19990101.0001"), names_document("")
    (False, True, False)
    """
    return bool(docno.strip("Xx "))


def _text_and_docnos(part: dict[str, object]) -> tuple[str, list[str]]:
    text, several = part.get("text"), part.get("docnos")
    named = [part.get("docno"), *(several if isinstance(several, list) else [])]
    docnos = [docno for docno in named if isinstance(docno, str) and names_document(docno)]
    return (text if isinstance(text, str) else "", list(dict.fromkeys(docnos)))


def _cited(number: int, docnos: list[str], here: set[str]) -> Iterator[Cited]:
    for ordinal, docno in enumerate(docnos, start=1):
        place = str(number) if ordinal == 1 else f"{number}.{ordinal}"
        yield Cited(docno=docno, place=place, is_here=docno in here)


def _stored(campaign: Campaign, docnos: Iterable[str]) -> set[str]:
    named = set(docnos)
    if not named:
        return set()
    return set(Document.objects.filter(campaign=campaign, docno__in=named).values_list("docno", flat=True))


def _shuffled(seed: int, response: int) -> bytes:
    """Return a pseudo-random key for a response.

    It uses the site's secret, since an adjudicator's seed is the item's id and can be guessed.
    """
    return salted_hmac("assay.surrounding", f"{seed}\0{response}", algorithm="sha256").digest()
