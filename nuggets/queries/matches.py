"""What was marked in items: by one assessor for their page, and officially. None of these queries joins runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.db.models import Max, QuerySet

from assess.models import Assignment
from nuggets.models import ItemReview, NuggetList, NuggetMatch
from nuggets.queries.lists import ADJUDICATOR, OFFICIAL_ROLES, PRIMARY, Lineage, lineages


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """A nugget, by its number on the list that counts, in an item: full or partial, by whom, since which row."""

    row: int
    topic_id: int
    number: int
    part: int
    item_id: int
    value: str
    quote: str
    assessor_id: int


def newest_matches(matches: QuerySet[NuggetMatch], *, as_of: int | None = None) -> QuerySet[NuggetMatch]:
    """The newest row per nugget, part, item and assessor, up to ledger point ``as_of``."""
    if as_of is not None:
        matches = matches.filter(id__lte=as_of)
    keys = matches.order_by().values("nugget_id", "part", "item_id", "assessor_id")
    return NuggetMatch.objects.filter(pk__in=keys.annotate(newest=Max("id")).values("newest"))


def current_marks(nugget_list: NuggetList, *, assessor_id: int, as_of: int | None = None) -> list[Mark]:
    """One assessor's marks of the list's nuggets, carried over from earlier versions where nothing changed.

    Three queries. Marks taken back are left out.
    """
    lineage = lineages([nugget_list])[nugget_list.topic_id]
    rows = NuggetMatch.objects.filter(nugget__in=list(lineage.numbers), assessor=assessor_id)
    return _folded(newest_matches(rows, as_of=as_of), {nugget_list.topic_id: lineage})


def official_marks(lists: Iterable[NuggetList], *, as_of: int | None = None) -> list[Mark]:
    """The marks that count for these lists: the adjudicator's, else the primary assessor's. Four queries.

    For each nugget, part and item, the adjudicator's newest word stands, even if it is "none". Else an item is
    taken as a whole from one primary assessor: where work was handed on, from who marked or finished it last,
    for they saw nobody else's marks. Another assessor's mark never counts.
    """
    known = lineages(lists)
    nuggets = [nugget for lineage in known.values() for nugget in lineage.numbers]
    rows = NuggetMatch.objects.filter(nugget__in=nuggets, assignment__role__in=OFFICIAL_ROLES)
    newest = newest_matches(rows, as_of=as_of)
    return _folded(newest, known, is_official=True, looked=_looked_last(newest, known, as_of=as_of))


def _looked_last(rows: QuerySet[NuggetMatch], known: dict[int, Lineage], *, as_of: int | None) -> dict[int, int]:
    """The primary assessor who marked or finished each item last, by item id."""
    reviews = ItemReview.objects.filter(item__topic__in=list(known), assignment__role=PRIMARY)
    finished = current_reviews(reviews, as_of=as_of).filter(is_reviewed=True).order_by()
    words = list(finished.values_list("pk", "item_id", "assessor_id"))
    words += rows.filter(assignment__role=PRIMARY).order_by().values_list("pk", "item_id", "assessor_id")
    return {item: assessor for _, item, assessor in sorted(words)}


def _folded(
    rows: QuerySet[NuggetMatch],
    known: dict[int, Lineage],
    *,
    is_official: bool = False,
    looked: Mapping[int, int] = MappingProxyType({}),
) -> list[Mark]:
    """The last word for each (number, part, item), over all versions; of the adjudicator where there is one.

    Of the others' words on an item, those of who is named in ``looked`` for it count alone.
    """
    numbers = {nugget: (topic, number) for topic, found in known.items() for nugget, number in found.numbers.items()}
    last: dict[tuple[int, int, int, int], tuple[bool, Mark]] = {}
    for row in rows.select_related("assignment").order_by("id"):
        topic, number = numbers[row.nugget_id]
        settles = is_official and row.assignment.role == ADJUDICATOR
        if not settles and looked.get(row.item_id, row.assessor_id) != row.assessor_id:
            continue
        key = (topic, number, row.part, row.item_id)
        if key in last and last[key][0] and not settles:
            continue
        mark = Mark(
            row=row.pk,
            topic_id=topic,
            number=number,
            part=row.part,
            item_id=row.item_id,
            value=row.value,
            quote=row.quote,
            assessor_id=row.assessor_id,
        )
        last[key] = (settles, mark)
    return [mark for _, mark in last.values() if mark.value != NuggetMatch.Value.NONE]


def current_reviews(reviews: QuerySet[ItemReview], *, as_of: int | None = None) -> QuerySet[ItemReview]:
    """The newest word per item and assessor on whether the item is finished."""
    if as_of is not None:
        reviews = reviews.filter(id__lte=as_of)
    newest = reviews.order_by().values("item_id", "assessor_id").annotate(newest=Max("id")).values("newest")
    return ItemReview.objects.filter(pk__in=newest)


def finished_items(nugget_list: NuggetList, *, assignment: Assignment, as_of: int | None = None) -> set[int]:
    """The ids of the items that this assignment's assessor finished under the list.

    An item finished under an earlier version is finished, as long as the list holds no new or changed nugget.
    """
    lineage = lineages([nugget_list])[nugget_list.topic_id]
    reviews = ItemReview.objects.filter(item__topic=nugget_list.topic_id, assessor=assignment.assessor_id)
    current = current_reviews(reviews, as_of=as_of).filter(is_reviewed=True, nugget_list__in=lineage.covering)
    return set(current.values_list("item_id", flat=True))
