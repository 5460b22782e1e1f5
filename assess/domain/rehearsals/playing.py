"""Rehearsals: a campaign's own topics, pools and stages, played by simulated runs and assessors. Nothing is written.

What is known already is taken as it is: topics to judge, the recipe of the newest pool, the rankings of accepted runs,
the grades of each scale, the assessors and their pace. The rest is simulated (`scoring.rehearsal`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.db.models import Avg, Count, Sum

from assess.domain.errors import Invalid
from assess.domain.jobs.progress import Progress, quiet
from assess.domain.scores.computing import run_content
from assess.models import Campaign, Judgment, Role, Segment
from assess.protocol import Stage, Task
from assess.queries.pools.membership import current_pools
from assess.queries.runs.listing import accepted_runs
from assess.queries.topics.listing import topics_to_judge
from assess.queries.tracks import settings_of, stage_of, track_of
from scoring.measures import parse
from scoring.pooling import Recipe, first_docnos, read_recipe
from scoring.rehearsal import Outcome, Plan, expected_agreement, rehearse
from scoring.rehearsal_nuggets import NuggetPlan, rehearse_nuggets

DEFAULT_SECONDS = 30.0
DEFAULT_STRINGS = 10
DEFAULT_DEPTH = 100
DOUBLES = (0.0, 0.1, 0.25, 0.5, 1.0)
MOST_ROUNDS = 500_000
"""Topics × runs × plays × ways that are played at most: some minutes."""
FEW_RUNS = 10
"""Below so many, one pair of runs moves tau by more than 0.04."""
NUGGETS = "matches"
UNTOUCHED = {
    "nuggets": "Writing nuggets is not simulated: reckon with the time of the pilot topics.",
    "votes": "Votes are not simulated: they take seconds a nugget.",
    "classes": "Grouping answers is not simulated: reckon with seconds a correct answer.",
    "picks": "Picking is not simulated: reckon with the time of the pilot topics.",
}


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


class Stopped(Exception):
    """Somebody asked to stop; nothing is kept."""


def play_campaign(
    campaign: Campaign,
    wish: Wish,
    *,
    progress: Callable[[Progress], None] = quiet,
    should_stop: Callable[[], bool] = lambda: False,
) -> Played:
    """Play every stage that can be. Refused (`Invalid`): a wish that can't be played, and one that takes too long.

    Reads the campaign and writes nothing. Costs minutes where topics × runs × plays are many; says how far it is.
    Raises `Stopped` where ``should_stop`` says so.
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
                stages.append(_graded(campaign, task, stage, topics, wish, _teller(stage, progress, should_stop)))
            elif stage.work == NUGGETS:
                stages.append(_nuggets(campaign, task, stage, topics, wish))
            else:
                left_out.append(f"{stage.label}: {UNTOUCHED.get(stage.work, 'This kind of work is not simulated.')}")
            if should_stop():
                raise Stopped
    return Played(wish=wish, stages=tuple(stages), left_out=tuple(left_out))


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
        raise Invalid(_sentence(str(error))) from error


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


# ---------------------------------------------------------------- grading


def _graded(
    campaign: Campaign, task: Task, stage: Stage, topics: tuple[str, ...], wish: Wish, tell: Callable[[int, int], bool]
) -> StagePlayed:
    try:
        plan, given, label = _plan(campaign, task, stage, topics, wish)
        rounds = len(topics) * max(plan.runs, len(plan.rankings or ())) * plan.plays
        if rounds * (1 + len(plan.sizes) + len(plan.doubles)) > MOST_ROUNDS:
            raise Invalid(f"{stage.label}: this would take very long. Ask for fewer plays or runs.")
        found = rehearse(plan, tell=tell)
    except ValueError as error:
        raise Invalid(_sentence(str(error))) from error
    if found is None:
        raise Stopped
    return StagePlayed(
        stage=stage.key,
        label=stage.label,
        given=given,
        size_label=label,
        planned=found.planned,
        by_size=found.by_size,
        by_double=found.by_double,
        expected_agreement=expected_agreement(wish.error, plan.grades),
        cautions=cautions(max(plan.runs, len(plan.rankings or ())), found.by_size, label),
    )


def _plan(
    campaign: Campaign, task: Task, stage: Stage, topics: tuple[str, ...], wish: Wish
) -> tuple[Plan, tuple[str, ...], str]:
    """The plan of a grading stage, what it takes as given in words, and what its sizes are called."""
    seconds, paced = _seconds(campaign, stage, wish)
    assessors = _assessors(campaign, wish)
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
    said = [f"{len(topics):,} topics", f"{assessors} assessors", paced]
    if not _is_ranked(campaign, task, stage):
        strings = _strings(campaign, task)
        runs = _simulated(campaign, wish)
        said += [
            f"{runs} simulated runs of {strings} string{'' if strings == 1 else 's'} a topic",
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
    recipe, made = _recipe(campaign, task, stage)
    size = recipe.budget or recipe.deepest or DEFAULT_DEPTH
    sizes = tuple(sorted({max(1, size // 4), max(1, size // 2), size, 2 * size}))
    if recipe.budget is None and recipe.depth is None:
        sizes = ()
    rankings = _rankings(campaign, stage, topics, 2 * size) if wish.runs is None else {}
    is_real = len(rankings) > 1
    runs = 20 if wish.runs is None else wish.runs
    said += [made, f"{len(rankings)} accepted runs" if is_real else f"{runs} simulated runs"]
    documents = max(500, 5 * size)
    plan = Plan(
        **common,
        recipe=recipe,
        measure=_measure(campaign),
        runs=0 if is_real else runs,
        rankings=rankings if is_real else None,
        documents=documents,
        returned=min(documents, max(2 * size, 100)),
        relevant=min(max(wish.relevant, 1), documents),
        sizes=sizes,
    )
    return plan, tuple(said), "Budget" if recipe.budget is not None else "Depth"


def _is_ranked(campaign: Campaign, task: Task, stage: Stage) -> bool:
    """Whether runs rank what this stage judges."""
    kinds = [each for each in track_of(campaign).submissions if task.key in each.tasks]
    return any(each.ranking(stage.item_kind) is not None for each in kinds)


def _recipe(campaign: Campaign, task: Task, stage: Stage) -> tuple[Recipe, str]:
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


def _rankings(
    campaign: Campaign, stage: Stage, topics: tuple[str, ...], depth: int
) -> dict[str, dict[str, tuple[str, ...]]]:
    """What accepted runs rank highest, by tag and topic."""
    wanted = set(topics)
    found = {}
    for run in accepted_runs(campaign):
        content = run_content(campaign, run)
        if content.submission.ranking(stage.item_kind) is not None:
            lines = (line for line in content.ranking(stage.item_kind) if line.topic in wanted)
            found[run.tag] = first_docnos(lines, depth)
    return found


def _measure(campaign: Campaign) -> str:
    """The first official measure that ranked lists have by themselves; else average precision."""
    for column in track_of(campaign).scoring.measures:
        if column.official:
            try:
                return str(parse(column.key))
            except ValueError:
                continue
    return "AP"


# ---------------------------------------------------------------- nuggets


def _nuggets(campaign: Campaign, task: Task, stage: Stage, topics: tuple[str, ...], wish: Wish) -> StagePlayed:
    seconds, paced = _seconds(campaign, stage, wish)
    settings, assessors = settings_of(campaign), _assessors(campaign, wish)
    strings = _strings(campaign, task)
    runs = _simulated(campaign, wish)
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
        raise Invalid(_sentence(str(error))) from error
    planned, *by_double = rehearse_nuggets(plan)
    return StagePlayed(
        stage=stage.key,
        label=stage.label,
        given=(
            f"{len(topics):,} topics",
            f"{assessors} assessors",
            paced,
            f"{runs} simulated runs of {strings} string{'' if strings == 1 else 's'} a topic",
            f"{plan.vital} vital and {plan.okay} okay nuggets a topic",
        ),
        size_label="",
        planned=planned,
        by_size=(),
        by_double=tuple(by_double),
        expected_agreement=None,
        cautions=cautions(runs, (), ""),
    )


# ---------------------------------------------------------------- what the campaign says


def _assessors(campaign: Campaign, wish: Wish) -> int:
    if wish.assessors is not None:
        return wish.assessors
    return campaign.memberships.filter(role=Role.ASSESSOR, is_machine=False).count() or 2


def _simulated(campaign: Campaign, wish: Wish) -> int:
    """How many runs are simulated: as asked, else as many as there are."""
    return max(accepted_runs(campaign).count(), 2) if wish.runs is None else wish.runs


def _seconds(campaign: Campaign, stage: Stage, wish: Wish) -> tuple[float, str]:
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


def _strings(campaign: Campaign, task: Task) -> int:
    """How many strings a response has on average, in accepted runs; the default without any."""
    returned = Segment.objects.filter(response__run__in=accepted_runs(campaign), response__topic__task=task.key)
    counts = returned.order_by().values("response").annotate(count=Count("pk"))
    mean = counts.aggregate(mean=Avg("count"))["mean"]
    return max(1, round(mean)) if mean else DEFAULT_STRINGS


def _teller(
    stage: Stage, progress: Callable[[Progress], None], should_stop: Callable[[], bool]
) -> Callable[[int, int], bool]:
    def tell(done: int, total: int) -> bool:
        progress(Progress(done=done, total=total, unit="plays", note=stage.label))
        return should_stop()

    return tell


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def wish_of(values: dict[str, Any]) -> Wish:
    """The wish that a form, a command or a stored job says; what is left out or None has its default."""
    known = {name: value for name, value in values.items() if name in Wish.__slots__ and value is not None}
    return replace(Wish(), **known)
