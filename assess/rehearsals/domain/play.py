"""Rehearsals: a campaign's own topics, pools and stages, played by simulated runs and assessors. Nothing is written.

What is known already is taken as it is: topics to judge, the recipe of the newest pool, the rankings of accepted runs,
the grades of each scale, the assessors and their pace. The rest is simulated (`scoring.rehearsal`).
"""

from __future__ import annotations

from assess.assignments.queries.topics import topics_to_judge
from assess.campaigns.models import Campaign
from assess.campaigns.tracks import stage_of, track_of
from assess.jobs.progress import Tell, quiet
from assess.rehearsals.domain.choices import Wish, require_playable
from assess.rehearsals.domain.outcomes import Played
from assess.rehearsals.domain.stages import play_grading, play_nuggets

NUGGETS = "matches"
UNTOUCHED = {
    "nuggets": "Writing nuggets is not simulated: reckon with the time of the pilot topics.",
    "votes": "Votes are not simulated: they take seconds a nugget.",
    "classes": "Grouping answers is not simulated: reckon with seconds a correct answer.",
    "picks": "Picking is not simulated: reckon with the time of the pilot topics.",
}


def play_campaign(campaign: Campaign, wish: Wish, *, progress: Tell = quiet) -> Played:
    """Play every stage that can be. Refused (`Invalid`): a wish that can't be played, and one that takes too long.

    Reads the campaign and writes nothing. Costs minutes where topics × runs × plays are many; says how far it is.
    ``progress`` may stop it by raising.
    """
    require_playable(wish)
    stages, left_out = [], []
    for task in track_of(campaign).tasks:
        topics = tuple(topics_to_judge(campaign).filter(task=task.key).values_list("number", flat=True))
        for named in task.stages:
            _, stage = stage_of(campaign, named.key)
            if not topics:
                left_out.append(f"{stage.label}: there are no topics to judge.")
            elif stage.work == "grade" and stage.criteria:
                stages.append(play_grading(campaign, task, stage, topics, wish, progress))
            elif stage.work == NUGGETS:
                stages.append(play_nuggets(campaign, task, stage, topics, wish, progress))
            else:
                left_out.append(f"{stage.label}: {UNTOUCHED.get(stage.work, 'This kind of work is not simulated.')}")
    return Played(wish=wish, stages=tuple(stages), left_out=tuple(left_out))
