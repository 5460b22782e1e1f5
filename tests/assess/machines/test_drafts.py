"""When assessors see what machines said, and what each judgment records of it."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.queries.work_items import handle_of
from assess.base.errors import Conflict, Invalid
from assess.judging.queries.judges import values_of
from assess.judging.snapshots import Snapshot
from assess.machines.domain import change_drafts
from assess.models import Activity, Assignment, Campaign, Item, Judgment, Topic
from assess.work.domain import hand_over
from tests import factories
from tests.assess import judged_campaign as judging
from tests.pages import page_of

pytestmark = pytest.mark.django_db

SECRET = "The machine gives its reason."


@pytest.fixture
def machine(campaign: Campaign, rigid: Topic, rigid_items: list[Item]) -> Assignment:
    """A machine that calls the first two items unsupported."""
    robot = factories.member(campaign, "robot-account", "assessor")
    work = factories.assignment(rigid, "instances", robot, role="machine", state="done")
    for item in rigid_items[:2]:
        Judgment(
            item=item,
            criterion="correctness",
            value=2,
            note=SECRET,
            assessor=robot,
            assignment=work,
            client_key=uuid4(),
            how="import",
        ).save()
    return work


def show(campaign: Campaign, drafts: str) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(drafts=drafts)


def click(client: Client, work: Assignment, item: Item, value: int | str, **more: str) -> Judgment:
    form = {
        "item": handle_of(work, item.pk),
        "criterion": "correctness",
        "value": value,
        "client_key": str(uuid4()),
        **more,
    }
    address = reverse("judge", args=[work.campaign.slug, work.pk])
    answer = client.post(address, form, headers={"Accept": "application/json"})
    assert answer.status_code == 200, answer.content
    return Judgment.objects.get(pk=answer.json()["id"])


def fragment(client: Client, work: Assignment, item: Item) -> str:
    return page_of(client.get(reverse("work-item", args=[work.campaign.slug, work.pk, handle_of(work, item.pk)])))


def sees(page: str) -> bool:
    return SECRET in page and "machine judge A" in page


def test_sealed_shows_nothing_and_records_nothing(
    client: Client, machine: Assignment, grading: Assignment, rigid_items: list[Item]
) -> None:
    client.force_login(grading.assessor)
    assert click(client, grading, rigid_items[0], 1).draft is None
    assert click(client, grading, rigid_items[0], 2).draft is None
    for page in (fragment(client, grading, rigid_items[0]), bench(client, grading)):
        assert (SECRET in page, "machine" in page) == (False, False)


def bench(client: Client, work: Assignment) -> str:
    return page_of(client.get(reverse("workbench", args=[work.campaign.slug, work.pk])))


def test_open_shows_it_at_once_under_a_letter_and_each_judgment_says_so(
    client: Client, campaign: Campaign, machine: Assignment, grading: Assignment, rigid_items: list[Item]
) -> None:
    show(campaign, "open")
    client.force_login(grading.assessor)
    page = fragment(client, grading, rigid_items[0])
    assert (sees(page), "unsupported</strong>" in page, "robot-account" in page) == (True, True, False)
    assert click(client, grading, rigid_items[0], 1).draft == "open"
    assert SECRET not in fragment(client, grading, rigid_items[2])
    assert click(client, grading, rigid_items[2], 1).draft is None


def test_after_shows_it_once_an_own_value_is_saved_and_the_change_records_it(
    client: Client, campaign: Campaign, machine: Assignment, grading: Assignment, rigid_items: list[Item]
) -> None:
    show(campaign, "after")
    client.force_login(grading.assessor)
    before = fragment(client, grading, rigid_items[0])
    assert (SECRET in before, "data-draft-to-come" in before) == (False, True)
    assert click(client, grading, rigid_items[0], 1).draft is None
    assert sees(fragment(client, grading, rigid_items[0]))
    assert click(client, grading, rigid_items[0], 2).draft == "after"
    assert SECRET not in fragment(client, grading, rigid_items[1])

    values = values_of(Snapshot(campaign), "assessor-1", "correctness")
    assert list(values.values()) == [2]
    assert values_of(Snapshot(campaign), "assessor-1", "correctness", drafted=False) == {}


@pytest.mark.parametrize("drafts", ["open", "after"])
def test_what_was_seen_stays_seen_when_it_is_shown_no_more(
    client: Client,
    campaign: Campaign,
    organiser: User,
    machine: Assignment,
    grading: Assignment,
    rigid_items: list[Item],
    drafts: str,
) -> None:
    change_drafts(actor=organiser, campaign=campaign, drafts=drafts)
    client.force_login(grading.assessor)
    click(client, grading, rigid_items[0], 1)
    change_drafts(actor=organiser, campaign=campaign, drafts="sealed")
    assert click(client, grading, rigid_items[0], 2).draft == drafts
    assert [click(client, grading, rigid_items[1], value).draft for value in (1, 2)] == [None, None]


def test_a_draft_on_an_open_page_is_seen_though_drafts_are_sealed_before_the_first_click(
    client: Client,
    campaign: Campaign,
    organiser: User,
    machine: Assignment,
    grading: Assignment,
    rigid_items: list[Item],
) -> None:
    change_drafts(actor=organiser, campaign=campaign, drafts="open")
    client.force_login(grading.assessor)
    assert '<input type="hidden" name="draft" value="open">' in fragment(client, grading, rigid_items[0])
    assert 'name="draft"' not in fragment(client, grading, rigid_items[2])
    change_drafts(actor=organiser, campaign=campaign, drafts="sealed")
    assert click(client, grading, rigid_items[0], 1, draft="open").draft == "open"
    assert click(client, grading, rigid_items[2], 1, draft="open").draft is None  # no machine judged it
    change_drafts(actor=organiser, campaign=campaign, drafts="after")
    assert click(client, grading, rigid_items[1], 1, draft="open").draft == "open"


def test_what_came_after_somebody_elses_value_is_not_shown_with_it_after_a_hand_over(
    client: Client,
    machine: Assignment,
    grading: Assignment,
    rigid_items: list[Item],
    organiser: User,
    second_assessor: User,
) -> None:
    show(grading.campaign, "after")
    client.force_login(grading.assessor)
    click(client, grading, rigid_items[0], 1)
    onward = hand_over(actor=organiser, assignment=grading, to=second_assessor)
    Assignment.objects.filter(pk=onward.pk).update(state="started")
    client.force_login(second_assessor)
    before = fragment(client, onward, rigid_items[0])
    assert (SECRET in before, "data-draft-to-come" in before) == (False, True)
    assert click(client, onward, rigid_items[0], 1).draft is None
    assert sees(fragment(client, onward, rigid_items[0]))
    assert click(client, onward, rigid_items[0], 2).draft == "after"


def test_the_form_can_neither_claim_nor_hide_a_draft(
    client: Client, campaign: Campaign, machine: Assignment, grading: Assignment, rigid_items: list[Item]
) -> None:
    client.force_login(grading.assessor)
    assert click(client, grading, rigid_items[0], 1, draft="open").draft is None
    show(campaign, "open")
    assert click(client, grading, rigid_items[1], 1, draft="").draft == "open"


def test_a_planted_copy_shows_what_its_original_shows(
    client: Client, campaign: Campaign, machine: Assignment, grading: Assignment, rigid_items: list[Item]
) -> None:
    show(campaign, "open")
    first = rigid_items[0]
    copy = Item.objects.create(
        topic=first.topic, kind=first.kind, key="copy", text=first.text, docno=first.docno, repeats=first
    )
    grading.control_items.create(item=copy, kind="repeat", place=2)
    client.force_login(grading.assessor)
    assert sees(fragment(client, grading, copy))


def test_adjudicators_are_shown_no_machine(
    client: Client,
    campaign: Campaign,
    machine: Assignment,
    grading: Assignment,
    rigid: Topic,
    rigid_items: list[Item],
    second_assessor: User,
    adjudicator: User,
) -> None:
    show(campaign, "open")
    second = factories.assignment(rigid, "instances", second_assessor, role="second")
    judging.judge(grading, rigid_items[0].text, 1)
    judging.judge(second, rigid_items[0].text, -1)
    client.force_login(adjudicator)
    page = page_of(client.get(reverse("adjudicate", args=[campaign.slug, "instances", "correctness"])))
    assert (SECRET in page, "machine" in page) == (False, False)
    form = {"item": judging.shown(rigid_items[0], campaign, adjudicator), "value": "1", "client_key": str(uuid4())}
    client.post(reverse("adjudicate-decide", args=[campaign.slug, "instances", "correctness"]), form)
    assert Judgment.objects.get(assessor=adjudicator).draft is None


def test_the_setting_is_kept_with_an_activity_and_refused_once_frozen(
    client: Client, campaign: Campaign, organiser: User
) -> None:
    client.force_login(organiser)
    address = reverse("drafts", args=[campaign.slug])
    assert client.post(address, {"drafts": "after", "back": "https://elsewhere"}).headers["Location"] == reverse(
        "settings", args=[campaign.slug]
    )
    assert Campaign.objects.get().drafts == "after"
    assert Activity.objects.latest("id").data == {"from": "sealed", "to": "after"}
    assert 'value="after" id="drafts-after" checked' in page_of(client.get(reverse("settings", args=[campaign.slug])))
    with pytest.raises(Invalid):
        change_drafts(actor=organiser, campaign=campaign, drafts="always")
    Campaign.objects.update(state="frozen")
    with pytest.raises(Conflict):
        change_drafts(actor=organiser, campaign=campaign, drafts="open")
