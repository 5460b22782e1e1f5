"""How a run file was read, for whoever submits it: shown before anything is stored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import BinaryIO

from assess.base.errors import NotFound
from assess.base.files import open_file
from assess.base.reports import Report
from assess.base.track_settings import TrackSettings
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of, track_of
from assess.documents.queries.documents import document_text
from assess.protocol import CheckContext, RunContent, RunForm
from assess.runs.domain.checking import check_context, submission_of
from assess.runs.models import Run
from assess.topics.queries import topic_records

SHOWN = 200
"""Rows of a preview that are shown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """The first (topic, what, text) rows, and whether there are more."""

    rows: tuple[tuple[str, str, str], ...]
    is_cut: bool


def preview_run(
    *,
    campaign: Campaign,
    stream: BinaryIO,
    report: Report,
    submission: str = "",
    form: RunForm | None = None,
    limit: int | None = SHOWN,
) -> Preview | None:
    """How a file is read: its first ``limit`` rows (None: all). Nothing is stored.

    ``report`` is what `check_run` said of the file: None where it has errors, or where its kind needs no such look.
    """
    found = submission_of(campaign, submission)
    if found.preview is None or not report.is_clean:
        return None
    rows = found.preview(stream, check_context(campaign, form))
    shown = tuple(rows) if limit is None else tuple(islice(rows, limit))
    return Preview(rows=shown, is_cut=next(iter(rows), None) is not None)


def run_content(campaign: Campaign, run: Run, context: CheckContext | None = None) -> RunContent:
    """What a run returned, read from its file as it was submitted."""
    submission = track_of(campaign).submission(run.submission)
    if submission is None:
        raise NotFound(f"The track knows no kind of run “{run.submission}” any more.")
    opened = partial(open_file, run.file)
    return RunContent(submission=submission, open=opened, context=context or _context(campaign), run=run.tag)


def _context(campaign: Campaign, settings: TrackSettings | None = None) -> CheckContext:
    return CheckContext(
        topics=topic_records(campaign),
        settings=settings or settings_of(campaign),
        document_text=document_text(campaign),
    )
