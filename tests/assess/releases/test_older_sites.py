"""Sites of all earlier versions are taken over by this one: restored, backed up as they are, migrated, exported, and
backed up and restored again. tests/data/sites/README.md says how they were made.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from assess.jobs.workers import beat
from assess.management.commands.db_worker import wait_for_tables
from tests.assess.served import ROOT

SITES = ROOT / "tests" / "data" / "sites"
VERSIONS = sorted(path.name.removesuffix(".tar.xz").removeprefix("v") for path in SITES.glob("v*.tar.xz"))
BEGIN = """
import io, json, sys
from pathlib import Path
import django
django.setup()
from django.core.management import call_command
from django.db import connection
from django.test import Client
from assess.management.command import is_behind
place, quiet = Path(sys.argv[1]), {"stdout": io.StringIO(), "stderr": io.StringIO()}
def shape():
    "Columns and constraints of every table, and what every trigger does."
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        found = {name: " ".join(sql.split()) for name, sql in cursor.fetchall()}
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'PRAGMA table_info("{table}")')
            columns = sorted(row[1:] for row in cursor.fetchall())
            rules = connection.introspection.get_constraints(cursor, table).values()
            found[table] = [columns, sorted(json.dumps({**each, "definition": ""}, default=str) for each in rules)]
    return found
"""
TAKE_OVER = (
    BEGIN
    + """
call_command("restore", str(place / "backup.tar"), **quiet)
behind = is_behind()
with connection.cursor() as cursor:
    cursor.execute("SELECT min(id) FROM auth_user WHERE is_active")
    old = ["f" * 40, "2026-01-01 00:00:00", *cursor.fetchone()]
    cursor.execute("INSERT INTO authtoken_token (key, created, user_id) VALUES (%s, %s, %s)", old)
call_command("backup", str(place / "as-it-was.tar"), **quiet)
call_command("migrate", verbosity=0)
for folder in place.glob("demo-*"):
    call_command("export", folder.name, str(place / "again" / folder.name), **quiet)
call_command("backup", str(place / "migrated.tar"), **quiet)
called = Client(headers={"Host": "localhost", "Authorization": f"Token {'f' * 40}"}).get("/api/v1/campaigns/")
print(json.dumps({"behind": [behind, is_behind()], "shape": shape(), "by token": called.status_code}))
"""
)
RESTORE = (
    BEGIN
    + """
fresh = shape()
call_command("restore", str(place / "as-it-was.tar"), **quiet)
call_command("restore", str(place / "migrated.tar"), replace=True, **quiet)
print(json.dumps({"shape": shape(), "fresh": fresh, "behind": is_behind()}))
"""
)


def run(place: Path, name: str, script: str) -> dict[str, Any]:
    """What a program in a site of its own prints."""
    site = {
        "ASSAY_DATA_DIR": str(place / name),
        "DJANGO_SETTINGS_MODULE": "assay_site.settings",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-c", script, str(place)]
    done = subprocess.run(command, cwd=ROOT, env=site, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def exports(folder: Path) -> dict[str, bytes]:
    """All that was exported; the manifest says when, so it is left out."""
    files = [path for path in sorted(folder.glob("demo-*/*")) if path.name != "manifest.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_a_site_of_an_earlier_version_is_taken_over(version: str, tmp_path: Path, empty_database: Path) -> None:
    """Each takes a backup of SQLite into a site on SQLite, whatever the other tests run on."""
    with tarfile.open(SITES / f"v{version}.tar.xz") as stored:
        stored.extractall(tmp_path)
    taken = run(tmp_path, "taken", TAKE_OVER)
    assert taken["behind"][1] is False
    assert taken["by token"] == 200, "a token of before goes on working"
    expected = exports(tmp_path)
    assert len(expected) > 5
    assert exports(tmp_path / "again") == expected
    (tmp_path / "restored").mkdir()
    shutil.copy(empty_database, tmp_path / "restored")
    restored = run(tmp_path, "restored", RESTORE)
    assert restored["behind"] is False
    assert restored["shape"] == restored["fresh"] == taken["shape"]


def test_every_released_version_has_a_stored_site() -> None:
    released = re.findall(r"^## (\d+\.\d+\.\d+)\b", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert released != []
    assert sorted(released) == VERSIONS


# ---------------------------------------------------------------- whatever was applied already


def replaced(app: str) -> list[str]:
    """The names of those migrations of an app that another replaces, in their order."""
    every = MigrationLoader(None).disk_migrations.values()
    return sorted(name for each in every for owner, name in each.replaces if owner == app)


@pytest.mark.django_db
def test_a_database_of_any_state_before_the_migrations_were_squashed_has_a_way_on() -> None:
    assess, nuggets = replaced("assess"), replaced("nuggets")
    assert (len(assess), len(nuggets)) == (20, 4)
    for count in (0, 2, 3, 8, 12, 19, 20):
        for beside in (0, 3, 4) if count >= 5 else (0,):
            MigrationRecorder.Migration.objects.filter(app__in=("assess", "nuggets")).delete()
            for key in [("assess", name) for name in assess[:count]] + [("nuggets", name) for name in nuggets[:beside]]:
                MigrationRecorder(connection).record_applied(*key)
            executor = MigrationExecutor(connection)
            executor.loader.check_consistent_history(connection)
            ends = executor.loader.graph.leaf_nodes()
            assert executor.migration_plan(ends) != []
            executor.loader.project_state(ends)  # KeyError where a change is missing on the way


@pytest.mark.django_db
def test_a_database_of_a_newer_version_is_left_alone(client: Client, tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path
    beat()
    MigrationRecorder(connection).record_applied("assess", "9999_later")
    commands = (["migrate"], ["progress", "opinions"], ["serve", "--port", "0"])
    for act in (*(partial(call_command, *command) for command in commands), wait_for_tables):
        with pytest.raises(CommandError, match=r"of a newer version of Assay: it has assess\.9999_later") as refused:
            act()
        assert refused.value.returncode == 2
    assert client.get("/readyz").json()["migrations"] == "of a newer program: assess.9999_later"
