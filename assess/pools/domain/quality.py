"""How well a pool serves its runs while it is judged: which teams it depends on, what is unjudged, and its growth.

Everything concerns the kind that runs rank, with official judgments. Code that scores runs again is in
`ranking_checks.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as noop

from assess.campaigns.models import Campaign
from assess.campaigns.queries import has_more_rows, reached_point, track_of, was_newest
from assess.items.models import Pool, PoolItem
from assess.items.queries import COUNTED, current_pools
from assess.jobs.domain import ask_for_job
from assess.jobs.kinds import POOL_QUALITY
from assess.jobs.models import Job
from assess.jobs.progress import JobProgress, ReportProgress, no_report, report_progress
from assess.jobs.waiting import StillMaking
from assess.judging.queries.current import official_judgments
from assess.judging.snapshots import Snapshot
from assess.pools.domain.planning import contributing, keep, kept, key_of, task_rankings
from assess.pools.domain.rankings_file import StoredRankings, ranking_runs
from assess.pools.queries import judging_stage, relevant_level
from assess.protocol import Task, ranked_recipe
from assess.runs.queries import accepted_runs
from assess.scores.changes import changes_between
from scoring.pooling.analysis import Contribution, contributions

KS = (5, 10, 20, 100)
POINTS = 200
"""The number of points that are stored of the growth curve."""
EVERYTHING = 1 << 30
COUNTED_OF_A_TEAM = ("documents", "alone", "relevant", "relevant_alone")
VERSION = 3
AT_ONCE = 30_000
"""The most ledger rows of a campaign whose pool is looked at while somebody waits: some tenths of a second."""
READ_AT_ONCE = 5_000_000
"""The most bytes of gathered rankings that are read while somebody waits."""


class StillLookingAtPool(StillMaking):
    """The worker is still computing the quality of a large pool, or could not compute it: ``job`` says which."""

    code = "still-looking-at-pool"
    title = gettext_lazy("Quality of the pool")
    doing = gettext_lazy("Computing the quality of the pool")
    failed = gettext_lazy("The quality of the pool could not be computed")
    again = gettext_lazy("The quality of the pool is being computed in the background. Ask again in some seconds.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Quality:
    """A pool's quality at a ledger point. ``unjudged`` gives the share for each of `KS` by run (None: undefined).

    ``growth`` holds (documents judged, relevant ones among them) in the order of judging; ``teams`` are by name. It was
    computed ``at`` a moment; ``newer`` is the job that computes the next one, if something was recorded since.
    """

    as_of: int
    at: datetime
    pooled: int
    judged: int
    relevant: int
    level: int
    teams: tuple[Contribution, ...]
    unjudged: Mapping[str, tuple[float | None, ...]]
    growth: tuple[tuple[int, int], ...]
    newer: Job | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class QualityInput:
    """The input for quality: a task's newest pool, the kind that runs rank, the rankings, and the team of each run.

    A grade of at least ``level`` is relevant. A run contributes a pooled document if its rank is at most ``reach``.
    """

    pool: Pool
    task: Task
    kind: str
    rankings: StoredRankings
    teams: Mapping[str, str]
    level: int
    reach: int

    @property
    def campaign(self) -> Campaign:
        """The campaign of the pool."""
        return self.pool.campaign


def quality_input(campaign: Campaign, task: Task) -> QualityInput | None:
    """Return the input for a pool's quality. It reads files that were not read yet.

    None if runs rank nothing, or if there is no pool.
    """
    recipe = ranked_recipe(track_of(campaign), task)
    pool = current_pools(campaign).filter(task=task.key).first()
    if recipe is None or pool is None or not contributing(campaign, task):
        return None
    rankings = task_rankings(campaign, task)
    if rankings is None:
        return None
    pool.campaign = campaign
    runs = ranking_runs(campaign, recipe.kind, accepted_runs(campaign))
    teams = {run.tag: run.team or run.tag for run in runs if run.tag in rankings.runs}
    given = pool.recipe.get("selection", {}).get("relevant_from")
    level = relevant_level(campaign, given)
    return QualityInput(
        pool=pool,
        task=task,
        kind=recipe.kind,
        rankings=rankings,
        teams=teams,
        level=level,
        reach=_reach(pool, recipe.kind),
    )


def quality_at_hand(stand: QualityInput, *, actor: User, within: timedelta) -> Quality:
    """Return the quality within a request; raise `StillLookingAtPool` if the worker has to compute it first.

    While people judge, that of a large pool may be the last one, with the job that computes the next one as ``newer``.
    It must have been the newest until at most ``within`` ago (`LATELY` for calls, `ANY_AGE` for pages).
    """
    campaign, as_of = stand.campaign, reached_point(stand.campaign, None)
    last = _last(stand)
    if last is not None and _is_current(stand, last, as_of):
        return replace(last, as_of=as_of)
    size = sum(size for _, size in stand.rankings.places.values())
    if size <= READ_AT_ONCE and not has_more_rows(campaign, than=AT_ONCE):
        return pool_quality(stand)
    job = ask_for_job(actor=actor, campaign=campaign, kind=POOL_QUALITY, arguments={"task": stand.task.key})
    if last is None or not was_newest(campaign, last.as_of, within=within):
        raise StillLookingAtPool(job)
    return replace(last, newer=job)


def pool_quality(stand: QualityInput, progress: ReportProgress = no_report) -> Quality:
    """Return the current quality of a pool, computed once for a ledger point and cached.

    ``progress`` may stop it by raising. Pages and calls, which should not wait, use `quality_at_hand`.
    """
    as_of, at = reached_point(stand.campaign, None), timezone.now()
    last = _last(stand)
    if last is not None and _is_current(stand, last, as_of):
        return replace(last, as_of=as_of)
    found = _computed(stand, as_of, progress) | {"as_of": as_of, "at": at.isoformat()}
    keep(_key(stand), found)
    return _as_quality(stand, found)


def _is_current(stand: QualityInput, last: Quality, as_of: int) -> bool:
    """Return whether nothing was recorded since that these figures depend on. At most three queries."""
    return not changes_between(stand.campaign, last.as_of, as_of)


def _key(stand: QualityInput) -> str:
    created = stand.campaign.created_at.isoformat()
    return key_of("quality", VERSION, created, stand.pool.pk, stand.rankings.sha256, stand.teams, stand.level)


def _last(stand: QualityInput) -> Quality | None:
    """Return the quality that was computed last for this input, at any ledger point; None if there is none."""
    found = kept(_key(stand))
    return _as_quality(stand, found) if found is not None else None


def _as_quality(stand: QualityInput, found: dict[str, Any]) -> Quality:
    return Quality(
        as_of=found["as_of"],
        at=datetime.fromisoformat(found["at"]),
        pooled=found["pooled"],
        judged=found["judged"],
        relevant=found["relevant"],
        level=stand.level,
        teams=tuple(
            Contribution(name=name, documents=docs, alone=alone, relevant=relevant, relevant_alone=only)
            for name, docs, alone, relevant, only in found["teams"]
        ),
        unjudged={run: tuple(shares) for run, shares in found["unjudged"].items()},
        growth=tuple((judged, relevant) for judged, relevant in found["growth"]),
    )


def pooled_keys(stand: QualityInput) -> dict[str, set[str]]:
    """Return the pooled documents by topic."""
    rows = PoolItem.objects.filter(COUNTED, pool=stand.pool, item__kind=stand.kind).order_by()
    found: dict[str, set[str]] = {}
    for number, key in rows.values_list("item__topic__number", "item__key").iterator(5_000):
        found.setdefault(number, set()).add(key)
    return found


def pooled_rankings(stand: QualityInput, pooled: Mapping[str, set[str]]) -> dict[str, dict[str, list[str]]]:
    """Return the pooled documents that each run contributes, by run and topic, best first."""
    found: dict[str, dict[str, list[str]]] = {tag: {} for tag in stand.rankings.runs}
    for number, by_run in stand.rankings.each(stand.reach):
        wanted = pooled.get(number, set())
        for tag, docnos in by_run.items() if wanted else ():
            found[tag][number] = [docno for docno in docnos[: stand.reach] if docno in wanted]
    return found


def thinned(growth: Sequence[tuple[int, int]], points: int) -> list[tuple[int, int]]:
    """Return at most this many evenly chosen points of a curve; the last one is always included."""
    step = max(1, -(-len(growth) // points))
    left = list(growth[step - 1 :: step])
    return left if not growth or left[-1] == growth[-1] else [*left, growth[-1]]


def _reach(pool: Pool, kind: str) -> int:
    """Return the lowest rank from which the pool takes documents of a run: its depth, if it is made by depth, otherwise
    any rank.
    """
    if (chosen := pool.recipe.get("selection")) is not None:
        return int(chosen["recipe"]["depth"]) if chosen["recipe"]["strategy"] == "depth" else EVERYTHING
    depths = [each["depth"] for each in pool.recipe.get("kinds", ()) if each["kind"] == kind and "depth" in each]
    return int(depths[0]) if depths else EVERYTHING


def _computed(stand: QualityInput, as_of: int, progress: ReportProgress) -> dict[str, Any]:
    grades, growth = _judged(stand, as_of, progress)
    pooled = pooled_keys(stand)
    shares = {tag: _Shares() for tag in stand.rankings.runs}
    brought: dict[str, Counter[str]] = {stand.teams.get(tag, tag): Counter() for tag in stand.rankings.runs}
    topics = len(stand.rankings.places)
    ranked = stand.rankings.each(max(stand.reach, KS[-1]))  # one reading serves both results
    for done, (number, by_run) in enumerate(ranked):
        progress(JobProgress(done=done, total=topics, unit="topics", note=noop("looking at what the runs rank")))
        judged = grades.get(number, {})
        wanted = pooled.get(number, set())
        runs = {
            tag: {number: list(filter(wanted.__contains__, docnos[: stand.reach]))} for tag, docnos in by_run.items()
        }
        for team in contributions(runs, EVERYTHING, teams=stand.teams, grades={number: judged}, level=stand.level):
            brought[team.name].update({name: getattr(team, name) for name in COUNTED_OF_A_TEAM})
        for tag, docnos in by_run.items() if judged else ():
            shares[tag].add(docnos, judged)
    return {
        "pooled": sum(map(len, pooled.values())),
        "judged": growth[-1][0] if growth else 0,
        "relevant": growth[-1][1] if growth else 0,
        "teams": [[team, *(counts[name] for name in COUNTED_OF_A_TEAM)] for team, counts in sorted(brought.items())],
        "unjudged": {tag: each.means() for tag, each in shares.items()},
        "growth": thinned(growth, POINTS),
    }


class _Shares:
    """For one run, the share of its top k that nobody judged, as the mean over judged topics, for each of `KS`."""

    def __init__(self) -> None:
        self.sums, self.topics = [0.0] * len(KS), 0

    def add(self, docnos: Sequence[str], judged: Mapping[str, int]) -> None:
        """Add the run's ranking of one more topic."""
        self.topics += bool(docnos)
        missing = [docno not in judged for docno in docnos[: KS[-1]]]
        for place, k in enumerate(KS):
            top = missing[:k]
            self.sums[place] += sum(top) / len(top) if top else 0.0

    def means(self) -> list[float | None]:
        """Return the means for each of `KS`; None if the run ranks nothing for a judged topic."""
        return [value / self.topics if self.topics else None for value in self.sums]


def _judged(
    stand: QualityInput, as_of: int, progress: ReportProgress
) -> tuple[dict[str, dict[str, int]], list[tuple[int, int]]]:
    """Return, by topic, the grades that count, and how the judging went: after each judgment, how many documents were
    judged and how many of them are relevant.
    """
    grades: dict[str, dict[str, int]] = {}
    growth: list[tuple[int, int]] = []
    stage = judging_stage(stand.campaign, stand.task, stand.kind)
    if stage is None:
        return grades, growth
    rows = official_judgments(Snapshot(stand.campaign, as_of)).filter(
        criterion=stage.criteria[0].key, item__kind=stand.kind, item__topic__task=stand.task.key
    )
    relevant = 0
    said = rows.order_by("id").values_list("item__topic__number", "item__key", "value").iterator(5_000)
    told = report_progress(said, progress, unit="judgments", note=noop("reading the judgments"))
    for judged, (number, key, value) in enumerate(told, 1):
        if value is not None:
            grades.setdefault(number, {})[key] = value
            relevant += value >= stand.level
        growth.append((judged, relevant))
    return grades, growth
