"""The bench for matches: who may open it, marks and reviews, carrying over, forms without scripts, what it costs."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from assess.assignments.queries.work_items import handle_of
from assess.campaigns.queries import settings_of
from assess.models import Assignment, Campaign, Item, Topic
from assess.organising.domain import change_settings
from nuggets.matches.record import review_items
from nuggets.matches.tally import missing_matches
from nuggets.models import ItemReview, Nugget, NuggetList, NuggetMatch
from nuggets.writing.lists import freeze_list, revise_list
from nuggets.writing.record import add_nugget, edit_nugget, retire_nugget
from tests import factories
from tests.nuggets.keys import key
from tests.nuggets.machines_drafts import machine_marks, show
from tests.pages import page_of

pytestmark = pytest.mark.django_db
JSON = {"accept": "application/json"}


@pytest.fixture
def bench(client: Client, assessor: User) -> Client:
    client.force_login(assessor)
    return client


def address(work: Assignment, name: str = "workbench") -> str:
    return reverse(name, args=["opinions", work.pk])


def mark(bench: Client, work: Assignment, nugget: Nugget, item: Item, /, **fields: object) -> HttpResponse:
    fields = {
        "nugget": nugget.pk,
        "item": handle_of(work, item.pk),
        "client_key": str(uuid4()),
        "how": "key",
        **fields,
    }
    return bench.post(address(work, "matches-mark"), fields, headers=JSON)


def rows() -> list[tuple[int, int, str, str]]:
    return list(NuggetMatch.objects.values_list("nugget__number", "part", "value", "quote"))


@pytest.mark.parametrize("who", ["second_assessor", "organiser", "participant", "stranger"])
def test_nobody_else_opens_or_marks_it(
    request: pytest.FixtureRequest,
    client: Client,
    matching: Assignment,
    cheap: Nugget,
    squishy_items: list[Item],
    who: str,
) -> None:
    client.force_login(request.getfixturevalue(who))
    assert client.get(address(matching)).status_code == 404
    assert mark(client, matching, cheap, squishy_items[0]).status_code == 404
    reviewed = client.post(
        address(matching, "matches-review"), {"items": handle_of(matching, squishy_items[0].pk)}, headers=JSON
    )
    assert reviewed.status_code == 404
    assert rows() == []


def test_mark_is_answered_and_written_once(
    bench: Client, matching: Assignment, cheap: Nugget, squishy_items: list[Item]
) -> None:
    same = str(uuid4())
    answers = [
        mark(bench, matching, cheap, squishy_items[0], client_key=same, quote="cheap").json()  # type: ignore[attr-defined]
        for _ in range(2)
    ]
    assert answers[0] == answers[1]
    assert {name: answers[0][name] for name in ("item", "nugget", "part", "value", "quote")} == {
        "item": handle_of(matching, squishy_items[0].pk),
        "nugget": 1,
        "part": 0,
        "value": "full",
        "quote": "cheap",
    }
    assert mark(bench, matching, cheap, squishy_items[0], client_key=same, value="absent").status_code == 409
    assert rows() == [(1, 0, "full", "cheap")]


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({"value": "perhaps"}, 422, "perhaps is no value of a mark. Use one of: full, partial, absent."),
        ({"part": "x"}, 422, "“part” must be a whole number. Reload the page and try again."),
        ({"part": "100"}, 422, "100 is no part. Parts are counted from 1 to 99; 0 is the whole nugget."),
        (
            {"nugget": "999999"},
            404,
            "This is not in your work, or its number was changed after you opened the page. Reload the page.",
        ),
        ({"item": ""}, 422, "“item” must be a whole number. Reload the page and try again."),
        ({"quote": "dear"}, 422, "The quote is not in the answer, word for word. Mark it in the text."),
    ],
)
def test_refusals_are_sentences(
    bench: Client,
    matching: Assignment,
    cheap: Nugget,
    squishy_items: list[Item],
    fields: dict[str, object],
    status: int,
    said: str,
) -> None:
    refused = mark(bench, matching, cheap, squishy_items[0], **fields)
    assert (refused.status_code, refused.json()["detail"]) == (status, said)  # type: ignore[attr-defined]
    assert rows() == []


def test_nugget_of_an_older_version_is_refused(
    bench: Client,
    matching: Assignment,
    cheap: Nugget,
    frozen: NuggetList,
    nugget_writing: Assignment,
    squishy_items: list[Item],
) -> None:
    review_items(actor=matching.assessor, assignment=matching, items=squishy_items[:1], client_key=key("looked"))
    Assignment.objects.filter(pk=nugget_writing.pk).update(state="started")
    draft = revise_list(actor=matching.assessor, nugget_list=NuggetList.objects.get(pk=frozen.pk))
    edit_nugget(actor=matching.assessor, nugget_list=draft, number=2, text="feather light", client_key=key("reword"))
    freeze_list(actor=matching.assessor, nugget_list=draft, client_key=key("freeze again"))
    refused = mark(bench, matching, cheap, squishy_items[0])
    assert refused.json()["detail"].startswith("This nugget is not on the list that counts now.")  # type: ignore[attr-defined]
    page = page_of(bench.get(address(matching)))
    assert "New or reworded since you looked: <strong>2</strong>" in page


def test_what_an_older_list_lacks_is_not_finished_from_its_page(
    bench: Client,
    matching: Assignment,
    frozen: NuggetList,
    nugget_writing: Assignment,
    squishy_items: list[Item],
) -> None:
    def finish(shown: NuggetList, is_reviewed: str = "1") -> int:
        items = " ".join(str(handle_of(matching, each.pk)) for each in squishy_items)
        fields = {"items": items, "list": shown.pk, "is_reviewed": is_reviewed, "client_key": str(uuid4())}
        return bench.post(address(matching, "matches-review"), fields, headers=JSON).status_code

    def revised(old: NuggetList, change: Callable[..., object], **asked: object) -> NuggetList:
        Assignment.objects.filter(pk=nugget_writing.pk).update(state="started")
        draft = revise_list(actor=matching.assessor, nugget_list=NuggetList.objects.get(pk=old.pk))
        change(actor=matching.assessor, nugget_list=draft, client_key=uuid4(), **asked)
        return freeze_list(actor=matching.assessor, nugget_list=draft, client_key=uuid4())

    assert f'name="list" value="{frozen.pk}"' in page_of(bench.get(address(matching)))
    fewer = revised(frozen, retire_nugget, number=3)
    assert (finish(frozen), finish(frozen, "0")) == (200, 200)
    more = revised(fewer, add_nugget, text="new", importance="okay")
    assert (finish(frozen), finish(fewer)) == (409, 409)
    assert missing_matches(matching).startswith("3 of 3")
    assert (finish(more), missing_matches(matching)) == (200, "")
    assert finish(fewer, "0") == 200


def test_review_is_counted_and_taken_back(bench: Client, matching: Assignment, squishy_items: list[Item]) -> None:
    def review(**fields: object) -> HttpResponse:
        fields = {
            "items": " ".join(str(handle_of(matching, item.pk)) for item in squishy_items),
            "client_key": str(uuid4()),
            **fields,
        }
        return bench.post(address(matching, "matches-review"), fields, headers=JSON)

    same = str(uuid4())
    assert [review(client_key=same).status_code for _ in range(2)] == [200, 200]
    assert ItemReview.objects.count() == 3
    assert "3 of 3 strings looked at" in page_of(bench.get(address(matching)))
    review(is_reviewed="0")
    assert "0 of 3 strings looked at" in page_of(bench.get(address(matching)))
    assert review(items="999999").status_code == 404


def test_a_review_of_too_many_strings_is_refused_and_not_cut(
    bench: Client, matching: Assignment, squishy_items: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nuggets.matches.pages.MOST_REVIEWED", 2)
    items = " ".join(str(handle_of(matching, item.pk)) for item in squishy_items)
    refused = bench.post(
        address(matching, "matches-review"), {"items": items, "client_key": str(uuid4())}, headers=JSON
    )
    assert refused.status_code == 422 and "at most 2 strings" in refused.json()["detail"]
    assert not ItemReview.objects.exists()


def test_no_id_leads_to_a_string(bench: Client, matching: Assignment, cheap: Nugget, squishy_items: list[Item]) -> None:
    ids = {"item": squishy_items[0].pk, "items": squishy_items[0].pk}
    assert mark(bench, matching, cheap, squishy_items[0], **ids).status_code == 404
    assert bench.post(address(matching, "matches-review"), {**ids, "client_key": str(uuid4())}).status_code == 404
    assert bench.get(f"{address(matching)}strings/{squishy_items[0].pk}/").status_code == 404


def test_before_a_list_is_frozen_it_says_so(bench: Client, draft: NuggetList, squishy: Topic, assessor: User) -> None:
    work = factories.assignment(squishy, "matches", assessor)
    assert "The nugget list is not frozen yet" in page_of(bench.get(address(work)))


def test_identical_pair_carries_over_and_counts_once(
    bench: Client,
    matching: Assignment,
    squishy: Topic,
    cheap: Nugget,
    squishy_items: list[Item],
    organiser: User,
) -> None:
    for tag in ("Zanzibar1", "Quillwort2"):
        factories.response(factories.run(squishy.campaign, tag, organiser), squishy, squishy_items[:2])
    mark(bench, matching, cheap, squishy_items[0])
    mark(bench, matching, cheap, squishy_items[1])
    page = page_of(bench.get(address(matching)))
    assert page.count("◐ carried over from response 1") == 2
    assert "<span data-count>in 2</span>" in page
    assert "further strings of the pool" in page  # the third string is in no response and is marked too
    assert "Zanzibar" not in page
    assert "Quillwort" not in page


def test_without_scripts_it_works_by_forms(
    bench: Client, matching: Assignment, cheap: Nugget, squishy_items: list[Item]
) -> None:
    page = page_of(bench.get(address(matching)))
    assert page.count("○ not looked at") == 3
    for _ in range(3):
        fields = dict(re.findall(r'<input type="hidden" name="(item|string)" value="(\d+)"', page)[:2])
        says = re.findall(r'name="say" value="([^"]+)" aria-pressed="false"', page)
        say = next(each for each in says if each.startswith(f"{cheap.pk} "))
        page = page_of(bench.post(address(matching, "matches-mark"), {**fields, "say": say}, follow=True))
        assert f'value="{cheap.pk} 0 " aria-pressed="true"' in page
        following = re.findall(r'name="items" value="(\d+)"><input type="hidden" name="string" value="(\d+)"', page)[0]
        review = {"items": following[0], "string": following[1]}
        page = page_of(bench.post(address(matching, "matches-review"), review, follow=True))
    assert "3 of 3 strings looked at" in page and page.count("● looked at") == 3
    assert [row[:3] for row in rows()] == [(1, 0, "full")] * 3
    undo = {**fields, "say": f"{cheap.pk} 0 "}
    page = page_of(bench.post(address(matching, "matches-mark"), undo, follow=True))
    assert "Nugget 1 is not marked any more in" in page
    assert [row[:3] for row in rows()] == [(1, 0, "full")] * 3 + [(1, 0, None)]
    bench.post(address(matching, "matches-mark"), {**fields, "say": say}, follow=True)
    assert {row.item_id for row in NuggetMatch.objects.all()} == {item.pk for item in squishy_items}
    bench.post(address(matching, "work-done"))
    matching.refresh_from_db()
    assert matching.state == "done"


def test_without_scripts_drafts_are_said_in_words(
    bench: Client, matching: Assignment, cheap: Nugget, squishy_items: list[Item]
) -> None:
    machine_marks(matching.campaign, matching.topic, [(cheap, squishy_items[0], "full")], stage="matches")
    show(matching.campaign)
    assert re.findall(r"Drafts:\s+1 (.)", page_of(bench.get(address(matching)))) == ["✓"]


def offered(page: str) -> list[tuple[str, str]]:
    """The strings of a page with the nuggets that stand first for each."""
    return re.findall(r'data-string="(\d+)"[^>]* data-first="([\d ]*)"', page)


def order(page: str) -> list[str]:
    """The numbers of the nuggets as they stand beside the string in hand."""
    return re.findall(r'data-nugget="(\d+)"', page)


def test_likely_nuggets_stand_first_and_what_was_marked_tells(
    bench: Client, matching: Assignment, squishy_items: list[Item]
) -> None:
    one, other, *_ = squishy_items
    numbers = list(matching.topic.nugget_lists.get().nuggets.order_by("number").values_list("number", "text"))
    (last, text) = numbers[-1]
    Item.objects.filter(pk=one.pk).update(text=f"zither {text}")
    Item.objects.filter(pk=other.pk).update(text="a zither")
    firsts = dict(offered(page_of(bench.get(address(matching)))))
    assert firsts[str(handle_of(matching, one.pk))].split()[0] == str(last)
    assert firsts[str(handle_of(matching, other.pk))] == ""
    shared = re.search(
        rf'data-string="{handle_of(matching, one.pk)}"[^>]*data-shared="([^"]*)"', page_of(bench.get(address(matching)))
    )
    assert shared is not None and set(shared[1].split()) <= set(text.split()) and shared[1]
    mark(bench, matching, Nugget.objects.get(number=1), one)
    page = page_of(bench.get(address(matching, "matches-response")))
    assert dict(offered(page))[str(handle_of(matching, other.pk))] == "1"


def test_topics_in_list_order(
    bench: Client, matching: Assignment, squishy_items: list[Item], campaign: Campaign, organiser: User
) -> None:
    text = Nugget.objects.order_by("number").last()
    assert text is not None
    Item.objects.filter(pk__in=[item.pk for item in squishy_items]).update(text=text.text)
    page = page_of(bench.get(address(matching)))
    assert order(page)[0] == str(text.number) and "Likely ones first" in page
    change_settings(actor=organiser, campaign=campaign, values={"list_order_share": 1.0})
    page = page_of(bench.get(address(matching)))
    assert order(page) == sorted(order(page), key=int) and "In the order of the list" in page
    assert {first for _, first in offered(page)} == {""}
    before = type(settings_of(campaign)).from_stored({"beta": 3.0})
    assert getattr(before, "list_order_share") == 1.0  # noqa: B009


@pytest.mark.parametrize("runs", [1, 3])
def test_page_takes_the_same_queries_however_much_there_is(
    bench: Client,
    matching: Assignment,
    organiser: User,
    runs: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    fill(matching.topic, organiser, runs=runs, strings=runs)
    with django_assert_num_queries(25):
        bench.get(address(matching))


@pytest.fixture
def long_bench(matching: Assignment, frozen: NuggetList, organiser: User) -> Assignment:
    """Work on sixty nuggets in 60 responses of 17 strings, and three strings that are in none."""
    nuggets = [
        Nugget(nugget_list=frozen, number=number, position=number, text=f"string with a {number}")
        for number in range(4, 61)
    ]
    Nugget.objects.bulk_create(nuggets)
    fill(matching.topic, organiser, runs=60, strings=17)
    return matching


def test_a_long_bench_holds_one_response_and_gives_the_others(
    bench: Client, long_bench: Assignment, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    page = page_of(bench.get(address(long_bench)))
    assert (page.count("data-string="), len(page) < 60_000) == (17, True)
    assert page.partition("<main")[2].count('aria-current="true"') == 1
    left = " ".join(["17"] * 60 + ["3"])
    outline = f'data-left="{left}" data-numbered="60"'
    assert outline in page and 'data-done="0" data-total="1023"' in page
    part = reverse("matches-response", args=["opinions", long_bench.pk])
    with django_assert_num_queries(16):
        other = page_of(bench.get(part, {"at": 7}))
    assert outline in other and "response 8 of 60" in other
    handles = re.findall(r'data-string="(\d+)"', other)
    assert len(set(handles)) == 17
    assert page_of(bench.get(part, {"item": handles[3]})) == other
    rest = page_of(bench.get(part, {"at": 60}))
    assert "further strings of the pool" in rest and rest.count("data-string=") == 3
    for wrong, status in (({"at": 61}, 404), ({"at": "x"}, 422), ({"item": "1"}, 404)):
        assert bench.get(part, wrong).status_code == status


def test_a_long_bench_names_the_string_in_hand_and_counts_without_scripts(
    bench: Client, long_bench: Assignment, cheap: Nugget
) -> None:
    page = page_of(bench.get(address(long_bench), {"string": 18}))
    assert "response 2 of 60" in page
    item = re.search(r'name="item" value="(\d+)"', page)
    in_hand = re.search(r'data-string="(\d+)" data-letter="b"', page)
    assert item is not None and in_hand is not None and item[1] == in_hand[1]
    fields = {"item": item[1], "say": f"{cheap.pk} 0 full", "string": "18"}
    page = page_of(bench.post(address(long_bench, "matches-mark"), fields, follow=True))
    assert "response 2 of 60" in page and "<span data-count>in 1</span>" in page


def test_strings_in_no_response_come_in_parts(bench: Client, matching: Assignment, squishy: Topic) -> None:
    factories.pooled(squishy, [f"string {number}" for number in range(210)])
    page = page_of(bench.get(address(matching), {"string": 30}))
    assert page.count("data-string=") == 25
    assert f'data-left="{" ".join(["25"] * 8 + ["13"])}" data-numbered="0"' in page


def fill(topic: Topic, organiser: User, *, runs: int, strings: int) -> None:
    for number in range(runs):
        items = factories.pooled(topic, [f"string {place} of {number}" for place in range(strings)])
        factories.response(factories.run(topic.campaign, f"Harbor{number}", organiser), topic, items)
