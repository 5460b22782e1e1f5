"""Near-identical documents by keyboard alone: looked for, listed, two of them side by side."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.jobs.background import do_job
from assess.models import Item, Job, Pool, PoolItem, Topic
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.keyboard import follow, picture, press_button
from tests.browser.look import violations_by_day_and_night

pytestmark = pytest.mark.browser

FERRY = " ".join(f"The ferry number {number} stopped at the pier in May." for number in range(30))
TEXTS = {"COPY-1": FERRY, "COPY-2": FERRY + " Copied.", "COPY-3": FERRY + " Copied again.", "KITE": "A kite flew."}


def test_an_organiser_finds_near_identical_documents_and_reads_two_side_by_side(
    sign_in: SignIn, site: LiveServer, organiser: User, rigid: Topic
) -> None:
    pool = Pool.objects.create(campaign=rigid.campaign, task=rigid.task, recipe={}, digest="x")
    for docno, text in TEXTS.items():
        document = factories.document(rigid.campaign, docno, text)
        item = Item.objects.create(topic=rigid, kind="x", key=docno, docno=docno, document=document)
        PoolItem.objects.create(pool=pool, item=item)
    page = sign_in(organiser)
    page.goto(f"{site.url}/c/opinions/documents/")
    follow(page, "none found; look for them")
    assert violations_by_day_and_night(page) == []
    press_button(page, "Find near-identical documents")
    expect(page.locator("#works")).to_contain_text("clusters #1")
    do_job(Job.objects.get().pk)
    expect(page.get_by_role("heading", name="3 documents in 1 cluster")).to_be_visible()  # the page came anew
    picture(page, "clusters")
    assert violations_by_day_and_night(page) == []
    press_button(page, "Find near-identical documents")
    likeness = page.get_by_label("Likeness")
    likeness.fill("0.7")
    do_job(Job.objects.order_by("pk").last().pk)
    expect(page.locator("#anew")).to_be_visible()
    expect(likeness).to_have_value("0.7")
    assert violations_by_day_and_night(page) == []
    picture(page, "clusters-are-new")
    follow(page, "Load the page again")
    expect(likeness).not_to_have_value("0.7")
    follow(page, f"Cluster 1 of topic {rigid.number}")
    expect(page.locator("#cluster-table tbody tr")).to_have_count(3)
    follow(page, "COPY-3 on the right")
    expect(page.locator(".compared-text").last).to_contain_text("Copied again.")
    assert [each.inner_text() for each in page.locator("section h3").all()] == ["COPY-1", "COPY-3"]
    page.emulate_media(color_scheme="dark")
    picture(page, "cluster-dark")
    page.emulate_media(color_scheme="light")
    picture(page, "cluster")
    assert violations_by_day_and_night(page) == []
