"""How far adjudicators are: of the disagreements in their topics, how many are decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from assess.adjudication.queries.disagreements import stage_disagreements
from assess.assignments.models import Assignment
from assess.campaigns.tracks import stage_of
from assess.kinds.base import Tally

UNIT = "disagreements"


def adjudicator_tallies(assignments: Iterable[Assignment]) -> dict[int, Tally]:
    """The tally of each adjudicator's work in whose topic somebody disagrees; others are left out.

    Where the spread is the weight, what was decided before counts, and nothing waits.
    Without a disagreement, an adjudicator to whom a topic was handed out judges all of it. One query, or those of
    `disagreements`, for each criterion of a stage among them; none where there is no adjudicator.
    """
    by_stage: dict[tuple[int, str], list[Assignment]] = {}
    for each in assignments:
        if each.role == Assignment.Role.ADJUDICATOR:
            by_stage.setdefault((each.campaign_id, each.stage), []).append(each)
    tallies: dict[int, Tally] = {}
    for group in by_stage.values():
        campaign = group[0].campaign
        _, stage = stage_of(campaign, group[0].stage)
        topics = {each.topic_id for each in group}
        total: Counter[int] = Counter()
        decided: Counter[int] = Counter()
        for row in stage_disagreements(campaign, stage, topics):
            if stage.spread_is_weight and row.decided is None:
                continue
            total[row.topic_id] += 1
            decided[row.topic_id] += row.decided is not None
        for each in group:
            if total[each.topic_id]:
                tallies[each.pk] = Tally(done=decided[each.topic_id], total=total[each.topic_id], unit=UNIT)
    return tallies
