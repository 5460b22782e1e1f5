"""Practice before work: items with known grades, a word back after each, a mark to pass, and tries."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from assess.assignments.domain.assignments import open_assignment
from assess.base.errors import Conflict, Invalid, NotFound
from assess.campaigns.designs import text_of_design
from assess.campaigns.queries import stage_of
from assess.controls.plan import known_gold
from assess.models import Activity, Assignment, Campaign, Item, Judgment
from assess.organising.design_versions import change_design
from assess.practice.domain import answer_practice, let_practise_again
from assess.practice.queries import practice_of, practice_of_all, practised_stages
from assess.protocol import Stage
from tests import factories
from tests.pages import page_of
from tests.remembered import remembered
from tests.tracks.designs.campaigns import SURVEY, survey

pytestmark = pytest.mark.django_db
KEPT = [
    {"topic": "1", "docno": "HIVE-02", "relevant": "yes", "reason": "Hives in a town are asked for."},
    {"topic": "1", "docno": "HIVE-03", "relevant": "no"},
    {"topic": "1", "docno": "HIVE-04", "relevant": 1},
]


@pytest.fixture
@remembered
def campaign(organiser: User, settings: Any, tmp_path: Path) -> Campaign:
    """The survey with two items to practise on, both of which have to be right, and a third that is a control item."""
    settings.DATA_DIR = tmp_path / "data"
    (tmp_path / "known.jsonl").write_text("".join(json.dumps(each) + "\n" for each in KEPT))
    tables = 'control = { file = "known.jsonl" }\npractice = { items = 2, pass = 0.8, tries = 2 }\n'
    return survey(organiser, tmp_path, SURVEY.replace('work = "grade"\n', f'work = "grade"\n{tables}'))


@pytest.fixture
def stage(campaign: Campaign) -> Stage:
    (found,) = practised_stages(campaign)
    return found


@pytest.fixture
def work(campaign: Campaign) -> Assignment:
    topic = campaign.topics.get(number="1")
    return factories.assignment(topic, "documents", factories.member(campaign, "ada", "assessor"), state="open")


def answer(work: Assignment, stage: Stage, *values: int) -> None:
    """The next items answered so."""
    for value in values:
        state = practice_of(work.campaign, stage, work.assessor)
        number = state.next.number if state.next is not None else 0
        answer_practice(
            actor=work.assessor, campaign=work.campaign, stage=stage, number=number, values={"relevant": value}
        )


def test_work_opens_once_practice_is_passed(campaign: Campaign, stage: Stage, work: Assignment) -> None:
    with pytest.raises(Conflict, match=r"begins with practice.*2 of 2 have to be right"):
        open_assignment(actor=work.assessor, assignment=work)
    answer(work, stage, 1, 1)
    state = practice_of(campaign, stage, work.assessor)
    assert (state.right, state.is_whole, state.is_passed, state.tries_left) == (1, True, False, 1)
    assert state.said == [("Is it relevant?", "yes", "no")]
    answer(work, stage, 1)
    state = practice_of(campaign, stage, work.assessor)
    assert (state.next and state.next.number) == 2
    with pytest.raises(Conflict, match="begins with practice"):
        open_assignment(actor=work.assessor, assignment=work)
    answer(work, stage, 0)
    assert practice_of(campaign, stage, work.assessor).is_passed
    with pytest.raises(Conflict, match="You have passed"):
        answer(work, stage, 0)
    assert open_assignment(actor=work.assessor, assignment=work).state == "started"
    assert not Judgment.objects.exists()  # nothing of it is a judgment


def test_tries_end_and_an_organiser_gives_them_anew(
    campaign: Campaign, stage: Stage, work: Assignment, organiser: User
) -> None:
    answer(work, stage, 0, 0, 0, 0)
    with pytest.raises(Conflict, match=r"no try left. Ask an organiser"):
        answer(work, stage, 1)
    with pytest.raises(NotFound):
        let_practise_again(actor=organiser, campaign=campaign, stage=stage, user=organiser)
    let_practise_again(actor=organiser, campaign=campaign, stage=stage, user=work.assessor)
    answer(work, stage, 1, 0)
    assert practice_of(campaign, stage, work.assessor).is_passed


def other_practice(campaign: Campaign, organiser: User, *, items: int, share: float, tries: int) -> Stage:
    """The stage once the campaign has a design with this practice."""
    words = f"[stages.practice]\nitems = {items}\npass = {share}\ntries = {tries}\n\n"
    text = re.sub(r"\[stages\.practice\]\n(.+\n)+\n", words, text_of_design(campaign.design))
    change_design(actor=organiser, campaign=campaign, text=text)
    campaign.refresh_from_db()
    (found,) = practised_stages(campaign)
    return found


def test_what_was_passed_stays_passed_and_a_lower_mark_counts_for_earlier_tries(
    campaign: Campaign, stage: Stage, work: Assignment, organiser: User
) -> None:
    bea = factories.assignment(
        work.topic, "documents", factories.member(campaign, "bea", "assessor"), state="open", role="second"
    )
    answer(work, stage, 1, 1, 1, 1)
    lower = other_practice(campaign, organiser, items=2, share=0.5, tries=2)
    assert practice_of(campaign, lower, work.assessor).is_passed
    answer(bea, lower, 1, 1)
    higher = other_practice(campaign, organiser, items=2, share=1.0, tries=1)
    assert practice_of(campaign, higher, bea.assessor).is_passed
    assert open_assignment(actor=bea.assessor, assignment=bea).state == "started"


@pytest.mark.parametrize("is_moved", [False, True])
def test_what_the_known_answer_was_corrected_to_counts_as_right(
    campaign: Campaign, stage: Stage, work: Assignment, organiser: User, client: Client, is_moved: bool
) -> None:
    """Also if the values were moved on the scale with it. What was right when it was answered stays so."""
    bea = factories.assignment(
        work.topic, "documents", factories.member(campaign, "bea", "assessor"), state="open", role="second"
    )
    answer(work, stage, 1, 1)
    answer(bea, stage, 1, 0)
    text = text_of_design(campaign.design).replace('HIVE-03", "relevant": "no"', 'HIVE-03", "relevant": "yes"')
    if is_moved:
        text = text.replace("value = 1, press", "value = 2, press").replace('"relevant": 1', '"relevant": 2')
        text += '\n[[changes]]\nquestion = "relevant"\nfrom = 1\nto = 2\n'
    change_design(actor=organiser, campaign=campaign, text=text)
    campaign.refresh_from_db()
    (corrected,) = practised_stages(campaign)
    state = practice_of(campaign, corrected, work.assessor)
    assert (state.right, state.corrected, state.is_passed, state.said[0][1:]) == (2, [2], True, ("yes", "yes"))
    of_bea = practice_of(campaign, corrected, bea.assessor)
    assert (of_bea.right, of_bea.corrected, of_bea.is_passed) == (2, [2], True)
    client.force_login(work.assessor)
    page = page_of(client.get(reverse("practice", args=["own", "documents"])))
    assert "Item 2: its known answer was corrected after you had answered. What you said counts as right." in page


@pytest.mark.parametrize("first", [1, 0])
def test_a_try_goes_on_with_what_is_left_of_the_items(
    campaign: Campaign, stage: Stage, work: Assignment, organiser: User, first: int
) -> None:
    """Nobody answers an item again of which they were told in this try what is right."""
    answer(work, stage, first)
    fewer = other_practice(campaign, organiser, items=1, share=0.8, tries=2)
    state = practice_of(campaign, fewer, work.assessor)
    assert (state.is_whole, state.is_passed, state.tries) == (True, bool(first), 1)
    if not first:
        answer(work, fewer, 1)
        state = practice_of(campaign, fewer, work.assessor)
        assert (state.is_passed, state.tries, len(state.answered)) == (True, 2, 1)


def test_what_is_practised_comes_no_more_among_the_work(campaign: Campaign, stage: Stage) -> None:
    planted = {item for items in known_gold(campaign, stage).values() for item in items}
    assert {each.docno for each in Item.objects.filter(pk__in=planted)} <= {"HIVE-04"}


def test_who_can_not_tell_says_so_and_is_not_right(
    organiser: User, settings: Any, tmp_path: Path, client: Client
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    (tmp_path / "known.jsonl").write_text("".join(json.dumps(each) + "\n" for each in KEPT))
    tables = 'practice = { file = "known.jsonl", items = 2, tries = 1 }\n'
    text = SURVEY.replace('work = "grade"\n', f'work = "grade"\n{tables}')
    asked = 'ask = "Is it relevant?"\n'
    more = 'unsure = { press = "x", name = "no idea" }\nevidence_ask = "Where?"\nnote_ask = "Why?"\n'
    campaign = survey(organiser, tmp_path, text.replace(asked, asked + more))
    ada = factories.member(campaign, "ada", "assessor")
    client.force_login(ada)
    address = reverse("practice", args=["own", "documents"])
    page = page_of(client.get(address, {"view": "text"}))
    shown = (
        'data-grade-key="x"',
        "choose sentences",
        "Why?",
        "data-practice-answer",
        'aria-label="Views of the document"',
    )
    assert [each for each in shown if each not in page] == []
    assert "Ask the organiser" not in page and "data-later" not in page and "/judge/" not in page
    page = page_of(client.post(address, {"number": "1", "relevant": "unsure"}, follow=True))
    assert "You said <strong>no idea</strong>; the right answer is <strong>yes</strong>." in page
    overview = reverse("overview", args=["own"])
    call = {"stage": "documents", "number": 2, "values": {"relevant": None}}
    told = client.post(reverse("api-practice-list", args=["own"]), call, content_type="application/json").json()
    assert (told["was_right"], told["passed"], told["next"]) == (False, False, None)
    assert "no try is left" in page_of(client.get(address))
    client.force_login(organiser)
    assert "One person has used all tries of the practice for “documents”." in page_of(client.get(overview))
    practised = practised_stages(campaign)[0]
    let_practise_again(actor=organiser, campaign=campaign, stage=practised, user=ada)
    assert "used all tries" not in page_of(client.get(overview))


def test_answers_that_are_none_are_refused(campaign: Campaign, stage: Stage, work: Assignment) -> None:
    def say(number: int, **values: int) -> None:
        answer_practice(actor=work.assessor, campaign=campaign, stage=stage, number=number, values=values)

    with pytest.raises(Conflict, match=r"Item 2 is not the next one any more. Answer item 1."):
        say(2, relevant=1)
    with pytest.raises(Invalid, match=r"Answer “Is it relevant.” as well"):
        say(1)
    with pytest.raises(Invalid, match="7 is not on the scale"):
        say(1, relevant=7)
    for state, words in (("setup", "once judging is open"), ("frozen", "frozen")):
        Campaign.objects.update(state=state)
        with pytest.raises(Conflict, match=words):
            say(1, relevant=1)
    assert not Activity.objects.filter(action__startswith="practice.").exists()


def test_the_page_tells_after_each_answer_what_is_right_and_why(
    campaign: Campaign, work: Assignment, client: Client, organiser: User
) -> None:
    client.force_login(work.assessor)
    address = reverse("practice", args=["own", "documents"])
    for state, told in (("setup", "Practice begins once judging is open."), ("frozen", "Judging is over")):
        Campaign.objects.filter(pk=campaign.pk).update(state=state)
        page = page_of(client.get(address))
        assert told in page and "Item 1 of 2" not in page
        assert client.get(reverse("api-practice-list", args=["own"])).json()["results"][0]["next"] is None
    Campaign.objects.filter(pk=campaign.pk).update(state="judging")
    assert address in client.get(reverse("work", args=["own"])).content.decode()
    page = page_of(client.get(address))
    assert "Item 1 of 2" in page and "Is it relevant?" in page and "What is wrong with it?" not in page
    for tag in campaign.runs.values_list("tag", flat=True):
        assert tag not in page
    answer = client.post(address, {"number": "1", "relevant": "0"}, follow=True)
    page = page_of(answer)
    assert (
        "You said <strong>no</strong>; the right answer is <strong>yes</strong>." in page
        and "Hives in a town are asked for." in page
    )
    assert 'data-key="Enter"' in page and "0 of 1 right so far." in page and "data-practice-answer" not in page
    document = re.search(r'data-document="([^"]+)"', page)
    assert document is not None and document[1] == "HIVE-02"  # the item that the reason is about
    page = page_of(client.get(address))
    assert "Item 2 of 2; all have to be right" in page and "Hives in a town" not in page
    answer = client.post(address, {"number": "1", "relevant": "0"})
    assert (answer.status_code, "not the next one any more" in page_of(answer)) == (422, True)
    assert client.get(reverse("practice", args=["own", "elsewhere"])).status_code == 404
    people = reverse("practice-people", args=["own", "documents"])
    assert client.get(people).status_code == 404
    client.force_login(organiser)
    cells = re.findall(r"<td[^>]*>([^<]*)", page_of(client.get(people)))
    assert cells[:5] == ["no", "0", "1", "2", "1"]
    assert client.post(people, {"user": "99999999"}).status_code == 404
    assert client.post(people, {"user": str(work.assessor.pk)}).status_code == 302
    assert Activity.objects.filter(action="practice.again").count() == 1
    client.force_login(factories.member(campaign, "team", "participant"))
    assert client.get(address).status_code == 404


def test_an_answer_stays_about_the_item_for_which_it_was_given(
    campaign: Campaign, stage: Stage, work: Assignment, client: Client
) -> None:
    client.force_login(work.assessor)
    address = reverse("practice", args=["own", "documents"])
    state = practice_of(campaign, stage, work.assessor)
    one, two = state.items
    assert f'name="item" value="{one.handle}"' in page_of(client.get(address)) and one.handle != one.item.pk
    first = [{"item": one.item.pk, "of": 2, "right": True}]
    assert replace(state, items=[two, one], answered=first).next == two  # not the one that was answered
    other = client.post(address, {"number": "1", "item": str(two.handle), "relevant": "0"})
    assert (other.status_code, "were changed meanwhile. Answer the one that is shown now." in page_of(other)) == (
        422,
        True,
    )
    call = {"stage": "documents", "number": 1, "item": two.handle, "values": {"relevant": 1}}
    calls = reverse("api-practice-list", args=["own"])
    assert client.get(calls).json()["results"][0]["next"]["item"] == one.handle
    assert client.post(calls, call, content_type="application/json").status_code == 409
    told = client.post(calls, {**call, "item": one.handle}, content_type="application/json").json()
    assert (told["was_right"], told["next"]["item"]) == (True, two.handle)


def test_the_api_says_and_refuses_the_same(campaign: Campaign, work: Assignment, client: Client) -> None:
    client.force_login(work.assessor)
    address = reverse("api-practice-list", args=["own"])
    (state,) = client.get(address).json()["results"]
    assert (state["items"], state["passed"], state["next"]["number"], state["reason"]) == (2, False, 1, "")
    assert "HIVE" not in json.dumps(state["next"]["criteria"]) and state["next"]["criteria"] == ["relevant"]
    body = {"stage": "documents", "number": 1, "values": {"relevant": 1}}
    state = client.post(address, body, content_type="application/json").json()
    assert (state["was_right"], state["expected"], state["reason"]) == (True, {"relevant": 1}, KEPT[0]["reason"])
    answer = client.post(address, body, content_type="application/json")
    assert (answer.status_code, answer.json()["detail"]) == (
        409, "Item 1 is not the next one any more. Answer item 2.",
    )  # fmt: skip
    again = reverse("api-practice-again", args=["own"])
    body = {"stage": "documents", "user": "ada"}
    assert client.post(again, body, content_type="application/json").status_code == 404


def test_how_all_have_come_costs_the_same_however_many_they_are(
    campaign: Campaign, work: Assignment, client: Client
) -> None:
    client.force_login(work.assessor)
    client.post(reverse("practice", args=["own", "documents"]), {"number": "1", "relevant": "0"})
    _, stage = stage_of(campaign, "documents")
    with CaptureQueriesContext(connection) as few:
        practice_of_all(campaign, stage)
    for name in ("bea", "carl", "dora"):
        factories.member(campaign, name, "assessor")
    with CaptureQueriesContext(connection) as more:
        found = {user.username: len(state.answered) for user, state in practice_of_all(campaign, stage)}
    assert len(more) == len(few)
    assert found[work.assessor.username] == 1 and found["bea"] == 0


def test_the_page_of_work_leads_to_practice_first(
    campaign: Campaign, stage: Stage, work: Assignment, client: Client
) -> None:
    def links() -> list[str]:
        page = client.get(reverse("work", args=[campaign.slug])).content.decode()
        return re.findall(r'<a class="button primary"[^>]*href="([^"]*)"[^>]*data-key="n"', page) or re.findall(
            r'<a class="button primary" data-key="n"\s+href="([^"]*)"', page
        )

    client.force_login(work.assessor)
    assert links() == [reverse("practice", args=[campaign.slug, stage.key])]
    assert "Nothing is open for you now" not in client.get(reverse("work", args=[campaign.slug])).content.decode()
    answer(work, stage, 1, 0)
    assert links() == [reverse("workbench", args=[campaign.slug, work.pk])]
