"""What an iKAT campaign on the site asks of responses, by what was said of the passages that they rest on."""

from __future__ import annotations

import io
import json
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from assess.assignments.domain.assignments import finish_assignment
from assess.campaigns.grown_work import recheck_done_work
from assess.campaigns.queries import stage_of
from assess.judging.queries.stage_items import stage_items
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Assignment, Campaign, Item, Pool, PoolItem, Run
from assess.organising.domain import change_settings
from assess.protocol import CheckContext
from assess.runs.domain.accepted_runs import store_run
from assess.runs.domain.deciding import withdraw_run
from assess.topics.domain.changing import drop_topic, restore_topic
from tests import factories
from tracks.ikat2023 import TURNS
from tracks.ikat2023.runs import read_segments
from tracks.ikat2023.settings import Ikat2023Settings

pytestmark = pytest.mark.django_db


RESPONSES = {
    "marked": [{"id": "D:6", "used": True}],
    "unmarked": [{"id": f"D:{number}"} for number in range(1, 8)],
    "others": [{"id": "D:7"}],
}


def campaign_of(organiser: User, setting: str) -> Campaign:
    """One turn, pooled from a run, of which the passage D:6 is judged relevant."""
    campaign = factories.campaign(organiser=organiser, slug="turns", track="ikat2023")
    campaign.settings = {**campaign.settings, "response_passages": setting}
    campaign.save()
    campaign.topics.all().delete()
    topic = factories.topic(campaign, "1-1_1", "Which bicycle?", task="turn")
    add_run(campaign, organiser, "r", RESPONSES)
    pool = Pool.objects.create(campaign=campaign, task="turn", recipe={}, digest="0" * 64)
    PoolItem.objects.bulk_create(PoolItem(pool=pool, item=item) for item in topic.items.all())
    work = factories.assignment(topic, "passages", factories.member(campaign, "ada", "assessor"))
    judge(work, Item.objects.get(topic=topic, kind="passage", key="D:6"), "relevance", 1)
    return campaign


def add_run(campaign: Campaign, organiser: User, tag: str, responses: dict[str, Any]) -> Run:
    turns = [
        {
            "turn_id": "1-1_1",
            "responses": [
                {"rank": rank, "text": text, "passage_provenance": passages}
                for rank, (text, passages) in enumerate(responses.items(), 1)
            ],
        }
    ]
    written = json.dumps({"run_name": tag, "run_type": "manual", "turns": turns}).encode()
    context = CheckContext(topics=(), settings=Ikat2023Settings())
    run = factories.run(campaign, tag, organiser)
    store_run(run=run, segments=read_segments(io.BytesIO(written), context))
    return run


def judge(work: Assignment, item: Item, criterion: str, value: int) -> None:
    said = JudgmentInput(item=item, criterion=criterion, value=value, client_key=uuid4())
    record_judgment(actor=work.assessor, assignment=work, judgment=said)


@pytest.mark.parametrize(("setting", "asked"), [("all", ["marked", "unmarked"]), ("used", ["marked"])])
def test_a_response_is_judged_if_any_of_its_passages_is_relevant(
    organiser: User, setting: str, asked: list[str]
) -> None:
    """ "Only responses with at least one relevant provenance passage will be judged" (iKAT 2023, Evaluation)

    As before, only those that a response marks as used count, or its first five.
    """
    topic = campaign_of(organiser, setting).topics.get()
    assert sorted(item.text for item in stage_items(topic, TURNS.stages[2])) == asked


def test_a_response_below_the_pools_depth_asks_for_no_other_runs_equal_text(organiser: User) -> None:
    """ "Only responses with at least one relevant provenance passage will be judged" (iKAT 2023, Evaluation)"""
    campaign = campaign_of(organiser, "all")
    topic = campaign.topics.get()
    add_run(campaign, organiser, "deep", {"first": RESPONSES["others"], "others": RESPONSES["marked"]})
    stage = TURNS.stages[2]
    assert sorted(item.text for item in stage_items(topic, stage)) == ["marked", "others", "unmarked"]
    campaign.pools.update(recipe={"kinds": [{"kind": "passage", "depth": 9}, {"kind": "response", "depth": 1}]})
    assert [item.text for item in stage_items(topic, stage)] == ["marked"]


def test_done_work_follows_what_settings_and_runs_let_be_asked(organiser: User) -> None:
    campaign = campaign_of(organiser, "used")
    topic = campaign.topics.get()
    work = factories.assignment(topic, "responses", User.objects.get(username="ada"))

    def stands() -> tuple[str, bool]:
        work.refresh_from_db()
        return work.state, work.has_grown

    for criterion in stage_of(campaign, "responses")[1].criteria:
        judge(work, topic.items.get(text="marked"), criterion.key, 1)
    finish_assignment(actor=work.assessor, assignment=work)
    for values, state in (
        ({"response_passages": "all"}, ("started", True)),
        ({"response_passages": "used"}, ("done", False)),
        ({"response_passages": "all", "response_threshold": 2}, ("done", False)),
        ({"response_threshold": 1}, ("started", True)),
        ({"response_passages": "used"}, ("done", False)),
    ):
        change_settings(actor=organiser, campaign=campaign, values=values)
        assert stands() == state, values
    late = add_run(campaign, organiser, "late", {"others": RESPONSES["marked"]})  # pooled, and asked from now on
    recheck_done_work(campaign=campaign, topics=[topic.pk])
    assert stands() == ("started", True)
    withdraw_run(actor=organiser, run=late)
    assert stands() == ("done", False)
    drop_topic(actor=organiser, campaign=campaign, number=topic.number, reason="It leaked.")
    change_settings(actor=organiser, campaign=campaign, values={"response_passages": "all"})
    assert stands() == ("done", False), "of a dropped topic nothing is asked"
    restore_topic(actor=organiser, campaign=campaign, number=topic.number)
    assert stands() == ("started", True)
