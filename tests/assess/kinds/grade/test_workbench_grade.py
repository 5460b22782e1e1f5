"""The grading workbench: order, tallies, judging with and without scripts, what it costs."""

from __future__ import annotations

import re
from html import unescape
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from assess.assignments.domain.assignments import finish_assignment
from assess.assignments.domain.questions_to_organiser import answer_question, ask_organiser
from assess.assignments.queries.work_items import handle_of
from assess.base.errors import Conflict
from assess.documents.queries.search import topic_terms
from assess.kinds.base import Tally, work_kind
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.kinds.grade.tally import grade_tally
from assess.models import Assignment, Campaign, HelpRequest, Item, Judgment, Topic
from tests import factories
from tests.assess.judged_campaign import bench_lines
from tests.pages import page_of

pytestmark = pytest.mark.django_db
DOCNO = "BLOG06-20060101-000-0000000001"
JSON = {"accept": "application/json"}


@pytest.fixture
def bench(client: Client, assessor: User, grading: Assignment) -> Client:
    client.force_login(assessor)
    return client


def address(assignment: Assignment, name: str = "workbench", *more: int) -> str:
    return reverse(name, args=["opinions", assignment.pk, *more])


def lines_of(assignment: Assignment) -> list[str]:
    return [line.text for line in bench_lines(assignment)]


def say(assignment: Assignment, item: Item, value: int | None, note: str = "") -> Judgment:
    judgment = JudgmentInput(
        item=item, criterion="correctness", value=value, client_key=uuid4(), note=note, seconds=4.0
    )
    return record_judgment(actor=assignment.assessor, assignment=assignment, judgment=judgment)


def test_order_follows_the_seed_alone(grading: Assignment, rigid: Topic) -> None:
    factories.pooled(rigid, [f"answer {number}" for number in range(20)])
    first = lines_of(grading)
    assert lines_of(grading) == first
    grading.seed = 2
    assert lines_of(grading) != first
    assert sorted(lines_of(grading)) == sorted(first)


def test_same_answers_stand_together(grading: Assignment, rigid: Topic) -> None:
    pool = rigid.items.first().pool_items.first().pool  # type: ignore[union-attr]
    for number in range(30):
        pool.pool_items.create(item=factories.item(rigid, f"answer {number % 10}", f"D{number}"))
    texts = [text for text in lines_of(grading) if text.startswith("answer")]
    runs = [text for index, text in enumerate(texts) if index == 0 or texts[index - 1] != text]
    assert len(runs) == 10


def test_lines_carry_the_current_judgment_and_its_note(grading: Assignment, rigid_items: list[Item]) -> None:
    say(grading, rigid_items[0], 1)
    say(grading, rigid_items[0], 3, note="too long")
    say(grading, rigid_items[1], 1)
    say(grading, rigid_items[1], None, note="unsure")
    found = {line.id: (line.state, dict(line.values), line.note) for line in bench_lines(grading)}
    assert found == {
        rigid_items[0].pk: ("judged", {"correctness": 3}, "too long"),
        rigid_items[1].pk: ("open", {}, "unsure"),
        rigid_items[2].pk: ("open", {}, ""),
    }


def test_another_assessors_judgments_are_not_shown(
    grading: Assignment, rigid: Topic, rigid_items: list[Item], second_assessor: User
) -> None:
    other = factories.assignment(rigid, "instances", second_assessor, role="second")
    say(other, rigid_items[0], 1)
    assert grade_tally([grading, other]) == {
        grading.pk: Tally(done=0, total=3, unit="instances"),
        other.pk: Tally(done=1, total=3, unit="instances"),
    }


def test_excused_item_counts_as_done(grading: Assignment, rigid_items: list[Item], organiser: User) -> None:
    asked = ask_organiser(
        actor=grading.assessor, assignment=grading, item=rigid_items[2], text="In Dutch?", client_key=uuid4()
    )
    for item in rigid_items[:2]:
        say(grading, item, 1)
    assert work_kind("grade").missing(grading) == (
        "1 of 3 instances is not judged yet. Judge it, or ask the organiser to excuse you."
    )
    with pytest.raises(Conflict):
        finish_assignment(actor=grading.assessor, assignment=grading)
    answer_question(actor=organiser, request=asked, answer="Leave it.", excuse=True)
    assert grade_tally([grading])[grading.pk] == Tally(done=3, total=3, unit="instances")
    assert finish_assignment(actor=grading.assessor, assignment=grading).state == "done"


def test_an_excused_item_that_was_judged_counts_once(
    grading: Assignment, rigid_items: list[Item], organiser: User
) -> None:
    say(grading, rigid_items[0], 1)
    asked = ask_organiser(actor=grading.assessor, assignment=grading, item=rigid_items[0], text="?", client_key=uuid4())
    answer_question(actor=organiser, request=asked, answer="Leave it.", excuse=True)
    assert grade_tally([grading])[grading.pk].done == 1


def test_judge_answers_json_and_the_same_key_again_adds_nothing(
    bench: Client, grading: Assignment, rigid_items: list[Item]
) -> None:
    key = str(uuid4())
    form = {
        "item": handle_of(grading, rigid_items[0].pk),
        "criterion": "correctness",
        "value": "-1",
        "client_key": key,
        "how": "key",
    }
    answers = [bench.post(address(grading, "judge"), {**form, "seconds": "7.5"}, headers=JSON) for _ in range(2)]
    row = Judgment.objects.get()
    expected = {"id": row.pk, "item": handle_of(grading, rigid_items[0].pk), "criterion": "correctness", "value": -1}
    assert [answer.json() for answer in answers] == [expected, expected]
    assert (row.value, row.how, row.seconds, str(row.client_key)) == (-1, "key", 7.5, key)
    other = bench.post(address(grading, "judge"), {**form, "value": "1"}, headers=JSON)
    assert (other.status_code, other.json()["code"]) == (409, "conflict")


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"value": "7"}, 422),
        ({"value": "yes"}, 422),
        ({"criterion": "beauty"}, 422),
        ({"client_key": "abc"}, 422),
        ({"item": "999999"}, 404),
        ({"item": ""}, 422),
        ({"how": "magic"}, 422),
        ({"seconds": "long"}, 422),
        ({"note": "x" * 4001}, 422),
    ],
)
def test_judge_refuses_in_words(
    bench: Client, grading: Assignment, rigid_items: list[Item], change: dict[str, str], status: int
) -> None:
    form = {
        "item": str(handle_of(grading, rigid_items[0].pk)),
        "criterion": "correctness",
        "value": "1",
        "client_key": str(uuid4()),
    }
    response = bench.post(address(grading, "judge"), {**form, **change}, headers=JSON)
    assert response.status_code == status
    assert response.json()["detail"].endswith(".")
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(("judged", "next_place"), [(1, 2), (2, 3), (3, 1)])
def test_plain_form_judges_and_goes_on(bench: Client, grading: Assignment, judged: int, next_place: int) -> None:
    page = bench.get(address(grading), {"item": bench_lines(grading)[judged - 1].handle})
    form = re.search(rb'<form method="post" action="([^"]+/judge/)".*?</form>', page.content, re.DOTALL)
    assert form is not None
    fields = dict(re.findall(rb'type="hidden" name="(\w+)" value="([^"]*)"', form[0]))
    posted = {name.decode(): unescape(value.decode()) for name, value in fields.items()}
    response = bench.post(form[1].decode(), {**posted, "value": "1", "note": ""}, follow=True)
    assert Judgment.objects.get().value == 1
    assert response.context["thing"].line.place == next_place
    assert response.context["tally"] == Tally(done=1, total=3, unit="instances")


def test_what_a_plain_form_judged_is_named_in_one_line(bench: Client, grading: Assignment) -> None:
    handle = bench_lines(grading)[0].handle
    text = "An answer\n\nof sixty characters and more, whose end is left out of what is said"
    Item.objects.filter(topic=grading.topic).update(text=text)
    form = {"item": handle, "criterion": "correctness", "value": "1", "client_key": str(uuid4())}
    page = bench.post(address(grading, "judge"), form, follow=True)
    (message,) = map(str, page.context["messages"])
    named = "An answer of sixty characters and more, whose end is left o…"
    assert message.partition(" ")[2] == f"“{named}”: judged correct"


def test_only_the_assignments_own_assessor_gets_in(
    client: Client, grading: Assignment, organiser: User, second_assessor: User, stranger: User, rigid_items: list[Item]
) -> None:
    for person in (organiser, second_assessor, stranger):
        client.force_login(person)
        assert client.get(address(grading)).status_code == 404
        assert client.get(address(grading, "work-item", handle_of(grading, rigid_items[0].pk))).status_code == 404
        for name in ("judge", "work-done", "work-reopen", "work-return", "work-ask"):
            assert (
                client.post(address(grading, name), {"item": handle_of(grading, rigid_items[0].pk)}).status_code == 404
            )


def test_opening_the_bench_takes_up_the_work(
    client: Client, rigid: Topic, assessor: User, rigid_items: list[Item]
) -> None:
    given = factories.assignment(rigid, "instances", assessor, state="open")
    client.force_login(assessor)
    assert client.get(address(given)).status_code == 200
    given.refresh_from_db()
    assert given.state == "started"


def test_done_reopen_and_return(bench: Client, grading: Assignment, rigid_items: list[Item]) -> None:
    assert bench.post(address(grading, "work-done")).status_code == 409
    for item in rigid_items:
        say(grading, item, 1)
    states = []
    for name in ("work-done", "work-reopen", "work-return"):
        assert bench.post(address(grading, name)).status_code == 302
        grading.refresh_from_db()
        states.append(grading.state)
    assert states == ["done", "started", "returned"]
    assert bench.get(address(grading)).status_code == 404


def test_ask_keeps_the_question(bench: Client, grading: Assignment, rigid_items: list[Item]) -> None:
    form = {"item": handle_of(grading, rigid_items[0].pk), "text": "Is this in Dutch?", "client_key": str(uuid4())}
    first = bench.post(address(grading, "work-ask"), form, headers=JSON)
    again = bench.post(address(grading, "work-ask"), form, headers=JSON)
    assert (
        first.json()
        == again.json()
        == {"id": HelpRequest.objects.get().pk, "item": handle_of(grading, rigid_items[0].pk)}
    )
    assert bench.post(address(grading, "work-ask"), {**form, "text": " "}, headers=JSON).status_code == 422


def test_the_api_gives_who_asked_the_answer_and_nobody_else(
    client: Client, grading: Assignment, rigid_items: list[Item], organiser: User, second_assessor: User
) -> None:
    address = f"/api/v1/campaigns/{grading.campaign.slug}/assignments/{grading.pk}/ask/"
    client.force_login(grading.assessor)
    form = {"item": handle_of(grading, rigid_items[0].pk), "text": "Is this in Dutch?", "client_key": str(uuid4())}
    asked = client.post(address, form, content_type="application/json").json()
    client.post(address, {"text": "And the topic?", "client_key": str(uuid4())}, content_type="application/json")
    answer_question(actor=organiser, request=HelpRequest.objects.get(pk=asked["id"]), answer="Leave it.", excuse=True)
    rows = client.get(address).json()["results"]
    assert [(row["item"], row["text"], row["answer"], row["excused"]) for row in rows] == [
        (None, "And the topic?", "", False),
        (form["item"], "Is this in Dutch?", "Leave it.", True),
    ]
    for person in (second_assessor, organiser):
        client.force_login(person)
        assert client.get(address).status_code == 404


def test_terms_are_the_words_that_say_something(rigid: Topic) -> None:
    rigid.parent = Topic.objects.get(number="1")
    assert topic_terms(rigid) == ["Velora", "bicycles", "colours"]


@pytest.mark.parametrize("extra", [0, 40])
def test_bench_costs_the_same_queries_however_many_items(
    bench: Client, grading: Assignment, rigid: Topic, django_assert_num_queries: DjangoAssertNumQueries, extra: int
) -> None:
    factories.document(rigid.campaign, DOCNO)
    items = factories.pooled(rigid, [f"answer {number}" for number in range(extra)])
    rigid.items.update(document=rigid.campaign.documents.get())
    for item in items[:20]:
        say(grading, item, 1)
    with django_assert_num_queries(24):
        bench.get(address(grading))


def test_judging_costs_a_handful_of_queries(
    bench: Client, grading: Assignment, rigid_items: list[Item], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    form = {
        "item": handle_of(grading, rigid_items[0].pk),
        "criterion": "correctness",
        "value": "1",
        "client_key": str(uuid4()),
    }
    with django_assert_max_num_queries(20):
        bench.post(address(grading, "judge"), form, headers=JSON)


@pytest.mark.parametrize("topics", [1, 3])
def test_work_list_costs_the_same_queries_with_one_and_three(
    client: Client,
    campaign: Campaign,
    assessor: User,
    rigid: Topic,
    django_assert_num_queries: DjangoAssertNumQueries,
    topics: int,
) -> None:
    for number in range(topics):
        topic = factories.topic(campaign, f"9.{number}", "Which?", task="rigid", parent=rigid.parent)
        factories.assignment(topic, "instances", assessor, state="open")
    client.force_login(assessor)
    with django_assert_num_queries(12):
        response = client.get(reverse("work", args=["opinions"]))
    assert len(response.context["stages"][0].rows) == topics


@pytest.mark.parametrize("campaigns", [1, 3])
def test_home_costs_the_same_queries_with_one_campaign_and_three(
    client: Client, organiser: User, django_assert_num_queries: DjangoAssertNumQueries, campaigns: int
) -> None:
    for number in range(campaigns):
        factories.campaign(organiser=organiser, slug=f"c{number}")
    client.force_login(organiser)
    with django_assert_num_queries(8):
        response = client.get(reverse("home"))
    assert len(response.context["places"]) == campaigns


def test_next_piece_of_work_is_what_was_begun(
    client: Client, grading: Assignment, squishy: Topic, assessor: User
) -> None:
    factories.assignment(squishy, "nuggets", assessor, state="open")
    client.force_login(assessor)
    page = client.get(reverse("work", args=["opinions"]))
    assert page.context["next"].assignment == grading


def test_later_stage_says_what_it_waits_for(client: Client, rigid: Topic, assessor: User) -> None:
    factories.assignment(rigid, "classes", assessor, state="open")
    client.force_login(assessor)
    page = client.get(reverse("work", args=["opinions"]))
    assert "Opens when “Judge instances” of this topic is done." in page_of(page)
    assert page.context["next"] is None


def test_bench_of_a_thousand_items_has_them_in_one_list(bench: Client, grading: Assignment, rigid: Topic) -> None:
    items = factories.pooled(rigid, [f"answer number {number}" for number in range(1000)])
    for item in items[:50]:
        say(grading, item, 1)
    page = bench.get(address(grading))
    assert page.content.count(b"data-item=") == 25
    lines = reverse("work-lines", args=[grading.campaign.slug, grading.pk])
    counts = [bench.get(f"{lines}?past={past}").content.count(b"data-item=") for past in (0, 800, 1000, 1200)]
    assert counts == [200, 200, 3, 0]  # three were there before


def test_work_without_anything_to_judge_can_be_finished(client: Client, assessor: User, rigid: Topic) -> None:
    empty = factories.assignment(rigid, "instances", assessor)
    client.force_login(assessor)
    page = page_of(client.get(address(empty)))
    assert "Nothing to judge" in page
    (form,) = re.findall(r"<form[^>]*data-finish[^>]*>", page)
    assert "hidden" not in form
    client.post(address(empty, "work-done"))
    empty.refresh_from_db()
    assert empty.state == Assignment.State.DONE
