"""The one way to add to a ledger: once for each key, whatever came between."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction

from assess.base import bulk
from assess.base.errors import Conflict
from assess.campaigns.queries import ledger_point
from assess.ledger.adding import add_once, add_rows, insert, store
from assess.models import Assignment, Campaign, Item, Judgment, Topic
from tests import factories

pytestmark = pytest.mark.django_db
KEY = UUID("00000000-0000-0000-0000-000000000001")


@pytest.fixture
def grading(rigid: Topic, assessor: User) -> Assignment:
    return factories.assignment(rigid, "instances", assessor)


@pytest.fixture
def judgment(grading: Assignment) -> Callable[..., Judgment]:
    item = factories.pooled(grading.topic, ["one"])[0]

    def make(value: int, key: UUID = KEY, on: Item = item) -> Judgment:
        return Judgment(
            item=on,
            criterion="correctness",
            value=value,
            assessor=grading.assessor,
            assignment=grading,
            client_key=key,
            how="api",
        )

    return make


def point() -> int:
    return ledger_point(Campaign.objects.get())


def say(row: Judgment, *, refused: str = "", busy: str = "", campaign: Campaign | None = None) -> Judgment:
    """Add a row, after a title for the campaign; refused before the row with one sentence, by the lock with another."""

    def add() -> Judgment:
        if campaign is not None:
            Campaign.objects.filter(pk=campaign.pk).update(title=f"value {row.value}")
        if refused:
            raise Conflict(refused)
        store(row)
        return row

    with transaction.atomic():
        if busy:
            raise Conflict(busy)
        return add_once(
            add=add,
            earlier=Judgment.objects.filter(client_key=row.client_key).first,
            same=lambda earlier: earlier.value == row.value,
            used="Used for another value.",
        )


def test_a_new_key_adds_its_row_with_the_next_number(judgment: Callable[..., Judgment]) -> None:
    before = point()
    row = say(judgment(1))
    assert (row.pk, Judgment.objects.get().created_at) == (point(), row.created_at)
    assert row.pk == before + 1 if connection.vendor == "sqlite" else row.pk > before  # other campaigns draw, too
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save()  # it is there, and rows are added once


def test_the_same_again_is_the_first_row_and_changes_nothing(
    judgment: Callable[..., Judgment], campaign: Campaign
) -> None:
    first = say(judgment(1), campaign=campaign)
    say(judgment(2, uuid4()), campaign=campaign)
    before = point()
    assert say(judgment(1), campaign=campaign) == first
    campaign.refresh_from_db()
    assert (campaign.title, point(), Judgment.objects.count()) == ("value 2", before, 2)


def test_a_key_with_other_content_is_refused_and_changes_nothing(
    judgment: Callable[..., Judgment], campaign: Campaign
) -> None:
    say(judgment(1), campaign=campaign)
    before = point()
    with pytest.raises(Conflict, match="Used for another value"):
        say(judgment(2), campaign=campaign)
    campaign.refresh_from_db()
    assert (campaign.title, point(), Judgment.objects.get().value) == ("value 1", before, 1)


def test_what_was_added_is_answered_though_it_would_be_refused_now(judgment: Callable[..., Judgment]) -> None:
    first = say(judgment(1))
    assert say(judgment(1), refused="Too late.") == first
    with pytest.raises(Conflict, match="Used for another value"):
        say(judgment(2), refused="Too late.")
    with pytest.raises(Conflict, match="Too late"):
        say(judgment(2, uuid4()), refused="Too late.")
    with pytest.raises(Conflict, match="Gone"):
        say(judgment(1), busy="Gone.")


def test_a_key_comes_again_inside_of_a_longer_transaction(
    judgment: Callable[..., Judgment], campaign: Campaign, organiser: User
) -> None:
    first = say(judgment(1))
    with transaction.atomic():
        User.objects.filter(pk=organiser.pk).update(first_name="Olga")
        assert say(judgment(1), campaign=campaign) == first
        say(judgment(3, uuid4()))
    organiser.refresh_from_db()
    campaign.refresh_from_db()
    assert (organiser.first_name, campaign.title == "value 1") == ("Olga", False)
    assert list(Judgment.objects.values_list("value", flat=True)) == [1, 3]


def test_rows_are_stored_all_or_none(judgment: Callable[..., Judgment]) -> None:
    say(judgment(1))
    before = point()

    def add() -> list[Judgment]:
        rows = [judgment(2, uuid4()), judgment(3)]
        store(*rows)
        return rows

    with pytest.raises(Conflict, match="said something else then"), transaction.atomic():
        add_once(add=add, earlier=lambda: None, same=lambda rows: True)
    assert (point(), Judgment.objects.count()) == (before, 1)
    store()
    assert add_rows([]) == []
    assert point() == before


def test_a_key_that_another_click_takes_in_the_same_moment_is_refused(judgment: Callable[..., Judgment]) -> None:
    """Both looked for it and found none."""
    first = say(judgment(1))
    with pytest.raises(Conflict, match="something else"), transaction.atomic():
        insert([judgment(2)])
    with pytest.raises(Conflict, match="something else"), transaction.atomic():
        add_once(add=lambda: insert([judgment(2)]), earlier=lambda: None, same=lambda rows: True)
    assert Judgment.objects.get() == first


def test_any_other_rule_of_the_table_is_not_taken_for_a_used_key(
    judgment: Callable[..., Judgment], grading: Assignment
) -> None:
    broken = judgment(1)
    broken.assessor_id = None  # type: ignore[assignment]
    with pytest.raises(IntegrityError), transaction.atomic():
        say(broken)
    twice = judgment(1, uuid4())
    twice.pk = say(judgment(2)).pk
    with pytest.raises(IntegrityError), transaction.atomic():
        say(twice)


def test_yes_and_no_are_stored_as_numbers_where_a_column_has_numbers(judgment: Callable[..., Judgment]) -> None:
    """PostgreSQL takes many rows by COPY, which would write a letter."""
    names, ((*values,),) = bulk.as_stored([judgment(True)])
    value = values[names.index("value")]
    assert (value, type(value)) == (1, int)
