"""What somebody says of a rehearsal, and which numbers no campaign can be played with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from assess.base.errors import Invalid
from scoring.pooling import Recipe
from scoring.rehearsal import Plan

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
