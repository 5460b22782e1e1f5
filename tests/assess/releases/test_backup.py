"""A backup taken of one site and restored into another: the same rows, the same files, the same exports.

Sites are processes of their own with their own data folder, since a backup sees what is committed alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.assess.served import ROOT, Site

pytestmark = [pytest.mark.slow, pytest.mark.database, pytest.mark.xdist_group("served")]

CAMPAIGN = ROOT / "tests" / "data" / "tracks" / "adhoc"
BEGIN = """
import io, json, sys
from pathlib import Path
import django
django.setup()
from django.core.management import CommandError, call_command
from django.db import connection
from assess.base.files import droppable_files, store_file
from assess.jobs.workers import beat
from assess.releases.domain.backups import table_rows
"""
MAKE = (
    BEGIN
    + """
from django.contrib.auth.models import User
User.objects.create_superuser("boss")
call_command("load_campaign", sys.argv[1], track="adhoc", slug="hives", stdout=io.StringIO(), stderr=io.StringIO())
call_command("export", "hives", sys.argv[2] + "/before", as_of=5, stdout=io.StringIO(), stderr=io.StringIO())
store_file(io.BytesIO(b"gathered rankings"), may_be_dropped=True)
rows = table_rows()
call_command("backup", sys.argv[2] + "/site.tar", stdout=io.StringIO())
try:
    call_command("restore", sys.argv[2] + "/site.tar", stdout=io.StringIO())
    refused = ""
except CommandError as error:
    refused = str(error)
User.objects.create_superuser("later")
with connection.cursor() as cursor:  # as a newer program may have
    cursor.execute("CREATE TABLE assess_later (id integer PRIMARY KEY, person integer REFERENCES auth_user (id))")
beat()
warned = io.StringIO()
call_command("restore", sys.argv[2] + "/site.tar", replace=True, stdout=io.StringIO(), stderr=warned)
found = {"rows": rows, "refused": refused, "replaced": table_rows(), "warned": warned.getvalue()}
print(json.dumps({**found, "droppable": sorted(droppable_files(before=1e12))}))
"""
)
RESTORE = (
    BEGIN
    + """
said, warned = io.StringIO(), io.StringIO()
call_command("restore", sys.argv[1] + "/site.tar", stdout=said, stderr=warned)
rows = table_rows()
call_command("export", "hives", sys.argv[1] + "/after", as_of=5, stdout=io.StringIO(), stderr=io.StringIO())
found = {"rows": rows, "said": said.getvalue(), "warned": warned.getvalue()}
print(json.dumps({**found, "droppable": sorted(droppable_files(before=1e12))}))
"""
)
REFUSE = (
    BEGIN
    + """
from django.conf import settings
refused = []
for path in sys.argv[1:]:
    try:
        call_command("restore", path, stdout=io.StringIO())
        refused.append("")
    except CommandError as error:
        refused.append(str(error))
left = sorted(path.name for path in Path(settings.DATA_DIR).glob("files/*/*"))
print(json.dumps({"refused": refused, "files": left}))
"""
)


@pytest.fixture
def sites(new_site: Callable[[str], Site]) -> list[Site]:
    """One that holds a campaign, and two without anything."""
    return [new_site(name) for name in ("first", "bare-second", "bare-third")]


def run(site: Site, script: str, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=site, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_backup_holds_the_whole_site(sites: list[Site], tmp_path: Path) -> None:
    made = run(sites[0], MAKE, str(CAMPAIGN), str(tmp_path))
    assert "not empty" in made["refused"]
    assert "If the site still runs, stop it and restore again." in made["warned"]
    assert made["replaced"] == made["rows"]
    restored = run(sites[1], RESTORE, str(tmp_path))
    assert (restored["rows"], restored["warned"]) == (made["rows"], "")
    assert made["rows"]["assess_campaign"] == 2
    assert f"{sum(made['rows'].values()):,} rows, 5 kept files restored" in restored["said"]
    before, after = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("before", "after")
    )
    assert after == before
    first, second = (
        sorted(path.name for path in (tmp_path / name / "files").glob("*/*")) for name in ("first", "bare-second")
    )
    assert first == second != []  # with the marks of files that may be dropped
    assert restored["droppable"] == made["droppable"]
    assert sha256(b"gathered rankings").hexdigest() in made["droppable"]
    assert (tmp_path / "site.tar").stat().st_mode & 0o777 == 0o600
    broken = broken_backups(tmp_path / "site.tar", tmp_path)
    refused = run(sites[2], REFUSE, *map(str, broken))
    assert [words in said for words, said in zip(broken.values(), refused["refused"], strict=True)] == [True] * len(
        broken
    )
    assert refused["files"] == []


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def broken_backups(whole: Path, place: Path) -> dict[Path, str]:
    """Backups with something wrong, and words of what is said of each."""
    content = whole.read_bytes()
    with tarfile.open(whole) as archive:
        database = archive.getmembers()[1]
    changed = bytearray(content)
    changed[database.offset_data + database.size // 2] ^= 1
    found = {
        "changed.tar": (bytes(changed), "is not that of the backup's manifest"),
        "short.tar": (content[: database.offset_data + 10], "Nothing was changed"),
        "text.tar": (b"this is no backup", "no backup that can be read"),
        "newer.tar": (content.replace(b'"0001_initial"', b'"9999_initial"', 1), "newer program"),
    }
    for name, (changed_content, _) in found.items():
        (place / name).write_bytes(changed_content)
    return {place / name: words for name, (_, words) in found.items()}
