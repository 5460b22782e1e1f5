"""Nugget lists, marks, votes and answer classes over the API, as an assessor's own program would do it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from assess.assignments.queries.work_items import handle_of
from assess.models import Assignment, Item
from nuggets.classes.record import new_class
from nuggets.models import NuggetList
from nuggets.writing.lists import freeze_list, revise_list
from nuggets.writing.record import edit_nugget
from tests import factories
from tests.assess import judged_campaign as judging
from tests.nuggets.keys import key

pytestmark = pytest.mark.django_db


class Bench:
    """Calls under one assignment, by its own assessor."""

    def __init__(self, client: Client, assignment: Assignment) -> None:
        client.force_login(assignment.assessor)
        self.client, self.base = client, f"/api/v1/campaigns/opinions/assignments/{assignment.pk}/"

    def post(self, path: str, named: str, **data: Any) -> tuple[int, Any]:
        body = {"client_key": str(key(named)), **data} if named else data  # some calls take no body
        answer = self.client.post(self.base + path, body, content_type="application/json")
        return answer.status_code, answer.json()

    def get(self, path: str) -> Any:
        return self.client.get(self.base + path).json()


def test_a_list_is_written_turned_back_and_frozen(
    client: Client, nugget_writing: Assignment, squishy_items: list[Item]
) -> None:
    bench = Bench(client, nugget_writing)
    assert client.get(bench.base + "nugget-list/").status_code == 404
    bench.post("nugget-list/", "")
    for text in ("cheap and light", "breaks", "kind staff"):
        assert bench.post("nugget-list/add/", text, text=text, importance="okay")[0] == 201
    again = bench.post("nugget-list/add/", "breaks", text="breaks", importance="okay")
    other = bench.post("nugget-list/add/", "breaks", text="lasts", importance="okay")
    assert (again[0], again[1]["number"], other[0], other[1]["code"]) == (201, 2, 409, "conflict")
    steps = [
        bench.post("nugget-list/edit/", "e", number=2, importance="vital"),
        bench.post("nugget-list/move/", "m", number=2, place=1),
        bench.post("nugget-list/split/", "s", number=1, texts=["cheap", "light"]),
        bench.post("nugget-list/merge/", "g", into=4, others=[5]),
        bench.post("nugget-list/undo/", "u"),
        bench.post("nugget-list/redo/", "r"),
        bench.post("nugget-list/undo/", "u2"),
        bench.post("nugget-list/retire/", "t", number=3),
        bench.post("nugget-list/restore/", "o", number=3),
        bench.post(
            "nugget-list/add-source/", "q", number=4, item=handle_of(nugget_writing, squishy_items[0].pk), quote="cheap"
        ),
    ]
    assert [status for status, _ in steps] == [200] * len(steps)
    frozen = bench.post("nugget-list/freeze/", "f")[1]
    active = [(each["number"], each["text"], each["importance"]) for each in frozen["nuggets"] if each["is_active"]]
    assert frozen["is_frozen"] is True
    assert active == [(2, "breaks", "vital"), (4, "cheap", "okay"), (5, "light", "okay"), (3, "kind staff", "okay")]
    assert [len(each["sources"]) for each in frozen["nuggets"] if each["number"] == 4] == [1]
    nugget_writing.refresh_from_db()
    assert nugget_writing.state == "done"
    bench.post("reopen/", "")
    assert bench.post("nugget-list/freeze/", "f")[1]["is_frozen"] is True  # sent twice, finishes nothing anew
    nugget_writing.refresh_from_db()
    assert nugget_writing.state == "started"
    revised = bench.post("nugget-list/revise/", "")[1]
    assert (revised["version"], revised["is_frozen"]) == (2, False)


def test_marks_reviews_and_votes(
    client: Client, matching: Assignment, voting: Assignment, squishy_items: list[Item], frozen: NuggetList
) -> None:
    bench = Bench(client, matching)
    item = handle_of(matching, squishy_items[0].pk)
    assert bench.get("nugget-list/counting/")[0] == {
        "number": 1,
        "text": "cheap",
        "group": "",
        "besides": [],
        "list": frozen.pk,
    }
    assert bench.post("matches/", "a", nugget=1, item=item, quote="cheap")[0] == 201
    assert bench.post("matches/", "b", nugget=2, item=item)[0] == 201
    assert bench.post("matches/", "c", nugget=2, item=item, value=None)[0] == 201
    assert bench.post("matches/", "d", nugget=3, item=item, value="absent")[0] == 201
    assert bench.post("matches/", "e", nugget=3, item=item, value="none")[0] == 422
    said = [(1, "full", "a", {"quote": "cheap"}), (3, "none", "f", {}), (2, "full", "g", {}), (2, None, "h", {})]
    entries = [
        {"nugget": of, "item": item, "value": value, "client_key": str(key(name)), **more}
        for of, value, name, more in said
    ]
    told = bench.post("matches/batch/", "", entries=entries)[1]["answers"]
    assert [each["status"] for each in told] == [201, 422, 201, 201]
    marks = [(each["nugget"], each["item"], each["quote"]) for each in bench.get("matches/")["results"]]
    assert marks == [(1, item, "cheap")]
    for each in squishy_items:
        bench.post("matches/", f"of {each.pk}", nugget=2, item=handle_of(matching, each.pk))
    shown = [each["item"] for each in bench.get("matches/")["results"] if each["nugget"] == 2]
    assert shown == sorted(handle_of(matching, each.pk) for each in squishy_items)
    handles = sorted(handle_of(matching, each.pk) for each in squishy_items)
    assert bench.post("reviews/", "f", items=handles)[0] == 201
    assert bench.get("reviews/") == {"items": handles}
    votes = Bench(client, voting)
    assert votes.post("votes/", "v", nugget=2, importance="vital")[0] == 201
    assert votes.post("votes/", "w", nugget=1, importance="sometimes")[0] == 422
    assert votes.get("votes/")["results"] == [{"nugget": 2, "importance": "vital"}]
    said = [(1, "vital", "x"), (1, "never", "y"), (9, "okay", "z"), (2, "vital", "v")]
    entries = [{"nugget": of, "importance": word, "client_key": str(key(name))} for of, word, name in said]
    told = votes.post("votes/batch/", "", entries=entries)[1]["answers"]
    assert [each["status"] for each in told] == [201, 422, 404, 201]
    assert [each["importance"] for each in votes.get("votes/")["results"]] == ["vital", "vital"]


def test_what_is_said_of_an_older_list_is_refused_where_it_means_something_else(
    client: Client,
    nugget_writing: Assignment,
    matching: Assignment,
    voting: Assignment,
    squishy_items: list[Item],
    frozen: NuggetList,
) -> None:
    """Nuggets that say the same go on, and so does a program that names no list. What was stored is answered."""
    marks, votes, item = Bench(client, matching), Bench(client, voting), handle_of(matching, squishy_items[0].pk)

    def marked(named: str, nugget: int, **more: Any) -> int:
        client.force_login(matching.assessor)
        return marks.post("matches/", named, nugget=nugget, item=item, **more)[0]

    def voted(named: str, nugget: int, **more: Any) -> int:
        client.force_login(voting.assessor)
        return votes.post("votes/", named, nugget=nugget, importance="okay", **more)[0]

    old = frozen.pk
    assert (voted("lost", 2, list=old), marked("lost mark", 2, list=old)) == (201, 201)
    draft = _freeze_again(nugget_writing, frozen, "heavy")
    assert (voted("lost", 2, list=old), marked("lost mark", 2, list=old)) == (201, 201)
    assert (voted("a", 2, list=old), marked("b", 2, list=old)) == (409, 409)
    assert (voted("c", 1, list=old), marked("d", 1, list=old)) == (201, 201)
    assert (voted("e", 3), marked("f", 3)) == (201, 201)
    client.force_login(matching.assessor)
    assert marks.post("reviews/", "g", items=[item], list=old)[0] == 409
    assert marks.post("reviews/", "h", items=[item], list=draft.pk)[0] == 201
    assert [each["nugget"] for each in marks.get("matches/")["results"]] == [1, 3]
    client.force_login(voting.assessor)
    assert [each["nugget"] for each in votes.get("votes/")["results"]] == [1, 3]


def test_a_vote_that_is_sent_again_is_answered_where_the_list_has_no_such_nugget_any_more(
    client: Client, voting: Assignment, frozen: NuggetList, adjudicator: User
) -> None:
    votes = Bench(client, voting)
    assert votes.post("votes/", "lost", nugget=3, importance="okay")[0] == 201
    judging.write_list(factories.assignment(voting.topic, "nuggets", adjudicator, role="adjudicator"), light="okay")
    client.force_login(voting.assessor)
    assert votes.post("votes/", "lost", nugget=3, importance="okay")[0] == 201
    assert votes.post("votes/", "lost", nugget=2, importance="okay")[0] == 404
    assert votes.post("votes/", "new", nugget=3, importance="okay")[0] == 404


def _freeze_again(writing: Assignment, frozen: NuggetList, text: str) -> NuggetList:
    """A version of the list in which nugget 2 has this text."""
    Assignment.objects.filter(pk=writing.pk).update(state="started")
    draft = revise_list(actor=writing.assessor, nugget_list=NuggetList.objects.get(pk=frozen.pk))
    edit_nugget(actor=writing.assessor, nugget_list=draft, number=2, text=text, client_key=key("e"))
    return freeze_list(actor=writing.assessor, nugget_list=draft, client_key=key("f2"))


def test_classes_are_made_and_changed(client: Client, grouping: Assignment, rigid_items: list[Item]) -> None:
    bench = Bench(client, grouping)
    blue, green, red = (handle_of(grouping, item.pk) for item in rigid_items)
    assert [each["item"] for each in bench.get("classes/")["waiting"]] == [blue, green]
    first = bench.post("classes/create/", "a", items=[blue])[1]["answer_class"]
    second = bench.post("classes/create/", "b", items=[green])[1]["answer_class"]
    assert bench.post("classes/create/", "c", items=[red])[0] == 409
    steps = [
        bench.post("classes/merge/", "m", into=first, others=[second]),
        bench.post("classes/split/", "s", answer_class=first, items=[green], label="greenish"),
        bench.post("classes/undo/", "u"),
        bench.post("classes/redo/", "r"),
        bench.post("classes/rename/", "n", answer_class=first, label="blue"),
        bench.post("classes/assign/", "g", answer_class=first, items=[green]),
        bench.post("classes/remove/", "x", items=[green]),
    ]
    assert [status for status, _ in steps] == [200] * len(steps)
    found = bench.get("classes/")
    members = [(each["label"], [member["item"] for member in each["members"]]) for each in found["classes"]]
    assert members == [("blue", [blue])]
    assert [each["item"] for each in found["waiting"]] == [green]


def test_the_number_of_a_class_tells_nothing_of_others_classes(
    client: Client, grouping: Assignment, rigid_items: list[Item], second_assessor: User
) -> None:
    other = factories.assignment(grouping.topic, "classes", second_assessor, role="second")
    for _ in range(3):
        new_class(other)
    bench = Bench(client, grouping)
    bench.post("classes/create/", "a", items=[handle_of(grouping, rigid_items[0].pk)])
    assert [each["number"] for each in bench.get("classes/")["classes"]] == [1]


def test_nobody_else_reaches_the_work(client: Client, matching: Assignment, voting: Assignment) -> None:
    bench = Bench(client, voting)
    bench.base = f"/api/v1/campaigns/opinions/assignments/{matching.pk}/"
    answers = [client.get(bench.base + part).status_code for part in ("matches/", "responses/", "nugget-list/")]
    assert answers == [404, 404, 404]
