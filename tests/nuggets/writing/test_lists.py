"""Writing, freezing and revising nugget lists."""

from __future__ import annotations

from threading import Barrier, Thread

import pytest
from django.contrib.auth.models import User
from django.db import connection

from assess.base.errors import Conflict, Invalid, NotAllowed, Refused
from assess.judging.snapshots import Snapshot
from assess.models import Activity, Assignment, Item
from nuggets.models import NuggetEdit, NuggetList
from nuggets.writing.counting_lists import active_nuggets, official_list
from nuggets.writing.edits import redo_edit, undo_edit
from nuggets.writing.history import list_state
from nuggets.writing.lists import freeze_list, revise_list, start_list
from nuggets.writing.record import (
    add_nugget,
    edit_nugget,
    merge_nuggets,
    move_nugget,
    restore_nugget,
    retire_nugget,
    split_nugget,
)
from nuggets.writing.sources import add_source, remove_source
from tests import factories
from tests.nuggets.keys import key


def shown(nugget_list: NuggetList) -> list[tuple[int, str, str]]:
    return [(n.number, n.text, n.importance) for n in active_nuggets([nugget_list])[nugget_list.pk]]


def test_start_list_twice_is_the_same_list(nugget_writing: Assignment, assessor: User) -> None:
    first = start_list(actor=assessor, assignment=nugget_writing)
    assert start_list(actor=assessor, assignment=nugget_writing) == first
    assert NuggetList.objects.count() == 1


def test_start_list_of_somebody_else_is_refused(nugget_writing: Assignment, second_assessor: User) -> None:
    with pytest.raises(NotAllowed):
        start_list(actor=second_assessor, assignment=nugget_writing)


def test_add_nugget_numbers_from_one(draft: NuggetList) -> None:
    assert shown(draft) == [(1, "cheap", "vital"), (2, "light", "okay"), (3, "breaks soon", "okay")]


def test_add_nugget_same_key_same_content_is_the_first(draft: NuggetList, assessor: User) -> None:
    again = add_nugget(actor=assessor, nugget_list=draft, text="light", importance="okay", client_key=key("light"))
    assert again.number == 2
    assert len(shown(draft)) == 3


def test_add_nugget_same_key_other_content_is_refused(draft: NuggetList, assessor: User) -> None:
    with pytest.raises(Conflict):
        add_nugget(actor=assessor, nugget_list=draft, text="heavy", importance="okay", client_key=key("light"))


@pytest.mark.parametrize(
    ("text", "importance"), [("  ", "okay"), ("x" * 2001, "okay"), ("x", "good"), ("\ud800", "okay")]
)
def test_add_nugget_refuses_bad_content(draft: NuggetList, assessor: User, text: str, importance: str) -> None:
    with pytest.raises(Invalid):
        add_nugget(actor=assessor, nugget_list=draft, text=text, importance=importance, client_key=key("bad"))


def test_edit_and_move(draft: NuggetList, assessor: User) -> None:
    edit_nugget(actor=assessor, nugget_list=draft, number=2, text="very light", client_key=key("e"))
    edit_nugget(actor=assessor, nugget_list=draft, number=3, importance="vital", client_key=key("v"))
    move_nugget(actor=assessor, nugget_list=draft, number=3, place=1, client_key=key("m"))
    assert shown(draft) == [(3, "breaks soon", "vital"), (1, "cheap", "vital"), (2, "very light", "okay")]


def test_merge_keeps_number_and_takes_the_higher_importance(draft: NuggetList, assessor: User) -> None:
    merge_nuggets(actor=assessor, nugget_list=draft, into=2, others=[1], text="light, cheap", client_key=key("m"))
    assert shown(draft) == [(2, "light, cheap", "vital"), (3, "breaks soon", "okay")]
    assert draft.nuggets.get(number=1).merged_into == draft.nuggets.get(number=2)


def test_split_puts_new_numbers_in_its_place(draft: NuggetList, assessor: User) -> None:
    split_nugget(actor=assessor, nugget_list=draft, number=1, texts=["low price", "no fees"], client_key=key("s"))
    assert shown(draft) == [
        (4, "low price", "vital"),
        (5, "no fees", "vital"),
        (2, "light", "okay"),
        (3, "breaks soon", "okay"),
    ]
    assert {n.number for n in draft.nuggets.get(number=1).split.all()} == {4, 5}


def test_numbers_are_not_reused_after_undo(draft: NuggetList, assessor: User) -> None:
    undo_edit(actor=assessor, nugget_list=draft, client_key=key("u"))
    made = add_nugget(actor=assessor, nugget_list=draft, text="new", importance="okay", client_key=key("n"))
    assert made.number == 4


def test_undo_walks_back_and_redo_forward(draft: NuggetList, assessor: User, squishy_items: list[Item]) -> None:
    draft.refresh_from_db()
    states = [list_state(draft)]
    steps = [
        lambda k: merge_nuggets(actor=assessor, nugget_list=draft, into=2, others=[1, 3], client_key=k),
        lambda k: add_source(
            actor=assessor, nugget_list=draft, number=2, item=squishy_items[0], quote="cheap", client_key=k
        ),
        lambda k: split_nugget(actor=assessor, nugget_list=draft, number=2, texts=["a", "b"], client_key=k),
        lambda k: retire_nugget(actor=assessor, nugget_list=draft, number=4, client_key=k),
        lambda k: restore_nugget(actor=assessor, nugget_list=draft, number=4, client_key=k),
        lambda k: move_nugget(actor=assessor, nugget_list=draft, number=5, place=1, client_key=k),
    ]
    for index, step in enumerate(steps):
        step(key(f"step {index}"))
        states.append(list_state(draft))
    for index in reversed(range(len(steps))):
        undo_edit(actor=assessor, nugget_list=draft, client_key=key(f"undo {index}"))
        assert list_state(draft) == states[index]
    for index in range(len(steps)):
        redo_edit(actor=assessor, nugget_list=draft, client_key=key(f"redo {index}"))
        assert list_state(draft) == states[index + 1]
    undo_edit(actor=assessor, nugget_list=draft, client_key=key("once more"))
    assert list_state(draft) == states[-2]
    redo_edit(actor=assessor, nugget_list=draft, client_key=key("forward again"))
    with pytest.raises(Conflict):
        redo_edit(actor=assessor, nugget_list=draft, client_key=key("too many"))


def test_undo_of_everything_leaves_the_empty_draft(draft: NuggetList, assessor: User) -> None:
    for index in range(3):
        undo_edit(actor=assessor, nugget_list=draft, client_key=key(f"undo {index}"))
    assert list_state(draft) == {}
    with pytest.raises(Conflict):
        undo_edit(actor=assessor, nugget_list=draft, client_key=key("nothing left"))
    assert NuggetEdit.objects.filter(nugget_list=draft).count() == 6


def test_a_repeated_undo_key_undoes_once(draft: NuggetList, assessor: User) -> None:
    first = undo_edit(actor=assessor, nugget_list=draft, client_key=key("u"))
    assert undo_edit(actor=assessor, nugget_list=draft, client_key=key("u")) == first
    assert len(shown(draft)) == 2


def test_removed_source_comes_back_with_its_id(draft: NuggetList, assessor: User, squishy_items: list[Item]) -> None:
    add_source(actor=assessor, nugget_list=draft, number=1, item=squishy_items[0], quote="cheap", client_key=key("s"))
    before = list_state(draft)
    source = draft.nuggets.get(number=1).sources.get()
    remove_source(actor=assessor, nugget_list=draft, source_id=source.pk, client_key=key("r"))
    assert list_state(draft)["1"]["sources"] == []
    undo_edit(actor=assessor, nugget_list=draft, client_key=key("u"))
    assert list_state(draft) == before


def test_source_quote_must_be_verbatim(draft: NuggetList, assessor: User, squishy_items: list[Item]) -> None:
    with pytest.raises(Invalid):
        add_source(
            actor=assessor, nugget_list=draft, number=1, item=squishy_items[0], quote="Cheap", client_key=key("s")
        )


def test_source_span_in_a_document_is_checked(draft: NuggetList, assessor: User) -> None:
    document = factories.document(draft.topic.campaign, "D1", "I like 🚲 the blue bicycle.")
    common = {"actor": assessor, "nugget_list": draft, "number": 1, "document": document, "quote": "blue"}
    with pytest.raises(Invalid):
        add_source(**common, span={"start": 0, "end": 4}, client_key=key("a"))
    with pytest.raises(Conflict):
        add_source(**common, span={"start": 13, "end": 17, "text_sha256": "0" * 64}, client_key=key("b"))
    add_source(**common, span={"start": 13, "end": 17}, client_key=key("c"))
    span = draft.nuggets.get(number=1).sources.get().span
    assert (span["quote"], span["prefix"], span["suffix"]) == ("blue", "I like 🚲 the ", " bicycle.")


def test_freeze_then_nothing_can_be_edited(frozen: NuggetList, assessor: User, nugget_writing: Assignment) -> None:
    Assignment.objects.filter(pk=nugget_writing.pk).update(state="started")
    with pytest.raises(Conflict, match="frozen"):
        add_nugget(actor=assessor, nugget_list=frozen, text="late", importance="okay", client_key=key("late"))
    with pytest.raises(Conflict, match="frozen"):
        undo_edit(actor=assessor, nugget_list=frozen, client_key=key("late"))


def test_freeze_records_its_ledger_point(frozen: NuggetList) -> None:
    edit = NuggetEdit.objects.get(action="freeze")
    assert frozen.frozen_point == edit.pk
    assert official_list(frozen.topic_id) == frozen
    assert official_list(frozen.topic_id, at=Snapshot(frozen.topic.campaign, edit.pk - 1)) is None
    assert Activity.objects.filter(action="list.freeze").count() == 1


def test_freeze_needs_a_nugget_and_asks_about_vital(nugget_writing: Assignment, assessor: User) -> None:
    made = start_list(actor=assessor, assignment=nugget_writing)
    with pytest.raises(Conflict) as refused:
        freeze_list(actor=assessor, nugget_list=made, client_key=key("f"))
    assert refused.value.code == "no-nugget"
    add_nugget(actor=assessor, nugget_list=made, text="x", importance="okay", client_key=key("x"))
    with pytest.raises(Conflict) as refused:
        freeze_list(actor=assessor, nugget_list=made, client_key=key("f"))
    assert refused.value.code == "no-vital"
    assert freeze_list(actor=assessor, nugget_list=made, client_key=key("f"), without_vital=True).is_frozen


def test_freeze_again_by_the_same_key_is_the_first(draft: NuggetList, assessor: User) -> None:
    first = freeze_list(actor=assessor, nugget_list=draft, client_key=key("f"))
    assert freeze_list(actor=assessor, nugget_list=draft, client_key=key("f")) == first
    with pytest.raises(Conflict):
        freeze_list(actor=assessor, nugget_list=draft, client_key=key("other"))


def test_a_second_assessors_list_is_never_official(
    frozen: NuggetList, second_assessor: User, squishy_items: list[Item]
) -> None:
    other = factories.assignment(frozen.topic, "nuggets", second_assessor, role="second")
    made = start_list(actor=second_assessor, assignment=other)
    add_nugget(actor=second_assessor, nugget_list=made, text="x", importance="vital", client_key=key("x"))
    freeze_list(actor=second_assessor, nugget_list=made, client_key=key("f2"))
    assert official_list(frozen.topic_id) == frozen


def test_the_adjudicators_list_is_official(frozen: NuggetList, adjudicator: User, squishy_items: list[Item]) -> None:
    work = factories.assignment(frozen.topic, "nuggets", adjudicator, role="adjudicator")
    made = start_list(actor=adjudicator, assignment=work)
    add_nugget(actor=adjudicator, nugget_list=made, text="x", importance="vital", client_key=key("x"))
    made = freeze_list(actor=adjudicator, nugget_list=made, client_key=key("f2"))
    assert official_list(frozen.topic_id) == made
    assert official_list(frozen.topic_id, at=Snapshot(frozen.topic.campaign, made.frozen_point - 1)) == frozen


def test_revision_keeps_numbers_and_lineage_and_the_old_list_counts_until_frozen(
    frozen: NuggetList, assessor: User, nugget_writing: Assignment
) -> None:
    Assignment.objects.filter(pk=nugget_writing.pk).update(state="started")
    revised = revise_list(actor=assessor, nugget_list=frozen)
    assert revise_list(actor=assessor, nugget_list=frozen) == revised
    assert shown(revised) == shown(frozen)
    assert (revised.version, revised.previous) == (2, frozen)
    edit_nugget(actor=assessor, nugget_list=revised, number=2, text="very light", client_key=key("e"))
    merge_nuggets(actor=assessor, nugget_list=revised, into=1, others=[3], client_key=key("m"))
    add_nugget(actor=assessor, nugget_list=revised, text="new", importance="okay", client_key=key("n"))
    assert official_list(frozen.topic_id) == frozen
    revised = freeze_list(actor=assessor, nugget_list=revised, client_key=key("f2"))
    assert official_list(frozen.topic_id) == revised


def test_two_freezes_at_once_freeze_once(committed_db: None, draft: NuggetList, assessor: User) -> None:
    barrier, outcomes = Barrier(2), []

    def freeze(name: str) -> None:
        try:
            barrier.wait()
            freeze_list(actor=assessor, nugget_list=NuggetList.objects.get(pk=draft.pk), client_key=key(name))
            outcomes.append("frozen")
        except Refused as refused:
            outcomes.append(refused.code)
        finally:
            connection.close()

    threads = [Thread(target=freeze, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["conflict", "frozen"]
    assert NuggetEdit.objects.filter(action="freeze").count() == 1
