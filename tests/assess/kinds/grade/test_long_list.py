"""A long list comes with its page in part, and whole from an address of its own."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from assess.assignments.domain.setting_aside import set_aside
from assess.assignments.queries.work_items import handle_of
from assess.campaigns.queries import stage_of
from assess.judging.queries.bench import items_in_order, own_order
from assess.models import Assignment, HelpRequest, Item, Pool, PoolItem, Topic
from scoring.folding import answer_key
from tests import factories
from tests.assess import judged_campaign as judging

pytestmark = pytest.mark.django_db

MANY = 450


def pool(topic: Topic, number: int) -> None:
    made = Pool.objects.create(campaign=topic.campaign, task=topic.task, recipe={}, digest=f"{number:064}")
    texts = [f"colour {place}" for place in range(number)]
    known = {item.text: item for item in topic.items.all()}
    new = [
        Item(topic=topic, kind="instance", key=answer_key(text, ""), text=text) for text in texts if text not in known
    ]
    Item.objects.bulk_create(new)
    PoolItem.objects.bulk_create(PoolItem(pool=made, item=item) for item in topic.items.filter(text__in=texts))


@pytest.fixture
def work(rigid: Topic, assessor: User, client: Client) -> Assignment:
    pool(rigid, MANY)
    client.force_login(assessor)
    return factories.assignment(rigid, "instances", assessor)


def handles(work: Assignment) -> list[int]:
    items = items_in_order(own_order(work, stage_of(work.campaign, work.stage)[1])[0])
    return [handle_of(work, item.pk) for item in items]


def address(work: Assignment, name: str = "workbench") -> str:
    return reverse(name, args=[work.campaign.slug, work.pk])


def listed(page: str) -> list[int]:
    return [int(handle) for handle in re.findall(r'<li data-item="(\d+)"', page)]


def shown(page: str) -> str:
    return re.search(r"(\d+ to \d+ of \d+)", page)[1]  # type: ignore[index]


def test_the_page_holds_what_stands_around_the_item_in_hand(work: Assignment, client: Client) -> None:
    known = handles(work)
    first = client.get(address(work)).content.decode()
    assert (listed(first), shown(first)) == (known[:25], "1 to 25 of 450")
    there = client.get(f"{address(work)}?item={known[299]}").content.decode()
    assert (listed(there), shown(there)) == (known[287:312], "288 to 312 of 450")
    assert 'aria-setsize="450" aria-posinset="300"' in there
    assert f'<li data-item="{known[299]}"' in there
    assert "300 of 450" in there
    assert "0 of 450 judged" in there


def test_the_whole_list_has_its_own_address_and_marks_the_item_in_hand(work: Assignment, client: Client) -> None:
    known = handles(work)
    page = client.get(f"{address(work)}?item={known[299]}").content.decode()
    rest = re.search(r'data-rest="([^"]+)"', page)[1].replace("&amp;", "&")  # type: ignore[index]
    whole = "".join(client.get(f"{rest}&past={past}").content.decode() for past in (0, 200, 400))
    assert listed(whole) == known
    assert len(re.findall('aria-current="true"', whole)) == 1
    assert f'?item={known[299]}&amp;filter=all"\n    aria-current="true"' in whole
    assert "data-rest" not in whole


def test_a_list_that_is_not_long_is_on_its_page_as_a_whole(rigid: Topic, work: Assignment, client: Client) -> None:
    pool(rigid, 200)
    page = client.get(address(work)).content.decode()
    assert (listed(page), "data-rest" in page, "data-part-of-list" in page) == (handles(work), False, False)


def test_links_lead_through_the_whole_list_without_scripts(work: Assignment, client: Client) -> None:
    found: list[int] = []
    link: str | None = f"{address(work)}?filter=all&from=1"
    while link is not None:
        page = client.get(link).content.decode()
        found += listed(page)
        later = re.search(r'<a href="([^"]+)">later</a>', page)
        link = later[1].replace("&amp;", "&") if later else None
    assert found == handles(work)
    assert re.search(r'from=401">earlier</a>', page)


def test_filters_look_at_the_whole_list(work: Assignment, client: Client) -> None:
    known = {handle: place for place, handle in enumerate(handles(work))}
    items = items_in_order(own_order(work, stage_of(work.campaign, work.stage)[1])[0])
    judging.judge(work, items[0].text, 1, note="look")
    for item in items[1:50]:
        judging.judge(work, item.text, 2)
    HelpRequest.objects.create(assignment=work, item=items[440], text="Which?", client_key="0" * 32)
    flagged = client.get(f"{address(work)}?filter=flagged").content.decode()
    assert ([known[each] for each in listed(flagged)], shown(flagged)) == ([0, 440], "1 to 2 of 2")
    unjudged = client.get(f"{address(work)}?filter=unjudged").content.decode()
    assert ([known[each] for each in listed(unjudged)], shown(unjudged)) == ([*range(50, 75)], "1 to 25 of 400")
    parts = [
        client.get(f"{address(work, 'work-lines')}?filter=unjudged&past={past}").content.decode()
        for past in (0, 200, 400, 450, 999_999)
    ]
    whole = "".join(parts)
    assert [len(listed(part)) for part in parts] == [200, 200, 50, 0, 0]
    assert (listed(whole), len(re.findall("<li [^>]*hidden>", whole))) == (list(known), 50)
    assert "50 of 450 judged" in flagged


def window(work: Assignment, client: Client, **asked: object) -> tuple[list[int], tuple[int, int]]:
    """The handles of a window, its first number and how many lines there are."""
    page = client.get(address(work, "work-lines"), {key: str(value) for key, value in asked.items()}).content.decode()
    first, number = re.search(r'data-first="(\d+)"\s+data-number="(\d+)"', page).groups()  # type: ignore[union-attr]
    return listed(page), (int(first), int(number))


def test_windows_are_cut_from_the_whole_list(work: Assignment, client: Client) -> None:
    known = handles(work)
    assert window(work, client, **{"from": 1}) == (known[:120], (1, MANY))
    assert window(work, client, **{"from": 401}) == (known[400:], (401, MANY))
    assert window(work, client, **{"from": 999_999}) == (known[449:], (450, MANY))
    assert window(work, client, near=known[299]) == (known[239:359], (240, MANY))
    assert window(work, client, near=known[3]) == (known[:120], (1, MANY))
    assert window(work, client, after=known[9]) == (known[10:35], (11, MANY))
    assert window(work, client, after=known[439]) == ([*known[440:], *known[:15]], (441, MANY))


def test_all_items_of_the_list_that_say_nearly_the_same_are_found(work: Assignment, client: Client) -> None:
    said = ("The blue bicycle", "bicycles, blue", "a zebra", "++", "+++", "blue bicycle")
    for place, text in enumerate(said):
        Item.objects.filter(topic=work.topic, text=f"colour {place * 80}").update(text=text)
    factories.item(work.topic, "a blue bicycle")  # in no pool
    items = items_in_order(own_order(work, stage_of(work.campaign, work.stage)[1])[0])
    handle = {item.text: handle_of(work, item.pk) for item in items}

    def alike(text: str) -> list[str]:
        found, _ = window(work, client, like=handle[text])
        assert found == [each for each in handles(work) if each in found]
        return sorted(text for text, each in handle.items() if each in found)

    assert alike("blue bicycle") == ["The blue bicycle", "bicycles, blue", "blue bicycle"]
    assert alike("a zebra") == ["a zebra"]
    assert alike("++") == []  # has no words


def test_windows_of_a_filter_count_what_it_shows(work: Assignment, client: Client) -> None:
    known = handles(work)
    items = items_in_order(own_order(work, stage_of(work.campaign, work.stage)[1])[0])
    for item in items[:430]:
        judging.judge(work, item.text, 1)
    open_ = known[430:]
    assert window(work, client, filter="unjudged", after=known[0]) == (open_, (1, 20))
    assert window(work, client, filter="unjudged", after=known[444]) == ([*known[445:], *known[430:445]], (16, 20))
    assert window(work, client, filter="unjudged", near=known[2]) == (open_, (1, 20))
    assert window(work, client, filter="flagged", **{"from": 1}) == ([], (1, 0))
    for place in (437, 433, 7):  # the last is judged
        set_aside(actor=work.assessor, assignment=work, item=items[place])
    assert window(work, client, filter="flagged", **{"from": 1}) == ([known[433], known[437]], (1, 2))
    assert window(work, client, filter="unjudged", **{"from": 1}) == (open_, (1, 20))


def test_a_window_costs_the_same_whatever_the_list(rigid: Topic, work: Assignment, client: Client) -> None:
    def cost() -> tuple[int, int]:
        asked = {"near": str(handles(work)[200])}
        client.get(address(work, "work-lines"), asked)
        with CaptureQueriesContext(connection) as queries:
            page = client.get(address(work, "work-lines"), asked)
        return len(queries), len(listed(page.content.decode()))

    few = cost()
    pool(rigid, MANY * 2)
    assert cost() == few


def test_the_page_costs_the_same_whatever_the_list(rigid: Topic, work: Assignment, client: Client) -> None:
    def cost() -> tuple[int, int]:
        client.get(address(work))
        with CaptureQueriesContext(connection) as queries:
            page = client.get(address(work))
        return len(queries), len(page.content) // 1000

    few = cost()
    pool(rigid, MANY * 2)
    many = cost()
    assert (many[0], abs(many[1] - few[1]) <= 2) == (few[0], True)


def test_a_list_is_looked_through_by_words(work: Assignment, client: Client) -> None:
    asked = f"{address(work, 'work-lines')}?filter=all&from=1&words="
    known = [item.text for item in items_in_order(own_order(work, stage_of(work.campaign, work.stage)[1])[0])]
    number = dict(zip(handles(work), known, strict=True))

    def found(words: str) -> list[str]:
        return [number[handle] for handle in listed(client.get(asked + words).content.decode())]

    assert found("44 COLOUR") == [text for text in known if "44" in text]
    Item.objects.filter(topic=work.topic, text="colour 7").update(docno="BLOG06-0007")
    assert found("blog06") == []  # the list shows its text alone
    Item.objects.filter(topic=work.topic, text="colour 7").update(text="")
    assert found("blog06") == ["colour 7"]
    assert found("colour bicycle") == []
    assert len(found("")) == 120
    assert found("%00") == found("")
