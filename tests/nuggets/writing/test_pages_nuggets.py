"""The bench for nugget lists: who may open it, forms without scripts, idempotent posts, refusals, what it costs."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from assess.assignments.domain.assignments import reopen_assignment
from assess.assignments.queries.work_items import handle_of
from assess.models import Assignment, Campaign, Item, Topic
from nuggets.models import NuggetEdit, NuggetList
from nuggets.writing.lists import finish_frozen, freeze_list, start_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.nuggets.keys import key
from tests.pages import page_of

pytestmark = pytest.mark.django_db
JSON = {"accept": "application/json"}


@pytest.fixture
def bench(client: Client, assessor: User) -> Client:
    client.force_login(assessor)
    return client


def address(work: Assignment, name: str = "workbench", *more: int) -> str:
    return reverse(name, args=["opinions", work.pk, *more])


def do(bench: Client, work: Assignment, verb: str, **fields: object) -> HttpResponse:
    fields = {"do": verb, "client_key": str(uuid4()), **fields}
    return bench.post(address(work, "nuggets-edit"), fields, headers=JSON)


def texts(work: Assignment) -> list[str]:
    nuggets = NuggetList.objects.get(topic=work.topic, frozen_at=None).nuggets
    return list(nuggets.filter(is_retired=False, merged_into=None).values_list("text", flat=True))


@pytest.mark.parametrize(
    ("who", "status"), [("second_assessor", 404), ("organiser", 404), ("participant", 404), ("stranger", 404)]
)
def test_nobody_else_opens_or_edits_it(
    request: pytest.FixtureRequest, client: Client, draft: NuggetList, nugget_writing: Assignment, who: str, status: int
) -> None:
    client.force_login(request.getfixturevalue(who))
    item = nugget_writing.topic.items.first()
    assert item is not None
    assert client.get(address(nugget_writing)).status_code == status
    assert (
        client.get(address(nugget_writing, "string-document", handle_of(nugget_writing, item.pk))).status_code == status
    )
    assert do(client, nugget_writing, "add", text="a").status_code == status
    assert draft.nuggets.count() == 3


def test_the_bench_without_strings_says_in_whole_words_what_to_do(
    bench: Client, squishy: Topic, assessor: User
) -> None:
    work = factories.assignment(squishy, "nuggets", assessor)
    page = page_of(bench.get(address(work)))
    assert "Write nuggets from what you find in documents" in page
    assert "{{" not in page


def test_first_visit_begins_an_empty_draft(bench: Client, nugget_writing: Assignment) -> None:
    page = page_of(bench.get(address(nugget_writing)))
    assert NuggetList.objects.filter(topic=nugget_writing.topic).count() == 1
    assert "No nugget yet" in page
    assert "It is cheap and light." in page


def test_same_key_writes_once_and_other_content_is_refused(
    bench: Client, draft: NuggetList, nugget_writing: Assignment
) -> None:
    same = str(uuid4())
    first = do(bench, nugget_writing, "add", text="new", client_key=same)
    again = do(bench, nugget_writing, "add", text="new", client_key=same)
    other = do(bench, nugget_writing, "add", text="other", client_key=same)
    assert (first.json()["said"], again.json()["said"]) == ("Nugget 4 written, okay.", "Nugget 4 written, okay.")  # type: ignore[attr-defined]
    assert other.status_code == 409
    assert texts(nugget_writing) == ["cheap", "light", "breaks soon", "new"]


def test_answer_holds_the_list_as_the_page_shows_it(
    bench: Client, draft: NuggetList, nugget_writing: Assignment
) -> None:
    answer = do(bench, nugget_writing, "weigh", number=2, importance="vital").json()  # type: ignore[attr-defined]
    assert (answer["said"], answer["number"], answer["reload"]) == ("Nugget 2 is vital.", 2, False)
    assert "3 nuggets, 2 vital" in answer["html"]
    assert '<li data-nugget="2" data-place="2" data-importance="vital"' in " ".join(answer["html"].split())


def test_selection_becomes_text_and_source_and_is_undone_whole(
    bench: Client, draft: NuggetList, nugget_writing: Assignment, squishy_items: list[Item]
) -> None:
    span = '{"start": 6, "end": 11, "quote": "cheap", "prefix": "It is ", "suffix": " and light."}'
    do(
        bench,
        nugget_writing,
        "add",
        text="low price",
        item=handle_of(nugget_writing, squishy_items[0].pk),
        quote="cheap",
        span=span,
    )
    source = draft.nuggets.get(number=4).sources.get()
    assert (source.item, source.quote, source.span and source.span["start"]) == (squishy_items[0], "cheap", 6)
    do(bench, nugget_writing, "undo")
    assert texts(nugget_writing) == ["cheap", "light", "breaks soon"]


def test_selection_in_a_document_is_a_source(bench: Client, draft: NuggetList, nugget_writing: Assignment) -> None:
    document = factories.document(nugget_writing.campaign, "DOC-1", "The bell is loud.")
    do(bench, nugget_writing, "add-source", number=1, docno="DOC-1", quote="bell is loud")
    source = draft.nuggets.get(number=1).sources.get()
    assert (source.document, source.quote) == (document, "bell is loud")
    do(bench, nugget_writing, "remove-source", source=source.pk)
    assert not draft.nuggets.get(number=1).sources.exists()


@pytest.mark.parametrize(
    ("verb", "fields", "status", "said"),
    [
        ("add", {"text": " "}, 422, "Write what it says, in at most 2000 characters."),
        ("add", {"text": "a", "item": "1e9"}, 422, "“item” must be a whole number. Reload the page and try again."),
        (
            "add",
            {"text": "a", "item": "999999"},
            404,
            "This is not in your work, or its number was changed after you opened the page. Reload the page.",
        ),
        ("merge", {"number": 1, "into": 1}, 422, "Choose at least one other to merge."),
        ("split", {"number": 1, "texts": "one"}, 422, "Give at least two texts to split it into."),
        ("edit", {"number": 9, "text": "a"}, 422, "This list has no number 9. Reload the page."),
        ("redo", {}, 409, "There is nothing to redo."),
        ("revise", {}, 409, "This list is a draft: change it as it is."),
        ("burn", {}, 422, "This page can't do that. Reload it and try again."),
        (
            "add",
            {"text": "a", "docno": "DOC-1", "quote": "loud", "span": "no"},
            422,
            "“span” must be JSON. Reload the page and mark the words again.",
        ),
    ],
)
def test_refusals_are_sentences(
    bench: Client,
    draft: NuggetList,
    nugget_writing: Assignment,
    verb: str,
    fields: dict[str, object],
    status: int,
    said: str,
) -> None:
    factories.document(nugget_writing.campaign, "DOC-1", "The bell is loud.")
    before = NuggetEdit.objects.count()
    refused = do(bench, nugget_writing, verb, **fields)
    assert (refused.status_code, refused.json()["detail"]) == (status, said)  # type: ignore[attr-defined]
    assert NuggetEdit.objects.count() == before


def test_frozen_list_is_shown_and_not_edited(bench: Client, draft: NuggetList, nugget_writing: Assignment) -> None:
    told = do(bench, nugget_writing, "freeze").json()  # type: ignore[attr-defined]
    work = reverse("work", args=[nugget_writing.campaign.slug])
    assert (told["reload"], told["address"]) == (True, work)
    assert "Frozen and finished: the nugget list of 1.2, version 1." in page_of(bench.get(work))
    nugget_writing.refresh_from_db()
    assert nugget_writing.state == "done"
    reopen_assignment(actor=nugget_writing.assessor, assignment=nugget_writing)
    refused = do(bench, nugget_writing, "edit", number=1, text="else")
    assert refused.json()["detail"] == "This list is frozen. Begin a new version of it to change anything."  # type: ignore[attr-defined]
    page = page_of(bench.get(address(nugget_writing)))
    assert "Begin a new version" in page
    assert "Mark as done" in page
    assert 'value="edit"' not in page


def test_where_the_work_can_not_be_finished_it_is_said_why(
    bench: Client, draft: NuggetList, nugget_writing: Assignment
) -> None:
    frozen = freeze_list(actor=nugget_writing.assessor, nugget_list=draft, client_key=uuid4())
    Campaign.objects.update(state="frozen")
    left = finish_frozen(actor=nugget_writing.assessor, nugget_list=frozen)
    assert left == "The campaign is frozen, so nothing can be judged now. An organiser can open it again."
    Campaign.objects.update(state="judging")
    assert finish_frozen(actor=nugget_writing.assessor, nugget_list=frozen) == ""
    nugget_writing.refresh_from_db()
    assert nugget_writing.state == "done"


def test_a_freeze_sent_twice_finishes_nothing_that_was_taken_up_again(
    bench: Client, draft: NuggetList, nugget_writing: Assignment
) -> None:
    click = {"client_key": str(uuid4())}
    do(bench, nugget_writing, "freeze", **click)
    nugget_writing.refresh_from_db()
    reopen_assignment(actor=nugget_writing.assessor, assignment=nugget_writing)
    told = do(bench, nugget_writing, "freeze", **click).json()  # type: ignore[attr-defined]
    assert told["address"] == address(nugget_writing)
    assert "The work was taken up again since." in told["said"]
    nugget_writing.refresh_from_db()
    assert nugget_writing.state == "started"


def test_freezing_without_a_vital_nugget_must_be_meant(
    bench: Client, draft: NuggetList, nugget_writing: Assignment
) -> None:
    do(bench, nugget_writing, "weigh", number=1, importance="okay")
    refused = do(bench, nugget_writing, "freeze")
    assert (refused.status_code, refused.json()["code"]) == (409, "no-vital")  # type: ignore[attr-defined]
    assert "No nugget is vital, as intended" in page_of(bench.get(address(nugget_writing)))
    assert do(bench, nugget_writing, "freeze", without_vital="1").status_code == 200


def test_new_version_is_begun_once(bench: Client, draft: NuggetList, nugget_writing: Assignment) -> None:
    do(bench, nugget_writing, "freeze")
    nugget_writing.refresh_from_db()
    reopen_assignment(actor=nugget_writing.assessor, assignment=nugget_writing)
    assert [do(bench, nugget_writing, "revise").status_code for _ in range(2)] == [200, 200]
    assert list(NuggetList.objects.order_by("version").values_list("version", flat=True)) == [1, 2]
    assert texts(nugget_writing) == ["cheap", "light", "breaks soon"]


def test_without_scripts_it_works_by_forms(bench: Client, nugget_writing: Assignment) -> None:
    def press(verb: str, **fields: object) -> str:
        done = bench.post(address(nugget_writing, "nuggets-edit"), {"do": verb, **fields}, follow=True)
        assert done.status_code == 200
        return page_of(done)

    press("add", text="cheap")
    assert "Nugget 2 written, vital." in press("add", text="light", importance="vital")
    press("merge", number=2, into=1)
    press("undo")
    press("split", number=2, texts="light\r\nfast")
    press("move", number=4, place=1)
    press("retire", number=1)
    page = press("edit", number=3, text="light as air")
    assert texts(nugget_writing) == ["fast", "light as air"]
    assert "Freezes 2 nuggets, 2 vital." in page
    assert "Frozen and finished" in press("freeze")


def test_no_run_is_joined_or_named(
    bench: Client, draft: NuggetList, nugget_writing: Assignment, squishy_items: list[Item], organiser: User
) -> None:
    run = factories.run(nugget_writing.campaign, "Zanzibar1", organiser)
    factories.response(run, nugget_writing.topic, squishy_items)
    page = page_of(bench.get(address(nugget_writing)))
    assert "response 1 of 1" in page
    assert "Zanzibar" not in page


def fill(topic: Topic, organiser: User, *, runs: int, strings: int) -> None:
    for number in range(runs):
        items = factories.pooled(topic, [f"string {place} of {number}" for place in range(strings)])
        factories.response(factories.run(topic.campaign, f"Harbor{number}", organiser), topic, items)


@pytest.mark.parametrize("runs", [1, 3])
def test_page_takes_the_same_queries_however_much_there_is(
    bench: Client,
    draft: NuggetList,
    nugget_writing: Assignment,
    organiser: User,
    runs: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    fill(nugget_writing.topic, organiser, runs=runs, strings=runs)
    for number in range(runs):
        add_nugget(
            actor=nugget_writing.assessor,
            nugget_list=draft,
            text=f"more {number}",
            importance="okay",
            client_key=key(str(number)),
        )
    with django_assert_num_queries(21):
        bench.get(address(nugget_writing))


def test_many_responses_come_in_windows_and_each_is_in_one(
    bench: Client, nugget_writing: Assignment, organiser: User
) -> None:
    made = start_list(actor=nugget_writing.assessor, assignment=nugget_writing)
    for number in range(60):
        add_nugget(
            actor=nugget_writing.assessor,
            nugget_list=made,
            text=f"nugget {number}",
            importance="okay",
            client_key=key(str(number)),
        )
    fill(nugget_writing.topic, organiser, runs=60, strings=17)
    seen: list[str] = []
    following: str | None = "1"
    while following:
        page = page_of(bench.get(address(nugget_writing), {"from": following}))
        assert len(page) < 60_000
        seen += re.findall(r'data-string="(\d+)"', page)
        onward = re.search(r'rel="next" href="[^"]+from=(\d+)"', page)
        following = onward[1] if onward else None
    assert (len(seen), len(set(seen))) == (60 * 17 + 3, 60 * 17 + 3)
    assert 'rel="prev"' in page and "further strings of the pool" in page


def test_a_plain_form_comes_back_to_the_window_in_which_it_was_sent(
    bench: Client, draft: NuggetList, nugget_writing: Assignment, organiser: User
) -> None:
    fill(nugget_writing.topic, organiser, runs=15, strings=17)
    page = page_of(bench.get(address(nugget_writing), {"from": "6"}))
    form = re.search(r'name="do" value="add">.*?</form>', page)
    assert form is not None and 'name="from" value="5"' in page and "response 5 of 15" in page
    edit = reverse("nuggets-edit", args=["opinions", nugget_writing.pk])
    answer = bench.post(edit, {"do": "add", "text": "more", "client_key": str(uuid4()), "from": "5"})
    assert answer.headers["Location"].endswith("?nugget=4&from=5")


def test_nuggets_that_say_nearly_the_same_are_found_in_any_form_of_their_words(
    bench: Client, nugget_writing: Assignment
) -> None:
    def like(text: str) -> list[int]:
        found = bench.get(address(nugget_writing, "nuggets-like"), {"text": text})
        return [each["number"] for each in found.json()["like"]]

    assert like("friendly staff") == []  # before there is a list
    for text in ("The staff are always friendly.", "cheap wine", "wine in boxes", "staff that was friendly"):
        do(bench, nugget_writing, "add", text=text)
    do(bench, nugget_writing, "retire", number=4)
    assert like("Friendly STAFF") == [1]
    assert like("The wines are cheap") == [2]
    assert like("wines, boxed") == [3]
    assert like("parking") == like("") == like("the") == []
