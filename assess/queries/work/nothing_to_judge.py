"""Work in which there is nothing to judge: nobody needs to do anything for it, and it counts as finished."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assess.kinds.base import Tally
from assess.models import Assignment
from assess.queries.judging.workbench import waiting_reasons
from assess.queries.pools.membership import current_pools
from assess.queries.tracks import stage_of


def work_with_nothing(assignments: Iterable[Assignment], tallies: Mapping[int, Tally]) -> set[int]:
    """The ids of work that is not done and holds nothing to do, though its pool is built and it waits for nobody.

    No query where all work holds something, else two or three.
    """
    bare = [
        each
        for each in assignments
        if each.pk in tallies and not tallies[each.pk].total and each.state != Assignment.State.DONE
    ]
    if not bare:
        return set()
    waiting = waiting_reasons(bare)
    pooled = set(current_pools(bare[0].campaign).values_list("task", flat=True))
    tasks = {each.pk: stage_of(each.campaign, each.stage)[0] for each in bare}
    return {pk for pk, task in tasks.items() if pk not in waiting and (not task.pooling or task.key in pooled)}
