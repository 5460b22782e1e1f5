"""Any sequence of judgments, list edits, marks, votes and class edits: current is what was said last, any earlier
ledger point gives what was current then, and undo restores what was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from hypothesis import strategies as st
from hypothesis.stateful import (
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from assess.judging.queries.current import current_judgments
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Assignment, Item
from nuggets.classes.current import current_labels, current_members
from nuggets.classes.edits import redo_class_edit, undo_class_edit
from nuggets.classes.record import create_class, remove_from_class, rename_class
from nuggets.matches.current import current_marks
from nuggets.matches.record import MatchInput, record_match
from nuggets.models import ClassAssignment, Nugget, NuggetList, NuggetMatch
from nuggets.votes.current import current_votes
from nuggets.votes.record import record_vote
from nuggets.writing.edits import redo_edit, undo_edit
from nuggets.writing.history import list_state
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.record import add_nugget, edit_nugget, retire_nugget
from tests import factories
from tests.nuggets.machines import QUICK, Machine

ITEMS = st.integers(0, 2)
VALUES = st.sampled_from([1, 2, -1, None])
IMPORTANCES = st.sampled_from(["vital", "okay"])
MARKS = st.sampled_from(["full", "partial", "absent", None])
GROUPS = st.sampled_from(["", "who", "how"])
LABELS = st.sampled_from(["one", "two", "three"])


class Judgments(Machine):
    """Two assessors judge three items, again and again, and withdraw."""

    @initialize()
    def begin(self) -> None:
        self.work = [factories.assignment(self.rigid, "instances", self.author)]
        self.work.append(factories.assignment(self.rigid, "instances", self.other, role="second"))
        self.said: dict[tuple[int, int], int] = {}
        self.remember({})

    @rule(who=st.integers(0, 1), which=ITEMS, value=VALUES)
    def judge(self, who: int, which: int, value: int | None) -> None:
        work, item = self.work[who], self.rigid_items[which]
        said = JudgmentInput(item=item, criterion="correctness", value=value, client_key=self.key())
        row = record_judgment(actor=work.assessor, assignment=work, judgment=said)
        assert record_judgment(actor=work.assessor, assignment=work, judgment=said).pk == row.pk
        self.said.pop((work.assessor_id, item.pk), None)
        if value is not None:
            self.said[work.assessor_id, item.pk] = value
        self.remember(dict(self.said))

    def as_of(self, point: int) -> Any:
        return self.current(point)

    def current(self, as_of: int | None = None) -> dict[tuple[int, int], int]:
        rows = current_judgments(Snapshot(self.campaign, as_of))
        return {(row.assessor_id, row.item_id): row.value for row in rows}

    @invariant()
    def current_is_last(self) -> None:
        assert self.current() == self.said


class Marks(Machine):
    """Marks and votes of two assessors on a frozen list of two nuggets; every row of a ledger is one act."""

    @initialize()
    def begin(self) -> None:
        writing = factories.assignment(self.squishy, "nuggets", self.author)
        self.frozen = start_list(actor=self.author, assignment=writing)
        for text in ("cheap", "kind"):
            add_nugget(actor=self.author, nugget_list=self.frozen, text=text, importance="vital", client_key=self.key())
        self.frozen = freeze_list(actor=self.author, nugget_list=self.frozen, client_key=self.key())
        people = [(self.author, "primary"), (self.other, "second")]
        self.marking = [factories.assignment(self.squishy, "matches", who, role=role) for who, role in people]
        self.voting = [factories.assignment(self.squishy, "votes", who, role="second") for who, _ in people]
        self.marked: dict[tuple[int, int, int, int], str] = {}
        self.voted: dict[tuple[int, int], str] = {}
        self.acts: list[tuple[int, int, int, int, str | None]] = []
        self.keep()

    def keep(self) -> None:
        self.remember((dict(self.marked), dict(self.voted)))

    def nugget(self, number: int) -> Nugget:
        return self.frozen.nuggets.get(number=number)

    @rule(who=st.integers(0, 1), number=st.integers(1, 2), part=st.integers(0, 2), which=ITEMS, value=MARKS)
    def mark(self, who: int, number: int, part: int, which: int, value: str | None) -> None:
        work, item = self.marking[who], self.squishy_items[which]
        match = MatchInput(nugget=self.nugget(number), item=item, part=part, value=value, client_key=self.key())
        row = record_match(actor=work.assessor, assignment=work, match=match)
        assert record_match(actor=work.assessor, assignment=work, match=match).pk == row.pk
        self.acts.append((work.assessor_id, number, part, item.pk, value))
        place = (work.assessor_id, number, item.pk)
        if not part or value in ("full", "partial"):
            for other in (0,) if part else (1, 2):  # a part stands instead of the whole, the whole instead of its parts
                self.marked.pop((*place, other), None)
        self.marked.pop((*place, part), None)
        if value is not None:
            self.marked[*place, part] = value
        self.keep()

    @rule(who=st.integers(0, 1), number=st.integers(1, 2), importance=st.sampled_from(["vital", "okay", None]))
    def vote(self, who: int, number: int, importance: str | None) -> None:
        work = self.voting[who]
        record_vote(
            actor=work.assessor,
            assignment=work,
            nugget=self.nugget(number),
            importance=importance,
            client_key=self.key(),
        )
        self.voted.pop((work.assessor_id, number), None)
        if importance is not None:
            self.voted[work.assessor_id, number] = importance
        self.keep()

    def as_of(self, point: int) -> Any:
        return self.current(point)

    def current(self, as_of: int | None = None) -> Any:
        marks = {
            (mark.assessor_id, mark.number, mark.item_id, mark.part): mark.value
            for person in (self.author, self.other)
            for mark in current_marks(self.frozen, assessor_id=person.pk, as_of=as_of, with_absent=True)
        }
        votes = current_votes([self.frozen], as_of=as_of)
        return marks, {(vote.assessor_id, vote.number): vote.importance for vote in votes}

    @invariant()
    def current_is_last(self) -> None:
        assert self.current() == (self.marked, self.voted)

    @invariant()
    def every_row_is_an_act(self) -> None:
        rows = NuggetMatch.objects.order_by("id")
        assert list(rows.values_list("assessor", "nugget__number", "part", "item", "value")) == self.acts


class Undoable(Machine):
    """A stack of states: an edit pushes one, undo goes back, redo forward, a new edit forgets what was undone."""

    def begin_with(self, state: Any) -> None:
        self.past, self.future = [state], []

    def edited(self) -> None:
        self.past.append(self.state())
        self.future = []
        self.keep_point()

    def state(self) -> Any:
        raise NotImplementedError

    def keep_point(self) -> None:
        """Called after each change; machines with an as-of view remember it."""

    def turn_back(self, undo: Callable[[], object]) -> None:
        undo()
        self.future.append(self.past.pop())
        self.keep_point()

    def turn_forth(self, redo: Callable[[], object]) -> None:
        redo()
        self.past.append(self.future.pop())
        self.keep_point()


class Lists(Undoable):
    """Edits of a draft nugget list."""

    @initialize()
    def begin(self) -> None:
        writing = factories.assignment(self.squishy, "nuggets", self.author)
        self.draft = start_list(actor=self.author, assignment=writing)
        self.by = {"actor": self.author, "nugget_list": self.draft}
        self.begin_with(self.state())

    def state(self) -> Any:
        return list_state(NuggetList.objects.get(pk=self.draft.pk))

    def active(self) -> list[int]:
        active = self.draft.nuggets.filter(is_retired=False, merged_into=None)
        return list(active.order_by("number").values_list("number", flat=True))

    @rule(text=LABELS, importance=IMPORTANCES, group=GROUPS, fields=st.sampled_from([{}, {"id": "x"}]))
    def add(self, text: str, importance: str, group: str, fields: dict[str, str]) -> None:
        used = set(self.draft.nuggets.values_list("number", flat=True))
        said = {"text": text, "importance": importance, "group": group, "fields": fields}
        made = add_nugget(**self.by, **said, client_key=self.key())
        assert made.number not in used
        self.edited()

    @precondition(lambda self: self.active())
    @rule(data=st.data(), text=LABELS, importance=IMPORTANCES, group=GROUPS)
    def edit(self, data: st.DataObject, text: str, importance: str, group: str) -> None:
        number = data.draw(st.sampled_from(self.active()))
        said = {"text": text, "importance": importance, "group": group}
        edit_nugget(**self.by, number=number, **said, client_key=self.key())
        nugget = self.draft.nuggets.get(number=number)
        assert (nugget.text, nugget.importance, nugget.group) == (text, importance, group)
        self.edited()

    @precondition(lambda self: self.active())
    @rule(data=st.data())
    def retire(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(self.active()))
        retire_nugget(**self.by, number=number, client_key=self.key())
        assert number not in self.active()
        self.edited()

    @precondition(lambda self: len(self.past) > 1)
    @rule()
    def undo(self) -> None:
        self.turn_back(lambda: undo_edit(**self.by, client_key=self.key()))

    @precondition(lambda self: self.future)
    @rule()
    def redo(self) -> None:
        self.turn_forth(lambda: redo_edit(**self.by, client_key=self.key()))

    @invariant()
    def is_what_edits_made_it(self) -> None:
        assert self.state() == self.past[-1]


class Classes(Undoable):
    """Edits of a grouping of three correct answers."""

    @initialize()
    def begin(self) -> None:
        grading = factories.assignment(self.rigid, "instances", self.author)
        for item in self.rigid_items:
            said = JudgmentInput(item=item, criterion="correctness", value=1, client_key=self.key())
            record_judgment(actor=self.author, assignment=grading, judgment=said)
        Assignment.objects.filter(pk=grading.pk).update(state="done")
        self.grouping = factories.assignment(self.rigid, "classes", self.author)
        self.by = {"actor": self.author, "assignment": self.grouping}
        self.begin_with(self.state())
        self.keep_point()

    def as_of(self, point: int) -> Any:
        return self.state(point)

    def state(self, as_of: int | None = None) -> dict[str, str]:
        """Item's text -> label of its class."""
        rows = current_members(ClassAssignment.objects.filter(assignment=self.grouping), as_of=as_of)
        found = list(rows.values_list("item__text", "answer_class"))
        labels = current_labels({pk for _, pk in found}, as_of=as_of)
        return {text: labels[pk] for text, pk in found}

    def keep_point(self) -> None:
        self.remember(dict(self.past[-1]))

    @rule(which=st.sets(ITEMS, min_size=1), label=LABELS)
    def group(self, which: set[int], label: str) -> None:
        if label in self.state().values():
            return  # the name is taken: refused, as test_classes tests
        items = [self.rigid_items[n] for n in sorted(which)]
        create_class(**self.by, items=items, label=label, client_key=self.key())
        now = self.state()
        assert {item.text: now[item.text] for item in items} == {item.text: label for item in items}
        self.edited()

    def placed(self) -> list[Item]:
        return [item for item in self.rigid_items if item.text in self.past[-1]]

    @precondition(lambda self: self.placed())
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        item = data.draw(st.sampled_from(self.placed()))
        remove_from_class(**self.by, items=[item], client_key=self.key())
        assert item.text not in self.state()
        self.edited()

    @precondition(lambda self: self.placed())
    @rule(data=st.data(), label=LABELS)
    def rename(self, data: st.DataObject, label: str) -> None:
        if label in self.state().values():
            return
        item = data.draw(st.sampled_from(self.placed()))
        rows = current_members(ClassAssignment.objects.filter(assignment=self.grouping, item=item))
        answer_class = rows.get().answer_class
        assert answer_class is not None
        rename_class(**self.by, answer_class=answer_class, label=label, client_key=self.key())
        assert self.state()[item.text] == label
        self.edited()

    @precondition(lambda self: len(self.past) > 1)
    @rule()
    def undo(self) -> None:
        self.turn_back(lambda: undo_class_edit(**self.by, client_key=self.key()))

    @precondition(lambda self: self.future)
    @rule()
    def redo(self) -> None:
        self.turn_forth(lambda: redo_class_edit(**self.by, client_key=self.key()))

    @invariant()
    def is_what_edits_made_it(self) -> None:
        assert self.state() == self.past[-1]


@pytest.mark.django_db
@pytest.mark.usefixtures("found_in_part")
@pytest.mark.parametrize("machine", [Judgments, Marks, Lists, Classes])
def test_current_is_last_and_earlier_points_stay(machine: type[Machine]) -> None:
    assert connection.in_atomic_block
    run_state_machine_as_test(machine, settings=QUICK)
