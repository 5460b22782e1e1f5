"""The tables of the test database on SQLite, kept in a file beside pytest's own: to make them takes two seconds, and
several processes of `make test` need them. They are made anew when any file of what makes them is another: of the
site's own packages, or the list of packages that it is installed with.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core import management
from django.core.management import call_command
from django.db import connections
from django.db.backends.base.creation import BaseDatabaseCreation

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("assay_site", "assess", "nuggets")


def digest_of_tables(root: Path = ROOT) -> str:
    """What changes whenever the tables may."""
    found = hashlib.sha256((root / "requirements.txt").read_bytes())
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            found.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    return found.hexdigest()


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """One process after another, so that the first makes the tables and the others find them."""
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make_or_copy(folder: Path, command: str, **options: Any) -> Any:
    """What `migrate` would do to a new database on SQLite: by the file in the folder, where it is of these tables."""
    connection = connections[options["database"]]
    if command != "migrate" or connection.vendor != "sqlite":
        return call_command(command, **options)
    connection.ensure_connection()
    kept = folder / f"{digest_of_tables()}.sqlite3"
    with alone(folder):
        if kept.exists():
            with closing(sqlite3.connect(kept)) as file:
                file.backup(connection.connection)
            return None
        call_command(command, **options)
        for old in folder.glob("*.sqlite3"):
            old.unlink()
        made = folder / "being made"
        made.unlink(missing_ok=True)
        with closing(sqlite3.connect(made)) as file:
            connection.connection.backup(file)
        os.replace(made, kept)
    return None


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None, pytestconfig: pytest.Config) -> Iterator[None]:
    """Asked for by pytest-django before it makes the test database."""
    make = BaseDatabaseCreation.create_test_db
    cache = getattr(pytestconfig, "cache", None)  # none with `-p no:cacheprovider`
    folder = cache.mkdir("tables") if cache is not None else None

    def made(*given: Any, **options: Any) -> str:
        with pytest.MonkeyPatch.context() as patch:
            if folder is not None:
                patch.setattr(management, "call_command", partial(make_or_copy, folder))
            return make(*given, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseDatabaseCreation, "create_test_db", made)
        yield
