"""Plan a pool: estimate its size, read the runs' rankings ahead, and cache the numbers."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import add
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Sum
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as noop

from assess.base.errors import Conflict
from assess.base.numbers import grouped
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of, track_of
from assess.jobs.kept_files import keep_file, open_kept
from assess.jobs.progress import JobProgress, ReportProgress
from assess.judging.models import Judgment
from assess.pools.domain.rankings_file import StoredRankings, gather_rankings, gathered_rankings, ranking_runs
from assess.pools.domain.strategy import DEEPEST
from assess.pools.queries import judging_stage
from assess.protocol import Task, ranked_recipe
from assess.runs.models import Run
from assess.runs.queries import accepted_runs, judged_runs
from scoring.pooling.analysis import (
    Contribution,
    Overlap,
    contributions,
    overlaps_of,
    shared_documents,
    sizes_by_depth,
)

# Numbers on pools that take long to compute, cached as JSON files under a key made from their input.


def key_of(*told: object) -> str:
    """Return a cache key for a result that depends on these JSON values."""
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


MOST = 2_000
"""The most cached results of a site. If there are more, those unread for the longest time are deleted."""


def kept(key: str) -> Any:
    """Return the value cached under a key, or None."""
    try:
        with open_kept(_path(key)) as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def keep(key: str, value: Any) -> None:
    """Cache a JSON value. Somebody who reads at the same moment gets either the old value or this one."""
    keep_file(_path(key), lambda file: file.write(json.dumps(value).encode()), most=MOST)


def _path(key: str) -> Path:
    return Path(settings.DATA_DIR) / "pools" / f"{key}.json"


# The plan of pools of ranked runs: sizes by depth, contributions of runs, overlaps, hours of work.

DEPTHS = (1, 2, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1000)
DEFAULT_SECONDS = 30.0
"""The assumed seconds for a judgment if none was timed yet."""
AHEAD = (10, 20, 50, 100)
"""Depths that are counted ahead, with that of the setting, when runs are read in the background."""
VERSION = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicSizes:
    """The number of documents in a topic's pool at each of `DEPTHS`."""

    number: str
    sizes: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanNumbers:
    """The numbers of a plan. ``runs`` and ``overlaps`` are for pools to ``depth``; ``topics`` are in order."""

    depth: int
    topics: tuple[TopicSizes, ...]
    runs: tuple[Contribution, ...]
    overlaps: tuple[Overlap, ...]

    @property
    def totals(self) -> tuple[int, ...]:
        """The number of documents of all topics at each of `DEPTHS`."""
        return tuple(sum(column) for column in zip(*(topic.sizes for topic in self.topics), strict=True))


@dataclass(frozen=True, slots=True)
class Pace:
    """The active seconds that a document takes, and the number of documents timed; 0 if the seconds are assumed."""

    seconds: float
    timed: int


def plan_numbers(rankings: StoredRankings, numbers: Sequence[str], depth: int) -> PlanNumbers:
    """Return the numbers of a plan for these topics. They are computed once for the same rankings, and cached."""
    key = key_of("plan", VERSION, rankings.sha256, list(numbers), depth)
    found = kept(key)
    if found is None:
        found = _computed(rankings, numbers, depth)
        keep(key, found)
    return PlanNumbers(
        depth=depth,
        topics=tuple(TopicSizes(number=number, sizes=tuple(sizes)) for number, sizes in found["topics"]),
        runs=tuple(Contribution(name=name, documents=docs, alone=alone) for name, docs, alone in found["runs"]),
        overlaps=tuple(
            Overlap(first=first, second=second, both=both, either=either)
            for first, second, both, either in found["overlaps"]
        ),
    )


def counted_depth(wanted: int) -> int:
    """Return the nearest of `DEPTHS`; the lower one of two that are equally near.

    >>> counted_depth(90)
    100
    """
    return min(DEPTHS, key=lambda depth: abs(depth - wanted))


def plan_ahead(rankings: StoredRankings, numbers: Sequence[str], usual: int, *, progress: ReportProgress) -> None:
    """Count and cache the numbers that pages ask for first, so that nobody waits for them if runs are large."""
    depths = sorted({counted_depth(usual), *AHEAD})
    for done, depth in enumerate(depths):
        progress(
            JobProgress(
                done=done,
                total=len(depths),
                unit="depths",
                note=noop("counting depth %(depth)s"),
                values={"depth": depth},
            )
        )
        plan_numbers(rankings, numbers, depth)


def measured_pace(campaign: Campaign, task: Task, kind: str) -> Pace:
    """Return the mean active seconds that assessors spent on a document of this kind, and the number of documents
    timed.

    If nothing was timed, it is `DEFAULT_SECONDS`. At most two queries.
    """
    stage = judging_stage(campaign, task, kind)
    if stage is None:
        return Pace(DEFAULT_SECONDS, 0)
    timed = Judgment.objects.filter(
        assignment__campaign=campaign, assignment__stage=stage.key, item__kind=kind, seconds__isnull=False
    ).order_by()
    spent = timed.aggregate(spent=Sum("seconds"))["spent"]
    documents = timed.values("item", "assessor").distinct().count()
    return Pace(spent / documents, documents) if documents and spent else Pace(DEFAULT_SECONDS, 0)


def _computed(rankings: StoredRankings, numbers: Sequence[str], depth: int) -> dict[str, Any]:
    wanted = set(numbers)
    topics: list[list[Any]] = []
    brought: dict[str, Counter[str]] = {tag: Counter() for tag in rankings.runs}
    shared: list[int] = []
    for number, by_run in rankings.each():
        if number not in wanted:
            continue
        runs = {tag: {number: docnos} for tag, docnos in by_run.items()}
        sizes = sizes_by_depth(runs, DEPTHS)[number]
        topics.append([number, [sizes[each] for each in DEPTHS]])
        for run in contributions(runs, depth):
            brought[run.name].update(documents=run.documents, alone=run.alone)
        of_topic = shared_documents({tag: runs.get(tag, {}) for tag in rankings.runs}, depth)
        shared = list(map(add, shared, of_topic)) if shared else of_topic
    found = overlaps_of({tag: each["documents"] for tag, each in brought.items()}, shared) if topics else []
    return {
        "topics": topics,
        "runs": [[tag, each["documents"], each["alone"]] for tag, each in sorted(brought.items())],
        "overlaps": [[each.first, each.second, each.both, each.either] for each in found],
    }


# Read the rankings of a task's runs before planning and building, in the background if that takes long.

AT_ONCE = 40_000_000
"""The most bytes of run files that a page reads while somebody waits: a few seconds."""


def contributing(campaign: Campaign, task: Task) -> list[Run]:
    """Return the accepted runs that rank for the task and count by the settings, by tag.

    The list is empty if strategies do not apply to the task.
    """
    recipe = ranked_recipe(track_of(campaign), task)
    if recipe is None:
        return []
    runs = accepted_runs(campaign)
    if recipe.priorities_setting:
        runs = judged_runs(campaign, getattr(settings_of(campaign), recipe.priorities_setting))
    return ranking_runs(campaign, recipe.kind, runs)


@dataclass(frozen=True, slots=True)
class RankedBytes:
    """The bytes of the run files for a task's pools, and how many bytes must still be read: twice those of a file if
    both sets of runs (all, and those that count) are unread.
    """

    size: int
    unread: int


def ranked_bytes(campaign: Campaign, task: Task) -> RankedBytes:
    """Return how large the run files for a task's pools are, and how much of them is still to be read."""
    size = unread = 0
    for kind, runs in _sets(campaign, task):
        own = sum(run.size for run in runs)
        size = max(size, own)
        unread += 0 if _are_read(campaign, kind, runs) else own
    return RankedBytes(size, unread)


def unread_bytes(campaign: Campaign, task: Task) -> int:
    """Return how many bytes of run files must be read before the task's pool can be planned; 0 if all were read."""
    return ranked_bytes(campaign, task).unread


def require_read(campaign: Campaign, task: Task) -> None:
    """Raise `Conflict` if a request would have to wait for large run files to be read."""
    unread = unread_bytes(campaign, task)
    if unread > AT_ONCE:
        raise Conflict(
            gettext(
                "The runs' files have %(unread)s MB, and nobody has read their rankings yet. Start that on the "
                "planning page of the pool; it goes on in the background."
            )
            % {"unread": grouped(unread / 1e6, 0)}
        )


def task_rankings(campaign: Campaign, task: Task) -> StoredRankings | None:
    """Return the rankings for a plan, reading files that were not read yet; None if no run ranks anything."""
    recipe = ranked_recipe(track_of(campaign), task)
    runs = contributing(campaign, task)
    return gather_rankings(campaign, recipe.kind, runs, DEEPEST) if recipe is not None and runs else None


def read_rankings(campaign: Campaign, task: Task, *, progress: ReportProgress) -> int:
    """Read and store all rankings that planning and building need, and count ahead. Return the number of runs read.

    It is 0 if strategies do not apply to the task. ``progress`` may stop it by raising.
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
    """Yield the sets of runs from which pools are made: first all runs, for depths by priority; then the runs that
    count by the settings.
    """
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
