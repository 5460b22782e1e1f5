"""Very many assignments are handed out at once as one after the other would be."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from assess.assignments.domain.assignments import create_assignment
from assess.assignments.domain.handing_out import ToHandOut, create_assignments
from assess.base.errors import Conflict, Invalid
from assess.models import Activity, Assignment, Campaign, Topic

pytestmark = pytest.mark.django_db
STAGE = "instances"


def told(campaign: Campaign) -> list[tuple[object, ...]]:
    works = campaign.assignments.order_by("pk")
    return [(each.topic.number, each.stage, each.assessor.username, each.role, each.state) for each in works]


def acts() -> list[object]:
    return list(Activity.objects.filter(action="assignment.create").order_by("id").values_list("data", flat=True))


@pytest.fixture
def topics(campaign: Campaign, rigid: Topic) -> list[Topic]:
    more = [Topic(campaign=campaign, number=f"9.{n}", task=rigid.task, text="?", ordinal=90 + n) for n in range(60)]
    return [rigid, *Topic.objects.bulk_create(more)]


def test_many_are_handed_out_in_few_queries_with_their_acts(
    campaign: Campaign,
    topics: list[Topic],
    organiser: User,
    assessor: User,
    second_assessor: User,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    wanted = [
        ToHandOut(topic, STAGE, person, role)
        for topic in topics
        for person, role in ((assessor, "primary"), (second_assessor, "second"))
    ]
    with django_assert_max_num_queries(14):
        made = create_assignments(actor=organiser, campaign=campaign, wanted=wanted)
    assert [(each.topic, each.stage, each.assessor, each.role) for each in made] == wanted
    assert told(campaign) == [(t.number, stage, person.username, role, "open") for t, stage, person, role in wanted]
    at_once = acts()
    again = create_assignments(actor=organiser, campaign=campaign, wanted=wanted)
    assert ([each.pk for each in again], acts()) == ([each.pk for each in made], at_once)
    Assignment.objects.all().delete()
    for topic, stage, person, role in wanted:
        create_assignment(actor=organiser, campaign=campaign, topic=topic, stage=stage, assessor=person, role=role)
    assert acts() == at_once * 2


def test_one_that_is_refused_leaves_none(
    campaign: Campaign, topics: list[Topic], organiser: User, assessor: User, second_assessor: User, stranger: User
) -> None:
    first, second, *_ = topics
    good = [ToHandOut(first, STAGE, assessor, "primary"), ToHandOut(second, STAGE, assessor, "primary")]
    for bad, why in (
        (ToHandOut(second, STAGE, stranger, "second"), "does not judge in this campaign"),
        (ToHandOut(second, "no-stage", assessor, "second"), "has no stage"),
        (ToHandOut(second, STAGE, second_assessor, "primary"), "already has its primary assessor"),
        (ToHandOut(second, STAGE, assessor, "second"), "already has"),
        (ToHandOut(second, STAGE, second_assessor, "boss"), "is not a role"),
    ):
        with pytest.raises((Invalid, Conflict), match=why):
            create_assignments(actor=organiser, campaign=campaign, wanted=[*good, bad])
        assert not Assignment.objects.exists()
    Topic.objects.filter(pk=second.pk).update(dropped=True)
    second.dropped = True
    with pytest.raises(Conflict, match="was dropped"):
        create_assignments(actor=organiser, campaign=campaign, wanted=good)
    assert (Assignment.objects.count(), acts()) == (0, [])


def test_who_began_as_primary_assessor_is_no_second_one(
    campaign: Campaign, topics: list[Topic], organiser: User, assessor: User, second_assessor: User
) -> None:
    first, *_ = topics
    begun = Assignment.objects.create(
        campaign=campaign, topic=first, stage=STAGE, assessor=assessor, role="primary", seed=1, state="returned"
    )
    Assignment.objects.create(
        campaign=campaign, topic=first, stage=STAGE, assessor=second_assessor, seed=1, taken_over=begun
    )
    with pytest.raises(Conflict, match=r"as primary assessor\. Choose somebody else"):
        create_assignments(actor=organiser, campaign=campaign, wanted=[ToHandOut(first, STAGE, assessor, "second")])
