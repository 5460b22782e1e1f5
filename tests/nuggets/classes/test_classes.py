"""Grouping correct instances, and answers that the assessor found."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from assess.assignments.domain.assignments import open_assignment, return_assignment
from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.campaigns.queries import stage_of
from assess.judging.queries.current import official_judgments
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Item, Judgment, Topic
from assess.work.domain import hand_over
from nuggets.classes.accepted_suggestions import accept_suggestions
from nuggets.classes.bench import class_board, edit_sentence
from nuggets.classes.current import Grouping, grouping_of, official_classes
from nuggets.classes.edits import redo_class_edit, undo_class_edit
from nuggets.classes.found_answers import add_found_answer
from nuggets.classes.record import (
    assign_to_class,
    create_class,
    merge_classes,
    remove_from_class,
    rename_class,
    split_class,
)
from nuggets.classes.suggestions import suggest_classes
from nuggets.classes.tally import missing_classes, tally_classes
from nuggets.models import ClassEdit
from tests import factories
from tests.nuggets.conftest import judge
from tests.nuggets.keys import key
from tests.pages import page_of

GRADE = ("correctness", 1)


def grouped(assignment: Assignment) -> Grouping:
    return grouping_of(assignment, stage_of(assignment.campaign, assignment.stage)[1])


def shown(assignment: Assignment) -> dict[str, set[str]]:
    return {view.label: {member.item.text for member in view.members} for view in grouped(assignment).classes}


def test_only_correct_instances_wait(grouping: Assignment) -> None:
    assert [item.text for item in grouped(grouping).waiting] == ["blue bicycle", "green bicycle"]
    assert missing_classes(grouping) == "2 of 2 correct answers are in no class."


def test_create_assign_rename_merge_split(grouping: Assignment, assessor: User, rigid_items: list[Item]) -> None:
    blue, green, _ = rigid_items
    common = {"actor": assessor, "assignment": grouping}
    first = create_class(**common, items=[blue], client_key=key("c1")).answer_class
    assert shown(grouping) == {"blue bicycle": {"blue bicycle"}}
    assign_to_class(**common, items=[green], answer_class=first, client_key=key("a"))
    assert shown(grouping) == {"blue bicycle": {"blue bicycle", "green bicycle"}}
    split = split_class(**common, answer_class=first, items=[green], label="green", client_key=key("s")).answer_class
    rename_class(**common, answer_class=first, label="blue", client_key=key("r"))
    assert shown(grouping) == {"blue": {"blue bicycle"}, "green": {"green bicycle"}}
    merge_classes(**common, into=split, others=[first], client_key=key("m"))
    assert shown(grouping) == {"green": {"blue bicycle", "green bicycle"}}
    assert tally_classes([grouping])[grouping.pk].left == 0
    expected = [
        {"blue": {"blue bicycle"}, "green": {"green bicycle"}},
        {"blue bicycle": {"blue bicycle"}, "green": {"green bicycle"}},
        {"blue bicycle": {"blue bicycle", "green bicycle"}},
        {"blue bicycle": {"blue bicycle"}},
        {},
    ]
    for index, state in enumerate(expected):
        undo_class_edit(**common, client_key=key(f"u{index}"))
        assert shown(grouping) == state
    with pytest.raises(Conflict):
        undo_class_edit(**common, client_key=key("nothing left"))
    for index, state in enumerate([*reversed(expected[:-1]), {"green": {"blue bicycle", "green bicycle"}}]):
        redo_class_edit(**common, client_key=key(f"r{index}"))
        assert shown(grouping) == state


def test_a_new_class_gets_the_lowest_number_that_is_free(
    grouping: Assignment, assessor: User, rigid_items: list[Item]
) -> None:
    _, stage = stage_of(grouping.campaign, grouping.stage)
    blue, green, _ = rigid_items
    common = {"actor": assessor, "assignment": grouping}

    def numbers() -> list[tuple[int, str]]:
        return [(view.number, view.label) for view in class_board(grouping, stage).classes]

    first = create_class(**common, items=[blue], client_key=key("c1")).answer_class
    second = create_class(**common, items=[green], client_key=key("c2")).answer_class
    assert numbers() == [(1, "blue bicycle"), (2, "green bicycle")]
    merge_classes(**common, into=second, others=[first], client_key=key("m"))
    assert numbers() == [(2, "green bicycle")]
    edit = split_class(**common, answer_class=second, items=[blue], label="blue", client_key=key("s"))
    assert numbers() == [(1, "blue"), (2, "green bicycle")]
    assert "1 “blue”" in edit_sentence(edit, "answer")
    undo_class_edit(**common, client_key=key("u1"))
    undo_class_edit(**common, client_key=key("u2"))
    assert numbers() == [(1, "blue bicycle"), (2, "green bicycle")]
    redo_class_edit(**common, client_key=key("r1"))
    redo_class_edit(**common, client_key=key("r2"))
    assert numbers() == [(1, "blue"), (2, "green bicycle")]


def test_class_edits_are_idempotent(grouping: Assignment, assessor: User, rigid_items: list[Item]) -> None:
    common = {"actor": assessor, "assignment": grouping}
    first = create_class(**common, items=rigid_items[:1], client_key=key("c"))
    assert create_class(**common, items=rigid_items[:1], client_key=key("c")) == first
    with pytest.raises(Conflict):
        create_class(**common, items=rigid_items[:2], client_key=key("c"))
    assert ClassEdit.objects.count() == 1


def test_class_refusals(grouping: Assignment, assessor: User, second_assessor: User, rigid_items: list[Item]) -> None:
    with pytest.raises(Conflict, match="judged correct"):
        create_class(actor=assessor, assignment=grouping, items=rigid_items[2:], client_key=key("a"))
    with pytest.raises(NotAllowed):
        create_class(actor=second_assessor, assignment=grouping, items=rigid_items[:1], client_key=key("b"))
    with pytest.raises(Invalid):
        create_class(actor=assessor, assignment=grouping, items=[], client_key=key("c"))
    create_class(actor=assessor, assignment=grouping, items=rigid_items[:1], label="x", client_key=key("d"))
    with pytest.raises(Conflict, match="already"):
        create_class(actor=assessor, assignment=grouping, items=rigid_items[1:2], label="x", client_key=key("e"))


def test_an_item_no_longer_correct_drops_out(
    grouping: Assignment, grading: Assignment, assessor: User, rigid: Topic, rigid_items: list[Item]
) -> None:
    create_class(actor=assessor, assignment=grouping, items=rigid_items[:2], label="all", client_key=key("c"))
    row = judge(rigid_items[0], grading, 3)
    assert shown(grouping) == {"all": {"green bicycle"}}
    before = official_classes(Snapshot(rigid.campaign, row.pk - 1), topics=[rigid.pk], grade=GRADE)
    assert [len(view.members) for view in before] == [2]
    judge(rigid_items[0], grading, 1)
    assert shown(grouping) == {"all": {"blue bicycle", "green bicycle"}}


def test_found_answer_is_a_correct_item_without_a_run(grouping: Assignment, assessor: User, rigid: Topic) -> None:
    factories.document(rigid.campaign, "D9")
    common = {"actor": assessor, "assignment": grouping}
    edit = add_found_answer(**common, text=" pink  one ", docno="D9", client_key=key("f"))
    assert add_found_answer(**common, text=" pink  one ", docno="D9", client_key=key("f")) == edit
    item = Item.objects.get(text="pink one")
    assert (item.kind, item.docno, item.segments.count()) == ("instance", "D9", 0)
    assert shown(grouping) == {"pink one": {"pink one"}}
    assert grouped(grouping).classes[0].is_found
    undo_class_edit(**common, client_key=key("u"))
    assert shown(grouping) == {}
    assert "pink one" not in [waiting.text for waiting in grouped(grouping).waiting]
    redo_class_edit(**common, client_key=key("r"))
    remove_from_class(**common, items=[item], client_key=key("x"))
    assert Judgment.objects.filter(item=item).order_by("-id").values_list("value", flat=True)[0] is None


def test_found_answer_refusals(grouping: Assignment, assessor: User, rigid: Topic, rigid_items: list[Item]) -> None:
    common = {"actor": assessor, "assignment": grouping}
    with pytest.raises(Invalid, match="no document"):
        add_found_answer(**common, text="pink", docno="nowhere", client_key=key("a"))
    factories.document(rigid.campaign, rigid_items[2].docno)
    with pytest.raises(Conflict, match="not as correct"):
        add_found_answer(**common, text="red bicycle", docno=rigid_items[2].docno, client_key=key("b"))
    with pytest.raises(Invalid):
        add_found_answer(**common, text=" ", docno=rigid_items[2].docno, client_key=key("c"))


def test_suggestions_fold(grouping: Assignment, rigid: Topic) -> None:
    items = [factories.item(rigid, text, docno=f"D{n}") for n, text in enumerate(["The Bell!", "bell", "horn"])]
    assert suggest_classes(items) == {items[0].pk: "The Bell!", items[1].pk: "The Bell!", items[2].pk: "horn"}


def test_the_adjudicators_grouping_replaces_the_primarys(
    grouping: Assignment,
    assessor: User,
    adjudicator: User,
    second_assessor: User,
    rigid: Topic,
    rigid_items: list[Item],
) -> None:
    def official() -> list[tuple[str, int]]:
        found = official_classes(Snapshot(rigid.campaign), topics=[rigid.pk], grade=GRADE)
        return [(view.label, len(view.members)) for view in found]

    create_class(actor=assessor, assignment=grouping, items=rigid_items[:2], label="one", client_key=key("p"))
    second = factories.assignment(rigid, "classes", second_assessor, role="second")
    create_class(actor=second_assessor, assignment=second, items=rigid_items[:1], label="s", client_key=key("s"))
    assert official() == [("one", 2)]
    settling = factories.assignment(rigid, "classes", adjudicator, role="adjudicator")
    for index, item in enumerate(rigid_items[:2]):
        create_class(actor=adjudicator, assignment=settling, items=[item], client_key=key(f"a{index}"))
    assert official() == [("blue bicycle", 1), ("green bicycle", 1)]


def test_refusals_name_what_is_grouped_in_the_readers_language(
    grouping: Assignment, assessor: User, rigid_items: list[Item]
) -> None:
    blue, green, _ = rigid_items
    common = {"actor": assessor, "assignment": grouping}
    made = create_class(**common, items=[blue], client_key=key("c")).answer_class
    with override("de"), pytest.raises(Conflict, match=r"in dieser Klasse \(Antworten\)"):
        split_class(**common, answer_class=made, items=[green], label="green", client_key=key("s1"))
    with override("de"), pytest.raises(Invalid, match=r"in der Klasse \(Antwort\)"):
        split_class(**common, answer_class=made, items=[blue], label="blue", client_key=key("s2"))


def test_a_found_answer_is_taken_out_by_whoever_goes_on(
    grouping: Assignment, assessor: User, organiser: User, second_assessor: User, rigid: Topic
) -> None:
    factories.document(rigid.campaign, "D9")
    add_found_answer(actor=assessor, assignment=grouping, text="pink one", docno="D9", client_key=key("f"))
    item = Item.objects.get(text="pink one")
    onward = hand_over(actor=organiser, assignment=grouping, to=second_assessor)
    onward = open_assignment(actor=second_assessor, assignment=onward)
    common = {"actor": second_assessor, "assignment": onward}
    for place in range(2):
        edit = remove_from_class(**common, items=[item], client_key=key(f"x{place}"))
        assert edit_sentence(edit, "answer").endswith("1 of them found while grouping and withdrawn")
        assert item not in grouped(onward).waiting
        assert not official_judgments(Snapshot(rigid.campaign)).filter(item=item).exists()
        undo_class_edit(**common, client_key=key(f"u{place}"))
        assert shown(onward) == {"pink one": {"pink one"}}
    redo_class_edit(**common, client_key=key("r"))
    assert not official_judgments(Snapshot(rigid.campaign)).filter(item=item).exists()


def test_an_answer_found_by_somebody_taken_off_is_taken_out_by_the_next_assessor(
    client: Client, grouping: Assignment, assessor: User, organiser: User, second_assessor: User, rigid: Topic
) -> None:
    """Nobody else could: no run returned it, so nobody grades it."""
    factories.document(rigid.campaign, "D9")
    add_found_answer(actor=assessor, assignment=grouping, text="pink one", docno="D9", client_key=key("f"))
    item = Item.objects.get(text="pink one")
    other = factories.assignment(rigid, "classes", factories.member(rigid.campaign, "c", "assessor"), role="second")
    with pytest.raises(Conflict, match="in no class"):
        remove_from_class(actor=other.assessor, assignment=other, items=[item], client_key=key("o"))
    return_assignment(actor=organiser, assignment=grouping)
    work = factories.assignment(rigid, "classes", second_assessor)
    client.force_login(second_assessor)
    page = page_of(client.get(reverse("workbench", args=["opinions", work.pk])))
    assert (page.count("found while grouping"), page.count('value="remove"')) == (1, 1)
    common = {"actor": second_assessor, "assignment": work}
    edit = remove_from_class(**common, items=[item], client_key=key("x"))
    assert edit_sentence(edit, "answer") == "1 answer taken out, 1 of them found while grouping and withdrawn"
    assert not official_judgments(Snapshot(rigid.campaign)).filter(item=item).exists()
    undo_class_edit(**common, client_key=key("u"))
    assert item in grouped(work).waiting
    create_class(**common, items=[item], client_key=key("c"))
    for place in range(2):  # out of the class, and then out of the list
        assert official_judgments(Snapshot(rigid.campaign)).filter(item=item).exists()
        remove_from_class(**common, items=[item], client_key=key(f"out{place}"))
    assert not official_judgments(Snapshot(rigid.campaign)).filter(item=item).exists()
    blue = grouped(work).waiting[0]
    with pytest.raises(Conflict, match="in no class"):
        remove_from_class(**common, items=[blue], client_key=key("b"))


@pytest.mark.parametrize("way", ["create", "suggest", "split"])
def test_a_class_without_a_correct_answer_takes_the_next_answer_of_its_name(
    grouping: Assignment, grading: Assignment, assessor: User, rigid_items: list[Item], way: str
) -> None:
    """The same words with another document: one is found not to be supported after all."""
    blue, green, red = rigid_items
    common = {"actor": assessor, "assignment": grouping}
    create_class(**common, items=[blue], client_key=key("a"))
    made = create_class(**common, items=[green], client_key=key("g")).answer_class
    assert made is not None
    judge(blue, grading, -1)
    judge(red, grading, 1)
    Item.objects.filter(pk=red.pk).update(text=blue.text)
    red.refresh_from_db()
    assert shown(grouping) == {green.text: {green.text}}
    if way == "suggest":
        accept_suggestions(**common, items=[red], client_key=key("s"))
    elif way == "create":
        create_class(**common, items=[red], client_key=key("c"))
    else:
        assign_to_class(**common, items=[red], answer_class=made, client_key=key("as"))
        split_class(**common, answer_class=made, items=[red], client_key=key("sp"))
    assert shown(grouping) == {green.text: {green.text}, blue.text: {blue.text}}
    judge(blue, grading, 1)
    classes = {view.label: {member.item.pk for member in view.members} for view in grouped(grouping).classes}
    assert classes == {green.text: {green.pk}, blue.text: {blue.pk, red.pk}}
    judge(blue, grading, -1)
    with pytest.raises(Conflict, match="already"):
        create_class(**common, items=[green], label=blue.text, client_key=key("again"))
    undo_class_edit(**common, client_key=key("u"))
    assert blue.text not in shown(grouping)
