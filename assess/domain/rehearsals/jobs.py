"""Asking for a rehearsal in the background."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.domain.jobs.works import enqueue_work
from assess.domain.rehearsals.kept import KIND, arguments_of
from assess.domain.rehearsals.wishes import Wish, require_playable
from assess.models import Campaign, Work


def start_rehearsal(*, actor: User, campaign: Campaign, wish: Wish) -> Work:
    """Have it played. Refused: numbers that can't be played, and a second one while one is under way."""
    require_playable(wish)
    return enqueue_work(actor=actor, campaign=campaign, kind=KIND, arguments=arguments_of(wish))
