"""Scores for somebody who waits: computed at once if that takes only a moment, otherwise by the worker.

One job computes the scores of one state, whoever asks for them. Until it has ended, a page shows its progress, or the
previous scores with a note that newer ones are coming.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from threading import BoundedSemaphore
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from assess.base.track_settings import TrackSettings
from assess.campaigns.models import Campaign
from assess.campaigns.queries import ANY_AGE, newest_point, settings_of, was_newest
from assess.campaigns.seats import Seat
from assess.jobs.domain import ask_for_job
from assess.jobs.kinds import SCORES
from assess.jobs.progress import ReportProgress
from assess.jobs.waiting import StillMaking
from assess.judging.snapshots import CountingRule, Snapshot
from assess.scores.domain import ScoreCampaign, score_campaign, scores_of_state
from assess.scores.states import CampaignScores, ScoringState, as_scores, kept_scores, last_kept, scoring_state

AT_ONCE = 4_000_000
"""The most bytes that are read while somebody waits (`ScoringState.size`): less than a second."""
PATIENCE = 2.0
"""How many seconds a request waits for another request of its process that computes scores."""

_computing = BoundedSemaphore(1)
"""Held by the one request of this process that computes scores: several would keep assessors waiting."""


class StillScoring(StillMaking):
    """The worker is still computing the scores, or could not compute them: ``job`` says which."""

    code = "still-scoring"
    title = gettext_lazy("Scores are being computed")
    doing = gettext_lazy("Computing the scores")
    failed = gettext_lazy("The scores could not be computed")
    again = gettext_lazy("The scores are being computed in the background. Ask again in some seconds.")


def scores_at_hand(actor: User, *, within: timedelta) -> ScoreCampaign:
    """Return a function that gives scores within a request. It raises `StillScoring` if the worker must compute them.

    If the newest scores are asked for, the last stored ones may be returned instead. They must have been the newest
    until at most ``within`` ago (`LATELY` for calls, `ANY_AGE` for pages). Then `newer` is the job that computes newer
    ones.
    """
    return partial(_at_hand, actor=actor, within=within)


def page_scores(seat: Seat, as_of: int | None) -> CampaignScores:
    """Return the scores for a page: those at a ledger point or, for None, the newest. Older scores may stand in for the
    newest. Raises `StillScoring` if there are none of any age and the worker must compute them.
    """
    return scores_at_hand(seat.user, within=ANY_AGE)(Snapshot(seat.campaign, as_of), None)


def _at_hand(
    snapshot: Snapshot, settings: TrackSettings | None = None, *, actor: User, within: timedelta
) -> CampaignScores:
    state = scoring_state(snapshot, settings)
    found = kept_scores(state)
    if found is None and state.size() <= AT_ONCE and _computing.acquire(timeout=PATIENCE):
        try:
            return scores_of_state(state)
        finally:
            _computing.release()
    return found or _by_the_worker(state, snapshot, settings, actor=actor, within=within)


def _by_the_worker(
    state: ScoringState, snapshot: Snapshot, settings: TrackSettings | None, *, actor: User, within: timedelta
) -> CampaignScores:
    is_newest = snapshot.as_of is None or state.point == newest_point(state.campaign)
    arguments = job_arguments(replace(snapshot, as_of=None if is_newest else state.point), settings)
    job = ask_for_job(actor=actor, campaign=snapshot.campaign, kind=SCORES, arguments=arguments)
    last = last_kept(state) if snapshot.as_of is None else None
    if last is None or not was_newest(state.campaign, last.point, within=within):
        raise StillScoring(job)
    return replace(as_scores(state, last, last.point), newer=job)


def job_arguments(snapshot: Snapshot, settings: TrackSettings | None) -> dict[str, Any]:
    """Return the arguments with which a job computes the scores of this state."""
    return {
        "as_of": snapshot.as_of,
        "roles": list(snapshot.counting.roles),
        "assessor": snapshot.counting.assessor,
        "settings": None if settings is None else settings.as_mapping(),
    }


def score_for_job(campaign: Campaign, arguments: dict[str, Any], progress: ReportProgress) -> CampaignScores:
    """Return the scores of the state that `job_arguments` described."""
    counting = CountingRule(roles=tuple(arguments["roles"]), assessor=arguments["assessor"])
    given = arguments["settings"]
    settings = None if given is None else type(settings_of(campaign)).from_mapping(given)
    return score_campaign(Snapshot(campaign, arguments["as_of"], counting), settings, progress)
