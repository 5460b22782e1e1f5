"""The page for grouping answers: forms with and without scripts, who may, what it costs."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from assess.assignments.queries.work_items import handle_of
from assess.campaigns.queries import stage_of
from assess.models import Assignment, Item, Judgment, Topic
from assess.work.domain import hand_over
from nuggets.classes.current import grouping_of
from nuggets.classes.record import create_class
from nuggets.models import AnswerClass, ClassEdit
from tests import factories
from tests.nuggets.conftest import judge
from tests.nuggets.keys import key
from tests.pages import page_of

pytestmark = pytest.mark.django_db
DOCNO = "BLOG06-20060101-000-0000000001"
JSON = {"accept": "application/json"}


@pytest.fixture
def bench(client: Client, assessor: User, grouping: Assignment) -> Client:
    client.force_login(assessor)
    return client


def address(assignment: Assignment, name: str = "workbench", *more: int) -> str:
    return reverse(name, args=["opinions", assignment.pk, *more])


def shown(assignment: Assignment) -> dict[str, set[str]]:
    _, stage = stage_of(assignment.campaign, assignment.stage)
    views = grouping_of(assignment, stage).classes
    return {view.label: {member.item.text for member in view.members} for view in views}


def post(client: Client, assignment: Assignment, **fields: object) -> dict[str, object]:
    form = {"client_key": str(uuid4()), "how": "key", **fields}
    answer = client.post(address(assignment, "classes-edit"), form, headers=JSON)
    return {"status": answer.status_code, **answer.json()}


def grow(topic: Topic, grading: Assignment, number: int, classes: int) -> list[Item]:
    """Correct instances of which each ``number // classes`` read alike."""
    items = [factories.item(topic, f"colour {n % classes:03d}", f"D{n}") for n in range(number)]
    for item in items:
        judge(item, grading, 1)
    return items


def test_page_shows_correct_answers_and_nothing_else(bench: Client, grouping: Assignment) -> None:
    page = page_of(bench.get(address(grouping)))
    assert "0 of 2 grouped · 0 classes" in page
    assert ("blue bicycle" in page, "green bicycle" in page, "red bicycle" in page) == (True, True, False)


def test_every_edit_of_the_outbox(bench: Client, grouping: Assignment, rigid_items: list[Item]) -> None:
    blue, green, _ = (handle_of(grouping, item.pk) for item in rigid_items)
    made = post(bench, grouping, action="create", item=f"{blue},{green}", label="colours")
    assert (made["did"], made["done"], made["total"]) == ("2 answers in the new class 1 “colours”", 2, 2)
    first = AnswerClass.objects.get().pk
    assert made["touched"] == first
    assert f'data-class="{first}"' in str(made["classes"])
    split = post(bench, grouping, action="split", item=green, **{"from": first}, label="green")
    assert split["did"] == "1 answer in a class of their own, 2 “green”"
    assert shown(grouping) == {"colours": {"blue bicycle"}, "green": {"green bicycle"}}
    renamed = post(bench, grouping, action="rename", **{"class": first}, label="blue")
    assert renamed["did"] == "Class 1 “blue” has its new name"
    second = AnswerClass.objects.get(number=2).pk
    merged = post(bench, grouping, action="merge", **{"class": f"{second},{first}"})
    assert (merged["did"], shown(grouping)) == (
        "1 answer merged into 1 “blue”",
        {"blue": {"blue bicycle", "green bicycle"}},
    )
    removed = post(bench, grouping, action="remove", item=green)
    assert (removed["did"], removed["done"]) == ("1 answer taken out", 1)
    put = post(bench, grouping, action="assign", item=green, into=first)
    assert put["did"] == "1 answer put into 1 “blue”"
    undone = post(bench, grouping, action="undo")
    assert (undone["did"], undone["can_redo"]) == ("Undone: 1 answer in no class again", True)
    redone = post(bench, grouping, action="redo")
    assert (redone["did"], redone["can_redo"]) == ("Redone: 1 answer in 1 “blue” again", False)
    assert set(ClassEdit.objects.values_list("how", flat=True)) == {"key"}


def test_suggestions_are_accepted_in_one_edit(
    bench: Client, grouping: Assignment, grading: Assignment, rigid: Topic, rigid_items: list[Item]
) -> None:
    alike = [factories.item(rigid, text, "D9") for text in ("The Blue bicycle", "green bicycle!")]
    for item in alike:
        judge(item, grading, 1)
    post(bench, grouping, action="create", item=handle_of(grouping, rigid_items[0].pk), label="blue")
    waiting = [alike[0], alike[1], rigid_items[1]]
    page = page_of(bench.get(address(grouping)))
    accepted = re.search(r'name="accept" value="([\d,]+)" form="board-form" data-key="A"', page)
    assert accepted is not None
    assert set(accepted[1].split(",")) == {str(handle_of(grouping, item.pk)) for item in waiting}
    done = post(bench, grouping, action="suggest", accept=accepted[1])
    assert done["did"] == "3 answers grouped as suggested, in 2 classes"
    expected = {"blue": {"blue bicycle", "The Blue bicycle"}, "green bicycle": {"green bicycle", "green bicycle!"}}
    assert shown(grouping) == expected
    post(bench, grouping, action="undo")
    assert shown(grouping) == {"blue": {"blue bicycle"}}
    post(bench, grouping, action="redo")
    assert shown(grouping) == expected
    refused = post(bench, grouping, action="suggest", accept=accepted[1])
    assert (refused["status"], str(refused["detail"])[:37]) == (409, "Some of these answers are in a class ")


def test_the_same_key_again_adds_nothing(bench: Client, grouping: Assignment, rigid_items: list[Item]) -> None:
    blue, green, _ = (handle_of(grouping, item.pk) for item in rigid_items)
    for action, fields in [
        ("suggest", {"accept": f"{blue}"}),
        ("create", {"item": green, "label": "green"}),
        ("undo", {}),
        ("redo", {}),
    ]:
        first = post(bench, grouping, action=action, client_key=key(action), **fields)
        again = post(bench, grouping, action=action, client_key=key(action), **fields)
        assert (again["status"], again["id"]) == (200, first["id"])
    assert ClassEdit.objects.count() == 4
    other = post(bench, grouping, action="create", client_key=key("create"), item=blue, label="x")
    assert (other["status"], other["code"]) == (409, "conflict")


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"action": "dance"}, 422, "use one of the buttons"),
        ({"action": "create"}, 422, "Choose at least one line."),
        ({"action": "create", "item": "999999"}, 404, "This is not in your work"),
        ({"action": "create", "item": "RED"}, 409, "Only answers that are judged correct"),
        ({"action": "create", "item": "one"}, 422, "must be numbers"),
        ({"action": "merge", "class": "FIRST"}, 422, "two classes or more"),
        ({"action": "assign", "item": "GREEN"}, 422, "Choose one class."),
        ({"action": "assign", "item": "GREEN", "into": "999999"}, 404, "This is not in your work"),
        ({"action": "split", "item": "BLUE"}, 422, "Leave at least one answer"),
        ({"action": "split", "item": "GREEN"}, 422, "Choose lines that are in a class."),
        ({"action": "rename", "class": "FIRST", "label": " "}, 422, "Give the class a name."),
        ({"action": "create", "item": "GREEN", "label": "blue"}, 409, "There is a class called “blue” already"),
        ({"action": "suggest", "accept": ""}, 422, "There is no suggestion to accept"),
        ({"action": "redo"}, 409, "There is nothing to redo."),
        ({"action": "found", "text": "mauve", "docno": "NO-SUCH"}, 422, "There is no document NO-SUCH"),
        ({"action": "create", "item": "GREEN", "client_key": "abc"}, 422, "must be a UUID"),
    ],
)
def test_refusals_say_what_to_do(
    bench: Client, grouping: Assignment, rigid_items: list[Item], fields: dict[str, str], status: int, words: str
) -> None:
    blue, green, red = (str(handle_of(grouping, item.pk)) for item in rigid_items)
    post(bench, grouping, action="create", item=blue, label="blue")
    names = {"BLUE": blue, "GREEN": green, "RED": red, "FIRST": str(AnswerClass.objects.get().pk)}
    before = shown(grouping)
    answer = post(bench, grouping, **{name: names.get(value, value) for name, value in fields.items()})
    assert (answer["status"], words in str(answer["detail"])) == (status, True), answer
    assert shown(grouping) == before


def test_nothing_is_changed_in_finished_work(bench: Client, grouping: Assignment, rigid_items: list[Item]) -> None:
    Assignment.objects.filter(pk=grouping.pk).update(state="done")
    answer = post(bench, grouping, action="create", item=handle_of(grouping, rigid_items[0].pk))
    assert (answer["status"], str(answer["detail"])[:30]) == (409, "This work is marked as done. T")
    page = page_of(bench.get(address(grouping)))
    assert "Take up again" in page
    assert 'data-act="create"' not in page


def test_forms_work_without_scripts(bench: Client, grouping: Assignment, rigid_items: list[Item]) -> None:
    blue, green, _ = (handle_of(grouping, item.pk) for item in rigid_items)
    url = address(grouping, "classes-edit")
    answer = bench.post(url, {"action": "create", "item": [blue, green], "label": ""}, follow=True)
    assert "2 answers in the new class 1 “blue bicycle”." in page_of(answer)
    bench.post(url, {"action": "split", "item": [green], "label": "", "client_key": uuid4()})
    assert shown(grouping) == {"blue bicycle": {"blue bicycle"}, "green bicycle": {"green bicycle"}}
    ids = list(AnswerClass.objects.values_list("pk", flat=True))
    bench.post(url, {"action": "merge", "class": ids})
    bench.post(url, {"action": "rename", "class": ids[:1], "label": "either"})
    assert shown(grouping) == {"either": {"blue bicycle", "green bicycle"}}
    bench.post(url, {"action": "remove", "item": [blue]})
    bench.post(url, {"accept": str(blue), "action": "create"})
    assert shown(grouping) == {"either": {"green bicycle"}, "blue bicycle": {"blue bicycle"}}
    assert set(ClassEdit.objects.values_list("how", flat=True)) == {"click"}


def test_found_answer_is_shown_as_found(bench: Client, grouping: Assignment, rigid: Topic) -> None:
    factories.document(rigid.campaign, DOCNO)
    done = post(bench, grouping, action="found", text="purple", docno=f" {DOCNO} ", into="")
    assert (done["did"], done["total"], done["done"]) == ("Answer that you found put into 1 “purple”", 3, 1)
    assert "found while grouping" in str(done["classes"])
    more = post(bench, grouping, action="found", text="deep purple", docno=DOCNO, into=AnswerClass.objects.get().pk)
    assert more["status"] == 200
    assert shown(grouping) == {"purple": {"purple", "deep purple"}}
    item = Item.objects.get(text="deep purple")
    removed = post(bench, grouping, action="remove", item=handle_of(grouping, item.pk))
    assert removed["did"] == "1 answer taken out, 1 of them found while grouping and withdrawn"
    assert Judgment.objects.filter(item=item).latest("id").value is None


def test_numbers_of_others_are_not_told(
    bench: Client, grouping: Assignment, rigid: Topic, rigid_items: list[Item], second_assessor: User, client: Client
) -> None:
    post(bench, grouping, action="create", item=handle_of(grouping, rigid_items[0].pk), label="blue")
    other = factories.assignment(rigid, "classes", second_assessor, role="second")
    client.force_login(second_assessor)
    page = page_of(client.get(address(other)))
    assert "0 of 2 grouped · 0 classes" in page
    assert "data-class=" not in page
    made = post(client, other, action="create", item=handle_of(other, rigid_items[1].pk), label="mine")
    assert made["did"] == "1 answer in the new class 1 “mine”"


def test_another_persons_class_can_not_be_used(
    bench: Client, grouping: Assignment, rigid: Topic, rigid_items: list[Item], second_assessor: User
) -> None:
    post(bench, grouping, action="create", item=handle_of(grouping, rigid_items[0].pk), label="blue")
    other = factories.assignment(rigid, "classes", second_assessor, role="second")
    bench.force_login(second_assessor)
    answer = post(
        bench, other, action="assign", item=handle_of(other, rigid_items[1].pk), into=AnswerClass.objects.get().pk
    )
    assert answer["status"] == 404


@pytest.mark.parametrize(
    ("who", "status"),
    [
        ("assessor", 200),
        ("second_assessor", 404),
        ("adjudicator", 404),
        ("organiser", 404),
        ("participant", 404),
        ("stranger", 404),
        ("", 302),
    ],
)
def test_who_may(
    client: Client,
    grouping: Assignment,
    rigid: Topic,
    rigid_items: list[Item],
    who: str,
    status: int,
    request: pytest.FixtureRequest,
) -> None:
    item = rigid_items[0]
    item.document = factories.document(rigid.campaign, DOCNO)
    item.save()
    if who:
        client.force_login(request.getfixturevalue(who))
    assert client.get(address(grouping)).status_code == status
    assert client.get(address(grouping, "classes-document", handle_of(grouping, item.pk))).status_code == status
    form = {"action": "create", "item": handle_of(grouping, item.pk), "client_key": uuid4()}
    assert client.post(address(grouping, "classes-edit"), form, headers=JSON).status_code == status
    assert client.get(address(grouping, "classes-edit")).status_code == (302 if not who else 405)
    assert ClassEdit.objects.count() == (status == 200)


def test_document_opens_in_the_panel_with_the_answer_marked(
    bench: Client, grouping: Assignment, rigid: Topic, rigid_items: list[Item]
) -> None:
    item = rigid_items[0]
    assert (
        bench.get(address(grouping, "classes-document", handle_of(grouping, item.pk))).status_code == 404
    )  # not loaded
    item.document = factories.document(rigid.campaign, DOCNO)
    item.save()
    url = address(grouping, "classes-document", handle_of(grouping, item.pk))
    panel = page_of(bench.get(f"{url}?view=text", headers={"HX-Request": "true"}))
    assert '<mark class="answer" data-mark="1">blue bicycle</mark>' in panel
    assert "<html" not in panel
    assert "<html" in page_of(bench.get(url))


@pytest.mark.parametrize("number", [6, 60])
def test_page_and_edit_take_as_many_queries_however_many_answers(
    bench: Client,
    grouping: Assignment,
    grading: Assignment,
    rigid: Topic,
    number: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    items = grow(rigid, grading, number, 3)
    post(
        bench,
        grouping,
        action="suggest",
        accept=",".join(str(handle_of(grouping, item.pk)) for item in items[: number // 2]),
    )
    with django_assert_num_queries(21):
        bench.get(address(grouping))
    ids = ",".join(str(handle_of(grouping, item.pk)) for item in items[number // 2 :])
    form = {"action": "create", "item": ids, "label": "all", "client_key": str(uuid4())}
    with django_assert_num_queries(36 if connection.vendor == "sqlite" else 37):  # numbers of several rows
        bench.post(address(grouping, "classes-edit"), form, headers=JSON)


def test_400_answers_in_60_classes_stand_on_one_page(
    bench: Client, grouping: Assignment, grading: Assignment, rigid: Topic
) -> None:
    items = grow(rigid, grading, 400, 60)
    post(bench, grouping, action="suggest", accept=",".join(str(handle_of(grouping, item.pk)) for item in items))
    page = bench.get(address(grouping))
    assert page_of(page).count('class="answer-row"') == 402


def test_whoever_continues_a_grouping_edits_the_classes_of_before(
    client: Client, grouping: Assignment, assessor: User, organiser: User, rigid_items: list[Item]
) -> None:
    blue, green, _ = rigid_items
    made = create_class(actor=assessor, assignment=grouping, items=[blue], client_key=key("c")).answer_class
    factories.document(grouping.campaign, DOCNO)
    heir = factories.member(grouping.campaign, "heir", "assessor")
    taken = hand_over(actor=organiser, assignment=grouping, to=heir)
    client.force_login(heir)
    client.get(address(taken))
    put = post(client, taken, action="assign", item=handle_of(taken, green.pk), into=made.pk)
    assert (put["status"], put.get("did")) == (200, "1 answer put into 1 “blue bicycle”")
    found = post(client, taken, action="found", text="red", docno=DOCNO, into=made.pk)
    assert (found["status"], found.get("detail")) == (200, None)
    assert shown(taken) == {"blue bicycle": {"blue bicycle", "green bicycle", "red"}}
