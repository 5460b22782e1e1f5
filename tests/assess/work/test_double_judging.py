"""A sample of the topics, or all, goes to second assessors: seeded, balanced, never to the author."""

from __future__ import annotations

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.assignments.domain.assignments import create_assignment, return_assignment
from assess.base.errors import Conflict, Invalid
from assess.models import Assignment, Campaign, Membership, Topic
from assess.work.domain import assign_seconds, checked_sample, plan_double_judging
from assess.work.queries.double_judging import Sample
from tests import factories
from tests.pages import page_of
from tests.remembered import remembered

pytestmark = pytest.mark.django_db

ALL = Sample()


@pytest.fixture
def third(campaign: Campaign) -> User:
    return factories.member(campaign, "third_assessor", "assessor")


@pytest.fixture
@remembered
def authored(campaign: Campaign, organiser: User, assessor: User, second_assessor: User, third: User) -> Campaign:
    """Ten rigid questions of one or two pooled items, whose author is the assessor."""
    for number in range(1, 11):
        topic = factories.topic(campaign, f"2.{number}", "Which?", task="rigid", ordinal=number)
        factories.pooled(topic, [f"{number} a", f"{number} b"][: 1 + number % 2])
        create_assignment(actor=organiser, campaign=campaign, topic=topic, stage="instances", assessor=assessor)
    campaign.topics.filter(number__in=["1.1", "1.2"]).delete()
    return campaign


def sampled(campaign: Campaign, sample: Sample) -> list[str]:
    plan = plan_double_judging(campaign=campaign, stages=["instances"], sample=sample)
    return [work.topic.number for work in plan.works]


def test_a_sample_is_the_same_for_the_same_seed_and_a_larger_one_holds_it(authored: Campaign) -> None:
    three = sampled(authored, Sample(number=3, seed=7))
    assert len(three) == 3
    assert sampled(authored, Sample(share=0.3, seed=7)) == three
    assert set(three) < set(sampled(authored, Sample(number=5, seed=7)))
    assert {tuple(sampled(authored, Sample(number=3, seed=seed))) for seed in range(5)} != {tuple(three)}
    assert len(sampled(authored, ALL)) == 10


def test_topics_go_to_others_than_their_author_evenly_by_items(
    authored: Campaign, organiser: User, assessor: User
) -> None:
    made = assign_seconds(actor=organiser, campaign=authored, stages=["instances"], sample=ALL)
    assert {each.role for each in made} == {"second"}
    items: dict[str, int] = {}
    for each in made:
        items[each.assessor.username] = items.get(each.assessor.username, 0) + each.topic.items.count()
    assert set(items) == {"second_assessor", "third_assessor"}
    assert abs(items["second_assessor"] - items["third_assessor"]) <= 1
    assert authored.assignments.filter(role="primary").count() == 10


def test_the_same_sample_again_hands_out_nothing_and_more_of_it_adds(authored: Campaign, organiser: User) -> None:
    first = assign_seconds(actor=organiser, campaign=authored, stages=["instances"], sample=Sample(number=4))
    assert assign_seconds(actor=organiser, campaign=authored, stages=["instances"], sample=Sample(number=4)) == []
    more = assign_seconds(actor=organiser, campaign=authored, stages=["instances"], sample=Sample(number=6))
    assert (len(first), len(more)) == (4, 2)


def test_all_stages_of_a_topic_go_to_one_person(authored: Campaign, organiser: User, assessor: User) -> None:
    for topic in authored.topics.filter(task="rigid"):
        create_assignment(actor=organiser, campaign=authored, topic=topic, stage="classes", assessor=assessor)
    made = assign_seconds(actor=organiser, campaign=authored, stages=["instances", "classes"], sample=Sample(number=2))
    pairs = {(each.topic_id, each.assessor_id) for each in made}
    assert (len(made), len(pairs)) == (4, 2)


def test_topics_without_an_author_wait(authored: Campaign, organiser: User) -> None:
    work = authored.assignments.get(topic__number="2.1")
    return_assignment(actor=organiser, assignment=work)
    plan = plan_double_judging(campaign=authored, stages=["instances"], sample=ALL)
    assert [(work.topic.number, work.why) for work in plan.waiting] == [("2.1", "has no primary assessor yet")]
    assert len(plan.handouts) == 9


def test_nobody_is_second_who_was_author_or_whose_team_is_judged(
    authored: Campaign, organiser: User, second_assessor: User, third: User
) -> None:
    topic = authored.topics.get(number="2.2")
    was = factories.assignment(topic, "instances", third, state="returned")
    assert was.role == "primary"
    Membership.objects.create(campaign=authored, user=second_assessor, role="participant", team="Harbor")
    factories.response(factories.run(authored, "Harbor1", organiser), topic, list(topic.items.all()))
    plan = plan_double_judging(campaign=authored, stages=["instances"], sample=ALL)
    assert [(work.topic.number, work.why) for work in plan.waiting] == [("2.2", "nobody else may judge it")]


def test_who_handed_work_over_is_not_its_second_assessor(
    authored: Campaign, organiser: User, assessor: User, third: User
) -> None:
    from assess.work.domain import hand_over

    work = authored.assignments.get(topic__number="2.3")
    hand_over(actor=organiser, assignment=work, to=third)
    with pytest.raises(Conflict, match=r"as primary assessor\. Choose somebody else"):
        create_assignment(
            actor=organiser,
            campaign=authored,
            topic=work.topic,
            stage="instances",
            assessor=assessor,
            role="second",
        )


def test_without_another_assessor_it_says_so(campaign: Campaign, organiser: User, assessor: User, rigid: Topic) -> None:
    factories.pooled(rigid, ["blue"])
    create_assignment(actor=organiser, campaign=campaign, topic=rigid, stage="instances", assessor=assessor)
    with pytest.raises(Conflict, match="Nobody can be second assessor"):
        assign_seconds(actor=organiser, campaign=campaign, stages=["instances"], sample=ALL)


@pytest.mark.parametrize("wrong", [{"share": 0.0}, {"share": 1.5}, {"number": 0}, {"share": 0.5, "number": 2}])
def test_a_sample_must_make_sense(wrong: dict[str, float]) -> None:
    with pytest.raises(Invalid):
        checked_sample(**wrong)  # type: ignore[arg-type]


def test_stages_that_any_number_of_people_do_have_no_second_assessor(campaign: Campaign) -> None:
    with pytest.raises(Invalid, match="There is no stage “votes” for a second assessor"):
        plan_double_judging(campaign=campaign, stages=["votes"], sample=ALL)


def test_a_stage_that_is_handed_out_by_name_has_no_second_assessor(client: Client, organiser: User) -> None:
    pilot = factories.campaign(organiser=organiser, slug="pilot", track="aquaint-definition")
    with pytest.raises(Invalid, match="There is no stage “contractor” for a second assessor"):
        plan_double_judging(campaign=pilot, stages=["contractor"], sample=ALL)
    client.force_login(organiser)
    page = page_of(client.get(reverse("double-judging", args=["pilot"])))
    assert ("Judge responses" in page, "as the contractor" in page) == (True, False)
    # The pilot's exports give the other assessor's figures beside the author's.
    assert "never counts in exports" not in page


def test_the_page_shows_the_plan_before_it_does_it(client: Client, authored: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    address = reverse("double-judging", args=[authored.slug])
    fields = {"stages": ["instances"], "of": "share", "amount": "30", "seed": "7"}
    page = page_of(client.get(address, fields))
    assert "3 of 10 topics: 3 to hand out" in page
    assert Assignment.objects.filter(role="second").count() == 0
    assert client.post(address, fields).status_code == 302
    assert Assignment.objects.filter(role="second").count() == 3
    assert "3 of 10 topics: 0 to hand out, 3 handed out already" in page_of(client.get(address, fields))
    assert client.post(address, {}).status_code == 422
    assert client.get(address, {"stages": ["instances"], "of": "all", "amount": "", "seed": "7"}).status_code == 200
    assert "Write how many." in page_of(client.get(address, {**fields, "amount": ""}))


def test_the_command_shows_with_dry_run_and_hands_out_without(authored: Campaign) -> None:
    said = io.StringIO()
    call_command(
        "assign", authored.slug, "--second", "--stage", "instances", "--share", "0.3", "--dry-run", stdout=said
    )
    assert len(said.getvalue().splitlines()) == 3
    assert Assignment.objects.filter(role="second").count() == 0
    call_command("assign", authored.slug, "--second", "--stage", "instances", "--number", "3", stdout=io.StringIO())
    assert Assignment.objects.filter(role="second").count() == 3
    with pytest.raises(CommandError):
        call_command("assign", authored.slug, "--second", "--stage", "nothing", stdout=io.StringIO())


def test_the_api_does_the_same(client: Client, authored: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    address = f"/api/v1/campaigns/{authored.slug}/assignments/second/"
    answer = client.post(address, {"stages": ["instances"], "number": 3}, content_type="application/json")
    assert answer.status_code == 201
    assert [row["role"] for row in answer.json()] == ["second"] * 3
    assert client.post(address, {"stages": []}, content_type="application/json").status_code == 422
