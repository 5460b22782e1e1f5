"""What a pool is made by: the strategy with its numbers, as a value that is written down, read back and digested.

A recipe in canonical JSON has every field, keys sorted, no white space, ASCII alone: equal recipes, equal bytes.
The digest of a pool is the sha256 of its recipe in that form and of its members, one line of JSON each.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from scoring.json_reading import BadJson, read_json

Strategy = Literal["depth", "depth-order", "priority", "rrf", "rbp", "stratified", "move-to-front", "max-mean"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
ONLINE = ("move-to-front", "max-mean")
"""Strategies that choose the next document by the judgments so far."""
MOST = 10**9
"""No depth, budget or priority is larger."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stratum:
    """Documents on one side of a bound and not in a stratum before, sampled at ``rate``.

    By rank the bound is the last best rank of the stratum, by runs the fewest runs that return a document.
    """

    bound: int
    rate: float


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolEntry:
    """One document to judge. ``probability`` is the chance it had to come in; ``stratum`` is "" without strata."""

    topic: str
    docno: str
    stratum: str = ""
    probability: float = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Recipe:
    """How a pool is made. Raises ValueError, with a sentence that says what to change, where it can't be.

    depth       how many documents of each run are looked at; None is all of them, but the strategy "depth" needs it
    depths      for "priority": (priority, depth) pairs; runs of other priorities have no part
    budget      the most documents of a topic; None is no limit. Under "depth" and "priority" it lowers the depth of a
                topic until the pool fits; "depth-order" takes exactly so many, where there are as many
    priorities  runs of these have a part; None takes all runs
    """

    strategy: Strategy = "depth"
    depth: int | None = None
    depths: tuple[tuple[int, int], ...] = ()
    budget: int | None = None
    seed: int = 0
    k: int = 60
    p: float = 0.8
    combine: Literal["sum", "max"] = "sum"
    strata: tuple[Stratum, ...] = ()
    strata_by: Literal["rank", "runs"] = "rank"
    priorities: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if problem := self._problem() or (self._problem_of_strata() if self.strategy == "stratified" else ""):
            raise ValueError(problem)

    def depth_for(self, priority: int | None) -> int | None:
        """How many documents of a run of this priority are looked at: None is all, 0 that it has no part."""
        if self.priorities is not None and priority not in self.priorities:
            return 0
        if self.strategy == "priority":
            return 0 if priority is None else dict(self.depths).get(priority, 0)
        return self.depth

    @property
    def deepest(self) -> int | None:
        """No document past this rank of a run matters; None where all do."""
        if self.strategy == "priority":
            return max(depth for _, depth in self.depths)
        if self.strategy == "stratified" and self.strata_by == "rank":
            return min(self.strata[-1].bound, self.depth or MOST)
        return self.depth

    def _problem(self) -> str:
        if self.strategy not in STRATEGIES:
            return f"the strategy must be one of {', '.join(STRATEGIES)}"
        if any(number is not None and not 1 <= number <= MOST for number in (self.depth, self.budget)):
            return f"depth and budget must be 1 or more, and at most {MOST:,}"
        if self.strategy == "depth" and self.depth is None:
            return "depth needs a depth: how many documents of each run to take"
        if self.strategy in ("depth-order", "rrf", "rbp", *ONLINE) and self.budget is None:
            return f"{self.strategy} needs a budget: how many documents of each topic to take"
        if self.strategy == "priority" and not self.depths:
            return "priority needs depths: for each priority how many documents to take, as in 1:100,2:50"
        if any(not 1 <= depth <= MOST for _, depth in self.depths):
            return f"each depth must be 1 or more, and at most {MOST:,}"
        if len({priority for priority, _ in self.depths}) < len(self.depths):
            return "a priority has two depths: give each priority once"
        if not 0 <= self.k <= MOST or not 0 < self.p < 1:
            return "k must be 0 or more, and p between 0 and 1"
        return "" if self.combine in ("sum", "max") else "weights are combined by sum or by max"

    def _problem_of_strata(self) -> str:
        bounds = [stratum.bound for stratum in self.strata]
        if self.strata_by not in ("rank", "runs"):
            return "strata are by rank or by runs"
        if self.strata_by == "rank":
            if not bounds or bounds[0] < 1 or any(a >= b for a, b in itertools.pairwise(bounds)):
                return "stratified by rank needs strata whose last ranks rise, as in 10:1,50:0.2"
        elif not bounds or bounds[-1] < 1 or any(a <= b for a, b in itertools.pairwise(bounds)):
            return "stratified by runs needs strata whose numbers of runs fall, as in 5:1,1:0.2"
        if not all(0 < stratum.rate <= 1 for stratum in self.strata):
            return "each stratum's rate must be more than 0 and at most 1"
        return ""


def recipe_json(recipe: Recipe) -> str:
    """The recipe in canonical JSON.

    >>> print(recipe_json(Recipe(depth=10)))  # doctest: +ELLIPSIS
    {"budget":null,"combine":"sum","depth":10,"depths":[],...
    """
    return json.dumps(asdict(recipe), sort_keys=True, separators=(",", ":"))


def read_recipe(text: str) -> Recipe:
    """The recipe that `recipe_json` wrote; fields left out have their defaults.

    Raises ValueError with a sentence where the text is no recipe, whatever it is.
    """
    try:
        found = read_json(text)
    except BadJson as error:
        raise ValueError(f"the recipe is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise ValueError("the recipe must be a JSON object")
    known = {field.name for field in fields(Recipe)}
    if unknown := sorted(found.keys() - known):
        raise ValueError(f"the recipe has no field “{unknown[0][:40]}”; it has {', '.join(sorted(known))}")
    return Recipe(**{name: _field(name, value) for name, value in found.items()})


def pool_digest(recipe: Recipe, entries: Iterable[PoolEntry]) -> str:
    """The sha256 over the recipe and the members, in whatever order these come."""
    digest = hashlib.sha256(recipe_json(recipe).encode())
    rows = sorted((e.topic, e.docno, e.stratum, float(e.probability)) for e in entries)
    for row in rows:
        digest.update(b"\n" + json.dumps(row, separators=(",", ":")).encode())
    return digest.hexdigest()


def _field(name: str, value: Any) -> Any:
    if name in ("strategy", "combine", "strata_by"):
        return _checked(name, value, "a word", isinstance(value, str))
    if name == "p":
        return float(_checked(name, value, "a number", _is_number(value)))
    if name in ("seed", "k"):
        return _checked(name, value, "a whole number", _is_whole(value))
    if name in ("depth", "budget"):
        return _checked(name, value, "a whole number or null", value is None or _is_whole(value))
    if name == "priorities":
        fits = value is None or (isinstance(value, list) and all(map(_is_whole, value)))
        return None if _checked(name, value, "a list of whole numbers or null", fits) is None else tuple(value)
    _checked(name, value, "a list", isinstance(value, list))
    if name == "depths":
        fits = all(isinstance(pair, list) and len(pair) == 2 and all(map(_is_whole, pair)) for pair in value)
        return tuple(map(tuple, _checked(name, value, "[priority, depth] pairs", fits)))
    fits = all(
        isinstance(each, dict) and each.keys() == {"bound", "rate"} and _is_whole(each["bound"])
        and _is_number(each["rate"]) for each in value
    )  # fmt: skip
    _checked(name, value, "objects of bound and rate", fits)
    return tuple(Stratum(bound=each["bound"], rate=float(each["rate"])) for each in value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MOST


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or _is_whole(value)


def _checked(name: str, value: Any, what: str, fits: bool) -> Any:
    if not fits:
        raise ValueError(f"the recipe's {name} must be {what}")
    return value
