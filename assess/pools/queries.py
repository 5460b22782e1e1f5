"""What a pool holds, for organisers, and what of it is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Exists, Max, Model, OuterRef

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
    """How many items of a kind are pooled."""

    kind: str
    items: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicSize:
    """How many items of a topic are pooled, in how many distinct documents; ``kinds`` as the pool's kinds stand."""

    number: str
    text: str
    items: int
    documents: int
    kinds: tuple[int, ...]


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
    """A pool in numbers; kinds in the order of the recipe, topics in theirs, runs by tag."""

    pool: Pool
    items: int
    kinds: tuple[KindSize, ...]
    topics: tuple[TopicSize, ...]
    runs: tuple[RunSize, ...]
    priorities: tuple[int, ...] = field(default=())  # of the runs pooled; empty: all runs

    @property
    def is_live(self) -> bool:
        """Whether the pool grows while it is judged."""
        return self.pool.recipe.get("strategy") in ONLINE

    @property
    def best(self) -> list[tuple[str, int, list[tuple[str, float | None, bool]]]]:
        """Where the best runs were pooled: measure, how many, and (tag, value then, whether pooled), best first."""
        pooled = {tag for tag, _ in self.pool.recipe.get("runs", ())}
        found = {}
        for best in self.pool.recipe.get("best", {}).values():
            ranked = sorted(best["scores"].items(), key=lambda row: (row[1] is None, -(row[1] or 0.0), row[0]))
            rows = [(tag, value, tag in pooled) for tag, value in ranked if value is not None]
            found[best["measure"]] = (best["measure"], best["runs"], rows)
        return list(found.values())

    @property
    def has_priorities(self) -> bool:
        """Whether any of the runs has a priority; there are evaluations that ask for none."""
        return any(run.priority is not None for run in self.runs)


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolCounts:
    """What is counted of a pool: (topic, kind, items), distinct documents by topic, (run's id, items, unique ones)."""

    items: Sequence[tuple[str, str, int]]
    documents: Mapping[str, int]
    returned: Sequence[tuple[int, int, int]]


def counts_follow_from(pool: Pool) -> list[Any]:
    """JSON values that are others where `pool_counts` may be: what is pooled, topics that count, accepted runs.

    What an accepted run returned stays as it is. Three queries.
    """
    rows = PoolItem.objects.filter(pool=pool).aggregate(number=Count("pk"), newest=Max("pk"))
    topics = Topic.objects.filter(campaign=pool.campaign_id).order_by("pk").values_list("pk", "number")
    runs = Run.objects.filter(campaign=pool.campaign_id, state=Run.State.ACCEPTED).order_by("pk")
    return [pool.pk, rows["number"], rows["newest"], list(topics), list(runs.values_list("pk", flat=True))]


def pool_counts(pool: Pool) -> PoolCounts:
    """Count what is pooled, and who returned it: five queries, and one for each way in which runs returned it."""
    rows = PoolItem.objects.filter(COUNTED, pool=pool).order_by()
    items = rows.values_list("item__topic__number", "item__kind").annotate(items=Count("id"))
    documents = rows.values_list("item__topic__number").annotate(number=Count("item__docno", distinct=True))
    return PoolCounts(items=list(items), documents=dict(documents), returned=_returned(pool))


def summary_of(pool: Pool, counts: PoolCounts) -> PoolSummary:
    """Return the pool in numbers, of what was counted: two queries. For organisers only, since it names runs."""
    kinds = _kinds(pool, counts)
    return PoolSummary(
        pool=pool,
        items=sum(items for _, _, items in counts.items),
        kinds=tuple(KindSize(kind=kind, items=_of_kind(counts, kind)) for kind in kinds),
        topics=_topic_sizes(pool, counts, kinds),
        runs=_run_sizes(pool, counts),
        priorities=tuple(pool.recipe.get("priorities", ())),
    )


def _of_kind(counts: PoolCounts, kind: str) -> int:
    return sum(items for _, each, items in counts.items if each == kind)


def _kinds(pool: Pool, counts: PoolCounts) -> tuple[str, ...]:
    """The kinds in the pool, in the order of its recipe."""
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
"""What names items, with the way from it to its run."""


def _returned(pool: Pool) -> list[tuple[int, int, int]]:
    """How many of the pooled items each accepted run returned, and how many of them no other, by the run's id.

    Summed over the ways of returning an item: a kind of item is named in one of them. Asked from the runs on, so that
    a way which none of them takes costs nothing however large the pool is.
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
    """What accepted runs returned of the pooled items, and what ranked lists brought when it was built.

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


# What is judged of a ranked kind, as pools ask for it: by document, relevant or not.


def judging_stage(campaign: Campaign, task: Task, kind: str) -> Stage | None:
    """The first stage that judges items of this kind by a criterion, with the criteria asked; None: no stage does."""
    for stage in task.stages:
        if stage.item_kind == kind and stage.criteria:
            return stage_of(campaign, stage.key)[1]
    return None


def relevant_level(campaign: Campaign, given: int | None = None) -> int:
    """Return the lowest grade that counts as relevant: the one given, else the setting ``relevant_from``, else 1."""
    return given if given is not None else int(getattr(settings_of(campaign), "relevant_from", 1))


def judged_documents(
    snapshot: Snapshot, task: Task, kind: str, *, topics: Iterable[int] | None = None
) -> dict[str, dict[str, int]]:
    """Topic number -> item key -> official grade by the kind's first criterion. One query; ``topics`` (ids) narrows."""
    stage = judging_stage(snapshot.campaign, task, kind)
    if stage is None or not stage.criteria:
        return {}
    rows = official_judgments(snapshot, topics=topics).filter(
        criterion=stage.criteria[0].key, item__kind=kind, item__topic__task=task.key
    )
    found: dict[str, dict[str, int]] = {}
    for topic, key, value in rows.order_by().values_list("item__topic__number", "item__key", "value").iterator(5_000):
        if value is not None:
            found.setdefault(topic, {})[key] = value
    return found
