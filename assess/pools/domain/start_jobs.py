"""Request the long jobs that pools need: reading runs, building pools, and scoring runs without teams."""

from __future__ import annotations

import io
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.base.errors import Invalid
from assess.base.files import store_file
from assess.campaigns.changed_since import MadeFrom, require_unchanged
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.campaigns.track_texts import in_language
from assess.items.models import Pool
from assess.items.queries import current_pools
from assess.jobs.domain import enqueue_job
from assess.jobs.models import Job
from assess.pools.domain.building import build_pool, pool_values, task_named
from assess.pools.domain.candidates import pool_choices
from assess.pools.domain.planning import AT_ONCE, ranked_bytes
from assess.pools.domain.strategy import Selection, selection_json
from assess.protocol import Task, ranked_recipe

READING, CHECKING, BUILDING = "rankings", "pool-checks", "pool"


def start_pool(
    *,
    actor: User,
    campaign: Campaign,
    task: str,
    priorities: Iterable[int] | None = None,
    drop_judged: bool = False,
    selection: Selection | None = None,
    made_from: MadeFrom | None = None,
) -> Pool | Job:
    """Build a pool at once if the runs that rank for it are small; otherwise request it as a background job.

    What `build_pool` refuses is refused; a problem that shows only when files are read is reported by the job. A second
    pool of the campaign is refused while one is being built in the background.
    """
    found = task_named(campaign, task)
    if ranked_bytes(campaign, found).size <= AT_ONCE:
        return build_pool(
            actor=actor,
            campaign=campaign,
            task=found.key,
            priorities=priorities,
            drop_judged=drop_judged,
            selection=selection,
            made_from=made_from,
        )
    require_changeable(campaign)
    newest = current_pools(campaign).filter(task=found.key).first()
    require_unchanged(campaign=campaign, present=pool_values(newest), made_from=made_from, action="pool.build")
    wanted = list(priorities) if priorities is not None else None
    pool_choices(campaign, found, wanted, selection)
    arguments = {
        "task": found.key,
        "priorities": wanted,
        "drop_judged": drop_judged,
        "selection": store_file(io.BytesIO(selection_json(selection).encode())).sha256,  # it may list many documents
    }
    return enqueue_job(actor=actor, campaign=campaign, kind=BUILDING, arguments=arguments)


def start_reading(*, actor: User, campaign: Campaign, task: str) -> Job:
    """Start a background job that reads the rankings of a task's runs, and return it.

    Refused while such a job is under way, for a frozen campaign, and for a task for which runs rank nothing.
    """
    require_changeable(campaign)
    found = _ranked_task(campaign, task)
    return enqueue_job(actor=actor, campaign=campaign, kind=READING, arguments={"task": found.key})


def start_checks(*, actor: User, campaign: Campaign, task: str) -> Job:
    """Start a background job that scores the runs again without each team's unique finds, and return it.

    Refused while such a job is under way, and for a task for which runs rank nothing.
    """
    found = _ranked_task(campaign, task)
    return enqueue_job(actor=actor, campaign=campaign, kind=CHECKING, arguments={"task": found.key})


def _ranked_task(campaign: Campaign, key: str) -> Task:
    task = task_named(campaign, key)
    if ranked_recipe(track_of(campaign), task) is None:
        raise Invalid(
            gettext("Runs rank nothing for “%(task)s”, so there is nothing to read.")
            % {"task": in_language(task.label)}
        )
    return task
