"""Reading an edit of the grouping from a form, and the domain function that each action calls."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import User
from django.http import HttpRequest

from assess.assignments.models import Assignment
from assess.base.errors import Invalid
from assess.items.models import Item
from assess.web.requests import posted_how, posted_key
from nuggets.classes.access import access_class
from nuggets.classes.bench import class_of
from nuggets.classes.edits import redo_class_edit, undo_class_edit
from nuggets.classes.found_answers import add_found_answer
from nuggets.classes.models import AnswerClass, ClassEdit
from nuggets.classes.record import (
    assign_to_class,
    create_class,
    merge_classes,
    remove_from_class,
    rename_class,
    split_class,
)
from nuggets.classes.suggestions import accept_suggestions
from nuggets.writing.access import access_answers

ITEMS_LIMIT = 5000
Edit = Callable[[HttpRequest, Assignment, User], ClassEdit]


def _create(request: HttpRequest, assignment: Assignment, actor: User) -> ClassEdit:
    return create_class(
        actor=actor,
        assignment=assignment,
        items=_items(request, assignment),
        label=_text(request, "label"),
        client_key=posted_key(request),
        how=posted_how(request),
    )


def _assign(request: HttpRequest, assignment: Assignment, actor: User) -> ClassEdit:
    return assign_to_class(
        actor=actor,
        assignment=assignment,
        items=_items(request, assignment),
        answer_class=_class(request, assignment, "into"),
        client_key=posted_key(request),
        how=posted_how(request),
    )


def _remove(request: HttpRequest, assignment: Assignment, actor: User) -> ClassEdit:
    items = _items(request, assignment)
    return remove_from_class(
        actor=actor, assignment=assignment, items=items, client_key=posted_key(request), how=posted_how(request)
    )


def _merge(request: HttpRequest, assignment: Assignment, actor: User) -> ClassEdit:
    """Into the class with the lowest number, which is the oldest."""
    ids = _ids(request, "class")
    chosen = sorted((access_class(assignment, pk) for pk in ids[:ITEMS_LIMIT]), key=lambda found: found.number)
    if len(chosen) < 2:
        raise Invalid("Choose two classes or more to merge.")
    return merge_classes(
        actor=actor,
        assignment=assignment,
        into=chosen[0],
        others=chosen[1:],
        client_key=posted_key(request),
        how=posted_how(request),
    )


def _split(request: HttpRequest, assignment: Assignment, actor: User) -> ClassEdit:
    """From the class that the script names; a plain form names none, so the first answer says which."""
    items = _items(request, assignment)
    named = request.POST.get("from", "")
    return split_class(
        actor=actor,
        assignment=assignment,
        answer_class=_class(request, assignment, "from") if named else _class_of(assignment, items[0]),
        items=items,
        label=_text(request, "label"),
        client_key=posted_key(request),
        how=posted_how(request),
    )


def _rename(request: HttpRequest, assignment: Assignment, actor: User) -> ClassEdit:
    ids = _ids(request, "class")
    if len(ids) != 1:
        raise Invalid("Choose one class to rename.")
    return rename_class(
        actor=actor,
        assignment=assignment,
        answer_class=access_class(assignment, ids[0]),
        label=_text(request, "label"),
        client_key=posted_key(request),
        how=posted_how(request),
    )


def _suggest(request: HttpRequest, assignment: Assignment, actor: User) -> ClassEdit:
    accepted = _ids(request, "accept")
    return accept_suggestions(
        actor=actor,
        assignment=assignment,
        items=access_answers(assignment, accepted),
        client_key=posted_key(request),
        how=posted_how(request),
    )


def _found(request: HttpRequest, assignment: Assignment, actor: User) -> ClassEdit:
    return add_found_answer(
        actor=actor,
        assignment=assignment,
        text=_text(request, "text"),
        docno=_text(request, "docno").strip(),
        answer_class=_class(request, assignment, "into") if request.POST.get("into") else None,
        label=_text(request, "label"),
        client_key=posted_key(request),
        how=posted_how(request),
    )


def _undo(request: HttpRequest, assignment: Assignment, actor: User) -> ClassEdit:
    return undo_class_edit(actor=actor, assignment=assignment, client_key=posted_key(request), how=posted_how(request))


def _redo(request: HttpRequest, assignment: Assignment, actor: User) -> ClassEdit:
    return redo_class_edit(actor=actor, assignment=assignment, client_key=posted_key(request), how=posted_how(request))


EDITS: dict[str, Edit] = {
    "create": _create,
    "assign": _assign,
    "remove": _remove,
    "merge": _merge,
    "split": _split,
    "rename": _rename,
    "suggest": _suggest,
    "found": _found,
    "undo": _undo,
    "redo": _redo,
}


def _items(request: HttpRequest, assignment: Assignment) -> list[Item]:
    ids = _ids(request, "item")
    if not ids:
        raise Invalid("Choose at least one line.")
    return access_answers(assignment, ids)


def _class(request: HttpRequest, assignment: Assignment, name: str) -> AnswerClass:
    ids = _ids(request, name)
    if len(ids) != 1:
        raise Invalid("Choose one class.")
    return access_class(assignment, ids[0])


def _class_of(assignment: Assignment, item: Item) -> AnswerClass:
    found = class_of(assignment, item)
    if found is None:
        raise Invalid("Choose lines that are in a class.")
    return found


def _ids(request: HttpRequest, name: str) -> list[int]:
    """Ids from check boxes, or one field with commas between them."""
    words = [word.strip() for field in request.POST.getlist(name) for word in field.split(",") if word.strip()]
    if len(words) > ITEMS_LIMIT or not all(word.isascii() and word.isdigit() and len(word) <= 18 for word in words):
        raise Invalid(f"“{name}” must be numbers with commas between them. Reload the page and try again.")
    return list(dict.fromkeys(int(word) for word in words))


def _text(request: HttpRequest, name: str) -> str:
    return request.POST.get(name, "").replace("\x00", "")
