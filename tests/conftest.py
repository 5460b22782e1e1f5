"""The cast, named by role, and what several folders of tests need."""

from __future__ import annotations

import gc
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections
from django.db.models.expressions import Col
from django.test import override_settings
from hypothesis import HealthCheck, settings
from pytest_django.plugin import DjangoDbBlocker
from whitenoise.middleware import WhiteNoiseMiddleware

from assess.base import mail_sender

# How long an example takes is the machine's affair, and says nothing of the code.
settings.register_profile(
    "any machine",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=100 if "ASSAY_PROPERTY_EXAMPLES" in os.environ else 20,  # a hundred in `make test-all`
)
settings.load_profile("any machine")

# Collecting makes nothing but what stays: looking for garbage in it again and again took a sixth of its time.
gc.disable()

_empty: list[Path] = []
"""The file with the empty tables, once it is made."""

_template: list[str] = []
"""The database of PostgreSQL with the empty tables, once it is made."""

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what touches the database, by its own mark or by a fixture, so that -m database finds all of it. What is
    slow begins first: at the end, one process would be left alone with it. The browser's tests come last, where one
    process runs all: once Playwright's loop runs in a thread, nothing else may run one there.
    """
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
    for item in items:
        takes = {"db", "transactional_db"} & {*getattr(item, "fixturenames", ())}
        if takes or item.get_closest_marker("django_db"):
            item.add_marker("database")


def pytest_collection_finish() -> None:
    """What is loaded by now stays: looking through it for garbage again and again took a tenth of the time, and even
    once took more than what is garbage of it by now is worth.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 50, 100)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A process that ran tests for another has told all that it has to tell: it ends without looking twice through
    everything for garbage, of which nobody would hear.
    """
    if hasattr(session.config, "workerinput"):
        gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def quick_passwords() -> Iterator[None]:
    """A slow hash protects real passwords; here it would take most of the time of making people."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture(scope="session", autouse=True)
def static_files_found_once() -> Iterator[None]:
    """Each client makes its own middleware, of which WhiteNoise would look through all static files again."""
    find = WhiteNoiseMiddleware.add_files_from_finders
    found: dict[str, Any] = {}

    def find_once(middleware: Any) -> None:
        if not found:
            find(middleware)
            found.update(middleware.files)
        middleware.files.update(found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", find_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def columns_told_apart_by_name() -> Iterator[None]:
    """Django keeps each column of an ordered query by what its constructor was called with, read by its signature: a
    fortieth of all time. Columns that are equal have the same name.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Col, "__hash__", lambda column: hash((column.alias, column.target.column)))
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each process of the tests has its database in a folder of its own: writers to SQLite take turns by a lock of the
    folder (docs/decisions/0011), and would wait for those of other processes.
    """
    if connection.vendor == "sqlite":
        connections.settings["default"]["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "assay.sqlite3")


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """The database of the tests, copied before any test adds to it: making another would take seconds."""
    if connection.vendor == "sqlite":
        path = tmp_path_factory.mktemp("empty") / "assay.sqlite3"
        with django_db_blocker.unblock(), closing(sqlite3.connect(path)) as file:
            connection.ensure_connection()
            connection.connection.backup(file)
        _empty.append(path)
        yield
        return
    name = f"empty_{connection.settings_dict['NAME']}"
    with django_db_blocker.unblock():
        connection.close()  # a database that somebody is connected to is not copied
        with connection._nodb_cursor() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {name}")
            cursor.execute(f"CREATE DATABASE {name} TEMPLATE {connection.settings_dict['NAME']}")
    _template.append(name)
    yield
    with django_db_blocker.unblock(), connection._nodb_cursor() as cursor:
        cursor.execute(f"DROP DATABASE {name}")


@pytest.fixture(scope="session")
def empty_database(django_db_setup: None) -> Path:
    """A file with the tables of a site and no rows, to be copied; on SQLite alone."""
    return _empty[0]


@pytest.fixture(scope="session")
def template_database(django_db_setup: None) -> str:
    """The name of a database with the tables of a site and no rows, to be copied; on PostgreSQL alone."""
    return _template[0]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real data beside the project. Skipped where it is missing, but never in CI."""
    if not SHARED.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"CI needs the real data in {SHARED}")
        pytest.skip(f"the real data is not in {SHARED}")
    return SHARED


pytest_plugins = [
    "tests.cast",
    "tests.committed",
    "tests.kept_processes",
    "tests.kept_tables",
    "tests.logged_in",
    "tests.on_postgresql",
    "tests.units",
    "tests.assess.toys",
    "tests.assess.compared",
    "tests.assess.judged_campaign",
    "tests.assess.ranked",
    "tests.assess.served",
    "tests.assess.pooling",
    "tests.addresses",
    "tests.api_shapes",
    "tests.benches",
    "tests.scoring.release_by_hand",
]


@pytest.fixture
def no_mail_waits(tmp_path: Path) -> Iterator[None]:
    """What waits for a mail server, or is known of it, is forgotten after the test; it counts lost mails for itself."""
    with override_settings(DATA_DIR=tmp_path):
        yield
        mail_sender.SENDER.submit(mail_sender.SERVER.waiting.clear).result()
        mail_sender.SERVER.is_away, mail_sender.SERVER.answer = False, None
