"""Find answers that read alike, so that one class can be suggested; `accepted_suggestions` accepts suggestions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assess.items.models import Item
from scoring.folding import suggest_key

if TYPE_CHECKING:
    from nuggets.classes.current import ClassView


def suggest_classes(waiting: Iterable[Item], classes: Iterable[ClassView] = ()) -> dict[int, str]:
    """Return the label of a suggested class for each waiting instance, by item id.

    If a class holds an answer with the same `suggest_key`, the label is that of the class; otherwise it is the text of
    the first waiting instance with that key. Nothing is written; the assessor decides.
    """
    known: dict[str, str] = {}
    for view in classes:
        for text in (view.label, *(member.item.text for member in view.members)):
            known.setdefault(suggest_key(text), view.label)
    return {item.pk: known.setdefault(suggest_key(item.text), item.text) for item in waiting}


def suggestion_order(label: str) -> tuple[str, str]:
    """Return the sort key of a suggestion. Suggestions are shown and accepted in alphabetical order, so that similar
    ones are next to each other.
    """
    return label.casefold(), label
