"""A worker may die after all of a job is committed and before its row says so: the next worker does it again."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from assess.campaigns.activity import record_activity
from assess.jobs.background import do_job
from assess.models import Campaign, Job
from assess.releases.domain.backups import table_rows
from assess.worker import JOBS
from tests.assess import pooling
from tests.assess.jobs.job_arguments import ARGUMENTS

pytestmark = pytest.mark.django_db


COUNTS_ACTS = {"assess_activity", "assess_ledgerpoint"}


def rows() -> dict[str, int]:
    return {name: count for name, count in table_rows().items() if name not in COUNTS_ACTS}


@pytest.mark.parametrize("kind", sorted(JOBS.keys() - {"judgments"}))  # its file is empty there
def test_a_job_that_was_all_but_ended_is_done_again_and_doubles_nothing(
    kind: str, retrieval: Campaign, organiser: User, assessor: User
) -> None:
    pooling.build(retrieval, organiser, strategy="depth", depth=3)
    pooling.grade(pooling.work(retrieval, "1", assessor), "a", 1)
    arguments = ARGUMENTS[kind](retrieval)
    job = Job.objects.create(campaign=retrieval, kind=kind, arguments=arguments, started_by=organiser)
    record_activity(actor=organiser, action="campaign.state", campaign=retrieval, data={"to": "frozen"})
    do_job(job.pk)
    before = rows()
    Job.objects.filter(pk=job.pk).update(state="waiting")
    do_job(job.pk)
    job.refresh_from_db()
    assert (job.state, rows()) == ("done", before), job.message
