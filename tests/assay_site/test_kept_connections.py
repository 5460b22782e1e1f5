"""A server keeps its connections from request to request, and finds out when one is not what it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection, connections
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

from assay_site.databases import CACHE, KEPT, hurry, sqlite
from assay_site.patient_sqlite.base import DatabaseWrapper
from assess.models import Topic
from tests import factories

on_postgresql = pytest.mark.skipif("connection.vendor != 'postgresql'", reason="of PostgreSQL alone")


@pytest.fixture
def opened(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[DatabaseWrapper]:
    """SQLite in a folder, as a server has it."""
    with django_db_blocker.unblock():
        database = ConnectionHandler({"default": sqlite(tmp_path) | KEPT})["default"]
        yield database
        database.close()


def words(database: DatabaseWrapper) -> list[str]:
    """What is read in a request of its own."""
    database.close_if_unusable_or_obsolete()
    with database.cursor() as cursor:
        return [word for (word,) in cursor.execute("SELECT word FROM said").fetchall()]


def write(path: Path, word: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE said (word text)")
        database.execute("INSERT INTO said VALUES (?)", [word])


def test_a_server_keeps_them(settings) -> None:
    alias = connections.settings["default"]
    before = {**alias, "OPTIONS": dict(alias["OPTIONS"])}
    hurry()
    assert {**alias, **KEPT} == alias
    alias.clear()
    alias.update(before)


def test_a_database_put_in_the_place_of_another_is_the_one_that_is_read(
    opened: DatabaseWrapper, tmp_path: Path
) -> None:
    path = Path(opened.settings_dict["NAME"])
    write(path, "old")
    assert words(opened) == ["old"]
    kept = opened.connection
    assert words(opened) == ["old"]
    assert opened.connection is kept
    for each in tmp_path.glob(f"{path.name}-*"):
        each.unlink()
    write(tmp_path / "new", "new")
    (tmp_path / "new").rename(path)
    assert words(opened) == ["new"]
    assert opened.connection is not kept


def test_a_database_that_is_gone_is_not_written_to(opened: DatabaseWrapper) -> None:
    path = Path(opened.settings_dict["NAME"])
    write(path, "old")
    assert words(opened) == ["old"]
    path.unlink()
    assert not opened.is_usable()


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_a_connection_that_postgresql_ended_is_made_anew(django_assert_num_queries) -> None:
    topic = factories.topic(factories.campaign(organiser=factories.user("organiser")), "7.1", "Why?", task="rigid")
    assert connection.is_usable()
    kept = connection.connection
    with closing(connection.copy()) as other, other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [kept.info.backend_pid])
    assert not connection.is_usable()
    connection.health_check_enabled, connection.health_check_done = True, False
    assert Topic.objects.get(number=topic.number) == topic
    assert connection.connection is not kept


def test_a_command_holds_few_of_sqlites_pages(opened: DatabaseWrapper) -> None:
    with opened.cursor() as cursor:
        (kibibytes,) = cursor.execute("PRAGMA cache_size").fetchone()
    assert -kibibytes == CACHE <= 16 * 1024
