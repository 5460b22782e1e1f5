"""Rated are the best runs by automated score: the pool says by which scores: page, API and command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from assess.base.errors import Invalid
from assess.judging.snapshots import Snapshot
from assess.models import Campaign, Pool
from assess.organising.domain import change_settings
from assess.pools.domain.building import build_pool
from assess.pools.domain.draw import BestRuns, best_runs
from assess.runs.queries import runs_not_pooled
from assess.scores.domain import score_campaign
from tests.pages import page_of
from tests.tracks import track_folder
from tracks.context25 import TRACK
from tracks.context25.settings import Context25Settings

MEASURE = "descriptions_ROUGE-L"


@pytest.fixture
def campaign(settings: Any, tmp_path: Path, organiser: User) -> Campaign:
    settings.DATA_DIR = tmp_path
    return track_folder.load(TRACK, organiser=organiser, slug="claims")


def scores_of(campaign: Campaign) -> dict[str, float | None]:
    return {row.name: row.value(MEASURE) for row in score_campaign(Snapshot(campaign)).tables.of_topic().rows()}


@pytest.mark.django_db
def test_the_best_runs_by_a_measure_are_rated_and_the_pool_keeps_the_scores(
    campaign: Campaign, organiser: User, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    """ "human evaluation of … the top-scoring systems, according to our automated evaluation" (Context25, Task 2)"""
    values = scores_of(campaign)
    first = max((value, tag) for tag, value in values.items() if value is not None)[1]
    change_settings(actor=organiser, campaign=campaign, values={"rated_runs": 1, "rated_by": MEASURE})
    campaign.refresh_from_db()
    pool = build_pool(actor=organiser, campaign=campaign, task="grounding", drop_judged=True)
    kept = {"measure": MEASURE, "runs": 1, "scores": dict(sorted(values.items()))}
    assert pool.recipe["best"] == {"description": kept, "snippet": kept}
    assert [tag for tag, _ in pool.recipe["runs"]] == [first]
    returned = set(pool.pool_items.filter(item__kind="description").values_list("item__text", flat=True))
    own = campaign.runs.get(tag=first).responses.values_list("segments__item__text", "segments__item__kind")
    assert returned == {text for text, kind in own if kind == "description"}
    assert not set(runs_not_pooled(campaign)) & set(values)
    client.force_login(organiser)
    shown = f"The best 1 by <strong>{MEASURE}</strong> when it was built: {first} {values[first]:.4f}"
    assert shown in page_of(client.get(reverse("pool", args=["claims"])))
    made = client.post("/api/v1/campaigns/claims/pools/", {"task": "grounding"}, content_type="application/json")
    assert (made.status_code, made.json()["recipe"]["best"]) == (201, pool.recipe["best"])
    capsys.readouterr()
    call_command("build_pool", "claims", "--task", "grounding")
    assert f"grounding\tbest 1 by {MEASURE}\t{first} {values[first]:.4f}" in capsys.readouterr().out
    assert Pool.objects.filter(campaign=campaign, task="grounding").order_by("-pk")[0] == pool
    by_priority = build_pool(
        actor=organiser, campaign=campaign, task="grounding", priorities=[1, 2, 3], drop_judged=True
    )
    assert "best" not in by_priority.recipe


@pytest.mark.django_db
def test_the_best_runs_are_rated_by_default_and_not_the_first_of_each_team(campaign: Campaign, organiser: User) -> None:
    """ "human evaluation of … the top-scoring systems, according to our automated evaluation" (Context25, Task 2)"""
    runs = campaign.runs.filter(submission="grounding")
    runs.filter(tag="Fathom").update(priority=1)
    runs.exclude(tag="Fathom").update(priority=2)
    values = scores_of(campaign)
    best = sorted(runs.values_list("tag", flat=True), key=lambda tag: -(values[tag] or 0))[:2]
    assert "Fathom" not in best
    pool = build_pool(actor=organiser, campaign=campaign, task="grounding", drop_judged=True)
    assert sorted(tag for tag, _ in pool.recipe["runs"]) == sorted(best)
    runs.delete()
    context = next(task for task in TRACK.tasks if task.key == "grounding")
    assert best_runs(campaign, context.pooling[0]) is None


@pytest.mark.django_db
def test_without_a_score_or_a_measure_no_run_is_the_best(campaign: Campaign, organiser: User) -> None:
    for name, sentence in (("taste", "which ranks no runs here"), ("description-correct", "No run has a value of")):
        change_settings(actor=organiser, campaign=campaign, values={"rated_runs": 2, "rated_by": name})
        campaign.refresh_from_db()
        with pytest.raises(Invalid, match=sentence):
            build_pool(actor=organiser, campaign=campaign, task="grounding", drop_judged=True)
    assert Context25Settings(rated_runs=-1).problems() == {"rated_runs": "This must be a whole number from 0 to 1,000."}


def test_runs_that_are_equal_to_the_last_of_the_best_are_among_them() -> None:
    scores = (("a", 0.5), ("b", 0.75), ("c", None), ("d", 0.5), ("e", 0.25))
    assert BestRuns(measure="m", count=2, scores=scores).tags == ("b", "a", "d")
    assert BestRuns(measure="m", count=9, scores=scores).tags == ("b", "a", "d", "e")
    assert BestRuns(measure="m", count=9, scores=(("c", None),)).tags == ()
