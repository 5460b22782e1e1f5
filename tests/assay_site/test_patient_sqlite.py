"""Writers of SQLite stand in a queue, as long as the setting says and no longer."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from django.db import OperationalError, connections
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

from assay_site.databases import PATIENCE as WAITS
from assay_site.databases import sqlite
from assay_site.patient_sqlite.base import DatabaseWrapper
from assess.base.outages import Locked, outage_of

PATIENCE = 0.4
TRIES = 70
"""More than the first in the queue makes before it goes to the end."""


@pytest.fixture
def one(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[DatabaseWrapper]:
    """A connection to a database with a table."""
    settings = sqlite(tmp_path)
    settings["OPTIONS"]["timeout"] = PATIENCE
    with django_db_blocker.unblock():
        made = ConnectionHandler({"default": settings})["default"]
        with made.cursor() as cursor:
            cursor.execute("CREATE TABLE said (word text)")
        yield made
        made.close()


def begin(database: DatabaseWrapper) -> None:
    database.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def end(database: DatabaseWrapper) -> None:
    database.commit()
    database.set_autocommit(True)


def say(database: DatabaseWrapper, word: str) -> None:
    with database.cursor() as cursor:
        cursor.execute("INSERT INTO said VALUES (%s)", [word])


def say_in_transaction(database: DatabaseWrapper, word: str) -> None:
    begin(database)
    say(database, word)
    end(database)


def words(database: DatabaseWrapper) -> list[str]:
    with database.cursor() as cursor:
        cursor.execute("SELECT word FROM said ORDER BY rowid")
        return [word for (word,) in cursor.fetchall()]


WRITES: dict[str, Callable[[DatabaseWrapper], None]] = {
    "a transaction": lambda database: say_in_transaction(database, "said"),
    "a statement": lambda database: say(database, "said"),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_it_waits_as_long_as_the_setting_says_and_then_is_locked(
    one: DatabaseWrapper, write: Callable[[DatabaseWrapper], None]
) -> None:
    with closing(sqlite3.connect(one.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        with pytest.raises(OperationalError, match="locked") as late:
            write(one)
        assert time.monotonic() - began >= PATIENCE
        assert isinstance(outage_of(late.value), Locked)
        assert words(one) == []
        other.execute("COMMIT")
    write(one)
    assert words(one) == ["said"]


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_it_asks_itself_again_and_again_until_the_other_ends(
    one: DatabaseWrapper, write: Callable[[DatabaseWrapper], None]
) -> None:
    """SQLite alone would be asked once, and sleep for a tenth of a second at a time by then."""
    one.settings_dict["OPTIONS"]["timeout"] = 60
    tried: list[str] = []
    with closing(sqlite3.connect(one.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        def try_it(execute: Callable[..., Any], sql: str, *given: Any) -> Any:
            tried.append(sql)
            if len(tried) == TRIES:
                other.execute("COMMIT")
            return execute(sql, *given)

        with one.execute_wrapper(try_it):
            write(one)
    assert words(one) == ["said"]
    assert len({*tried[:TRIES]}) == 1
    assert len(tried) <= TRIES + 1  # what a transaction says once it has begun


def test_who_begins_stands_behind_those_who_came_before(
    one: DatabaseWrapper, django_db_blocker: DjangoDbBlocker
) -> None:
    """A job that writes transaction after transaction would hardly ever be caught between two of them."""
    is_writing, is_over = threading.Event(), threading.Event()

    def write_on_and_on() -> None:
        with django_db_blocker.unblock():
            job = ConnectionHandler({"default": one.settings_dict})["default"]
            while not is_over.is_set():
                begin(job)
                is_writing.set()
                time.sleep(0.005)
                say(job, "job")
                end(job)
            job.close()

    thread = threading.Thread(target=write_on_and_on)
    thread.start()
    is_writing.wait()
    for _ in range(10):
        say_in_transaction(one, "said")
    is_over.set()
    thread.join()
    between = " ".join(words(one)).split("said")[1:-1]
    assert len(between) == 9
    assert median(each.count("job") for each in between) <= 2  # a busy machine may keep one waiting before it begins


def test_many_statements_at_once_are_not_begun_again(one: DatabaseWrapper) -> None:
    """Outside of a transaction, those before the one that failed are stored."""
    with closing(sqlite3.connect(one.settings_dict["NAME"], isolation_level=None)) as other, one.cursor() as cursor:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(OperationalError, match="locked"):
            cursor.executemany("INSERT INTO said VALUES (%s)", [["one"], ["two"]])
    assert words(one) == []


@pytest.mark.parametrize("code", ["SQLITE_BUSY", "SQLITE_BUSY_RECOVERY", "SQLITE_BUSY_SNAPSHOT"])
def test_a_busy_database_is_asked_again_whatever_it_is_busy_with(one: DatabaseWrapper, code: str) -> None:
    asked = []

    def execute(sql: str, *_: object) -> str:
        asked.append(sql)
        if len(asked) == 1:
            cause = sqlite3.OperationalError("database is locked")
            cause.sqlite_errorcode = getattr(sqlite3, code)
            raise OperationalError("database is locked") from cause
        return "done"

    assert one._wait_for_lock(execute, "INSERT", None, False, {}) == "done"
    assert asked == ["INSERT", "INSERT"]


def test_tests_wait_as_long_as_commands_and_for_no_disk() -> None:
    """A module of a test that imports the server's would shorten the patience of every test beside it."""
    options = connections.settings["default"]["OPTIONS"]
    assert str(options.get("timeout", options.get("options"))) in (f"{WAITS}", f"-c lock_timeout={WAITS * 1000}")
    assert "synchronous=FULL" not in options.get("init_command", "")
