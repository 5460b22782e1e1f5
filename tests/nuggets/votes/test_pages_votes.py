"""The page of votes: blind, in an order of one's own, with and without scripts."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from assess.models import Assignment, Topic
from nuggets.models import Nugget, NuggetList, NuggetSource, NuggetVote
from nuggets.votes.bench import vote_board
from nuggets.writing.lists import freeze_list, revise_list
from nuggets.writing.record import edit_nugget
from tests import factories
from tests.nuggets.keys import key
from tests.pages import page_of

pytestmark = pytest.mark.django_db
JSON = {"accept": "application/json"}


@pytest.fixture
def bench(client: Client, second_assessor: User, voting: Assignment) -> Client:
    client.force_login(second_assessor)
    return client


def address(assignment: Assignment, name: str = "workbench") -> str:
    return reverse(name, args=["opinions", assignment.pk])


def say(client: Client, assignment: Assignment, nugget: int, importance: str, **more: object) -> dict[str, object]:
    form = {"nugget": nugget, "importance": importance, "client_key": str(uuid4()), "how": "key", **more}
    answer = client.post(address(assignment, "votes-cast"), form, headers=JSON)
    return {"status": answer.status_code, **answer.json()}


def own(assignment: Assignment) -> dict[int, str]:
    board = vote_board(assignment)
    assert board is not None
    return {line.number: line.vote for line in board.lines}


def test_votes_of_the_outbox(bench: Client, voting: Assignment) -> None:
    assert say(bench, voting, 1, "okay")["importance"] == "okay"
    say(bench, voting, 2, "vital")
    say(bench, voting, 2, "okay")
    assert own(voting) == {1: "okay", 2: "okay", 3: ""}
    assert say(bench, voting, 2, "")["importance"] is None
    assert own(voting) == {1: "okay", 2: "", 3: ""}
    assert [row.importance for row in NuggetVote.objects.order_by("id")] == ["okay", "vital", "okay", None]


def test_the_same_key_again_adds_nothing(bench: Client, voting: Assignment) -> None:
    first = say(bench, voting, 1, "vital", client_key=key("v"))
    assert say(bench, voting, 1, "vital", client_key=key("v")) == first
    other = say(bench, voting, 1, "okay", client_key=key("v"))
    assert (other["status"], other["code"]) == (409, "conflict")
    assert NuggetVote.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"nugget": 99, "importance": "vital"}, 404, "This is not in your work"),
        ({"nugget": "x", "importance": "vital"}, 422, "must be a whole number"),
        ({"nugget": 1, "importance": "maybe"}, 422, "maybe is no vote. Vote vital or okay."),
        ({"nugget": 1, "importance": "vital", "how": "magic"}, 422, "not a way in which work comes in"),
        ({"nugget": 1, "importance": "vital", "client_key": "abc"}, 422, "must be a UUID"),
    ],
)
def test_refusals_say_what_to_do(
    bench: Client, voting: Assignment, fields: dict[str, str], status: int, words: str
) -> None:
    answer = say(bench, voting, **fields)  # type: ignore[arg-type]
    assert (answer["status"], words in str(answer["detail"])) == (status, True), answer
    assert not NuggetVote.objects.exists()


def test_page_tells_nothing_of_what_others_think(
    bench: Client, voting: Assignment, frozen: NuggetList, squishy: Topic, organiser: User
) -> None:
    before = page_of(bench.get(address(voting)))
    third = factories.member(voting.campaign, "third_assessor", "assessor")
    other = factories.assignment(squishy, "votes", third, role="second")
    for number in (1, 2, 3):
        NuggetVote(
            nugget=frozen.nuggets.get(number=number),
            importance="vital",
            assessor=third,
            assignment=other,
            client_key=uuid4(),
            how="key",
        ).save()
    Nugget.objects.filter(nugget_list=frozen).update(importance="okay")

    def without_keys(page: str) -> str:
        return re.sub(r'value="[\w-]{32,}"|"X-CSRFToken": "\w+"', "", page)

    assert without_keys(page_of(bench.get(address(voting)))) == without_keys(before)
    assert before.count("checked>") == 1  # "Keys are on", and no vote
    assert "0 of 3 voted" in before


def test_order_follows_the_seed_and_not_the_author(
    voting: Assignment, frozen: NuggetList, assessor: User, squishy: Topic
) -> None:
    for number in range(4, 24):
        Nugget.objects.create(nugget_list=frozen, number=number, position=number, text=f"nugget {number}")

    def order() -> list[int]:
        board = vote_board(voting)
        assert board is not None
        return [line.number for line in board.lines]

    first = order()
    assert order() == first
    assert first != sorted(first)
    voting.seed = 2
    assert order() != first
    assert sorted(order()) == list(range(1, 24))


def test_quotes_are_shown_each_once(bench: Client, voting: Assignment, cheap: Nugget) -> None:
    for quote in ("so cheap", "so cheap", "a bargain"):
        NuggetSource.objects.create(nugget=cheap, quote=quote, docno="D1")
    page = page_of(bench.get(address(voting)))
    assert tuple(page.count(f'<q dir="auto" lang="en">{each}</q>') for each in ("so cheap", "a bargain")) == (1, 1)


def test_forms_work_without_scripts(bench: Client, voting: Assignment) -> None:
    url = address(voting, "votes-cast")
    form = {"client_key": str(uuid4()), "vote-1": "vital", "vote-3": "okay"}
    assert "2 votes saved." in page_of(bench.post(url, form, follow=True))
    assert own(voting) == {1: "vital", 2: "", 3: "okay"}
    again = {"client_key": str(uuid4()), "vote-1": "vital", "vote-2": "okay", "vote-3": "okay"}
    assert "1 vote saved." in page_of(bench.post(url, again, follow=True))
    assert "Nothing was changed." in page_of(bench.post(url, again, follow=True))
    assert NuggetVote.objects.count() == 3
    bench.post(address(voting, "work-done"))
    voting.refresh_from_db()
    assert voting.state == "done"


def test_work_with_nuggets_left_is_not_done(bench: Client, voting: Assignment) -> None:
    say(bench, voting, 1, "vital")
    answer = bench.post(address(voting, "work-done"), headers=JSON)
    assert (answer.status_code, answer.json()["detail"]) == (409, "2 of 3 nuggets have no vote of yours.")


def test_finished_work_takes_no_vote(bench: Client, voting: Assignment) -> None:
    Assignment.objects.filter(pk=voting.pk).update(state="done")
    answer = say(bench, voting, 1, "vital")
    assert (answer["status"], str(answer["detail"])[:27]) == (409, "This work is marked as done")
    assert "Take up again" in page_of(bench.get(address(voting)))


def test_page_without_a_frozen_list_says_so(client: Client, squishy: Topic, second_assessor: User) -> None:
    waiting = factories.assignment(squishy, "votes", second_assessor, role="second")
    client.force_login(second_assessor)
    assert "No list to vote on yet" in page_of(client.get(address(waiting)))
    assert say(client, waiting, 1, "vital")["status"] == 404


@pytest.mark.parametrize(
    ("who", "status"),
    [
        ("second_assessor", 200),
        ("assessor", 404),
        ("adjudicator", 404),
        ("organiser", 404),
        ("participant", 404),
        ("stranger", 404),
        ("", 302),
    ],
)
def test_who_may(client: Client, voting: Assignment, who: str, status: int, request: pytest.FixtureRequest) -> None:
    if who:
        client.force_login(request.getfixturevalue(who))
    assert client.get(address(voting)).status_code == status
    form = {"nugget": 1, "importance": "vital", "client_key": uuid4()}
    assert client.post(address(voting, "votes-cast"), form, headers=JSON).status_code == status
    assert client.get(address(voting, "votes-cast")).status_code == (302 if not who else 405)
    assert NuggetVote.objects.count() == (status == 200)


@pytest.mark.parametrize("number", [1, 60])
def test_page_takes_as_many_queries_however_many_nuggets(
    bench: Client,
    voting: Assignment,
    frozen: NuggetList,
    number: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for each in range(4, 4 + number):
        made = Nugget.objects.create(nugget_list=frozen, number=each, position=each, text=f"nugget {each}")
        NuggetSource.objects.create(nugget=made, quote="quote", docno="D1")
        say(bench, voting, each, "vital")
    with django_assert_num_queries(19):
        bench.get(address(voting))


def test_a_vote_from_a_page_with_other_words_is_refused(
    bench: Client, voting: Assignment, frozen: NuggetList, nugget_writing: Assignment
) -> None:
    """By the outbox and by a plain form; nuggets that say the same can be voted on."""
    assert f'name="list" value="{frozen.pk}"' in page_of(bench.get(address(voting)))
    author = nugget_writing.assessor
    Assignment.objects.filter(pk=nugget_writing.pk).update(state="started")
    draft = revise_list(actor=author, nugget_list=NuggetList.objects.get(pk=frozen.pk))
    edit_nugget(actor=author, nugget_list=draft, number=2, text="heavy", client_key=key("e"))
    freeze_list(actor=author, nugget_list=draft, client_key=key("f2"))
    assert say(bench, voting, 1, "okay", list=frozen.pk)["status"] == 200
    assert say(bench, voting, 2, "okay", list=frozen.pk)["status"] == 409
    shown = '{"1": "okay", "2": "", "3": ""}'
    form = {"client_key": str(uuid4()), "vote-2": "vital", "vote-3": "okay", "shown": shown}
    assert bench.post(address(voting, "votes-cast"), {**form, "list": frozen.pk}).status_code == 409
    assert own(voting)[2] == ""
    assert bench.post(address(voting, "votes-cast"), {**form, "list": draft.pk}).status_code == 302
    assert own(voting) == {1: "okay", 2: "vital", 3: "okay"}
