"""Done assignments in which there is something to do again, because a pool, a list or a scale has grown.

Whether an assignment is done is stored with it (`Assignment.state`), but its open items follow from pools, lists,
judgments and settings. Code that may change any of these calls `recheck_done_work`. The module is this low in the
layers because runs and topics, which are below assignments, call it as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from assess.campaigns.activity import record_on_each
from assess.campaigns.models import Campaign
from assess.campaigns.queries import lease_end, stage_of
from assess.kinds.base import Tally, work_kind

if TYPE_CHECKING:
    from assess.assignments.models import Assignment

OPENED_AGAIN = Q(state="started", done_at__isnull=False)
"""The condition for assignments that this function reopened: they keep the time at which they were done."""

CHANGED = ("state", "done_at", "lease_until")

_WAITING: ContextVar[set[int] | None] = ContextVar("topics_to_recheck", default=None)
"""The topics (ids) to check when the block of `rechecked_together` ends."""


def recheck_done_work(
    *,
    campaign: Campaign,
    actor: AbstractBaseUser | None = None,
    topics: Iterable[int] | None = None,
    only: Q | None = None,
) -> None:
    """Reopen done assignments that have open items again, and mark them as done again when they have none.

    Call it after every change that may add or remove something to do in done assignments, in the transaction of the
    change. ``topics`` (ids) and ``only`` narrow which assignments are checked. Assignments of machine judges and of
    dropped topics are never checked. Nor are those of a campaign that is being imported, since each gets the state that
    it has in the release. One query if there is no such done assignment, otherwise those of the tallies of its kinds;
    one more after the commit, since somebody who does not see the change yet may mark an assignment as done meanwhile.
    """
    whole = Q(topic__dropped=False, campaign__unfinished_import=None)
    waiting = _WAITING.get()
    if waiting is not None and topics is not None:
        waiting.update(topics)
        return
    works = campaign.assignments.exclude(role="machine").filter(Q(state="done") | OPENED_AGAIN, whole)
    works = works.filter(only) if only is not None else works
    if topics is not None:
        works = works.filter(topic__in=set(topics))
    is_seen = not transaction.get_connection().in_atomic_block
    looked = _recheck(campaign, works, actor)
    if not is_seen:
        transaction.on_commit(partial(_recheck, campaign, works.exclude(pk__in=looked), actor), robust=True)


@contextmanager
def rechecked_together(*, campaign: Campaign, actor: AbstractBaseUser) -> Iterator[set[int]]:
    """Check the done assignments of all topics that change within the block once, at its end.

    For changes of very many assignments, each in its own transaction or in one that ends within the block. Yields the
    set of topic ids to check; a caller that undoes a change removes its topics from it.
    """
    topics: set[int] = set()
    token = _WAITING.set(topics)
    try:
        yield topics
    finally:
        _WAITING.reset(token)
    if topics:
        recheck_done_work(campaign=campaign, actor=actor, topics=topics)


def _recheck(campaign: Campaign, works: QuerySet[Assignment], actor: AbstractBaseUser | None) -> list[int]:
    """Check these assignments and return their ids. One query, and no transaction, if there are none."""
    if not works.exists():
        return []
    with transaction.atomic():
        locked = works.order_by("pk").select_for_update(no_key=True, of=("self",))
        found = list(locked.select_related("topic", "topic__parent", "assessor"))
        said: list[tuple[str, Assignment, dict[str, Any]]] = []
        for work, tally in _with_tallies(campaign, found):
            if work.state == "done" and tally.left:
                work.state, work.done_at = "started", work.done_at or timezone.now()
                work.lease_until = lease_end(work.campaign)
                said.append(("assignment.grow", work, _activity_data(work, tally.left)))
            elif work.state != "done" and not tally.left:
                work.state, work.lease_until = "done", None
                said.append(("assignment.shrink", work, _activity_data(work, 0)))
        works.model.objects.bulk_update([work for _, work, _ in said], CHANGED, batch_size=200)
        record_on_each(actor=actor, campaign=campaign, said=said)
    return [work.pk for work in found]


def _with_tallies(campaign: Campaign, works: list[Assignment]) -> Iterable[tuple[Assignment, Tally]]:
    by_kind: dict[str, list[Assignment]] = {}
    for work in works:
        work.campaign = work.topic.campaign = campaign
        by_kind.setdefault(stage_of(campaign, work.stage)[1].work.key, []).append(work)
    for kind, group in by_kind.items():
        tallies = work_kind(kind).tally(group)
        yield from ((work, tallies[work.pk]) for work in group if work.pk in tallies)


def _activity_data(work: Assignment, left: int) -> dict[str, Any]:
    return {"topic": work.topic.number, "stage": work.stage, "assessor": work.assessor_id, "left": left}
