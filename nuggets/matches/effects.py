"""Gold records with another mark in place of the one that counts, to see what it does to scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from assess.items.models import Item
from assess.kinds.opinions import Exchange
from nuggets.matches.export import ASSIGNMENTS
from nuggets.matches.owned import VALUES
from nuggets.writing.disputed import disputed_nuggets
from scoring.records import ItemMatch, NuggetizerLine, OwnedMatch


def exchanged_marks(collector: str, records: list[Any], exchange: Exchange) -> list[Any]:
    """The records with the nugget in the string as the value says: full, in part, or not there."""
    item, number = exchange.item, exchange.row.thing.number
    exchanged = _EXCHANGED.get(collector)
    if item is None or number is None or exchanged is None:
        return records
    return exchanged(records, exchange, item, number)


def _degree(exchange: Exchange) -> str:
    """How far the string holds the nugget: full, partial or absent."""
    if not exchange.value:
        return "absent"
    return "full" if exchange.value == exchange.criterion.grades[0].value else "partial"


def _item_matches(records: list[ItemMatch], exchange: Exchange, item: Item, number: int) -> list[ItemMatch]:
    row = exchange.row
    place = (row.topic, item.docno, item.text, number)
    kept = [each for each in records if (each.topic, each.docno, each.text, each.number) != place]
    if _degree(exchange) != "full":
        return kept
    return [*kept, ItemMatch(topic=row.topic, docno=item.docno, text=item.text, number=number, part=0)]


def _owned_matches(records: list[OwnedMatch], exchange: Exchange, item: Item, number: int) -> list[OwnedMatch]:
    row = exchange.row
    place = (row.topic, item.key, item.docno, item.text, number)
    kept = [
        each
        for each in records
        if each.role == "second" or (each.topic, each.key, each.docno, each.text, each.number) != place
    ]
    made = OwnedMatch(
        by="",
        role="adjudicator",
        topic=row.topic,
        number=number,
        part=0,
        key=item.key,
        docno=item.docno,
        text=item.text,
        quote="",
        value=VALUES[_degree(exchange)],
    )
    return [*kept, made]


def _assigned(records: list[NuggetizerLine], exchange: Exchange, item: Item, number: int) -> list[NuggetizerLine]:
    """A line's nuggets have no numbers: the one with the text is exchanged."""
    del number
    row = exchange.row
    texts = {nugget.text for nugget in disputed_nuggets([row]).values()}
    assignment = ASSIGNMENTS[VALUES[_degree(exchange)]]
    return [
        replace(
            line,
            nuggets=tuple(
                replace(each, assignment=assignment) if each.text in texts else each for each in line.nuggets
            ),
        )
        if (line.topic, line.answer) == (row.topic, item.text)
        else line
        for line in records
    ]


_EXCHANGED: dict[str, Callable[[list[Any], Exchange, Item, int], list[Any]]] = {
    "item_matches": _item_matches,
    "matches_of": _owned_matches,
    "assigned": _assigned,
}
