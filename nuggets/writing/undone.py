"""Sentences for the status line of the writing bench that say what holds on a list after an undo or a redo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.text import Truncator
from django.utils.translation import gettext

from nuggets.writing.answered_drafts import ACCEPT
from nuggets.writing.drafts import REFUSE
from nuggets.writing.models import NuggetEdit

TEXT_SHOWN = 60
"""The number of characters of a nugget's text in such a sentence."""


def what_holds(edit: NuggetEdit, *, noun: str, nouns: str, groups: Mapping[str, str]) -> str:
    """Return a sentence that says what holds after ``edit``, an undo or a redo. ``noun`` and ``nouns`` are the stage's
    words for one nugget and for several, and ``groups`` the labels of its groups.
    """
    first = edit
    while first.undoes is not None:
        first = first.undoes
    is_undone, asked = edit.action == "undo", first.action
    if asked in (ACCEPT, REFUSE):
        return _of_draft(asked, first.asked["draft"], is_undone)
    if asked == "merge":
        numbers = ", ".join(str(each) for each in (first.asked["into"], *first.asked["others"]))
        parted = gettext("%(nouns)s %(numbers)s are separate again.")
        joined = gettext("%(nouns)s %(numbers)s are one again.")
        return (parted if is_undone else joined) % {"nouns": nouns, "numbers": numbers}
    number = str(first.asked.get("number") or min({*edit.before, *edit.after}, key=int))
    named = {"noun": noun, "number": number}
    if asked == "split":
        whole, parted = gettext("%(noun)s %(number)s is whole again."), gettext("%(noun)s %(number)s is split again.")
        return (whole if is_undone else parted) % named
    if asked == "move":
        if is_undone:
            return gettext("%(noun)s %(number)s is back at its place.") % named
        return gettext("%(noun)s %(number)s is at place %(place)s again.") % {**named, "place": first.asked["place"]}
    return _of_nugget(edit.before.get(number), edit.after.get(number), named, groups)


def _of_draft(action: str, draft: str, is_undone: bool) -> str:
    if is_undone:
        said = gettext("draft %(draft)s is open again.")
    elif action == ACCEPT:
        said = gettext("draft %(draft)s is accepted again.")
    else:
        said = gettext("draft %(draft)s is refused again.")
    return said % {"draft": draft}


def _of_nugget(
    was: dict[str, Any] | None, now: dict[str, Any] | None, named: dict[str, Any], groups: Mapping[str, str]
) -> str:
    """Return a sentence about one nugget by its states before and after the undo or redo."""
    if _is_listed(was) != _is_listed(now) or was is None or now is None:
        said = gettext("%(noun)s %(number)s is on the list again.")
        return (said if _is_listed(now) else gettext("%(noun)s %(number)s is off the list again.")) % named
    if was["text"] != now["text"]:
        text = Truncator(now["text"]).chars(TEXT_SHOWN)
        return gettext("%(noun)s %(number)s is “%(text)s” again.") % {**named, "text": text}
    if was["importance"] != now["importance"]:
        return gettext("%(noun)s %(number)s is %(importance)s again.") % {**named, "importance": now["importance"]}
    if was["group"] != now["group"]:
        if not now["group"]:
            return gettext("%(noun)s %(number)s is in no group again.") % named
        label = groups.get(now["group"], now["group"])
        return gettext("%(noun)s %(number)s is in “%(label)s” again.") % {**named, "label": label}
    if len(now["sources"]) < len(was["sources"]):
        return gettext("the source of %(noun)s %(number)s is taken away again.") % named
    return gettext("%(noun)s %(number)s has its source again.") % named


def _is_listed(state: dict[str, Any] | None) -> bool:
    return state is not None and not state["is_retired"] and state["merged_into"] is None
