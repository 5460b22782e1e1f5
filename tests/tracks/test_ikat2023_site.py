"""What an iKAT campaign on the site asks of responses, by what was said of the passages that they rest on."""

from __future__ import annotations

import io
import json
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from assess.judging.queries.stage_items import stage_items
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Item, Pool, PoolItem
from assess.protocol import CheckContext
from assess.runs.domain.accepted_runs import store_run
from tests import factories
from tracks.ikat2023 import TURNS
from tracks.ikat2023.runs import read_segments
from tracks.ikat2023.settings import Ikat2023Settings

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("setting", "asked"), [("all", ["marked", "unmarked"]), ("used", ["marked"])])
def test_a_response_is_judged_if_any_of_its_passages_is_relevant(
    organiser: User, setting: str, asked: list[str]
) -> None:
    """ "Only responses with at least one relevant provenance passage will be judged" (iKAT 2023, Evaluation)

    As before, only those that a response marks as used count, or its first five.
    """
    campaign = factories.campaign(organiser=organiser, slug="turns", track="ikat2023")
    campaign.settings = {**campaign.settings, "response_passages": setting}
    campaign.save()
    campaign.topics.all().delete()
    topic = factories.topic(campaign, "1-1_1", "Which bicycle?", task="turn")
    responses = {
        "marked": [{"id": "D:6", "used": True}],
        "unmarked": [{"id": f"D:{number}"} for number in range(1, 8)],
        "others": [{"id": "D:7"}],
    }
    turns = [
        {
            "turn_id": "1-1_1",
            "responses": [
                {"rank": rank, "text": text, "passage_provenance": passages}
                for rank, (text, passages) in enumerate(responses.items(), 1)
            ],
        }
    ]
    written = json.dumps({"run_name": "r", "run_type": "manual", "turns": turns}).encode()
    context = CheckContext(topics=(), settings=Ikat2023Settings())
    store_run(run=factories.run(campaign, "r", organiser), segments=read_segments(io.BytesIO(written), context))
    pool = Pool.objects.create(campaign=campaign, task="turn", recipe={}, digest="0" * 64)
    PoolItem.objects.bulk_create(PoolItem(pool=pool, item=item) for item in topic.items.all())
    work = factories.assignment(topic, "passages", factories.member(campaign, "ada", "assessor"))
    passage = Item.objects.get(topic=topic, kind="passage", key="D:6")
    said = JudgmentInput(item=passage, criterion="relevance", value=1, client_key=uuid4())
    record_judgment(actor=work.assessor, assignment=work, judgment=said)
    assert sorted(item.text for item in stage_items(topic, TURNS.stages[2])) == asked
