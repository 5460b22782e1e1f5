"""Asking for a release."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.campaigns.models import Campaign
from assess.jobs.domain.queue import enqueue_work
from assess.releases.domain.releasing import is_small, make_release, require_frozen
from assess.releases.models import Release


def start_release(*, actor: User, campaign: Campaign, with_runs: bool = False) -> Release | None:
    """Make a release at once where the campaign is small; else ask for it in the background, and return None.

    Refused: as `make_release` refuses, and while one is being made.
    """
    if is_small(campaign):
        return make_release(actor=actor, campaign=campaign, with_runs=with_runs)
    require_frozen(campaign)
    enqueue_work(actor=actor, campaign=campaign, kind="release", arguments={"with_runs": with_runs})
    return None
