"""Writers of one SQLite database pass in the order in which they came, whatever becomes of those before them."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.db import OperationalError
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

from assay_site.databases import sqlite
from assay_site.queued_sqlite.base import COUNTER, DatabaseWrapper, Late, WriteQueue
from assess.base.outages import Locked, _of_sqlite

HOLD = """
import sys, time
from pathlib import Path
from assay_site.queued_sqlite.base import WriteQueue
queue = WriteQueue(Path(sys.argv[1]))
queue.enter(60)
print("in", flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def own_databases(django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Each test makes its database itself, whatever the others run on."""
    with django_db_blocker.unblock():
        yield


def numbers(path: Path) -> int:
    return int.from_bytes(path.read_bytes()[:COUNTER], "big")


def until(path: Path, number: int) -> None:
    end = time.monotonic() + 30
    while not path.exists() or numbers(path) < number:
        assert time.monotonic() < end
        time.sleep(0.001)


def test_they_pass_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    path, passed = tmp_path / "queue", []
    first = WriteQueue(path)
    assert first.enter(1) == pytest.approx(0, abs=0.5)

    def wait(name: int) -> None:
        queue = WriteQueue(path)
        queue.enter(60)
        passed.append(name)
        queue.close()

    threads = []
    for name in range(8):
        threads.append(threading.Thread(target=wait, args=(name,)))
        threads[-1].start()
        until(path, name + 2)
    assert passed == []
    first.leave()
    for thread in threads:
        thread.join()
    assert passed == list(range(8))
    assert path.stat().st_mode & 0o777 == 0o600


def test_nobody_waits_for_a_process_that_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "queue"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"in\n"
        queue = WriteQueue(path)
        with pytest.raises(Late):
            queue.enter(0.2)
        holder.send_signal(signal.SIGKILL)
    assert queue.enter(30) < 30
    queue.close()


def test_who_is_late_goes_and_holds_up_nobody(tmp_path: Path) -> None:
    path = tmp_path / "queue"
    first, second, third = (WriteQueue(path) for _ in range(3))
    first.enter(1)
    began = time.monotonic()
    with pytest.raises(Late):
        second.enter(0.3)
    assert time.monotonic() - began >= 0.3
    assert not second.is_in
    first.leave()
    third.enter(30)
    third.enter(0)  # who is in is in
    third.leave()
    third.leave()
    assert not third.is_in


def test_where_there_can_be_no_queue_sqlite_decides_alone(tmp_path: Path) -> None:
    queues = [WriteQueue(tmp_path / "missing" / "queue") for _ in range(2)]
    assert [queue.enter(60) for queue in queues] == [0.0, 0.0]
    for queue in queues:
        queue.close()


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[DatabaseWrapper, DatabaseWrapper]]:
    """Two connections to one database with a table, as two processes of a site have them."""
    made = []
    for _ in range(2):
        settings = sqlite(tmp_path)
        settings["OPTIONS"]["timeout"] = 0.4
        made.append(ConnectionHandler({"default": settings})["default"])
    with made[0].cursor() as cursor:
        cursor.execute("CREATE TABLE said (word text)")
    yield made[0], made[1]
    for each in made:
        each.close()


def begin(database: DatabaseWrapper) -> None:
    database.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def end(database: DatabaseWrapper, *, stored: bool = True) -> None:
    database.commit() if stored else database.rollback()
    database.set_autocommit(True)


def say(database: DatabaseWrapper, word: str) -> None:
    with database.cursor() as cursor:
        cursor.execute("INSERT INTO said VALUES (%s)", [word])


def words(database: DatabaseWrapper) -> list[str]:
    with database.cursor() as cursor:
        cursor.execute("SELECT word FROM said ORDER BY rowid")
        return [word for (word,) in cursor.fetchall()]


def test_a_transaction_waits_for_its_turn_and_gives_it_back(
    pair: tuple[DatabaseWrapper, DatabaseWrapper], tmp_path: Path
) -> None:
    one, other = pair
    queue = Path(f"{one.settings_dict['NAME']}-queue")
    for stored in (True, False):
        begin(one)
        say(one, "one")
        number = numbers(queue)
        with pytest.raises(OperationalError, match="locked") as late:
            begin(other)
        assert isinstance(_of_sqlite(late.value), Locked)
        assert words(other) == (["one", "other"] if not stored else [])
        end(one, stored=stored)
        other.close()
        begin(other)
        say(other, "other")
        end(other)
        assert numbers(queue) == number + 2
    assert words(one) == ["one", "other", "other"]


def test_a_statement_alone_waits_for_its_turn_too(pair: tuple[DatabaseWrapper, DatabaseWrapper]) -> None:
    one, other = pair
    begin(one)
    with pytest.raises(OperationalError, match="locked"):
        say(other, "too soon")
    assert words(other) == []
    end(one)
    say(other, "later")
    say(one, "last")
    assert words(one) == ["later", "last"]


def test_a_connection_that_is_closed_gives_its_turn_back(pair: tuple[DatabaseWrapper, DatabaseWrapper]) -> None:
    one, other = pair
    begin(one)
    one.close()
    begin(other)
    say(other, "other")
    end(other)
    assert words(one) == ["other"]


def test_the_whole_patience_is_that_of_the_setting(pair: tuple[DatabaseWrapper, DatabaseWrapper]) -> None:
    one, other = pair
    with closing(sqlite3.connect(one.settings_dict["NAME"], isolation_level=None)) as stranger:
        stranger.execute("BEGIN IMMEDIATE")  # a program that knows of no queue
        taken: list[float] = []

        def wait(database: DatabaseWrapper) -> None:
            began = time.monotonic()
            with pytest.raises(OperationalError, match="locked"):
                begin(database)
            taken.append(time.monotonic() - began)

        one.inc_thread_sharing()
        first = threading.Thread(target=wait, args=(one,))
        first.start()
        until(Path(f"{one.settings_dict['NAME']}-queue"), 1)
        wait(other)
        first.join()
    assert min(taken) >= 0.3
    begin(other)
    with other.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        assert cursor.fetchone() == (400,)
    end(other)


def test_a_database_in_memory_has_no_queue(tmp_path: Path) -> None:
    made = ConnectionHandler({"default": {**sqlite(tmp_path), "NAME": ":memory:"}})["default"]
    begin(made)
    end(made)
    assert list(tmp_path.iterdir()) == []
    made.close()
