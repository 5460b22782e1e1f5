"""Members who are removed, or get other roles, at the same moment as something else is done with them."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.assignments.domain.assignments import create_assignment
from assess.models import Assignment, Campaign, Membership
from assess.people.domain.members import change_role, remove_member
from tests import factories
from tests.together import together

ROUNDS = 10


def test_two_organisers_who_end_each_others_role_leave_one(
    committed_db: None, campaign: Campaign, organiser: User
) -> None:
    other = factories.user("other")
    for number in range(ROUNDS):
        for person in (organiser, other):
            Membership.objects.get_or_create(campaign=campaign, user=person, role="organiser")

        def end(person: User, by: User, number: int = number) -> None:
            if number % 2:
                remove_member(actor=by, campaign=campaign, user=person, role="organiser")
            else:
                change_role(actor=by, campaign=campaign, user=person, role="organiser", to="adjudicator")

        (refused,) = together(lambda: end(organiser, other), lambda: end(other, organiser))
        assert "last organiser" in str(refused)
        assert campaign.memberships.filter(role="organiser").count() == 1
        campaign.memberships.filter(role="adjudicator").delete()


def test_nobody_is_left_with_work_in_a_campaign_in_which_they_judge_no_more(
    committed_db: None, campaign: Campaign, organiser: User
) -> None:
    person = factories.user("person")
    topic = campaign.topics.get(number="1.1")
    for _ in range(ROUNDS):
        Assignment.objects.filter(assessor=person).update(state="returned")
        Membership.objects.get_or_create(campaign=campaign, user=person, role="assessor")
        (refused,) = together(
            lambda: remove_member(actor=organiser, campaign=campaign, user=person, role="assessor"),
            lambda: create_assignment(
                actor=organiser, campaign=campaign, topic=topic, stage="instances", assessor=person
            ),
        )
        assert "still has 1 assignment" in str(refused) or "does not judge in this campaign" in str(refused)
