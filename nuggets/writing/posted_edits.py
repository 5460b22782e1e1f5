"""What the page for writing a nugget list can post: the field "do" names one function of `nuggets.writing`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.base.errors import Invalid
from assess.campaigns.queries import stage_of
from assess.campaigns.seats import Seat
from assess.campaigns.track_texts import in_language
from assess.kinds.base import noun_and_plural
from assess.protocol import Stage
from assess.web.requests import person_of, posted_key, posted_number, posted_span, posted_text
from nuggets.options import NuggetWriting
from nuggets.writing.answered_drafts import accept_draft, refuse_draft
from nuggets.writing.drafts import offered_in
from nuggets.writing.edits import redo_edit, undo_edit
from nuggets.writing.lists import freeze_list, revise_list
from nuggets.writing.models import NuggetEdit, NuggetList
from nuggets.writing.record import (
    add_nugget,
    edit_nugget,
    merge_nuggets,
    move_nugget,
    restore_nugget,
    retire_nugget,
    split_nugget,
)
from nuggets.writing.sources import add_seen_nugget, add_source, remove_source
from nuggets.writing.strings import posted_source
from nuggets.writing.tally import noun_of
from nuggets.writing.undone import what_holds


@dataclass(frozen=True, kw_only=True, slots=True)
class Posted:
    """A posted form: who sent it, and the list that it changes."""

    request: HttpRequest
    seat: Seat
    assignment: Assignment
    nugget_list: NuggetList

    @property
    def edit(self) -> dict[str, Any]:
        """Return what every function that edits a list takes: the actor, the list, and the client key of the click."""
        key = posted_key(self.request)
        return {"actor": person_of(self.request), "nugget_list": self.nugget_list, "client_key": key}

    @property
    def source(self) -> dict[str, Any]:
        """Return where a nugget was seen: the item or document, and the words in it."""
        item, document = posted_source(self.request, self.seat, self.assignment)
        span = posted_span(self.request)
        return {"item": item, "document": document, "quote": self.text("quote"), "span": span}

    @property
    def stage(self) -> Stage:
        """Return the stage of the assignment."""
        return stage_of(self.assignment.campaign, self.assignment.stage)[1]

    @property
    def noun(self) -> str:
        """Return the stage's word for one nugget, with a capital, for the start of a sentence."""
        return capfirst(self.word)

    @property
    def word(self) -> str:
        """Return the stage's word for one nugget, for the middle of a sentence."""
        return noun_and_plural(noun_of(self.stage))[0]

    @property
    def words(self) -> str:
        """Return the stage's word for several nuggets."""
        return noun_and_plural(noun_of(self.stage))[1]

    def number(self, name: str = "number") -> int:
        """Return the posted number of a nugget."""
        return posted_number(self.request, name)

    def text(self, name: str = "text") -> str:
        """Return the posted text of the field with this name."""
        return posted_text(self.request, name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Did:
    """The result of an edit: a sentence on what was done (``said``), and what the page must do then.

    The nugget with this ``number`` becomes current. With ``is_new_page`` the whole page must be replaced. ``frozen`` is
    a list that was just frozen, so that its assignment may be finished.
    """

    said: str
    number: int | None = None
    is_new_page: bool = False
    frozen: NuggetList | None = None


def do_edit(posted: Posted) -> Did:
    """Make the change that the form asks for, and return its result. Refuse a form that no page makes, and what the
    change's own function refuses.
    """
    verb = VERBS.get(posted.request.POST.get("do", ""))
    if verb is None:
        raise Invalid(gettext("This page can't do that. Reload it and try again."))
    return verb(posted)


def _add(posted: Posted) -> Did:
    source, group = posted.source, posted.text("group")
    written: dict[str, Any] = {"text": posted.text(), "importance": posted.text("importance") or "okay", "group": group}
    if source["item"] is None and source["document"] is None:
        nugget = add_nugget(**posted.edit, **written)
    else:
        nugget = add_seen_nugget(**posted.edit, **written, **source)
    said = posted.stage.options(NuggetWriting).asks_importance and f", {nugget.importance}"
    return Did(
        said=gettext("%(noun)s %(number)s written%(said)s.")
        % {"noun": posted.noun, "number": nugget.number, "said": said or ""},
        number=nugget.number,
    )


def _edit(posted: Posted) -> Did:
    number = posted.number()
    edit_nugget(**posted.edit, number=number, text=posted.text())
    return Did(said=gettext("%(noun)s %(number)s changed.") % {"noun": posted.noun, "number": number}, number=number)


def _weigh(posted: Posted) -> Did:
    number, importance = posted.number(), posted.text("importance")
    edit_nugget(**posted.edit, number=number, importance=importance)
    return Did(
        said=gettext("%(noun)s %(number)s is %(importance)s.")
        % {"noun": posted.noun, "number": number, "importance": importance},
        number=number,
    )


def _group(posted: Posted) -> Did:
    number, group = posted.number(), posted.text("group")
    edit_nugget(**posted.edit, number=number, group=group)
    label = in_language(dict(posted.stage.options(NuggetWriting).groups).get(group, group))
    return Did(
        said=gettext("%(noun)s %(number)s is in “%(label)s”.") % {"noun": posted.noun, "number": number, "label": label}
        if label
        else gettext("%(noun)s %(number)s is in no group.") % {"noun": posted.noun, "number": number},
        number=number,
    )


def _move(posted: Posted) -> Did:
    number, place = posted.number(), posted.number("place")
    move_nugget(**posted.edit, number=number, place=place)
    return Did(
        said=gettext("%(noun)s %(number)s moved to place %(place)s.")
        % {"noun": posted.noun, "number": number, "place": place},
        number=number,
    )


def _merge(posted: Posted) -> Did:
    number, into = posted.number(), posted.number("into")
    merge_nuggets(**posted.edit, into=into, others=[number])
    return Did(
        said=gettext("%(noun)s %(number)s merged into %(into)s.")
        % {"noun": posted.noun, "number": number, "into": into},
        number=into,
    )


def _split(posted: Posted) -> Did:
    number = posted.number()
    texts = [line for line in posted.text("texts").split("\n") if line.strip()]
    edit = split_nugget(**posted.edit, number=number, texts=texts)
    new = [int(other) for other, state in edit.before.items() if state is None]
    named = ", ".join(str(each) for each in sorted(new))
    return Did(
        said=gettext("%(noun)s %(number)s split into %(named)s.")
        % {"noun": posted.noun, "number": number, "named": named},
        number=min(new),
    )


def _retire(posted: Posted) -> Did:
    number = posted.number()
    retire_nugget(**posted.edit, number=number)
    return Did(
        said=gettext("%(noun)s %(number)s retired; it keeps its number and can be restored.")
        % {"noun": posted.noun, "number": number}
    )


def _restore(posted: Posted) -> Did:
    number = posted.number()
    restore_nugget(**posted.edit, number=number)
    return Did(
        said=gettext("%(noun)s %(number)s is on the list again.") % {"noun": posted.noun, "number": number},
        number=number,
    )


def _add_source(posted: Posted) -> Did:
    number = posted.number()
    add_source(**posted.edit, number=number, **posted.source)
    return Did(
        said=gettext("Source added to %(noun)s %(number)s.") % {"noun": posted.word, "number": number},
        number=number,
    )


def _remove_source(posted: Posted) -> Did:
    remove_source(**posted.edit, source_id=posted.number("source"))
    return Did(said=gettext("Source taken away."))


def _accept(posted: Posted) -> Did:
    draft = posted.text("draft")
    text = posted.text("text") if "text" in posted.request.POST else None
    nugget = accept_draft(**posted.edit, draft=draft, text=text)
    offered = offered_in(nugget.fields) or {}
    how = gettext("accepted") if offered.get("text") == nugget.text else gettext("accepted in your words")
    return Did(
        said=gettext("Draft %(draft)s %(how)s: %(noun)s %(nugget)s.")
        % {"draft": draft, "how": how, "noun": posted.word, "nugget": nugget.number},
        number=nugget.number,
    )


def _refuse(posted: Posted) -> Did:
    draft = posted.text("draft")
    refuse_draft(**posted.edit, draft=draft)
    return Did(said=gettext("Draft %(draft)s refused.") % {"draft": draft})


def _undo(posted: Posted) -> Did:
    edit = undo_edit(**posted.edit)
    return Did(said=gettext("Undone: %(act)s") % {"act": _holds(edit, posted)}, number=_touched(edit))


def _redo(posted: Posted) -> Did:
    edit = redo_edit(**posted.edit)
    return Did(said=gettext("Redone: %(act)s") % {"act": _holds(edit, posted)}, number=_touched(edit))


def _holds(edit: NuggetEdit, posted: Posted) -> str:
    groups = {key: in_language(label) for key, label in posted.stage.options(NuggetWriting).groups}
    return what_holds(edit, noun=posted.word, nouns=posted.words, groups=groups)


def _freeze(posted: Posted) -> Did:
    frozen = freeze_list(**posted.edit, without_vital=posted.request.POST.get("without_vital") == "1")
    return Did(
        said=gettext("The list is frozen, version %(version)s.") % {"version": frozen.version},
        is_new_page=True,
        frozen=frozen,
    )


def _revise(posted: Posted) -> Did:
    newest = posted.nugget_list
    frozen = newest if newest.is_frozen or newest.previous is None else newest.previous  # asked twice: the same draft
    draft = revise_list(actor=person_of(posted.request), nugget_list=frozen)
    return Did(
        said=gettext("Version %(version)s begun: a draft with the same %(nouns)s.")
        % {"version": draft.version, "nouns": posted.words},
        is_new_page=True,
    )


VERBS: dict[str, Callable[[Posted], Did]] = {
    "add": _add,
    "edit": _edit,
    "weigh": _weigh,
    "group": _group,
    "move": _move,
    "merge": _merge,
    "split": _split,
    "retire": _retire,
    "restore": _restore,
    "add-source": _add_source,
    "remove-source": _remove_source,
    "accept": _accept,
    "accept-edited": _accept,
    "refuse": _refuse,
    "undo": _undo,
    "redo": _redo,
    "freeze": _freeze,
    "revise": _revise,
}


def _touched(edit: NuggetEdit) -> int | None:
    """Return the lowest number of the active nuggets that the edit changed, or None if it changed none."""
    states = [state for state in edit.after.values() if state is not None]
    there = [state for state in states if not state["is_retired"] and state["merged_into"] is None]
    return min((int(state["number"]) for state in there), default=None)
