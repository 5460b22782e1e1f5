"""Suggest one class for answers that are probably the same; `accepted_suggestions` accepts suggestions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assess.items.models import Item
from scoring.folding import suggest_key

if TYPE_CHECKING:
    from nuggets.classes.current import ClassView


def suggest_classes(waiting: Iterable[Item], classes: Iterable[ClassView] = ()) -> dict[int, str]:
    """Return item's id -> the label of the class that is suggested for it, for each waiting instance.

    If a class already contains an answer with the same `suggest_key`, this class is suggested. Otherwise a new class is
    suggested, with the text of the first waiting instance that has this key as its label. Nothing is written; the
    assessor decides.
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
