"""The tables of the test database, which one process makes for all."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection

from tests import kept_tables
from tests.kept_tables import PACKAGES, digest_of_tables, make_or_copy


def tables_of(database: sqlite3.Connection) -> list[str]:
    return [name for (name,) in database.execute("SELECT name FROM sqlite_master ORDER BY name")]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that were run, each of which makes a table; every database is new."""
    done: list[str] = []

    def run(command: str, **options: Any) -> None:
        done.append(command)
        opened[options["database"]].connection.execute(f"CREATE TABLE {command} (id)")

    opened = {
        name: SimpleNamespace(vendor=vendor, connection=sqlite3.connect(":memory:"), ensure_connection=lambda: None)
        for name, vendor in (("first", "sqlite"), ("second", "sqlite"), ("third", "sqlite"), ("other", "postgresql"))
    }
    monkeypatch.setattr(kept_tables, "connections", opened)
    monkeypatch.setattr(kept_tables, "call_command", run)
    return done


def test_tables_are_made_once_until_what_makes_them_is_another(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "second", "other"):
        make_or_copy(tmp_path, "migrate", database=name)
        make_or_copy(tmp_path, "createcachetable", database=name)
        assert tables_of(kept_tables.connections[name].connection) == ["createcachetable", "migrate"]
    assert asked == ["migrate", *["createcachetable"] * 2, "migrate", "createcachetable"]
    monkeypatch.setattr(kept_tables, "digest_of_tables", lambda: "another")
    make_or_copy(tmp_path, "migrate", database="third")
    assert asked[-1] == "migrate"
    assert [path.name for path in tmp_path.glob("*.sqlite3")] == ["another.sqlite3"]


def test_each_file_that_may_make_tables_tells(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("django")
    for package in PACKAGES:
        (tmp_path / package / "migrations").mkdir(parents=True)
        (tmp_path / package / "migrations" / "0001_first.py").write_text("")
    found = {digest_of_tables(tmp_path)}
    (tmp_path / "assess" / "migrations" / "0002_second.py").write_text("")
    found.add(digest_of_tables(tmp_path))
    (tmp_path / "nuggets" / "migrations" / "0001_first.py").write_text("pass")
    found.add(digest_of_tables(tmp_path))
    (tmp_path / "requirements.txt").write_text("django 5")
    found.add(digest_of_tables(tmp_path))
    shutil.rmtree(tmp_path / "assay_site")
    found.add(digest_of_tables(tmp_path))
    assert len(found) == 5


@pytest.mark.django_db
def test_each_process_has_a_database_of_its_own() -> None:
    """Its name has the process's: two that shared one would see each other's rows."""
    assert os.environ.get("PYTEST_XDIST_WORKER", "") in str(connection.settings_dict["NAME"])
