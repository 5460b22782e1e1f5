"""Freezing: what is missing is named with its place; a frozen campaign refuses every write; opening it is recorded."""

from __future__ import annotations

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.base.errors import Conflict, Invalid
from assess.models import Activity, Assignment, Campaign, HelpRequest, Item, Job, Pool, Run
from assess.organising.domain import freeze_campaign, move_campaign, unfreeze_campaign
from assess.organising.queries.freezing import freeze_state
from assess.organising.stop_work import stop_judging
from nuggets.models import NuggetList
from nuggets.writing.lists import freeze_list, revise_list, start_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.assess import judged_campaign as judging
from tests.pages import page_of

pytestmark = pytest.mark.django_db


def codes(campaign: Campaign) -> dict[str, tuple[str, int]]:
    return {issue.code: (issue.severity, issue.count) for issue in freeze_state(campaign).issues}


@pytest.fixture
def judged(campaign: Campaign, grading: Assignment) -> Campaign:
    """The rigid question's instances are judged and done; the rest of its stages is handed to nobody."""
    for text in ("blue bicycle", "green bicycle", "red bicycle"):
        judging.judge(grading, text, -1)
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    return campaign


def test_work_that_is_not_done_keeps_a_campaign_open(campaign: Campaign, grading: Assignment, organiser: User) -> None:
    assert codes(campaign)["not-done"] == ("error", 1)
    with pytest.raises(Conflict, match="1 assignment not done, with 3 items left"):
        freeze_campaign(actor=organiser, campaign=campaign, despite="we are in a hurry")
    campaign.refresh_from_db()
    assert campaign.state == "judging"


def test_done_work_that_has_grown_since_is_left_over(judged: Campaign) -> None:
    assert "left-over" not in codes(judged)
    factories.pooled(judged.topics.get(number="1.1"), ["yellow bicycle"])
    assert codes(judged)["left-over"] == ("error", 1)


def test_an_excused_item_adds_up(campaign: Campaign, grading: Assignment) -> None:
    judging.judge(grading, "blue bicycle", -1)
    judging.judge(grading, "green bicycle", -1)
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    assert codes(campaign)["left-over"] == ("error", 1)
    HelpRequest.objects.create(
        assignment=grading,
        item=Item.objects.get(text="red bicycle"),
        text="?",
        client_key=judging.key("help"),
        excused=True,
        answered_at="2026-01-01T00:00Z",
        answer="Leave it.",
    )
    assert "left-over" not in codes(campaign)
    (account,) = freeze_state(campaign).accounts
    assert (account.total, account.done, account.left, account.adds_up) == (3, 3, 0, True)


def test_what_nobody_has_may_stay_with_a_reason_that_is_recorded(judged: Campaign, organiser: User) -> None:
    assert codes(judged) == {"not-handed-out": ("warning", 3), "no-document": ("warning", 3)}
    with pytest.raises(Conflict, match="say why"):
        freeze_campaign(actor=organiser, campaign=judged)
    freeze_campaign(actor=organiser, campaign=judged, despite="Question 1.2 was dropped.")
    judged.refresh_from_db()
    assert judged.state == "frozen"
    said = Activity.objects.get(action="campaign.freeze").data
    assert (said["despite"], said["missing"], said["things"], said["done"]) == (
        "Question 1.2 was dropped.",
        {"not-handed-out": 3, "no-document": 3},
        3,
        3,
    )


def test_questions_jobs_runs_pools_and_repeats_are_looked_at(judged: Campaign, organiser: User) -> None:
    work = judged.assignments.get()
    HelpRequest.objects.create(assignment=work, text="What is a bicycle?", client_key=judging.key("help"))
    Job.objects.create(campaign=judged, kind="documents", started_by=organiser)
    made = factories.run(judged, "Harbor1", organiser)
    Run.objects.filter(pk=made.pk).update(state="checking")
    first = Item.objects.get(text="blue bicycle")
    copy = Item.objects.create(topic=first.topic, kind=first.kind, key="copy", text=first.text, repeats=first)
    Pool.objects.get(task="rigid").pool_items.create(item=copy)
    found = codes(judged)
    assert {code: found[code] for code in ("questions", "jobs", "checking", "plants-pooled")} == {
        "questions": ("error", 1),
        "jobs": ("error", 1),
        "checking": ("error", 1),
        "plants-pooled": ("error", 1),
    }


def test_disagreements_that_nobody_decided_may_stay(judged: Campaign, second_assessor: User) -> None:
    second = factories.assignment(judged.topics.get(number="1.1"), "instances", second_assessor, role="second")
    for text in ("blue bicycle", "green bicycle", "red bicycle"):
        judging.judge(second, text, 3 if text == "red bicycle" else -1)
    Assignment.objects.filter(pk=second.pk).update(state="done")
    assert codes(judged)["disagreements"] == ("warning", 1)


def test_a_list_begun_anew_and_not_frozen_may_stay(campaign: Campaign, nugget_writing: Assignment) -> None:
    made = start_list(actor=nugget_writing.assessor, assignment=nugget_writing)
    add_nugget(
        actor=nugget_writing.assessor,
        nugget_list=made,
        text="It is cheap.",
        importance="vital",
        client_key=judging.key("nugget"),
    )
    frozen = freeze_list(actor=nugget_writing.assessor, nugget_list=made, client_key=judging.key("freeze"))
    assert "draft-lists" not in codes(campaign)
    revise_list(actor=nugget_writing.assessor, nugget_list=NuggetList.objects.get(pk=frozen.pk))
    assert codes(campaign)["draft-lists"] == ("warning", 1)
    issue = next(issue for issue in freeze_state(campaign).issues if issue.code == "draft-lists")
    assert "1 nugget list begun and not frozen (topic 1.2 by assessor): what was" in issue.text
    assert issue.query == "?stage=nuggets#pieces"


def test_opening_again_needs_a_reason_and_is_recorded(judged: Campaign, organiser: User) -> None:
    freeze_campaign(actor=organiser, campaign=judged, despite="1.2 was dropped")
    with pytest.raises(Invalid, match="Say why"):
        unfreeze_campaign(actor=organiser, campaign=judged, reason="  ")
    unfreeze_campaign(actor=organiser, campaign=judged, reason="One was judged by old guidelines.")
    judged.refresh_from_db()
    assert judged.state == "judging"
    assert Activity.objects.get(action="campaign.unfreeze").data == {"reason": "One was judged by old guidelines."}
    with pytest.raises(Conflict, match="nothing to open"):
        unfreeze_campaign(actor=organiser, campaign=judged, reason="again")


def test_what_is_released_is_opened_with_a_reason_alone(judged: Campaign, organiser: User) -> None:
    Campaign.objects.filter(pk=judged.pk).update(state="released")
    with pytest.raises(Invalid, match="Say why"):
        unfreeze_campaign(actor=organiser, campaign=judged, reason="")
    assert unfreeze_campaign(actor=organiser, campaign=judged, reason="a mistake").state == "judging"


def test_a_state_named_elsewhere_goes_by_the_same_rules(judged: Campaign, organiser: User) -> None:
    with pytest.raises(Conflict, match="say why"):
        move_campaign(actor=organiser, campaign=judged, state="frozen")
    move_campaign(actor=organiser, campaign=judged, state="frozen", reason="1.2 was dropped")
    with pytest.raises(Conflict, match="publishing a release"):
        move_campaign(actor=organiser, campaign=judged, state="released")
    with pytest.raises(Invalid, match="Say why"):
        move_campaign(actor=organiser, campaign=judged, state="judging")


# ------------------------------------------------------------------ page, command, API


@pytest.fixture
def desk(organiser: User) -> Client:
    client = Client()
    client.force_login(organiser)
    return client


def test_the_page_names_what_is_missing_with_links_and_freezes(
    desk: Client, campaign: Campaign, grading: Assignment
) -> None:
    address = reverse("freeze", args=[campaign.slug])
    page = page_of(desk.get(address))
    assert "1 assignment not done, with 3 items left" in page
    assert f'href="{reverse("progress", args=[campaign.slug])}"' in page
    assert 'id="freeze-form"' not in page
    refused = desk.post(address, {"reason": "now"})
    assert (refused.status_code, "not done" in page_of(refused)) == (409, True)
    for text in ("blue bicycle", "green bicycle", "red bicycle"):
        judging.judge(grading, text, -1)
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    assert "3 of 3" in page_of(desk.get(address))
    assert desk.post(address, {"reason": ""}).status_code == 409
    done = desk.post(address, {"reason": "1.2 was dropped"})
    assert (done.status_code, done["Location"]) == (302, reverse("release", args=[campaign.slug]))
    opened = desk.post(reverse("unfreeze", args=[campaign.slug]), {"reason": "more came in"})
    assert opened.status_code == 302
    campaign.refresh_from_db()
    assert campaign.state == "judging"


def test_the_commands_freeze_and_open(judged: Campaign, organiser: User) -> None:
    out = io.StringIO()
    with pytest.raises(CommandError, match=r"say why\. Give the reason with --despite\."):
        call_command("freeze", judged.slug, stdout=out, stderr=io.StringIO())
    assert out.getvalue().startswith("warning\tnot-handed-out\t3\t")
    call_command("freeze", judged.slug, despite="dropped", stdout=io.StringIO(), stderr=io.StringIO())
    judged.refresh_from_db()
    assert judged.state == "frozen"
    call_command("call", "state", judged.slug, "state=judging", "reason=more", stdout=io.StringIO())
    judged.refresh_from_db()
    assert judged.state == "judging"


def test_checking_has_the_exit_status_that_freezing_would_have(judged: Campaign) -> None:
    said = {"stdout": io.StringIO(), "stderr": io.StringIO()}
    with pytest.raises(CommandError, match="say why") as refused:
        call_command("freeze", judged.slug, check=True, **said)
    assert refused.value.returncode == 1
    call_command("freeze", judged.slug, check=True, despite="dropped", **said)
    assert said["stderr"].getvalue() == f"{judged.slug} can be frozen.\n"
    judged.assignments.update(state=Assignment.State.STARTED)  # an error, which no reason passes over
    with pytest.raises(CommandError, match="can't be frozen yet"):
        call_command("freeze", judged.slug, check=True, despite="dropped", **said)
    judged.refresh_from_db()
    assert judged.state == "judging"


def test_a_reason_for_stopping_is_enough_for_checking_as_it_is_for_freezing(judged: Campaign, organiser: User) -> None:
    factories.assignment(judged.topics.get(number="1.2"), "nuggets", organiser, state="open")
    stop_judging(actor=organiser, campaign=judged, reason="the time is over")
    assert codes(judged)["not-handed-out"] == ("warning", 2)
    call_command("freeze", judged.slug, check=True, stdout=io.StringIO(), stderr=io.StringIO())
    call_command("freeze", judged.slug, stdout=io.StringIO(), stderr=io.StringIO())
    judged.refresh_from_db()
    assert judged.state == "frozen"


def test_checking_refuses_a_campaign_in_a_state_that_can_t_be_frozen(judged: Campaign) -> None:
    Campaign.objects.filter(pk=judged.pk).update(state=Campaign.State.SETUP)
    with pytest.raises(CommandError, match="can't become frozen") as refused:
        call_command("freeze", judged.slug, check=True, despite="dropped", stdout=io.StringIO(), stderr=io.StringIO())
    assert refused.value.returncode == 1


def test_a_campaign_that_was_frozen_meanwhile_is_opened_with_a_reason_alone(judged: Campaign, organiser: User) -> None:
    before = Campaign.objects.get(pk=judged.pk)
    freeze_campaign(actor=organiser, campaign=judged, despite="1.2 was dropped")
    with pytest.raises(Invalid, match="Say why"):
        move_campaign(actor=organiser, campaign=before, state="judging")
    again = Campaign.objects.get(pk=judged.pk)
    again.state = "judging"
    with pytest.raises(Conflict, match="by publishing a release"):
        move_campaign(actor=organiser, campaign=again, state="released")
    judged.refresh_from_db()
    assert judged.state == "frozen"


def test_the_api_freezes_with_a_reason(desk: Client, judged: Campaign) -> None:
    address = reverse("api-campaign-state", args=[judged.slug])
    assert desk.post(address, {"state": "frozen"}, content_type="application/json").status_code == 409
    done = desk.post(address, {"state": "frozen", "reason": "dropped"}, content_type="application/json")
    assert (done.status_code, done.json()["state"]) == (200, "frozen")


def test_work_with_nothing_to_judge_counts_as_finished(judged: Campaign, assessor: User, client: Client) -> None:
    bare = factories.topic(judged, "1.3", "Which bicycle?", task="rigid", ordinal=30)
    for stage in ("instances", "classes"):
        factories.assignment(bare, stage, assessor, state="open")
    grouping = factories.assignment(judged.topics.get(number="1.1"), "classes", assessor, state="open")
    assert "not-done" not in codes(judged)
    states = [(each.topic, each.stage, each.state, each.adds_up) for each in freeze_state(judged).accounts]
    assert states == [
        ("1.1", "Judge instances", "done", True),
        ("1.1", "Group answers", "empty", True),
        ("1.3", "Judge instances", "empty", True),
        ("1.3", "Group answers", "empty", True),
    ]
    client.force_login(assessor)
    page = page_of(client.get(f"/c/{judged.slug}/work/"))
    assert page.count("nothing to judge") == 4  # three pieces, and why nothing is open

    factories.pooled(bare, ["teal bicycle"])
    assert codes(judged)["not-done"] == ("error", 2)
    Assignment.objects.filter(stage="instances", topic__number="1.1").update(state="started")
    assert [each.state for each in freeze_state(judged).accounts] == ["started", "open", "open", "open"]
    assert grouping.state == "open"


def test_work_before_its_pool_is_built_is_not_done(campaign: Campaign, assessor: User) -> None:
    factories.assignment(campaign.topics.get(number="1.1"), "instances", assessor, state="open")
    assert codes(campaign)["not-done"] == ("error", 1)


def test_the_page_counts_step_by_step_and_freezing_counts_all(
    judged: Campaign, organiser: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit, value in (("AT_ONCE", 1), ("BEHIND", 0)):
        monkeypatch.setattr(f"assess.progress.domain.{limit}", value)
    client.force_login(organiser)
    address = reverse("freeze", args=[judged.slug])
    assert "Counting what was recorded" in page_of(client.get(address))
    freeze_campaign(actor=organiser, campaign=judged, despite="the rest is for nobody")
    done = Activity.objects.get(action="campaign.freeze").data
    assert (done["pieces"], done["things"], done["done"]) == (1, 3, 3)
    monkeypatch.undo()
    page = page_of(client.get(address))
    assert "Counting what was recorded" not in page
    assert "<strong>3 of 3</strong>" in page
