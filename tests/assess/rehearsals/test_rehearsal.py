"""Rehearsals of a campaign: what they take from it, what comes of them, and that they leave no trace in it."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.errors import Invalid
from assess.campaigns.queries import stage_of
from assess.jobs.background import do_job
from assess.jobs.domain import enqueue_job
from assess.jobs.progress import JobProgress, Stopped, no_report
from assess.models import Activity, Campaign, Item, Job, Judgment, LedgerPoint, Pool, Run
from assess.rehearsals.choices import Wish, assessors_of
from assess.rehearsals.domain import arguments_of, newest_rehearsal
from assess.rehearsals.play import Played, StagePlayed, play_campaign, play_nuggets
from nuggets.models import NuggetMatch
from tests import factories
from tests.assess.commands import run_command
from tests.assess.pooling import build, submit
from tests.assess.scored_campaign import judged_campaign
from tests.pages import page_of

pytestmark = pytest.mark.django_db

QUICK = Wish(runs=3, plays=1, assessors=2)


def stage(played: Played, key: str) -> StagePlayed:
    return next(each for each in played.stages if each.stage == key)


@pytest.fixture
def adhoc(organiser: User, settings, tmp_path: Path) -> Campaign:
    """An ad hoc campaign of three topics and a pool depth of 8, without any run."""
    settings.DATA_DIR = tmp_path / "data"
    made = Campaign.objects.create(slug="ranked", title="Ranked", track="adhoc", settings={"pool_depth": 8})
    made.memberships.create(user=organiser, role="organiser")
    for number in ("1", "2", "3"):
        factories.topic(made, number, "Which?", task="ranking")
    return made


# ---------------------------------------------------------------- what it takes from the campaign


def test_as_many_assessors_are_played_as_there_are_else_two(adhoc: Campaign) -> None:
    unasked = replace(QUICK, assessors=None)
    assert (assessors_of(adhoc, unasked), assessors_of(adhoc, replace(QUICK, assessors=5))) == (2, 5)
    for name in ("ann", "ben", "cleo"):
        factories.member(adhoc, name, "assessor")
    assert assessors_of(adhoc, unasked) == 3


def test_a_ranked_stage_is_played_by_the_pools_own_depth(adhoc: Campaign) -> None:
    played = play_campaign(adhoc, QUICK)
    found = stage(played, "documents")
    assert (found.planned.size, found.size_label) == (8, "Depth")
    assert [each.size for each in found.by_size] == [2, 4, 8, 16]
    assert [each.double for each in found.by_double] == [0.0, 0.1, 0.25, 0.5, 1.0]
    assert "a pool of depth 8" in found.given and "3 simulated runs" in found.given
    assert 8 <= (found.planned.items.value or 0) <= 24


def test_without_error_the_deepest_pool_finds_the_true_order(adhoc: Campaign) -> None:
    found = stage(play_campaign(adhoc, replace(QUICK, error=0.0, double=1.0)), "documents")
    assert (found.planned.agreement.value, found.expected_agreement) == (1.0, 1.0)


def test_a_pool_made_by_a_strategy_is_played_by_it(adhoc: Campaign, organiser: User) -> None:
    submit(adhoc, organiser, "alp1", "Alps", dict.fromkeys("123", "abcdefgh"))
    build(adhoc, organiser, strategy="rrf", budget=5)
    for topic in adhoc.topics.all():
        factories.assignment(topic, "documents", adhoc.memberships.get().user)
    found = stage(play_campaign(adhoc, QUICK), "documents")
    assert (found.planned.size, found.size_label, found.planned.items.value) == (5, "Budget", 5.0)


@pytest.fixture
def judged(campaign: Campaign, organiser: User, assessor: User, settings, tmp_path: Path) -> Campaign:
    settings.DATA_DIR = tmp_path / "data"
    judged_campaign(campaign, organiser, assessor)
    return campaign


def test_strings_and_nuggets_are_played_and_the_rest_is_named(judged: Campaign) -> None:
    played = play_campaign(judged, QUICK)
    assert [each.stage for each in played.stages] == ["instances", "matches"]
    assert stage(played, "matches").expected_agreement is None
    assert [sentence.partition(":")[0] for sentence in played.left_out]
    assert any("Votes" in sentence for sentence in played.left_out)


def test_the_pace_is_the_measured_one_where_anything_was_timed(judged: Campaign) -> None:
    row = Judgment.objects.order_by("id").first()
    assert row is not None
    assert "30 seconds an item, since nothing was timed yet" in stage(play_campaign(judged, QUICK), "instances").given
    row.pk, row.id, row.seconds, row.client_key = 0, 0, 12.0, "00000000-0000-0000-0000-0000000000aa"
    row.save()
    assert "12.0 seconds an item, as measured on 1" in stage(play_campaign(judged, QUICK), "instances").given
    asked = play_campaign(judged, replace(QUICK, seconds_per_item=7.5))
    assert "7.5 seconds an item" in stage(asked, "instances").given


# ---------------------------------------------------------------- no trace, refusals


def test_a_rehearsal_leaves_no_trace(judged: Campaign) -> None:
    def state() -> tuple[int, ...]:
        tables = (Judgment, NuggetMatch, Item, Pool, Run, User, Activity, Job)
        points = LedgerPoint.objects.order_by("campaign").values_list("value", flat=True)
        return (*points, *(table.objects.count() for table in tables))

    before = state()
    status, out, err = run_command("rehearse", judged.slug, "--runs", 3, "--plays", 1)
    assert (status, state()) == (0, before)
    rows = list(csv.DictReader(io.StringIO(out), delimiter="\t"))
    assert {row["stage"] for row in rows} == {"instances", "matches"}
    assert all(
        float(row["low"]) <= float(row["value"]) <= float(row["high"]) for row in rows if row["low"] != "undefined"
    )
    assert err.count("With 3 runs a single pair that changes places moves tau by 0.67") == 2
    assert "not simulated" in err


def test_the_same_seed_prints_the_same(judged: Campaign) -> None:
    calls = [run_command("rehearse", judged.slug, "--runs", 3, "--plays", 1, "--format", "json") for _ in range(2)]
    assert calls[0] == calls[1]
    assert json.loads(calls[0][1])["wish"]["runs"] == 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"runs": 1},
        {"error": 1.5},
        {"double": 2.0},
        {"plays": 0},
        {"assessors": 0},
        {"seconds_per_item": -1.0},
        {"seed": -1},
    ],
)
def test_what_cannot_be_played_is_refused_with_a_sentence(adhoc: Campaign, wrong: dict[str, float]) -> None:
    with pytest.raises(Invalid, match=r"\w.*\."):
        play_campaign(adhoc, replace(QUICK, **wrong))  # type: ignore[arg-type]


def test_what_would_take_very_long_is_refused(adhoc: Campaign) -> None:
    with pytest.raises(Invalid, match="very long"):
        play_campaign(adhoc, replace(QUICK, runs=200, plays=1000))


def test_it_stops_when_asked(adhoc: Campaign) -> None:
    def stop(progress: JobProgress) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        play_campaign(adhoc, QUICK, progress=stop)


def test_nuggets_have_the_same_bound_and_tell_of_each_play(judged: Campaign) -> None:
    told: list[JobProgress] = []
    play_campaign(judged, replace(QUICK, plays=2), progress=told.append)
    label = stage(play_campaign(judged, QUICK), "matches").label
    plays = [(each.done, each.total) for each in told if each.note == label]
    assert plays == [(done, 10) for done in range(1, 11)]  # five shares judged twice
    task, matches = stage_of(judged, "matches")
    with pytest.raises(Invalid, match=f"{label}: this would take very long"):
        play_nuggets(judged, task, matches, ("1.1",), replace(QUICK, runs=200, plays=1000), no_report)


# ---------------------------------------------------------------- page, API, worker


def test_the_worker_plays_and_the_page_and_the_api_show_it(adhoc: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    address = reverse("rehearsal", args=[adhoc.slug])
    assert "Nothing was played yet" in page_of(client.get(address))
    form = {"runs": "3", "error": "0.1", "double": "0.5", "plays": "1", "relevant": "10", "seed": "2"}
    assert client.post(address, form).status_code == 302
    work = Job.objects.get(kind="rehearsal")
    page = page_of(client.get(address))
    assert "waiting" in page and 'id="live-rehearsal"' in page and "js/web/live.js" in page
    do_job(work.pk)
    page = page_of(client.get(address))
    assert "data-live" not in page and "js/web/live.js" not in page
    assert "3 simulated runs" in page and "Kendall" in page
    image = client.get(reverse("rehearsal-plot", args=[adhoc.slug]), {"stage": "documents"})
    assert (image.status_code, image["Content-Type"]) == (200, "image/svg+xml")
    assert client.get(reverse("rehearsal-plot", args=[adhoc.slug]), {"stage": "none"}).status_code == 404
    api = client.get(f"/api/v1/campaigns/{adhoc.slug}/rehearsal/").json()
    assert api["result"]["stages"][0]["stage"] == "documents" and api["result"]["wish"]["seed"] == 2


def test_the_page_refuses_what_cannot_be_played(adhoc: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    for form in ({"runs": "1"}, {"error": "2"}, {"plays": "x"}, {"assessors": "-1"}):
        answer = client.post(
            reverse("rehearsal", args=[adhoc.slug]), {"error": "0.1", "double": "0", "plays": "1", **form}
        )
        assert answer.status_code == 422, form
    answer = client.post(f"/api/v1/campaigns/{adhoc.slug}/rehearsal/", {"error": 3}, content_type="application/json")
    assert answer.status_code == 422
    assert not Job.objects.exists()


def test_the_api_asks_for_a_rehearsal(adhoc: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    address = f"/api/v1/campaigns/{adhoc.slug}/rehearsal/"
    assert client.get(address).json()["result"] is None
    answer = client.post(address, {"runs": 3, "plays": 1}, content_type="application/json")
    assert answer.status_code == 202
    assert Job.objects.get().arguments == arguments_of(Wish(runs=3, plays=1))


def test_a_job_that_stops_keeps_nothing(adhoc: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    work = enqueue_job(actor=organiser, campaign=adhoc, kind="rehearsal", arguments=arguments_of(QUICK))
    monkeypatch.setattr("assess.jobs.background.Watch.should_stop", lambda self: True)
    do_job(work.pk)
    work.refresh_from_db()
    found = newest_rehearsal(adhoc)
    assert (work.state, found.result) == ("stopped", None)
    assert found.under_way == work
