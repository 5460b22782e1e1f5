"""Many nuggets added at once: the same rows as one by one, refused alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from assess.base.errors import Conflict, Invalid, NotAllowed, Refused
from assess.models import Item
from nuggets.models import NuggetList
from nuggets.writing.edits import undo_edit
from nuggets.writing.history import list_state
from nuggets.writing.lists import freeze_list
from nuggets.writing.many import NuggetInput, SourceInput, add_nuggets
from nuggets.writing.record import NUGGET_LIMIT, add_nugget
from nuggets.writing.sources import SOURCE_LIMIT, add_source
from nuggets.writing.visible_members import DRAFT
from tests.nuggets.keys import key


def nugget(number: int, text: str, *sources: SourceInput, **others: Any) -> NuggetInput:
    given = {"importance": "okay", "group": "", "fields": {}, "client_key": key(f"{number} {text}"), **others}
    return NuggetInput(number=number, text=text, sources=sources, **given)


@pytest.fixture
def given(squishy_items: list[Item]) -> list[NuggetInput]:
    """Two nuggets behind the draft's three: one seen in a string, in an absent document and as a whole; one unseen."""
    seen = (
        SourceInput(quote="cheap", item=squishy_items[0], client_key=key("in a string")),
        SourceInput(quote="light, they say", absent="D-17", client_key=key("elsewhere")),
        SourceInput(quote="", item=squishy_items[1], client_key=key("whole")),
    )
    return [
        nugget(5, " It  is cheap", *seen, importance="vital", group="price", fields={"qid": [1]}),
        nugget(9, "It rusts", fields={DRAFT: {"by": "machine-A", "number": 2, "text": "rusts", "became": "original"}}),
    ]


def one_by_one(person: User, made: NuggetList, nuggets: list[NuggetInput]) -> None:
    for each in nuggets:
        add_nugget(
            actor=person, nugget_list=made, text=each.text, importance=each.importance, number=each.number,
            group=each.group, fields=each.fields, client_key=each.client_key,
        )  # fmt: skip
        for source in each.sources:
            add_source(
                actor=person, nugget_list=made, number=each.number, quote=source.quote, item=source.item,
                document=source.document, absent=source.absent, client_key=source.client_key,
            )  # fmt: skip


def without_ids(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_ids(each) for name, each in value.items() if name != "id"}
    return [without_ids(each) for each in value] if isinstance(value, list) else value


def picture(made: NuggetList) -> list[Any]:
    """All that is stored of a list, without the ids of nuggets and sources."""
    made.refresh_from_db()
    edits = [
        (each.action, each.asked, each.actor_id, without_ids(each.before), without_ids(each.after), each.client_key)
        for each in made.edits.order_by("id")
    ]
    return [made.last_number, without_ids(list_state(made)), edits]


def test_they_are_stored_as_one_by_one(draft: NuggetList, assessor: User, given: list[NuggetInput]) -> None:
    before = picture(draft)
    with transaction.atomic():
        one_by_one(assessor, draft, given)
        expected = picture(draft)
        transaction.set_rollback(True)
    assert picture(draft) == before
    add_nuggets(actor=assessor, nugget_list=draft, nuggets=given)
    assert picture(draft) == expected != before
    one_by_one(assessor, draft, given)
    assert picture(draft) == expected, "the same keys add nothing again"


def test_each_is_an_edit_that_is_undone_by_itself(draft: NuggetList, assessor: User, given: list[NuggetInput]) -> None:
    states = [list_state(draft)]
    for count in range(1, 6):
        with transaction.atomic():
            add_nuggets(actor=assessor, nugget_list=draft, nuggets=given)
            for step in range(5 - count):
                undo_edit(actor=assessor, nugget_list=draft, client_key=key(f"undo {step}"))
            states.append(without_ids(list_state(draft)))
            transaction.set_rollback(True)
    sources = [len(state["5"]["sources"]) for state in states[1:]]
    assert (sources, ["9" in state for state in states[1:]]) == ([0, 1, 2, 3, 3], [False] * 4 + [True])


@pytest.mark.parametrize("way", ["many", "one by one"])
def test_numbers_come_in_any_order(draft: NuggetList, assessor: User, way: str) -> None:
    """AQUAINT pilot: “The numbers in the list do NOT indicate importance, they are simply identifiers”."""
    given = [nugget(number, f"fact {number}") for number in (40, 12, 0, 31)]
    if way == "many":
        add_nuggets(actor=assessor, nugget_list=draft, nuggets=given)
    else:
        one_by_one(assessor, draft, given)
    rows = draft.nuggets.filter(text__startswith="fact").order_by("position")
    assert list(rows.values_list("number", flat=True)) == [40, 12, 0, 31]
    add_nugget(actor=assessor, nugget_list=draft, text="a fact more", importance="okay", client_key=key("more"))
    assert draft.nuggets.get(text="a fact more").number == 41
    undo_edit(actor=assessor, nugget_list=draft, client_key=key("undo more"))
    with pytest.raises(Invalid, match="Number 41 was on this list already"):
        add_nuggets(actor=assessor, nugget_list=draft, nuggets=[nugget(41, "another")])


REFUSED: dict[str, tuple[type[Refused], Callable[[list[NuggetInput]], list[NuggetInput]]]] = {
    "a number that was used": (Invalid, lambda all_: [all_[0], replace(all_[1], number=3)]),
    "a number twice": (Invalid, lambda all_: [all_[0], replace(all_[1], number=5)]),
    "no text": (Invalid, lambda all_: [all_[0], replace(all_[1], text=" ")]),
    "no such importance": (Invalid, lambda all_: [all_[0], replace(all_[1], importance="great")]),
    "a quote that is not there": (Invalid, lambda all_: [replace(all_[0], sources=[
        replace(all_[0].sources[0], quote="dear")
    ])]),
    "an item and an absent document": (Invalid, lambda all_: [replace(all_[0], sources=[
        replace(all_[0].sources[0], absent="D-1")
    ])]),
    "too many sources": (Invalid, lambda all_: [replace(all_[0], sources=[all_[0].sources[2]] * (SOURCE_LIMIT + 1))]),
    "too many nuggets": (Invalid, lambda all_: [replace(all_[1], number=9 + n) for n in range(NUGGET_LIMIT - 2)]),
    "a key that was used": (Conflict, lambda all_: [all_[0], replace(all_[1], client_key=key("cheap"))]),
}  # fmt: skip


@pytest.mark.parametrize("why", REFUSED)
def test_where_one_is_refused_none_is_added(
    draft: NuggetList, assessor: User, given: list[NuggetInput], why: str
) -> None:
    before, (kind, wrong) = picture(draft), REFUSED[why]
    with pytest.raises(kind):
        add_nuggets(actor=assessor, nugget_list=draft, nuggets=wrong(given))
    assert picture(draft) == before


def test_a_list_that_is_frozen_or_somebody_elses_is_left_as_it_is(
    draft: NuggetList, assessor: User, second_assessor: User, given: list[NuggetInput]
) -> None:
    with pytest.raises(NotAllowed):
        add_nuggets(actor=second_assessor, nugget_list=draft, nuggets=given)
    freeze_list(actor=assessor, nugget_list=draft, client_key=key("freeze"))
    before = picture(draft)
    with pytest.raises(Conflict):
        add_nuggets(actor=assessor, nugget_list=draft, nuggets=given)
    assert picture(draft) == before


def test_many_cost_as_few_queries_as_two(draft: NuggetList, assessor: User) -> None:
    counts = []
    for first, many in ((10, 2), (20, 40)):
        with CaptureQueriesContext(connection) as found:
            nuggets = [nugget(number, f"fact {number}") for number in range(first, first + many)]
            add_nuggets(actor=assessor, nugget_list=draft, nuggets=nuggets)
        counts.append(len(found))
    assert counts[0] == counts[1]
