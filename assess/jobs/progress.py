"""How far a long job is, told to whoever watches: a terminal, or the row of a background job. Watchers may stop it."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from threading import Event
from typing import Any, BinaryIO, TypeVar, cast

from django.db.models import QuerySet
from django.utils import timezone

from assess.base.file_issues import Report
from assess.base.files import open_file
from assess.jobs.models import Job

# Whoever is told may answer by raising `Stopped`: the job ends there, and keeps nothing that it has not kept yet.

Row = TypeVar("Row")
EVERY = 1_000


class Stopped(Exception):
    """Somebody asked to stop."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobProgress:
    """``done`` of ``total`` (None: not known) things of a kind, and a few words on the present step."""

    done: int
    total: int | None = None
    unit: str = "documents"
    note: str = ""


ReportProgress = Callable[[JobProgress], None]


def no_report(progress: JobProgress) -> None:
    """Tell nobody."""


def report_progress(rows: Iterable[Row], progress: ReportProgress, *, unit: str, note: str) -> Iterator[Row]:
    """Pass on rows as they are asked for, and report progress every thousand."""
    for number, row in enumerate(rows):
        if number % EVERY == 0:
            progress(JobProgress(done=number, unit=unit, note=note))
        yield row


def report_step(rows: Iterable[Row], progress: ReportProgress, step: JobProgress) -> Iterator[Row]:
    """Pass on rows as they are asked for, and tell at each thousand of them that the same step is being done."""
    for number, row in enumerate(rows):
        if number % EVERY == 0:
            progress(step)
        yield row


# Kept files, read while somebody watches how far the reading is, and may stop it.

BUFFER = 1 << 17


def open_watched(sha256: str, *, progress: ReportProgress = no_report, note: str = "") -> BinaryIO:
    """The kept file, opened for reading; ``progress`` hears of the bytes and lines read, 128 kB at a time."""
    return watched(open_file(sha256), progress=progress, note=note)


def watched(file: BinaryIO, *, progress: ReportProgress, note: str = "") -> BinaryIO:
    """An open file, watched from where it stands; closing it closes the file. ``progress`` may stop the reading."""
    return cast(BinaryIO, io.BufferedReader(cast(Any, _Watched(file, progress, note)), BUFFER))


class _Watched(io.RawIOBase):
    """Passes on a file's bytes and tells how many have been read since its start."""

    def __init__(self, file: BinaryIO, progress: ReportProgress, note: str) -> None:
        self._file, self._progress, self._note = file, progress, note
        self._total = file.seek(0, io.SEEK_END)
        file.seek(0)
        self._lines = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        place = self._file.seek(offset, whence)
        if place == 0:
            self._lines = 0
        return place

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, target: Any) -> int:
        chunk = self._file.read(len(target))
        target[: len(chunk)] = chunk
        self._lines += chunk.count(b"\n")
        note = f"{self._note}{self._lines:,} lines read"
        self._progress(JobProgress(done=self._file.tell(), total=self._total, unit="bytes", note=note))
        return len(chunk)

    def close(self) -> None:
        self._file.close()
        super().close()


# That this process is to end: jobs stop at their next step, and are taken up again by the next worker.

ENDING = Event()
"""Set once somebody asked the worker to end; nothing unsets it."""


# The row of a background job, told how far the job is by the worker that does it.

TELL_EVERY = 1.0  # seconds


class Watch:
    """Tells a job's row how far it is, about once a second, and whether somebody asked to stop it.

    The row is this worker's as long as nobody else wrote to it. A worker whose job was stopped or started again
    without it stops, and writes nothing any more. The second is one of a clock that nobody can set. ``is_ending``: the
    job was stopped because the worker itself is to end.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.told_at = -TELL_EVERY
        self.stop = self.is_ending = False

    def tell(self, progress: JobProgress) -> None:
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
        self.job.updated_at = now
        self.stop = not told or Job.objects.filter(pk=self.job.pk, asked_to_stop=True).exists()

    def should_stop(self) -> bool:
        """Return whether the job should end after the present step."""
        return self.stop

    def step(self, progress: JobProgress) -> None:
        """`tell`, and end the job by `Stopped` where somebody asked for that."""
        self.tell(progress)
        if self.should_stop():
            raise Stopped

    def end(self, *, state: str, message: str, report: Report | None = None) -> None:
        """Write down how the job ended."""
        issues = report.as_rows() if report is not None else []
        self._own().update(state=state, message=message, issues=issues, updated_at=timezone.now())

    def _own(self) -> QuerySet[Job]:
        return Job.objects.filter(pk=self.job.pk, state=Job.State.RUNNING, updated_at=self.job.updated_at)
