"""Work that is handed over: nothing counts otherwise by that alone, and the next assessor goes on from there."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.domain.assignments import create_assignment, open_assignment, return_assignment
from assess.assignments.queries.waiting import waiting_reasons
from assess.base.errors import Conflict
from assess.campaigns.queries import stage_of
from assess.judging.snapshots import Snapshot
from assess.models import Activity, Assignment, Campaign, Item, Topic
from assess.work.domain import hand_over
from nuggets.classes.current import grouping_of, official_classes, superseded_members
from nuggets.classes.record import assign_to_class, create_class, rename_class
from nuggets.classes.tally import tally_classes
from nuggets.matches.bench import match_desk
from nuggets.matches.current import official_marks
from nuggets.matches.record import review_items
from nuggets.matches.tally import tally_matches
from nuggets.models import AnswerClass, ClassAssignment, Nugget, NuggetList
from nuggets.options import ItemGrouping
from nuggets.votes.bench import vote_desk
from nuggets.votes.current import counting_votes
from nuggets.votes.tally import tally_votes
from nuggets.writing.counting_lists import active_nuggets, list_for, official_list
from nuggets.writing.edits import undo_edit
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.record import add_nugget
from nuggets.writing.tally import tally_lists
from tests import factories
from tests.assess import judged_campaign as judging
from tests.nuggets.keys import key
from tests.nuggets.workshop import mark

pytestmark = pytest.mark.django_db


def handed(work: Assignment, organiser: User, to: User) -> Assignment:
    made = hand_over(actor=organiser, assignment=work, to=to)
    open_assignment(actor=to, assignment=made)
    return made


def test_marks_of_both_are_one_voice(
    matching: Assignment,
    organiser: User,
    second_assessor: User,
    cheap: Nugget,
    squishy_items: list[Item],
    frozen: NuggetList,
) -> None:
    light = frozen.nuggets.get(number=2)
    first, second, _ = squishy_items
    mark(matching, cheap, first, "cheap in the first")
    mark(matching, light, first, "light in the first")
    review_items(actor=matching.assessor, assignment=matching, items=[first], client_key=key("first done"))
    onward = handed(matching, organiser, second_assessor)
    assert tally_matches([onward])[onward.pk].done == 1
    desk = match_desk(onward)
    assert desk is not None
    assert {m.number for string in desk.loose for m in string.marks} == {1, 2}
    mark(onward, cheap, first, "not cheap", None)
    mark(onward, cheap, second, "cheap in the second")
    counting = {(found.number, found.item_id) for found in official_marks([frozen])}
    assert counting == {(2, first.pk), (1, second.pk)}
    review_items(actor=second_assessor, assignment=onward, items=[first], client_key=key("open"), is_reviewed=False)
    assert tally_matches([onward])[onward.pk].done == 0


def test_a_list_is_gone_on_with_as_it_was(
    nugget_writing: Assignment, organiser: User, second_assessor: User, squishy_items: list[Item]
) -> None:
    draft = start_list(actor=nugget_writing.assessor, assignment=nugget_writing)
    add_nugget(
        actor=nugget_writing.assessor, nugget_list=draft, text="cheap", importance="vital", client_key=key("cheap")
    )
    onward = handed(nugget_writing, organiser, second_assessor)
    assert tally_lists([onward])[onward.pk].left == 1
    going_on = start_list(actor=second_assessor, assignment=onward)
    add_nugget(actor=second_assessor, nugget_list=going_on, text="light", importance="okay", client_key=key("light"))
    frozen = freeze_list(actor=second_assessor, nugget_list=going_on, client_key=key("freeze"))
    numbers = [(n.number, n.text) for n in active_nuggets([frozen])[frozen.pk]]
    assert numbers == [(1, "cheap"), (2, "light")]
    assert official_list(onward.topic_id) == frozen


def test_marks_on_a_list_stay_when_its_next_author_revises_it(
    matching: Assignment,
    nugget_writing: Assignment,
    organiser: User,
    second_assessor: User,
    cheap: Nugget,
    squishy_items: list[Item],
    frozen: NuggetList,
) -> None:
    mark(matching, cheap, squishy_items[0], "cheap")
    onward = handed(nugget_writing, organiser, second_assessor)
    revised = start_list(actor=second_assessor, assignment=onward)
    assert revised.version == frozen.version + 1
    add_nugget(actor=second_assessor, nugget_list=revised, text="new", importance="okay", client_key=key("new"))
    counting = freeze_list(actor=second_assessor, nugget_list=revised, client_key=key("again"))
    assert official_list(onward.topic_id) == counting
    assert [(m.number, m.item_id) for m in official_marks([counting])] == [(1, squishy_items[0].pk)]


def test_votes_of_both_are_one(
    campaign: Campaign,
    squishy: Topic,
    frozen: NuggetList,
    organiser: User,
    second_assessor: User,
    adjudicator: User,
) -> None:
    work = factories.assignment(squishy, "votes", second_assessor, role="second")
    judging.vote(work, frozen, 1, "vital")
    onward = handed(work, organiser, adjudicator)
    assert tally_votes([onward])[onward.pk].done == 1
    desk = vote_desk(onward)
    assert desk is not None
    assert desk.votes == {1: "vital"}
    before = len(counting_votes([frozen]))
    judging.vote(onward, frozen, 1, "okay")
    votes = counting_votes([frozen])
    assert len(votes) == before
    assert [vote.importance for vote in votes if vote.number == 1 and not vote.is_authors] == ["okay"]


@pytest.fixture
def grouped(campaign: Campaign, rigid: Topic, rigid_items: list[Item], assessor: User) -> Assignment:
    """Three correct answers; the first two are grouped, one class each."""
    grading = factories.assignment(rigid, "instances", assessor)
    for item in rigid_items:
        judging.judge(grading, item.text, 1)
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    work = factories.assignment(rigid, "classes", assessor)
    judging.group(work, "blue", rigid_items[0].text)
    judging.group(work, "green", rigid_items[1].text)
    return work


def test_a_grouping_is_gone_on_with_as_it_was(
    grouped: Assignment, organiser: User, second_assessor: User, rigid_items: list[Item]
) -> None:
    onward = handed(grouped, organiser, second_assessor)
    _, stage = stage_of(onward.campaign, "classes")
    assert [view.label for view in grouping_of(onward, stage).classes] == ["blue", "green"]
    assert tally_classes([onward])[onward.pk].done == 2
    blue = AnswerClass.objects.get(number=1)
    assign_to_class(
        actor=second_assessor,
        assignment=onward,
        items=[rigid_items[1]],
        answer_class=blue,
        client_key=key("to blue"),
    )
    rename_class(
        actor=second_assessor, assignment=onward, answer_class=blue, label="cold colours", client_key=key("rename")
    )
    create_class(actor=second_assessor, assignment=onward, items=[rigid_items[2]], label="red", client_key=key("red"))
    views = official_classes(
        Snapshot(onward.campaign), topics=[onward.topic_id], grade=stage.options(ItemGrouping).grade
    )
    found = [(view.number, view.label, sorted(m.item.text for m in view.members)) for view in views]
    assert found == [
        (1, "cold colours", ["blue bicycle", "green bicycle"]),
        (3, "red", ["red bicycle"]),
    ]
    assert tally_classes([onward])[onward.pk].left == 0
    green = ClassAssignment.objects.get(assignment=grouped, item=rigid_items[1])
    assert superseded_members([onward.topic_id]) == {green.pk}
    assert superseded_members([onward.topic_id], as_of=green.pk) == set()


def test_what_waits_for_ones_own_earlier_stage_is_open_to_who_took_it_over(
    campaign: Campaign, squishy: Topic, frozen: NuggetList, organiser: User, second_assessor: User
) -> None:
    work = factories.assignment(squishy, "matches", frozen.owner)
    onward = hand_over(actor=organiser, assignment=work, to=second_assessor)
    assert waiting_reasons([onward]) == waiting_reasons([work])
    assert list_for(onward) == frozen


def test_every_bench_of_the_next_assessor_opens(
    client: Client,
    campaign: Campaign,
    grouped: Assignment,
    matching: Assignment,
    nugget_writing: Assignment,
    frozen: NuggetList,
    organiser: User,
    second_assessor: User,
) -> None:
    client.force_login(second_assessor)
    for work in (grouped, matching, nugget_writing):
        onward = hand_over(actor=organiser, assignment=work, to=second_assessor)
        assert client.get(reverse("workbench", args=[campaign.slug, onward.pk])).status_code == 200


def test_a_list_that_comes_back_is_as_the_other_left_it(
    nugget_writing: Assignment, organiser: User, second_assessor: User
) -> None:
    author = nugget_writing.assessor
    draft = start_list(actor=author, assignment=nugget_writing)
    add_nugget(actor=author, nugget_list=draft, text="cheap", importance="vital", client_key=key("cheap"))
    onward = handed(nugget_writing, organiser, second_assessor)
    theirs = start_list(actor=second_assessor, assignment=onward)
    add_nugget(actor=second_assessor, nugget_list=theirs, text="light", importance="okay", client_key=key("light"))
    back = handed(onward, organiser, author)
    assert tally_lists([back])[back.pk].left == 1
    mine = start_list(actor=author, assignment=back)
    assert [n.text for n in active_nuggets([mine])[mine.pk]] == ["cheap", "light"]
    with pytest.raises(Conflict, match="nothing to undo"):
        undo_edit(actor=author, nugget_list=mine, client_key=key("undo"))
    freeze_list(actor=author, nugget_list=mine, client_key=key("freeze"))
    assert tally_lists([back])[back.pk].left == 0
    again = handed(back, organiser, second_assessor)
    assert tally_lists([again])[again.pk].left == 1
    revised = start_list(actor=second_assessor, assignment=again)
    add_nugget(actor=second_assessor, nugget_list=revised, text="kind", importance="okay", client_key=key("kind"))
    frozen = freeze_list(actor=second_assessor, nugget_list=revised, client_key=key("freeze again"))
    last = handed(again, organiser, author)
    assert tally_lists([last])[last.pk].left == 1
    shown = start_list(actor=author, assignment=last)
    assert [n.text for n in active_nuggets([shown])[shown.pk]] == ["cheap", "light", "kind"]
    assert official_list(last.topic_id) == frozen


def test_marks_and_classes_of_work_that_one_gets_again_stand_there(
    matching: Assignment, grouped: Assignment, organiser: User, campaign: Campaign, squishy_items: list[Item]
) -> None:
    assessor, stage = grouped.assessor, stage_of(campaign, "classes")[1]
    review_items(actor=assessor, assignment=matching, items=squishy_items[:1], client_key=key("first done"))
    labels = [view.label for view in grouping_of(grouped, stage).classes]
    tallies = tally_matches([matching])[matching.pk], tally_classes([grouped])[grouped.pk]
    for work in (matching, grouped):
        return_assignment(actor=organiser, assignment=work)
        again = create_assignment(
            actor=organiser, campaign=campaign, topic=work.topic, stage=work.stage, assessor=assessor
        )
        assert (again, again.state) == (work, "started")
    assert [view.label for view in grouping_of(grouped, stage).classes] == labels
    assert (tally_matches([matching])[matching.pk], tally_classes([grouped])[grouped.pk]) == tallies
    created = Activity.objects.filter(action="assignment.create", object_id=grouped.pk)
    assert [(act.actor, act.data["assessor"]) for act in created] == [(organiser, assessor.pk)]


def test_who_gets_again_what_they_handed_over_goes_on_from_the_other(
    grouped: Assignment, organiser: User, second_assessor: User, campaign: Campaign
) -> None:
    stage = stage_of(campaign, "classes")[1]
    labels = [view.label for view in grouping_of(grouped, stage).classes]
    return_assignment(actor=organiser, assignment=handed(grouped, organiser, second_assessor))
    again = create_assignment(
        actor=organiser, campaign=campaign, topic=grouped.topic, stage="classes", assessor=grouped.assessor
    )
    assert (again.chain_start, again.taken_over.assessor) == (grouped, second_assessor)
    open_assignment(actor=grouped.assessor, assignment=again)
    assert [view.label for view in grouping_of(again, stage).classes] == labels
