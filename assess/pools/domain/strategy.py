"""How documents of a ranked kind are selected for a pool: a strategy with its numbers, lists, and what is left out.

Pages, commands and the API all make a `Selection` here from the same plain values, so all refuse the same input.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, BinaryIO, TypeVar, cast

from django.utils.translation import gettext

from assess.base.errors import Invalid
from assess.base.file_issues import Collector
from scoring.formats.document_list import read_document_list
from scoring.pooling import STRATEGIES, Recipe, Stratum, recipe_json
from scoring.pooling.recipe import ONLINE, Strategy, read_recipe
from scoring.reading.opening import split_issues

WHOLE = "whole"
"""The name of the track's own way of pooling."""

DEEPEST = 1000
"""How many documents of each run are read if the strategy needs no depth and none is given."""

BATCH = 10
"""The number of documents with which a topic's pool begins and by which it grows, if judgments select the next ones."""

WORDS = (WHOLE, *STRATEGIES)

FIELDS: dict[str, tuple[str, ...]] = {
    WHOLE: (),
    "depth": ("depth", "budget"),
    "depth-order": ("budget", "depth"),
    "priority": ("depths", "budget"),
    "rrf": ("budget", "k", "depth"),
    "rbp": ("budget", "p", "combine", "depth"),
    "stratified": ("strata", "strata_by", "depth", "seed"),
    "move-to-front": ("budget", "batch", "relevant_from", "depth"),
    "max-mean": ("budget", "batch", "relevant_from", "depth"),
}
"""The numbers that each strategy has; others that are given are not looked at."""

Number = TypeVar("Number", int, float)
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """What is selected from a task's ranked kind.

    ``lists`` is the number of documents that are also taken from the top of every topic's document list (0: none).
    ``listed`` are further (topic, docno) pairs, read from a file called ``list_name``. ``minus_judged`` leaves out
    judged documents. For move-to-front and max-mean, a grade of at least ``relevant_from`` is relevant (None: the
    campaign's setting, or else 1). Then a topic's pool begins with ``batch`` documents and grows by as many.
    """

    recipe: Recipe
    lists: int = 0
    listed: Pairs = ()
    list_name: str = ""
    minus_judged: bool = False
    relevant_from: int | None = None
    batch: int = BATCH

    @property
    def is_live(self) -> bool:
        """Whether the pool grows while it is judged."""
        return self.recipe.strategy in ONLINE

    def described(self) -> dict[str, Any]:
        """Return the selection as the pool's recipe stores it, without the listed and the left-out documents."""
        found: dict[str, Any] = {"recipe": json.loads(recipe_json(self.recipe))}
        if self.lists:
            found["lists"] = self.lists
        if self.is_live:
            found["batch"] = self.batch
        return found


def make_selection(values: Mapping[str, Any]) -> Selection | None:
    """Return the selection that these values describe, or None if the track itself decides what is pooled (`WHOLE`).

    ``strategy`` is one of `WORDS`. The numbers are named as in `FIELDS`, and are None if not given; ``depths`` are
    (priority, depth) and ``strata`` (bound, rate) pairs. ``lists``, ``listed``, ``list_name`` and ``minus_judged`` may
    be given as well. Raise `Invalid`, with a sentence on what to change, for values that make no pool.
    """
    strategy = values.get("strategy") or WHOLE
    if strategy not in FIELDS:
        raise Invalid(
            gettext("There is no strategy “%(strategy)s”. Use one of: %(words)s.")
            % {"strategy": str(strategy)[:40], "words": ", ".join(WORDS)}
        )
    if strategy == WHOLE:
        if values.get("lists") or values.get("listed") or values.get("minus_judged"):
            raise Invalid(gettext("Document lists, and leaving out what is judged, go with a strategy. Choose one."))
        return None
    given = {name: values.get(name) for name in FIELDS[strategy]}
    said = {name: value for name, value in given.items() if value is not None}
    batch, relevant_from = said.pop("batch", BATCH), said.pop("relevant_from", None)
    said["strata"] = tuple(Stratum(bound=bound, rate=float(rate)) for bound, rate in said.get("strata", ()))
    said["depths"] = tuple((priority, depth) for priority, depth in said.get("depths", ()))
    if "p" in said:
        said["p"] = float(said["p"])  # 1 and 1.0 are the same recipe
    try:
        recipe = Recipe(strategy=cast(Strategy, strategy), **said)
    except ValueError as error:
        raise Invalid(_sentence(str(error))) from error
    if recipe.deepest is None:
        recipe = replace(recipe, depth=DEEPEST)
    lists = values.get("lists") or 0
    if not 1 <= batch <= 1000:
        raise Invalid(
            gettext("The batch must be from 1 to 1,000: how many documents a topic's pool begins with and grows by.")
        )
    if lists < 0:
        raise Invalid(gettext("The number of documents from document lists must be 0 or more."))
    return Selection(
        recipe=recipe,
        lists=lists,
        listed=tuple(sorted(set(values.get("listed") or ()))),
        list_name=str(values.get("list_name") or ""),
        minus_judged=bool(values.get("minus_judged")),
        relevant_from=relevant_from,
        batch=batch,
    )


def selection_json(selection: Selection | None) -> str:
    """Return a whole selection as JSON, for a waiting job. `read_selection` reads it back."""
    if selection is None:
        return "null"
    said = {each.name: getattr(selection, each.name) for each in fields(selection)}
    return json.dumps({**said, "recipe": recipe_json(selection.recipe)}, sort_keys=True)


def read_selection(text: str) -> Selection | None:
    """Return the selection that `selection_json` wrote; None for the track's own way."""
    said = json.loads(text)
    if said is None:
        return None
    listed = tuple((topic, docno) for topic, docno in said.pop("listed"))
    return Selection(recipe=read_recipe(said.pop("recipe")), listed=listed, **said)


def read_pairs(text: str, read: Callable[[str], Number], *, form: str) -> tuple[tuple[int, Number], ...]:
    """Return pairs written as number:value and separated by commas. Raise `Invalid`, with the right form, for anything
    else.

    >>> read_pairs("1:100, 2:50", int, form="priority:depth, as in 1:100,2:50")
    ((1, 100), (2, 50))
    """
    pairs = []
    for piece in text.split(",") if text.strip() else ():
        number, colon, value = piece.partition(":")
        try:
            pairs.append((int(number), read(value if colon else "")))
        except ValueError:
            raise Invalid(
                gettext("“%(piece)s” is not %(form)s.") % {"piece": piece.strip()[:40], "form": form}
            ) from None
    return tuple(pairs)


def read_listed(stream: BinaryIO, name: str) -> Pairs:
    """Return the (topic, docno) pairs of a document list with lines of `topic rank docno score`.

    Raises `BadFile` if any line is wrong.
    """
    collector = Collector()
    found = [(record.topic, record.docno) for record in split_issues(read_document_list(stream), collector)]
    collector.refuse_errors(name=name)
    return tuple(found)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
