"""Make and serve a bare Django project with one view that stores a row, for comparison. It has no code of Assay's.

`django-admin startproject` makes it, with its middleware and its settings. Only four lines are changed, without which
it can't be served: DEBUG is off, any host is allowed, the one app is installed, and the database is named. The database
is SQLite or PostgreSQL by Django's own backend, with Django's own options: each request opens its own connection, which
takes most of its time. On SQLite the journal is WAL, as in Assay, and each commit is on the disk before it is answered
(`synchronous` is FULL, SQLite's default); with the usual rollback journal it is slower, most of all with several
clients. It is served by the same program, with as many processes and threads as `manage.py serve` begins.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from bench.http_load import ROOT
from bench.servers import free_port, serving

NAME = "bare"
SETTINGS = """
DEBUG = False
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS.append("judged")
DATABASES["default"].update({database!r})
"""
MODELS = """\
from django.db import models


class Judgment(models.Model):
    item = models.BigIntegerField()
    value = models.IntegerField()
    client_key = models.UUIDField(unique=True)
"""
URLS = """\
import json

from django.http import JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from judged.models import Judgment


@csrf_exempt
def insert(request):
    judgment = Judgment.objects.create(**json.loads(request.body))
    return JsonResponse({"id": judgment.pk}, status=201)


urlpatterns = [path("plain/", insert)]
"""


@contextmanager
def served_bare_project(folder: Path) -> Iterator[int]:
    """Make the project in an empty folder, serve it, and yield its port. It has its own database: a file, or another
    database on the same PostgreSQL server, on which the account must be allowed to create databases.
    """
    from django.db import connection

    folder.mkdir(exist_ok=True)
    _run("django", "startproject", NAME, str(folder), at=ROOT)
    with (folder / NAME / "settings.py").open("a") as file:
        file.write(SETTINGS.format(database=_postgresql() if connection.vendor == "postgresql" else {}))
    (folder / "judged").mkdir()
    for name, text in (("__init__", ""), ("models", MODELS)):
        (folder / "judged" / f"{name}.py").write_text(text)
    (folder / NAME / "urls.py").write_text(URLS)
    _run("manage", "migrate", "--run-syncdb", "--verbosity", "0", at=folder)
    if connection.vendor == "sqlite":
        _write_ahead(folder / "db.sqlite3")
    port = free_port()
    with serving(_command(folder, port), port=port, at=folder, environment=_environment()):
        yield port


def _postgresql() -> dict[str, Any]:
    """Create a new database on Assay's own PostgreSQL server, and return Django's settings for it."""
    from django.db import connection

    own = connection.settings_dict
    name = f"{own['NAME']}_{NAME}"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {connection.ops.quote_name(name)}")
        cursor.execute(f"CREATE DATABASE {connection.ops.quote_name(name)}")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        **{key: own[key] for key in ("USER", "PASSWORD", "HOST", "PORT")},
    }


def _write_ahead(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        ((journal,), (synchronous,)) = (
            database.execute(f"PRAGMA {pragma}").fetchone() for pragma in ("journal_mode = WAL", "synchronous")
        )
    if (journal, synchronous) != ("wal", 2):
        raise SystemExit(f"SQLite has the journal {journal} and synchronous {synchronous}: not what Assay has")


def _command(folder: Path, port: int) -> list[str]:
    """Return the command with which `manage.py serve` begins the application server, changed to serve this project."""
    from assess.management.commands.serve import Command, children

    parser = Command().create_parser("manage.py", "serve")
    usual = {name: parser.get_default(name) for name in ("host", "workers", "threads")}
    (program, *_) = children(**usual, port=port).values()
    without = {
        "--logger-class",
        "assay_site.server_log.ServerLogger",
        "--worker-class",
        "assay_site.patient_worker.PatientWorker",
    }
    replaced = {"assay_site.wsgi": f"{NAME}.wsgi", str(ROOT): str(folder)}
    return [replaced.get(each, each) for each in program if each not in without]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}


def _run(module: str, *arguments: str, at: Path) -> None:
    subprocess.run([sys.executable, "-m", module, *arguments], cwd=at, env=_environment(), check=True)
