"""Pools of the best runs by a measure: which they are, and the scores that said so, which the pool's recipe keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assess.base.errors import Invalid
from assess.campaigns.models import Campaign
from assess.campaigns.tracks import settings_of, track_of
from assess.protocol import PoolRecipe
from assess.runs.queries.listing import accepted_runs
from assess.scores.domain.computing import score_campaign

ALL = "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class BestRuns:
    """The ``count`` best runs by a measure, and those equal to the last of them.

    ``scores`` are (tag, value) of every accepted run, by tag; None where a run has no value, which is never among them.
    """

    measure: str
    count: int
    scores: tuple[tuple[str, float | None], ...]

    @property
    def tags(self) -> tuple[str, ...]:
        """The runs that are pooled, the best first, equal ones by tag."""
        ranked = sorted((-value, tag) for tag, value in self.scores if value is not None)
        least = ranked[: self.count][-1][0] if ranked else 0.0
        return tuple(tag for value, tag in ranked if value <= least)

    def described(self) -> dict[str, Any]:
        """What the pool's recipe keeps of it."""
        return {"measure": self.measure, "runs": self.count, "scores": dict(self.scores)}


def best_runs(campaign: Campaign, recipe: PoolRecipe) -> BestRuns | None:
    """The runs that a recipe pools by their scores of now; None where it goes by priorities.

    Costs the scores of all runs, which the process remembers. Refused: a measure that the track does not rank runs by,
    or that no run has a value of.
    """
    settings = settings_of(campaign)
    count = int(getattr(settings, recipe.best_setting)) if recipe.best_setting else 0
    if count < 1:
        return None
    measure = str(getattr(settings, recipe.measure_setting))
    known = [column.key for column in track_of(campaign).scoring.measures if column.ranks]
    if measure not in known:
        raise Invalid(
            f"The setting {recipe.measure_setting} is “{measure[:40]}”, which ranks no runs here. Use one of: "
            f"{', '.join(known)}."
        )
    table = score_campaign(campaign).table(ALL)
    found = {tag: table.get(tag, {}).get(measure) for tag in accepted_runs(campaign).values_list("tag", flat=True)}
    scores = tuple((tag, score.value if score is not None else None) for tag, score in sorted(found.items()))
    if all(value is None for _, value in scores):
        raise Invalid(
            f"No run has a value of {measure} yet, so none is the best by it. Load what runs are scored against, or "
            f"set {recipe.best_setting} to 0, which pools runs by their priorities."
        )
    return BestRuns(measure=measure, count=count, scores=scores)
