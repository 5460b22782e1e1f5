"""What somebody judged in a role that counts is not taken away by giving them the stage again in another role."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from assess.assignments.domain.assignments import create_assignment, open_assignment, return_assignment
from assess.assignments.queries.handoffs import is_lapsed_for_good
from assess.base.errors import Conflict
from assess.judging.queries.current import official_judgments
from assess.judging.queries.lost_judgments import lost_judgments
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Assignment, Campaign, Item, Topic
from assess.organising.queries.freezing import freeze_state
from assess.work.domain import balance_work, hand_over, refused_people, take_from_stack
from tests import factories

pytestmark = pytest.mark.django_db


def judge(work: Assignment, item: Item, value: int | None) -> None:
    made = JudgmentInput(item=item, criterion="correctness", value=value, client_key=uuid4())
    record_judgment(actor=work.assessor, assignment=work, judgment=made)


def begin(topic: Topic, assessor: User, by: User, role: str) -> Assignment:
    work = create_assignment(
        actor=by, campaign=topic.campaign, topic=topic, stage="instances", assessor=assessor, role=role
    )
    return open_assignment(actor=assessor, assignment=work)


def counting(campaign: Campaign) -> list[int | None]:
    return [row.value for row in official_judgments(Snapshot(campaign))]


@pytest.mark.parametrize("role", ["primary", "adjudicator"])
def test_who_judged_and_was_taken_off_gets_no_other_role(
    campaign: Campaign, rigid: Topic, rigid_items: list[Item], organiser: User, adjudicator: User, role: str
) -> None:
    work = factories.assignment(rigid, "instances", adjudicator, role=role)
    judge(work, rigid_items[0], 1)
    return_assignment(actor=organiser, assignment=work)
    for other in {"primary", "second", "adjudicator"} - {role}:
        with pytest.raises(Conflict, match=f"as {work.get_role_display()}. Choose somebody else"):
            begin(rigid, adjudicator, organiser, other)
    assert counting(campaign) == [1]
    judge(begin(rigid, adjudicator, organiser, role), rigid_items[0], 2)
    assert counting(campaign) == [2]


def test_a_second_assessor_becomes_no_primary_assessor_by_whom_all_would_look_judged(
    campaign: Campaign, rigid: Topic, rigid_items: list[Item], organiser: User, assessor: User
) -> None:
    second = begin(rigid, assessor, organiser, "second")
    for item in rigid_items:
        judge(second, item, 1)
    return_assignment(actor=organiser, assignment=second)
    with pytest.raises(Conflict, match=r"as second assessor\. Choose somebody else"):
        begin(rigid, assessor, organiser, "primary")
    judge(begin(rigid, assessor, organiser, "second"), rigid_items[0], -1)
    assert counting(campaign) == []


def test_a_second_assessor_becomes_an_adjudicator_and_who_recorded_nothing_gets_any_role(
    campaign: Campaign, rigid: Topic, rigid_items: list[Item], organiser: User, assessor: User, second_assessor: User
) -> None:
    empty = factories.assignment(rigid, "instances", assessor)
    return_assignment(actor=organiser, assignment=empty)
    second = begin(rigid, assessor, organiser, "second")
    judge(second, rigid_items[0], -1)
    return_assignment(actor=organiser, assignment=second)
    judge(begin(rigid, assessor, organiser, "adjudicator"), rigid_items[0], 1)
    assert counting(campaign) == [1]
    return_assignment(
        actor=organiser, assignment=factories.assignment(rigid, "instances", second_assessor, role="second")
    )
    judge(begin(rigid, second_assessor, organiser, "primary"), rigid_items[1], 2)
    assert counting(campaign) == [1, 2]


def test_who_judged_before_another_primary_assessor_is_not_handed_the_work_anew(
    campaign: Campaign, rigid: Topic, rigid_items: list[Item], organiser: User, assessor: User, second_assessor: User
) -> None:
    for person, value in ((assessor, 1), (second_assessor, -1)):
        work = begin(rigid, person, organiser, "primary")
        judge(work, rigid_items[0], value)
        return_assignment(actor=organiser, assignment=work)
    with pytest.raises(Conflict, match=r"Somebody else judged .* of 1\.1 after assessor, and that counts"):
        begin(rigid, assessor, organiser, "primary")
    made = balance_work(actor=organiser, campaign=campaign)
    again = next(each for each in made if each.topic == rigid and each.stage == "instances")
    assert again.assessor == second_assessor
    open_assignment(actor=second_assessor, assignment=again)
    judge(again, rigid_items[1], 2)
    assert sorted(filter(None, counting(campaign))) == [-1, 2]


def test_who_recorded_nothing_before_another_primary_assessor_begins_after_them(
    campaign: Campaign,
    rigid: Topic,
    rigid_items: list[Item],
    organiser: User,
    assessor: User,
    second_assessor: User,
) -> None:
    """So the order of assignments stays that in which people spoke."""
    empty = begin(rigid, assessor, organiser, "primary")
    return_assignment(actor=organiser, assignment=empty)
    between = begin(rigid, second_assessor, organiser, "primary")
    judge(between, rigid_items[0], 1)
    return_assignment(actor=organiser, assignment=between)
    empty.refresh_from_db()
    assert is_lapsed_for_good(empty), "nor may the empty one be gone on with if its lease ran out"
    again = begin(rigid, assessor, organiser, "primary")
    assert again != empty
    judge(again, rigid_items[0], 2)
    return_assignment(actor=organiser, assignment=again)
    with pytest.raises(Conflict, match="Somebody else judged"):
        begin(rigid, second_assessor, organiser, "primary")
    assert begin(rigid, assessor, organiser, "primary") == again
    assert counting(campaign) == [2]


def test_the_stack_leaves_out_what_one_has_in_another_role(
    campaign: Campaign, rigid: Topic, rigid_items: list[Item], organiser: User, assessor: User
) -> None:
    campaign.takes_primary = True
    campaign.save()
    begin(rigid, assessor, organiser, "second")
    assert {each.topic.number for each in take_from_stack(actor=assessor, campaign=campaign, role="primary")} == {"1.2"}


def test_nobody_gets_by_handing_over_or_evenly_what_they_decided_in(
    campaign: Campaign,
    rigid: Topic,
    rigid_items: list[Item],
    organiser: User,
    assessor: User,
    second_assessor: User,
) -> None:
    work = factories.assignment(rigid, "instances", second_assessor, role="adjudicator")
    judge(work, rigid_items[0], 1)
    return_assignment(actor=organiser, assignment=work)
    made = balance_work(actor=organiser, campaign=campaign)
    assert {each.assessor for each in made if each.topic == rigid and each.stage == "instances"} == {assessor}
    given = next(each for each in made if each.topic == rigid and each.stage == "instances")
    assert refused_people(given) == {assessor.pk, second_assessor.pk}
    with pytest.raises(Conflict, match=r"as adjudicator\. Choose somebody else"):
        hand_over(actor=organiser, assignment=given, to=second_assessor)
    assert counting(campaign) == [1]


def test_what_counted_no_longer_in_earlier_versions_is_named_until_it_is_decided_again(
    campaign: Campaign, rigid: Topic, rigid_items: list[Item], adjudicator: User, second_assessor: User
) -> None:
    first, other, third = rigid_items[:3]
    decided = factories.assignment(rigid, "instances", adjudicator, role="adjudicator")
    for item in (first, other):
        judge(decided, item, 1)
    Assignment.objects.filter(pk=decided.pk).update(state="returned")
    assert lost_judgments(campaign) == []
    again = factories.assignment(rigid, "instances", adjudicator, role="second")
    for item in (first, other, third):
        judge(again, item, -1)
    assert [str(each) for each in lost_judgments(campaign)] == ["1.1 instances (adjudicator): 2"]
    (issue,) = [each for each in freeze_state(campaign).issues if each.code == "lost-judgments"]
    assert (issue.severity, issue.count) == ("warning", 2)
    assert "1.1 instances (adjudicator): 2" in issue.text
    judge(factories.assignment(rigid, "instances", second_assessor, role="adjudicator"), first, 1)
    assert [each.count for each in lost_judgments(campaign)] == [1]


def test_what_a_second_assessor_said_who_became_the_primary_one_in_earlier_versions_is_named(
    campaign: Campaign, rigid: Topic, rigid_items: list[Item], second_assessor: User
) -> None:
    second = factories.assignment(rigid, "instances", second_assessor, role="second")
    for item, value in ((rigid_items[0], 1), (rigid_items[1], 1), (rigid_items[2], 1), (rigid_items[2], None)):
        judge(second, item, value)
    Assignment.objects.filter(pk=second.pk).update(state="returned")
    assert lost_judgments(campaign) == []
    primary = factories.assignment(rigid, "instances", second_assessor)
    assert [each.count for each in lost_judgments(campaign)] == [2]
    judge(primary, rigid_items[0], 1)
    assert [each.count for each in lost_judgments(campaign)] == [1]


def test_work_that_earlier_versions_gave_to_who_had_it_before_is_named(
    campaign: Campaign, squishy: Topic, organiser: User, assessor: User, second_assessor: User
) -> None:
    def named() -> list[str]:
        return [each.text for each in freeze_state(campaign).issues if each.code == "had-before"]

    work = factories.assignment(squishy, "votes", second_assessor, role="second")
    onward = hand_over(actor=organiser, assignment=work, to=assessor)
    back = hand_over(actor=organiser, assignment=onward, to=second_assessor)
    hand_over(actor=organiser, assignment=back, to=assessor)
    assert named() == []
    again = factories.assignment(squishy, "votes", second_assessor, role="second")
    (said,) = named()
    assert "1.2 votes (second_assessor)" in said and "Take it back" in said
    Assignment.objects.filter(pk=again.pk).update(state="returned")
    assert named() == []


def test_who_handed_work_over_does_not_get_it_beside_whoever_goes_on(
    campaign: Campaign, rigid: Topic, organiser: User, assessor: User, second_assessor: User
) -> None:
    """All in a chain of hand-overs is one opinion, and shown to whoever is in it."""
    third = factories.member(campaign, "third", "assessor")
    work = begin(rigid, second_assessor, organiser, "second")
    onward = hand_over(actor=organiser, assignment=work, to=assessor)
    for role in ("second", "adjudicator"):
        with pytest.raises(Conflict, match="goes on with it"):
            begin(rigid, second_assessor, organiser, role)
    other = begin(rigid, third, organiser, "second")
    with pytest.raises(Conflict, match="goes on with it"):
        hand_over(actor=organiser, assignment=other, to=second_assessor)
    assert second_assessor.pk in refused_people(other)
    assert second_assessor.pk not in refused_people(onward)
    back = hand_over(actor=organiser, assignment=onward, to=second_assessor)
    assert assessor.pk not in refused_people(back)
    assert hand_over(actor=organiser, assignment=back, to=assessor).chain_start == work


def test_votes_are_not_handed_out_evenly_to_whoever_handed_theirs_over(
    campaign: Campaign, squishy: Topic, organiser: User, second_assessor: User
) -> None:
    third = factories.member(campaign, "third", "assessor")
    work = create_assignment(
        actor=organiser, campaign=campaign, topic=squishy, stage="votes", assessor=second_assessor, role="second"
    )
    hand_over(actor=organiser, assignment=work, to=third)
    made = balance_work(actor=organiser, campaign=campaign)
    voters = [each.assessor_id for each in made if (each.topic_id, each.stage) == (squishy.pk, "votes")]
    assert second_assessor.pk not in voters
