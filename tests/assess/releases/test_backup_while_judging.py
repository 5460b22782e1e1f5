"""A backup that is taken while judgments are posted holds the site as it stood at one moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from uuid import uuid4

import pytest

from tests.assess.jobs.test_kill import ROOT, SET_UP, Clicks, python, site, start  # noqa: F401

ITEMS = 400
LEDGER = """
import json
import django; django.setup()
from django.db.models import Max
from assess.models import Activity, Assignment, Item, Judgment, LedgerPoint
from assess.queries.judging.judgments import official_judgments
from assess.models import Campaign
ids = sorted([*Judgment.objects.values_list("id", flat=True), *Activity.objects.values_list("id", flat=True)])
print(json.dumps({
    "keys": [str(key) for key in Judgment.objects.values_list("client_key", flat=True)],
    "ids": ids,
    "point": LedgerPoint.objects.get().value,
    "official": official_judgments(Campaign.objects.get()).count(),
    "whole": Judgment.objects.filter(item__topic=Assignment.objects.get().topic, assignment__isnull=False).count(),
}))
"""


def restored(site: dict[str, str], backup: Path, place: Path) -> dict[str, str]:  # noqa: F811
    """Another site, of the same kind of database, into which the backup was put."""
    other = {**site, "ASSAY_DATA_DIR": str(place)}
    if url := site.get("ASSAY_DATABASE"):
        import psycopg

        name = f"restored_{os.getpid()}"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")  # type: ignore[call-overload]
        other["ASSAY_DATABASE"] = url.rsplit("/", 1)[0] + "/" + name
    subprocess.run([sys.executable, "manage.py", "restore", str(backup)], cwd=ROOT, env=other, check=True)
    return other


@pytest.mark.slow
@pytest.mark.database
def test_a_backup_taken_while_four_judge_holds_all_that_was_answered_before(
    site: dict[str, str],  # noqa: F811
    tmp_path: Path,
) -> None:
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=site, check=True)
    token, work, *items = python(site, SET_UP % ITEMS)
    clicks = [(int(item), str(uuid4())) for item in items]
    server, port = start(site)
    browsers = [Clicks(port, token, work, clicks[first::4]) for first in range(4)]
    threads = [threading.Thread(target=browser.run) for browser in browsers]
    try:
        for thread in threads:
            thread.start()
        while sum(len(browser.answered) for browser in browsers) < 20:
            time.sleep(0.01)
            assert any(thread.is_alive() for thread in threads), "the server answered nothing"
        before = {key for browser in browsers for key in browser.answered}
        backup = tmp_path / "site.tar"
        subprocess.run([sys.executable, "manage.py", "backup", str(backup)], cwd=ROOT, env=site, check=True)
        after = {key for browser in browsers for key in browser.answered}
        assert len(after) > len(before), "nobody judged while the backup was taken"
        for thread in threads:
            thread.join()
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=20)
    assert sum(len(browser.answered) for browser in browsers) == ITEMS  # nobody was refused because of the backup

    other = restored(site, backup, tmp_path / "other")
    found = json.loads(" ".join(python(other, LEDGER)))
    keys = set(found["keys"])
    assert before <= keys <= {key for _, key in clicks}
    assert len(keys) == len(found["keys"]) == found["official"] == found["whole"]
    assert found["ids"] == list(range(1, len(found["ids"]) + 1))
    assert found["point"] == len(found["ids"])
