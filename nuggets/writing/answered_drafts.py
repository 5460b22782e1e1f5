"""Accept or refuse the nuggets that a machine drafted. Each answer is one edit of the list and is undone like any
other.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid
from assess.campaigns.queries import stage_of
from nuggets.options import NuggetWriting
from nuggets.writing.drafts import REFUSE, NuggetDraft, drafts_for, refused_drafts, taken_drafts
from nuggets.writing.edits import make_edit, nugget_of
from nuggets.writing.models import Nugget, NuggetEdit, NuggetList
from nuggets.writing.record import checked_nugget, copy_sources, end_of_list, insert_nugget

ACCEPT = "accept"
KEY_LIMIT = 20  # characters


def accept_draft(
    *, actor: User, nugget_list: NuggetList, draft: str, client_key: UUID, text: str | None = None
) -> Nugget:
    """Add a machine's draft, with its sources, as a nugget at the end of the list, and return the nugget. ``text``
    replaces the draft's own words.

    ``draft`` is its key, such as A3. A refused draft can still be accepted. Refuses a draft that is not offered in this
    assignment, one that is on the list already, and what `make_edit` refuses.
    """
    offered = _offered(nugget_list, draft)
    asked: dict[str, Any] = {"draft": draft, "text": text}
    if offered is None:
        return nugget_of(nugget_list, _number(_repeated(nugget_list, ACCEPT, asked, client_key)))
    source, fields = offered.nugget, offered.fields
    words, group = checked_nugget(
        text=source.text if text is None else text,
        importance=source.importance,
        group=_group(nugget_list, source.group),
    )

    def change(locked: NuggetList) -> None:
        if draft in taken_drafts(locked):
            raise Conflict(gettext("Draft %(draft)s is on the list already.") % {"draft": draft})
        place = end_of_list(locked)
        made = insert_nugget(
            locked, text=words, importance=source.importance, group=group, position=place, fields=fields
        )
        copy_sources(source, made)

    edit = make_edit(
        actor=actor, nugget_list=nugget_list, action=ACCEPT, asked=asked, client_key=client_key, change=change
    )
    return nugget_of(nugget_list, _number(edit))


def refuse_draft(*, actor: User, nugget_list: NuggetList, draft: str, client_key: UUID) -> NuggetEdit:
    """Record that a machine's draft does not belong on the list, and return the edit. An undo offers the draft again.

    Refuses a draft that is not offered in this assignment, is on the list, or was refused before, and what `make_edit`
    refuses.
    """
    offered = _offered(nugget_list, draft)
    if offered is None:
        return _repeated(nugget_list, REFUSE, {"draft": draft}, client_key)

    def change(locked: NuggetList) -> None:
        if draft in taken_drafts(locked):
            raise Conflict(gettext("Draft %(draft)s is on the list. Retire the nugget instead.") % {"draft": draft})
        if draft in refused_drafts([locked]).get(locked.pk, {}):
            raise Conflict(gettext("Draft %(draft)s was refused already.") % {"draft": draft})

    return refuse_recorded(
        actor=actor, nugget_list=nugget_list, draft=draft, offered=offered.nugget.text, client_key=client_key,
        change=change,
    )  # fmt: skip


def refuse_recorded(
    *, actor: User, nugget_list: NuggetList, draft: str, offered: str, client_key: UUID, change: Any = None
) -> NuggetEdit:
    """Record that a draft was refused, and return the edit. The draft need not be stored on this site.

    ``change``, if given, is called with the locked list first, and may refuse. Refuses what `make_edit` refuses.
    """
    return make_edit(
        actor=actor,
        nugget_list=nugget_list,
        action=REFUSE,
        asked={"draft": draft, "offered": offered},
        client_key=client_key,
        change=change or (lambda locked: None),
    )


def _offered(nugget_list: NuggetList, key: str) -> NuggetDraft | None:
    return next((each for each in drafts_for(nugget_list.assignment) if each.key == key), None)


def _repeated(nugget_list: NuggetList, action: str, asked: dict[str, Any], client_key: UUID) -> NuggetEdit:
    """Return the edit that was made earlier with this client key, when the draft was still offered. Refuses the request
    if there is no such edit.
    """
    earlier = NuggetEdit.objects.filter(client_key=client_key, nugget_list=nugget_list, action=action).first()
    if earlier is None or any(earlier.asked.get(name) != value for name, value in asked.items()):
        raise Invalid(
            gettext("There is no draft %(asked)s to answer here. Reload the page.")
            % {"asked": asked["draft"][:KEY_LIMIT]}
        )
    return earlier


def _number(edit: NuggetEdit) -> int:
    return max(int(number) for number, state in edit.before.items() if state is None)


def _group(nugget_list: NuggetList, group: str) -> str:
    """Return the group that the machine gave, if the stage names it or names no groups at all. Otherwise return ""."""
    assignment = nugget_list.assignment
    _, stage = stage_of(assignment.campaign, assignment.stage)
    known = dict(stage.options(NuggetWriting).groups)
    return group if group in known or not known else ""
