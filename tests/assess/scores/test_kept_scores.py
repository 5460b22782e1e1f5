"""Scores are computed once for as many as ask, by the worker where that takes long, and kept until they change."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from assess.base import process
from assess.campaigns.activity import record_activity
from assess.campaigns.queries import ledger_point
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign, Job
from assess.runs.domain.deciding import withdraw_run
from assess.scores import at_hand, domain, kept
from assess.scores.domain import score_campaign
from tests import factories
from tests.assess.judged_campaign import judge
from tests.assess.worker import run_worker
from tests.pages import page_of

pytestmark = pytest.mark.django_db
PAGES = ("scores", "analysis", "stability", "significance", "score-report")


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ledger points at which scores were computed."""
    found: list[int] = []
    compute = domain._computed

    def noted(state: Any, *rest: Any) -> Any:
        found.append(state.point)
        return compute(state, *rest)

    monkeypatch.setattr(domain, "_computed", noted)
    return found


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every campaign takes longer to score than somebody should wait."""
    monkeypatch.setattr(at_hand, "AT_ONCE", 0)


def answer(at_desk: Client, begun_grading: Assignment, name: str = "scores", **headers: str) -> Any:
    return at_desk.get(reverse(name, args=[begun_grading.campaign.slug]), headers=headers)  # type: ignore[arg-type]


# ---------------------------------------------------------------- what is kept


def test_a_restart_and_a_download_leave_scores_and_a_judgment_changes_them(
    begun_grading: Assignment, organiser: User, computed: list[int]
) -> None:
    campaign = begun_grading.campaign
    first = score_campaign(Snapshot(campaign))
    process.forget_everything()
    assert score_campaign(Snapshot(campaign)).scores == first.scores
    with transaction.atomic():
        record_activity(actor=organiser, action="export.write", campaign=campaign, data={})
    later = score_campaign(Snapshot(campaign))
    assert (later.scores, later.as_of) == (first.scores, ledger_point(campaign))
    assert computed == [first.as_of] != [later.as_of]
    judge(begun_grading, "red", 1)
    assert score_campaign(Snapshot(campaign)).scores != first.scores
    assert score_campaign(Snapshot(campaign, first.as_of)).scores == first.scores
    assert computed == [first.as_of, ledger_point(campaign)]


def test_runs_and_settings_change_scores(begun_grading: Assignment, organiser: User, computed: list[int]) -> None:
    campaign = begun_grading.campaign
    assert score_campaign(Snapshot(campaign)).runs == ("Amber1", "Basil1")
    other = type(domain.scoring_state(Snapshot(campaign)).context.settings)(allowance=7)
    for _ in range(2):
        assert len(score_campaign(Snapshot(campaign), other).runs) == 2
    withdraw_run(actor=organiser, run=campaign.runs.get(tag="Basil1"))
    assert score_campaign(Snapshot(campaign)).runs == ("Amber1",)
    assert len(computed) == 3


def test_a_ledger_that_went_back_is_told_from_the_one_before(begun_grading: Assignment, computed: list[int]) -> None:
    """A backup of yesterday is restored: today's numbers are given again, to other judgments."""
    if connection.vendor == "postgresql":
        pytest.skip("PostgreSQL takes no number back with its transaction")
    before = transaction.savepoint()
    judge(begun_grading, "red", 1)
    point = score_campaign(Snapshot(begun_grading.campaign)).as_of
    transaction.savepoint_rollback(before)
    judge(begun_grading, "red", -1)
    assert score_campaign(Snapshot(begun_grading.campaign)).as_of == point
    assert computed == [point, point]


def test_a_damaged_file_is_computed_again_and_old_ones_go(
    begun_grading: Assignment, computed: list[int], monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    first = score_campaign(Snapshot(begun_grading.campaign))
    (path,) = (settings.DATA_DIR / "scores").rglob("*.npz")
    path.write_bytes(path.read_bytes()[:100])
    assert score_campaign(Snapshot(begun_grading.campaign)).scores == first.scores
    assert len(computed) == 2
    monkeypatch.setattr(kept, "MOST", 1)
    judge(begun_grading, "red", 1)
    score_campaign(Snapshot(begun_grading.campaign))
    (newest,) = (settings.DATA_DIR / "scores").rglob("*.npz")
    assert newest != path


def test_two_who_ask_at_once_have_one_computation(
    monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    made: list[str] = []

    def compute(state: Any, progress: Any) -> str:
        sleep(0.05)
        made.append("scores")
        return made[0]

    monkeypatch.setattr(domain, "kept_scores", lambda state: made[0] if made else None)
    monkeypatch.setattr(domain, "_computed", compute)
    state: Any = SimpleNamespace(campaign=SimpleNamespace(pk=1), key=lambda: "same")
    with ThreadPoolExecutor(4) as people:
        assert set(people.map(domain.scores_of_state, [state] * 4)) == {"scores"}
    assert len(made) == 1


# ---------------------------------------------------------------- what the worker computes


def test_a_page_asks_the_worker_once_and_shows_how_far_it_is(
    begun_grading: Assignment, at_desk: Client, large: None, computed: list[int]
) -> None:
    for name in PAGES:
        page = answer(at_desk, begun_grading, name)
        assert (page.status_code, name) == (202, name)
    shown = page_of(page)
    assert 'role="status"' in shown and "Look again" in shown
    job = Job.objects.get(kind="scores")
    Job.objects.filter(pk=job.pk).update(done=1, total=2, unit="runs")
    part = answer(at_desk, begun_grading, **{"HX-Request": "true", "HX-Target": "waiting"})
    assert part.status_code == 200 and "<html" not in page_of(part)
    assert answer(at_desk, begun_grading, "score-plot").status_code == 409
    assert answer(at_desk, begun_grading, "api-score-list").json()["code"] == "still-scoring"
    assert computed == []
    run_worker()
    assert [answer(at_desk, begun_grading, name).status_code for name in PAGES[:2]] == [200, 200]
    ended = answer(at_desk, begun_grading, **{"HX-Request": "true", "HX-Target": "waiting"})
    assert (ended.status_code, ended["HX-Trigger"]) == (204, "job-ended")
    job.refresh_from_db()
    assert (job.state, job.message) == ("done", f"2 runs scored as of ledger point {computed[0]:,}.")
    assert len(computed) == 1


def test_older_scores_are_shown_until_newer_ones_are_there(
    begun_grading: Assignment, at_desk: Client, large: None
) -> None:
    answer(at_desk, begun_grading)
    run_worker()
    before = answer(at_desk, begun_grading).context["scores"]
    judge(begun_grading, "red", 1)
    page = answer(at_desk, begun_grading)
    assert page.context["scores"].scores == before.scores
    for name in PAGES[:4]:
        shown = page_of(answer(at_desk, begun_grading, name))
        assert "There are newer judgments; the scores with them are being computed" in " ".join(shown.split()), name
    assert Job.objects.filter(kind="scores").count() == 1
    run_worker()
    page = answer(at_desk, begun_grading)
    assert page.context["scores"].scores != before.scores and "newer judgments" not in page_of(page)


def test_a_job_that_failed_is_said_and_started_again_by_a_person(
    begun_grading: Assignment, at_desk: Client, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(at_desk, begun_grading)
    with monkeypatch.context() as patch:
        patch.setattr(domain, "_gold", lambda *rest: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run_worker()
    page = answer(at_desk, begun_grading)
    assert page.status_code == 202 and "The job broke off: division by zero." in page_of(page)
    assert "Start it again" in page_of(page) and "hx-get" not in page_of(page)
    assert (
        "could not be computed: The job broke off" in answer(at_desk, begun_grading, "api-score-list").json()["detail"]
    )
    job = Job.objects.get(kind="scores", state="failed")
    at_desk.post(reverse("work-restart", args=[begun_grading.campaign.slug, job.pk]))
    run_worker()
    assert answer(at_desk, begun_grading).status_code == 200


def test_who_may_not_see_scores_asks_for_no_job(
    begun_grading: Assignment, assessor: User, participant: User, client: Client, large: None
) -> None:
    for person in (assessor, participant):
        client.force_login(person)
        assert [answer(client, begun_grading, name).status_code for name in PAGES[:4]] == [404] * 4
    assert not Job.objects.exists()
    Campaign.objects.filter(pk=begun_grading.campaign.pk).update(state="released")
    factories.member(begun_grading.campaign, "of-cedar", "participant", team="Amber")
    client.force_login(User.objects.get(username="of-cedar"))
    page = answer(client, begun_grading, "score-report")
    assert page.status_code in (200, 202) and "work-restart" not in page_of(page)


def test_a_request_leaves_it_to_the_worker_while_another_computes(
    begun_grading: Assignment, at_desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_hand, "PATIENCE", 0.0)
    with at_hand._computing:
        assert answer(at_desk, begun_grading).status_code == 202
