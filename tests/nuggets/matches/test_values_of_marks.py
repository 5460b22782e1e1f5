"""Marks stored while "none" said two things, carried over to the values that say which, and back.

Rows are written as the site wrote them before: a click that took another kind of mark back, or settled with "no" what
was marked, added rows of its own with keys made from the click's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID, uuid4, uuid5

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction
from django.db.migrations.exceptions import IrreversibleError
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from assess.assignments.domain.assignments import open_assignment
from assess.ledger.models import take_points
from assess.models import Assignment, Item
from assess.work.domain import hand_over
from nuggets.matches.current import all_marks
from nuggets.matches.record import MatchInput, record_match
from nuggets.models import Nugget, NuggetList, NuggetMatch
from nuggets.writing.lists import freeze_list, revise_list
from nuggets.writing.nuggets import edit_nugget
from tests import factories
from tests.nuggets.keys import key

BEFORE, AFTER = ("nuggets", "0003_nugget_fields"), ("nuggets", "0004_values_of_marks")


@dataclass
class Written:
    """Rows as they were stored, and as they should be now."""

    before: dict[int, str] = field(default_factory=dict)
    now: dict[int, str | None] = field(default_factory=dict)
    clicks: list[int] = field(default_factory=list)

    def row(
        self, work: Assignment, nugget: Nugget, item: Item, value: str, now: str | None, *, part: int = 0, **more: UUID
    ) -> None:
        """One row of the table as it was."""
        with transaction.atomic(), connection.cursor() as cursor:
            pk = take_points(1)
            names = (
                "id, created_at, part, value, quote, client_key, how, assessor_id, assignment_id, item_id, nugget_id"
            )
            made = more.get("made") or uuid4()
            stored = made.hex if connection.vendor == "sqlite" else made
            people = [work.assessor_id, work.pk, item.pk, nugget.pk]
            cursor.execute(
                f"INSERT INTO nuggets_nuggetmatch ({names}) VALUES (%s, %s, %s, %s, '', %s, 'key', %s, %s, %s, %s)",
                [pk, timezone.now(), part, value, stored, *people],
            )
        self.before[pk], self.now[pk] = value, now
        if made.version == 4:
            self.clicks.append(pk)  # the site's own rows were never seen apart from the click's


def stored() -> dict[int, str | None]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, value FROM nuggets_nuggetmatch ORDER BY id")
        return dict(cursor.fetchall())


def migrate(target: tuple[str, str]) -> None:
    MigrationExecutor(connection).migrate([target])


@pytest.fixture
def earlier(committed_db: None) -> Iterator[None]:
    """Tables that the test takes back to what they were before; afterwards they are as they are now."""
    yield
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


@pytest.fixture
def written(
    earlier: None,
    matching: Assignment,
    nugget_writing: Assignment,
    assessor: User,
    second_assessor: User,
    adjudicator: User,
    organiser: User,
    frozen: NuggetList,
    squishy_items: list[Item],
) -> Written:
    """Histories of each kind, of four people, over a handed-over work and a revised list."""
    one, two, three = frozen.nuggets.order_by("number")
    first, second, third = squishy_items
    beside = factories.assignment(frozen.topic, "matches", second_assessor, role="second")
    settling = factories.assignment(frozen.topic, "matches", adjudicator, role="adjudicator")
    onward = hand_over(
        actor=organiser, assignment=beside, to=factories.member(frozen.topic.campaign, "new", "assessor")
    )
    open_assignment(actor=onward.assessor, assignment=onward)
    Assignment.objects.filter(pk=nugget_writing.pk).update(state="started")
    draft = revise_list(actor=assessor, nugget_list=frozen)
    edit_nugget(actor=assessor, nugget_list=draft, number=2, text="very light", client_key=key("reworded"))
    revised = freeze_list(actor=assessor, nugget_list=draft, client_key=key("again"))
    again = {nugget.number: nugget for nugget in revised.nuggets.all()}
    migrate(BEFORE)
    made = Written()
    made.row(matching, one, first, "none", "absent")  # said to be absent, then there, then taken back
    made.row(matching, one, first, "full", "full")
    made.row(matching, one, first, "none", None)
    made.row(matching, one, first, "none", "absent")
    made.row(beside, one, first, "none", "absent")  # another's word does not mix with it
    made.row(matching, one, second, "full", "full")
    made.row(matching, again[1], second, "none", None)  # the nugget is the same in the next version
    made.row(matching, two, second, "full", "full")
    made.row(matching, again[2], second, "none", "absent")  # and this one another
    made.row(beside, three, second, "partial", "partial")
    made.row(onward, three, second, "none", None)  # taken back by who went on with the work
    click = uuid4()
    made.row(settling, again[1], first, "none", "absent")  # "no", and "no" taken back
    made.row(settling, again[1], first, "full", None, made=uuid5(click, "before 0"))
    made.row(settling, again[1], first, "none", None, made=click)
    click = uuid4()
    made.row(settling, again[3], first, "full", "full")  # "yes", then "no"
    made.row(settling, again[3], first, "none", None, made=uuid5(click, "before 0"))
    made.row(settling, again[3], first, "none", "absent", made=click)
    click = uuid4()
    made.row(matching, again[3], third, "full", "full")  # a part instead of the whole
    made.row(matching, again[3], third, "none", None, made=uuid5(click, "0 none"))
    made.row(matching, again[3], third, "full", "full", part=1, made=click)
    click = uuid4()
    made.row(matching, again[3], third, "none", None, part=1, made=uuid5(click, "1 none"))
    made.row(matching, again[3], third, "none", "absent", made=click)  # not there at all, instead of the part
    click = uuid4()
    made.row(matching, again[3], third, "full", None, made=uuid5(click, "0 full"))  # a part instead of that
    made.row(matching, again[3], third, "none", None, made=uuid5(click, "0 none"))
    made.row(matching, again[3], third, "full", "full", part=2, made=click)
    made.row(matching, again[2], third, "none", "absent")  # a person's own mark between is theirs
    made.row(matching, again[2], third, "full", "full")
    made.row(matching, again[2], third, "none", None)
    return made


def test_stored_values_are_carried_over_and_back(written: Written) -> None:
    assert stored() == written.before
    migrate(AFTER)
    assert stored() == written.now
    for change in ("UPDATE nuggets_nuggetmatch SET value = 'full'", "DELETE FROM nuggets_nuggetmatch"):
        with pytest.raises(DatabaseError, match="is a ledger"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(change)
    migrate(BEFORE)
    assert stored() == written.before
    with pytest.raises(DatabaseError, match="is a ledger"), transaction.atomic():
        NuggetMatch.objects.update(how="api")


def test_what_counted_at_every_point_counts_as_it_did(written: Written) -> None:
    before = {pk: read_as_before(pk) for pk in written.clicks}
    migrate(AFTER)
    for pk, marks in before.items():
        assert {(mark.list_id, *place(mark)): mark.value for mark in all_marks(lists(), as_of=pk)} == marks, pk


def lists() -> list[NuggetList]:
    return list(NuggetList.objects.order_by("version"))[-1:]


def place(mark: object) -> tuple[int, ...]:
    return tuple(getattr(mark, name) for name in ("number", "part", "item_id", "begun_by"))


def read_as_before(as_of: int) -> dict[tuple[int, ...], str]:
    """What the newest list's marks were, read as they were: "none" takes a mark back, or says that there is none."""
    (revised,) = lists()
    kept = {1, 3}  # the nuggets that mean the same in both versions
    voices = {"new": User.objects.get(username="second_assessor").pk}
    said: dict[tuple[int, ...], str] = {}
    fields = ("nugget__number", "part", "item_id", "assessor_id", "assessor__username", "nugget__nugget_list", "value")
    rows = NuggetMatch.objects.filter(id__lte=as_of).order_by("id").values_list(*fields)
    for number, part, item, person, name, nugget_list, value in rows:
        if nugget_list != revised.pk and number not in kept:
            continue
        where = (revised.pk, number, part, item, voices.get(name, person))
        said[where] = "" if value == "none" and said.get(where) in ("full", "partial") else value
    return {where: "absent" if value == "none" else value for where, value in said.items() if value}


def test_the_migration_comes_after_all_that_it_reads() -> None:
    """Also where nothing but this app is migrated: it asks for the hand-overs of the other one."""
    state = MigrationLoader(None).project_state(AFTER)
    assert "taken_over" in state.models["assess", "assignment"].fields


def test_what_the_values_of_before_cannot_say_is_not_turned_back(
    earlier: None, matching: Assignment, cheap: Nugget, squishy_items: list[Item]
) -> None:
    for value in ("full", "absent"):
        match = MatchInput(nugget=cheap, item=squishy_items[0], value=value, client_key=uuid4())
        record_match(actor=matching.assessor, assignment=matching, match=match)
    now = stored()
    assert list(now.values()) == ["full", "absent"]
    with pytest.raises(IrreversibleError, match=f"Row {max(now)} .* cannot say"):
        migrate(BEFORE)
    assert stored() == now
