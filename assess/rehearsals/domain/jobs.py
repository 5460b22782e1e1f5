"""Rehearsals that the worker plays: asked for, and each kept as a file of the site, named by its job."""

from __future__ import annotations

import io
import json
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib.auth.models import User

from assess.base.files import open_file, store_file
from assess.campaigns.models import Campaign
from assess.jobs.domain import enqueue_work
from assess.jobs.models import Work
from assess.jobs.progress import Tell
from assess.rehearsals.domain.choices import Wish, require_playable, wish_of
from assess.rehearsals.domain.play import play_campaign

KIND = "rehearsal"
RESULT = "result"


@dataclass(frozen=True, kw_only=True, slots=True)
class Rehearsed:
    """The newest rehearsal that was played to its end, and the job that is under way or failed after it, if any."""

    work: Work | None
    result: dict[str, Any] | None
    under_way: Work | None


def arguments_of(wish: Wish) -> dict[str, Any]:
    """What the job is told."""
    return asdict(wish)


def play_job(work: Work, *, progress: Tell) -> None:
    """Play what the job asks for and keep the result with it. No ledger is touched."""
    played = play_campaign(work.campaign, wish_of(work.arguments), progress=progress)
    content = json.dumps(played.as_json(), ensure_ascii=False, sort_keys=True).encode()
    kept = store_file(io.BytesIO(content))
    Work.objects.filter(pk=work.pk).update(arguments={**work.arguments, RESULT: kept.sha256})


def newest_rehearsal(campaign: Campaign) -> Rehearsed:
    """What the page shows."""
    works = list(campaign.works.filter(kind=KIND).order_by("-id")[:20])
    played = next((each for each in works if each.state == Work.State.DONE and RESULT in each.arguments), None)
    result = None
    if played is not None:
        with open_file(played.arguments[RESULT]) as file:
            result = json.load(file)
    newest = works[0] if works and works[0] is not played else None
    return Rehearsed(work=played, result=result, under_way=newest)


# Asking for a rehearsal in the background.


def start_rehearsal(*, actor: User, campaign: Campaign, wish: Wish) -> Work:
    """Have it played. Refused: numbers that can't be played, and a second one while one is under way."""
    require_playable(wish)
    return enqueue_work(actor=actor, campaign=campaign, kind=KIND, arguments=arguments_of(wish))
