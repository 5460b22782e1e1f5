"""Pools that grow by judgments: first batch, order, growth up to the budget, the same for all assessors."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.domain.assignments import finish_assignment, mark_done
from assess.base.errors import Conflict, Invalid
from assess.documents.domain import adding_items
from assess.models import Activity, Assignment, Campaign, HelpRequest, Item, Pool, PoolItem
from assess.organising.domain import change_state, unfreeze_campaign
from assess.pools.domain.growth import FEW, can_grow, extend_pool
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from assess.topics.domain.changing import drop_topic
from scoring.pooling import OnlinePool
from tests import factories
from tests.assess.judged_campaign import bench_lines
from tests.assess.pooling import RUNS, Committed, build, grade, letters, work
from tests.pages import page_of
from tests.unpacked import unpack_release

pytestmark = pytest.mark.django_db
RANKINGS = {"1": {tag: [f"D{letter}" for letter in topics["1"]] for tag, (_, topics) in RUNS.items()}}


def live(campaign: Campaign, organiser: User, strategy: str = "max-mean", **values: object) -> Pool:
    return build(campaign, organiser, **{"strategy": strategy, "budget": 9, "batch": 3, **values})


def judge(work, letter: str, value: int, committed: Committed) -> None:  # type: ignore[no-untyped-def]
    with committed(execute=True):
        grade(work, letter, value)


@pytest.mark.parametrize("strategy", ["move-to-front", "max-mean"])
def test_it_grows_as_the_strategy_says(
    retrieval: Campaign,
    organiser: User,
    assessor: User,
    strategy: str,
    django_capture_on_commit_callbacks: Committed,
) -> None:
    pool = live(retrieval, organiser, strategy)
    first = OnlinePool(strategy, RANKINGS).next_documents("1", 3)
    assert letters(pool) == "".join(docno[1:] for docno in first)
    assert list(pool.pool_items.filter(item__topic__number="1").order_by("place").values_list("place", flat=True)) == [
        1, 2, 3
    ]  # fmt: skip
    mine = work(retrieval, "1", assessor)
    judge(mine, letters(pool)[0], 1, django_capture_on_commit_callbacks)
    then = OnlinePool(strategy, RANKINGS, judgments=[("1", first[0], True)])
    drawn = then.next_documents("1", 3, out=first[1:])
    assert letters(pool) == "".join(docno[1:] for docno in [*first, *drawn])
    grown = Activity.objects.get(action="pool.extend")
    assert (grown.data["topic"], grown.data["items"], grown.data["place"]) == ("1", drawn, 4)
    assert (grown.actor, grown.object_id) == (assessor, str(pool.pk))


def test_what_came_in_while_its_document_was_being_stored_has_it(
    retrieval: Campaign,
    organiser: User,
    assessor: User,
    django_capture_on_commit_callbacks: Committed,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = live(retrieval, organiser)
    for letter in "abcdefghxyzw":
        factories.document(retrieval, f"D{letter}")
    monkeypatch.setattr(adding_items, "documents_of", lambda *_: {})  # as if they were not committed yet
    judge(work(retrieval, "1", assessor), letters(pool)[0], 1, django_capture_on_commit_callbacks)
    grown = Item.objects.filter(topic__number="1", key__in=[f"D{letter}" for letter in letters(pool)[3:]])
    assert [item.document is not None and item.document.docno == item.docno for item in grown] == [True] * 3


def test_it_stops_at_the_budget_and_no_judgment_more_changes_it(
    retrieval: Campaign,
    organiser: User,
    assessor: User,
    django_capture_on_commit_callbacks: Committed,
) -> None:
    pool = live(retrieval, organiser)
    mine = work(retrieval, "1", assessor)
    for _ in range(9):
        found = [letter for letter in letters(pool) if not mine.judgments.filter(item__key=f"D{letter}").exists()]
        judge(mine, found[0], 0, django_capture_on_commit_callbacks)
    assert len(letters(pool)) == 9
    assert letters(pool, "2") == letters(pool, "2")[:3]  # nobody judged the other topic
    assert mine.judgments.count() == 9
    assert extend_pool(actor=assessor, assignment=mine) == 0


def test_nothing_comes_in_while_enough_is_open(
    retrieval: Campaign,
    organiser: User,
    assessor: User,
    django_capture_on_commit_callbacks: Committed,
) -> None:
    pool = live(retrieval, organiser, batch=FEW + 1)
    mine = work(retrieval, "1", assessor)
    judge(mine, letters(pool)[0], 1, django_capture_on_commit_callbacks)
    assert len(letters(pool)) == FEW + 1
    judge(mine, letters(pool)[1], 1, django_capture_on_commit_callbacks)
    assert len(letters(pool)) == 9


def test_both_assessors_see_the_same_pool_in_the_same_order(
    retrieval: Campaign,
    organiser: User,
    assessor: User,
    second_assessor: User,
    django_capture_on_commit_callbacks: Committed,
) -> None:
    pool = live(retrieval, organiser)
    mine, other = work(retrieval, "1", assessor), work(retrieval, "1", second_assessor, role="second")
    other.seed = 99
    judge(other, letters(pool)[1], 1, django_capture_on_commit_callbacks)
    judge(mine, letters(pool)[0], 1, django_capture_on_commit_callbacks)
    shown = [["".join(line.label[1:]) for line in bench_lines(each)] for each in (mine, other)]
    assert shown[0] == shown[1] == list(letters(pool))


def test_what_one_assessor_lets_in_opens_the_done_work_of_the_other(
    retrieval: Campaign,
    organiser: User,
    assessor: User,
    second_assessor: User,
    django_capture_on_commit_callbacks: Committed,
) -> None:
    pool = live(retrieval, organiser)
    other = work(retrieval, "1", second_assessor, role="second")
    for letter in letters(pool):
        grade(other, letter, 0)
    mark_done(actor=second_assessor, assignment=other)  # as if nothing could have come in at that moment
    judge(work(retrieval, "1", assessor), letters(pool)[0], 1, django_capture_on_commit_callbacks)
    other.refresh_from_db()
    assert (len(letters(pool)), other.has_grown) == (6, True)


def test_an_excused_item_is_not_open(retrieval: Campaign, organiser: User, assessor: User) -> None:
    pool = live(retrieval, organiser, batch=FEW)
    mine = work(retrieval, "1", assessor)
    assert extend_pool(actor=assessor, assignment=mine) == 0
    item = PoolItem.objects.filter(pool=pool, item__topic=mine.topic).order_by("place")[0].item
    HelpRequest.objects.create(assignment=mine, item=item, text="?", client_key="0" * 32, excused=True)
    assert extend_pool(actor=assessor, assignment=mine) == 4


def test_the_grown_pool_is_the_same_pool_when_built_again(
    retrieval: Campaign,
    organiser: User,
    assessor: User,
    django_capture_on_commit_callbacks: Committed,
) -> None:  # type: ignore[no-untyped-def]
    pool = live(retrieval, organiser)
    judge(work(retrieval, "1", assessor), letters(pool)[0], 1, django_capture_on_commit_callbacks)
    assert live(retrieval, organiser) == pool
    larger = live(retrieval, organiser, budget=12)
    assert larger != pool
    assert letters(larger)[0] == letters(pool)[0]  # what is judged stays, and comes first


@pytest.mark.parametrize("state", Campaign.CLOSED)
def test_a_closed_campaign_does_not_grow(
    retrieval: Campaign, organiser: User, assessor: User, state: Campaign.State
) -> None:
    pool = live(retrieval, organiser)
    mine = work(retrieval, "1", assessor)
    mine.campaign.state = state
    assert extend_pool(actor=assessor, assignment=mine) == 0
    assert len(letters(pool)) == 3


def test_a_list_may_name_a_topic_that_was_dropped(retrieval: Campaign, organiser: User) -> None:
    drop_topic(actor=organiser, campaign=retrieval, number="2", reason="It leaked.")
    pool = live(retrieval, organiser, budget=2, listed=(("1", "Dq"), ("2", "Da")))
    assert (letters(pool)[2:], letters(pool, "2")) == ("q", "")
    with pytest.raises(Invalid, match="names topic 3, which is not among those pooled"):
        live(retrieval, organiser, budget=2, listed=(("3", "Dq"),))


def test_listed_documents_come_after_the_first_batch_and_cost_no_budget(
    retrieval: Campaign,
    organiser: User,
) -> None:
    pool = live(retrieval, organiser, budget=2, listed=(("1", "Dq"), ("1", "Da")))
    assert letters(pool)[2:] in ("q", "aq")
    assert len(letters(pool)) in (3, 4)


def test_work_is_not_done_while_the_pool_can_grow(retrieval: Campaign, organiser: User, assessor: User) -> None:
    pool = live(retrieval, organiser, budget=4)
    mine = work(retrieval, "1", assessor)
    for letter in letters(pool):
        grade(mine, letter, 0)  # nothing waits for a commit here, so nothing came in
    with pytest.raises(Conflict, match="1 of 4 documents is not judged yet"):
        finish_assignment(actor=assessor, assignment=mine)
    grade(mine, letters(pool)[3], 0)
    finish_assignment(actor=assessor, assignment=mine)


def test_what_was_judged_before_a_hand_over_is_not_open(
    retrieval: Campaign, organiser: User, assessor: User, second_assessor: User
) -> None:
    pool = live(retrieval, organiser, batch=FEW + 1)
    mine = work(retrieval, "1", assessor)
    for letter in letters(pool)[:3]:
        grade(mine, letter, 0)
    Assignment.objects.filter(pk=mine.pk).update(state=Assignment.State.RETURNED)
    after = work(retrieval, "1", second_assessor)
    after.taken_over = after.chain_start = mine
    after.save()
    assert extend_pool(actor=second_assessor, assignment=after) == 3


def test_only_the_bench_of_a_growing_pool_asks_for_more(
    retrieval: Campaign, organiser: User, assessor: User, client: Client
) -> None:
    client.force_login(assessor)
    mine = work(retrieval, "1", assessor)
    bench = reverse("workbench", args=["ranked", mine.pk])
    build(retrieval, organiser, strategy="depth", depth=2)
    assert "data-grows" not in page_of(client.get(bench))
    live(retrieval, organiser)
    assert "data-grows" in page_of(client.get(bench))


def test_a_pool_that_came_with_a_release_from_elsewhere_says_that_it_does_not_grow(
    retrieval: Campaign,
    organiser: User,
    assessor: User,
    client: Client,
    settings,
    tmp_path: Path,
    django_capture_on_commit_callbacks: Committed,
) -> None:  # type: ignore[no-untyped-def]
    pool = live(retrieval, organiser)
    judge(work(retrieval, "1", assessor), letters(pool)[0], 1, django_capture_on_commit_callbacks)
    grown = letters(pool)
    assert (len(grown), can_grow(pool)) == (6, True)
    change_state(actor=organiser, campaign=retrieval, state="frozen")
    unpack_release(make_release(actor=organiser, campaign=retrieval), tmp_path / "release")
    here = import_release(actor=organiser, path=tmp_path / "release", slug="here")
    assert can_grow(here.pools.get())
    settings.DATA_DIR = tmp_path / "elsewhere"
    copy = import_release(actor=organiser, path=tmp_path / "release", slug="copy")
    assert letters(copy.pools.get()) == grown
    assert not can_grow(copy.pools.get())
    client.force_login(organiser)
    assert "It does not grow any more" in page_of(client.get(reverse("pool", args=["copy"])))

    unfreeze_campaign(actor=organiser, campaign=copy, reason="The rest is judged here.")
    mine = copy.assignments.get()
    for letter in grown:
        if not mine.judgments.filter(item__key=f"D{letter}").exists():
            judge(mine, letter, 0, django_capture_on_commit_callbacks)
    assert finish_assignment(actor=mine.assessor, assignment=mine).state == "done"
    assert letters(copy.pools.get()) == grown
