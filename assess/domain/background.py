"""The one function that the background worker calls. Its path is kept in the rows of jobs that wait."""

from __future__ import annotations

from django_tasks import task

from assess.domain.jobs.works import do_work


@task()
def run_work(work_id: int) -> None:
    """Do the job with this id."""
    do_work(work_id)
