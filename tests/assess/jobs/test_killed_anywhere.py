"""A worker may die before any statement that writes, even the last of its job: the next one does the job, and nothing
is missing or doubled. `make test` has it die before each of the last two, `make test-all` before any.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from assess.campaigns.activity import record_activity
from assess.jobs.background import do_job
from assess.models import Campaign, Job
from assess.releases.domain.backups import table_rows
from assess.worker import JOBS
from tests.assess import pooling
from tests.assess.jobs.job_arguments import ARGUMENTS
from tests.parts import WHOLE

pytestmark = pytest.mark.django_db

COUNTS_ACTS = {"assess_activity", "assess_ledgerpoint"}


class Killed(BaseException):
    """What no job catches, and what takes back the transaction that is open."""


def killed_before(write: int) -> tuple[Callable[..., Any], list[str]]:
    """What stands between a job and the database, and its statements that write: it dies before that one, from 1."""
    written: list[str] = []

    def execute_unless_killed(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.lstrip().startswith(("INSERT", "UPDATE", "DELETE")):
            written.append(sql)
            if len(written) == write:
                raise Killed
        return execute(sql, *rest)

    return execute_unless_killed, written


def end_of(job: Job, *, killed: int) -> tuple[str, dict[str, int], int]:
    """How the job ends, the rows of each table then, and how often its first worker wrote, which dies before its write
    with the number ``killed``. All of it is taken back.
    """
    stand_between, written = killed_before(killed)
    with transaction.atomic():
        try:
            with connection.execute_wrapper(stand_between):
                do_job(job.pk)
        except Killed:
            Job.objects.filter(pk=job.pk, state="running").update(state="waiting", message="")
            do_job(job.pk)
        job.refresh_from_db()
        ended = f"{job.state}: {job.message}" if job.state != "done" else job.state
        rows = {name: count for name, count in table_rows().items() if name not in COUNTS_ACTS}
        transaction.set_rollback(True)
    return ended, rows, len(written)


@pytest.mark.parametrize("kind", sorted(JOBS.keys() - {"judgments"}))  # its file is empty there
def test_a_job_whose_worker_is_killed_anywhere_ends_as_if_it_had_not_been(
    kind: str, retrieval: Campaign, organiser: User, assessor: User, settings: Any, tmp_path: Path
) -> None:
    pooling.build(retrieval, organiser, strategy="depth", depth=3)
    pooling.grade(pooling.work(retrieval, "1", assessor), "a", 1)
    arguments = ARGUMENTS[kind](retrieval)
    job = Job.objects.create(campaign=retrieval, kind=kind, arguments=arguments, started_by=organiser)
    record_activity(actor=organiser, action="campaign.state", campaign=retrieval, data={"to": "frozen"})
    data = Path(settings.DATA_DIR)

    def tried(killed: int) -> tuple[str, dict[str, int], int]:
        settings.DATA_DIR = shutil.copytree(data, tmp_path / f"killed {killed}")  # what was kept there is not met again
        return end_of(job, killed=killed)

    *expected, writes = tried(0)
    assert expected[0] == "done"
    kills = range(1 if WHOLE else max(writes - 1, 1), writes + 1)
    others = {killed: ended for killed in kills if (ended := [*tried(killed)[:2]]) != expected}
    assert others == {}
