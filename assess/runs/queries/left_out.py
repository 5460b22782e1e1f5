"""Runs that came in after the pools were built: what they returned is scored and was never to be judged."""

from __future__ import annotations

from collections.abc import Iterator, Set

from assess.campaigns.models import Campaign
from assess.items.queries.membership import current_pools
from assess.kinds.checks import Lack
from assess.runs.queries.listing import accepted_runs, judged_runs


def had_part(pooled: Set[tuple[str, str]], tag: str, file: str) -> bool:
    """Whether a run is among those of a pool; releases name files after the run."""
    return (tag, file) in pooled or (tag, f"the file of {tag}") in pooled


def runs_not_pooled(campaign: Campaign) -> list[str]:
    """The tags of accepted runs of a pool's priorities that had no part in it. One query, and one for each pool.

    A run that was not among the best by a measure had its part: it was looked at.
    """
    tags: set[str] = set()
    for recipe in current_pools(campaign).values_list("recipe", flat=True):
        if "runs" in recipe:
            priorities = recipe.get("priorities")
            runs = accepted_runs(campaign) if priorities is None else judged_runs(campaign, priorities)
            pooled = {tuple(run) for run in recipe["runs"]}
            ranked = {tag for best in recipe.get("best", {}).values() for tag in best["scores"]}
            for tag, file in runs.values_list("tag", "file"):
                if tag not in ranked and not had_part(pooled, tag, file):
                    tags.add(tag)
    return sorted(tags)


def named_runs(tags: list[str]) -> str:
    """The first of these tags, for a sentence.

    >>> named_runs(["a", "b"]), named_runs(list("abcdef"))
    ('a, b', 'a, b, c, d, e, …')
    """
    return ", ".join(tags[:5]) + (", …" if len(tags) > 5 else "")


def runs_left_out(campaign: Campaign) -> Iterator[Lack]:
    """The same for whoever freezes the campaign."""
    tags = runs_not_pooled(campaign)
    if tags:
        are = "1 run was" if len(tags) == 1 else f"{len(tags):,} runs were"
        yield Lack(
            code="runs-not-pooled",
            severity="warning",
            count=len(tags),
            text=f"{are} accepted after the pool was built, so what nobody else returned stays unjudged: "
            f"{named_runs(tags)}.",
            page="pool",
            action="Build it again",
        )
