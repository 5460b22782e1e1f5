"""How a design wants work handed out: in what order items come, how many one person judges, who reads what is right."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.queries.work_items import handle_of
from assess.base.errors import Conflict, Refused
from assess.campaigns.queries import stage_of
from assess.controls.consistency import checked_control_items
from assess.controls.domain import add_usual_control_items
from assess.items.queries import current_pools
from assess.judging.queries.bench import own_order
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Assignment, Campaign, Item, Pool, PoolItem
from assess.pools.domain.building import build_pool
from assess.work.bulk import BulkPiece, Selection, _doing, act_on_selection
from assess.work.domain import (
    assign_seconds,
    balance_work,
    checked_sample,
    hand_out_assignments,
    hand_over,
    take_from_stack,
)
from assess.work.queries.balance import balance_plan, pooled_sizes
from tests import factories
from tests.pages import page_of
from tests.tracks.designs.campaigns import ADHOC, SURVEY, survey

pytestmark = pytest.mark.django_db
STAGE = 'work = "grade"\n'


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"


def handed_out(organiser: User, folder: Path, table: str) -> Campaign:
    return survey(organiser, folder, SURVEY.replace(STAGE, f"{STAGE}{table}\n"))


def order_of(work: Assignment) -> list[str]:
    """The docnos of what the work asks, in its order."""
    ids, _ = own_order(work, stage_of(work.campaign, work.stage)[1])
    names = dict(Item.objects.filter(pk__in=ids).values_list("pk", "docno"))
    return [names[pk] for pk in ids]


def seeded(work: Assignment, seed: int) -> Assignment:
    Assignment.objects.filter(pk=work.pk).update(seed=seed)
    return Assignment.objects.get(pk=work.pk)


def nearest(topic: str) -> dict[str, int]:
    """The best rank of each document in any of the runs."""
    best: dict[str, int] = {}
    for path in sorted((ADHOC / "runs" / "good").iterdir()):
        lines = [line.split() for line in path.read_text().splitlines()]
        ranked = sorted((line for line in lines if line[0] == topic), key=lambda line: line[2], reverse=True)
        ranked.sort(key=lambda line: float(line[4]), reverse=True)
        for place, line in enumerate(ranked, 1):
            best[line[2]] = min(place, best.get(line[2], place))
    return best


def test_documents_that_runs_rank_high_come_first_and_no_order_says_whose_they_are(
    organiser: User, tmp_path: Path, client: Client
) -> None:
    campaign = handed_out(organiser, tmp_path, 'hand_out = { order = "pool" }')
    people = [factories.member(campaign, name, "assessor") for name in ("ada", "ben", "cy", "dot")]
    topic = campaign.topics.get(number="1")
    roles = ("primary", "second", "second", "second")
    works = [
        factories.assignment(topic, "documents", each, role=role) for each, role in zip(people, roles, strict=True)
    ]
    orders, best = [order_of(seeded(work, number)) for number, work in enumerate(works)], nearest("1")
    for order in orders:
        assert [best[each] for each in order] == sorted(best[each] for each in order)
    assert len({tuple(each) for each in orders}) > 1  # of the same rank come in another order for each
    (pool,) = current_pools(campaign)
    assert pool.recipe["ordered"] == ["document"]
    client.force_login(people[0])
    page = client.get(reverse("workbench", args=[campaign.slug, works[0].pk])).content.decode()
    assert "data-grows" not in page  # no more comes, so nothing is asked for
    Pool.objects.update(recipe={**pool.recipe, "strategy": "max-mean"})
    assert "data-grows" in client.get(reverse("workbench", args=[campaign.slug, works[0].pk])).content.decode()
    Pool.objects.update(recipe=pool.recipe)
    assert build_pool(actor=organiser, campaign=campaign, task="ranking").pk == pool.pk


def test_without_an_order_of_the_pool_nothing_is_noted_of_ranks(organiser: User, tmp_path: Path) -> None:
    campaign = handed_out(organiser, tmp_path, 'hand_out = { order = "random" }')
    assert not PoolItem.objects.exclude(place=None).exists()
    assert "ordered" not in current_pools(campaign).get().recipe


def test_documents_that_share_words_come_next_to_one_another(organiser: User, tmp_path: Path) -> None:
    campaign = handed_out(organiser, tmp_path, 'hand_out = { order = "likeness" }')
    topic = campaign.topics.get(number="1")
    works = [
        seeded(factories.assignment(topic, "documents", factories.member(campaign, name, "assessor"), role=role), seed)
        for seed, (name, role) in enumerate((("ada", "primary"), ("ben", "second")))
    ]
    docnos = sorted(order_of(works[0]))
    pairs = list(zip(docnos[::2], docnos[1::2], strict=False))
    for number, pair in enumerate(pairs):
        for docno in pair:
            document = campaign.documents.get(docno=docno)
            type(document).objects.filter(pk=document.pk).update(title=f"quince{number} medlar{number}")
            document.body.text = f"of {docno}"
            document.body.save()
    for work in works:
        order = order_of(work)
        assert sorted(order) == docnos
        assert all(abs(order.index(one) - order.index(other)) == 1 for one, other in pairs)
    assert order_of(works[0]) == order_of(works[0]) != order_of(works[1])


def test_nobody_gets_more_items_of_a_stage_than_its_design_says(organiser: User, tmp_path: Path) -> None:
    campaign = handed_out(organiser, tmp_path, "people = 2\nhand_out = { most = 1 }")
    Campaign.objects.filter(pk=campaign.pk).update(takes_primary=True)
    campaign = Campaign.objects.get(pk=campaign.pk)
    ada, ben, cy = (factories.member(campaign, name, "assessor") for name in ("ada", "ben", "cy"))
    first, second, third = topics = list(campaign.topics.order_by("ordinal")[:3])
    sizes = pooled_sizes(campaign)
    words = f"at most 1 item of “documents”. This would be {sizes[first.pk] + sizes[second.pk]}"
    with pytest.raises(Conflict, match=words):
        hand_out_assignments(
            actor=organiser, campaign=campaign, pieces=[(each, "documents") for each in topics], assessor=ada
        )
    assert not campaign.assignments.exists()  # all or nothing
    (work,) = hand_out_assignments(actor=organiser, campaign=campaign, pieces=[(first, "documents")], assessor=ada)
    assert hand_out_assignments(actor=organiser, campaign=campaign, pieces=[(first, "documents")], assessor=ada) == [
        work
    ]
    Assignment.objects.filter(pk=work.pk).update(state="done")
    with pytest.raises(Conflict, match="You have as many items as one person judges at most"):
        take_from_stack(actor=ada, campaign=campaign, role="primary")
    (taken,) = take_from_stack(actor=ben, campaign=campaign, role="primary")
    with pytest.raises(Conflict, match="somebody else has to judge it"):
        hand_over(actor=organiser, assignment=taken, to=ada)
    do = _doing(actor=organiser, campaign=campaign, act="hand-out", to=ada, role="primary")
    with pytest.raises(Refused, match="somebody else has to judge it"):
        do(BulkPiece(topic=third, stage="documents", work=None))
    plan = balance_plan(campaign)
    assert ([each.assessor for each in plan.handouts], len(plan.full)) == ([cy], sizes.keys().__len__() - 3)
    balance_work(actor=organiser, campaign=campaign)
    assert {each.assessor for each in campaign.assignments.all()} == {ada, ben, cy}
    assert campaign.assignments.count() == 3  # nobody is left for the second opinions
    with pytest.raises(Conflict, match="somebody else has to judge it"):
        hand_out_assignments(
            actor=organiser, campaign=campaign, pieces=[(second, "documents")], assessor=ada, role="second"
        )
    assert assign_seconds(actor=organiser, campaign=campaign, stages=["documents"], sample=checked_sample()) == []
    judge = factories.member(campaign, "jo", "adjudicator")
    for each in (first, second):  # adjudicators have no bound
        hand_out_assignments(
            actor=organiser, campaign=campaign, pieces=[(each, "documents")], assessor=judge, role="adjudicator"
        )


KNOWN = [
    {"topic": "1", "docno": "HIVE-02", "relevant": "yes", "reason": "Hives in a town are asked for."},
    {"topic": "1", "docno": "HIVE-03", "relevant": "no"},
]


def with_known(organiser: User, folder: Path, tell: str) -> Assignment:
    """Work in progress among which are the items whose answers are known."""
    (folder / "known.jsonl").write_text("".join(json.dumps(each) + "\n" for each in KNOWN))
    campaign = handed_out(
        organiser,
        folder,
        f'control = {{ file = "known.jsonl", every = 2, tell = "{tell}" }}\nrepeats = {{ share = 0.0, after = 1 }}',
    )
    ada = factories.member(campaign, "ada", "assessor")
    work = factories.assignment(campaign.topics.get(number="1"), "documents", ada, state="started")
    add_usual_control_items(actor=organiser, campaign=campaign, stages=["documents"])
    return work


def test_who_is_given_a_whole_column_gets_the_items_whose_answers_are_known_among_it(
    organiser: User, tmp_path: Path
) -> None:
    campaign = with_known(organiser, tmp_path, "after").campaign
    ben = factories.member(campaign, "ben", "assessor")
    chosen = Selection(rows=frozenset(campaign.topics.filter(number="1").values_list("pk", flat=True)))
    act = {"actor": organiser, "campaign": campaign, "act": "hand-out", "selection": chosen, "to": ben}
    (work,) = act_on_selection(**act, role="second").made
    docnos = {each["docno"] for each in KNOWN}
    assert {each.item.docno for each in work.control_items.all()} == docnos
    given = hand_over(actor=organiser, assignment=work, to=factories.member(campaign, "cy", "assessor"))
    act |= {"act": "hand-over", "selection": Selection(pieces=frozenset({given.pk}))}
    (back,) = act_on_selection(**act | {"to": factories.member(campaign, "dot", "assessor")}).made
    for each in (given, back):
        assert {each.item.docno for each in each.control_items.all()} == docnos


def control(work: Assignment, docno: str) -> tuple[Item, int]:
    item = work.control_items.get(item__docno=docno).item
    return item, handle_of(work, item.pk)


def judged(client: Client, work: Assignment, handle: int, value: object, **headers: Any) -> Any:
    fields = {"item": handle, "criterion": "relevant", "value": value, "client_key": uuid4(), "how": "key"}
    return client.post(reverse("judge", args=["own", work.pk]), fields, **headers)


RIGHT = "The answer to this item was known. You judged it rightly. Hives in a town are asked for."
WRONG = RIGHT.replace("You judged it rightly.", "Is it relevant? You said “no”, and “yes” is right.")


def test_whoever_judged_what_is_known_reads_what_is_right(organiser: User, client: Client, tmp_path: Path) -> None:
    work = with_known(organiser, tmp_path, "after")
    item, handle = control(work, "HIVE-02")
    other, another = control(work, "HIVE-03")
    client.force_login(work.assessor)
    bench = reverse("workbench", args=["own", work.pk])
    before = page_of(client.get(bench, {"item": handle}))
    assert "was known" not in before and "data-known hidden" in before
    plain = next(
        each for each in own_order(work, stage_of(work.campaign, work.stage)[1])[0] if each not in (item.pk, other.pk)
    )
    strip = lambda page: re.sub(r"[0-9a-f-]{36}|\d+|HIVE-\w+", "", page)  # noqa: E731
    assert strip(before).count("known") == strip(page_of(client.get(bench, {"item": handle_of(work, plain)}))).count(
        "known"
    )
    said = judged(client, work, handle, 0, headers={"Accept": "application/json"}).json()
    assert said["known"] == WRONG
    assert "known" not in judged(client, work, handle_of(work, plain), 0, headers={"Accept": "application/json"}).json()
    page = page_of(client.get(bench, {"item": handle}))
    assert WRONG in page
    assert RIGHT in page_of(judged_and_followed(client, work, handle, 1))  # without scripts
    assert [(each.said, each.is_right) for each in checked_control_items(work.campaign)] == [(0, False)]  # the first
    call = reverse("api-assignment-judgments", args=["own", work.pk])
    body = {"item": another, "criterion": "relevant", "value": 0, "client_key": str(uuid4())}
    answered = client.post(call, body, content_type="application/json").json()
    assert answered["known"] == "The answer to this item was known. You judged it rightly."


def judged_and_followed(client: Client, work: Assignment, handle: int, value: int) -> Any:
    shown = json.dumps({"value": 0})
    fields = {
        "item": handle,
        "criterion": "relevant",
        "value": value,
        "client_key": uuid4(),
        "how": "click",
        "shown": shown,
    }
    return client.post(reverse("judge", args=["own", work.pk]), fields, follow=True)


def test_who_can_not_tell_reads_what_is_right_and_a_take_back_hides_it(organiser: User, tmp_path: Path) -> None:
    from assess.judging.queries.known_answers import compared_answers_at

    work = with_known(organiser, tmp_path, "after")
    item, handle = control(work, "HIVE-02")
    _, stage = stage_of(work.campaign, work.stage)
    for value, expected in ((0, WRONG), (None, None)):
        row = JudgmentInput(item=item, criterion="relevant", value=value, client_key=uuid4())
        record_judgment(actor=work.assessor, assignment=work, judgment=row)
        found = compared_answers_at(work, stage, handle)
        assert (found.words if found is not None else None) == expected


def test_without_tell_nobody_learns_what_is_known(organiser: User, client: Client, tmp_path: Path) -> None:
    work = with_known(organiser, tmp_path, "never")
    _, handle = control(work, "HIVE-02")
    client.force_login(work.assessor)
    assert "known" not in judged(client, work, handle, 0, headers={"Accept": "application/json"}).json()
    assert "known" not in page_of(client.get(reverse("workbench", args=["own", work.pk]), {"item": handle}))
