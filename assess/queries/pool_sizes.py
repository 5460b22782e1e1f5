"""What a pool holds, for organisers: sizes by topic and by run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, Min, QuerySet

from assess.models import Pool, PoolItem, Run, Segment


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicSize:
    """How many items of a topic are pooled, in how many distinct documents."""

    number: str
    text: str
    items: int
    documents: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSize:
    """How many pooled items a run returned, and how many of them no other run returned."""

    tag: str
    team: str
    priority: int | None
    items: int
    unique: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolSummary:
    """A pool in numbers; topics in the order of their series, runs by tag."""

    pool: Pool
    items: int
    topics: tuple[TopicSize, ...]
    runs: tuple[RunSize, ...]


def pool_summary(pool: Pool) -> PoolSummary:
    """The pool in numbers: four queries whatever its size. For organisers only, since it names runs."""
    topics = _topic_sizes(pool)
    return PoolSummary(pool=pool, items=sum(topic.items for topic in topics), topics=topics, runs=_run_sizes(pool))


def _topic_sizes(pool: Pool) -> tuple[TopicSize, ...]:
    rows = (
        PoolItem.objects.filter(pool=pool)
        .order_by()
        .values("item__topic__number", "item__topic__text")
        .annotate(items=Count("id"), documents=Count("item__docno", distinct=True))
        .order_by("item__topic__parent__ordinal", "item__topic__parent_id", "item__topic__ordinal", "item__topic_id")
    )
    return tuple(
        TopicSize(
            number=row["item__topic__number"],
            text=row["item__topic__text"],
            items=row["items"],
            documents=row["documents"],
        )
        for row in rows
    )


def _run_sizes(pool: Pool) -> tuple[RunSize, ...]:
    """Counted from the pooled items' segments of accepted runs; a run without any pooled item is left out."""
    pooled = PoolItem.objects.filter(pool=pool).values("item")
    accepted = Segment.objects.filter(response__run__state=Run.State.ACCEPTED, item__in=pooled)
    per_run = _per_run(accepted)
    by_item = accepted.order_by().values("item").annotate(runs=Count("response__run", distinct=True))
    unique = Counter(by_item.filter(runs=1).annotate(run=Min("response__run")).values_list("run", flat=True))
    runs = Run.objects.filter(pk__in=per_run).order_by("tag")
    return tuple(
        RunSize(tag=run.tag, team=run.team, priority=run.priority, items=per_run[run.pk], unique=unique[run.pk])
        for run in runs
    )


def _per_run(segments: QuerySet[Segment]) -> dict[int, int]:
    rows = segments.order_by().values("response__run").annotate(items=Count("item", distinct=True))
    return {row["response__run"]: row["items"] for row in rows}
