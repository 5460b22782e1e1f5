"""Change the nuggets of a draft list. Each function makes one edit: idempotent by its key, recorded, and undone as a
whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import F
from django.utils.translation import gettext

from assess.base.errors import Invalid
from assess.campaigns.queries import stage_of
from nuggets.options import NuggetWriting
from nuggets.writing.drafts import with_outcome
from nuggets.writing.edits import active_nugget_of, clean_line, make_edit, nugget_of
from nuggets.writing.models import Nugget, NuggetEdit, NuggetList, NuggetSource

TEXT_LIMIT = 2000
GROUP_LIMIT = 100
NUGGET_LIMIT = 1000


def add_nugget(
    *,
    actor: User,
    nugget_list: NuggetList,
    text: str,
    importance: str,
    client_key: UUID,
    group: str = "",
    fields: Mapping[str, Any] = MappingProxyType({}),
    number: int | None = None,
) -> Nugget:
    """Add a nugget at the end of the draft, with the next number that was never used in this list, and return it.

    A replay of recorded judgments gives the original ``number``, which must never have been used in the list; such
    numbers may be given in any order. ``fields`` (JSON) holds further members of the nugget file's entry. Refuses what
    `checked_nugget`, `require_group` and `make_edit` refuse, and a list that is full.
    """
    text, group = checked_nugget(text=text, importance=importance, group=group)

    def change(locked: NuggetList) -> None:
        if number is not None:
            require_new_numbers(locked, [number])
        require_group(locked, group)
        insert_nugget(
            locked,
            text=text,
            importance=importance,
            group=group,
            fields=fields,
            position=end_of_list(locked),
            number=number,
        )

    asked = nugget_request(text=text, importance=importance, group=group, number=number, fields=fields)
    edit = make_edit(
        actor=actor, nugget_list=nugget_list, action="add", asked=asked, client_key=client_key, change=change
    )
    return nugget_of(nugget_list, max(int(number) for number, state in edit.before.items() if state is None))


def nugget_request(
    *, text: str, importance: str, group: str, number: int | None, fields: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the request to add a nugget, in the form in which the edit stores it."""
    asked = {"text": text, "importance": importance, "group": group, "as": number}
    return asked | ({"fields": dict(fields)} if fields else {})


def edit_nugget(
    *,
    actor: User,
    nugget_list: NuggetList,
    number: int,
    client_key: UUID,
    text: str | None = None,
    importance: str | None = None,
    group: str | None = None,
) -> NuggetEdit:
    """Change a nugget's text, importance or group; a value of None leaves it unchanged. Refuses a nugget that is not
    active, and what `checked_nugget`, `require_group` and `make_edit` refuse.
    """

    def change(locked: NuggetList) -> None:
        nugget = active_nugget_of(locked, number)
        nugget.importance = nugget.importance if importance is None else importance
        nugget.text, nugget.group = checked_nugget(
            text=nugget.text if text is None else text,
            importance=nugget.importance,
            group=nugget.group if group is None else group,
        )
        nugget.fields = with_outcome(nugget.fields, nugget.text)
        if group is not None:
            require_group(locked, nugget.group)
        nugget.save()

    asked = {"number": number, "text": text, "importance": importance, "group": group}
    return make_edit(
        actor=actor, nugget_list=nugget_list, action="edit", asked=asked, client_key=client_key, change=change
    )


def move_nugget(*, actor: User, nugget_list: NuggetList, number: int, place: int, client_key: UUID) -> NuggetEdit:
    """Move a nugget to this place among the active nuggets, counted from 1. If the place is beyond the end, move it to
    the end. Refuses a place below 1, and a nugget that is not active.
    """
    if place < 1:
        raise Invalid(gettext("%(place)s is not a place on the list. Places are counted from 1.") % {"place": place})

    def change(locked: NuggetList) -> None:
        moved = active_nugget_of(locked, number)
        active = locked.nuggets.filter(is_retired=False, merged_into=None).order_by("position", "number")
        others = [nugget for nugget in active if nugget.pk != moved.pk]
        order = [*others[: place - 1], moved, *others[place - 1 :]]
        positions = sorted(nugget.position for nugget in order)
        for nugget, position in zip(order, positions, strict=True):
            if nugget.position != position:
                Nugget.objects.filter(pk=nugget.pk).update(position=position)

    asked = {"number": number, "place": place}
    return make_edit(
        actor=actor, nugget_list=nugget_list, action="move", asked=asked, client_key=client_key, change=change
    )


def merge_nuggets(
    *,
    actor: User,
    nugget_list: NuggetList,
    into: int,
    others: Sequence[int],
    client_key: UUID,
    text: str | None = None,
) -> NuggetEdit:
    """Merge nuggets into one, which keeps its number, may get a new text, and becomes vital if any of them is.

    The other nuggets keep their numbers and sources, and point to the nugget into which they were merged. It gets
    copies of their sources. Refuses no other nuggets, nuggets that are not active, and what `make_edit` refuses.
    """
    numbers = sorted(set(others))
    if not numbers or into in numbers:
        raise Invalid(gettext("Choose at least one other to merge."))

    def change(locked: NuggetList) -> None:
        target = active_nugget_of(locked, into)
        merged = [active_nugget_of(locked, number) for number in numbers]
        target.text, _ = checked_nugget(
            text=target.text if text is None else text, importance=target.importance, group=""
        )
        target.fields = with_outcome(target.fields, target.text)
        if any(nugget.importance == Nugget.Importance.VITAL for nugget in merged):
            target.importance = Nugget.Importance.VITAL
        target.save()
        for nugget in merged:
            copy_sources(nugget, target)
            Nugget.objects.filter(pk=nugget.pk).update(merged_into=target)

    asked = {"into": into, "others": numbers, "text": text}
    return make_edit(
        actor=actor, nugget_list=nugget_list, action="merge", asked=asked, client_key=client_key, change=change
    )


def split_nugget(
    *, actor: User, nugget_list: NuggetList, number: int, texts: Sequence[str], client_key: UUID
) -> NuggetEdit:
    """Replace a nugget by two or more new ones at the same place. Each new one has the importance and group of the old
    one and copies of its sources.

    The old nugget is retired and keeps its number. The new nuggets point to it. Refuses fewer than two texts, a nugget
    that is not active, and what `checked_nugget` and `make_edit` refuse.
    """
    if len(texts) < 2:
        raise Invalid(gettext("Give at least two texts to split it into."))
    parts = [checked_nugget(text=text, importance=Nugget.Importance.OKAY, group="")[0] for text in texts]

    def change(locked: NuggetList) -> None:
        old = active_nugget_of(locked, number)
        locked.nuggets.filter(position__gt=old.position).update(position=F("position") + len(parts))
        Nugget.objects.filter(pk=old.pk).update(is_retired=True)
        for place, text in enumerate(parts, start=1):
            new = insert_nugget(
                locked,
                text=text,
                importance=old.importance,
                group=old.group,
                fields=old.fields,
                position=old.position + place,
                split_from=old,
            )
            copy_sources(old, new)

    asked = {"number": number, "texts": parts}
    return make_edit(
        actor=actor, nugget_list=nugget_list, action="split", asked=asked, client_key=client_key, change=change
    )


def retire_nugget(*, actor: User, nugget_list: NuggetList, number: int, client_key: UUID) -> NuggetEdit:
    """Take a nugget off the list. It keeps its number and can be restored. Refuses a nugget that is not active."""

    def change(locked: NuggetList) -> None:
        Nugget.objects.filter(pk=active_nugget_of(locked, number).pk).update(is_retired=True)

    asked = {"number": number}
    return make_edit(
        actor=actor, nugget_list=nugget_list, action="retire", asked=asked, client_key=client_key, change=change
    )


def restore_nugget(*, actor: User, nugget_list: NuggetList, number: int, client_key: UUID) -> NuggetEdit:
    """Put a retired or merged nugget back on the list as it was. If it was merged into another nugget, that nugget does
    not change. Refuses a nugget that is on the list.
    """

    def change(locked: NuggetList) -> None:
        nugget = nugget_of(locked, number)
        if nugget.is_active:
            raise Invalid(gettext("Number %(number)s is on the list already.") % {"number": number})
        Nugget.objects.filter(pk=nugget.pk).update(is_retired=False, merged_into=None)

    asked = {"number": number}
    return make_edit(
        actor=actor, nugget_list=nugget_list, action="restore", asked=asked, client_key=client_key, change=change
    )


def checked_nugget(*, text: str, importance: str, group: str) -> tuple[str, str]:
    """Return the text and the group in the form in which they are stored, with a single space for each run of white
    space.

    Refuses an empty text, a text or a group that is too long, and an unknown importance.
    """
    text, group = clean_line(text), clean_line(group)
    if not text or len(text) > TEXT_LIMIT:
        raise Invalid(gettext("Write what it says, in at most %(value)s characters.") % {"value": TEXT_LIMIT})
    if len(group) > GROUP_LIMIT:
        raise Invalid(
            gettext("The group has %(group)s characters; %(value)s are allowed.")
            % {"group": len(group), "value": GROUP_LIMIT}
        )
    if importance not in Nugget.Importance.values:
        raise Invalid(
            gettext("%(importance)s is no importance. A nugget is vital or okay.") % {"importance": importance}
        )
    return text, group


def require_new_numbers(nugget_list: NuggetList, numbers: Sequence[int]) -> None:
    """Refuse a number that occurs twice, or was ever given in the list or in an earlier version of it.

    Numbers are identifiers and may be in any order. Two queries, or none if all numbers are higher than any number
    given before.
    """
    used: set[int] = set()
    if any(number <= nugget_list.last_number for number in numbers):
        same = {"nugget_list__topic": nugget_list.topic_id, "nugget_list__owner": nugget_list.owner_id}
        used |= set(Nugget.objects.filter(**same).values_list("number", flat=True))
        for states in NuggetEdit.objects.filter(**same).values_list("after", "before"):
            used |= {int(number) for state in states for number in state}
    for number in numbers:
        if number in used:
            raise Invalid(
                gettext("Number %(number)s was on this list already. Numbers are never used twice.")
                % {"number": number}
            )
        used.add(number)


def require_group(nugget_list: NuggetList, group: str) -> None:
    """Refuse a group that the stage does not name. If the stage names no groups, any text is allowed."""
    assignment = nugget_list.assignment
    _, stage = stage_of(assignment.campaign, assignment.stage)
    known = dict(stage.options(NuggetWriting).groups)
    if group and known and group not in known:
        raise Invalid(
            gettext("“%(group)s” is no group of this work. Use one of: %(known)s.")
            % {"group": group, "known": ", ".join(known)}
        )


def end_of_list(nugget_list: NuggetList) -> int:
    """Return the position that a nugget added at the end of the list gets."""
    last = nugget_list.nuggets.order_by("-position").values_list("position", flat=True).first()
    return 1 if last is None else last + 1


def insert_nugget(
    nugget_list: NuggetList,
    *,
    text: str,
    importance: str,
    group: str,
    position: int,
    fields: Mapping[str, Any] = MappingProxyType({}),
    split_from: Nugget | None = None,
    number: int | None = None,
) -> Nugget:
    """Insert the row of a nugget with this number, by default the next free one, and return it. Refuse it if the list
    is full.
    """
    if nugget_list.nuggets.count() >= NUGGET_LIMIT:
        raise Invalid(gettext("A list holds at most %(value)s of them.") % {"value": NUGGET_LIMIT})
    number = nugget_list.last_number + 1 if number is None else number
    nugget_list.last_number = max(nugget_list.last_number, number)
    NuggetList.objects.filter(pk=nugget_list.pk).update(last_number=nugget_list.last_number)
    return Nugget.objects.create(
        nugget_list=nugget_list,
        number=number,
        position=position,
        text=text,
        importance=importance,
        group=group,
        fields=with_outcome(fields, text),
        split_from=split_from,
    )


def copy_sources(source: Nugget, target: Nugget) -> None:
    """Add copies of one nugget's sources to another nugget."""
    copies = [
        NuggetSource(
            nugget=target, item_id=s.item_id, document_id=s.document_id, docno=s.docno, quote=s.quote, span=s.span
        )
        for s in source.sources.order_by("id")
    ]
    NuggetSource.objects.bulk_create(copies)
