"""Every kind of background job ends when it is asked to stop."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from assess.jobs.background import do_job
from assess.jobs.kinds import job_kinds
from assess.models import Campaign, Job
from assess.worker import JOBS
from tests.assess import pooling
from tests.assess.jobs.job_arguments import ARGUMENTS

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("kind", JOBS)
def test_a_job_of_every_kind_stops_when_it_is_asked_to(
    kind: str, retrieval: Campaign, organiser: User, assessor: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    pooling.build(retrieval, organiser, strategy="depth", depth=3)
    pooling.grade(pooling.work(retrieval, "1", assessor), "a", 1)
    for place in ("copying", "lists", "preparing", "taking_out", "translations"):
        monkeypatch.setattr(f"assess.documents.domain.{place}.BATCH", 1)
    arguments = ARGUMENTS[kind](retrieval)
    job = Job.objects.create(
        campaign=retrieval, kind=kind, arguments=arguments, started_by=organiser, asked_to_stop=True
    )
    do_job(job.pk)
    job.refresh_from_db()
    assert job.state == "stopped", job.message
    assert job.message


def test_every_kind_is_asked() -> None:
    assert ARGUMENTS.keys() == job_kinds().keys()
