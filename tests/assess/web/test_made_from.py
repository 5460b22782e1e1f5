"""Forms that replace several values or a whole text: the later saver is refused, sees both versions, and may go on.

Every form of the site is in one of two tables: those that are compared with what they were made from, and those that
add or ask something and so replace nothing unseen.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django import forms
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from lxml import html

import assess
import nuggets
from assess.models import Activity, Assignment, Campaign, HelpRequest, Membership, Topic
from assess.topic_drafts.domain.deciding import send_back
from assess.topic_drafts.domain.writing import send_draft, write_draft
from assess.topic_drafts.queries import show_draft
from assess.user_agreements.domain import set_user_agreement
from assess.web.made_from import FIELD, MadeFromForm
from nuggets.writing.lists import start_list
from nuggets.writing.record import add_nugget, edit_nugget
from tests import factories
from tests.assess.topic_drafts.made_drafts import SERIES, drafted, sent
from tests.pages import page_of

pytestmark = pytest.mark.django_db
Fields = dict[str, Any]


@pytest.fixture
def colleague(campaign: Campaign) -> Client:
    """Another organiser, logged in."""
    client = Client()
    client.force_login(factories.member(campaign, "colleague", "organiser"))
    return client


@pytest.fixture
def desk(organiser: User) -> Client:
    client = Client()
    client.force_login(organiser)
    return client


def form_of(page: bytes, action: str) -> Fields:
    """What the browser would post of the form that goes to this address and says what it was made from."""
    for form in html.fromstring(page).forms:
        names = set(form.fields)
        if (form.get("action") or action) == action and any(name.endswith(FIELD) for name in names):
            return {name: _value(form.fields[name]) for name in names if form.fields[name] is not None}
    raise AssertionError(f"no form that says what it was made from goes to {action}")


def _value(value: Any) -> Any:
    """A value as browsers post it, which leave out the line end after the tag of a text area."""
    return value.removeprefix("\n") if isinstance(value, str) else list(value)


def _deadline(campaign: Campaign) -> object:
    return campaign.runs_due, campaign.due_zone


def _guidelines(campaign: Campaign) -> object:
    return list(campaign.guidelines.values_list("version", "text"))


def _agreement(campaign: Campaign) -> object:
    return list(campaign.user_agreements.values_list("text", flat=True)), campaign.agreement_for


def _answers(campaign: Campaign) -> object:
    return list(HelpRequest.objects.values_list("answer", "excused"))


def _team(campaign: Campaign) -> object:
    return list(campaign.memberships.order_by("pk").values_list("role", "team"))


CASES: dict[str, tuple[str, str, Fields, Fields, Callable[[Campaign], object]]] = {
    # the page, the address that the form goes to, what the other saves, what is saved over it, what is stored
    "settings": (
        "settings",
        "settings",
        {"allowance": "120"},
        {"length_limit": "6000"},
        lambda campaign: campaign.settings,
    ),
    "deadline": (
        "settings",
        "settings-deadline",
        {"deadline-due": "2036-05-01T12:00"},
        {"deadline-time_zone": "Europe/Vienna", "deadline-due": "2036-06-01T12:00"},
        _deadline,
    ),
    "release dates": (
        "settings",
        "settings-release-dates",
        {"release-topics": "2036-05-01T12:00"},
        {"release-lists": "2036-06-01T12:00"},
        lambda campaign: (campaign.topics_from, campaign.lists_from),
    ),
    "guidelines": (
        "guidelines-edit",
        "guidelines-edit",
        {"text": "Judge with care, and fast."},
        {"text": "Judge slowly."},
        _guidelines,
    ),
    "user agreement": (
        "user-agreement",
        "user-agreement-edit",
        {"text": "Another promise.", "parts": ["lists"]},
        {"text": "My promise."},
        _agreement,
    ),
    "rules of work": (
        "work-rules",
        "work-rules",
        {"lease_hours": "24"},
        {"takes_primary": "on"},
        lambda campaign: (campaign.lease_hours, campaign.takes_primary),
    ),
    "answer": ("question", "question", {"answer": "Take it."}, {"answer": "Leave it.", "excuse": "on"}, _answers),
    "role": ("member-role", "member-role", {"team": "Pier"}, {"team": "Quay"}, _team),
}


@pytest.fixture
def addressed(campaign: Campaign, organiser: User, participant: User, grading: Any) -> Callable[[str], str]:
    """The address of a page by its name; what it shows is there."""
    set_user_agreement(actor=organiser, campaign=campaign, text="A promise.", parts=["package"])
    asked = HelpRequest.objects.create(assignment=grading, text="May I?", client_key=uuid4())
    member = Membership.objects.get(user=participant)
    more = {"question": [asked.pk], "member-role": [member.pk]}
    return lambda name: reverse(name, args=[campaign.slug, *more.get(name, [])])


@pytest.mark.parametrize("case", CASES)
def test_the_later_saver_sees_both_versions_and_saves_over_it_knowingly(
    case: str, desk: Client, colleague: Client, campaign: Campaign, addressed: Callable[[str], str]
) -> None:
    page_name, target_name, theirs, mine, stored = CASES[case]
    page, target = addressed(page_name), addressed(target_name)
    first, second = (form_of(client.get(page).content, target) for client in (desk, colleague))
    assert colleague.post(target, {**second, **theirs}).status_code == 302
    campaign.refresh_from_db()
    kept, acts = stored(campaign), Activity.objects.count()

    refused = desk.post(target, {**first, **mine})
    assert refused.status_code == 422
    campaign.refresh_from_db()
    assert (stored(campaign), Activity.objects.count()) == (kept, acts), "nothing is stored"
    shown = page_of(refused)
    assert "colleague changed this after you had opened it" in shown
    (rows,) = html.fromstring(refused.content).xpath("//table[contains(@class, 'both-versions')]/tbody")
    labels = [row.xpath("string(th)") for row in rows]
    assert len(labels) == len(theirs), labels
    for name, value in theirs.items():
        assert [row for row in rows if _last(value) in row.xpath("string(td[1])").casefold()], (name, value)

    again = form_of(refused.content, target)
    assert {name: again.get(name) for name in mine} == mine, "what was typed is kept"
    assert desk.post(target, again).status_code == 302, "one press saves over it"
    campaign.refresh_from_db()
    assert stored(campaign) != kept


def _last(value: object) -> str:
    return str(value[-1] if isinstance(value, list) else value).replace("lists", "document lists").casefold()


def test_the_topics_that_somebody_else_chose_are_not_replaced_unseen(
    desk: Client, colleague: Client, campaign: Campaign, rigid: Topic, squishy: Topic
) -> None:
    address = reverse("judged-topics", args=[campaign.slug])
    first, second = (form_of(client.get(address).content, address) for client in (desk, colleague))
    assert colleague.post(address, {**second, "numbers": rigid.number}).status_code == 302
    refused = desk.post(address, {**first, "numbers": squishy.number})
    shown = page_of(refused)
    assert (refused.status_code, "colleague changed this after you had opened it" in shown) == (409, True)
    (row,) = html.fromstring(refused.content).xpath("//table[contains(@class, 'both-versions')]/tbody/tr")
    assert [cell.text for cell in row] == ["Judged topics", rigid.number, squishy.number]
    campaign.refresh_from_db()
    assert campaign.settings["judged_topics"] == [rigid.number]
    again = form_of(refused.content, address)
    assert again["numbers"] == squishy.number, "what was typed is still there"
    body = {"numbers": [], "before": {"judged_topics": []}}
    call = desk.post(f"/api/v1/campaigns/{campaign.slug}/judged-topics/", body, content_type="application/json")
    assert (call.status_code, call.json()["present"]) == (409, {"judged_topics": [rigid.number]})
    assert desk.post(address, again).status_code == 302
    campaign.refresh_from_db()
    assert campaign.settings["judged_topics"] == [squishy.number]


def test_a_draft_that_was_changed_in_another_window_is_shown_beside_what_was_typed(
    campaign: Campaign, assessor: User
) -> None:
    draft = drafted(campaign, assessor)
    client = Client()
    client.force_login(assessor)
    address = reverse("topic-draft-write", args=[campaign.slug, draft.number])
    page = client.get(reverse("topic-draft", args=[campaign.slug, draft.number]))
    version = re.search(r'name="version" value="(\d+)"', page_of(page))
    assert version is not None
    form = {"do": "save", "version": version[1], "text": "Mine", "notes": "my notes"}
    content = replace(SERIES, text="Theirs")
    write_draft(actor=assessor, draft=draft, content=content, client_key=uuid4())
    refused = client.post(address, form)
    shown = page_of(refused)
    assert refused.status_code == 409
    assert "Theirs" in shown and ">Mine</textarea>" in shown and ">my notes</textarea>" in shown
    assert show_draft(draft).content == content
    newer = re.search(r'name="version" value="(\d+)"', shown)
    assert newer is not None and newer[1] != version[1]


def test_who_decides_on_a_draft_has_read_what_it_says(desk: Client, campaign: Campaign, assessor: User) -> None:
    draft = sent(campaign, assessor)
    page = page_of(desk.get(reverse("topic-drafts-desk", args=[campaign.slug])))
    versions = re.findall(r'name="version" value="(\d+)"', page)
    organiser = campaign.memberships.get(role="organiser").user
    send_back(actor=organiser, draft=draft, word="Shorter.", client_key=uuid4())
    write_draft(actor=assessor, draft=draft, content=replace(SERIES, text="Else"), client_key=uuid4())
    send_draft(actor=assessor, draft=draft, client_key=uuid4())
    address = reverse("topic-draft-decide", args=[campaign.slug, draft.number])
    for do in ("accept", "back"):
        refused = desk.post(address, {"do": do, "word": "No.", "version": versions[0]})
        assert refused.status_code == 409 and "changed and sent again" in page_of(refused)
    assert show_draft(draft).state == "sent"


def test_a_plain_form_overwrites_nothing_of_the_list_that_it_did_not_show(
    nugget_writing: Assignment, assessor: User, client: Client
) -> None:
    nugget_list = start_list(actor=assessor, assignment=nugget_writing)
    add_nugget(actor=assessor, nugget_list=nugget_list, text="cheap", importance="vital", client_key=uuid4())
    client.force_login(assessor)
    bench = reverse("workbench", args=[nugget_writing.campaign.slug, nugget_writing.pk])
    shown = re.search(r'name="shown" value="(\d+)"', page_of(client.get(bench)))
    assert shown is not None
    edit_nugget(actor=assessor, nugget_list=nugget_list, number=1, client_key=uuid4(), text="cheap to buy")
    address = reverse("nuggets-edit", args=[nugget_writing.campaign.slug, nugget_writing.pk])
    form = {"do": "edit", "number": "1", "text": "not dear", "shown": shown[1]}
    assert client.post(address, form).status_code == 409
    assert nugget_list.nuggets.get().text == "cheap to buy"


def test_a_topic_that_somebody_amended_is_shown_beside_what_was_typed(
    desk: Client, colleague: Client, campaign: Campaign
) -> None:
    address = reverse("topic-change", args=[campaign.slug, "1.1"])
    seen = re.search(r'name="seen" value="(\w+)"', page_of(desk.get(address)))
    assert seen is not None
    form = {"do": "amend", "reason": "A typo.", "seen": seen[1]}
    assert colleague.post(address, {**form, "text text": "Which hues?"}).status_code == 302
    refused = page_of(desk.post(address, {**form, "text text": "Which tints?"}))
    assert 'Stored now: <bdi class="preserved">Which hues?' in refused and ">Which tints?</textarea>" in refused
    newer = re.search(r'name="seen" value="(\w+)"', refused)
    assert newer is not None
    assert desk.post(address, {**form, "text text": "Which tints?", "seen": newer[1]}).status_code == 302
    assert campaign.topics.get(number="1.1").text == "Which tints?"


def test_the_same_as_stored_and_a_form_that_says_nothing_are_taken(
    desk: Client, colleague: Client, campaign: Campaign
) -> None:
    address = reverse("guidelines-edit", args=[campaign.slug])
    form = form_of(desk.get(address).content, address)
    for text in ("Judge with care, and fast.", "Judge with care, and fast."):
        assert colleague.post(address, {"text": text}).status_code == 302
    assert desk.post(address, {**form, "text": "Judge with care, and fast."}).status_code == 302
    assert campaign.guidelines.count() == 2
    assert desk.post(address, {**form, FIELD: "[1"}).status_code == 422


def test_a_call_may_say_what_it_replaces(desk: Client, campaign: Campaign) -> None:
    address = f"/api/v1/campaigns/{campaign.slug}/settings/"

    def patch(**values: Any) -> Any:
        return desk.patch(address, json.dumps(values), content_type="application/json")

    assert patch(settings={"allowance": 120}, before={"allowance": 100}).status_code == 200
    refused = patch(settings={"allowance": 150, "beta": 2}, before={"allowance": 100, "beta": 3.0})
    told = refused.json()
    assert (refused.status_code, told["code"], told["present"]) == (409, "changed", {"allowance": 120})
    assert patch(settings={"allowance": 150}, before={"allowence": 120}).status_code == 422
    assert patch(settings={"allowance": 150}, before={"allowance": 120}).status_code == 200
    assert patch(settings={"allowance": 160}).status_code == 200, "a call that says nothing is as it was"
    campaign.refresh_from_db()
    assert campaign.settings["allowance"] == 160


# The walk through all forms.

ADDS = {
    "AdminLogInForm": "logs in",
    "CampaignForm": "makes a campaign",
    "ControlItemsForm": "adds control items",
    "CopyForm": "makes a campaign",
    "DocnosForm": "adds docnos, or replaces all of them where somebody says so, and none that runs were checked by",
    "DocumentsForm": "adds documents",
    "EraseForm": "one value",
    "FromFilesForm": "shows a text; the form that keeps it says what it was made from",
    "HandOutForm": "adds work; a cell that somebody filled meanwhile is refused",
    "HandOverForm": "one value; work that was handed over meanwhile is refused",
    "ImportForm": "makes a campaign",
    "InvitationForm": "adds an invitation",
    "WebhookForm": "adds a webhook",
    "InvitationListForm": "adds invitations",
    "InvitationTextForm": "adds invitations, once by its key",
    "LikenessForm": "starts a job",
    "LogInForm": "logs in",
    "MachineForm": "adds labels",
    "MemberForm": "adds a member",
    "NewNamesForm": "part of other forms",
    "NewPasswordForm": "one value",
    "NoticesForm": "one's own choice",
    "OwnPasswordForm": "one value, one's own",
    "PaperForm": "adds an acceptance of the version that it names",
    "PersonForm": "part of other forms",
    "PoolForm": "chooses what is shown; the form that builds it says what it was made from",
    "PublicForm": "one value",
    "RecordsForm": "adds documents",
    "SampleForm": "adds work",
    "SignUpForm": "makes an account",
    "SourceForm": "takes documents out; one value",
    "SubmissionForm": "adds a run, and replaces the one that it names",
    "TimeZoneForm": "one value",
    "TokenForm": "adds a token",
    "TopicsForm": "adds topics",
    "TranslationsForm": "adds translations, and replaces those of the documents that its file names",
    "UploadForm": "adds what a file holds",
}
"""Forms that replace nothing unseen, and why."""

BY_HAND = {
    "assess/webhooks/webhook.html": "removes, with a tick",
    "assess/controls/control_items.html": "adds control items",
    "assess/kinds/grade/item.html": "shown, by the bench",
    "assess/kinds/picks/bench.html": "shown, by the bench",
    "assess/machines/parts/drafts.html": "one value",
    "assess/organising/freeze.html": "a reason that is added",
    "assess/organising/given_twice.html": "made_from",
    "assess/organising/judged_topics.html": "made_from",
    "assess/organising/topic_change.html": "seen",
    "assess/organising/unfreeze.html": "a reason that is added",
    "assess/organising/stop.html": "a reason that is added",
    "assess/parts/login_again.html": "logs in",
    "assess/pools/build.html": "made_from",
    "assess/practice/practice_bench.html": "number",
    "assess/releases/parts/site_jobs.html": "removes, with a tick",
    "assess/releases/release.html": "adds a release",
    "assess/runs/new.html": "adds a run, and replaces the one that it names",
    "assess/topic_drafts/desk.html": "version",
    "assess/topic_drafts/parts/finds.html": "adds what is found",
    "assess/topic_drafts/parts/form.html": "version",
    "assess/work/assignments.html": "adds work",
    "nuggets/classes/parts/found.html": "adds",
    "nuggets/writing/parts/ask.html": "adds a question",
    "nuggets/writing/parts/bench_ask.html": "adds a question",
    "nuggets/writing/parts/forms.html": "shown",
    "nuggets/writing/parts/list.html": "one nugget, by its number",
}
"""Templates with fields of their own in a form that is posted, and by what they say what they showed."""


def _forms() -> Iterator[type[forms.Form]]:
    for package in (assess, nuggets):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if "migrations" not in module.name:
                importlib.import_module(module.name)
    waiting: list[type[forms.Form]] = [forms.Form]
    while waiting:
        below = waiting.pop().__subclasses__()
        waiting += below
        yield from (each for each in below if each.__module__.split(".")[0] in ("assess", "nuggets"))


def test_every_form_says_what_it_was_made_from_or_replaces_nothing() -> None:
    found = set(_forms())
    plain = {each.__name__ for each in found if not issubclass(each, MadeFromForm)}
    assert plain == set(ADDS), "say in ADDS why a form replaces nothing, or inherit MadeFromForm"
    compared = {each.__name__ for each in found if issubclass(each, MadeFromForm)} - {"MadeFromForm"}
    assert len(compared) >= len(CASES), compared


def test_every_form_written_by_hand_says_what_it_showed() -> None:
    templates = Path(assess.__file__).parent.parent / "templates"
    found = {}
    for path in sorted(templates.rglob("*.html")):
        text = path.read_text()
        posted = re.findall(r'<form method="post".*?</form>', text, re.DOTALL)
        if any(re.search(r"<textarea|<select|<input(?![^>]*type=.(hidden|file))", form) for form in posted):
            found[str(path.relative_to(templates))] = text
    assert set(found) == set(BY_HAND), "say in BY_HAND by what a form says what it showed, or why it need not"
    decided = "assess/adjudication/parts/"
    buttons = {f"{decided}adjudicate_item.html": "shown", f"{decided}adjudicate_whole.html": "shown"}
    found |= {name: (templates / name).read_text() for name in buttons}
    for name, how in {**BY_HAND, **buttons}.items():
        if how in ("shown", "version", "made_from", "seen"):
            included = how == "shown" and re.search(r'judging/parts/seen\.html"(?! with shown=None)', found[name])
            assert included or f'name="{how}"' in found[name], name
