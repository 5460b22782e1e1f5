"""Replay a recorded grouping of answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from assess.items.models import Item
from assess.ledger.models import How
from assess.replay.session import Desk, ReplayLine
from nuggets.classes.current import classes_before, current_members
from nuggets.classes.found_answers import add_found_answer
from nuggets.classes.models import AnswerClass, ClassAssignment
from nuggets.classes.record import assign_to_class, checked_label, create_class
from nuggets.writing.edits import clean_line
from scoring.folding import answer_key
from scoring.release.recorded_acts import AnswerFound, Classed


def replay_classes(desk: Desk, lines: list[ReplayLine]) -> None:
    """Make a class for each label, with all its members. Then add the answers that assessors found. What is refused
    becomes a problem of the line, or of the first line of a class.
    """
    classes = _Classes(desk, classes_before(desk.assignment))
    groups: dict[str, list[ReplayLine]] = {}
    for line in lines:
        if isinstance(line.act, Classed):
            groups.setdefault(line.act.label, []).append(line)
    for label, members in groups.items():
        desk.session.attempt(members[0], classes.group, label, [line.act for line in members])
    for line in lines:
        if isinstance(line.act, AnswerFound):
            desk.session.attempt(line, classes.find, line.act)


@dataclass(frozen=True, slots=True)
class _Classes:
    """The classes that exist so far, by label. Those made before the assignment was handed over are included."""

    desk: Desk
    made: dict[str, AnswerClass | None] = field(default_factory=dict)

    def group(self, label: str, members: list[Classed]) -> None:
        """Put these members into the class with this label. If there is no such class yet, make it with the number that
        the members recorded.
        """
        label = checked_label(label)
        made = self.made.get(label)
        if made is not None:
            assign_to_class(
                actor=self.desk.user,
                assignment=self.desk.assignment,
                items=[self.desk.item(act) for act in members],
                answer_class=made,
                client_key=self.desk.session.key(*members),
                how=How.IMPORT,
            )
            return
        edit = create_class(
            actor=self.desk.user,
            assignment=self.desk.assignment,
            items=[self.desk.item(act) for act in members],
            label=label,
            number=members[0].number or None,
            client_key=self.desk.session.key(*members),
            how=How.IMPORT,
        )
        self.made[label] = edit.answer_class

    def find(self, act: AnswerFound) -> None:
        """Add an answer that the assessor found to its class. Nothing is done if a run returned the answer too and it
        is in the class already.
        """
        label = checked_label(act.label)
        if self._has(label, act):
            return
        edit = add_found_answer(
            actor=self.desk.user,
            assignment=self.desk.assignment,
            text=act.answer,
            docno=act.docno,
            answer_class=self.made.get(label),
            label=label,
            number=act.number or None,
            client_key=self.desk.session.key(act),
            how=How.IMPORT,
        )
        self.made[label] = edit.answer_class
        for item in Item.objects.filter(pk__in=[pk for pk, *_ in edit.after["places"]]):
            self.desk.items().setdefault(item.key, item)  # others group it as well

    def _has(self, label: str, act: AnswerFound) -> bool:
        made, key = self.made.get(label), answer_key(clean_line(act.answer), act.docno)
        if made is None:
            return False
        rows = ClassAssignment.objects.filter(assignment=self.desk.assignment, item__key=key, is_found=False)
        return current_members(rows).filter(answer_class=made).exists()
