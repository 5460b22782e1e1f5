"""Rehearsals that the worker plays: asked for, and each kept as a file of the site, named by its job."""

from __future__ import annotations

import io
import json
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib.auth.models import User

from assess.base.files import open_file, store_file
from assess.campaigns.models import Campaign
from assess.jobs.domain import enqueue_job
from assess.jobs.models import Job
from assess.jobs.progress import ReportProgress
from assess.rehearsals.choices import Wish, require_playable, wish_of
from assess.rehearsals.play import play_campaign

KIND = "rehearsal"
RESULT = "result"


@dataclass(frozen=True, kw_only=True, slots=True)
class Rehearsed:
    """The newest rehearsal that was played to its end, and the job that is under way or failed after it, if any."""

    job: Job | None
    result: dict[str, Any] | None
    under_way: Job | None


def arguments_of(wish: Wish) -> dict[str, Any]:
    """What the job is told."""
    return asdict(wish)


def play_job(job: Job, *, progress: ReportProgress) -> None:
    """Play what the job asks for and keep the result with it. No ledger is touched."""
    played = play_campaign(job.campaign, wish_of(job.arguments), progress=progress)
    content = json.dumps(played.as_json(), ensure_ascii=False, sort_keys=True).encode()
    kept = store_file(io.BytesIO(content))
    Job.objects.filter(pk=job.pk).update(arguments={**job.arguments, RESULT: kept.sha256})


def newest_rehearsal(campaign: Campaign) -> Rehearsed:
    """What the page shows."""
    jobs = list(campaign.jobs.filter(kind=KIND).order_by("-id")[:20])
    played = next((each for each in jobs if each.state == Job.State.DONE and RESULT in each.arguments), None)
    result = None
    if played is not None:
        with open_file(played.arguments[RESULT]) as file:
            result = json.load(file)
    newest = jobs[0] if jobs and jobs[0] is not played else None
    return Rehearsed(job=played, result=result, under_way=newest)


# Asking for a rehearsal in the background.


def start_rehearsal(*, actor: User, campaign: Campaign, wish: Wish) -> Job:
    """Have it played. Refused: numbers that can't be played, and a second one while one is under way."""
    require_playable(wish)
    return enqueue_job(actor=actor, campaign=campaign, kind=KIND, arguments=arguments_of(wish))
