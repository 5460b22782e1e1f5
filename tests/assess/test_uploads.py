"""Uploaded files of jobs: how long they stay, and what becomes of an upload whose job was never made."""

from __future__ import annotations

import io
import os
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone

from assess.base.files import droppable_files, keep_always, store_file, stored_path
from assess.documents.domain.start_jobs import start_docnos
from assess.jobs.kinds import job_kinds
from assess.models import Campaign, Job, Run
from assess.pools.domain.planning import keep, kept
from assess.pools.domain.rankings_file import gather_rankings, gathered_files
from assess.uploads import drop_unneeded_uploads, held_uploads
from tests import factories
from tests.assess.pooling import retrieval as retrieval
from tests.assess.served import ROOT
from tests.assess.worker import run_worker

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


def docnos(campaign: Campaign, organiser: User, content: bytes) -> Job:
    file = io.BytesIO(content)
    file.name = "docnos.txt"
    return start_docnos(actor=organiser, campaign=campaign, file=file)


def age(sha256: str, hours: float) -> None:
    """Make the mark of a stored file as old as if it had been stored so many hours ago."""
    place = stored_path(sha256)
    mark = place.with_name(f"{place.name}-may-be-dropped")
    before = mark.stat().st_mtime - hours * 3600
    os.utime(mark, (before, before))


def is_kept(job: Job) -> bool:
    return stored_path(job.arguments["sha256"]).is_file()


def test_files_stay_for_the_days_of_the_setting_and_while_a_job_needs_them(
    campaign: Campaign, organiser: User, settings: Any, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        assert drop_unneeded_uploads() == 0
    done = docnos(campaign, organiser, b"D1\nD2\n")
    run_worker()
    waiting = docnos(campaign, organiser, b"D3\n")
    for job in (done, waiting):
        age(job.arguments["sha256"], 49)
    assert drop_unneeded_uploads() == 0
    long_ago = timezone.now() - timedelta(days=91)
    Job.objects.update(updated_at=long_ago)
    settings.ASSAY_UPLOADS_DAYS = 0
    assert drop_unneeded_uploads() == 0
    settings.ASSAY_UPLOADS_DAYS = 90
    assert drop_unneeded_uploads() == 1
    assert (is_kept(done), is_kept(waiting)) == (False, True)
    assert [(each.name, each.docnos) for each in campaign.docno_lists.all()] == [("docnos.txt", 2)]


@pytest.mark.parametrize("state", [Job.State.FAILED, Job.State.STOPPED])
def test_a_job_that_can_be_started_again_keeps_its_file(campaign: Campaign, organiser: User, state: str) -> None:
    job = docnos(campaign, organiser, b"D1\n")
    age(job.arguments["sha256"], 49)
    Job.objects.update(state=state, updated_at=timezone.now() - timedelta(days=4000))
    assert (drop_unneeded_uploads(), is_kept(job)) == (0, True)


def test_what_was_uploaded_for_a_job_that_was_never_made_goes_after_two_days(
    campaign: Campaign, organiser: User
) -> None:
    lost = store_file(io.BytesIO(b"a server was killed here"), may_be_dropped=True).sha256
    kept = store_file(io.BytesIO(b"for good")).sha256
    of_run = store_file(io.BytesIO(b"a run"), may_be_dropped=True).sha256
    Run.objects.filter(pk=factories.run(campaign, "North1", organiser).pk).update(file=of_run)
    age(lost, 47)
    age(of_run, 1000)
    assert drop_unneeded_uploads() == 0
    age(lost, 2)
    assert drop_unneeded_uploads() == 1
    assert [stored_path(each).is_file() for each in (lost, kept, of_run)] == [False, True, True]
    assert list(droppable_files(before=timezone.now().timestamp())) == [of_run]


def test_rankings_that_are_forgotten_go_and_those_of_a_pool_that_grows_stay(
    retrieval: Campaign,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr("assess.pools.domain.rankings_file.MOST_REMEMBERED", 2)
    monkeypatch.setattr("assess.pools.domain.planning.MOST", 3)
    runs = list(retrieval.runs.all())
    grown = gather_rankings(retrieval, "document", runs, 1).sha256
    keep_always(grown)
    found = [gather_rankings(retrieval, "document", runs, depth).sha256 for depth in (2, 3, 4)]
    assert gathered_files() == {*found[1:]}
    gone = [each for each in found if each not in gathered_files()]
    for each in found:
        age(each, 49)
    assert drop_unneeded_uploads() == len(gone) == 1
    assert [stored_path(each).is_file() for each in (grown, *found)] == [True, False, True, True]
    assert [use.use for use in held_uploads()] == ["rankings"]
    for number in range(5):
        keep(f"{number:064x}", number)
    assert (kept(f"{0:064x}"), kept(f"{4:064x}")) == (None, 4)
    assert sorted(path.suffix for path in (tmp_path / "pools").iterdir()) == [".json"] * 3 + [".rankings"] * 2


def test_the_command_says_what_they_hold(campaign: Campaign, organiser: User) -> None:
    docnos(campaign, organiser, b"D1\n" * 1_000_000)
    lost = store_file(io.BytesIO(b"x" * 500_000), may_be_dropped=True).sha256
    said = StringIO()
    call_command("uploads", stdout=said)
    assert [line.split("\t") for line in said.getvalue().splitlines()] == [
        ["job", "files", "MB", "removable_MB"],
        ["docnos", "1", "3.000000", "3.000000"],
        ["no job or run", "1", "0.500000", "0.500000"],
    ]
    age(lost, 49)
    call_command("uploads", "--drop", stdout=said, stderr=said)
    assert "removed: 1" in said.getvalue()
    assert not stored_path(lost).exists()


# Each kind of job names the files that it reads.

WITH_FILES = {"documents", "docnos", "translations", "judgments", "machine-judge", "pool"}
STORING = {
    "documents/domain/records.py",
    "documents/domain/start_jobs.py",
    "machines/importing.py",
    "pools/domain/start_jobs.py",
    "releases/domain/releasing.py",  # the release itself
    "replay/importing.py",
    "runs/domain/submitting.py",  # files of runs, which stay by the run's own row
}


def test_kinds_of_jobs_name_the_files_that_they_read() -> None:
    told = {"sha256": "a", "files": [{"sha256": "b", "name": "b.txt"}], "selection": "c"}
    named = {kind: sorted(each.files(told)) for kind, each in job_kinds().items()}
    assert {kind for kind, files in named.items() if files} == WITH_FILES
    assert (named["documents"], named["pool"], named["scores"]) == (["a", "b"], ["c"], [])
    assert [[*each.files({})] for each in job_kinds().values()] == [[]] * len(named)


def test_no_other_module_stores_a_file_and_requests_a_job() -> None:
    """A kind of job whose files are stored elsewhere has to name them, and stands in both lists."""
    modules = {path: path.read_text(encoding="utf-8") for path in (ROOT / "assess").rglob("*.py")}
    both = [path for path, text in modules.items() if "store_file(" in text and "enqueue_job(" in text]
    assert {str(path.relative_to(ROOT / "assess")) for path in both} == STORING


def test_a_kind_of_job_that_the_site_no_longer_has_holds_nothing(campaign: Campaign, organiser: User) -> None:
    job = docnos(campaign, organiser, b"D1\n")
    Job.objects.update(kind="rehearsal", state=Job.State.FAILED)
    age(job.arguments["sha256"], 49)
    assert (drop_unneeded_uploads(), is_kept(job)) == (1, False)
