"""One's own grade of the same answer with another document beside the item, given again by one key; looked at again."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.assignments.queries.work_items import handle_of
from assess.campaigns.queries import stage_of
from assess.judging.queries.bench import items_in_order, own_order
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Assignment, Campaign, Item, Judgment, Pool, PoolItem, Topic
from tests import factories
from tests.assess import judged_campaign as judging
from tests.browser.conftest import SignIn
from tests.browser.keyboard import came, picture, saved
from tests.browser.look import violations_by_day_and_night
from tests.tracks.designs.campaigns import survey

pytestmark = pytest.mark.browser


def test_the_same_answer_with_another_document_has_its_grade_beside_it(
    sign_in: SignIn, site: LiveServer, rigid: Topic, assessor: User, second_assessor: User
) -> None:
    factories.pooled(rigid, ["blue bicycle", "Blue bicycle", "C++ bicycle"])
    pool = Pool.objects.get()
    for text, docno in (("Blue  bicycle!", "D2"), ("C bicycle", "D3")):
        PoolItem.objects.create(pool=pool, item=factories.item(rigid, text, docno))
    work = factories.assignment(rigid, "instances", assessor)
    theirs = factories.assignment(rigid, "instances", second_assessor, role="second")
    judging.judge(theirs, "Blue  bicycle!", -1)
    judging.judge(work, "blue bicycle", 1)
    judging.judge(work, "C++ bicycle", 2)
    page = sign_in(assessor)

    def opened(text: str) -> None:
        item = Item.objects.get(text=text)
        page.goto(f"{site.url}/c/opinions/work/{work.pk}/?item={handle_of(work, item.pk)}")
        expect(page.locator("[data-undo]")).to_be_visible()
        came(page)

    same = page.locator("[data-same]")
    for text in ("Blue bicycle", "C bicycle"):  # the same document: it may come a second time; another answer
        opened(text)
        expect(same).to_be_hidden()
    opened("Blue  bicycle!")
    expect(same).to_contain_text("Your grade of the same answer with another document: correct")
    picture(page, "same-answer")
    assert violations_by_day_and_night(page) == []
    page.keyboard.press("s")
    saved(page)
    last = Judgment.objects.order_by("id").last()
    assert last is not None
    assert (last.item.text, last.value, last.how, last.assessor_id) == ("Blue  bicycle!", 1, "key", assessor.pk)
    page.keyboard.press("L")
    expect(page.locator("[data-row-link]").first).to_have_text("Blue  bicycle!")
    page.keyboard.press("j")
    page.keyboard.press("j")
    picture(page, "look-again")
    assert violations_by_day_and_night(page) == []
    page.keyboard.press("Enter")
    came(page)
    expect(page.locator("[data-answer]")).to_have_text("C++ bicycle")


TOGETHER = """design = 1
key = "survey"
title = "Survey"

[[stages]]
key = "documents"
work = "grade"
hand_out = { order = "likeness" }

[[stages.questions]]
key = "correct"
ask = "Is it correct?"
grades = [{ value = 1, press = "1", name = "yes" }, { value = 0, press = "2", name = "no" }]
"""


def alike(campaign: Campaign, *texts: str) -> tuple[Assignment, list[Item]]:
    """Work on a topic whose first answers have these texts, and all its items; the others' texts are like no other."""
    work = factories.assignment(
        campaign.topics.get(number="1"), "documents", factories.member(campaign, "ada", "assessor")
    )
    items = list(Item.objects.filter(topic=work.topic, pool_items__isnull=False).order_by("pk"))
    for item, text in zip(items, [*texts, *(f"answer {place}" for place in range(len(items)))], strict=False):
        Item.objects.filter(pk=item.pk).update(text=text)
    return work, items


def test_answers_that_say_nearly_the_same_get_one_grade_by_one_key_and_one_is_left_out(
    sign_in: SignIn, site: LiveServer, organiser: User, tmp_path: Path
) -> None:
    work, items = alike(
        survey(organiser, tmp_path, TOGETHER),
        "A blue bicycle",
        "the bicycles, blue",
        "blue bicycles",
        "Blue is the bicycle",
        "not a blue bicycle",
    )
    page = sign_in(work.assessor)

    def opened(item: Item) -> None:
        page.goto(f"{site.url}/c/own/work/{work.pk}/?item={handle_of(work, item.pk)}")
        expect(page.locator("[data-undo]")).to_be_visible()
        came(page)

    same = page.locator("[data-same]")
    opened(items[0])
    page.get_by_label("Move on automatically").uncheck()
    page.keyboard.press("1")
    saved(page)
    opened(items[4])
    expect(same).to_be_hidden()
    opened(items[1])
    expect(same).to_contain_text("Your grade of nearly the same: “A blue bicycle” yes")
    page.keyboard.press("x")
    expect(page.locator("[data-did]")).to_contain_text("is judged by itself. x takes it in again.")
    expect(same).to_contain_text("You judge this one by itself.")
    page.keyboard.press("x")
    expect(same).to_contain_text("Your grade of nearly the same")
    page.keyboard.press("x")
    saved(page)
    opened(items[1])  # loaded anew, it is so still
    expect(same).to_contain_text("You judge this one by itself.")
    picture(page, "like-apart")
    page.locator(f'[data-item="{handle_of(work, items[2].pk)}"] a').click()
    came(page)
    expect(same).to_contain_text("Not judged yet, and nearly the same: “Blue is the bicycle”")
    expect(same).not_to_contain_text("the bicycles, blue")
    picture(page, "like-together")
    assert violations_by_day_and_night(page) == []
    page.keyboard.press("a")
    expect(page.locator("[data-did]")).to_contain_text("yes: given to this one and to 1 like it.")
    saved(page)
    rows = Judgment.objects.order_by("id").values_list("item__text", "value", "how", "seconds")
    assert [row[:3] for row in rows] == [
        ("A blue bicycle", 1, "key"), ("Blue is the bicycle", 1, "like"), ("blue bicycles", 1, "key"),
    ]  # fmt: skip
    assert [row[3] is None for row in rows] == [False, True, False]
    page.keyboard.press("u")
    page.keyboard.press("u")
    saved(page)
    assert [row.item.text for row in Judgment.objects.filter(value=None).order_by("id")] == [
        "blue bicycles",
        "Blue is the bicycle",
    ]


def test_in_a_long_list_the_whole_list_is_compared(
    sign_in: SignIn, site: LiveServer, organiser: User, tmp_path: Path
) -> None:
    work, some = alike(survey(organiser, tmp_path, TOGETHER))
    pool = Pool.objects.get()
    PoolItem.objects.all().delete()
    texts = {0: "running", 200: "runs", 290: "run"}
    for place in range(300):
        text = texts.get(place, f"colour {place}")
        item = Item.objects.create(topic=work.topic, kind=some[0].kind, key=f"more {place}", text=text)
        PoolItem.objects.create(pool=pool, item=item, place=place + 1)
    items = items_in_order(own_order(work, stage_of(work.campaign, work.stage)[1])[0])
    said = JudgmentInput(item=items[200], criterion="correct", value=1, client_key=uuid4())
    record_judgment(actor=work.assessor, assignment=work, judgment=said)
    page = sign_in(work.assessor)
    address = f"{site.url}/c/own/work/{work.pk}/?item={handle_of(work, items[0].pk)}"
    page.goto(address)
    came(page)
    same = page.locator("[data-same]")
    expect(same).to_contain_text("Your grade of nearly the same: “runs” yes (201)")
    expect(same).to_contain_text("Not judged yet, and nearly the same: “run” (291)")
    page.route("**/lines/?*like=*", lambda route: route.abort())
    page.goto(address)
    came(page)
    page.keyboard.press("a")
    expect(page.locator("[data-did]")).to_have_text(
        "The list can't be loaded now: this answer was compared with a part of it only."
    )
    page.keyboard.press("u")  # other keys say what they say anyway
    expect(page.locator("[data-did]")).to_have_text("Nothing to undo.")
    page.unroute_all()
    page.goto(address)
    came(page)
    expect(same).to_contain_text("(291)")
    page.keyboard.press("a")
    expect(page.locator("[data-did]")).to_contain_text("yes: given to this one and to 1 like it.")
    saved(page)
    rows = Judgment.objects.order_by("id").values_list("item__text", "value", "how")
    assert list(rows)[1:] == [("run", 1, "like"), ("running", 1, "key")]


TWO = f"""{TOGETHER}
[[stages.questions]]
key = "whole"
ask = "Is it whole?"
grades = [{{ value = 1, press = "3", name = "whole" }}, {{ value = 0, press = "4", name = "in part" }}]
"""


def test_all_grades_of_several_questions_are_given_to_answers_that_say_nearly_the_same(
    sign_in: SignIn, site: LiveServer, organiser: User, tmp_path: Path
) -> None:
    work, items = alike(survey(organiser, tmp_path, TWO), "A blue bicycle", "the bicycles, blue", "blue bicycles")
    for criterion, value in (("correct", 1), ("whole", 0)):
        said = JudgmentInput(item=items[0], criterion=criterion, value=value, client_key=uuid4())
        record_judgment(actor=work.assessor, assignment=work, judgment=said)
    page = sign_in(work.assessor)
    page.goto(f"{site.url}/c/own/work/{work.pk}/?item={handle_of(work, items[1].pk)}")
    came(page)
    expect(page.locator("[data-same]")).to_contain_text("“A blue bicycle” yes, in part")
    page.keyboard.press("a")
    expect(page.locator("[data-did]")).to_contain_text("yes, in part: given to this one and to 1 like it.")
    saved(page)
    rows = Judgment.objects.order_by("id").values_list("item__text", "criterion", "value", "how")
    assert list(rows)[2:] == [
        ("blue bicycles", "correct", 1, "like"), ("blue bicycles", "whole", 0, "like"),
        ("the bicycles, blue", "correct", 1, "key"), ("the bicycles, blue", "whole", 0, "key"),
    ]  # fmt: skip
    expect(page.locator("[data-progress-words]")).to_contain_text("3 of")


def test_that_one_of_several_at_once_was_refused_stays_said(
    sign_in: SignIn, site: LiveServer, organiser: User, tmp_path: Path
) -> None:
    work, items = alike(survey(organiser, tmp_path, TOGETHER), "A blue bicycle", "the bicycles, blue", "blue bicycles")

    def grade(item: Item, value: int) -> None:
        said = JudgmentInput(item=item, criterion="correct", value=value, client_key=uuid4())
        record_judgment(actor=work.assessor, assignment=work, judgment=said)

    grade(items[0], 1)
    page = sign_in(work.assessor)
    page.goto(f"{site.url}/c/own/work/{work.pk}/?item={handle_of(work, items[1].pk)}")
    came(page)
    expect(page.locator("[data-same]")).to_contain_text("“A blue bicycle” yes")
    grade(items[2], 0)  # in another window
    page.keyboard.press("a")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved: This was changed in another window")
    found = {(row.item.text, row.value) for row in Judgment.objects.all()}
    assert found == {("A blue bicycle", 1), ("the bicycles, blue", 1), ("blue bicycles", 0)}
