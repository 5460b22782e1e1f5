"""Make a better file for a run with faults that can be repaired safely."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.utils.translation import gettext_noop as noop

from assess.base.file_issues import Report, collect
from assess.base.files import store_file
from assess.base.wording import counted
from assess.jobs.progress import ReportProgress, no_report, open_watched, watched
from assess.protocol import CheckContext, Submission
from assess.runs.models import Run
from scoring.reading.opening import STOPPED
from scoring.reading.repairs import NotRepairable, Repair, write_repaired

LEFT = "left"
"""The code of the last row of repairs, which says what the checker still finds in the repaired file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RepairedFile:
    """A stored repaired file, and its repairs as rows for `Run.repairs`; the last row has the code `LEFT`."""

    sha256: str
    rows: tuple[dict[str, Any], ...]


def repaired_file(
    *,
    submission: Submission,
    context: CheckContext,
    sha256: str,
    report: Report,
    progress: ReportProgress = no_report,
) -> RepairedFile | None:
    """Store and return a repaired file if it has fewer errors, or as many errors and fewer warnings.

    None if the track repairs nothing, if no line has a fault, if the file has so many faults that it was not read to
    its end, or if repairing improves nothing.
    """
    if submission.repair is None or not any(issue.where != "" for issue in report.issues):
        return None
    if any(issue.code == STOPPED for issue in report.issues):
        return None
    with (
        tempfile.TemporaryFile(dir=settings.DATA_DIR) as copy,
        open_watched(sha256, progress=progress, note=noop("repairing, %(lines)s lines read")) as file,
    ):
        try:
            repairs = write_repaired(submission.repair(file), cast(BinaryIO, copy))
        except NotRepairable:
            return None
        if not repairs:
            return None
        again = watched(cast(BinaryIO, copy), progress=progress, note=noop("checking again, %(lines)s lines read"))
        after = collect(submission.issues(again, context))
        if (after.errors, after.warnings) >= (report.errors, report.warnings):
            return None
        again.seek(0)
        kept = store_file(again, may_be_dropped=True)
    left = {"code": LEFT, "count": after.errors, "message": _left(after)}
    return RepairedFile(sha256=kept.sha256, rows=(*(_row(repair) for repair in repairs), left))


def repairs_of(run: Run) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """Return the repairs of a run's file, and the row that counts what is left; None for that row if nothing was
    repaired.
    """
    done = [row for row in run.repairs if row["code"] != LEFT]
    return done, next((row for row in run.repairs if row["code"] == LEFT), None)


def _row(repair: Repair) -> dict[str, Any]:
    return {"code": repair.code, "count": repair.count, "message": repair.message}


def _left(report: Report) -> str:
    """Return in a sentence what the checker still finds."""
    notes = f", and {counted(report.notes, 'note')}" if report.notes else ""
    return f"The repaired file has {counted(report.errors, 'error')} and {counted(report.warnings, 'warning')}{notes}."
