"""Build pools, which say what is judged. The same runs give the same pool."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from operator import itemgetter
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext

from assess.base.bulk import add_rows
from assess.base.errors import Conflict, Invalid
from assess.base.sentences import Sentence
from assess.campaigns.activity import lock_open, record_activity
from assess.campaigns.changed_since import MadeFrom, require_unchanged
from assess.campaigns.domain import require_changeable
from assess.campaigns.grown_work import recheck_done_work, rechecked_together
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.documents.domain.adding_items import ItemKey, add_items, known_items
from assess.items.models import Item, Pool, PoolItem
from assess.items.queries import COUNTED, current_pools
from assess.jobs.progress import ReportProgress, no_report
from assess.jobs.workers import holding
from assess.judging.queries.judged import marked
from assess.machines.suggested_answers import record_stored_answers
from assess.pools.domain.candidates import Members, contributing_runs, pool_members
from assess.pools.domain.strategy import Selection
from assess.pools.domain.summaries import counts_of
from assess.protocol import ItemRecord, Task

TOPIC, KIND = itemgetter(0), itemgetter(1)
"""Parts of an `ItemKey`."""
COLUMNS = ("pool_id", "item_id", "stratum", "probability", "place")
PIECE = 20_000
"""How many items or rows of a pool are stored or removed in one transaction."""

Member = TypeVar("Member", ItemKey, ItemRecord)


class NothingToPool(Conflict):
    """No run, topic or file of judgments has anything to judge for the task."""


def build_pool(
    *,
    actor: User,
    campaign: Campaign,
    task: str,
    priorities: Iterable[int] | None = None,
    drop_judged: bool = False,
    selection: Selection | None = None,
    progress: ReportProgress = no_report,
    made_from: MadeFrom | None = None,
) -> Pool:
    """Pool the distinct items of a task that its recipes name (`assess.protocol.PoolRecipe`), and return the pool.

    The items are what accepted runs of the priorities returned, the top of their ranked lists, the items that topics
    give, and those that files of judgments added. Items that are not stored yet are added. ``priorities`` default to
    the campaign's setting, and runs without a priority are included. The digest covers the recipe and the members, and
    building the same pool again returns the newest pool.

    Refused (`Conflict`): a pool that lacks judged items of the current one, unless ``drop_judged`` allows it (their
    judgments stay in the ledger); and a pool that was ``made_from`` a pool other than the task's current one
    (`pool_values`). An empty pool is refused with `NothingToPool`. Refused as well: an unknown task, a closed campaign,
    what `pool_members` refuses, and runs or topics that change while the pool is built.

    ``selection`` replaces the depth of the kind that runs rank. A pool that grows during judging counts as the same
    pool as long as its recipe is the same, however far it has grown. Judged items that its selection leaves out may
    leave it. ``progress`` is called while files are read and documents selected, and may stop the building by raising.
    Suggested answers that came with the design are recorded when the pool has been built.
    """
    pool = _built(actor, campaign, task, priorities, drop_judged, selection, progress, made_from)
    record_stored_answers(actor=actor, campaign=campaign)
    return pool


def _built(
    actor: User,
    campaign: Campaign,
    task: str,
    priorities: Iterable[int] | None,
    drop_judged: bool,
    selection: Selection | None,
    progress: ReportProgress,
    made_from: MadeFrom | None,
) -> Pool:
    require_changeable(campaign)
    found = task_named(campaign, task)
    # reads files, so before anything is locked
    members = pool_members(campaign, found, priorities, selection, progress=progress)
    if not members.stored and not members.missing:
        raise NothingToPool(_nothing(found))
    recipe, names = members.recipe, sorted({**members.stored, **members.missing})
    digest = _digest(_without_scores(recipe), names)
    minus_judged = selection is not None and selection.minus_judged
    with holding(f"pool-{campaign.pk}", patience=inf):
        _remove_unfinished(campaign)
        with transaction.atomic():
            lock_open(campaign)
            _require_same_runs(campaign, members)
            newest = current_pools(campaign).filter(task=found.key).first()
            if newest is not None and selection is not None and selection.is_live and newest.recipe == recipe:
                return newest
            _add_given(campaign, members)
            if newest is not None and newest.digest == digest:
                return newest
            if not minus_judged:
                _judged_that_leave(newest, set(members.stored.values()), drop_judged)
            require_unchanged(campaign=campaign, present=pool_values(newest), made_from=made_from, action="pool.build")
            pool = Pool.objects.create(campaign=campaign, task=found.key, recipe=recipe, digest=digest, unfinished=True)
        try:
            ids = _add_members(pool, members, names)
            with rechecked_together(campaign=campaign, actor=actor), transaction.atomic():
                lock_open(campaign)
                _require_same_runs(campaign, members)
                leaving = 0 if minus_judged else _judged_that_leave(newest, ids, drop_judged)
                pool.unfinished = False
                pool.save(update_fields=["unfinished"])
                recheck_done_work(campaign=campaign, actor=actor, only=Q(topic__task=found.key))
                data = {"task": found.key, "items": len(names), "digest": digest, "judged_items_left": leaving}
                record_activity(actor=actor, action="pool.build", campaign=campaign, about=pool, data=data)
                # What can't be kept is counted by its page.
                transaction.on_commit(lambda: counts_of(pool), robust=True)
        except BaseException:
            _remove_unfinished(campaign)
            raise
        return pool


def pool_values(newest: Pool | None) -> dict[str, int]:
    """Return what a new pool of a task replaces: the id of the current pool, or 0 if there is none."""
    return {"pool": newest.pk if newest is not None else 0}


def _sampling_of(members: Members, name: ItemKey) -> tuple[str, float, int | None]:
    """Return the stratum, inclusion probability and place of a member: "" and 1 if no strategy drew it, and None if its
    kind has no order.
    """
    place = members.places.get(name)
    entry = members.selected.entries.get(name) if members.selected is not None else None
    if entry is None or members.selected is None:
        return "", 1.0, place
    return entry.stratum, entry.probability, members.selected.places.get(name, place)


def task_named(campaign: Campaign, key: str) -> Task:
    """Return the task of the campaign's track with this key.

    Raises `Invalid`, with the known tasks, if there is none.
    """
    track = track_of(campaign)
    found = track.task(key)
    if found is None:
        raise Invalid(
            gettext("There is no task “%(key)s”. Use one of: %(tasks)s.")
            % {"key": key, "tasks": ", ".join(task.key for task in track.tasks)}
        )
    return found


def _nothing(task: Task) -> Sentence:
    if all(recipe.priorities_setting for recipe in task.pooling):
        return Sentence(
            "No accepted run of these priorities answers “%(task)s”, so there is nothing to pool.", task=task.label
        )
    return Sentence("No accepted run answers “%(task)s”, so there is nothing to pool.", task=task.label)


def _require_same_runs(campaign: Campaign, members: Members) -> None:
    """Refuse if a run was added or withdrawn while the files were read."""
    if contributing_runs(campaign, members.choices) != members.runs:
        raise Conflict(gettext("A run came in or was withdrawn while the pool was built. Build it again."))


def _add_given(campaign: Campaign, members: Members) -> None:
    """Add missing items that topics give, and update those that topics now describe differently."""
    given = [record for name, record in members.missing.items() if name in members.given]
    add_items(campaign=campaign, topics=members.topics, records=given, given=True)
    _take_over(members)


def _add_members(pool: Pool, members: Members, names: Sequence[ItemKey]) -> set[int]:
    """Add the missing items and then the pool's rows, in pieces, each in a transaction of its own. Return the items'
    ids.

    Refused if topics are removed meanwhile. If the process is killed, the items stay, and the next pool has them.
    """
    ranked = [record for name, record in members.missing.items() if name not in members.given]
    try:
        for records in _pieces(ranked):
            with transaction.atomic():
                lock_open(pool.campaign)  # or a document stored at this moment would be missed by its items
                add_items(campaign=pool.campaign, topics=members.topics, records=records)
        ids = {**members.stored, **known_items(members.topics, members.missing)}
        for piece in _pieces(names):
            rows = [(pool.pk, ids[name], *_sampling_of(members, name)) for name in piece]
            with transaction.atomic():
                add_rows(PoolItem, COLUMNS, rows)
        return set(ids.values())
    except (IntegrityError, KeyError) as error:
        raise Conflict(gettext("Topics were removed while the pool was built. Build it again.")) from error


def _pieces(members: Sequence[Member]) -> Iterator[Sequence[Member]]:
    for first in range(0, len(members), PIECE):
        yield members[first : first + PIECE]


def _remove_unfinished(campaign: Campaign) -> None:
    """Remove what builds left behind that failed or were killed. Nobody else may build meanwhile."""
    for pool in Pool.with_unfinished.filter(campaign=campaign, unfinished=True):
        while rows := list(PoolItem.objects.filter(pool=pool).order_by("pk").values_list("pk", flat=True)[:PIECE]):
            PoolItem.objects.filter(pool=pool, pk__lte=rows[-1]).delete()
        pool.delete()


def _take_over(members: Members) -> None:
    """Update the text and fields of given items that nobody has judged yet to what their topic now gives."""
    there = {pk: members.given[name] for name, pk in members.stored.items() if name in members.given}
    items = Item.objects.filter(topic__in=members.topics.values(), given=True, judgments=None) if there else []
    changed = []
    for item in items:
        record = there.get(item.pk)
        if record is not None and (item.text, item.docno, item.fields) != (
            record.text,
            record.docno,
            dict(record.fields),
        ):
            item.text, item.docno, item.fields = record.text, record.docno, dict(record.fields)
            changed.append(item)
    Item.objects.bulk_update(changed, ["text", "docno", "fields"], batch_size=500)


def _without_scores(recipe: dict[str, Any]) -> dict[str, Any]:
    """Return the recipe without the scores that selected the best runs, since the same runs make the same pool."""
    if "best" not in recipe:
        return recipe
    return {**recipe, "best": {kind: {**best, "scores": {}} for kind, best in recipe["best"].items()}}


def _digest(recipe: dict[str, Any], members: Iterable[ItemKey]) -> str:
    """Return the SHA-256 of the recipe and the members' keys. Row ids are left out, so that copies of a pool agree."""
    digest = hashlib.sha256(json.dumps(recipe, sort_keys=True, ensure_ascii=False).encode())
    for member in members:
        digest.update("\0".join(member).encode(errors="surrogatepass") + b"\n")
    return digest.hexdigest()


def _judged_that_leave(newest: Pool | None, members: set[int], drop_judged: bool) -> int:
    """Return how many judged items of the newest pool are not among the members; refused unless ``drop_judged``."""
    if newest is None:
        return 0
    leaving = len(_judged_in(newest, topic__dropped=False) - members)
    if leaving and not drop_judged:
        raise Conflict(
            Sentence(
                "%(count)s judged item would leave the pool of %(found)s, since the new one takes "
                "them from no run. Their judgments are kept and exported all the same. Build it with “drop "
                "judged items” if that is what you want.",
                "%(count)s judged items would leave the pool of %(found)s, since the new one takes "
                "them from no run. Their judgments are kept and exported all the same. Build it with “drop "
                "judged items” if that is what you want.",
                leaving,
                count=leaving,
                found=task_named(newest.campaign, newest.task).label,
            )
        )
    return leaving


def _judged_in(pool: Pool, **where: Any) -> set[int]:
    """Return the ids of the pool's items that were judged or marked."""
    items = Item.objects.filter(pool_items__pool=pool, **where).order_by()
    graded = items.filter(judgments__isnull=False).values_list("pk", flat=True).distinct()
    return {*graded, *items.filter(marked()).values_list("pk", flat=True)}


# The plan: what building a pool would do.


@dataclass(frozen=True, kw_only=True, slots=True)
class KindPlan:
    """The planned items of one kind: ``items`` in all, of which ``new`` are added; ``leaving`` go out of the pool."""

    kind: str
    items: int
    new: int
    leaving: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolPlan:
    """The plan of a pool: ``items`` = kept + new. ``leaving`` counts items that would leave the current pool, even
    judged ones.

    ``kinds`` gives the numbers by kind, in the order of the task's recipes. ``priorities`` is empty if all runs count,
    and ``judged_topics`` if all topics are judged.
    """

    runs: int
    priorities: tuple[int, ...]
    judged_topics: tuple[str, ...]
    items: int
    topics: int
    kept: int
    new: int
    leaving: int
    leaving_judged: int
    kinds: tuple[KindPlan, ...]

    @property
    def changes_nothing(self) -> bool:
        """Whether the current pool has exactly these items."""
        return not self.new and not self.leaving


def pool_plan(
    campaign: Campaign, task: Task, priorities: Iterable[int] | None = None, selection: Selection | None = None
) -> PoolPlan:
    """Return what building a task's next pool would change, without writing a pool.

    Refuses what `pool_members` refuses. A bounded number of queries; ranked files are read as for building.
    """
    members = pool_members(campaign, task, priorities, selection)
    newest = current_pools(campaign).filter(task=task.key).first()
    present: dict[int, str] = {}
    if newest is not None:
        present = dict(newest.pool_items.filter(COUNTED).order_by().values_list("item_id", "item__kind"))
    leaving = present.keys() - members.stored.values()
    left = Counter(present[pk] for pk in leaving)
    judged: set[int] = set()
    if leaving and newest is not None:
        judged = _judged_in(newest)
    kept = Counter(kind for (_, kind, _), pk in members.stored.items() if pk in present)
    items = Counter(map(KIND, members.stored)) + Counter(map(KIND, members.missing))
    order = dict.fromkeys([*(recipe.kind for recipe in task.pooling), *sorted(left)])
    first = members.choices[0].priorities
    return PoolPlan(
        runs=len(members.runs),
        priorities=first or (),
        judged_topics=members.numbers,
        items=items.total(),
        topics=len(set(map(TOPIC, members.stored)).union(map(TOPIC, members.missing))),
        kept=kept.total(),
        new=items.total() - kept.total(),
        leaving=len(leaving),
        leaving_judged=len(leaving & judged),
        kinds=tuple(
            KindPlan(
                kind=kind,
                items=items[kind],
                new=items[kind] - kept[kind],
                leaving=left[kind],
            )
            for kind in order
        ),
    )
