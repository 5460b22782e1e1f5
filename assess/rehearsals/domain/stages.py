"""Playing one stage: grading of what runs return, or nuggets found in their strings."""

from __future__ import annotations

from functools import partial
from typing import Any

from assess.base.errors import Invalid
from assess.base.wording import counted
from assess.campaigns.models import Campaign
from assess.campaigns.tracks import settings_of
from assess.jobs.progress import Progress, Tell
from assess.protocol import Stage, Task
from assess.rehearsals.domain.choices import Wish, as_sentence
from assess.rehearsals.domain.inputs import (
    DEFAULT_DEPTH,
    assessors_of,
    is_ranked,
    measure_of,
    rankings_of,
    recipe_of,
    seconds_of,
    simulated_runs,
    strings_of,
)
from assess.rehearsals.domain.outcomes import StagePlayed, cautions
from scoring.pooling import Recipe
from scoring.rehearsal import Plan, expected_agreement, rehearse
from scoring.rehearsal_nuggets import NuggetPlan, rehearse_nuggets

DOUBLES = (0.0, 0.1, 0.25, 0.5, 1.0)
MOST_ROUNDS = 500_000
"""Topics × runs × plays × ways that are played at most: some minutes."""


def play_grading(
    campaign: Campaign, task: Task, stage: Stage, topics: tuple[str, ...], wish: Wish, progress: Tell
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
    campaign: Campaign, task: Task, stage: Stage, topics: tuple[str, ...], wish: Wish, progress: Tell
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
    campaign: Campaign, task: Task, stage: Stage, topics: tuple[str, ...], wish: Wish, progress: Tell
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


def _tell(progress: Tell, stage: Stage, done: int, total: int) -> None:
    progress(Progress(done=done, total=total, unit="plays", note=stage.label))
