"""Accept the suggested grouping: put waiting answers that read alike into one class, all in one edit."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.base.errors import Conflict, Invalid
from assess.items.models import Item
from assess.kinds.base import noun_and_plural
from assess.ledger.models import How
from assess.protocol import Stage
from nuggets.classes.current import Grouping, grouping_of
from nuggets.classes.edits import Change, make_class_edit
from nuggets.classes.models import ClassEdit
from nuggets.classes.record import checked_label, class_called
from nuggets.classes.suggestions import suggestion_order
from nuggets.classes.tally import grouped_noun


def accept_suggestions(
    *, actor: User, assignment: Assignment, items: Sequence[Item], client_key: UUID, how: str = How.KEY
) -> ClassEdit:
    """Put each of these waiting answers into the class that `suggest_classes` suggests for it, and return the edit.

    Missing classes are made. A single undo takes all of it back. Refuses an empty choice, an answer that is in a class
    already or is not correct, and two new classes with the same label.
    """
    ids = sorted({item.pk for item in items})
    if not ids:
        raise Invalid(gettext("There is no suggestion to accept. Mark lines and press n for a new class."))

    def plan(stage: Stage) -> Change:
        grouping = grouping_of(assignment, stage)
        if not set(ids) <= {item.pk for item in grouping.waiting}:
            raise Conflict(
                gettext("Some of these %(nouns)s are in a class already, or no longer correct. Reload the page.")
                % {"nouns": noun_and_plural(grouped_noun(stage))[1]}
            )
        return _accepted(assignment=assignment, stage=stage, grouping=grouping, ids=set(ids))

    return make_class_edit(
        actor=actor,
        assignment=assignment,
        action="suggest",
        asked={"items": ids},
        client_key=client_key,
        how=how,
        plan=plan,
    )


def _accepted(*, assignment: Assignment, stage: Stage, grouping: Grouping, ids: set[int]) -> Change:
    """Return the change that puts each answer into its suggested class. New classes get their numbers in the
    alphabetical order of the suggestions on the page. Raises `Conflict` for two suggestions that would be called the
    same, and what `checked_label` and `class_called` raise.
    """
    by_label = {view.label: view.id for view in grouping.classes}
    change = Change()
    suggestions = grouping.suggestions
    for item in sorted(grouping.waiting, key=lambda each: suggestion_order(suggestions[each.pk])):
        if item.pk in ids:
            label = suggestions[item.pk]
            if label not in by_label:
                cut = checked_label(label)
                if cut in change.labels.values():
                    raise Conflict(
                        gettext("Two suggestions would both be called “%(cut)s”. Accept one and name the other.")
                        % {"cut": cut}
                    )
                made = class_called(cut, assignment=assignment, stage=stage)
                by_label[label] = made.pk
                change.labels[made.pk] = cut
            change.places[item.pk] = (by_label[label], False)
    return change
