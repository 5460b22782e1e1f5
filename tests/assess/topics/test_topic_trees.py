"""Topics three deep: a dialogue, its subtrees, their turns; and campaigns that judge only some of them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from assess.assignments.queries.topics import topics_to_judge, unassigned_stages
from assess.campaigns.queries import registered_tracks, track_of
from assess.models import Assignment, Campaign, Pool
from assess.organising.queries.overview import campaign_counts, next_steps
from assess.pools.domain.building import build_pool
from assess.progress.queries.assignment_progress import progress_of_assignments
from assess.topics.queries import judged_topics, roots_of, topic_records, whole_series, with_place
from assess.work.domain import balance_work
from assess.work.queries.balance import balance_plan
from tests import factories
from tests.assess.toys import say, send
from tests.pages import page_of

pytestmark = pytest.mark.django_db

ORDER = ["9-1_1", "9-1_2", "9-2_1", "10_1"]


@pytest.fixture
def grown(toy: Campaign) -> Campaign:
    """A further turn of 9-1 that came in last, a dialogue that stands first, a turn without a dialogue."""
    first = toy.topics.get(number="9-1")
    factories.topic(toy, "9-1_3", "Late", task="turn", parent=first, ordinal=3)
    factories.topic(toy, "7", "Alone", task="turn", ordinal=0)
    return toy


GROWN = ["7", "9-1_1", "9-1_2", "9-1_3", "9-2_1", "10_1"]


def test_topics_come_in_the_order_of_their_tree(grown: Campaign) -> None:
    assert [topic.number for topic in judged_topics(grown)] == GROWN
    everything = ["7", "9", "9-1", "9-1_1", "9-1_2", "9-1_3", "9-2", "9-2_1", "10", "10_1"]
    assert [record.number for record in topic_records(grown)] == everything
    placed = with_place(grown.topics.all()).order_by("place")
    assert [(topic.number, topic.place) for topic in placed] == [
        (number, place) for place, number in enumerate(everything, start=1)
    ]
    deep = grown.topics.get(number="9-1_1")
    factories.topic(grown, "9-1_1a", "Deeper", task="turn", parent=deep)
    assert [topic.number for topic in judged_topics(grown)][:4] == ["7", "9-1_1", "9-1_1a", "9-1_2"]


def test_a_series_is_all_under_one_head(grown: Campaign) -> None:
    names = {topic.pk: topic.number for topic in grown.topics.all()}
    assert {names[topic]: names[root] for topic, root in roots_of(grown).items()} == {
        **dict.fromkeys(("9", "9-1", "9-2", "9-1_1", "9-1_2", "9-1_3", "9-2_1"), "9"),
        **dict.fromkeys(("10", "10_1"), "10"),
        "7": "7",
    }
    turn = grown.topics.get(number="9-2_1")
    assert [topic.number for topic in whole_series(turn)] == ["9", "9-1", "9-1_1", "9-1_2", "9-1_3", "9-2", "9-2_1"]
    assert [topic.number for topic in whole_series(grown.topics.get(number="7"))] == ["7"]


def test_balancing_keeps_subtrees_of_one_dialogue_with_one_assessor(
    grown: Campaign, organiser: User, client: Client
) -> None:
    assessors = [factories.member(grown, name, "assessor") for name in ("ann", "bob")]
    for number in GROWN:
        say(grown, number, s1=f"Statement of {number}", s2="Another")
    build_pool(actor=organiser, campaign=grown, task="turn")
    held: dict[str, set[str]] = {}
    for each in balance_work(actor=organiser, campaign=grown):
        held.setdefault(each.assessor.username, set()).add(each.topic.number)
    assert held == {"ann": {"9-1_1", "9-1_2", "9-1_3", "9-2_1"}, "bob": {"7", "10_1"}}
    Assignment.objects.exclude(topic__number="9-2_1").delete()
    Assignment.objects.update(assessor=assessors[1])
    plan = {(each.topic.number, each.assessor.username) for each in balance_plan(grown).handouts}
    assert {name for number, name in plan if number.startswith("9")} == {"bob"}


def test_a_stage_by_hand_is_handed_out_only_where_it_is_named(toy: Campaign, organiser: User, client: Client) -> None:
    track = track_of(toy)
    task = track.task("turn")
    assert task is not None
    first, *others = task.stages
    by_hand = replace(task, stages=(replace(first, by_hand=True), *others))
    registered_tracks()[track.key] = replace(track, tasks=(by_hand,))
    anna = factories.member(toy, "anna", "assessor")
    wanted = {stage.key for stage in others}
    assert {stage for _, stage in unassigned_stages(toy)} == wanted
    assert {each.stage for each in balance_plan(toy).handouts} == wanted
    call_command("assign", toy.slug, "--all", "--assessor", "anna")
    assert set(anna.assignments.values_list("stage", flat=True)) == wanted
    assert unassigned_stages(toy) == []
    call_command("assign", toy.slug, "--topic", "9-1_1", "--stage", first.key, "--assessor", "anna")
    assert list(anna.assignments.filter(stage=first.key).values_list("topic__number", flat=True)) == ["9-1_1"]
    client.force_login(organiser)
    shown = page_of(client.get(reverse("assignments", args=[toy.slug])))
    assert f">{first.key}</code> <span" in shown
    assert shown.count("by hand") == 1


def some_judged(campaign: Campaign, organiser: User) -> Pool:
    """A campaign that judges 9-1_2 and 10_1 only, though a run answers all turns."""
    campaign.settings = {"judged_topics": ["9-1_2", "10_1"]}
    campaign.save()
    send(campaign, organiser, "A", *({"topic": number, "ranked": [["P1", 1.0]]} for number in ORDER))
    return build_pool(actor=organiser, campaign=campaign, task="turn")


def test_topics_of_which_nothing_is_pooled_are_not_handed_out(toy: Campaign, organiser: User, client: Client) -> None:
    factories.member(toy, "ann", "assessor")
    assert len(unassigned_stages(toy)) == 20  # before there is a pool nobody knows
    some_judged(toy, organiser)
    names = {topic.pk: topic.number for topic in toy.topics.all()}
    assert {names[topic] for topic, _ in unassigned_stages(toy)} == {"9-1_2", "10_1"}
    assert (campaign_counts(toy).unassigned, campaign_counts(toy).unassigned_topics) == (2, 2)
    assert {each.topic.number for each in balance_work(actor=organiser, campaign=toy)} == {"9-1_2", "10_1"}
    assert unassigned_stages(toy) == []
    assert [topic.number for topic in topics_to_judge(toy)] == ["9-1_2", "10_1"]
    client.force_login(organiser)
    page = page_of(client.get(reverse("assignments", args=["toy"])))
    assert re.findall(r">\s*(\d+-?\d*_\d)\s*<", page) == ["9-1_2", "10_1"]
    factories.assignment(toy.topics.get(number="9-2_1"), "passages", User.objects.get(username="ann"))
    assert [topic.number for topic in topics_to_judge(toy)] == ["9-1_2", "9-2_1", "10_1"]
    assert [piece.assignment.topic.number for piece in progress_of_assignments(toy)][-1] == "10_1"


def test_a_pool_is_missed_where_topics_bring_something(toy: Campaign) -> None:
    counts = campaign_counts(toy)
    assert counts.unpooled == ("turn",)
    assert "The pool is not built." in [step.text for step in next_steps(toy, counts)]


def test_pages_show_the_tree_in_order_with_the_same_queries(
    grown: Campaign, organiser: User, client: Client, django_assert_num_queries
) -> None:
    some_judged(grown, organiser)
    client.force_login(organiser)
    page = client.get(reverse("topics", args=["toy"])).content.decode()
    shown = re.findall(r'<th scope="row"><a href="[^"]*">([^<]*)</a>', page)
    assert shown == ["7", "9", "9-1", "9-1_1", "9-1_2", "9-1_3", "9-2", "9-2_1", "10", "10_1"]
    topic = client.get(reverse("topic", args=["toy", "9-1_2"])).content.decode()
    assert re.findall(r">(9-[^< ]*)[< ]", topic.split("<h2>Series")[1].split("</ul>")[0]) == [
        "9-1",
        "9-1_1",
        "9-1_2",
        "9-1_3",
        "9-2",
        "9-2_1",
    ]
    client.get(reverse("progress", args=["toy"]))  # counts the pool, once
    for name, queries in (("overview", 28), ("assignments", 20), ("progress", 12), ("topics", 8)):
        for _ in range(2):
            with django_assert_num_queries(queries):
                assert client.get(reverse(name, args=["toy"])).status_code == 200
            late = grown.topics.get(number="9-1")
            factories.topic(grown, f"9-1_{name}{queries}{_}", "More", task="turn", parent=late, ordinal=9)
