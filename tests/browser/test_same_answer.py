"""One's own grade of the same answer with another document beside the item, given again by one key; looked at again."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.assignments.queries.work_items import handle_of
from assess.models import Item, Judgment, Pool, PoolItem, Topic
from tests import factories
from tests.assess import judged_campaign as judging
from tests.browser.conftest import SignIn
from tests.browser.keyboard import came, picture, saved
from tests.browser.look import violations_by_day_and_night

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
