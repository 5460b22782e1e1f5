"""Detect a database of a newer program than this one, which must then leave it alone."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pkgutil import iter_modules
from typing import Any

from django.apps import apps
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

APPS = ("assess", "nuggets")


def migration_of_newer_program() -> str:
    """Return the first migration in the database that this program does not know, such as assess.0009_notices, or "" if
    it knows all.

    It costs one query, and no migration is loaded.
    """
    return unknown_among(MigrationRecorder(connection).applied_migrations())


def unknown_among(applied: Iterable[tuple[str, str]]) -> str:
    """Return the first of the applied migrations, by app and name, that this program does not have; "" if it has
    all.
    """
    return ".".join(min({key for key in applied if key[0] in APPS} - _own_migrations(), default=()))


@cache
def _own_migrations() -> set[tuple[str, str]]:
    folders = {app: f"{apps.get_app_config(app).path}/migrations" for app in APPS}
    return {(app, each.name) for app, folder in folders.items() for each in iter_modules([folder])}


def refuse_newer_database(**_: Any) -> None:
    """Raise CommandError if a newer version has already changed the database: what is wrong, and what to do."""
    if unknown := migration_of_newer_program():
        raise CommandError(
            f"The database is of a newer version of Assay: it has {unknown}, which this one does not know. "
            "Install that version again, or restore a backup from before. Nothing was changed.",
            returncode=2,
        )
