"""Several write at the same time: in a campaign numbers are committed in order, its state as of a point stays, and
campaigns never wait for each other. All transactions are real; who would wait is refused the lock instead.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Thread
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, OperationalError, connection, connections, transaction
from django.test import Client
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from assess.assignments.queries.work_items import handle_of
from assess.campaigns.activity import record_activity
from assess.campaigns.queries import ledger_point, reached_point
from assess.judging.queries.current import current_judgments
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.ledger.adding import add_rows
from assess.ledger.models import SITE, take_points
from assess.models import Activity, Assignment, Campaign, Judgment, LedgerPoint
from assess.organising.domain import freeze_campaign
from assess.people.domain.accounts import change_password
from tests import factories

pytestmark = pytest.mark.usefixtures("committed_db")
numbers = count(1)


class Writer:
    """Somebody with a connection of their own that waits for no lock."""

    def __init__(self) -> None:
        self.connection = connections["default"].copy()
        options = dict(self.connection.settings_dict["OPTIONS"])
        options |= {"timeout": 0} if connection.vendor == "sqlite" else {"options": "-c lock_timeout=100"}
        self.connection.settings_dict["OPTIONS"] = options
        self.atomic: transaction.Atomic | None = None

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """What is done within is done over this connection."""
        other = connections["default"]
        connections["default"] = self.connection
        try:
            yield
        finally:
            connections["default"] = other

    def begin(self) -> None:
        self.atomic = transaction.atomic()
        try:
            with self.at_work():
                self.atomic.__enter__()
        except OperationalError:
            self.atomic = None
            raise

    def end(self, *, commit: bool) -> None:
        assert self.atomic is not None
        with self.at_work():
            transaction.set_rollback(not commit)
            self.atomic.__exit__(None, None, None)
        self.atomic = None


@pytest.fixture
def writer() -> Iterator[Callable[[], Writer]]:
    """Makes writers."""
    made: list[Writer] = []

    def make() -> Writer:
        made.append(Writer())
        return made[-1]

    yield make
    for each in made:
        if each.atomic is not None:
            each.end(commit=False)
        each.connection.close()


def bench(people: int) -> tuple[Campaign, list[Assignment]]:
    """A new campaign with one item, which so many people judge; nothing of its ledgers has a number yet."""
    number = next(numbers)
    names = [f"person{number}-{each}" for each in range(people)]
    organiser, *made = User.objects.bulk_create(User(username=name, password="!") for name in [f"o{number}", *names])
    campaign = factories.campaign(organiser=organiser, slug=f"campaign{number}")
    topic = campaign.topics.get(number="1.1")
    factories.pooled(topic, ["cheap"])
    for person in made:
        campaign.memberships.create(user=person, role="assessor")
    return campaign, [factories.assignment(topic, "instances", each, role="second") for each in made]


def judge(work: Assignment, value: int | None) -> Judgment:
    said = JudgmentInput(item=work.topic.items.get(), criterion="correctness", value=value, client_key=uuid4())
    return record_judgment(actor=work.assessor, assignment=work, judgment=said)


WRITERS, CAMPAIGNS = st.integers(0, 2), st.integers(0, 1)
State = tuple[dict[int, int], list[int]]
"""What each person says of the item, and the numbers of what was noted."""


class Writing(RuleBasedStateMachine):
    """Three people judge in two campaigns, note this and that, and commit or take back what they did, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.writers = [Writer() for _ in range(3)]
        self.campaigns, self.works = zip(*(bench(len(self.writers)) for _ in range(2)), strict=True)
        self.at: dict[int, int] = {}
        """Who is in a transaction: writer -> campaign."""
        self.written: dict[int, list[tuple[int, int | None, bool]]] = {}
        """What is not committed yet, by writer: numbers, with a judgment's value."""
        self.now: list[State] = [({}, []), ({}, [])]
        self.newest = [0, 0]
        self.known: list[dict[int, State]] = [{0: ({}, [])}, {0: ({}, [])}]

    def is_stopped(self, who: int, where: int) -> bool:
        """Whether others hold what this one needs: in the campaign, or, on SQLite, anywhere."""
        if connection.vendor == "sqlite":
            return bool(self.at.keys() - {who})
        return any(self.at[other] == where and self.written[other] for other in self.at if other != who)

    def write(self, who: int, where: int, add: Callable[[int], list[tuple[int, int | None, bool]]]) -> None:
        """In the writer's transaction, which belongs to one campaign, or in a new one in this campaign."""
        where = self.at.get(who, where)
        stopped = self.is_stopped(who, where)
        try:
            if who not in self.at:
                self.writers[who].begin()
                self.at[who], self.written[who] = where, []
            with self.writers[who].at_work(), transaction.atomic():
                self.written[who] += add(where)
        except OperationalError:
            assert stopped
        else:
            assert not stopped

    @rule(who=WRITERS, where=CAMPAIGNS, value=st.sampled_from([1, 2, -1, None]))
    def judge(self, who: int, where: int, value: int | None) -> None:
        self.write(who, where, lambda at: [(judge(self.works[at][who], value).pk, value, True)])

    @rule(who=WRITERS, where=CAMPAIGNS, times=st.integers(1, 3))
    def note(self, who: int, where: int, times: int) -> None:
        def add(at: int) -> list[tuple[int, int | None, bool]]:
            rows = [Activity(campaign=self.campaigns[at], action="help.ask") for _ in range(times)]
            return [(row.pk, None, False) for row in add_rows(rows)]

        self.write(who, where, add)

    @precondition(lambda self: self.at)
    @rule(data=st.data(), commit=st.booleans())
    def end(self, data: st.DataObject, commit: bool) -> None:
        who = data.draw(st.sampled_from(sorted(self.at)))
        where, written = self.at.pop(who), self.written.pop(who)
        self.writers[who].end(commit=commit)
        if commit and written:
            found = [number for number, _, _ in written]
            assert self.newest[where] < found[0] and found == sorted({*found})
            self.newest[where] = found[-1]
            said, noted = self.now[where]
            for number, value, is_judgment in written:
                if not is_judgment:
                    noted = [*noted, number]
                elif value is None:
                    said = {person: kept for person, kept in said.items() if person != who}
                else:
                    said = {**said, who: value}
            self.now[where] = said, noted

    @invariant()
    def the_newest_is_what_was_committed(self) -> None:
        for where, campaign in enumerate(self.campaigns):
            point = ledger_point(campaign)
            assert point == reached_point(campaign, None) == self.newest[where]
            self.known[where][point] = self.now[where]

    @invariant()
    def every_point_gives_what_it_gave(self) -> None:
        for where, known in enumerate(self.known):
            assert {point: self.state(where, point) for point in known} == known

    def state(self, where: int, point: int) -> State:
        rows = current_judgments(Snapshot(self.campaigns[where], point))
        said = {row.assessor_id: row.value for row in rows}
        people = {work.assessor_id: who for who, work in enumerate(self.works[where])}
        noted = Activity.objects.filter(campaign=self.campaigns[where], pk__lte=point).order_by("pk")
        return {people[pk]: value for pk, value in said.items()}, list(noted.values_list("pk", flat=True))

    def teardown(self) -> None:
        for who in self.at:
            self.writers[who].end(commit=False)
        for each in self.writers:
            each.connection.close()
        self.every_point_gives_what_it_gave()


def test_a_campaigns_state_as_of_a_point_is_the_same_for_ever() -> None:
    quiet = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    run_state_machine_as_test(
        Writing,
        settings=settings(
            max_examples=12,
            stateful_step_count=16,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=quiet,
        ),
    )


def wait_until_it_waits(thread: Thread) -> None:
    """On PostgreSQL until a lock is waited for. On SQLite nobody can tell; but there no number is drawn early."""
    waiting = 0
    while connection.vendor == "postgresql" and thread.is_alive() and not waiting:
        time.sleep(0.01)
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            (waiting,) = cursor.fetchone()


@pytest.mark.parametrize("first", [True, False], ids=["the first of the campaign", "later"])
@pytest.mark.parametrize("commit", [True, False], ids=["committed", "taken back"])
def test_who_waited_has_numbers_above_all_that_were_committed_meanwhile(first: bool, commit: bool) -> None:
    campaign, _ = bench(0)
    if not first:
        with transaction.atomic():
            take_points(campaign.pk)
    before, found = ledger_point(campaign), []

    def late() -> None:
        try:
            with transaction.atomic():
                found.extend(take_points(campaign.pk, 2))
        except DatabaseError as error:
            found.append(error)
        finally:
            connection.close()

    waiting = Thread(target=late)
    with transaction.atomic():
        (one,) = take_points(campaign.pk)
        waiting.start()
        wait_until_it_waits(waiting)
        two = take_points(campaign.pk, 3)[-1]
        assert found == []
        transaction.set_rollback(not commit)
    waiting.join()
    three, four = found
    assert before < one < two
    assert (two if commit else before) < three < four == ledger_point(campaign)


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time")
def test_while_one_campaign_is_being_frozen_another_is_judged(writer: Callable[[], Writer], client: Client) -> None:
    (one, _), (other, works) = bench(0), bench(1)
    organiser = User.objects.get(memberships__campaign=one, memberships__role="organiser")
    work = works[0]
    client.force_login(work.assessor)
    said = {"item": handle_of(work, work.topic.items.get().pk), "criterion": "correctness", "value": 1, "how": "key"}
    address = f"/c/{other.slug}/work/{work.pk}/judge/"
    freezing, judging = writer(), writer()
    freezing.begin()
    with freezing.at_work():
        freeze_campaign(actor=organiser, campaign=one, despite="It is late.")
    with judging.at_work():
        answer = client.post(address, {**said, "client_key": uuid4()}, headers={"accept": "application/json"})
        change_password(actor=work.assessor, password="correct horse battery")
        with pytest.raises(OperationalError, match="lock"), transaction.atomic():
            record_activity(actor=organiser, action="member.add", campaign=one)
    assert answer.status_code == 200, answer.content
    assert ledger_point(one) == 0 < Judgment.objects.get().pk == ledger_point(other)
    freezing.end(commit=True)
    assert ledger_point(one) == one.activities.order_by("pk").last().pk  # type: ignore[union-attr]


def test_what_is_of_no_campaign_has_an_order_of_its_own() -> None:
    campaign, _ = bench(0)
    with transaction.atomic():
        (before,) = take_points(campaign.pk)
    row = record_activity(actor=None, action="password.change")
    assert ledger_point(campaign) == before < row.pk
    points = LedgerPoint.objects.order_by("campaign").values_list("campaign", "value")
    assert [*points] == [(SITE, row.pk), (campaign.pk, before)]
