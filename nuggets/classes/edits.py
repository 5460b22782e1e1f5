"""Change a grouping in the one permitted way: by an edit under a lock, whose rows give the new state.

Another edit can undo it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID, uuid5

from django.contrib.auth.models import User

from assess.assignments.domain.held_work import require_open_for_writing
from assess.assignments.models import Assignment
from assess.campaigns.queries import current_guideline_id
from assess.judging.models import Judgment
from assess.ledger.adding import add_rows, store
from assess.ledger.models import How
from assess.protocol import Stage
from assess.topics.models import Topic
from nuggets.classes.current import current_labels, found_judgments, members_of
from nuggets.classes.models import AnswerClass, ClassAssignment, ClassEdit, ClassLabel
from nuggets.options import ItemGrouping
from nuggets.writing.edits import add_edit, lock_assignment, make_undo_or_redo, require_how

WORK = "classes"
Asked = dict[str, Any]
Place = tuple[int | None, bool]  # (class id or None, is_found)


@dataclass(slots=True)
class Change:
    """What one edit sets: the classes of items, the labels of classes, and the judgments of found answers.

    The keys are ids of items or classes. A judgment of None withdraws the earlier one.
    """

    places: dict[int, Place] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    judgments: dict[int, int | None] = field(default_factory=dict)
    answer_class: AnswerClass | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the change in the form in which the ledger stores it. Mappings become lists of pairs, since the keys
        of JSON objects are text.
        """
        return {
            "places": [[item, *place] for item, place in sorted(self.places.items())],
            "labels": [list(pair) for pair in sorted(self.labels.items())],
            "judgments": [list(pair) for pair in sorted(self.judgments.items())],
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Change:
        """Return the change that `as_json` stored."""
        return cls(
            places={item: (answer_class, is_found) for item, answer_class, is_found in values["places"]},
            labels=dict(values["labels"]),
            judgments=dict(values["judgments"]),
        )


def make_class_edit(
    *,
    actor: User,
    assignment: Assignment,
    action: str,
    asked: Asked,
    client_key: UUID,
    how: str,
    plan: Callable[[Stage], Change],
) -> ClassEdit:
    """Lock the assignment, let ``plan`` decide what changes, add the edit with its rows, and return it.

    ``plan`` is called only if the client key is new, and it may refuse. If the key is repeated with the same ``asked``,
    the edit that was made first is returned. Refuses a key that was used for something else, and an assignment that the
    actor can't write to now.
    """
    edit = ClassEdit(assignment=assignment, actor=actor, action=action, asked=asked, client_key=client_key, how=how)

    def write(stage: Stage) -> Change:
        Topic.objects.select_for_update(no_key=True).get(pk=assignment.topic_id)
        after = plan(stage)
        before = _present(after, assignment=assignment, stage=stage)
        edit.answer_class, edit.before, edit.after = after.answer_class, before.as_json(), after.as_json()
        return after

    return _make(edit, write)


def undo_class_edit(*, actor: User, assignment: Assignment, client_key: UUID, how: str = How.KEY) -> ClassEdit:
    """Undo the newest edit of this grouping that has not been undone, by adding a row. A repeated undo goes one step
    further back. Raises Conflict if there is nothing to undo.
    """
    return _turn_back(ClassEdit(assignment=assignment, actor=actor, action="undo", client_key=client_key, how=how))


def redo_class_edit(*, actor: User, assignment: Assignment, client_key: UUID, how: str = How.KEY) -> ClassEdit:
    """Redo the newest undo. Raises Conflict if nothing was undone, or something else was changed after it."""
    return _turn_back(ClassEdit(assignment=assignment, actor=actor, action="redo", client_key=client_key, how=how))


def _turn_back(edit: ClassEdit) -> ClassEdit:
    def write(_: Stage) -> Change:
        make_undo_or_redo(edit, ClassEdit.objects.filter(assignment=edit.assignment).order_by("id"))
        return Change.from_json(edit.after)

    return _make(edit, write)


def _make(edit: ClassEdit, write: Callable[[Stage], Change]) -> ClassEdit:
    require_how(edit.how)

    def change(stage: Stage) -> None:
        require_open_for_writing(actor=edit.actor, assignment=edit.assignment)
        after = write(stage)
        store(edit)
        _add(edit, after, stage=stage)

    return add_edit(edit, owner="assignment_id", lock=partial(lock_assignment, edit.assignment, WORK), change=change)


def _present(change: Change, *, assignment: Assignment, stage: Stage) -> Change:
    """Return the current value of everything that the change sets, so that it can be undone."""
    present: dict[int, Place] = dict.fromkeys(change.places, (None, False))
    for row in members_of(assignment, item__in=list(change.places)):
        present[row.item_id] = (row.answer_class_id, row.is_found)
    labels = current_labels(change.labels)
    return Change(
        places=present,
        labels={pk: labels.get(pk, "") for pk in change.labels},
        judgments=_own_values(change, assignment=assignment, stage=stage),
    )


def _own_values(change: Change, *, assignment: Assignment, stage: Stage) -> dict[int, int | None]:
    found = found_judgments(change.judgments, assignment=assignment, stage=stage)
    return dict.fromkeys(change.judgments) | dict(found.order_by("id").values_list("item_id", "value"))


def _add(edit: ClassEdit, after: Change, *, stage: Stage) -> None:
    """Add the rows that bring the grouping into the state ``after``."""
    add_rows(
        [
            ClassAssignment(item_id=item, answer_class_id=pk, is_found=found, assignment=edit.assignment, edit=edit)
            for item, (pk, found) in after.places.items()
        ]
    )
    add_rows([ClassLabel(answer_class_id=pk, label=label, edit=edit) for pk, label in after.labels.items() if label])
    if after.judgments:
        _judge(edit, stage=stage, values=after.judgments)


def _judge(edit: ClassEdit, *, stage: Stage, values: dict[int, int | None]) -> None:
    """Judge the answers that the assessor found. No run returned them, so they are in no pool and nobody else judges
    them. What is withdrawn is withdrawn in the name of whoever judged it before, since it would count on; who did it is
    the edit's actor.
    """
    criterion, _ = stage.options(ItemGrouping).grade
    guideline = current_guideline_id(edit.assignment.campaign)
    said: list[tuple[int, int, int | None]] = [
        (item, edit.actor_id, value) for item, value in values.items() if value is not None
    ]
    gone = found_judgments(set(values) - {item for item, *_ in said}, assignment=edit.assignment, stage=stage)
    said += [(item, person, None) for item, person in gone.order_by("id").values_list("item_id", "assessor_id")]
    store(
        *(
            Judgment(
                item_id=item,
                criterion=criterion,
                value=value,
                note="found by the assessor",
                assessor_id=person,
                assignment=edit.assignment,
                guideline_id=guideline,
                client_key=uuid5(edit.client_key, f"judgment {item}" + f" of {person}" * (person != edit.actor_id)),
                how=edit.how,
            )
            for item, person, value in said
        )
    )
