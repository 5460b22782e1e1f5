"""Reading the rankings of a task's runs ahead of planning and building, in the background where that takes long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assess.base.errors import Conflict
from assess.campaigns.models import Campaign
from assess.campaigns.tracks import settings_of, track_of
from assess.jobs.progress import Tell
from assess.pools.domain.forecast import plan_ahead
from assess.pools.domain.rankings_file import StoredRankings, gather_rankings, gathered_rankings, ranking_runs
from assess.pools.domain.strategy import DEEPEST, ranked_recipe
from assess.protocol import Task
from assess.runs.models import Run
from assess.runs.queries.listing import accepted_runs, judged_runs

AT_ONCE = 40_000_000
"""Bytes of run files that a page reads while somebody waits: a few seconds."""


def contributing(campaign: Campaign, task: Task) -> list[Run]:
    """The accepted runs that rank for the task and count by the settings, by tag; none where no strategy applies."""
    recipe = ranked_recipe(track_of(campaign), task)
    if recipe is None:
        return []
    runs = accepted_runs(campaign)
    if recipe.priorities_setting:
        runs = judged_runs(campaign, getattr(settings_of(campaign), recipe.priorities_setting))
    return ranking_runs(campaign, recipe.kind, runs)


@dataclass(frozen=True, slots=True)
class RankedBytes:
    """How large the run files are that a task's pools are made of, and how much of them has to be read yet."""

    size: int
    unread: int


def ranked_bytes(campaign: Campaign, task: Task) -> RankedBytes:
    """The bytes of the runs that rank for the task."""
    size = unread = 0
    for kind, runs in _sets(campaign, task):
        own = sum(run.size for run in runs)
        size = max(size, own)
        unread += 0 if _are_read(campaign, kind, runs) else own
    return RankedBytes(size, unread)


def unread_bytes(campaign: Campaign, task: Task) -> int:
    """How much of run files has to be read before the task's pool can be planned; 0 where that was done before."""
    return ranked_bytes(campaign, task).unread


def require_read(campaign: Campaign, task: Task) -> None:
    """Refuse what would keep somebody waiting for large run files that nobody read yet."""
    unread = unread_bytes(campaign, task)
    if unread > AT_ONCE:
        raise Conflict(
            f"The runs' files have {unread / 1e6:,.0f} MB, and nobody has read their rankings yet. Start that on the "
            "planning page of the pool; it goes on in the background."
        )


def task_rankings(campaign: Campaign, task: Task) -> StoredRankings | None:
    """The rankings that a plan is made of; None where no run ranks anything. Reads what is not read yet."""
    recipe = ranked_recipe(track_of(campaign), task)
    runs = contributing(campaign, task)
    return gather_rankings(campaign, recipe.kind, runs, DEEPEST) if recipe is not None and runs else None


def read_rankings(campaign: Campaign, task: Task, *, progress: Tell) -> int:
    """Read all that planning and building need, and count ahead; returns how many runs.

    ``progress`` may stop it by raising.
    """
    read = 0
    for kind, runs in _sets(campaign, task):
        gather_rankings(campaign, kind, runs, DEEPEST, progress=progress)
        read = max(read, len(runs))
    recipe, rankings = ranked_recipe(track_of(campaign), task), task_rankings(campaign, task)
    if recipe is not None and rankings is not None:
        topics = campaign.topics.filter(task=task.key).values_list("number", flat=True)
        plan_ahead(
            rankings, sorted(topics), int(getattr(settings_of(campaign), recipe.depth_setting)), progress=progress
        )
    return read


def _sets(campaign: Campaign, task: Task) -> Iterator[tuple[str, list[Run]]]:
    """The sets of runs that pools are made of: those that count by the settings, and all for depths by priority."""
    recipe = ranked_recipe(track_of(campaign), task)
    if recipe is None:
        return
    counting = list(contributing(campaign, task))
    everybody = ranking_runs(campaign, recipe.kind, accepted_runs(campaign))
    yield recipe.kind, everybody
    if counting and [run.pk for run in counting] != [run.pk for run in everybody]:
        yield recipe.kind, counting


def _are_read(campaign: Campaign, kind: str, runs: list[Run]) -> bool:
    return not runs or gathered_rankings(campaign, kind, runs, DEEPEST) is not None
