"""What a process remembers of scores: many states' values, and few states' gold, which is large."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User

from assess.base import process
from assess.judging.snapshots import Snapshot
from assess.models import Campaign
from assess.scores.domain import KEPT_GOLD, explain_score, score_campaign
from scoring.records import Issue
from scoring.release.explained import Explain, Explanation
from tests.assess.toy_track import TRACK, ToySettings
from tests.assess.toys import send

pytestmark = pytest.mark.django_db
GOLDS: weakref.WeakSet[Gold] = weakref.WeakSet()
BUILT: list[int] = []


class Gold:
    """Gold of which one can tell whether it is still held."""

    def __init__(self, depth: int) -> None:
        self.depth = depth


def build(records: Mapping[str, Any], settings: ToySettings, report: Callable[[Issue], None]) -> Gold:
    report(Issue(where="", code="depth", message=f"Depth {settings.passage_depth}.", severity="note"))
    gold = Gold(settings.passage_depth)
    GOLDS.add(gold)
    BUILT.append(gold.depth)
    return gold


def explain(gold: Gold, run: str, content: Any, settings: Any) -> Explain:
    formula = f"depth {gold.depth}"
    return lambda topic, measure: Explanation(
        run=run, topic=topic, measure=measure, value=None, formula=formula, steps=()
    )


SCORING = replace(TRACK.scoring, build=build, explain=explain, runs=None)
TRACKS = (replace(TRACK, scoring=SCORING),)


def test_the_scores_of_many_states_are_kept_and_the_gold_of_few(
    toys: None, toy: Campaign, organiser: User, settings: Any
) -> None:
    settings.ASSAY_TRACKS = f"{__name__}.TRACKS"
    send(toy, organiser, "oak", {"topic": "10_1", "sentences": [{"text": "Rice."}]})
    process.forget_everything()
    BUILT.clear()
    depths = (1, 2, 3, 4, 5)
    explored = {depth: ToySettings(passage_depth=depth) for depth in depths}
    for depth in (*depths, *depths):
        scores = score_campaign(Snapshot(toy), settings=explored[depth])
        assert scores.tables.of_topic().defined("depth")["oak"] == depth
        assert [issue.message for issue in scores.notes] == [f"Depth {depth}."]
    assert BUILT == [1, 2, 3, 4, 5]
    gc.collect()
    assert sorted(gold.depth for gold in GOLDS) == [4, 5] and KEPT_GOLD == 2
    for depth, built in ((5, 5), (1, 6), (1, 6)):
        found = explain_score(Snapshot(toy), "oak", "all", "depth", settings=explored[depth])
        assert (found.formula, len(BUILT)) == (f"depth {depth}", built)
