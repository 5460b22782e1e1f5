"""Settling disagreements: who may, what counts, and what is shown of the two sides."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac

from assess.adjudication.domain import decide
from assess.adjudication.queries.disagreements import (
    counted_disagreements,
    disagreements,
    disputed_questions,
    distance,
    undecided,
)
from assess.adjudication.queries.listing import DisagreementFilter, listed_disagreements, paged_disagreements
from assess.adjudication.queries.sides import drawn
from assess.adjudication.queries.windows import TopicRows, WholeRows, counted_in_order, numbers_in_order
from assess.assignments.domain.leases import change_work_rules, return_lapsed
from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.campaigns.queries import stage_of
from assess.judging.queries.current import official_judgments
from assess.judging.snapshots import Snapshot
from assess.kinds.base import Tally
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.kinds.grade.tally import grade_tally
from assess.kinds.opinions import AdjudicableItem, Decision
from assess.models import Activity, Assignment, Campaign, Item, Judgment, Membership, Topic
from assess.protocol import Criterion, Stage
from tests import factories
from tests.assess import judged_campaign as judging
from tests.benches import Benches
from tests.pages import page_of

pytestmark = pytest.mark.django_db

Say = Callable[..., Judgment]


@pytest.fixture
def stage(campaign: Campaign) -> Stage:
    return stage_of(campaign, "instances")[1]


@pytest.fixture
def criterion(stage: Stage) -> Criterion:
    return stage.criteria[0]


@pytest.fixture
def works(grading: Assignment, rigid: Topic, second_assessor: User) -> dict[str, Assignment]:
    second = factories.assignment(rigid, "instances", second_assessor, role="second")
    return {"primary": grading, "second": second}


@pytest.fixture
def disputed(works: dict[str, Assignment], rigid_items: list[Item]) -> list[Item]:
    """The author says correct of all three items; the other assessor agrees on the first one alone."""
    for item, other in zip(rigid_items, (1, -1, 3), strict=True):
        say(works["primary"], item, 1, note="I see it")
        say(works["second"], item, other, note="Look again")
    return rigid_items


def say(work: Assignment, item: Item, value: int | None, note: str = "") -> Judgment:
    made = JudgmentInput(item=item, criterion="correctness", value=value, client_key=uuid4(), note=note)
    return record_judgment(actor=work.assessor, assignment=work, judgment=made)


def settle(
    actor: User,
    campaign: Campaign,
    stage: Stage,
    item: Item,
    value: int | None,
    key: UUID | None = None,
    note: str = "",
) -> Judgment:
    decision = Decision(thing=str(item.pk), criterion="correctness", value=value, client_key=key or uuid4(), note=note)
    made = decide(actor=actor, campaign=campaign, stage=stage, decision=decision)
    assert isinstance(made, Judgment)
    return made


def official(campaign: Campaign) -> dict[str, int | None]:
    return {row.item.text: row.value for row in official_judgments(Snapshot(campaign)).select_related("item")}


def test_what_both_said_alike_is_no_disagreement(
    campaign: Campaign, stage: Stage, criterion: Criterion, disputed: list[Item]
) -> None:
    rows = disagreements(campaign, stage, criterion)
    assert sorted((row.thing.item_id or 0, sorted(row.values), row.decided) for row in rows) == [
        (disputed[1].pk, [-1, 1], None),
        (disputed[2].pk, [1, 3], None),
    ]
    assert [
        (each.stage.key, each.criterion.key, each.total, each.decided) for each in disputed_questions(campaign)
    ] == [("instances", "correctness", 2, 0)]


def test_a_decision_is_a_judgment_by_the_adjudicator_and_counts(
    campaign: Campaign, stage: Stage, criterion: Criterion, disputed: list[Item], adjudicator: User
) -> None:
    row = settle(adjudicator, campaign, stage, disputed[1], -1, note="It is the shop's colour")

    work = campaign.assignments.get(role="adjudicator")
    assert (work.assessor, work.topic, work.stage, work.state) == (
        adjudicator,
        disputed[1].topic,
        "instances",
        "started",
    )
    assert (row.assessor, row.assignment, row.value, row.note) == (adjudicator, work, -1, "It is the shop's colour")
    assert official(campaign) == {"blue bicycle": 1, "green bicycle": -1, "red bicycle": 1}
    decided = [(each.decided, each.note) for each in disagreements(campaign, stage, criterion)]  # in drawn order
    assert sorted(decided, key=str) == [(-1, "It is the shop's colour"), (None, "")]


def test_what_another_adjudicator_decided_is_not_taken_back_but_decided_otherwise(
    campaign: Campaign, stage: Stage, disputed: list[Item], adjudicator: User, organiser: User
) -> None:
    settle(organiser, campaign, stage, disputed[1], 2)
    with pytest.raises(Conflict, match="Another adjudicator decided this"):
        settle(adjudicator, campaign, stage, disputed[1], None)
    assert [work.assessor for work in campaign.assignments.filter(role="adjudicator")] == [organiser]
    settle(adjudicator, campaign, stage, disputed[1], 3)
    assert official(campaign)["green bicycle"] == 3
    settle(adjudicator, campaign, stage, disputed[1], None)
    assert official(campaign)["green bicycle"] == 2


def test_neither_side_need_be_right(campaign: Campaign, stage: Stage, disputed: list[Item], adjudicator: User) -> None:
    settle(adjudicator, campaign, stage, disputed[1], 2)
    assert official(campaign)["green bicycle"] == 2


def test_the_work_of_a_topic_is_done_with_its_last_disagreement_and_taken_up_again(
    campaign: Campaign, stage: Stage, disputed: list[Item], adjudicator: User
) -> None:
    for item in disputed[1:]:
        settle(adjudicator, campaign, stage, item, 1)
    assert [work.state for work in campaign.assignments.filter(role="adjudicator")] == ["done"]

    settle(adjudicator, campaign, stage, disputed[1], None)

    assert [work.state for work in campaign.assignments.filter(role="adjudicator")] == ["started"]
    assert official(campaign)["green bicycle"] == 1
    done = ["assignment.create", "assignment.done", "assignment.reopen"]
    assert list(Activity.objects.order_by("id").values_list("action", flat=True)) == done


def test_the_same_key_says_it_once(campaign: Campaign, stage: Stage, disputed: list[Item], adjudicator: User) -> None:
    key = uuid4()
    assert (
        settle(adjudicator, campaign, stage, disputed[1], -1, key).pk
        == settle(adjudicator, campaign, stage, disputed[1], -1, key).pk
    )
    with pytest.raises(Conflict):
        settle(adjudicator, campaign, stage, disputed[1], 1, key)
    assert Judgment.objects.filter(assignment__role="adjudicator").count() == 1


def test_nobody_settles_what_they_judged(
    campaign: Campaign,
    stage: Stage,
    criterion: Criterion,
    disputed: list[Item],
    assessor: User,
    second_assessor: User,
    works: dict[str, Assignment],
) -> None:
    for person in (assessor, second_assessor):
        with pytest.raises(NotAllowed, match="somebody else has to decide it"):
            settle(person, campaign, stage, disputed[1], 1)
        assert disagreements(campaign, stage, criterion, person=person) == []

    Assignment.objects.filter(pk=works["second"].pk).update(state="returned")
    with pytest.raises(NotAllowed, match="You judged this item yourself"):
        settle(second_assessor, campaign, stage, disputed[1], 1)


def test_nobody_settles_a_topic_that_is_their_own_work(
    campaign: Campaign, stage: Stage, criterion: Criterion, disputed: list[Item], adjudicator: User, rigid: Topic
) -> None:
    factories.assignment(rigid, "instances", adjudicator, role="second", state="open")
    with pytest.raises(NotAllowed, match="your own work"):
        settle(adjudicator, campaign, stage, disputed[1], 1)
    assert disagreements(campaign, stage, criterion, person=adjudicator) == []


def test_nobody_settles_what_their_own_team_returned(
    campaign: Campaign, stage: Stage, disputed: list[Item], adjudicator: User, organiser: User, rigid: Topic
) -> None:
    factories.response(factories.run(campaign, "Harbor1", organiser), rigid, disputed[:1])
    seat = Membership.objects.create(campaign=campaign, user=adjudicator, role="participant", team="Harbor")
    with pytest.raises(Conflict, match="You take part for the team Harbor"):
        settle(adjudicator, campaign, stage, disputed[1], 1)
    assert not campaign.assignments.filter(role="adjudicator").exists()
    seat.delete()
    assert settle(adjudicator, campaign, stage, disputed[1], 1).value == 1


def test_what_nobody_disagrees_about_is_refused(
    campaign: Campaign, stage: Stage, disputed: list[Item], adjudicator: User
) -> None:
    with pytest.raises(Conflict, match="Nobody disagrees"):
        settle(adjudicator, campaign, stage, disputed[0], 1)
    with pytest.raises(Invalid, match="not on the scale"):
        settle(adjudicator, campaign, stage, disputed[1], 9)
    decision = Decision(thing=str(disputed[1].pk), criterion="beauty", value=1, client_key=uuid4())
    with pytest.raises(Invalid, match="is not asked here"):
        decide(actor=adjudicator, campaign=campaign, stage=stage, decision=decision)
    assert not campaign.assignments.filter(role="adjudicator").exists()


@pytest.mark.parametrize("state", ["setup", "frozen", "released"])
def test_a_campaign_that_is_not_judged_refuses(
    campaign: Campaign, stage: Stage, disputed: list[Item], adjudicator: User, state: str
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(state=state)
    with pytest.raises(Conflict, match="nothing can be judged now"):
        settle(adjudicator, campaign, stage, disputed[1], 1)


def test_what_was_settled_stays_settled_when_the_sides_make_up(
    campaign: Campaign,
    stage: Stage,
    criterion: Criterion,
    disputed: list[Item],
    adjudicator: User,
    works: dict[str, Assignment],
) -> None:
    settle(adjudicator, campaign, stage, disputed[1], 2)
    say(works["second"], disputed[1], 1)
    say(works["second"], disputed[2], 1)
    rows = disagreements(campaign, stage, criterion)
    assert [(row.thing.item_id, row.values, row.decided, row.size) for row in rows] == [(disputed[1].pk, (1, 1), 2, 0)]


def test_left_and_right_say_nothing_of_roles_and_stay(
    campaign: Campaign, stage: Stage, criterion: Criterion, works: dict[str, Assignment], rigid: Topic
) -> None:
    for item in factories.pooled(rigid, [f"colour {number}" for number in range(24)]):
        say(works["primary"], item, 1)
        say(works["second"], item, -1)
    first = [row.values for row in disagreements(campaign, stage, criterion)]
    assert set(first) == {(1, -1), (-1, 1)}
    assert [row.values for row in disagreements(campaign, stage, criterion)] == first


def test_work_that_was_given_back_and_done_again_is_no_side(
    campaign: Campaign,
    stage: Stage,
    criterion: Criterion,
    disputed: list[Item],
    works: dict[str, Assignment],
    rigid: Topic,
) -> None:
    Assignment.objects.filter(pk=works["second"].pk).update(state="returned")
    third = factories.assignment(rigid, "instances", factories.member(campaign, "third", "assessor"), role="second")
    say(third, disputed[1], 1)
    say(third, disputed[2], 2)
    rows = disagreements(campaign, stage, criterion)
    assert [(row.thing.item_id, sorted(row.values)) for row in rows] == [(disputed[2].pk, [1, 2])]


def test_disagreements_are_counted_as_they_are_listed(
    campaign: Campaign,
    stage: Stage,
    criterion: Criterion,
    works: dict[str, Assignment],
    disputed: list[Item],
    adjudicator: User,
    rigid: Topic,
) -> None:
    author, other, third = works["primary"], works["second"], factories.member(campaign, "third", "assessor")

    def counted() -> Counter[tuple[int, int, bool]]:
        for person in (None, adjudicator, author.assessor, other.assessor, third):
            rows = disagreements(campaign, stage, criterion, person=person)
            listed = Counter((row.topic_id, row.size, row.decided is not None) for row in rows)
            assert counted_disagreements(campaign, stage, criterion, person=person) == listed
        return counted_disagreements(campaign, stage, criterion)

    assert counted() == {(rigid.pk, 1, False): 2}
    settle(adjudicator, campaign, stage, disputed[1], 2)
    assert counted() == {(rigid.pk, 1, False): 1, (rigid.pk, 1, True): 1}
    say(other, disputed[0], 3)
    say(other, disputed[2], None)
    assert counted() == {(rigid.pk, 1, False): 1, (rigid.pk, 1, True): 1}
    settle(adjudicator, campaign, stage, disputed[1], None)
    settle(adjudicator, campaign, stage, disputed[0], 1)
    say(other, disputed[0], 1)
    assert counted() == {(rigid.pk, 1, False): 1, (rigid.pk, 0, True): 1}
    Assignment.objects.filter(pk=other.pk).update(state="returned")
    again = factories.assignment(rigid, "instances", third, role="second")
    assert counted() == {(rigid.pk, 1, False): 1, (rigid.pk, 0, True): 1}
    say(again, disputed[1], 1)
    say(again, disputed[2], 2)
    assert counted() == {(rigid.pk, 1, False): 1, (rigid.pk, 0, True): 1}
    Topic.objects.filter(pk=rigid.pk).update(dropped=True)
    assert counted() == {}


def test_nothing_is_read_one_by_one_to_count_what_everybody_said_once(
    campaign: Campaign,
    stage: Stage,
    disputed: list[Item],
    works: dict[str, Assignment],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built: list[AdjudicableItem] = []
    monkeypatch.setattr(
        "assess.kinds.grade.adjudicate.AdjudicableItem",
        lambda **of: built.append(thing := AdjudicableItem(**of)) or thing,
    )
    assert [(each.total, each.left) for each in disputed_questions(campaign)] == [(2, 2)]
    assert built == []
    say(works["second"], disputed[1], 3)
    assert undecided(campaign, [stage]) == 2
    assert {thing.item_id for thing in built} == {disputed[1].pk}


def test_pages_read_the_topics_they_show_and_list_them_as_a_whole_list_does(
    client: Client,
    campaign: Campaign,
    stage: Stage,
    criterion: Criterion,
    disputed: list[Item],
    works: dict[str, Assignment],
    adjudicator: User,
    rigid: Topic,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for number, name in enumerate(("later", "last"), start=50):
        topic = factories.topic(campaign, str(number), name, task=rigid.task, ordinal=number)
        held = [factories.assignment(topic, "instances", works[role].assessor, role=role) for role in works]
        for item in factories.pooled(topic, [f"{name} {place}" for place in range(3)]):
            for work, value in zip(held, (1, -1), strict=True):
                say(work, item, value)
    whole = WholeRows(disagreements(campaign, stage, criterion, person=adjudicator))
    settle(adjudicator, campaign, stage, Item.objects.get(pk=whole.rows[3].thing.item_id), 1)
    whole = WholeRows(disagreements(campaign, stage, criterion, person=adjudicator))
    groups = counted_disagreements(campaign, stage, criterion, person=adjudicator)
    total, done = counted_in_order(groups, list(numbers_in_order(campaign, groups)), 1)
    about = {"campaign": campaign, "stage": stage, "criterion": criterion, "person": adjudicator}
    paged = TopicRows(**about, size=1, total=total, done=done)
    assert (len(paged), paged.decided) == (len(whole), whole.decided) == (8, 1)
    assert [paged[at : at + 3] for at in range(9)] == [whole[at : at + 3] for at in range(9)]
    for name in (*(row.name for row in whole.rows), "", "9999999", "x"):
        assert paged.place_of(name) == whole.place_of(name)
        assert paged.open_after(name) == whole.open_after(name)

    for wanted in (
        DisagreementFilter(),
        DisagreementFilter(decided=True),
        DisagreementFilter(decided=False),
        DisagreementFilter(topic="51"),
        DisagreementFilter(size=2),
    ):
        listed = listed_disagreements(campaign, wanted, person=adjudicator)
        found = paged_disagreements(campaign, wanted, adjudicator)
        assert len(found) == len(listed)
        for at in range(9):
            assert [each.row for each in found[at : at + 3]] == [each.row for each in listed[at : at + 3]]

    draws: list[object] = []
    monkeypatch.setattr(
        "assess.adjudication.queries.disagreements.drawn", lambda *of: draws.append(of[1]) or drawn(*of)
    )
    monkeypatch.setattr("assess.adjudication.views.desk.PER_PAGE", 4)
    client.force_login(adjudicator)
    shown = [client.get(bench(campaign), {"page": page}).context["rows"] for page in (1, 2)]
    assert [row for page in shown for _, row, *_ in page] == whole.rows
    assert [line.place for page in shown for line, *_ in page] == list(range(1, 9))
    assert len(draws) == 5 + 6  # the two topics that each page shows something of


def test_machines_and_repeats_are_no_side(
    campaign: Campaign, stage: Stage, criterion: Criterion, grading: Assignment, rigid: Topic, rigid_items: list[Item]
) -> None:
    robot = factories.assignment(rigid, "instances", factories.member(campaign, "robot", "assessor"), role="machine")
    say(grading, rigid_items[0], 1)
    say(robot, rigid_items[0], -1)
    assert disagreements(campaign, stage, criterion) == []


def test_steps_on_an_ordinal_scale_are_counted_and_a_nominal_one_has_none(criterion: Criterion) -> None:
    assert distance(criterion, [-1, 3]) == 1
    assert distance(criterion, [2, 2]) == 0


# ---------------------------------------------------------------- the pages


def bench(campaign: Campaign, name: str = "adjudicate", **more: object) -> str:
    kwargs = {"slug": campaign.slug, "stage": "instances", "criterion": "correctness", **more}
    return reverse(name, kwargs=kwargs)


def test_the_list_counts_and_leads_to_the_bench(
    client: Client, campaign: Campaign, disputed: list[Item], adjudicator: User
) -> None:
    client.force_login(adjudicator)
    page = page_of(client.get(reverse("adjudication", args=[campaign.slug])))
    assert "0 of 2 decided" in page
    assert bench(campaign) in page


def test_the_bench_shows_both_sides_and_no_name(
    client: Client, campaign: Campaign, disputed: list[Item], adjudicator: User, organiser: User
) -> None:
    factories.document(campaign, disputed[1].docno, "A green bicycle stood there.")
    Item.objects.update(document=campaign.documents.get())
    client.force_login(adjudicator)
    for address in (
        bench(campaign),
        bench(campaign, "adjudicate-item", thing=judging.shown(disputed[1], campaign, adjudicator)),
    ):
        page = page_of(client.get(address, {"item": judging.shown(disputed[1], campaign, adjudicator)}))
        assert "I see it" in page
        assert "Look again" in page
        assert "A green bicycle stood there." in page or "<iframe" in page
        said = page.replace('<button class="primary">', "")  # that of the log-in
        assert {name for name in ("assessor-", "second_assessor", "author", "primary") if name in said} == set()


def test_without_scripts_a_decision_goes_on_to_the_next(
    client: Client, campaign: Campaign, disputed: list[Item], adjudicator: User
) -> None:
    client.force_login(adjudicator)
    form = {
        "item": judging.shown(disputed[1], campaign, adjudicator),
        "value": "-1",
        "note": "no",
        "client_key": str(uuid4()),
    }
    answer = client.post(bench(campaign, "adjudicate-decide") + "?sort=size", form)
    assert (answer.status_code, answer.url) == (
        302,
        f"{bench(campaign)}?sort=size&item={judging.shown(disputed[2], campaign, adjudicator)}",
    )  # type: ignore[attr-defined]
    page = page_of(client.get(answer.url))  # type: ignore[attr-defined]
    assert "1 of 2 decided" in page
    assert "green bicycle: incorrect" in page


def test_the_outbox_gets_json_and_refusals_as_sentences(
    client: Client, campaign: Campaign, disputed: list[Item], adjudicator: User, assessor: User
) -> None:
    client.force_login(adjudicator)
    form = {
        "item": judging.shown(disputed[1], campaign, adjudicator),
        "value": "2",
        "client_key": str(uuid4()),
        "how": "key",
        "seconds": "3.5",
    }
    answer = client.post(bench(campaign, "adjudicate-decide"), form, headers={"Accept": "application/json"})
    row = Judgment.objects.get(assessor=adjudicator)
    assert answer.json() == {
        "id": row.pk,
        "item": judging.shown(disputed[1], campaign, adjudicator),
        "criterion": "correctness",
        "value": 2,
    }
    assert (row.how, row.seconds) == ("key", 3.5)

    factories.Membership.objects.create(campaign=campaign, user=assessor, role="adjudicator")
    client.force_login(assessor)
    form |= {"client_key": str(uuid4()), "item": judging.shown(disputed[1], campaign, assessor)}
    answer = client.post(bench(campaign, "adjudicate-decide"), form, headers={"Accept": "application/json"})
    assert (answer.status_code, answer.json()["detail"]) == (
        403,
        "You judged this item yourself, so somebody else has to decide it.",
    )


def test_the_numbers_of_another_adjudicator_are_refused_everywhere(
    client: Client, campaign: Campaign, disputed: list[Item], adjudicator: User
) -> None:
    other = factories.member(campaign, "other_adjudicator", "adjudicator")
    theirs, own = (judging.shown(disputed[1], campaign, person) for person in (adjudicator, other))
    assert theirs != own
    client.force_login(other)
    assert own in client.get(bench(campaign), {"item": own}).content.decode()
    for address in (f"{bench(campaign)}?item={theirs}", bench(campaign, "adjudicate-item", thing=theirs)):
        answer = client.get(address)
        assert answer.status_code == 404
        assert "another adjudicator&#x27;s" in page_of(answer)
    form = {"item": theirs, "value": "1", "client_key": str(uuid4())}
    assert client.post(bench(campaign, "adjudicate-decide"), form).status_code == 409
    address = reverse("api-disagreement-list", args=[campaign.slug])
    listed = {row["thing"] for row in client.get(address).json()["results"]}
    assert own in listed and theirs not in listed
    body = {"stage": "instances", "criterion": "correctness", "thing": theirs, "value": 1, "client_key": str(uuid4())}
    assert client.post(address, body, content_type="application/json").status_code == 409
    assert Judgment.objects.filter(assignment__role="adjudicator").count() == 0


def test_the_order_of_disagreements_and_sides_follows_from_no_public_digest(
    campaign: Campaign, stage: Stage, disputed: list[Item], settings: Any
) -> None:
    (criterion,) = stage.criteria
    orders = set()
    for number in range(24):
        settings.SECRET_KEY = f"key {number}"
        rows = disagreements(campaign, stage, criterion)
        orders.add((tuple(row.name for row in rows), tuple(side.assessor_id for side in rows[0].sides)))
    assert len(orders) > 2


def test_one_of_very_many_topics_is_typed(
    client: Client, campaign: Campaign, disputed: list[Item], organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assess.adjudication.views.desk.CHOSEN_FROM", 0)
    client.force_login(organiser)
    shown = page_of(client.get(bench(campaign), {"topic": " 1.1 "}))
    assert 'id="f-topic" name="topic" value="1.1"' in shown and "<select id=" in shown
    assert shown.count("data-item=") == 2


def test_filters_narrow_and_pages_of_a_frozen_campaign_only_show(
    client: Client, campaign: Campaign, disputed: list[Item], organiser: User
) -> None:
    client.force_login(organiser)
    assert "Nothing to decide" in page_of(client.get(bench(campaign), {"topic": "9.9"}))
    shown = page_of(client.get(bench(campaign), {"topic": "1.1", "size": "1", "filter": "unjudged"}))
    assert shown.count("data-item=") == 2
    Campaign.objects.update(state="frozen")
    page = page_of(client.get(bench(campaign)))
    assert "nothing can be decided now" in page
    assert page.count("disabled") >= 6


def test_the_api_settles_and_refuses_whatever_no_database_holds(
    client: Client, campaign: Campaign, disputed: list[Item], adjudicator: User
) -> None:
    client.force_login(adjudicator)
    address = reverse("api-disagreement-list", args=[campaign.slug])
    said = {
        "stage": "instances",
        "criterion": "correctness",
        "thing": judging.shown(disputed[1], campaign, adjudicator),
        "value": 1,
    }

    def answer(**other: object) -> tuple[int, dict[str, object]]:
        body = {**said, "client_key": str(uuid4()), **other}
        got = client.post(address, body, content_type="application/json")
        return got.status_code, got.json()

    for thing in (str(10**30), str(1 << 63), "-1", "0", "1-2-3", "x"):
        assert answer(thing=thing)[0] == 409
    assert answer(seconds="nan")[0] == answer(value="x")[0] == 422
    assert answer()[0] == 201
    assert Judgment.objects.get(assessor=adjudicator).item == disputed[1]


def test_a_criterion_or_item_that_is_not_there_is_not_found(
    client: Client, campaign: Campaign, disputed: list[Item], adjudicator: User
) -> None:
    client.force_login(adjudicator)
    for address in (
        bench(campaign, criterion="beauty"),
        bench(campaign, stage="matches"),
        bench(campaign, "adjudicate-item", thing=judging.shown(disputed[0], campaign, adjudicator)),
    ):
        assert client.get(address).status_code == 404
    form = {"item": judging.shown(disputed[0], campaign, adjudicator), "value": "1"}
    assert client.post(bench(campaign, "adjudicate-decide"), form).status_code == 409


def test_the_api_lists_all_that_the_caller_may_settle_and_narrows(
    client: Client, campaign: Campaign, disputed: list[Item], adjudicator: User, assessor: User
) -> None:
    address = reverse("api-disagreement-list", args=[campaign.slug])
    settle(adjudicator, campaign, stage_of(campaign, "instances")[1], disputed[1], -1, note="So.")
    client.force_login(adjudicator)
    rows = client.get(address).json()["results"]
    about = {"stage": "instances", "criterion": "correctness", "topic": "1.1", "number": None, "size": 1}
    named = {each: judging.shown(each, campaign, adjudicator) for each in disputed[1:]}
    listed = [{name: row[name] for name in (*about, "thing", "item", "decided", "note")} for row in rows]
    assert sorted(listed, key=lambda row: row["decided"] is None) == [
        {**about, "thing": named[item], "item": int(named[item]), "decided": decided, "note": note}
        for item, decided, note in ((disputed[1], -1, "So."), (disputed[2], None, ""))
    ]
    for query, number in (
        ("decided=no", 1),
        ("decided=yes", 1),
        ("size=2", 0),
        ("topic=1.2", 0),
        ("stage=instances", 2),
    ):
        assert client.get(f"{address}?{query}").json()["count"] == number
    assert client.get(f"{address}?decided=perhaps").status_code == 422
    assert client.get(f"{address}?size=x").status_code == 422
    assert "instances correctness" in client.get(f"{address}?stage=nowhere").json()["detail"]
    factories.Membership.objects.create(campaign=campaign, user=assessor, role="adjudicator")
    client.force_login(assessor)
    assert client.get(address).json()["count"] == 0


# ---------------------------------------------------------------- commands


def command(*arguments: str) -> list[list[str]]:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return [line.split("\t") for line in out.getvalue().splitlines()]


def test_the_commands_list_and_decide(campaign: Campaign, disputed: list[Item], adjudicator: User) -> None:
    rows = sorted(command("disagreements", campaign.slug, "--open"), key=lambda row: int(row[3]))
    assert [(row[0], row[1], row[2], row[3], row[5:]) for row in rows] == [
        ("instances", "correctness", "1.1", str(item.pk), ["1", "", item.text]) for item in disputed[1:]
    ]
    about = ("decide", campaign.slug, "--stage", "instances", "--criterion", "correctness", "--thing", rows[0][3])
    key = str(uuid4())
    for _ in range(2):
        ((number, *said),) = command(*about, "--value", "2", "--adjudicator", adjudicator.username, "--key", key)
        assert said == ["instances", "correctness", rows[0][3], "2"]
        assert int(number) == Judgment.objects.get(assessor=adjudicator).pk
    assert official(campaign)["green bicycle"] == 2
    assert [row[6] for row in command("disagreements", campaign.slug, "--decided", "--stage", "instances")] == ["2"]
    kept = json.loads("".join("\t".join(row) for row in command("disagreements", campaign.slug, "--format", "json")))
    assert {row["decided"] for row in kept} == {2, None}
    command(*about, "--take-back", "--adjudicator", adjudicator.username)
    assert official(campaign)["green bicycle"] == 1


def test_the_commands_say_what_can_be_settled(campaign: Campaign, disputed: list[Item], adjudicator: User) -> None:
    with pytest.raises(CommandError, match="instances correctness"):
        command("disagreements", campaign.slug, "--stage", "nowhere")
    with pytest.raises(CommandError, match="instances correctness"):
        command(
            *("decide", campaign.slug, "--stage", "instances", "--criterion", "beauty", "--thing", "1"),
            *("--value", "1", "--adjudicator", adjudicator.username),
        )


@pytest.mark.parametrize(("stage", "criterion"), [("", ""), ("instances", ""), ("", "correctness")])
def test_a_decision_names_its_stage_and_its_criterion(
    client: Client, campaign: Campaign, disputed: list[Item], adjudicator: User, stage: str, criterion: str
) -> None:
    with pytest.raises(CommandError, match="instances correctness") as refused:
        command(
            *("decide", campaign.slug, "--stage", stage, "--criterion", criterion, "--thing", str(disputed[1].pk)),
            *("--value", "1", "--adjudicator", adjudicator.username),
        )
    assert refused.value.returncode == 2
    assert not Judgment.objects.filter(assessor=adjudicator).exists()


# ---------------------------------------------------------------- evidence


def test_a_decision_takes_over_the_snippets_of_who_said_the_same(benches: Benches, adjudicator_of: User) -> None:
    campaign, (item, _) = benches.campaign, benches.items("citation")
    stage = stage_of(campaign, "citations")[1]
    other = factories.member(campaign, "other", "assessor")
    second = factories.assignment(benches.topic, "citations", other, role="second")
    for work, value, quote in ((benches.work["citations"], 1, "Statins lower cholesterol."), (second, 3, "")):
        evidence = [{"quote": quote}] if quote else None
        made = JudgmentInput(item=item, criterion="support", value=value, client_key=uuid4(), evidence=evidence)
        record_judgment(actor=work.assessor, assignment=work, judgment=made)

    for value, quotes in ((1, ["Statins lower cholesterol."]), (3, []), (2, [])):
        decision = Decision(thing=str(item.pk), criterion="support", value=value, client_key=uuid4())
        row = decide(actor=adjudicator_of, campaign=campaign, stage=stage, decision=decision)
        assert isinstance(row, Judgment)
        assert [(each["quote"], each["start"]) for each in row.evidence or []] == [(quote, 0) for quote in quotes]


@pytest.fixture
def adjudicator_of(benches: Benches) -> User:
    return factories.member(benches.campaign, "settler", "adjudicator")


# ---------------------------------------------------------------- the adjudicator's work


def test_an_adjudicators_work_counts_disagreements_and_leads_to_them(
    client: Client, campaign: Campaign, stage: Stage, disputed: list[Item], adjudicator: User, rigid: Topic
) -> None:
    work = factories.assignment(rigid, "instances", adjudicator, role="adjudicator")
    settle(adjudicator, campaign, stage, disputed[1], 1)
    assert grade_tally([work]) == {work.pk: Tally(done=1, total=2, unit="disagreements")}
    client.force_login(adjudicator)
    answer = client.get(reverse("workbench", args=[campaign.slug, work.pk]))
    assert answer.headers["Location"] == f"{bench(campaign)}?topic=1.1"
    assert "1 of 2" in page_of(client.get(reverse("work", args=[campaign.slug])))


def test_a_topic_without_disagreement_that_is_handed_to_an_adjudicator_is_judged_whole(
    client: Client, campaign: Campaign, grading: Assignment, rigid: Topic, rigid_items: list[Item], adjudicator: User
) -> None:
    work = factories.assignment(rigid, "instances", adjudicator, role="adjudicator")
    client.force_login(adjudicator)
    assert client.get(reverse("workbench", args=[campaign.slug, work.pk])).status_code == 200
    assert grade_tally([work])[work.pk].total == 3


def test_an_adjudicator_s_work_goes_back_like_all_other_until_all_is_settled(
    disputed: list[Item], campaign: Campaign, stage: Stage, adjudicator: User, organiser: User
) -> None:
    change_work_rules(actor=organiser, campaign=campaign, lease_hours=48, takes_primary=False)
    settle(adjudicator, campaign, stage, disputed[1], 2)
    work = Assignment.objects.get(role="adjudicator")
    assert work.lease_until is not None
    Assignment.objects.filter(pk=work.pk).update(lease_until=timezone.now() - timedelta(hours=1))
    assert [each.pk for each in return_lapsed(campaign=campaign)] == [work.pk]
    settle(adjudicator, campaign, stage, disputed[2], 2)
    again = Assignment.objects.exclude(pk=work.pk).get(role="adjudicator")
    assert (again.state, again.lease_until) == ("done", None)


def test_a_draw_is_that_of_a_salted_hmac() -> None:
    expected = salted_hmac("assay.disagreements", "grade\x0017", algorithm="sha256").digest()
    assert drawn("grade", 17) == expected
