"""After a judgment its topic is scored and explained alone, and everything comes out as if all had been, in each track
whose topics don't depend on each other (of rankings and of series: tests/assess/scores/test_topics_again.py).
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest
from django.conf import settings

from assess.judging.snapshots import Snapshot
from assess.models import Campaign, Judgment
from assess.scores import domain, states
from assess.scores.domain import explain_score, score_campaign
from tests.parts import WHOLE, judged_of
from tests.tracks.conftest import Judged
from tests.tracks.kept_db import db  # noqa: F401

pytestmark = pytest.mark.usefixtures("scratch")


def say_otherwise(campaign: Campaign) -> set[str]:
    """By each criterion the last item is judged otherwise. Return the topics' numbers."""
    said = Judgment.objects.filter(assignment__campaign=campaign, assignment__role="primary", value__isnull=False)
    topics = set()
    for criterion in said.values_list("criterion", flat=True).distinct().order_by():
        last = said.filter(criterion=criterion).latest("id")
        other = said.filter(criterion=criterion).exclude(value=last.value).first()
        if other is not None:
            Judgment(
                item=last.item, criterion=criterion, value=other.value, assessor=last.assessor,
                assignment=last.assignment, client_key=uuid4(), how="key",
            ).save()  # fmt: skip
            topics.add(last.item.topic.number)
    return topics


@judged_of("ikat2023", "aquaint-definition", "biogen2024", "rag-nuggets")
def test_a_changed_topic_is_scored_and_explained_alone(judged: Judged, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "FEW", 1)
    before = score_campaign(Snapshot(judged.campaign)).scores
    topics = say_otherwise(judged.campaign)
    with monkeypatch.context() as patch:
        patch.setattr(domain, "_of_all_topics", lambda *rest: pytest.fail("every topic was scored again"))
        found = score_campaign(Snapshot(judged.campaign))
    changed = {new.topic for old, new in zip(before, found.scores, strict=True) if old != new}
    first = [(each.run, each.topic, each.measure) for each in found.scores if each.run == found.runs[0]]
    places = first if WHOLE else Random(1).sample([place for place in first if place[1] in topics], 2) + first[-1:]
    alone = [explain_score(Snapshot(judged.campaign), *place) for place in places]

    track = replace(judged.track, scoring=replace(judged.track.scoring, by_topic=None))
    for module in (domain, states):
        monkeypatch.setattr(module, "track_of", lambda campaign: track)
    shutil.rmtree(Path(settings.DATA_DIR) / "scores")
    assert changed <= {*topics, "all"} and changed
    assert found.scores == score_campaign(Snapshot(judged.campaign)).scores
    assert alone == [explain_score(Snapshot(judged.campaign), *place) for place in places]
    domain.forget_gold()
