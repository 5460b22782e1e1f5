"""A piece of grading work goes to another assessor, who goes on from where the first was."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.access import GIVEN_AWAY, NO_LONGER_YOURS, YOURS_AGAIN
from assess.assignments.domain.assignments import (
    create_assignment,
    finish_assignment,
    open_assignment,
    return_assignment,
)
from assess.assignments.domain.leases import change_work_rules
from assess.assignments.domain.questions_to_organiser import answer_question, ask_organiser
from assess.base.errors import Conflict, Invalid
from assess.judging.queries.bench import BenchItem
from assess.judging.queries.current import official_judgments
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.kinds.grade.tally import grade_tally
from assess.models import Activity, Assignment, Campaign, Item, Topic
from assess.people.domain.members import remove_member
from assess.work.domain import hand_over, take_from_stack
from tests import factories
from tests.assess import judged_campaign as judging
from tests.assess.commands import run_command
from tests.assess.judged_campaign import bench_lines
from tests.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def begun(grading: Assignment) -> Assignment:
    """Two of three judged, one with a note."""
    judging.judge(grading, "blue bicycle", 1, note="clear")
    judging.judge(grading, "green bicycle", 2)
    return grading


@pytest.fixture
def onward(begun: Assignment, organiser: User, second_assessor: User) -> Assignment:
    made = hand_over(actor=organiser, assignment=begun, to=second_assessor)
    return open_assignment(actor=second_assessor, assignment=made)


def lines_of(work: Assignment) -> dict[str, BenchItem]:
    return {line.text: line for line in bench_lines(work)}


def official(campaign: Campaign) -> dict[str, tuple[int | None, str]]:
    rows = official_judgments(Snapshot(campaign)).select_related("item", "assessor")
    return {row.item.text: (row.value, row.assessor.username) for row in rows}


def test_the_next_assessor_sees_what_was_judged_as_carried_over(onward: Assignment, begun: Assignment) -> None:
    lines = lines_of(onward)
    assert {text: (line.state, dict(line.values), line.note) for text, line in lines.items()} == {
        "blue bicycle": ("carried", {"correctness": 1}, "clear"),
        "green bicycle": ("carried", {"correctness": 2}, ""),
        "red bicycle": ("open", {}, ""),
    }
    assert (grade_tally([onward])[onward.pk].done, grade_tally([onward])[onward.pk].left) == (2, 1)
    assert list(lines) == list(lines_of(begun))
    assert (onward.taken_over, onward.role, onward.seed) == (begun, "primary", begun.seed)


def test_what_the_first_judged_counts_until_the_next_says_something_else(onward: Assignment) -> None:
    campaign = onward.campaign
    assert official(campaign) == {"blue bicycle": (1, "assessor"), "green bicycle": (2, "assessor")}
    judging.judge(onward, "green bicycle", 3)
    judging.judge(onward, "red bicycle", -1)
    assert official(campaign) == {
        "blue bicycle": (1, "assessor"),
        "green bicycle": (3, "second_assessor"),
        "red bicycle": (-1, "second_assessor"),
    }
    assert lines_of(onward)["green bicycle"].state == "judged"
    assert finish_assignment(actor=onward.assessor, assignment=onward).state == "done"


def test_what_was_carried_over_is_changed_and_never_left_open(onward: Assignment) -> None:
    with pytest.raises(Conflict, match="judged before the work came to you"):
        judging.judge(onward, "blue bicycle", None)
    judging.judge(onward, "red bicycle", 1)
    judging.judge(onward, "red bicycle", None)
    assert lines_of(onward)["red bicycle"].state == "open"


def test_the_button_that_takes_a_judgment_back_is_there_where_it_would_work(onward: Assignment, client: Client) -> None:
    judging.judge(onward, "green bicycle", 3)
    judging.judge(onward, "red bicycle", 1)
    client.force_login(onward.assessor)
    address = reverse("workbench", args=[onward.campaign.slug, onward.pk])
    shown = {
        name: "Take the judgment back" in page_of(client.get(f"{address}?item={line.handle}"))
        for name, line in lines_of(onward).items()
    }
    assert shown == {"blue bicycle": False, "green bicycle": False, "red bicycle": True}


def test_the_first_assessor_is_out(
    client: Client, onward: Assignment, begun: Assignment, assessor: User, organiser: User
) -> None:
    begun.refresh_from_db()
    assert (begun.state, begun.has_lapsed) == ("returned", False)
    with pytest.raises(Conflict):
        judging.judge(begun, "red bicycle", 1)
    client.force_login(assessor)
    address = reverse("workbench", args=[begun.campaign.slug, begun.pk])
    given = client.get(address)
    assert (given.status_code, GIVEN_AWAY in page_of(given)) == (404, True)
    click = client.post(f"{address}judge/", {"item": 1}, headers={"accept": "application/json"})
    assert (click.status_code, click.json()["detail"]) == (404, GIVEN_AWAY)
    back = hand_over(actor=organiser, assignment=onward, to=assessor)
    click = client.post(f"{address}judge/", {"item": 1}, headers={"accept": "application/json"})
    assert (click.status_code, click.json()["detail"]) == (404, YOURS_AGAIN)
    now = client.get(address)  # the old page, loaded anew
    assert (now.status_code, now["Location"]) == (302, reverse("workbench", args=[begun.campaign.slug, back.pk]))


def test_work_that_was_taken_back_says_so_to_whom_it_was_and_nobody_else(
    client: Client, begun: Assignment, organiser: User, assessor: User, second_assessor: User
) -> None:
    return_assignment(actor=organiser, assignment=begun)
    for person, told in ((assessor, True), (second_assessor, False)):
        client.force_login(person)
        page = client.get(reverse("workbench", args=[begun.campaign.slug, begun.pk]))
        assert (page.status_code, NO_LONGER_YOURS in page_of(page)) == (404, told)
    remove_member(actor=organiser, campaign=begun.campaign, user=assessor, role="assessor")
    for person, told in ((assessor, True), (User.objects.create_user("stranger"), False)):
        client.force_login(person)
        page = client.get(reverse("work", args=[begun.campaign.slug]))
        assert (page.status_code, "You no longer take part in this campaign." in page_of(page)) == (404, told)


def test_work_goes_on_from_hand_to_hand_and_back(
    onward: Assignment, organiser: User, assessor: User, adjudicator: User
) -> None:
    judging.judge(onward, "blue bicycle", 3)
    third = open_assignment(actor=adjudicator, assignment=hand_over(actor=organiser, assignment=onward, to=adjudicator))
    assert dict(lines_of(third)["blue bicycle"].values) == {"correctness": 3}
    back = open_assignment(actor=assessor, assignment=hand_over(actor=organiser, assignment=third, to=assessor))
    lines = lines_of(back)
    assert dict(lines["green bicycle"].values) == {"correctness": 2}
    assert (lines["green bicycle"].state, grade_tally([back])[back.pk].done) == ("judged", 2)


def test_excuses_go_along(
    begun: Assignment, organiser: User, assessor: User, second_assessor: User, rigid_items: list[Item]
) -> None:
    asked = ask_organiser(actor=assessor, assignment=begun, item=rigid_items[2], text="Red?", client_key=uuid4())
    answer_question(actor=organiser, request=asked, answer="Leave it.", excuse=True)
    onward = hand_over(actor=organiser, assignment=begun, to=second_assessor)
    open_assignment(actor=second_assessor, assignment=onward)
    assert grade_tally([onward])[onward.pk].left == 0
    assert lines_of(onward)["red bicycle"].state == "excused"


def test_it_is_refused_where_it_makes_no_sense(
    begun: Assignment, organiser: User, assessor: User, second_assessor: User, participant: User, rigid: Topic
) -> None:
    for to, error, words in (
        (assessor, Conflict, "has this work already"),
        (participant, Invalid, "does not judge in this campaign"),
    ):
        with pytest.raises(error, match=words):
            hand_over(actor=organiser, assignment=begun, to=to)
    create_assignment(
        actor=organiser,
        campaign=begun.campaign,
        topic=rigid,
        stage="instances",
        assessor=second_assessor,
        role="second",
    )
    with pytest.raises(Conflict, match="in another role"):
        hand_over(actor=organiser, assignment=begun, to=second_assessor)
    begun.refresh_from_db()
    assert begun.state == "started"
    Assignment.objects.filter(pk=begun.pk).update(state="returned", lease_until=None)
    with pytest.raises(Conflict, match="already been given back or handed over"):
        hand_over(actor=organiser, assignment=begun, to=second_assessor)


def test_it_stands_in_the_activity(onward: Assignment, begun: Assignment) -> None:
    act = Activity.objects.filter(action="assignment.hand_over").get()
    assert act.data == {"from": begun.assessor_id, "to": onward.assessor_id, "before": begun.pk}


def test_the_page_says_what_it_does_and_does_it(
    client: Client, begun: Assignment, organiser: User, second_assessor: User, participant: User
) -> None:
    client.force_login(organiser)
    address = reverse("assignment-hand-over", args=[begun.campaign.slug, begun.pk])
    page = page_of(client.get(address))
    assert "2 of 3 instances are done" in page
    assert "second_assessor" in page
    assert "participant" not in page
    assert client.post(address, {"to": ""}).status_code == 422
    assert client.post(address, {"to": second_assessor.pk}).status_code == 302
    assert Assignment.objects.get(state="open").assessor == second_assessor
    assert client.get(address).status_code == 404


def test_the_page_offers_whom_the_rules_let_have_it(
    client: Client, begun: Assignment, organiser: User, assessor: User, second_assessor: User
) -> None:
    third = factories.member(begun.campaign, "third", "assessor")
    second = factories.assignment(begun.topic, begun.stage, second_assessor, role="second")

    def offered(work: Assignment) -> set[User]:
        page = client.get(reverse("assignment-hand-over", args=[work.campaign.slug, work.pk]))
        return set(page.context["people"].values())

    client.force_login(organiser)
    assert offered(begun) == offered(second) == {third}
    hand_over(actor=organiser, assignment=begun, to=third)
    fourth = factories.member(begun.campaign, "fourth", "assessor")
    assert offered(second) == {fourth}


def test_the_bench_shows_what_is_carried_over_and_not_from_whom(client: Client, onward: Assignment) -> None:
    client.force_login(onward.assessor)
    first = lines_of(onward)["blue bicycle"]
    page = page_of(client.get(reverse("workbench", args=[onward.campaign.slug, onward.pk]) + f"?item={first.handle}"))
    assert 'data-state="carried"' in page
    assert "data-carried>, carried over</span>" in page
    assert "Carried over: judged before this work was handed to you" in page
    assert not any(f'"{name}"' in page or f">{name}<" in page for name in ("assessor", "organiser"))


def test_the_command_and_the_api_do_the_same(
    client: Client, begun: Assignment, organiser: User, second_assessor: User, assessor: User
) -> None:
    handing_over = ("call", "assignments_hand_over", begun.campaign.slug, f"id={begun.pk}", "to=second_assessor")
    assert run_command(*handing_over)[0] == 0
    assert run_command(*handing_over)[0] == 1
    client.force_login(organiser)
    work = Assignment.objects.get(assessor=second_assessor)
    address = f"/api/v1/campaigns/{begun.campaign.slug}/assignments/{work.pk}/hand-over/"
    answer = client.post(address, {"to": "assessor"}, content_type="application/json")
    assert (answer.status_code, answer.json()["assessor"]) == (201, "assessor")


@pytest.fixture
def taking(campaign: Campaign, organiser: User) -> Campaign:
    return change_work_rules(actor=organiser, campaign=campaign, lease_hours=None, takes_primary=True)


def test_authors_take_topics_from_the_stack_series_together(
    taking: Campaign,
    assessor: User,
    second_assessor: User,
    rigid: Topic,
    squishy: Topic,
    rigid_items: list[Item],
    squishy_items: list[Item],
) -> None:
    factories.topic(taking, "2.1", "Which?", task="rigid", ordinal=9)
    first = take_from_stack(actor=assessor, campaign=taking, role="primary")
    assert [(each.topic, each.stage, each.role) for each in first] == [
        (rigid, "instances", "primary"),
        (rigid, "classes", "primary"),
    ]
    with pytest.raises(Conflict, match=r"You are the primary assessor of 1\.1"):
        take_from_stack(actor=assessor, campaign=taking, role="primary")
    other = take_from_stack(actor=second_assessor, campaign=taking, role="primary")
    assert {each.topic.number for each in other} == {"1.2"}
    Assignment.objects.filter(assessor=assessor).update(state="done")
    with pytest.raises(Conflict, match="stack is empty"):
        take_from_stack(actor=assessor, campaign=taking, role="primary")


def test_authors_take_nothing_where_the_campaign_does_not_say_so(campaign: Campaign, assessor: User) -> None:
    with pytest.raises(Conflict, match="the organiser hands out"):
        take_from_stack(actor=assessor, campaign=campaign, role="primary")


def test_the_page_of_work_offers_the_authors_stack(client: Client, taking: Campaign, assessor: User) -> None:
    client.force_login(assessor)
    address = reverse("work", args=[taking.slug])
    assert "Take the next topic as primary assessor (2 left)" in page_of(client.get(address))
    client.post(reverse("work-take", args=[taking.slug]), {"role": "primary"})
    assert "Finish 1.1 first." in page_of(client.get(address))


def test_the_rules_of_work_are_set_by_page_and_api(client: Client, campaign: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    address = reverse("work-rules", args=[campaign.slug])
    assert client.post(address, {"lease_hours": "0"}).status_code == 422
    assert client.post(address, {"lease_hours": "48", "takes_primary": "on"}).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.lease_hours, campaign.takes_primary) == (48, True)
    answer = client.post(
        f"/api/v1/campaigns/{campaign.slug}/work-rules/",
        {"lease_hours": 12, "takes_primary": False},
        content_type="application/json",
    )
    assert answer.json() == {"lease_hours": 12, "takes_primary": False}


def test_a_second_assessors_judgments_are_not_carried_into_the_authors_work(
    begun: Assignment, organiser: User, second_assessor: User, adjudicator: User, rigid: Topic, rigid_items: list[Item]
) -> None:
    beside = factories.assignment(rigid, "instances", second_assessor, role="second")
    said = JudgmentInput(item=rigid_items[2], criterion="correctness", value=3, client_key=uuid4())
    record_judgment(actor=second_assessor, assignment=beside, judgment=said)
    onward = hand_over(actor=organiser, assignment=begun, to=adjudicator)
    assert lines_of(onward)["red bicycle"].state == "open"


def test_work_that_comes_back_shows_what_the_other_judged_last(onward: Assignment, organiser: User) -> None:
    judging.judge(onward, "green bicycle", 3, note="bright")
    author = User.objects.get(username="assessor")
    back = open_assignment(actor=author, assignment=hand_over(actor=organiser, assignment=onward, to=author))
    lines = lines_of(back)
    assert {text: (line.state, dict(line.values), line.note) for text, line in lines.items()} == {
        "blue bicycle": ("judged", {"correctness": 1}, "clear"),
        "green bicycle": ("carried", {"correctness": 3}, "bright"),
        "red bicycle": ("open", {}, ""),
    }
    judging.judge(back, "green bicycle", 2)
    assert lines_of(back)["green bicycle"].state == "judged"
    assert official(back.campaign) == {"blue bicycle": (1, "assessor"), "green bicycle": (2, "assessor")}
