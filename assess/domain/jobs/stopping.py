"""Stopping jobs."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone

from assess.models import Work
from assess.models.work import SILENCE


def stop_works(*, actor: User, works: QuerySet[Work]) -> None:
    """Stop those that wait or have lost their worker at once, and ask those that run to stop after their step.

    Ended ones stay as they are.
    """
    now = timezone.now()
    lost = Q(state=Work.State.RUNNING, updated_at__lt=now - SILENCE)
    works.filter(Q(state=Work.State.WAITING) | lost).update(
        state=Work.State.STOPPED, message=f"Stopped by {actor}.", updated_at=now
    )
    works.filter(state=Work.State.RUNNING).update(asked_to_stop=True)
