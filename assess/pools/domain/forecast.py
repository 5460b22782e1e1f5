"""What pools of ranked runs would be like: sizes by depth, what runs bring, how they overlap, hours of work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Sum

from assess.campaigns.models import Campaign
from assess.jobs.progress import Progress, Tell
from assess.judging.models import Judgment
from assess.pools.domain.rankings_file import StoredRankings
from assess.pools.domain.stored_numbers import keep, kept, key_of
from assess.pools.queries.judged import judging_stage
from assess.protocol import Task
from scoring.pooling.analysis import Contribution, Overlap, contributions, overlaps, sizes_by_depth

DEPTHS = (1, 2, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1000)
DEFAULT_SECONDS = 30.0
"""How long a judgment takes where none was timed yet."""
AHEAD = (10, 20, 50, 100)
"""Depths that are counted ahead where runs are read in the background, besides the setting's."""
VERSION = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicSizes:
    """How many documents a topic's pool has to each of `DEPTHS`."""

    number: str
    sizes: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanNumbers:
    """``runs`` and ``overlaps`` are of pools to ``depth``; ``topics`` in order."""

    depth: int
    topics: tuple[TopicSizes, ...]
    runs: tuple[Contribution, ...]
    overlaps: tuple[Overlap, ...]

    @property
    def totals(self) -> tuple[int, ...]:
        """The documents of all topics to each of `DEPTHS`."""
        return tuple(sum(column) for column in zip(*(topic.sizes for topic in self.topics), strict=True))


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds that one document takes, and from how many timed judgments; 0: nobody's time is known yet."""

    seconds: float
    timed: int


def plan_numbers(rankings: StoredRankings, numbers: Sequence[str], depth: int) -> PlanNumbers:
    """The numbers of these topics, computed once for the same rankings, topic by topic, and kept."""
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
    """The nearest of `DEPTHS`.

    >>> counted_depth(90)
    100
    """
    return min(DEPTHS, key=lambda depth: abs(depth - wanted))


def plan_ahead(rankings: StoredRankings, numbers: Sequence[str], usual: int, *, progress: Tell) -> None:
    """Count what pages ask for first, so that nobody waits for it where runs are large."""
    depths = sorted({counted_depth(usual), *AHEAD})
    for done, depth in enumerate(depths):
        progress(Progress(done=done, total=len(depths), unit="depths", note=f"counting depth {depth}"))
        plan_numbers(rankings, numbers, depth)


def measured_pace(campaign: Campaign, task: Task, kind: str) -> Pace:
    """The active seconds that assessors spent on a document of this kind, on average. Two queries."""
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
    pairs: dict[tuple[str, str], Counter[str]] = {}
    for number, by_run in rankings.each():
        if number not in wanted:
            continue
        runs = {tag: {number: docnos} for tag, docnos in by_run.items()}
        sizes = sizes_by_depth(runs, DEPTHS)[number]
        topics.append([number, [sizes[each] for each in DEPTHS]])
        for run in contributions(runs, depth):
            brought[run.name].update(documents=run.documents, alone=run.alone)
        for pair in overlaps({tag: runs.get(tag, {}) for tag in rankings.runs}, depth):
            pairs.setdefault((pair.first, pair.second), Counter()).update(both=pair.both, either=pair.either)
    return {
        "topics": topics,
        "runs": [[tag, found["documents"], found["alone"]] for tag, found in sorted(brought.items())],
        "overlaps": [[*pair, found["both"], found["either"]] for pair, found in sorted(pairs.items())],
    }
