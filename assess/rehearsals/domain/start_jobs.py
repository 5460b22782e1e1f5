"""Asking for a rehearsal in the background."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.campaigns.models import Campaign
from assess.jobs.domain.queue import enqueue_work
from assess.jobs.models import Work
from assess.rehearsals.domain.choices import Wish, require_playable
from assess.rehearsals.domain.result_files import KIND, arguments_of


def start_rehearsal(*, actor: User, campaign: Campaign, wish: Wish) -> Work:
    """Have it played. Refused: numbers that can't be played, and a second one while one is under way."""
    require_playable(wish)
    return enqueue_work(actor=actor, campaign=campaign, kind=KIND, arguments=arguments_of(wish))
