"""A site moved from SQLite to PostgreSQL: the same rows, and the same exports.

Both sites are processes of their own, since a test knows no other database than its own.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from assess.jobs.workers import beat
from tests.assess.served import ROOT, Site

MAKE = """
import io, sys
import django; django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
quiet = {"stdout": io.StringIO(), "stderr": io.StringIO()}
call_command("migrate", verbosity=0)
User.objects.create_superuser("boss")
call_command("load_campaign", sys.argv[1] + "/tests/data/tracks/adhoc", track="adhoc", slug="hives", **quiet)
call_command("export", "hives", sys.argv[2] + "/before", as_of=5, **quiet)
"""
MOVE = """
import io, json, sqlite3, sys
import django; django.setup()
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db.migrations.loader import MigrationLoader
from assess.campaigns.models import Campaign
from assess.documents.models import DocumentWords
place, said = sys.argv[1], []
def move(old="/old"):
    out = io.StringIO()
    try:
        call_command("move_database", place + old, stdout=out, stderr=io.StringIO())
        said.append(out.getvalue().strip())
    except CommandError as error:
        said.append(str(error))
def alter(*statements):
    with sqlite3.connect(place + "/old/assay.sqlite3") as old:
        for statement in statements:
            old.execute(statement)
sqlite3.connect(place + "/void").execute("CREATE TABLE void (id integer)")
move("/void")
alter("CREATE TABLE others (id integer)")
move()
newest = MigrationLoader(None).graph.leaf_nodes("assess")[0][1]
alter("DROP TABLE others", f"UPDATE django_migrations SET app = 'none' WHERE app = 'assess' AND name = '{newest}'")
move()
alter("UPDATE django_migrations SET app = 'assess' WHERE app = 'none'")
alter("INSERT INTO django_migrations (app, name, applied) VALUES ('assess', '9999_later', '2030-01-01')")
move()
alter("DELETE FROM django_migrations WHERE name = '9999_later'")
title = Campaign._meta.get_field("title")
title.get_db_prep_save = lambda value, connection: value + "s"
move()
del title.get_db_prep_save
empty = [User.objects.count(), Campaign.objects.count()]
move()
call_command("export", "hives", place + "/after", as_of=5, stdout=io.StringIO(), stderr=io.StringIO())
newest = max(User.objects.values_list("pk", flat=True))
later = User.objects.create_user("later").pk
move()
print(json.dumps({"said": said, "empty": empty, "words": DocumentWords.objects.count(), "numbers": [newest, later]}))
"""


def run(site: Site, script: str, *arguments: str) -> str:
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=site, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.database
@pytest.mark.xdist_group("served")
@pytest.mark.skipif(connection.vendor == "sqlite", reason="it moves into PostgreSQL")
def test_a_site_is_moved_whole_or_not_at_all(new_site: Callable[[str], Site], tmp_path: Path) -> None:
    new, place = new_site("bare-new"), str(tmp_path)
    old = {key: value for key, value in new.items() if key != "ASSAY_DATABASE"} | {"ASSAY_DATA_DIR": f"{place}/old"}
    run(old, MAKE, str(ROOT), place)
    shutil.copytree(tmp_path / "old" / "files", tmp_path / "bare-new" / "files")
    found = json.loads(run(new, MOVE, place))
    assert found["said"][:5] == [
        "That database holds no site: it has no table of campaigns. Name the one that holds yours.",
        "That database has tables that are not Assay's: others. Take them out first.",
        "That database is older than the program. Run “manage.py migrate” on it first.",
        "That database is of a newer version of Assay: it has assess.9999_later, which this one does not know. Move it "
        "with that version.",
        "Row 1 of assess_campaign is another after it was copied. Nothing was moved.",
    ]
    assert found["empty"] == [0, 0]
    assert re.fullmatch(r"[\d,]+ rows of \d+ tables moved and compared", found["said"][5])
    assert "is not empty: it holds campaigns or accounts already. ASSAY_DATABASE names where" in found["said"][6]
    assert contents(tmp_path / "after") == contents(tmp_path / "before") != {}
    assert found["words"] > 0
    assert found["numbers"][1] > found["numbers"][0]


@pytest.mark.django_db
def test_a_site_that_still_runs_is_not_moved(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    (tmp_path / "old").touch()
    beat()
    with pytest.raises(CommandError, match=r"seen 0 seconds ago\. Stop the site, and call this again"):
        call_command("move_database", str(tmp_path / "old"))


@pytest.mark.django_db
def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    for place, words in {
        str(tmp_path / "nowhere"): "There is no file",
        "postgresql://": "it names no database",
        "mysql://assay": "not of the form postgresql://",
    }.items():
        with pytest.raises(CommandError, match=words):
            call_command("move_database", place)
