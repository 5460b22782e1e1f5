"""What a pool holds, and how much of it is judged, for organisers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, Max, Model, OuterRef, Q

from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of, stage_of
from assess.items.models import Pool, PoolItem
from assess.items.queries import COUNTED
from assess.judging.queries.current import official_judgments
from assess.judging.snapshots import Snapshot
from assess.protocol import Stage, Task
from assess.runs.models import Citation, Response, Run, Segment
from assess.topics.models import Topic
from assess.topics.queries import topic_records
from scoring.pooling.recipe import ONLINE

# What a pool holds, for organisers: sizes by kind, by topic and by run.


@dataclass(frozen=True, kw_only=True, slots=True)
class KindSize:
    """The number of pooled items of a kind."""

    kind: str
    items: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicSize:
    """The number of pooled items of a topic, and of the documents that they name.

    ``kinds`` gives the number of items of each kind, in the pool's order of kinds.
    """

    number: str
    text: str
    items: int
    documents: int
    kinds: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSize:
    """The number of pooled items that a run returned, and of those that no other run returned."""

    tag: str
    team: str
    priority: int | None
    items: int
    unique: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolSummary:
    """A pool in numbers: kinds in the order of the recipe, topics in their own order, runs by tag."""

    pool: Pool
    items: int
    kinds: tuple[KindSize, ...]
    topics: tuple[TopicSize, ...]
    runs: tuple[RunSize, ...]
    priorities: tuple[int, ...] = ()  # priorities of the pooled runs; empty for all runs

    @property
    def is_live(self) -> bool:
        """Whether the pool grows while it is judged."""
        return self.pool.recipe.get("strategy") in ONLINE

    @property
    def best(self) -> list[tuple[str, int, list[tuple[str, float | None, bool]]]]:
        """The runs that were ranked to pool the best, for each measure: (measure, number asked for, runs), best run
        first.

        Each run is (tag, value at that time, whether it was pooled). Runs without a value are left out. Empty if runs
        were pooled in another way.
        """
        pooled = {tag for tag, _ in self.pool.recipe.get("runs", ())}
        found = {}
        for best in self.pool.recipe.get("best", {}).values():
            ranked = sorted(best["scores"].items(), key=lambda row: (row[1] is None, -(row[1] or 0.0), row[0]))
            rows = [(tag, value, tag in pooled) for tag, value in ranked if value is not None]
            found[best["measure"]] = (best["measure"], best["runs"], rows)
        return list(found.values())

    @property
    def has_priorities(self) -> bool:
        """Whether any of the runs has a priority. Some evaluations have no priorities."""
        return any(run.priority is not None for run in self.runs)


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolCounts:
    """The counts of a pool: (topic, kind, items), distinct documents by topic, and (run id, items, unique items)."""

    items: Sequence[tuple[str, str, int]]
    documents: Mapping[str, int]
    returned: Sequence[tuple[int, int, int]]


def counts_follow_from(pool: Pool) -> list[Any]:
    """Return JSON values that change whenever the result of `pool_counts` may: pooled items, topics, accepted runs.

    What an accepted run returned never changes. Three queries.
    """
    rows = PoolItem.objects.filter(pool=pool).aggregate(number=Count("pk"), newest=Max("pk"))
    topics = Topic.objects.filter(campaign=pool.campaign_id).order_by("pk").values_list("pk", "number")
    runs = Run.objects.filter(campaign=pool.campaign_id, state=Run.State.ACCEPTED).order_by("pk")
    return [pool.pk, rows["number"], rows["newest"], list(topics), list(runs.values_list("pk", flat=True))]


def pool_counts(pool: Pool) -> PoolCounts:
    """Count the pooled items, and those that each run returned; items of dropped topics are left out.

    Five queries, and one for each way of returning items.
    """
    rows = PoolItem.objects.filter(COUNTED, pool=pool).order_by()
    items = rows.values_list("item__topic__number", "item__kind").annotate(items=Count("id"))
    named = Count("item__docno", distinct=True, filter=~Q(item__docno=""))
    documents = rows.values_list("item__topic__number").annotate(number=named)
    return PoolCounts(items=list(items), documents=dict(documents), returned=_returned(pool))


def summary_of(pool: Pool, counts: PoolCounts) -> PoolSummary:
    """Return the numbers of a pool from its counts, in two queries.

    For organisers only, since the summary names runs.
    """
    kinds = _kinds(pool, counts)
    return PoolSummary(
        pool=pool,
        items=sum(items for _, _, items in counts.items),
        kinds=tuple(
            KindSize(kind=kind, items=sum(items for _, each, items in counts.items if each == kind)) for kind in kinds
        ),
        topics=_topic_sizes(pool, counts, kinds),
        runs=_run_sizes(pool, counts),
        priorities=tuple(pool.recipe.get("priorities", ())),
    )


def _kinds(pool: Pool, counts: PoolCounts) -> tuple[str, ...]:
    """Return the kinds in the pool, in the order of its recipe."""
    present = {kind for _, kind, _ in counts.items}
    ordered = [each["kind"] for each in pool.recipe.get("kinds", ())] or [pool.recipe.get("kind")]
    return tuple(kind for kind in dict.fromkeys([*ordered, *sorted(present)]) if kind in present)


def _topic_sizes(pool: Pool, counts: PoolCounts, kinds: tuple[str, ...]) -> tuple[TopicSize, ...]:
    sizes = {(number, kind): items for number, kind, items in counts.items}
    return tuple(
        TopicSize(
            number=record.number,
            text=record.text,
            items=sum(sizes.get((record.number, kind), 0) for kind in kinds),
            documents=counts.documents[record.number],
            kinds=tuple(sizes.get((record.number, kind), 0) for kind in kinds),
        )
        for record in topic_records(pool.campaign)
        if record.number in counts.documents
    )


RETURNED: tuple[tuple[type[Model], str], ...] = (
    (Segment, "response__run"),
    (Citation, "segment__response__run"),
    (Response, "run"),
)
"""The models that refer to items, each with the lookup that leads to its run."""


def _returned(pool: Pool) -> list[tuple[int, int, int]]:
    """Return (run id, pooled items that it returned, those that no other run returned) for each accepted run.

    The numbers are summed over the ways of returning an item; each kind of item uses only one. The queries start from
    the runs, so that a way that no run uses costs nothing however large the pool is.
    """
    items: Counter[int] = Counter()
    shared: Counter[int] = Counter()
    pooled = PoolItem.objects.filter(pool=pool, item=OuterRef("item"))
    for model, way in RETURNED:
        accepted = {f"{way}__campaign": pool.campaign_id, f"{way}__state": Run.State.ACCEPTED}
        rows = model._default_manager.filter(Exists(pooled), COUNTED, **accepted).order_by()
        runs = rows.values_list(way).annotate(items=Count("item", distinct=True))
        several = rows.values("item").annotate(runs=Count(way, distinct=True)).filter(runs__gt=1).values("item")
        if found := dict(runs):
            items.update(found)
            shared.update(dict(runs.filter(item__in=several)))
    return [(run, number, number - shared[run]) for run, number in items.items()]


def _run_sizes(pool: Pool, counts: PoolCounts) -> tuple[RunSize, ...]:
    """Return what accepted runs returned of the pooled items, and what ranked lists contributed when the pool was
    built.

    A run without any pooled item is left out.
    """
    items = Counter({run: number for run, number, _ in counts.returned})
    unique = Counter({run: number for run, _, number in counts.returned})
    runs = list(Run.objects.filter(campaign=pool.campaign_id, state=Run.State.ACCEPTED).order_by("tag"))
    for ranked in pool.recipe.get("ranked", {}).values():
        for run in runs:
            brought = ranked.get(run.tag, (0, 0))
            items[run.pk] += brought[0]
            unique[run.pk] += brought[1]
    return tuple(
        RunSize(tag=run.tag, team=run.team, priority=run.priority, items=items[run.pk], unique=unique[run.pk])
        for run in runs
        if items[run.pk]
    )


# The judgments of a ranked kind in the form that pools need: by document, relevant or not.


def judging_stage(campaign: Campaign, task: Task, kind: str) -> Stage | None:
    """Return the first stage that judges items of this kind by a criterion, with its criteria; None if no stage
    does.
    """
    for stage in task.stages:
        if stage.item_kind == kind and stage.criteria:
            return stage_of(campaign, stage.key)[1]
    return None


def relevant_level(campaign: Campaign, given: int | None = None) -> int:
    """Return the lowest grade that counts as relevant: ``given``, or else the setting ``relevant_from``, or else 1."""
    return given if given is not None else int(getattr(settings_of(campaign), "relevant_from", 1))


def judged_documents(
    snapshot: Snapshot, task: Task, kind: str, *, topics: Iterable[int] | None = None
) -> dict[str, dict[str, int]]:
    """Return topic number -> item key -> the official grade for the kind's first criterion. One query.

    Answers that are no grade are left out. ``topics`` (ids) limits them to these topics.
    """
    stage = judging_stage(snapshot.campaign, task, kind)
    if stage is None:
        return {}
    rows = official_judgments(snapshot, topics=topics).filter(
        criterion=stage.criteria[0].key, item__kind=kind, item__topic__task=task.key
    )
    found: dict[str, dict[str, int]] = {}
    for topic, key, value in rows.order_by().values_list("item__topic__number", "item__key", "value").iterator(5_000):
        if value is not None:
            found.setdefault(topic, {})[key] = value
    return found
