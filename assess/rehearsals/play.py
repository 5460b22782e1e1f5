"""Rehearsals: a campaign's own topics, pools and stages, played by simulated runs and assessors. Nothing is written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from assess.assignments.queries.topics import topics_to_judge
from assess.base.errors import Invalid
from assess.base.wording import counted
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of, stage_of, track_of
from assess.jobs.progress import JobProgress, ReportProgress, no_report
from assess.protocol import Stage, Task
from assess.rehearsals.choices import (
    DEFAULT_DEPTH,
    Wish,
    as_sentence,
    assessors_of,
    is_ranked,
    measure_of,
    rankings_of,
    recipe_of,
    require_playable,
    seconds_of,
    simulated_runs,
    strings_of,
)
from assess.rehearsals.simulated_nuggets import NuggetPlan, rehearse_nuggets
from assess.rehearsals.simulation import Outcome, Plan, expected_agreement, rehearse
from scoring.pooling import Recipe

# What comes of a rehearsal, and what not to read into it.

FEW_RUNS = 10
"""Below so many, one pair of runs moves tau by more than 0.04."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StagePlayed:
    """One stage: what was taken as given, in words, and what came of it, planned, by size and by share judged twice.

    ``expected_agreement`` is the share of equal judgments that the error rate leads to by itself; None for nuggets.
    """

    stage: str
    label: str
    given: tuple[str, ...]
    size_label: str
    planned: Outcome
    by_size: tuple[Outcome, ...]
    by_double: tuple[Outcome, ...]
    expected_agreement: float | None
    cautions: tuple[str, ...] = ()
    """What not to read into the numbers, in sentences."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Played:
    """All stages that were played, and sentences on those that were not."""

    wish: Wish
    stages: tuple[StagePlayed, ...]
    left_out: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values, as files and the API hold them."""
        found: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return found


def cautions(runs: int, by_size: Sequence[Outcome], size_label: str) -> tuple[str, ...]:
    """What not to read into a stage's numbers: ranges of tau with few runs, sizes that are no different.

    >>> cautions(4, (), "")[0][:63]
    'With 4 runs a single pair that changes places moves tau by 0.33'
    """
    found = []
    if runs < FEW_RUNS:
        found.append(
            f"With {runs} runs a single pair that changes places moves tau by {4 / (runs * (runs - 1)):.2f}, so its "
            f"ranges are mostly chance: compare ways by it only with {FEW_RUNS} runs or more (simulated ones will do)."
        )
    same = [
        str(each.size)
        for place, each in enumerate(by_size)
        if any(other.items == each.items for other in (*by_size[:place], *by_size[place + 1 :]))
    ]
    if same:
        found.append(
            f"{size_label} {', '.join(same[:-1])} and {same[-1]} lead to the same numbers: the runs return nothing "
            "further that could be pooled."
        )
    return tuple(found)


# Playing one stage: grading of what runs return, or nuggets found in their strings.

DOUBLES = (0.0, 0.1, 0.25, 0.5, 1.0)
MOST_ROUNDS = 500_000
"""Topics × runs × plays × ways that are played at most: some minutes."""


def play_grading(
    campaign: Campaign, task: Task, stage: Stage, topics: tuple[str, ...], wish: Wish, progress: ReportProgress
) -> StagePlayed:
    """A stage on which items are graded. Refused: what would take very long."""
    try:
        plan, given, label = _plan(campaign, task, stage, topics, wish, progress)
        runs = max(plan.runs, len(plan.rankings or ()))
        _require_short(stage, len(topics) * runs * plan.plays * (1 + len(plan.sizes) + len(plan.doubles)))
        found = rehearse(plan, tell=partial(_tell, progress, stage))
    except ValueError as error:
        raise Invalid(as_sentence(str(error))) from error
    return StagePlayed(
        stage=stage.key,
        label=stage.label,
        given=given,
        size_label=label,
        planned=found.planned,
        by_size=found.by_size,
        by_double=found.by_double,
        expected_agreement=expected_agreement(wish.error, plan.grades),
        cautions=cautions(runs, found.by_size, label),
    )


def _plan(
    campaign: Campaign, task: Task, stage: Stage, topics: tuple[str, ...], wish: Wish, progress: ReportProgress
) -> tuple[Plan, tuple[str, ...], str]:
    """The plan of a grading stage, what it takes as given in words, and what its sizes are called."""
    seconds, paced = seconds_of(campaign, stage, wish)
    assessors = assessors_of(campaign, wish)
    common: dict[str, Any] = {
        "topics": topics,
        "grades": max([2, *(len(each.grades) for each in stage.criteria)]),
        "assessors": assessors,
        "error": wish.error,
        "seconds_per_item": seconds,
        "double": wish.double,
        "doubles": DOUBLES,
        "plays": wish.plays,
        "seed": wish.seed,
    }
    said = [counted(len(topics), "topic"), counted(assessors, "assessor"), paced]
    if not is_ranked(campaign, task, stage):
        strings = strings_of(campaign, task)
        runs = simulated_runs(campaign, wish)
        said += [
            f"{counted(runs, 'simulated run')} of {counted(strings, 'string')} a topic",
            "everything that runs return is judged",
        ]
        plan = Plan(
            **common,
            recipe=Recipe(depth=strings),
            measure="SetF",
            runs=runs,
            documents=max(4 * strings, 20),
            returned=strings,
            relevant=min(max(wish.relevant, 1), strings),
        )
        return plan, tuple(said), ""
    recipe, made = recipe_of(campaign, task, stage)
    size = recipe.budget or recipe.deepest or DEFAULT_DEPTH
    sizes = tuple(sorted({max(1, size // 4), max(1, size // 2), size, 2 * size}))
    if recipe.budget is None and recipe.depth is None:
        sizes = ()
    rankings = rankings_of(campaign, stage, topics, 2 * size, progress) if wish.runs is None else {}
    is_real = len(rankings) > 1
    runs = 20 if wish.runs is None else wish.runs
    said += [made, f"{len(rankings)} accepted runs" if is_real else f"{runs} simulated runs"]
    documents = max(500, 5 * size)
    plan = Plan(
        **common,
        recipe=recipe,
        measure=measure_of(campaign),
        runs=0 if is_real else runs,
        rankings=rankings if is_real else None,
        documents=documents,
        returned=min(documents, max(2 * size, 100)),
        relevant=min(max(wish.relevant, 1), documents),
        sizes=sizes,
    )
    return plan, tuple(said), "Budget" if recipe.budget is not None else "Depth"


def play_nuggets(
    campaign: Campaign, task: Task, stage: Stage, topics: tuple[str, ...], wish: Wish, progress: ReportProgress
) -> StagePlayed:
    """A stage on which nuggets are found in strings. Refused: what would take very long."""
    seconds, paced = seconds_of(campaign, stage, wish)
    settings, assessors = settings_of(campaign), assessors_of(campaign, wish)
    strings = strings_of(campaign, task)
    runs = simulated_runs(campaign, wish)
    try:
        plan = NuggetPlan(
            topics=topics,
            runs=runs,
            strings=strings,
            beta=float(getattr(settings, "beta", 3.0)),
            allowance=int(getattr(settings, "allowance", 100)),
            assessors=assessors,
            error=wish.error,
            seconds_per_item=seconds,
            double=wish.double,
            doubles=DOUBLES,
            plays=wish.plays,
            seed=wish.seed,
        )
    except ValueError as error:
        raise Invalid(as_sentence(str(error))) from error
    _require_short(stage, len(topics) * runs * plan.plays * (1 + len(plan.doubles)))
    planned, *by_double = rehearse_nuggets(plan, tell=partial(_tell, progress, stage))
    return StagePlayed(
        stage=stage.key,
        label=stage.label,
        given=(
            counted(len(topics), "topic"),
            counted(assessors, "assessor"),
            paced,
            f"{counted(runs, 'simulated run')} of {counted(strings, 'string')} a topic",
            f"{plan.vital} vital and {plan.okay} okay nuggets a topic",
        ),
        size_label="",
        planned=planned,
        by_size=(),
        by_double=tuple(by_double),
        expected_agreement=None,
        cautions=cautions(runs, (), ""),
    )


def _require_short(stage: Stage, rounds: int) -> None:
    if rounds > MOST_ROUNDS:
        raise Invalid(f"{stage.label}: this would take very long. Ask for fewer plays or runs.")


def _tell(progress: ReportProgress, stage: Stage, done: int, total: int) -> None:
    progress(JobProgress(done=done, total=total, unit="plays", note=stage.label))


# Playing a campaign from its pools to its scores, as often as is wished.

NUGGETS = "matches"
UNTOUCHED = {
    "nuggets": "Writing nuggets is not simulated: reckon with the time of the pilot topics.",
    "votes": "Votes are not simulated: they take seconds a nugget.",
    "classes": "Grouping answers is not simulated: reckon with seconds a correct answer.",
    "picks": "Picking is not simulated: reckon with the time of the pilot topics.",
}


def play_campaign(campaign: Campaign, wish: Wish, *, progress: ReportProgress = no_report) -> Played:
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
