"""Benches without scripts: a form says what its page showed and told, so that nothing newer is overwritten or passed
over; and where nothing can be recorded, no bench offers it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.domain.assignments import open_assignment
from assess.campaigns.domain import publish_guideline
from assess.kinds.picks.record import record_picks
from assess.models import Assignment, Campaign, Judgment
from nuggets.classes.record import create_class
from nuggets.matches.record import MatchInput, record_match
from nuggets.models import ClassEdit, NuggetList, NuggetMatch, NuggetVote
from nuggets.writing.record import add_nugget
from tests.assess import judged_campaign as judging
from tests.benches import Benches
from tests.nuggets.conftest import judge
from tests.nuggets.keys import key
from tests.pages import page_of

pytestmark = pytest.mark.django_db

FORM = re.compile(r'<form method="post" action="([^"]+)"(.*?)</form>', re.DOTALL)
HIDDEN = re.compile(r'<input\s+type="hidden"\s+name="(\w+)"\s+value="([^"]*)"')
WORK = {
    "instances": "grading",
    "nuggets": "nugget_writing",
    "matches": "matching",
    "votes": "voting",
    "classes": "grouping",
}


@pytest.fixture
def work(request: pytest.FixtureRequest) -> Assignment:
    """Opened work on the bench that the test names."""
    found: Assignment = request.getfixturevalue(WORK[request.param])
    return found


def open_bench(client: Client, work: Assignment) -> str:
    client.force_login(work.assessor)
    return page_of(client.get(reverse("workbench", args=[work.campaign.slug, work.pk])))


def form_on(page: str, address: str, holding: str = "") -> dict[str, str]:
    """The hidden fields of the first plain form of a page that posts to such an address and holds this."""
    forms = (found for found in FORM.finditer(page) if address in found[1] and holding in found[2])
    found = next(forms)
    return {name: unescape(value) for name, value in HIDDEN.findall(found[2])} | {"": found[1]}


def post(client: Client, form: dict[str, str], **said: str) -> Any:
    return client.post(form[""], {name: value for name, value in form.items() if name} | said)


def mark_elsewhere(work: Assignment) -> None:
    nugget = work.topic.nugget_lists.get().nuggets.get(number=2)
    for item in work.topic.items.all():
        match = MatchInput(nugget=nugget, item=item, client_key=uuid4())
        record_match(actor=work.assessor, assignment=work, match=match)


def vote_elsewhere(work: Assignment) -> None:
    judging.vote(work, work.topic.nugget_lists.get(), 1, "okay")


def group_elsewhere(work: Assignment) -> None:
    item = work.topic.items.get(text="blue bicycle")
    create_class(actor=work.assessor, assignment=work, items=[item], label="blue", client_key=uuid4())


def write_elsewhere(work: Assignment) -> None:
    add_nugget(
        actor=work.assessor,
        nugget_list=work.topic.nugget_lists.get(),
        text="odd",
        importance="okay",
        client_key=uuid4(),
    )


# What is done in another window, the address of a plain form that was opened before, what the form holds, what is said
# by it, and how many rows stand after both.
FORMS: dict[str, tuple[Callable[[Assignment], object], str, str, dict[str, str], Callable[[], int]]] = {
    "instances": (
        lambda work: [judge(item, work, 1) for item in work.topic.items.all()],
        "/judge/",
        "criterion",
        {"value": "-1", "note": ""},
        Judgment.objects.filter(value=-1).count,
    ),
    "matches": (
        mark_elsewhere,
        "/matches/",
        "nugget-list",
        {"say": "{nugget} 0 full"},
        NuggetMatch.objects.filter(nugget__number=1).count,
    ),
    "votes": (vote_elsewhere, "/votes/", "vote-1", {"vote-1": "vital"}, lambda: NuggetVote.objects.count() - 1),
    "classes": (
        group_elsewhere,
        "/classes/",
        "",
        {"action": "create", "item": "{item}", "label": "x"},
        lambda: ClassEdit.objects.count() - 1,
    ),
    "nuggets": (
        write_elsewhere,
        "/nuggets/",
        "freeze",
        {},
        lambda: NuggetList.objects.filter(frozen_at__isnull=False).count(),
    ),
}


def said_by(form: dict[str, str], work: Assignment, page: str) -> dict[str, str]:
    """What the form says, with the numbers of this work."""
    box = re.search(r'name="item" value="(-?\d+)" form="board-form"', page)
    button = re.search(r'name="say"\s+value="(\d+) 0', page)
    numbers = {"item": box[1] if box else "", "nugget": button[1] if button else ""}
    return {name: value.format_map(numbers) if "{" in value else value for name, value in form.items()}


@pytest.mark.parametrize(("work", "case"), [(name, FORMS[name]) for name in FORMS], indirect=["work"], ids=list(FORMS))
def test_a_plain_form_does_not_overwrite_what_its_page_did_not_show(
    client: Client, work: Assignment, case: Any, request: pytest.FixtureRequest
) -> None:
    elsewhere, address, holding, says, stored = case
    if work.stage == "nuggets":
        request.getfixturevalue("draft")
    page = open_bench(client, work)
    form = form_on(page, address, holding)
    elsewhere(work)
    refused = post(client, form, **said_by(says, work, page))
    assert (refused.status_code, stored()) == (409, 0)
    assert "This was changed in another window after you opened it here" in page_of(refused)


@pytest.mark.parametrize(("work", "case"), [(name, FORMS[name]) for name in FORMS], indirect=["work"], ids=list(FORMS))
def test_what_is_new_is_told_before_the_next_click_counts_and_once(
    client: Client, work: Assignment, case: Any, request: pytest.FixtureRequest, organiser: User
) -> None:
    _, address, holding, says, _ = case
    if work.stage == "nuggets":
        request.getfixturevalue("draft")
    Assignment.objects.filter(pk=work.pk).update(state="open")
    work.refresh_from_db()
    open_assignment(actor=work.assessor, assignment=work)
    page = open_bench(client, work)
    form, said = form_on(page, address, holding), said_by(says, work, page)
    publish_guideline(actor=organiser, campaign=work.campaign, text="Mind the azure.")
    refused = post(client, form, **said)
    assert refused.status_code == 409
    assert "The guidelines were changed: version 2 is in force." in page_of(refused)
    page = open_bench(client, work)
    assert "version 2 is in force" in page, "without scripts, too"
    answer = post(client, form_on(page, address, holding), **said)
    assert answer.status_code == 302, page_of(answer)


def test_a_click_that_was_stored_is_not_refused_for_what_came_since(
    client: Client, grading: Assignment, organiser: User
) -> None:
    Assignment.objects.filter(pk=grading.pk).update(state="open")
    grading.refresh_from_db()
    open_assignment(actor=grading.assessor, assignment=grading)
    form = form_on(open_bench(client, grading), "/judge/")
    assert post(client, form, value="1", note="").status_code == 302
    publish_guideline(actor=organiser, campaign=grading.campaign, text="Mind the azure.")
    assert post(client, form, value="1", note="").status_code == 302
    another = {name: value for name, value in form.items() if name} | {"value": "-1", "client_key": str(uuid4())}
    refused = client.post(form[""], another, headers={"accept": "application/json"})
    assert (refused.status_code, refused.json()["code"]) == (409, "unread"), "by which browsers keep it"
    assert Judgment.objects.count() == 1


def test_picks_of_a_plain_form_take_back_nothing_that_came_since(client: Client, benches: Benches) -> None:
    work = benches.work["figures"]
    form = form_on(open_bench(client, work), "/picks/", 'name="none"')
    items = benches.items("figure")[:1]
    record_picks(actor=work.assessor, assignment=work, items=items, client_key=key("elsewhere"))
    assert post(client, form, none="1").status_code == 409
    assert [row.value for row in Judgment.objects.filter(assignment=work)] == [1]


# Where nothing can be recorded, nothing is offered.

OFFERED = re.compile(r'<(?:button|input type="(?:radio|checkbox)")([^>]*)>')


def offered(page: str) -> list[str]:
    """What in the plain forms of a bench could still be pressed, apart from questions and the way to other pages."""
    bench = page[page.index('<div class="workbench') : page.index('id="side-panel"')]
    pressed = []
    for form in FORM.finditer(bench):
        if form[1].endswith(("/ask/", "/reopen/")) or '<fieldset tabindex="-1" disabled' in form[2]:
            continue
        pressed += [f"{form[1]} {button}" for button in OFFERED.findall(form[2]) if "disabled" not in button]
    return pressed + [f"board {each}" for each in re.findall(r'<button[^>]*form="board-form"[^>]*>', bench)]


def closed_pages(client: Client, work: Assignment) -> dict[str, str]:
    """The bench as it is shown once the campaign is frozen, before judging begins, and when its work is done."""
    assert offered(open_bench(client, work)), "or the test would see nothing"
    pages = {}
    for state in ("frozen", "setup"):
        Campaign.objects.filter(pk=work.campaign_id).update(state=state)
        pages[state] = open_bench(client, work)
    Campaign.objects.filter(pk=work.campaign_id).update(state="judging")
    Assignment.objects.filter(pk=work.pk).update(state="done")
    return {**pages, "done": open_bench(client, work)}


@pytest.mark.parametrize("work", WORK, indirect=True)
def test_no_bench_offers_what_would_be_refused_and_each_says_why(client: Client, work: Assignment) -> None:
    pages = closed_pages(client, work)
    assert {state: found for state, page in pages.items() if (found := offered(page))} == {}
    assert "The campaign is frozen; nothing in it can be changed." in pages["frozen"]
    assert "The campaign has not begun judging, so nothing can be judged now." in pages["setup"]
    assert ["Take up again" in page for page in pages.values()] == [False, False, True]


@pytest.mark.parametrize("stage", ["passages", "responses", "sentences", "citations", "statements", "figures"])
def test_no_kind_of_graded_item_offers_what_would_be_refused(client: Client, benches: Benches, stage: str) -> None:
    pages = closed_pages(client, benches.work[stage])
    assert {state: found for state, page in pages.items() if (found := offered(page))} == {}
