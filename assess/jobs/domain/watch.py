"""The row of a background job, told how far the job is by the worker that does it."""

from __future__ import annotations

import time

from django.db.models import QuerySet
from django.utils import timezone

from assess.base.reports import Report
from assess.jobs.ending import ENDING
from assess.jobs.models import Work
from assess.jobs.progress import Progress, Stopped

TELL_EVERY = 1.0  # seconds


class Watch:
    """Tells a job's row how far it is, about once a second, and whether somebody asked to stop it.

    The row is this worker's as long as nobody else wrote to it. A worker whose job was stopped or started again
    without it stops, and writes nothing any more. The second is one of a clock that nobody can set. ``is_ending``: the
    job was stopped because the worker itself is to end.
    """

    def __init__(self, work: Work) -> None:
        self.work = work
        self.told_at = -TELL_EVERY
        self.stop = self.is_ending = False

    def tell(self, progress: Progress) -> None:
        """Write down how far the job is, if it has not been for a second."""
        if ENDING.is_set():
            self.stop = self.is_ending = True
            return
        if time.monotonic() - self.told_at < TELL_EVERY:
            return
        self.told_at, now = time.monotonic(), timezone.now()
        told = self._own().update(
            done=progress.done, total=progress.total, unit=progress.unit, message=progress.note, updated_at=now
        )
        self.work.updated_at = now
        self.stop = not told or Work.objects.filter(pk=self.work.pk, asked_to_stop=True).exists()

    def should_stop(self) -> bool:
        """Whether the job should end after the present step."""
        return self.stop

    def step(self, progress: Progress) -> None:
        """`tell`, and end the job by `Stopped` where somebody asked for that."""
        self.tell(progress)
        if self.should_stop():
            raise Stopped

    def end(self, *, state: str, message: str, report: Report | None = None) -> None:
        """Write down how the job ended."""
        issues = report.as_rows() if report is not None else []
        self._own().update(state=state, message=message, issues=issues, updated_at=timezone.now())

    def _own(self) -> QuerySet[Work]:
        return Work.objects.filter(pk=self.work.pk, state=Work.State.RUNNING, updated_at=self.work.updated_at)
