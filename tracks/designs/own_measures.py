"""Compute values by measures of other packages (`tracks.installed`), with the items from which they are computed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from scoring.release.explained import IN_WORDS, About, Account, Node, Parts, Step, mean_node
from scoring.release.formulas import Number, exact, shown
from scoring.release.phrases import Phrase
from tracks.installed import installed_measures


def own_node(
    measure: str,
    *,
    label: str,
    topic: str,
    kind: str,
    returned: Sequence[tuple[str, float | None]],
    judged: Sequence[float],
) -> Node:
    """Return a node for a topic's value by a measure of another package. ``returned`` are the keys of the run's items
    in order, with their gains; a gain is None for an unjudged item. ``judged`` are all judged gains of the topic.

    A value that is not a finite number is undefined.
    """
    found = installed_measures()[measure]([gain for _, gain in returned], judged)
    value = float(found) if found is not None and math.isfinite(found) else None

    def account() -> Account:
        rows = tuple(
            (str(place), key, Phrase("unjudged") if gain is None else shown(gain))
            for place, (key, gain) in enumerate(returned, 1)
        )
        about = tuple(About(kind="item", topic=topic, name=kind, key=key) for key, _ in returned)
        count = sum(gain is not None for _, gain in returned)
        step = Step(
            label=Phrase("Returned and judged"),
            value=Phrase("{count} of {all}", count=count, all=len(returned)),
            header=(Phrase("place"), Phrase("item"), Phrase("gain")),
            rows=rows,
            about=about,
        )
        return Account(
            formula=Phrase(
                "{label} = {value}, as the installed measure {measure} computes it",
                label=label,
                value=shown(value),
                measure=measure,
            ),
            steps=(step,),
            arithmetic="" if value is None else exact(value),
        )

    return Node(value=value, account=account)


def own_mean(label: str, values: Mapping[str, Number | None]) -> Node:
    """Return a node for the mean of a measure over the topics with a defined value. ``label`` names the measure."""
    parts = Parts(values=values, measure=label, label=Phrase("Topics"), noun=Phrase("topic"))
    return mean_node(label, parts, IN_WORDS)
