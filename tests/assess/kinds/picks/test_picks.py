"""Picking items and putting them in order: one list, rows for what changed, the same key twice, none of them."""

from __future__ import annotations

import json
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from assess.assignments.domain.assignments import finish_assignment, open_assignment
from assess.assignments.queries.work_items import handle_of
from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.campaigns.queries import stage_of
from assess.judging.queries.picked import official_pickers, ranking_of
from assess.judging.snapshots import Snapshot
from assess.kinds.base import Tally, work_kind
from assess.kinds.opinions import AdjudicableItem, Decision, Disagreement
from assess.kinds.picks.adjudicate import record_list
from assess.kinds.picks.bench import current_picks, label_of, labels_of, page_images, picked_items, picks_tally
from assess.kinds.picks.record import add_label, record_picks
from assess.models import Activity, Assignment, Item, Judgment
from assess.work.domain import hand_over
from tests import factories
from tests.benches import LABELS, Benches
from tests.pages import page_of

pytestmark = pytest.mark.django_db
KEY = UUID("00000000-0000-4000-8000-000000000001")
JSON = {"accept": "application/json"}


@pytest.fixture
def work(benches: Benches) -> Assignment:
    return benches.work["figures"]


def items(work: Assignment, *labels: str) -> list[Item]:
    return [Item.objects.get(topic=work.topic, kind="figure", text=label) for label in labels]


def pick(work: Assignment, *labels: str, key: UUID | None = None, none: bool | None = None) -> list[Judgment]:
    return record_picks(
        actor=work.assessor, assignment=work, items=items(work, *labels), client_key=key or uuid4(), none=none
    )


def picked(work: Assignment) -> list[tuple[str, int]]:
    _, stage = stage_of(work.campaign, work.stage)
    return [(Item.objects.get(pk=pk).text, place) for pk, place in picked_items(work.topic, stage, work.assessor)]


def test_places_are_the_values(work: Assignment) -> None:
    pick(work, "FIG 2", "FIG 1", "TABLE 1")
    assert picked(work) == [("FIG 2", 1), ("FIG 1", 2), ("TABLE 1", 3)]


def test_only_what_changed_is_added(work: Assignment) -> None:
    pick(work, "FIG 2", "FIG 1", "TABLE 1")
    rows = pick(work, "FIG 2", "TABLE 1")
    assert [(row.item.text, row.value) for row in rows] == [("FIG 1", None), ("TABLE 1", 2)]
    assert pick(work, "FIG 2", "TABLE 1") == []
    assert picked(work) == [("FIG 2", 1), ("TABLE 1", 2)]


def test_the_same_key_with_the_same_list_is_the_same_rows(work: Assignment) -> None:
    first = pick(work, "FIG 2", "FIG 1", key=KEY)
    pick(work, "TABLE 1")
    assert [row.pk for row in pick(work, "FIG 2", "FIG 1", key=KEY)] == [row.pk for row in first]
    assert picked(work) == [("TABLE 1", 1)]


@pytest.mark.parametrize("other", [("FIG 1", "FIG 2"), ("FIG 2",), ("FIG 2", "FIG 1", "TABLE 1"), ()])
def test_the_same_key_with_another_list_is_refused(work: Assignment, other: tuple[str, ...]) -> None:
    pick(work, "FIG 2", "FIG 1", key=KEY)
    with pytest.raises(Conflict, match="sent once before with other picks"):
        pick(work, *other, key=KEY)
    assert picked(work) == [("FIG 2", 1), ("FIG 1", 2)]


def test_a_repeated_list_is_answered_even_when_the_work_is_done(work: Assignment) -> None:
    rows = pick(work, "FIG 2", key=KEY)
    finish_assignment(actor=work.assessor, assignment=work)
    assert [row.pk for row in pick(work, "FIG 2", key=KEY)] == [row.pk for row in rows]
    with pytest.raises(Conflict, match="marked as done"):
        pick(work, "FIG 1")


@pytest.mark.parametrize(
    ("labels", "words"),
    [(("FIG 1", "FIG 2", "FIG 10", "TABLE 1"), "4 picks; 3 are allowed"), (("FIG 1", "FIG 1"), "twice")],
)
def test_a_list_that_does_not_fit_is_refused(work: Assignment, labels: tuple[str, ...], words: str) -> None:
    with pytest.raises(Invalid, match=words):
        pick(work, *labels)
    assert picked(work) == []


def test_what_is_not_of_this_stage_is_refused(work: Assignment, benches: Benches) -> None:
    with pytest.raises(Invalid, match="does not belong"):
        record_picks(actor=work.assessor, assignment=work, items=[benches.items("statement")[0]], client_key=uuid4())
    with pytest.raises(Invalid, match="You picked some and said “none of them”"):
        pick(work, "FIG 1", none=True)
    with pytest.raises(NotAllowed):
        record_picks(
            actor=benches.campaign.memberships.get(role="organiser").user, assignment=work, items=[], client_key=KEY
        )


def test_none_of_them_is_said_once_and_can_be_taken_back(work: Assignment) -> None:
    kind = work_kind("picks")
    assert kind.missing(work).startswith("You have picked nothing.")
    with pytest.raises(Conflict):
        finish_assignment(actor=work.assessor, assignment=work)
    pick(work, none=True)
    pick(work, none=True)
    assert Activity.objects.filter(action="picks.none").count() == 1
    assert kind.missing(work) == ""
    pick(work, none=False)
    assert kind.missing(work) != ""
    pick(work, none=True)
    assert finish_assignment(actor=work.assessor, assignment=work).state == "done"


def test_taking_the_last_pick_out_asks_again(work: Assignment) -> None:
    pick(work, none=True)
    pick(work, "FIG 1")
    assert picks_tally([work])[work.pk] == Tally(done=1, total=1, unit="list of figures")
    pick(work)
    assert picks_tally([work])[work.pk].done == 0
    pick(work, none=True)
    assert picks_tally([work])[work.pk].done == 1


def test_anothers_picks_are_not_mine(work: Assignment, benches: Benches) -> None:
    other = factories.member(benches.campaign, "other", "assessor")
    second = factories.assignment(benches.topic, "figures", other, role="second")
    pick(work, "FIG 1")
    assert picked(second) == []
    assert picks_tally([work, second])[second.pk].done == 0


def test_labels_stand_in_their_natural_order(work: Assignment) -> None:
    _, stage = stage_of(work.campaign, work.stage)
    assert [label_of(item) for item in labels_of(work, stage)] == LABELS


def test_an_own_label_is_made_proper_and_made_once(work: Assignment) -> None:
    made = add_label(actor=work.assessor, assignment=work, label=" fig. 7b ")
    assert (made.text, made.key, made.given, made.kind) == ("FIG 7B", "FIG 7B", False, "figure")
    assert add_label(actor=work.assessor, assignment=work, label="Fig 7B") == made
    assert add_label(actor=work.assessor, assignment=work, label="fig  1") == items(work, "FIG 1")[0]
    pick(work, "FIG 7B")
    _, stage = stage_of(work.campaign, work.stage)
    assert "FIG 7B" in [label_of(item) for item in labels_of(work, stage)]


@pytest.mark.parametrize("label", ["", "   ", "\0", "picture", "fig x", "FIG " + "1" * 300])
def test_what_is_no_label_is_refused(work: Assignment, label: str) -> None:
    before = Item.objects.count()
    with pytest.raises(Invalid):
        add_label(actor=work.assessor, assignment=work, label=label)
    assert Item.objects.count() == before


def test_pages_that_are_missing_are_named(benches: Benches) -> None:
    found = [(page.docno, page.document is not None) for page in page_images(benches.topic)]
    assert found == [("claim-1.png", True), ("claim-2.png", True), ("missing-3.png", False)]
    for odd in (None, "claim-1.png", [1, None, {}]):
        benches.topic.fields = {"pages": odd}
        assert page_images(benches.topic) == []


def test_the_page_takes_the_whole_list(client: Client, work: Assignment) -> None:
    client.force_login(work.assessor)
    wanted = [handle_of(work, item.pk) for item in items(work, "TABLE 1", "FIG 2")]
    form = {"items": json.dumps(wanted), "client_key": str(KEY), "how": "key", "seconds": "3.5"}
    answers = [client.post(reverse("picks", args=["benches", work.pk]), form, headers=JSON) for _ in range(2)]
    assert [answer.json() for answer in answers] == [{"rows": 2, "items": wanted}] * 2
    assert [row.seconds for row in Judgment.objects.order_by("id")] == [3.5, None]
    other = client.post(reverse("picks", args=["benches", work.pk]), {**form, "items": "[]"}, headers=JSON)
    assert other.status_code == 409


@pytest.mark.parametrize("posted", ["{", "5", '["1"]', "[true]", "[1e3]", "[" * 100_000, str([1] * 1001)])
def test_a_broken_list_is_refused_in_words(client: Client, work: Assignment, posted: str) -> None:
    client.force_login(work.assessor)
    answer = client.post(reverse("picks", args=["benches", work.pk]), {"items": posted}, headers=JSON)
    assert answer.status_code == 422
    assert answer.json()["detail"].endswith(".")
    assert client.post(reverse("picks", args=["benches", work.pk]), {"items": f"[{10**17}]"}).status_code == 404


@pytest.mark.parametrize("extra", [0, 40])
def test_the_bench_costs_the_same_queries_however_many_labels(
    client: Client, work: Assignment, django_assert_num_queries: DjangoAssertNumQueries, extra: int
) -> None:
    for number in range(extra):
        add_label(actor=work.assessor, assignment=work, label=f"FIG {number + 20}")
    pick(work, "FIG 1", "FIG 2")
    client.force_login(work.assessor)
    with django_assert_num_queries(21):
        client.get(reverse("workbench", args=["benches", work.pk]))


def test_a_place_is_given_once_by_whatever_way(client: Client, work: Assignment) -> None:
    client.force_login(work.assessor)
    first, second = items(work, "FIG 1", "FIG 2")
    address = f"/api/v1/campaigns/benches/assignments/{work.pk}/judgments/"

    def say(item: Item, value: int | None) -> int:
        said = {"item": handle_of(work, item.pk), "criterion": "place", "value": value, "client_key": str(uuid4())}
        return client.post(address, said, content_type="application/json").status_code

    assert [say(first, 1), say(first, 1), say(second, 1), say(second, 2)] == [201, 201, 409, 201]
    assert picked(work) == [("FIG 1", 1), ("FIG 2", 2)]
    assert [say(first, None), say(second, 1)] == [201, 201]
    assert picked(work) == [("FIG 2", 1)]


@pytest.fixture
def onward(work: Assignment, benches: Benches) -> Assignment:
    """The work, with two picks and a label of the first assessor's own, in the hands of another."""
    add_label(actor=work.assessor, assignment=work, label="TABLE 9")
    pick(work, "TABLE 9", "FIG 1")
    another = factories.member(work.campaign, "another", "assessor")
    organiser = work.campaign.memberships.get(role="organiser").user
    made = hand_over(actor=organiser, assignment=Assignment.objects.get(pk=work.pk), to=another)
    return open_assignment(actor=another, assignment=made)


def standing(work: Assignment) -> tuple[list[str], bool, bool]:
    found = current_picks(work, stage_of(work.campaign, work.stage)[1])
    return [Item.objects.get(pk=pk).text for pk, _ in found.items], found.none, found.is_carried


def test_a_list_goes_along_when_the_work_is_handed_over(onward: Assignment, client: Client) -> None:
    assert standing(onward) == (["TABLE 9", "FIG 1"], False, True)
    assert picks_tally([onward])[onward.pk].done == 1
    client.force_login(onward.assessor)
    page = page_of(client.get(reverse("workbench", args=[onward.campaign.slug, onward.pk])))
    assert "Carried over: picked before this work was handed to you" in page
    assert page.index('data-picked-item="') < page.index("TABLE 9</span>")
    assert finish_assignment(actor=onward.assessor, assignment=onward).state == "done"
    assert not Judgment.objects.filter(assignment=onward).exists()


def test_who_goes_on_makes_the_list_their_own(onward: Assignment) -> None:
    rows = pick(onward, "TABLE 9", "FIG 1", "FIG 2")
    assert [(row.item.text, row.value) for row in rows] == [("TABLE 9", 1), ("FIG 1", 2), ("FIG 2", 3)]
    assert standing(onward) == (["TABLE 9", "FIG 1", "FIG 2"], False, False)
    pick(onward)
    assert standing(onward) == (["TABLE 9", "FIG 1"], False, True)
    pick(onward, none=True)
    assert standing(onward) == ([], True, False)
    criterion = ranking_of(stage_of(onward.campaign, onward.stage)[1]).key
    assert official_pickers(Snapshot(onward.campaign), criterion) == {onward.topic.number: onward.assessor_id}


def test_a_decision_that_changes_nothing_is_refused_whatever_was_decided_earlier(work: Assignment) -> None:
    """The same decision again is refused; the same click again gives what it recorded."""
    _, stage = stage_of(work.campaign, work.stage)
    row = Disagreement(thing=AdjudicableItem(topic_id=work.topic_id), topic=work.topic.number, sides=(), size=0)

    def decide(key: UUID, value: int | None = 1) -> object:
        decision = Decision(thing=row.name, criterion="ranking", value=value, client_key=key)
        return record_list(work.assessor, work, stage, row, decision)

    said = decide(KEY)
    assert said == decide(KEY) == Activity.objects.get(action="picks.none")
    with pytest.raises(Conflict, match="already decided"):
        decide(uuid4())
    assert decide(uuid4(), None) == Activity.objects.filter(action="picks.none").latest("id") != said


def test_a_list_that_comes_back_is_that_of_whoever_answered_last(onward: Assignment, benches: Benches) -> None:
    first = benches.assessor
    pick(onward, "FIG 2")
    organiser = onward.campaign.memberships.get(role="organiser").user
    back = open_assignment(actor=first, assignment=hand_over(actor=organiser, assignment=onward, to=first))
    assert standing(back) == (["FIG 2"], False, True)
    assert pick(back, "TABLE 9", "FIG 1") != []  # as they had it before
    assert standing(back) == (["TABLE 9", "FIG 1"], False, False)
    assert set(official_pickers(Snapshot(back.campaign), "place").values()) == {first.pk}
