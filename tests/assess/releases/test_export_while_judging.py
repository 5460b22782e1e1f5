"""While an export is written, others write: a large one must not keep assessors from saving."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

from assess.campaigns.activity import record_activity
from assess.campaigns.queries import ledger_point
from assess.exports.domain import export_campaign, export_zip
from assess.judging.snapshots import Snapshot
from assess.models import Activity, Campaign
from tests.assess.toy_track import TRACK

WAIT = 0.2  # seconds until SQLite gives up waiting for who writes


def _write_elsewhere(failed: list[Exception]) -> None:
    """What somebody else writes in the campaign meanwhile, over a connection of their own."""
    try:
        if connection.vendor == "sqlite":
            connection.ensure_connection()
            connection.cursor().execute(f"PRAGMA busy_timeout = {int(WAIT * 1000)}")
        else:
            connection.cursor().execute(f"SET lock_timeout = {int(WAIT * 1000)}")
        with transaction.atomic():
            record_activity(actor=None, action="help.ask", campaign=Campaign.objects.get())
    except DatabaseError as error:
        failed.append(error)
    finally:
        connection.close()


def _lines_while_another_writes(records: Iterable[Any]) -> Iterator[str]:
    """An export of one line, as long as it takes somebody else to write."""
    failed: list[Exception] = []
    writer = threading.Thread(target=_write_elsewhere, args=(failed,))
    writer.start()
    writer.join()
    assert list(records) == []
    yield f"{len(failed)} failed"


TRACKS = (replace(TRACK, exports=(replace(TRACK.exports[0], write=_lines_while_another_writes),)),)


@pytest.fixture
def site(committed_db: None, toys: None, toy: Campaign, settings: Any) -> Campaign:
    settings.ASSAY_TRACKS = f"{__name__}.TRACKS"
    return toy


def test_others_write_while_an_export_is_written(site: Campaign, tmp_path: Path) -> None:
    before = ledger_point(site)
    done = export_campaign(actor=None, snapshot=Snapshot(site), folder=tmp_path / "out")
    assert (tmp_path / "out" / "grades.txt").read_text() == "0 failed\n"
    assert done.as_of == before
    assert [row.action for row in Activity.objects.order_by("id")][-2:] == ["help.ask", "export.write"]


def test_others_write_while_a_zip_is_written(site: Campaign, organiser: User) -> None:
    snapshot = Snapshot(site, ledger_point(site))
    with export_zip(actor=organiser, snapshot=snapshot) as file, zipfile.ZipFile(file) as package:
        assert package.read("grades.txt") == b"0 failed\n"
