"""An import that is killed, stopped or refused leaves nothing that anybody sees, and holds up others for a block."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import CommandError
from django.db import connection

from assess.base.errors import BadFile, NotFound
from assess.campaigns.seats import access_campaigns, access_seat
from assess.jobs.progress import JobProgress
from assess.kinds.grade import replay
from assess.management.command import campaign_named
from assess.models import Campaign, Judgment, LedgerPoint, UnfinishedImport
from assess.releases.domain import import_rows, importing, unfinished_imports
from assess.releases.domain.importing import import_release
from assess.releases.domain.unfinished_imports import remove_campaign
from tests import factories
from tests.assess.releases.small_release import edit, folder, sign, site, store  # noqa: F401
from tests.assess.served import ROOT, Site
from tests.parts import WHOLE
from tests.tracks import track_folder

pytestmark = pytest.mark.database

LONGEST = 8 if WHOLE else 30
"""Statements between two kills."""


class Killed(BaseException):
    """Stands for a process that ends at this very statement."""


@contextmanager
def killed_at(number: int) -> Iterator[None]:
    """The statement with this number is not run any more, nor any other: nothing is tidied up."""
    run = 0

    def count(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal run
        run += 1
        if run >= number:
            raise Killed
        return execute(sql, params, many, context)

    with connection.execute_wrapper(count):
        yield


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_rows, "BATCH", 3)
    monkeypatch.setattr(importing, "BATCH", 3)
    monkeypatch.setattr(replay, "BLOCK", 1)
    monkeypatch.setattr(unfinished_imports, "BLOCK", 3)
    plainly = replay.add_plain

    def add_plain(*of: Any, **named: Any) -> bool:
        with connection.cursor() as cursor:  # PostgreSQL's COPY is no statement that is counted
            for _ in range(LONGEST):
                cursor.execute("SELECT 1")
        return plainly(*of, **named)

    monkeypatch.setattr(replay, "add_plain", add_plain)


def rows() -> Counter[str]:
    """How many rows every table has, but for the counter: no number is given twice."""
    models = [model for model in apps.get_models() if model is not LedgerPoint]
    return Counter({model.__name__: model._default_manager.count() for model in models})


def exported_by_release(folder: Path) -> dict[str, bytes]:  # noqa: F811
    return {path.name: path.read_bytes() for path in (folder / "exports").iterdir()}


def assert_nobody_sees(slug: str, boss: User) -> None:
    assert slug not in access_campaigns(boss).values_list("slug", flat=True)
    with pytest.raises(NotFound):
        access_seat(boss, slug)
    with pytest.raises(CommandError, match="There is no campaign"):
        campaign_named(slug)


def test_killed_again_and_again_it_is_seen_by_nobody_and_run_once_more_it_is_whole(
    committed_db: None,
    folder: Path,  # noqa: F811
    organiser: User,
    small_blocks: None,
) -> None:
    boss = User.objects.create_superuser("boss")
    before, number, killed, half = rows(), 1, 0, set()
    while True:
        try:
            with killed_at(number):
                copy = import_release(actor=organiser, path=folder, slug="copy")
            break
        except Killed:
            killed += 1
        half.add(Judgment.objects.filter(assignment__campaign__slug="copy").count())
        assert_nobody_sees("copy", boss)
        number += min(max(number // 8, 1), LONGEST)  # also while it takes away what the one before it left
    assert killed > 20
    every = Judgment.objects.filter(assignment__campaign=copy).count()
    assert half - {0, every}, half  # some were killed between two judgments
    whole = rows() - before
    assert access_seat(boss, "copy").campaign == copy
    other = import_release(actor=organiser, path=folder, slug="other")
    assert rows() - before == Counter({name: 2 * count for name, count in whole.items()})
    assert not UnfinishedImport.objects.exists()
    assert track_folder.exported(copy, organiser=organiser) == exported_by_release(folder)
    assert track_folder.exported(other, organiser=organiser) == exported_by_release(folder)


def test_what_is_refused_late_is_taken_away_with_its_accounts_and_the_ledgers_refuse_as_before(
    committed_db: None,
    folder: Path,  # noqa: F811
    organiser: User,
    small_blocks: None,
) -> None:
    before = rows()
    path = folder / "exports/judgments.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:-1], lines[-1].replace('"value": ', '"value": 7')]))
    sign(folder)
    with pytest.raises(BadFile, match=r"judgments\.jsonl"):
        import_release(actor=organiser, path=folder, slug="copy")
    assert rows() == before
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT count(*) FROM pg_trigger WHERE tgname ILIKE '%%_no_delete' AND tgenabled = 'O'")
        else:
            cursor.execute("SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%%_no_DELETE'")
        assert cursor.fetchone()[0] >= 11


def test_others_are_held_up_for_a_block_and_no_longer(
    committed_db: None,
    folder: Path,  # noqa: F811
    organiser: User,
    small_blocks: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held: list[tuple[int, int]] = []
    statements = stored = 0
    commit = connection.commit

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal statements, stored
        if connection.in_atomic_block:
            statements += 1
            stored += len(params) if many else 0
        return execute(sql, params, many, context)

    def ended() -> None:
        nonlocal statements, stored
        commit()
        held.append((statements, stored))
        statements = stored = 0

    monkeypatch.setattr(connection, "commit", ended)
    with connection.execute_wrapper(note):
        import_release(actor=organiser, path=folder, slug="copy")
    assert max(rows for _, rows in held) == 3
    assert max(count for count, _ in held) <= 40
    assert len(held) > 20


def test_stopped_it_takes_away_what_it_stored_and_another_under_way_is_let_be(
    committed_db: None,
    folder: Path,  # noqa: F811
    organiser: User,
    small_blocks: None,
) -> None:
    seen: list[int] = []

    def stop(progress: JobProgress) -> None:
        if progress.note.startswith("topic"):
            seen.append(Campaign.objects.filter(slug="inner").count())
            raise KeyboardInterrupt

    def start_another(progress: JobProgress) -> None:
        if progress.note.startswith("topic"):
            with pytest.raises(KeyboardInterrupt):
                import_release(actor=organiser, path=folder, slug="inner", progress=stop)

    copy = import_release(actor=organiser, path=folder, slug="copy", progress=start_another)
    assert seen == [1]
    assert [campaign.slug for campaign in Campaign.objects.filter(slug__in=["inner", "copy"])] == ["copy"]
    assert track_folder.exported(copy, organiser=organiser) == exported_by_release(folder)


@pytest.mark.django_db
def test_a_campaign_that_is_there_for_all_to_see_is_never_taken_away(organiser: User) -> None:
    campaign = factories.campaign(organiser=organiser)
    with pytest.raises(LookupError, match="for all to see"):
        remove_campaign(campaign)
    assert Campaign.objects.filter(pk=campaign.pk).exists()


IMPORT = """
import os, signal, sys
from pathlib import Path
import django; django.setup()
from django.contrib.auth.models import User
from assess.jobs.progress import no_report
from assess.models import Campaign, UnfinishedImport
from assess.releases.domain.importing import import_release
def end(progress):
    if progress.note.startswith("topic"):
        os.kill(os.getpid(), signal.SIGKILL)
here, count = dict(actor=User.objects.get(username="organiser"), slug="copy"), Campaign.objects.count
print(count(), UnfinishedImport.objects.count(), flush=True)
import_release(path=Path(sys.argv[1]), progress=end if "kill" in sys.argv else no_report, **here)
print(count(), UnfinishedImport.objects.count())
"""


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.xdist_group("served")
def test_a_process_that_is_killed_leaves_what_the_next_one_takes_away(
    new_site: Callable[[str], Site],
    folder: Path,  # noqa: F811
) -> None:
    there = new_site("killed-import")
    said = []
    for how in ("kill", "go on"):
        call = [sys.executable, "-c", IMPORT, str(folder), how]
        done = subprocess.run(call, cwd=ROOT, env=there, capture_output=True, text=True, check=False)
        said.append((done.returncode, done.stdout.split()))
    assert said == [(-signal.SIGKILL, ["1", "0"]), (0, ["2", "1", "2", "0"])]
