"""Which answers read alike, so that one class is suggested for them; `accepted_suggestions` is what accepting does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assess.items.models import Item
from scoring.folding import suggest_key

if TYPE_CHECKING:
    from nuggets.classes.current import ClassView


def suggest_classes(waiting: Iterable[Item], classes: Iterable[ClassView] = ()) -> dict[int, str]:
    """Return what class each waiting instance could go to, by item id: the label of a class that holds an answer that
    folds to the same, else the text of the first such instance. Nothing is written; the assessor decides.
    """
    known: dict[str, str] = {}
    for view in classes:
        for text in (view.label, *(member.item.text for member in view.members)):
            known.setdefault(suggest_key(text), view.label)
    return {item.pk: known.setdefault(suggest_key(item.text), item.text) for item in waiting}


def suggestion_order(label: str) -> tuple[str, str]:
    """By what suggestions are sorted where they are shown and accepted: in alphabetical order, like stands by like."""
    return label.casefold(), label
