"""The one way in which a grouping changes: one locked edit whose rows say what is now, undone by another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from assess.assignments.models import Assignment
from assess.base.errors import Conflict, Invalid
from assess.campaigns.guidelines import current_guideline_id
from assess.judging.models import Judgment
from assess.ledger.models import How
from assess.protocol import Stage
from assess.topics.models import Topic
from nuggets.classes.current import current_labels, members_of
from nuggets.classes.models import AnswerClass, ClassAssignment, ClassEdit, ClassLabel
from nuggets.writing.history import history_of
from nuggets.writing.rows import add_rows, first_or_refused, lock_assignment, one_key, require_how, require_writable

WORK = "classes"
Asked = dict[str, Any]
Place = tuple[int | None, bool]  # (class id or None, is_found)


@dataclass(slots=True)
class Change:
    """What one edit sets: where items are, how classes are called, what found answers are judged.

    Keys are ids, of items and of classes; a judgment of None withdraws.
    """

    places: dict[int, Place] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    judgments: dict[int, int | None] = field(default_factory=dict)
    answer_class: AnswerClass | None = None

    def as_json(self) -> dict[str, Any]:
        """As the ledger keeps it: pairs, since JSON keys are text."""
        return {
            "places": [[item, *place] for item, place in sorted(self.places.items())],
            "labels": [list(pair) for pair in sorted(self.labels.items())],
            "judgments": [list(pair) for pair in sorted(self.judgments.items())],
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Change:
        """What `as_json` kept."""
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
    """Lock the assignment, let ``plan`` say what changes, and add the edit with its rows.

    ``plan`` may refuse; it runs after the key was looked up. Same key and same ``asked``: the first row.
    """
    require_how(how)
    with one_key(), transaction.atomic():
        stage = lock_assignment(assignment, WORK)
        earlier = ClassEdit.objects.filter(client_key=client_key).first()
        if earlier is not None:
            same = (earlier.assignment_id, earlier.actor_id, earlier.action) == (assignment.pk, actor.pk, action)
            return first_or_refused(earlier, same=same and earlier.asked == asked)
        require_writable(actor=actor, assignment=assignment)
        Topic.objects.select_for_update(no_key=True).get(pk=assignment.topic_id)
        change = plan(stage)
        edit = ClassEdit(assignment=assignment, actor=actor, action=action, asked=asked, client_key=client_key, how=how)
        edit.answer_class = change.answer_class
        return _write(edit, stage=stage, before=_present(change, assignment=assignment, stage=stage), after=change)


def undo_class_edit(*, actor: User, assignment: Assignment, client_key: UUID, how: str = How.KEY) -> ClassEdit:
    """Turn back the newest edit of this grouping that counts, by another. Again and again walks back."""
    return _turn_back(actor=actor, assignment=assignment, client_key=client_key, how=how, action="undo")


def redo_class_edit(*, actor: User, assignment: Assignment, client_key: UUID, how: str = How.KEY) -> ClassEdit:
    """Turn back the newest undo, as long as nothing else was changed since."""
    return _turn_back(actor=actor, assignment=assignment, client_key=client_key, how=how, action="redo")


def _turn_back(*, actor: User, assignment: Assignment, client_key: UUID, how: str, action: str) -> ClassEdit:
    require_how(how)
    with one_key(), transaction.atomic():
        stage = lock_assignment(assignment, WORK)
        earlier = ClassEdit.objects.filter(client_key=client_key).first()
        if earlier is not None:
            same = (earlier.assignment_id, earlier.actor_id, earlier.action) == (assignment.pk, actor.pk, action)
            return first_or_refused(earlier, same=same)
        require_writable(actor=actor, assignment=assignment)
        history = history_of(ClassEdit.objects.filter(assignment=assignment).order_by("id"))
        row = history.undo if action == "undo" else history.redo
        if row is None:
            raise Conflict(f"There is nothing to {action}.")
        edit = ClassEdit(assignment=assignment, actor=actor, action=action, client_key=client_key, how=how, undoes=row)
        before, after = Change.from_json(row.after), Change.from_json(row.before)
        return _write(edit, stage=stage, before=before, after=after)


def _present(change: Change, *, assignment: Assignment, stage: Stage) -> Change:
    """What is the case now for all that the change sets."""
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
    values: dict[int, int | None] = dict.fromkeys(change.judgments)
    if values and stage.class_grade is not None:
        rows = Judgment.objects.filter(
            item__in=list(values), criterion=stage.class_grade[0], assessor=assignment.assessor_id
        )
        newest = rows.order_by().values("item_id").annotate(newest=Max("id")).values("newest")
        values.update(Judgment.objects.filter(pk__in=newest).values_list("item_id", "value"))
    return values


def _write(edit: ClassEdit, *, stage: Stage, before: Change, after: Change) -> ClassEdit:
    edit.before, edit.after = before.as_json(), after.as_json()
    edit.save()
    add_rows(
        [
            ClassAssignment(item_id=item, answer_class_id=pk, is_found=found, assignment=edit.assignment, edit=edit)
            for item, (pk, found) in after.places.items()
        ]
    )
    add_rows([ClassLabel(answer_class_id=pk, label=label, edit=edit) for pk, label in after.labels.items() if label])
    if after.judgments:
        _judge(edit, stage=stage, values=after.judgments)
    return edit


def _judge(edit: ClassEdit, *, stage: Stage, values: dict[int, int | None]) -> None:
    """Judgments of answers that the assessor found: no run returned them, so no pool asks for them."""
    if stage.class_grade is None:
        raise Invalid("This stage groups nothing.")
    guideline = current_guideline_id(edit.assignment.campaign)
    add_rows(
        [
            Judgment(
                item_id=item,
                criterion=stage.class_grade[0],
                value=value,
                note="found by the assessor",
                assessor_id=edit.actor_id,
                assignment=edit.assignment,
                guideline_id=guideline,
                client_key=uuid5(edit.client_key, f"judgment {item}"),
                how=edit.how,
            )
            for item, value in values.items()
        ]
    )
