"""Acts on many assignments at once: by cell, row, column and person, by page, API and command, all or none."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from assess.assignments.domain.assignments import reopen_assignment
from assess.assignments.domain.held_work import Stopped
from assess.base.errors import Conflict
from assess.models import Activity, Assignment, Campaign, Topic
from assess.work import bulk
from assess.work.bulk import LIMIT, Selection, SomeRefused, act_on_selection, preview
from assess.work.domain import hand_over
from assess.work.views import assignments
from tests import factories
from tests.assess.commands import run_command
from tests.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(organiser: User) -> Client:
    client = Client()
    client.force_login(organiser)
    return client


@pytest.fixture
def third(campaign: Campaign) -> User:
    return factories.member(campaign, "third", "assessor")


@pytest.fixture
def more(campaign: Campaign, rigid: Topic) -> list[Topic]:
    """Three rigid questions."""
    parent = rigid.parent
    return [rigid] + [
        factories.topic(campaign, f"1.{number}", "Which more?", task="rigid", parent=parent, ordinal=number)
        for number in (3, 4)
    ]


def held(campaign: Campaign) -> set[tuple[str, str, str, str]]:
    live = campaign.assignments.exclude(state="returned")
    return set(live.values_list("topic__number", "stage", "assessor__username", "state"))


def test_a_column_is_handed_out_where_nobody_has_it(
    campaign: Campaign, organiser: User, assessor: User, second_assessor: User, more: list[Topic]
) -> None:
    factories.assignment(more[0], "instances", second_assessor)
    chosen = Selection(columns=frozenset({"instances"}))
    seen = preview(actor=organiser, campaign=campaign, act="hand-out", selection=chosen, to=assessor)
    assert [piece.name for piece in seen.done] == ["1.3 instances", "1.4 instances"]
    assert len(held(campaign)) == 1, "a preview changes nothing"
    act_on_selection(actor=organiser, campaign=campaign, act="hand-out", selection=chosen, to=assessor)
    assert {(topic, who) for topic, _, who, _ in held(campaign)} == {
        ("1.1", "second_assessor"),
        ("1.3", "assessor"),
        ("1.4", "assessor"),
    }


def test_others_write_while_much_is_previewed(
    campaign: Campaign, organiser: User, assessor: User, more: list[Topic], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A preview of 750 pieces held SQLite's only writer for seconds."""
    blocks: list[int] = []
    monkeypatch.setattr(bulk, "AT_ONCE", 2)
    monkeypatch.setattr(bulk, "lock_open", lambda campaign: blocks.append(campaign.pk))
    factories.topic(campaign, "1.5", "Which else?", task="rigid", parent=more[0].parent, ordinal=5)
    factories.topic(campaign, "1.6", "Which else?", task="rigid", parent=more[0].parent, ordinal=6)
    chosen = Selection(columns=frozenset({"instances"}))
    seen = preview(actor=organiser, campaign=campaign, act="hand-out", selection=chosen, to=assessor)
    assert (len(seen.done), len(blocks), held(campaign)) == (5, 3, set())


def test_all_of_a_person_is_handed_over_and_what_is_done_stays(
    campaign: Campaign, organiser: User, assessor: User, third: User, more: list[Topic]
) -> None:
    for topic, state in zip(more, ("started", "open", "done"), strict=True):
        Assignment.objects.filter(pk=factories.assignment(topic, "instances", assessor).pk).update(state=state)
    chosen = Selection(of=assessor.pk)
    act_on_selection(actor=organiser, campaign=campaign, act="hand-over", selection=chosen, to=third)
    assert {(topic, who) for topic, _, who, _ in held(campaign)} == {
        ("1.1", "third"),
        ("1.3", "third"),
        ("1.4", "assessor"),
    }
    chosen = Selection(rows=frozenset(topic.pk for topic in more))
    done = act_on_selection(actor=organiser, campaign=campaign, act="reopen", selection=chosen)
    assert [piece.name for piece in done.done] == ["1.4 instances of assessor"]
    assert ("1.4", "instances", "assessor", "started") in held(campaign)
    assert Activity.objects.filter(action="assignment.reopen", actor=organiser).count() == 1
    back = act_on_selection(actor=organiser, campaign=campaign, act="take-back", selection=chosen)
    assert (len(back.done), held(campaign)) == (3, set())


def test_work_that_is_not_done_is_not_opened_again(
    campaign: Campaign, organiser: User, assessor: User, more: list[Topic]
) -> None:
    """It was said to be, since to open it changes nothing."""
    works = [factories.assignment(topic, "instances", assessor) for topic in more]
    for work, state in zip(works, ("started", "stopped", "done"), strict=True):
        Assignment.objects.filter(pk=work.pk).update(state=state)
    chosen = Selection(pieces=frozenset(work.pk for work in works))
    outcome = preview(actor=organiser, campaign=campaign, act="reopen", selection=chosen)
    assert [piece.name for piece in outcome.done] == ["1.4 instances of assessor"]
    assert [(piece.name, reason) for piece, reason in outcome.refused] == [
        ("1.1 instances of assessor", "It is not done."),
        ("1.3 instances of assessor", Stopped(works[1]).message),
    ]
    with pytest.raises(Conflict, match="An organiser stopped the judging"):
        reopen_assignment(actor=organiser, assignment=Assignment.objects.get(pk=works[1].pk))


def test_one_refused_piece_leaves_all_as_it_was(
    campaign: Campaign, organiser: User, assessor: User, second_assessor: User, more: list[Topic]
) -> None:
    for topic in more:
        factories.assignment(topic, "instances", assessor)
    factories.assignment(more[1], "instances", second_assessor, role="second")
    before, acts = held(campaign), Activity.objects.count()
    chosen = Selection(of=assessor.pk)
    with pytest.raises(SomeRefused) as refused:
        act_on_selection(actor=organiser, campaign=campaign, act="hand-over", selection=chosen, to=second_assessor)
    assert "1 of 3 assignments" in refused.value.message
    (issue,) = refused.value.issues
    assert issue.where == "1.3 instances of assessor" and "already" in issue.message
    assert (held(campaign), Activity.objects.count()) == (before, acts)


def test_the_page_shows_what_is_refused_and_does_the_rest(
    desk: Client, campaign: Campaign, assessor: User, second_assessor: User, more: list[Topic]
) -> None:
    for topic in more:
        factories.assignment(topic, "instances", assessor)
    factories.assignment(more[1], "instances", second_assessor, role="second")
    address = reverse("assignments-bulk", args=[campaign.slug])
    page = page_of(desk.get(reverse("assignments", args=[campaign.slug])))
    assert f'formaction="{address}"' in page and "Which more?" in page and 'name="column" value="instances"' in page
    form = {"act": "hand-over", "of": str(assessor.pk), "assessor": str(second_assessor.pk)}
    shown = page_of(desk.post(address, form))
    assert "1 assignment can't be included" in shown and "Hand over 2 assignments" in shown
    fields = dict(re.findall(r'name="(act|role|sure|assessor|pieces|cells)" value="([^"]*)"', shown))
    assert desk.post(address, fields).status_code == 302
    assert {(topic, who) for topic, _, who, _ in held(campaign)} == {
        ("1.1", "second_assessor"),
        ("1.3", "assessor"),
        ("1.3", "second_assessor"),
        ("1.4", "second_assessor"),
    }
    again = desk.post(address, fields)
    assert again.status_code == 422 and "Nothing that was chosen" in page_of(again), "what is gone is not done twice"


def test_whole_columns_are_shown_before_they_are_handed_out(
    desk: Client, campaign: Campaign, assessor: User, more: list[Topic]
) -> None:
    address = reverse("assignments-hand-out", args=[campaign.slug])
    form = {"assessor": str(assessor.pk), "role": "primary", "column": "instances"}
    shown = page_of(desk.post(address, form))
    assert "Hand out 3 assignments" in shown and held(campaign) == set()
    assert desk.post(address, {"assessor": str(assessor.pk), "role": "primary"}).status_code == 422


def test_all_topics_that_fit_are_taken_on_whatever_page_they_stand(
    desk: Client, campaign: Campaign, assessor: User, more: list[Topic], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assignments, "TOPICS", 2)
    table = reverse("assignments", args=[campaign.slug])
    pages = [page_of(desk.get(table, {"q": "1.", "page": page})) for page in "12"]
    assert [page.count('name="row"') for page in pages] == [2, 2]
    assert "all 4 topics that fit, on all pages" in pages[0]
    address = reverse("assignments-hand-out", args=[campaign.slug])
    form = {"assessor": str(assessor.pk), "role": "primary", "fitting": "yes", "q": "more"}
    shown = page_of(desk.post(address, form))
    cells = re.search(r'name="cells" value="([^"]+)"', shown)
    assert cells is not None
    stages = [cell.partition(":")[2] for cell in cells[1].split()]
    assert {cell.partition(":")[0] for cell in cells[1].split()} == {str(topic.pk) for topic in more[1:]}
    assert stages.count("instances") == 2 and len(stages) > 2
    only = page_of(desk.post(address, {**form, "column": "instances"}))
    assert "Hand out 2 assignments" in only and held(campaign) == set(), "of the column what fits"


def test_a_page_has_fewer_topics_where_many_people_have_work_on_each(
    desk: Client,
    campaign: Campaign,
    assessor: User,
    second_assessor: User,
    third: User,
    more: list[Topic],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for topic in more[:2]:
        factories.assignment(topic, "instances", assessor)
        for person in (second_assessor, third):
            factories.assignment(topic, "instances", person, role="second")
    table = reverse("assignments", args=[campaign.slug])
    for works, rows in ((300, 3), (6, 2), (5, 1), (1, 1)):
        monkeypatch.setattr(assignments, "WORKS", works)
        assert page_of(desk.get(table)).count('name="row"') == rows + (works == 300), works


def test_what_was_not_chosen_or_can_not_be_is_said(desk: Client, campaign: Campaign, assessor: User) -> None:
    address = reverse("assignments-bulk", args=[campaign.slug])
    for form, said in (
        ({"act": "take-back"}, "Nothing that was chosen"),
        ({"act": "burn", "of": str(assessor.pk)}, "There is no act"),
        ({"act": "hand-over", "of": str(assessor.pk)}, "Choose an assessor"),
        ({"act": "take-back", "piece": "x"}, "not filled in by this page"),
        ({"act": "hand-out", "cell": "1", "assessor": str(assessor.pk)}, "not filled in by this page"),
        ({"act": "hand-out", "column": "none", "assessor": str(assessor.pk)}, "There is no stage"),
        ({"act": "hand-out", "column": "instances", "assessor": str(assessor.pk), "role": "king"}, "is not a role"),
    ):
        answer = desk.post(address, form)
        assert answer.status_code == 422 and said in page_of(answer), form
    Campaign.objects.filter(pk=campaign.pk).update(state="frozen")
    answer = desk.post(address, {"act": "take-back", "of": str(assessor.pk)})
    assert answer.status_code == 409


def test_the_table_counts_and_is_a_file(
    desk: Client, campaign: Campaign, assessor: User, grading: Assignment, more: list[Topic]
) -> None:
    User.objects.filter(pk=assessor.pk).update(first_name="Anna")
    address = reverse("assignments", args=[campaign.slug])
    answer = desk.get(f"{address}?format=csv")
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    (mine,) = [row for row in rows if row["Assessor"] == "assessor"]
    assert (mine["Topic"], mine["Stage"], mine["Display name"], mine["Judged"]) == ("1.1", "instances", "Anna", "0")
    assert mine["Items"] == mine["Left"] != "0"
    assert {row["State"] for row in rows if row["Topic"] == "1.2"} == {"unassigned"}
    page = page_of(desk.get(address))
    assert f"0 of {mine['Left']}" in page
    asking_for_nobody = re.findall(r'name="act" value="([\w-]+)" formnovalidate>', page)
    assert asking_for_nobody == ["take-back", "reopen"], "browsers ask for the assessor, whom these don't need"


def test_call_and_command_do_the_same(
    desk: Client, campaign: Campaign, organiser: User, assessor: User, third: User, more: list[Topic]
) -> None:
    def call(**body: Any) -> Any:
        where = f"/api/v1/campaigns/{campaign.slug}/assignments/bulk/"
        return desk.post(where, json.dumps(body), content_type="application/json")

    made = call(act="hand-out", stages=["instances"], to="assessor")
    assert (made.status_code, len(made.json()["done"]), len(held(campaign))) == (200, 3, 3)
    tried = call(act="hand-over", of="assessor", to="third", dry_run=True)
    assert len(tried.json()["done"]) == 3 and {who for _, _, who, _ in held(campaign)} == {"assessor"}
    factories.assignment(more[0], "instances", third, role="second")
    refused = call(act="hand-over", of="assessor", to="third")
    assert (refused.status_code, refused.json()["code"], refused.json()["total"]) == (409, "some-refused", 1)
    assert call(act="take-back", topics=["9.9"]).status_code == 422
    by_hand = ("call", "assignments_bulk", campaign.slug)
    _, said, _ = run_command(*by_hand, "act=hand-over", "of=assessor", "to=third", "dry_run=true", "--format=json")
    assert [len(json.loads(said)[name]) for name in ("done", "refused")] == [2, 1]
    assert run_command(*by_hand, "act=take-back", "topics=1.3", "stages=instances")[0] == 0
    assert len(held(campaign)) == 3


@pytest.mark.parametrize(("act", "state"), [("hand-over", "open"), ("take-back", "started"), ("reopen", "done")])
def test_many_take_as_many_queries_as_a_few(
    campaign: Campaign, organiser: User, assessor: User, third: User, more: list[Topic], act: str, state: str
) -> None:
    """Everybody waits meanwhile: 1,000 took some seconds."""

    def cost(topics: list[Topic]) -> int:
        for topic in topics:
            Assignment.objects.filter(pk=factories.assignment(topic, "instances", assessor).pk).update(state=state)
        chosen = Selection(rows=frozenset(topic.pk for topic in topics))
        with CaptureQueriesContext(connection) as asked:
            done = act_on_selection(actor=organiser, campaign=campaign, act=act, selection=chosen, to=third)
        assert (len(done.done), len(done.made)) == (len(topics), len(topics))
        return len(asked)

    also = [
        factories.topic(campaign, f"1.{number}", "Which else?", task="rigid", parent=more[0].parent, ordinal=number)
        for number in range(5, 11)
    ]
    assert cost(more[:2]) == cost(also)


def test_many_handed_over_are_what_each_handed_over_by_itself_is(
    campaign: Campaign, organiser: User, assessor: User, second_assessor: User, third: User, more: list[Topic]
) -> None:
    first = [factories.assignment(topic, "instances", assessor) for topic in more]
    Assignment.objects.filter(pk=first[2].pk).update(chain_start=first[0].pk)
    single = hand_over(actor=organiser, assignment=first[0], to=third)
    before = Activity.objects.order_by("pk").last()
    assert before is not None
    chosen = Selection(pieces=frozenset(each.pk for each in first[1:]))
    made = act_on_selection(actor=organiser, campaign=campaign, act="hand-over", selection=chosen, to=third).made
    assert [each.taken_over_id for each in made] == [each.pk for each in first[1:]]
    assert [each.chain_start_id for each in made] == [first[1].pk, first[0].pk]
    alike = ("assessor_id", "role", "state", "campaign_id", "stage", "started_at", "done_at")
    stored = Assignment.objects.filter(pk__in=[each.pk for each in made])
    assert set(stored.values_list(*alike)) == {tuple(getattr(single, name) for name in alike)}
    assert list(stored.order_by("pk").values_list("seed", flat=True)) == [each.seed for each in first[1:]]
    ended = Assignment.objects.filter(pk__in=[each.pk for each in first])
    assert set(ended.values_list("state", "done_at", "lease_until")) == {("returned", None, None)}
    said = list(Activity.objects.filter(pk__gt=before.pk).order_by("pk").values_list("action", "object_id", "data"))
    told = {"from": assessor.pk, "to": third.pk, "before": first[1].pk}
    assert [action for action, *_ in said] == ["assignment.create", "assignment.hand_over"] * 2
    assert said[1] == ("assignment.hand_over", str(made[0].pk), told)


def test_more_than_one_act_takes_is_refused_before_anything_is_looked_for(
    desk: Client, campaign: Campaign, assessor: User, more: list[Topic]
) -> None:
    """All judges wait while an act writes, and the database takes no endless list."""
    form = {"act": "take-back", "pieces": " ".join(map(str, range(300_000)))}
    refused = desk.post(reverse("assignments-bulk", args=[campaign.slug]), form)
    assert refused.status_code == 422 and "too many for one act" in page_of(refused)
    cells = " ".join(f"{number}:instances" for number in range(LIMIT + 1))
    form = {"act": "hand-out", "assessor": str(assessor.pk), "cells": cells}
    refused = desk.post(reverse("assignments-bulk", args=[campaign.slug]), form)
    assert refused.status_code == 422 and "too many for one act" in page_of(refused)
