"""Group correct instances into distinct answers, each an answer class."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.base.errors import Conflict, Invalid
from assess.items.models import Item
from assess.judging.snapshots import Snapshot
from assess.kinds.base import noun_and_plural
from assess.ledger.models import How
from assess.protocol import Stage
from nuggets.classes.current import correct_items, current_labels, found_judgments, line_of, members_of
from nuggets.classes.edits import Change, make_class_edit
from nuggets.classes.models import AnswerClass, ClassEdit
from nuggets.classes.tally import grouped_noun
from nuggets.options import ItemGrouping
from nuggets.writing.edits import clean_line

LABEL_LIMIT = 300
NUMBER_LIMIT = 1_000_000


def create_class(
    *,
    actor: User,
    assignment: Assignment,
    items: Sequence[Item],
    client_key: UUID,
    label: str = "",
    number: int | None = None,
    how: str = How.KEY,
) -> ClassEdit:
    """Make a new answer class of these correct instances, and return the edit, whose `answer_class` is the class. By
    default its label is the text of the first instance.

    Instances that are in another class leave it, so this can split classes too. A replay of recorded judgments gives
    the original ``number``. Refuses a number or a label that another class has, no instances, and one that is not
    judged correct.
    """
    ids = _ids(items)
    label = checked_label(label or items[0].text)

    def plan(stage: Stage) -> Change:
        places = _moved(assignment=assignment, stage=stage, items=ids)
        made = class_called(label, assignment=assignment, stage=stage, number=number)
        return Change({item: (made.pk, found) for item, found in places.items()}, {made.pk: label}, answer_class=made)

    asked = {"items": ids, "label": label, "as": number}
    return make_class_edit(
        actor=actor, assignment=assignment, action="create", asked=asked, client_key=client_key, how=how, plan=plan
    )


def assign_to_class(
    *,
    actor: User,
    assignment: Assignment,
    items: Sequence[Item],
    answer_class: AnswerClass,
    client_key: UUID,
    how: str = How.KEY,
) -> ClassEdit:
    """Put correct instances into an existing class, and return the edit. Refuses a class of other work, no instances,
    and one that is not judged correct.
    """
    ids = _ids(items)

    def plan(stage: Stage) -> Change:
        require_own(assignment=assignment, classes=[answer_class])
        places = _moved(assignment=assignment, stage=stage, items=ids)
        return Change({item: (answer_class.pk, found) for item, found in places.items()}, answer_class=answer_class)

    asked = {"items": ids, "class": answer_class.pk}
    return make_class_edit(
        actor=actor, assignment=assignment, action="assign", asked=asked, client_key=client_key, how=how, plan=plan
    )


def remove_from_class(
    *, actor: User, assignment: Assignment, items: Sequence[Item], client_key: UUID, how: str = How.KEY
) -> ClassEdit:
    """Take instances out of their classes, and return the edit.

    If the assessor found an answer, or somebody before a hand-over did, the judgment of it is withdrawn as well. So is
    the judgment of an answer in no class that was found by somebody whose work was taken back. Raises Conflict for any
    other instance that is in no class, and refuses what `make_class_edit` refuses.
    """
    ids = _ids(items)

    def plan(stage: Stage) -> Change:
        places = _places(assignment=assignment, items=ids)
        found = [item for item in ids if item not in places or places[item][1]]
        judged = set(found_judgments(found, assignment=assignment, stage=stage).values_list("item_id", flat=True))
        if len(places.keys() | judged) < len(ids):
            raise Conflict(gettext("This answer is in no class. Reload the page."))
        return Change(dict.fromkeys(ids, (None, False)), judgments=dict.fromkeys(judged))

    asked = {"items": ids}
    return make_class_edit(
        actor=actor, assignment=assignment, action="remove", asked=asked, client_key=client_key, how=how, plan=plan
    )


def merge_classes(
    *,
    actor: User,
    assignment: Assignment,
    into: AnswerClass,
    others: Sequence[AnswerClass],
    client_key: UUID,
    how: str = How.KEY,
) -> ClassEdit:
    """Put all members of other classes into one class, which keeps its label. The other classes have no members
    afterwards and are no longer shown.

    Refuses no other classes, classes of other work, and classes that have no members any more.
    """
    ids = sorted({other.pk for other in others})
    if not ids or into.pk in ids:
        raise Invalid(gettext("Choose at least one other class to merge."))

    def plan(stage: Stage) -> Change:
        require_own(assignment=assignment, classes=[into, *others])
        members = members_of(assignment).filter(answer_class__in=ids)
        places = {row.item_id: (into.pk, row.is_found) for row in members}
        if not places:
            raise Conflict(gettext("These classes have no members any more. Reload the page."))
        return Change(dict(places), answer_class=into)

    asked = {"into": into.pk, "others": ids}
    return make_class_edit(
        actor=actor, assignment=assignment, action="merge", asked=asked, client_key=client_key, how=how, plan=plan
    )


def split_class(
    *,
    actor: User,
    assignment: Assignment,
    answer_class: AnswerClass,
    items: Sequence[Item],
    client_key: UUID,
    label: str = "",
    how: str = How.KEY,
) -> ClassEdit:
    """Move some members of a class into a new class, and return the edit.

    Refuses items that are not in the class, a choice of all its members, and a label that another class has.
    """
    ids = _ids(items)
    label = checked_label(label or items[0].text)

    def plan(stage: Stage) -> Change:
        require_own(assignment=assignment, classes=[answer_class])
        members = {row.item_id: row.is_found for row in members_of(assignment).filter(answer_class=answer_class)}
        if not set(ids) <= set(members):
            raise Conflict(
                gettext("Not all of these %(nouns)s are in this class. Reload the page.")
                % {"nouns": noun_and_plural(grouped_noun(stage))[1]}
            )
        if set(ids) == set(members):
            raise Invalid(
                gettext("Leave at least one %(noun)s in the class; to change its name, rename it.")
                % {"noun": noun_and_plural(grouped_noun(stage))[0]}
            )
        made = class_called(label, assignment=assignment, stage=stage)
        return Change({item: (made.pk, members[item]) for item in ids}, {made.pk: label}, answer_class=made)

    asked = {"class": answer_class.pk, "items": ids, "label": label}
    return make_class_edit(
        actor=actor, assignment=assignment, action="split", asked=asked, client_key=client_key, how=how, plan=plan
    )


def rename_class(
    *,
    actor: User,
    assignment: Assignment,
    answer_class: AnswerClass,
    label: str,
    client_key: UUID,
    how: str = How.KEY,
) -> ClassEdit:
    """Give a class another label. Refuses a class of other work, and an empty label or one that another class has."""
    label = checked_label(label)

    def plan(stage: Stage) -> Change:
        require_own(assignment=assignment, classes=[answer_class])
        require_new_label(assignment=assignment, label=label, besides=answer_class.pk)
        return Change(labels={answer_class.pk: label}, answer_class=answer_class)

    asked = {"class": answer_class.pk, "label": label}
    return make_class_edit(
        actor=actor, assignment=assignment, action="rename", asked=asked, client_key=client_key, how=how, plan=plan
    )


def checked_label(label: str) -> str:
    """Return the label in the form in which it is stored: on one line, and cut to the limit. Refuses an empty label."""
    label = clean_line(label)[:LABEL_LIMIT]
    if not label:
        raise Invalid(gettext("Give the class a name."))
    return label


def require_new_label(*, assignment: Assignment, label: str, besides: int | None = None) -> None:
    """Refuse a label that another class of this grouping has, since files distinguish classes by their labels."""
    if _called(label, assignment=assignment) not in (None, besides):
        raise _label_taken(label)


def class_called(label: str, *, assignment: Assignment, stage: Stage, number: int | None = None) -> AnswerClass:
    """Return the class to use for a new label: a new one, as `new_class` makes it, or a hidden one with this label.

    A class is hidden if none of its answers is judged correct any more, so that no page shows it. It is not used if a
    ``number`` is given. Refuses a label that any other class of the grouping has.
    """
    same = _called(label, assignment=assignment)
    if same is None:
        return new_class(assignment, number=number)
    grade, topics = stage.options(ItemGrouping).grade, [assignment.topic_id]
    members = members_of(assignment).filter(answer_class=same).values("item")
    correct = correct_items(Snapshot(assignment.campaign), grade=grade, topics=topics).filter(pk__in=members)
    if number is not None or correct.exists():
        raise _label_taken(label)
    return AnswerClass.objects.get(pk=same)


def _label_taken(label: str) -> Conflict:
    return Conflict(
        gettext("There is a class called “%(label)s” already. Put it there, or give this one another name.")
        % {"label": label}
    )


def _called(label: str, *, assignment: Assignment) -> int | None:
    """Return the id of the class of this grouping with this label, or None."""
    classes = set(members_of(assignment).values_list("answer_class_id", flat=True))
    labels = current_labels(pk for pk in classes if pk is not None)
    return next((pk for pk, name in labels.items() if name == label), None)


def new_class(assignment: Assignment, *, number: int | None = None) -> AnswerClass:
    """Add an empty class with this number, by default the topic's next number, to the database.

    The caller must have locked the topic. Numbers are never reused. Refuses a number that is in use, below 1 or above
    `NUMBER_LIMIT`.
    """
    of_topic = AnswerClass.objects.filter(topic=assignment.topic_id)
    if number is None:
        number = (of_topic.order_by("-number").values_list("number", flat=True).first() or 0) + 1
    elif not 1 <= number <= NUMBER_LIMIT or of_topic.filter(number=number).exists():
        raise Invalid(
            gettext("Class %(number)s of this topic is there already, or no number from 1 to %(value)s.")
            % {"number": number, "value": NUMBER_LIMIT}
        )
    return AnswerClass.objects.create(topic_id=assignment.topic_id, number=number, assignment=assignment)


def _ids(items: Sequence[Item]) -> list[int]:
    if not items:
        raise Invalid(gettext("Choose at least one line."))
    return sorted({item.pk for item in items})


def _places(*, assignment: Assignment, items: Sequence[int]) -> dict[int, tuple[int | None, bool]]:
    rows = members_of(assignment, item__in=items)
    return {row.item_id: (row.answer_class_id, row.is_found) for row in rows}


def _moved(*, assignment: Assignment, stage: Stage, items: Sequence[int]) -> dict[int, bool]:
    """Return item's id -> whether the assessor found the item. Refuses an item that is not officially judged
    correct.
    """
    grade, topics = stage.options(ItemGrouping).grade, [assignment.topic_id]
    correct = correct_items(Snapshot(assignment.campaign), grade=grade, topics=topics).filter(pk__in=items)
    missing = set(items) - set(correct.values_list("pk", flat=True))
    if missing:
        raise Conflict(
            gettext("Only %(nouns)s that are judged correct belong in a class. Reload the page.")
            % {"nouns": noun_and_plural(grouped_noun(stage))[1]}
        )
    places = _places(assignment=assignment, items=items)
    return {item: places.get(item, (None, False))[1] for item in items}


def require_own(*, assignment: Assignment, classes: Sequence[AnswerClass]) -> None:
    """Refuse classes that neither the assignment nor one that it continues made."""
    line = line_of(assignment)
    if any(found.assignment_id not in line for found in classes):
        raise Invalid(gettext("This class does not belong to your work. Reload the page to see what does."))
