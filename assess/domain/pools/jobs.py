"""Asking for the long jobs that planning a pool needs."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.domain.campaigns.campaigns import require_changeable
from assess.domain.errors import Invalid
from assess.domain.jobs.works import enqueue_work
from assess.domain.pools.building import task_named
from assess.domain.pools.selection import ranked_recipe
from assess.models import Campaign, Work
from assess.protocol import Task
from assess.queries.tracks import track_of

READING, CHECKING = "rankings", "pool-checks"


def start_reading(*, actor: User, campaign: Campaign, task: str) -> Work:
    """Read the rankings of a task's runs in the background. Refused while that is under way."""
    require_changeable(campaign)
    found = _ranked_task(campaign, task)
    return enqueue_work(actor=actor, campaign=campaign, kind=READING, arguments={"task": found.key})


def start_checks(*, actor: User, campaign: Campaign, task: str) -> Work:
    """Score the runs anew without each team's finds, in the background. Refused while that is under way."""
    found = _ranked_task(campaign, task)
    return enqueue_work(actor=actor, campaign=campaign, kind=CHECKING, arguments={"task": found.key})


def _ranked_task(campaign: Campaign, key: str) -> Task:
    task = task_named(campaign, key)
    if ranked_recipe(track_of(campaign), task) is None:
        raise Invalid(f"Runs rank nothing for “{task.label}”, so there is nothing to read.")
    return task
