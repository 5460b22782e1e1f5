"""Defines a recipe: a pool's strategy and its parameters, as a value that can be written, read back and digested.

A recipe in canonical JSON has every field, sorted keys, no white space and only ASCII, so that equal recipes have equal
bytes. The digest of a pool is the sha256 of its recipe in that form and of its members, one line of JSON each.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args

from scoring.formats.json_members import NUMBER, Kind, Member, Shape, Taken, exactly_two, list_of, whole_within
from scoring.formats.member_reports import Path, Report
from scoring.reading.json_reading import BadJson, read_json

Strategy = Literal["depth", "depth-order", "priority", "rrf", "rbp", "stratified", "move-to-front", "max-mean"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
ONLINE = ("move-to-front", "max-mean")
"""Strategies that choose the next document from the judgments so far."""
MOST = 10**9
"""The largest depth, budget or priority."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stratum:
    """Documents within a bound that are not in an earlier stratum, sampled at ``rate``.

    If strata are made by rank, the bound is the greatest number that a document's best rank may be. If they are made by
    runs, it is the smallest number of runs that return the document.
    """

    bound: int
    rate: float


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolEntry:
    """One document to judge. ``probability`` is the chance that it was included; ``stratum`` is "" without strata."""

    topic: str
    docno: str
    stratum: str = ""
    probability: float = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Recipe:
    """How a pool is made. Raises ValueError for an impossible recipe, with a sentence that says what to change.

    depth       how many documents of each run are used; None is all of them, but the strategy "depth" needs it
    depths      for "priority": (priority, depth) pairs; runs of other priorities are not used
    budget      the most documents of a topic; None is no limit. Under "depth" and "priority" it lowers the depth of a
                topic until the pool fits; "depth-order" takes exactly that many, if there are enough; "stratified"
                ignores it
    seed        for "stratified": decides which documents of a stratum are drawn
    k; p        the constant of "rrf"; the persistence of "rbp"
    combine     how "rrf" and "rbp" combine the weights that a document has in several runs
    strata      for "stratified": in order; ``strata_by`` says whether their bounds are ranks or numbers of runs
    priorities  only runs of these are used; None uses all runs
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
        """Return how many documents of a run with this priority are used; None means all, and 0 none."""
        if self.priorities is not None and priority not in self.priorities:
            return 0
        if self.strategy == "priority":
            return 0 if priority is None else dict(self.depths).get(priority, 0)
        return self.depth

    @property
    def deepest(self) -> int | None:
        """The rank beyond which no document of a run is used; None if there is no such rank."""
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
    """Return the recipe in canonical JSON.

    >>> print(recipe_json(Recipe(depth=10)))  # doctest: +ELLIPSIS
    {"budget":null,"combine":"sum","depth":10,"depths":[],...
    """
    return json.dumps(asdict(recipe), sort_keys=True, separators=(",", ":"))


def read_recipe(text: str) -> Recipe:
    """Return the recipe that `recipe_json` wrote. Fields that are left out have their defaults.

    Raises ValueError with a sentence if the text is not a recipe, whatever it is.
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
    """Return the sha256 over the recipe and the members, in whatever order the members are given."""
    digest = hashlib.sha256(recipe_json(recipe).encode())
    rows = sorted((e.topic, e.docno, e.stratum, float(e.probability)) for e in entries)
    for row in rows:
        digest.update(b"\n" + json.dumps(row, separators=(",", ":")).encode())
    return digest.hexdigest()


def _field(name: str, value: Any) -> Any:
    """Return the value of a field, with lists as tuples. Raises ValueError if it is of the wrong kind."""
    if value is None and name in _NULLS:
        return None
    (kind, entries), report = _KINDS[name], Report()
    found: Any = kind.read(value, report, ())
    if report.issues:
        raise ValueError(f"the recipe's {name} must be {kind.wanted if report.issues[0].where == '$' else entries}")
    return tuple(tuple(each) if isinstance(each, list) else each for each in found) if kind.types == (list,) else found


def _real(value: float) -> float:
    if isinstance(value, int) and abs(value) > MOST:
        raise ValueError
    return float(value)


def _stratum(taken: Taken, report: Report, inside: Path) -> Stratum | None:
    del inside
    return None if report.issues else Stratum(**taken)


_WORD = Kind(wanted="a word", types=(str,))
_WHOLE = whole_within(MOST)
_NULLABLE = replace(_WHOLE, wanted="a whole number or null")
_NUMBER = replace(NUMBER, make=_real)
_PAIR = Kind(wanted="a pair", types=(list,), make=exactly_two, each=_WHOLE)
_STRATUM = Shape(members=(Member("bound", _WHOLE), Member("rate", _NUMBER)), others="refused", make=_stratum)
_PRIORITIES = "a list of whole numbers or null"
_NULLS = ("depth", "budget", "priorities")
_KINDS: Mapping[str, tuple[Kind, str]] = {
    **dict.fromkeys(("strategy", "combine", "strata_by"), (_WORD, "")),
    **dict.fromkeys(("seed", "k"), (_WHOLE, "")),
    **dict.fromkeys(("depth", "budget"), (_NULLABLE, "")),
    "p": (_NUMBER, ""),
    "priorities": (list_of(_WHOLE, wanted=_PRIORITIES), _PRIORITIES),
    "depths": (list_of(_PAIR), "[priority, depth] pairs"),
    "strata": (list_of(_STRATUM), "objects of bound and rate"),
}
"""The kind of each field, and a phrase for the entries of its list, used if one of them is wrong."""
