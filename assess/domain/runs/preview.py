"""How a run file was read, for whoever submits it: shown before anything is stored."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from assess.domain.reports import Report
from assess.domain.runs.submitting import check_context, submission_of
from assess.models import Campaign
from assess.protocol import RunForm

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
