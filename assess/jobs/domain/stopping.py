"""Stopping jobs."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone

from assess.jobs.models import Work


def stop_works(*, actor: User, works: QuerySet[Work]) -> None:
    """Stop those that wait or have lost their worker at once, and ask those that run to stop after their step.

    Ended ones stay as they are.
    """
    now = timezone.now()
    lost = [work.pk for work in works.filter(state=Work.State.RUNNING) if work.is_lost()]
    works.filter(Q(state=Work.State.WAITING) | Q(pk__in=lost, state=Work.State.RUNNING)).update(
        state=Work.State.STOPPED, message=f"Stopped by {actor}.", updated_at=now
    )
    works.filter(state=Work.State.RUNNING).update(asked_to_stop=True)
