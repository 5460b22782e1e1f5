"""The progress of a long job, reported to a terminal or to the row of a background job. Watchers may stop the job."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from threading import Event
from typing import Any, BinaryIO, TypeVar, cast

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop as noop

from assess.base.file_issues import Report
from assess.base.files import open_file
from assess.base.sentences import Sentence
from assess.jobs.models import Job

# A watcher may raise `Stopped`: the job ends there, and what it has not stored yet is lost.

Row = TypeVar("Row")
EVERY = 1_000


class Stopped(Exception):
    """Somebody asked to stop the job."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobProgress:
    """Progress: ``done`` things of ``total`` (None: unknown), the noun for these things, and a few words on the present
    step: a text of the catalogue, with its ``values`` (as for `Sentence`).
    """

    done: int
    total: int | None = None
    unit: str = "documents"
    note: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sentence(self) -> Sentence | str:
        """The words on the present step, in English and for the reader's language; "" if there are none."""
        return Sentence(self.note, **self.values) if self.note else ""


UNITS = (
    noop("byte"),
    noop("bytes"),
    noop("block"),
    noop("blocks"),
    noop("depth"),
    noop("depths"),
    noop("disagreement"),
    noop("disagreements"),
    noop("docno"),
    noop("docnos"),
    noop("document"),
    noop("documents"),
    noop("file"),
    noop("files"),
    noop("item"),
    noop("items"),
    noop("judgment"),
    noop("judgments"),
    noop("line"),
    noop("lines"),
    noop("part"),
    noop("parts"),
    noop("piece"),
    noop("pieces"),
    noop("pool"),
    noop("pools"),
    noop("record"),
    noop("records"),
    noop("row"),
    noop("rows"),
    noop("run"),
    noop("runs"),
    noop("thing"),
    noop("things"),
    noop("topic"),
    noop("topics"),
    noop("translation"),
    noop("translations"),
)
"""What jobs count, one and several: pages say them in the reader's language."""

WRITING = noop("writing %(name)s")
"""The note of a job that writes a file."""

ReportProgress = Callable[[JobProgress], None]


def no_report(progress: JobProgress) -> None:
    """Do nothing: nobody watches the job."""


def report_progress(
    rows: Iterable[Row], progress: ReportProgress, *, unit: str, note: str, **values: Any
) -> Iterator[Row]:
    """Yield the rows, and report progress every thousand. ``values`` are those of the ``note``."""
    rest, done = iter(rows), 0
    for first in rest:
        progress(JobProgress(done=done, unit=unit, note=note, values=values))
        yield first
        yield from islice(rest, EVERY - 1)  # which no Python code looks at
        done += EVERY


def report_step(rows: Iterable[Row], progress: ReportProgress, step: JobProgress) -> Iterator[Row]:
    """Yield the rows, and report the same step again every thousand."""
    for number, row in enumerate(rows):
        if number % EVERY == 0:
            progress(step)
        yield row


# Stored files, read with reports of progress that may stop the reading.

BUFFER = 1 << 17


LINES_READ = noop("%(lines)s lines read")


def open_watched(sha256: str, *, progress: ReportProgress = no_report, note: str = LINES_READ) -> BinaryIO:
    """Return the stored file, opened for reading; ``progress`` receives the bytes and lines read, 128 kB at a time.

    ``note`` is a text of the catalogue in which ``%(lines)s`` stands for the number of lines. Raises `NotFound` if the
    file is gone.
    """
    return watched(open_file(sha256), progress=progress, note=note)


def watched(file: BinaryIO, *, progress: ReportProgress, note: str = LINES_READ) -> BinaryIO:
    """Return a file that reads an open one from its beginning, and reports to ``progress`` how many bytes and lines
    were read. ``progress`` may raise to stop the reading; closing the file closes the open one.
    """
    return cast(BinaryIO, io.BufferedReader(cast(Any, _Watched(file, progress, note)), BUFFER))


class _Watched(io.RawIOBase):
    """A reader that passes on a file's bytes and reports how many have been read since its start."""

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
        step = JobProgress(
            done=self._file.tell(), total=self._total, unit="bytes", note=self._note, values={"lines": self._lines}
        )
        self._progress(step)
        return len(chunk)

    def close(self) -> None:
        self._file.close()
        super().close()


# When this process is to end, jobs stop at their next step, and the next worker continues them.

ENDING = Event()
"""Set once somebody asked the worker to end, and never unset."""


# The row of a background job, in which its worker records the progress.

TELL_EVERY = 1.0  # seconds


class Watch:
    """Records a job's progress in its row, about once a second, and checks whether somebody asked to stop it.

    The row belongs to this worker as long as nobody else writes to it. If the job was stopped or started again
    elsewhere, this worker stops and writes nothing more. Seconds are measured by a clock that nobody can set.
    ``is_ending`` means that the job was stopped because the worker itself is to end.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.told_at = -TELL_EVERY
        self.stop = self.is_ending = False

    def tell(self, progress: JobProgress) -> None:
        """Record the progress, unless that was done within the last second, and note whether the job should stop.

        If the worker is ending, only note that.
        """
        if ENDING.is_set():
            self.stop = self.is_ending = True
            return
        if time.monotonic() - self.told_at < TELL_EVERY:
            return
        self.told_at, now = time.monotonic(), timezone.now()
        told = self._own_row().update(
            done=progress.done,
            total=progress.total,
            unit=progress.unit,
            updated_at=now,
            **message_columns(progress.sentence),
        )
        self.job.updated_at = now
        self.stop = not told or Job.objects.filter(pk=self.job.pk, asked_to_stop=True).exists()

    def should_stop(self) -> bool:
        """Return whether the job should end after the current step."""
        return self.stop

    def step(self, progress: JobProgress) -> None:
        """Record the progress, and raise `Stopped` if the job should stop."""
        self.tell(progress)
        if self.should_stop():
            raise Stopped

    def end(self, *, state: str, message: str, report: Report | None = None) -> None:
        """Record how the job ended, unless it was stopped or started again elsewhere meanwhile."""
        issues = report.as_rows() if report is not None else []
        self._own_row().update(state=state, issues=issues, updated_at=timezone.now(), **message_columns(message))

    def _own_row(self) -> QuerySet[Job]:
        return Job.objects.filter(pk=self.job.pk, state=Job.State.RUNNING, updated_at=self.job.updated_at)


def message_columns(message: str) -> dict[str, Any]:
    """Return the columns of a job that hold its last message."""
    return {"message": message, "made_of": message.made_of if isinstance(message, Sentence) else {}}
