"""Move a site from one kind of database to the other: copy every row of every table, and compare it afterwards.

Only the content of the database is moved. Stored files stay in the data folder, whichever database the site has. The
index of words, which each kind of database stores differently, is built again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, zip_longest
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import DatabaseError, connection, connections, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from assess.base.errors import Conflict, Invalid
from assess.base.newer_database import unknown_among
from assess.campaigns.models import Campaign
from assess.documents.models import DocumentWords
from assess.jobs.progress import JobProgress, no_report
from assess.ledger.models import continue_numbers
from assess.people.models import Remembered
from assess.releases.domain.backups import require_empty_site

SOURCE = "moved_from"
"""The name by which Django knows the source database during the move."""
BATCH = 2_000
"""How many rows are written at once."""
MADE_ANEW = frozenset({DocumentWords, Remembered})
OF_MIGRATIONS = "django_migrations"

Row = tuple[Any, ...]


def move_from(source: dict[str, Any], *, progress: Callable[[JobProgress], None] = no_report) -> dict[str, int]:
    """Copy all rows of another database into the site's own, and return their number by table.

    ``source`` are its Django settings. The index of documents' words and the cache are not copied: call
    `index_documents` afterwards. Both databases must be of this version of the program, and the site's own must have no
    campaigns or accounts. Everything is copied, compared row by row and committed at once, or nothing is. The source is
    only read; if it is SQLite, nobody else can write to it meanwhile.

    Raises `Invalid` for a database that can't be opened. Raises `Conflict` for one without a site, one that is older or
    newer than the program or has other tables, a site that is not empty, and a row that can't be stored.
    """
    require_empty_site()
    with _known(source) as old:
        if Campaign._meta.db_table not in old.introspection.table_names():
            raise Conflict("That database holds no site: it has no table of campaigns. Name the one that holds yours.")
        if unknown := unknown_among(MigrationRecorder(old).applied_migrations()):
            raise Conflict(
                f"That database is of a newer version of Assay: it has {unknown}, which this one does not know. Move "
                "it with that version."
            )
        if MigrationExecutor(old).migration_plan(MigrationExecutor(old).loader.graph.leaf_nodes()):
            raise Conflict("That database is older than the program. Run “manage.py migrate” on it first.")
        tables = _tables(old)
        with transaction.atomic(using=SOURCE), transaction.atomic():
            if old.vendor == "postgresql":
                with old.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            _empty(tables)
            copied = _copy(tables, progress)
            for model in tables:
                _require_same(model)
            with connection.cursor() as cursor:
                for statement in connection.ops.sequence_reset_sql(no_style(), tables):
                    cursor.execute(statement)
            continue_numbers()
    return copied


@contextmanager
def _known(source: dict[str, Any]) -> Iterator[BaseDatabaseWrapper]:
    """Connect to another database, and let Django use it meanwhile. Raises `Invalid` if it can't be opened."""
    connections.settings[SOURCE] = connections.configure_settings({"default": {}, SOURCE: source})[SOURCE]
    old = connections[SOURCE]
    try:
        try:
            old.ensure_connection()
        except DatabaseError as error:
            raise Invalid(f"That database can't be opened: {' '.join(str(error).split())}") from error
        yield old
    finally:
        old.close()
        del connections[SOURCE], connections.settings[SOURCE]


def _tables(old: BaseDatabaseWrapper) -> list[type[models.Model]]:
    """Return the models whose rows are moved. Refuse a source with other tables, which would be lost."""
    every = apps.get_models(include_auto_created=True)
    known = {model._meta.db_table for model in every} | {OF_MIGRATIONS}
    there = (
        name for name in old.introspection.table_names() if not name.startswith(("sqlite_", "assess_documentsearch"))
    )
    if others := sorted(set(there) - known):
        raise Conflict(f"That database has tables that are not Assay's: {', '.join(others)}. Take them out first.")
    return [model for model in every if model not in MADE_ANEW and model._meta.managed and not model._meta.proxy]


def _fields(model: type[models.Model]) -> Sequence[models.Field[Any, Any]]:
    return model._meta.concrete_fields


def _rows(model: type[models.Model], using: str) -> Iterator[Row]:
    """Return all rows of a table in the order of their keys. Text keys are sorted here, since databases order them
    differently.
    """
    names = [field.attname for field in _fields(model)]
    key = model._meta.pk
    rows = model._base_manager.using(using).order_by(key.attname).values_list(*names)
    if isinstance(key, models.CharField | models.TextField):
        place = names.index(key.attname)
        return iter(sorted(rows, key=lambda row: row[place]))
    return rows.iterator(chunk_size=BATCH)


def _empty(tables: Sequence[type[models.Model]]) -> None:
    """Delete the few rows that making the tables added. The source has its own, with ids that other rows refer to."""
    with connection.cursor() as cursor:
        for model in tables:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")


def _copy(tables: Sequence[type[models.Model]], progress: Callable[[JobProgress], None]) -> dict[str, int]:
    total = sum(model._base_manager.using(SOURCE).count() for model in tables)
    copied: dict[str, int] = {}
    for model in tables:
        table, fields = model._meta.db_table, _fields(model)
        columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
        values = ", ".join(["%s"] * len(fields))
        statement = f"INSERT INTO {connection.ops.quote_name(table)} ({columns}) VALUES ({values})"
        rows, copied[table] = _rows(model, SOURCE), 0
        while batch := list(islice(rows, BATCH)):
            stored = [
                tuple(field.get_db_prep_save(value, connection) for field, value in zip(fields, row, strict=True))
                for row in batch
            ]
            try:
                with connection.cursor() as cursor:
                    cursor.executemany(statement, stored)
            except (DatabaseError, ValueError) as error:
                said = " ".join(str(error).split())
                raise Conflict(f"A row of {table} can't be kept there: {said}. Nothing was moved.") from error
            copied[table] += len(batch)
            progress(
                JobProgress(
                    done=sum(copied.values()), total=total, unit="rows", note="%(table)s", values={"table": table}
                )
            )
    return copied


def _require_same(model: type[models.Model]) -> None:
    """Refuse if a row of the site's own table differs from that of the source."""
    pairs = zip_longest(_rows(model, SOURCE), _rows(model, "default"))
    for number, (old, new) in enumerate(pairs, start=1):
        if old is None or new is None or list(map(_plain, old)) != list(map(_plain, new)):
            raise Conflict(
                f"Row {number:,} of {model._meta.db_table} is another after it was copied. Nothing was moved."
            )


def _plain(value: Any) -> Any:
    """Return a value in a form that can be compared across databases, whose drivers return bytes as different types."""
    return bytes(value) if isinstance(value, memoryview) else value
