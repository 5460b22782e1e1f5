"""Records that prevent documents from being removed: whatever was chosen, judged or written about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db.models import Model, Q, QuerySet

from assess.campaigns.models import Campaign
from assess.documents.models import Document
from assess.documents.queries.documents import loaded_from
from assess.items.models import Item
from assess.topics.queries import docnos_by_topic

BODIES = ("assess.DocumentBody", "assess.DocumentWords", "assess.DocumentCluster", "assess.Item")
RETURNED = ("assess.Response", "assess.Segment", "assess.Citation", "assess.Item")
"""Models that refer to an item although nobody chose it for judging: what runs returned, and repeats of items."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DependentRows:
    """Rows of one kind that depend on documents: their number, and a noun for them in the singular (``one``) and plural
    (``what``).
    """

    one: str
    what: str
    count: int

    @property
    def noun(self) -> str:
        """The word for the rows, in singular or plural as the count requires."""
        return self.one if self.count == 1 else self.what


@dataclass(frozen=True, kw_only=True, slots=True)
class TakingOut:
    """The effect of removing the documents of a file or folder. ``items`` is the number of items that would lose the
    document in which they are shown.
    """

    source: str
    documents: int
    items: int
    holds: tuple[DependentRows, ...]


def taking_out(campaign: Campaign, source: str) -> TakingOut:
    """Return what would be removed, and what prevents it. Some fifteen queries, however many documents."""
    documents = loaded_from(campaign, source)
    items = Item.objects.filter(document__in=documents.order_by().values("pk"))
    return TakingOut(
        source=source.strip().rstrip("/"),
        documents=documents.count(),
        items=items.count(),
        holds=rows_on_documents(documents),
    )


def rows_on_documents(documents: QuerySet[Document]) -> tuple[DependentRows, ...]:
    """Return the records that depend on these documents, by kind in alphabetical order.

    These are all rows that refer to a document or to its items, in other apps too, except what runs returned. They also
    include begun assignments on topics that name a document, as a page to look at or a paper.
    """
    ids = documents.order_by().values("pk")
    pointing: dict[type[Model], Q] = defaultdict(Q)
    for model, name in _pointing_at(Document, besides=BODIES):
        pointing[model] |= Q(**{f"{name}__in": ids})
    for model, name in _pointing_at(Item, besides=RETURNED):
        pointing[model] |= Q(**{f"{name}__document__in": ids})
    found = sorted((_hold(model, where) for model, where in pointing.items()), key=lambda hold: hold.what)
    begun = _begun(_topics_naming(documents))
    found.append(DependentRows(one="assignment that shows them", what="assignments that show them", count=begun))
    return tuple(hold for hold in found if hold.count)


def _topics_naming(documents: QuerySet[Document]) -> set[int]:
    """Return the ids of the topics that name any of these documents in their fields. Three queries at most."""
    campaign = Campaign.objects.filter(documents__in=documents.order_by().values("pk")).first()
    topics: dict[str, set[int]] = defaultdict(set)
    for pk, docno in docnos_by_topic(campaign) if campaign is not None else ():
        topics[docno].add(pk)
    if not topics:
        return set()
    docnos = documents.order_by().values_list("docno", flat=True).iterator()
    return {pk for docno in docnos for pk in topics.get(docno, ())}


def _begun(topics: set[int]) -> int:
    """Return how many assignments of these topics were begun.

    The model is looked up by name, since assignments stand above documents in the layers.
    """
    assignments: type[Any] = apps.get_model("assess.Assignment")
    rows = assignments.objects.filter(topic__in=topics).exclude(state=assignments.State.OPEN)
    return int(rows.count())


def _hold(model: type[Model], where: Q) -> DependentRows:
    rows: QuerySet[Any] = model._default_manager.filter(where)
    one, what = str(model._meta.verbose_name), str(model._meta.verbose_name_plural)
    return DependentRows(one=one, what=what, count=rows.order_by().count())


def _pointing_at(model: type[Model], *, besides: Iterable[str]) -> Iterator[tuple[type[Model], str]]:
    """Yield each model with a foreign key to this one, and the key's name."""
    left_out = tuple(besides)
    for relation in model._meta.get_fields(include_hidden=True):
        field = getattr(relation, "field", None)
        if relation.auto_created and not relation.concrete and field is not None:
            other = relation.related_model
            if isinstance(other, type) and issubclass(other, Model) and other._meta.label not in left_out:
                yield other, field.name
