"""What somebody says of a rehearsal, and what it takes from the campaign as given."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Avg, Count, Sum

from assess.assignments.queries.who_can_be_given_work import people_of
from assess.base.errors import Invalid
from assess.campaigns.models import Campaign, Role
from assess.campaigns.queries import settings_of, track_of
from assess.items.queries import current_pools
from assess.jobs.progress import JobProgress, ReportProgress
from assess.judging.models import Judgment
from assess.protocol import Stage, Task
from assess.rehearsals.simulation import Plan
from assess.runs.domain.checking import run_content
from assess.runs.models import Segment
from assess.runs.queries import accepted_runs
from scoring.measures import parse
from scoring.pooling import Recipe, first_docnos, read_recipe

DEFAULT_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """What somebody says of the rehearsal; None takes what the campaign says.

    ``runs``: so many simulated ones (None: the accepted runs where two or more are ranked, else 20). ``error``: how
    often an assessor gives another grade than the true one; ``double``: share of topics judged twice; ``relevant``:
    relevant documents a topic; ``plays``: how often it is played.
    """

    runs: int | None = None
    assessors: int | None = None
    error: float = 0.1
    seconds_per_item: float | None = None
    double: float = 0.0
    relevant: int = 30
    plays: int = 5
    seed: int = 1


def wish_of(values: dict[str, Any]) -> Wish:
    """The wish that a form, a command or a stored job says; what is left out or None has its default."""
    known = {name: value for name, value in values.items() if name in Wish.__slots__ and value is not None}
    return replace(Wish(), **known)


def require_playable(wish: Wish) -> None:
    """Refuse (`Invalid`) numbers that no campaign can be played with."""
    try:
        Plan(
            topics=("any",),
            recipe=Recipe(depth=1),
            runs=2 if wish.runs is None else wish.runs,
            documents=100_000,
            relevant=wish.relevant,
            returned=1,
            assessors=1 if wish.assessors is None else wish.assessors,
            error=wish.error,
            seconds_per_item=DEFAULT_SECONDS if wish.seconds_per_item is None else wish.seconds_per_item,
            double=wish.double,
            plays=wish.plays,
            seed=wish.seed,
        )
    except ValueError as error:
        raise Invalid(as_sentence(str(error))) from error


def as_sentence(text: str) -> str:
    """What a refusal of the library says, as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."


# What a rehearsal takes from the campaign as given: people, pace, rankings, the recipe of its pool.

DEFAULT_STRINGS = 10
DEFAULT_DEPTH = 100


def assessors_of(campaign: Campaign, wish: Wish) -> int:
    """How many assessors: as asked, else the campaign's, else two."""
    if wish.assessors is not None:
        return wish.assessors
    return len(people_of(campaign, Role.ASSESSOR)) or 2


def simulated_runs(campaign: Campaign, wish: Wish) -> int:
    """How many runs are simulated: as asked, else as many as there are."""
    return max(accepted_runs(campaign).count(), 2) if wish.runs is None else wish.runs


def seconds_of(campaign: Campaign, stage: Stage, wish: Wish) -> tuple[float, str]:
    """Active seconds an item, and where that comes from: the wish, what was measured here, else the default."""
    if wish.seconds_per_item is not None:
        return wish.seconds_per_item, f"{wish.seconds_per_item:g} seconds an item"
    timed = Judgment.objects.filter(
        assignment__campaign=campaign, assignment__stage=stage.key, seconds__isnull=False
    ).order_by()
    spent = timed.aggregate(spent=Sum("seconds"))["spent"]
    items = timed.values("item", "assessor").distinct().count()
    if not spent or not items:
        return DEFAULT_SECONDS, f"{DEFAULT_SECONDS:g} seconds an item, since nothing was timed yet"
    return spent / items, f"{spent / items:.1f} seconds an item, as measured on {items:,}"


def strings_of(campaign: Campaign, task: Task) -> int:
    """How many strings a response has on average, in accepted runs; the default without any."""
    returned = Segment.objects.filter(response__run__in=accepted_runs(campaign), response__topic__task=task.key)
    counts = returned.order_by().values("response").annotate(count=Count("pk"))
    mean = counts.aggregate(mean=Avg("count"))["mean"]
    return max(1, round(mean)) if mean else DEFAULT_STRINGS


def is_ranked(campaign: Campaign, task: Task, stage: Stage) -> bool:
    """Whether runs rank what this stage judges."""
    kinds = [each for each in track_of(campaign).submissions if task.key in each.tasks]
    return any(each.ranking(stage.item_kind) is not None for each in kinds)


def recipe_of(campaign: Campaign, task: Task, stage: Stage) -> tuple[Recipe, str]:
    """The recipe of the newest pool where it was selected by one, else the depth that the settings say."""
    newest = current_pools(campaign).filter(task=task.key).first()
    kept = newest.recipe.get("selection", {}).get("recipe") if newest is not None else None
    if isinstance(kept, dict):
        recipe = replace(read_recipe(json.dumps(kept)), priorities=None)
        if recipe.strategy == "priority":
            return Recipe(depth=recipe.deepest), f"a pool of depth {recipe.deepest}, whatever a run's priority"
        return recipe, f"the newest pool's recipe ({recipe.strategy})"
    setting = next((each.depth_setting for each in task.pooling if each.kind == stage.item_kind), "")
    depth = int(getattr(settings_of(campaign), setting)) if setting else DEFAULT_DEPTH
    return Recipe(depth=depth), f"a pool of depth {depth}"


def rankings_of(
    campaign: Campaign, stage: Stage, topics: tuple[str, ...], depth: int, progress: ReportProgress
) -> dict[str, dict[str, tuple[str, ...]]]:
    """What accepted runs rank highest, by tag and topic."""
    wanted = set(topics)
    found = {}
    runs = list(accepted_runs(campaign))
    for done, run in enumerate(runs):
        progress(JobProgress(done=done, total=len(runs), unit="runs", note=f"reading {run.tag}"))
        content = run_content(campaign, run)
        if content.submission.ranking(stage.item_kind) is not None:
            lines = (line for line in content.ranking(stage.item_kind) if line.topic in wanted)
            found[run.tag] = first_docnos(lines, depth)
    return found


def measure_of(campaign: Campaign) -> str:
    """The first official measure that ranked lists have by themselves; else average precision."""
    for column in track_of(campaign).scoring.measures:
        if column.official:
            try:
                return str(parse(column.key))
            except ValueError:
                continue
    return "AP"
