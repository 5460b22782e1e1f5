"""An assignment that is locked while one thing is added to a ledger under it, and what that addition depends on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import transaction

from assess.assignments.domain.assignments import lock_assignment
from assess.assignments.models import Assignment
from assess.base.plain_reads import first_row
from assess.campaigns.queries import stage_of
from assess.items.models import Item
from assess.items.queries import are_pooled
from assess.protocol import Stage

IN_FORCE = """
(SELECT id FROM assess_guideline WHERE campaign_id = campaign.id ORDER BY version DESC LIMIT 1),
(SELECT max(id) FROM assess_pool WHERE campaign_id = campaign.id AND task = {task})
"""
"""SQL expressions to select beside a campaign: the ids of its current guidelines and of the task's current pool."""
AFTER_LOCK = f"""
SELECT campaign.state, topic.dropped, {IN_FORCE.format(task="topic.task")}
FROM assess_topic AS topic JOIN assess_campaign AS campaign ON campaign.id = topic.campaign_id WHERE topic.id = %s
"""


@dataclass(frozen=True, slots=True)
class HeldWork:
    """An assignment whose row is locked for one addition to a ledger, and what that addition depends on.

    ``assignment`` was read with the lock. The state of its campaign, whether its topic is dropped, ``guideline`` (the
    id of the current guidelines) and ``pool`` (the id of the current pool) were read after it: on PostgreSQL, a
    statement that waits for a lock sees all other rows as they were before the wait (docs/decisions/0006). ``item`` is
    the item for which the assignment is held, if any, and ``is_pooled`` says whether that pool contains it; they were
    read after the lock, too.
    """

    assignment: Assignment
    stage: Stage
    guideline: int | None
    pool: int | None
    item: Item | None = None
    is_pooled: bool = False

    @classmethod
    def of(cls, locked: Assignment) -> HeldWork:
        """Return a locked assignment with what a write under it depends on. One short statement."""
        found = first_row(AFTER_LOCK, [locked.topic_id])
        locked.campaign.state, locked.topic.dropped, guideline, pool = found or ("", True, None, None)
        return cls(locked, stage_of(locked.campaign, locked.stage)[1], guideline, pool)

    def are_pooled(self, items: Sequence[Item]) -> bool:
        """Return whether all these items, each given once, are in the current pool.

        No query for the item for which the assignment is held.
        """
        return (self.is_pooled and list(items) == [self.item]) or are_pooled(self.pool, items)


@contextmanager
def hold(assignment: Assignment) -> Iterator[HeldWork]:
    """Lock an assignment for one addition to a ledger. The block is a transaction or savepoint of its own, which
    `add_once` may undo.
    """
    with transaction.atomic():
        yield HeldWork.of(lock_assignment(assignment))
