"""Done assignments in which there is something to do again, because a pool, a list or a scale has grown.

Whether an assignment is done is stored with it (`Assignment.state`), but its open items follow from pools, lists,
judgments and settings. Code that may change any of these calls `recheck_done_work`. The module is this low in the
layers because runs and topics, which are below assignments, call it as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from assess.campaigns.activity import record_activities
from assess.campaigns.models import Campaign
from assess.campaigns.queries import lease_end, stage_of
from assess.kinds.base import Tally, work_kind

if TYPE_CHECKING:
    from assess.assignments.models import Assignment

OPENED_AGAIN = Q(state="started", done_at__isnull=False)
"""The condition for assignments that `recheck_done_work` reopened: they keep the time at which they were done."""

AT_ONCE = 20
"""How many assignments are locked and checked in one transaction, if the caller has none of its own."""

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
    it has in the release. One query if there is no such done assignment, otherwise also those of the tallies. One more
    after the commit, since somebody who does not see the change yet may mark an assignment as done meanwhile.

    The tallies of thousands of assignments take seconds. Changes that may concern as many call it in a block of
    `rechecked_together`, for which ``only`` narrows the topics. Outside of a transaction, nothing is locked but
    assignments whose state changes, a few at once.
    """
    whole = Q(topic__dropped=False, campaign__unfinished_import=None)
    waiting = _WAITING.get()
    if waiting is not None:
        if topics is None:
            topics = campaign.assignments.filter(only or Q()).order_by().values_list("topic_id", flat=True).distinct()
        waiting.update(topics)
        return
    works = campaign.assignments.exclude(role="machine").filter(Q(state="done") | OPENED_AGAIN, whole)
    works = works.filter(only) if only is not None else works
    if topics is not None:
        works = works.filter(topic__in=set(topics))
    if transaction.get_connection().in_atomic_block:
        looked = _recheck(campaign, works, actor)
        transaction.on_commit(lambda: _recheck(campaign, works.exclude(pk__in=looked), actor), robust=True)
        return
    changed = _changed(campaign, works)  # nobody waits for this
    for first in range(0, len(changed), AT_ONCE):
        _recheck(campaign, works.filter(pk__in=changed[first : first + AT_ONCE]), actor)


@contextmanager
def rechecked_together(*, campaign: Campaign, actor: AbstractBaseUser) -> Iterator[set[int]]:
    """Check the done assignments of all topics that change within the block once, at its end.

    For changes of very many assignments, each in its own transaction or in one that ends within the block, so that the
    locks of the change are not held meanwhile. Yields the set of topic ids to check; a caller that undoes a change
    removes its topics from it. Outside of a transaction, a failure of the check is logged and not raised, since the
    change is stored.
    """
    topics: set[int] = set()
    token = _WAITING.set(topics)
    try:
        yield topics
    finally:
        _WAITING.reset(token)
    if not topics:
        return
    if transaction.get_connection().in_atomic_block:
        _recheck_topics(campaign, actor, topics)
    else:
        transaction.on_commit(lambda: _recheck_topics(campaign, actor, topics), robust=True)  # at once


def _recheck_topics(campaign: Campaign, actor: AbstractBaseUser, topics: set[int]) -> None:
    now = Campaign.objects.get(pk=campaign.pk)  # its settings or design may have changed meanwhile
    recheck_done_work(campaign=now, actor=actor, topics=topics)


def _changed(campaign: Campaign, works: QuerySet[Assignment]) -> list[int]:
    """Return the ids of the assignments whose state is wrong: done with something left, or not done with nothing
    left.
    """
    found = list(works.order_by("pk").select_related("topic", "topic__parent", "assessor"))
    tallies = _with_tallies(campaign, found)
    return sorted(work.pk for work, tally in tallies if (work.state == "done") == bool(tally.left))


def _recheck(campaign: Campaign, works: QuerySet[Assignment], actor: AbstractBaseUser | None) -> list[int]:
    """Check these assignments and return their ids. One query, and no transaction, if there are none."""
    if not works.exists():
        return []
    with transaction.atomic():
        locked = works.order_by("pk").select_for_update(no_key=True, of=("self",))
        found = list(locked.select_related("topic", "topic__parent", "assessor"))
        acts: list[tuple[AbstractBaseUser | None, str, Assignment, dict[str, Any]]] = []
        for work, tally in _with_tallies(campaign, found):
            if work.state == "done" and tally.left:
                work.state, work.done_at = "started", work.done_at or timezone.now()
                work.lease_until = lease_end(work.campaign)
                acts.append((actor, "assignment.grow", work, _activity_data(work, tally.left)))
            elif work.state != "done" and not tally.left:
                work.state, work.lease_until = "done", None
                acts.append((actor, "assignment.shrink", work, _activity_data(work, 0)))
        works.model.objects.bulk_update([work for _, _, work, _ in acts], CHANGED, batch_size=200)
        record_activities(campaign=campaign, acts=acts)
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
