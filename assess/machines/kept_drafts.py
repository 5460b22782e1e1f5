"""What became of drafts: counted by the worker in a large campaign, once for all who ask, and cached in a file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import reduce
from hashlib import sha256
from operator import or_
from pathlib import Path

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as noop

from assess.campaigns.models import Activity, Campaign
from assess.campaigns.queries import has_more_rows, ledger_point, read_by, row_at, rows_since, was_newest
from assess.jobs.domain import ask_for_job
from assess.jobs.kept_files import keep_file, kept_folder, open_kept
from assess.jobs.kinds import DRAFT_USES
from assess.jobs.models import Job
from assess.jobs.progress import JobProgress, ReportProgress, no_report
from assess.jobs.waiting import StillMaking
from assess.machines.queries import DraftLine, DraftSummary, draft_lines, draft_summaries, have_drafts
from scoring.reading.json_reading import read_json

AT_ONCE = 30_000
"""The number of ledger rows up to which drafts are counted in the request, which takes some tenths of a second."""
MOST = 2
"""The number of files that are cached for a campaign."""
FOLDER = "draft-uses"
NEVER = ("agreement.", "export.", "help.", "report.", "token.", "webhook.")
"""Beginnings of the names of actions that are common while people judge and never change what became of drafts."""


class StillCountingDrafts(StillMaking):
    """The worker is still counting what became of drafts, or could not count it: ``job`` says which."""

    code = "still-counting-drafts"
    title = gettext_lazy("What became of drafts")
    doing = gettext_lazy("Counting what became of drafts")
    failed = gettext_lazy("What became of drafts could not be counted")
    again = gettext_lazy("What became of drafts is being counted in the background. Ask again in some seconds.")


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftUses:
    """What became of drafts at a moment: each assignment, and the summaries.

    ``newer`` is the job that makes the next count, if something was recorded since.
    """

    lines: tuple[DraftLine, ...]
    summaries: tuple[DraftSummary, ...]
    as_of: int
    at: datetime
    newer: Job | None = None


def drafts_at_hand(campaign: Campaign, *, actor: User, within: timedelta) -> DraftUses:
    """Return what became of drafts within a request; raise `StillCountingDrafts` if the worker has to count first.

    While people judge, the last count may be returned, with the job that makes the next count as ``newer``. That count
    must have been up to date until at most ``within`` ago (`LATELY` for calls, `ANY_AGE` for pages).
    """
    point = ledger_point(campaign)
    kept = _last_kept(campaign, point)
    if kept is not None and not _has_changed(campaign, kept.as_of):
        return kept
    if not has_more_rows(campaign, than=AT_ONCE) or not have_drafts(campaign):
        return _count(campaign, point)
    job = ask_for_job(actor=actor, campaign=campaign, kind=DRAFT_USES, arguments={})
    if kept is None or not was_newest(campaign, kept.as_of, within=within):
        raise StillCountingDrafts(job)
    return replace(kept, newer=job)


def count_for_job(campaign: Campaign, progress: ReportProgress = no_report) -> DraftUses:
    """Count what became of drafts and cache it. ``progress`` may stop it by raising.

    What is recorded meanwhile may be counted or not, so the file is named by the ledger point before the count.
    """
    point = ledger_point(campaign)
    path = _path(campaign, point)
    progress(JobProgress(done=0, unit="parts", note=noop("looking for drafts")))
    found = _count(campaign, point, progress)
    told = json.dumps(asdict(found), default=datetime.isoformat).encode()
    keep_file(path, lambda file: file.write(told), most=MOST)
    return found


def _count(campaign: Campaign, point: int, progress: ReportProgress = no_report) -> DraftUses:
    at = timezone.now()
    lines = draft_lines(campaign, progress)
    return DraftUses(lines=tuple(lines), summaries=tuple(draft_summaries(campaign, lines)), as_of=point, at=at)


def _last_kept(campaign: Campaign, point: int) -> DraftUses | None:
    points = sorted(int(path.name.partition("-")[0]) for path in kept_folder(FOLDER, campaign.pk).glob("*-*.json"))
    last = max((each for each in points if each <= point), default=None)
    if last is None:
        return None
    try:
        with open_kept(_path(campaign, last)) as file:
            told = read_json(file.read())
        lines = tuple(DraftLine(**each) for each in told["lines"])
        summaries = tuple(DraftSummary(**each) for each in told["summaries"])
        return DraftUses(lines=lines, summaries=summaries, as_of=last, at=datetime.fromisoformat(told["at"]))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None  # of another version, of another row with this number, or damaged: counted again


def _path(campaign: Campaign, point: int) -> Path:
    """Return the path of the cached file for a ledger point. Its name depends on the code, on the campaign, and on the
    ledger row at the point (`row_at`).
    """
    told = json.dumps([*read_by(campaign), str(campaign.created_at), row_at(campaign, point)])
    return kept_folder(FOLDER, campaign.pk) / f"{point}-{sha256(told.encode()).hexdigest()[:16]}.json"


def _has_changed(campaign: Campaign, point: int) -> bool:
    """Return whether anything that may matter was recorded after a ledger point. Two queries at most."""
    added = rows_since(campaign, point)
    if not added:
        return False
    harmless = reduce(or_, (Q(action__startswith=begin) for begin in NEVER))
    return added > Activity.objects.filter(harmless, campaign=campaign, id__gt=point).count()
