"""Exports of a large campaign are made by the worker, once for a ledger point and as many as ask, and kept."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.campaigns.queries import ledger_point
from assess.exports import domain, kept
from assess.exports.domain import export_campaign
from assess.jobs.kept_files import kept_folder
from assess.judging.snapshots import Snapshot
from assess.models import Activity, Assignment, Campaign, Job
from assess.organising.domain import change_state
from assess.runs.domain.deciding import withdraw_run
from assess.topics.domain.changing import drop_topic, restore_topic
from tests.assess.judged_campaign import judge
from tests.assess.worker import run_worker
from tests.pages import page_of

pytestmark = pytest.mark.django_db
FILE = "instances.tsv"


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every campaign takes longer to export than somebody should wait."""
    monkeypatch.setattr(kept, "SMALL", -1)


class Asked:
    """What the organiser asks of the exports of one campaign."""

    def __init__(self, at_desk: Client, begun_grading: Assignment) -> None:
        self.desk, self.slug = at_desk, begun_grading.campaign.slug

    def __call__(self, name: str, point: int | None = None, *, looks_again: bool = False) -> Any:
        headers = {"HX-Request": "true", "HX-Target": "waiting"} if looks_again else {}
        rest = [FILE] if name in ("export-file", "api-export-detail") else []
        given = {} if point is None else {"as_of": point}
        return self.desk.get(reverse(name, args=[self.slug, *rest]), given, headers=headers)


@pytest.fixture
def asked(at_desk: Client, begun_grading: Assignment) -> Asked:
    return Asked(at_desk, begun_grading)


ADDRESSES = ("exports-zip", "export-file", "api-export-all-files", "api-export-detail")


def sent(answer: Any) -> bytes:
    pieces: Iterator[bytes] = answer.streaming_content
    return b"".join(pieces)


def test_the_worker_makes_once_what_all_then_get_byte_for_byte(
    begun_grading: Assignment, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = ledger_point(begun_grading.campaign)
    at_once = [sent(asked(name, point)) for name in ADDRESSES]
    assert not Job.objects.exists()
    monkeypatch.setattr(kept, "SMALL", -1)
    waiting = [asked(name, point) for name in ADDRESSES]
    assert [answer.status_code for answer in waiting] == [202, 202, 409, 409]
    assert "<title>Exports" in page_of(waiting[0]), "it will say as well that they are ready"
    assert "Making the exports" in page_of(waiting[0]) and "Waiting for the worker" in page_of(waiting[0])
    assert waiting[2].json()["code"] == "still-exporting" and f"as_of={point}" in waiting[2].json()["detail"]
    part = asked("exports-zip", point, looks_again=True)
    assert part.status_code == 200 and "<html" not in page_of(part)
    assert f"as_of={point}" in part.content.decode()
    job = Job.objects.get()
    run_worker()
    job.refresh_from_db()
    assert (job.state, job.done) == ("done", job.total), job.message
    acts = Activity.objects.filter(action="export.write").count()
    for name in ADDRESSES[:2]:
        ready = asked(name, point, looks_again=True)
        assert "is ready" in page_of(ready) and "Download" in page_of(ready)
        assert all(page.content.decode().count('id="waiting-action"') == 1 for page in (part, ready)), "focus stays"
    assert Activity.objects.filter(action="export.write").count() == acts, "looking is no download"
    monkeypatch.setattr(kept, "write_exports", None)
    assert [sent(asked(name, point)) for name in ADDRESSES] == at_once
    first, second = Activity.objects.filter(action="export.write").order_by("id")[:2]
    assert first.data == Activity.objects.filter(action="export.write").latest("id").data == second.data
    assert Job.objects.count() == 1


def test_exporting_into_a_folder_takes_what_is_kept_and_makes_what_is_damaged(
    begun_grading: Assignment, asked: Asked, large: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    snapshot = Snapshot(begun_grading.campaign, ledger_point(begun_grading.campaign))
    made = export_campaign(actor=None, snapshot=snapshot, folder=tmp_path / "made")
    asked("exports-zip", made.as_of)
    run_worker()
    with monkeypatch.context() as kept_alone:
        kept_alone.setattr(domain, "write_exports", None)
        taken = export_campaign(actor=None, snapshot=snapshot, folder=tmp_path / "taken")
    assert (taken.as_of, taken.files) == (made.as_of, made.files)
    assert files_in(taken.folder) == files_in(made.folder)
    (package,) = kept_folder("exports", begun_grading.campaign.pk).glob("*.zip")
    whole = package.read_bytes()
    package.write_bytes(whole[:60] + bytes(40) + whole[100:])
    assert export_campaign(actor=None, snapshot=snapshot, folder=tmp_path / "again").files == made.files
    assert files_in(tmp_path / "again") == files_in(made.folder)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_exports_that_are_made_stand_for_the_newest_until_somebody_judges(
    begun_grading: Assignment, asked: Asked, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = ledger_point(begun_grading.campaign)
    assert f"as_of={point}" in asked("exports-zip").content.decode()
    judge(begun_grading, "red", 1)
    assert f"as_of={point}" in asked("exports-zip").content.decode(), "they are being made"
    with monkeypatch.context() as later:
        later.setattr(kept, "LATELY", timedelta(0))
        assert asked("exports").context["as_of"] == ledger_point(begun_grading.campaign), "it is long since"
    run_worker()
    newer = ledger_point(begun_grading.campaign)
    assert asked("exports").context["as_of"] == newer
    assert asked("exports-zip").status_code == 202
    run_worker()
    for _ in range(2):  # the first one writes into the ledger that it was taken
        assert sent(asked("exports-zip")) == sent(asked("exports-zip", newer))
    assert ledger_point(begun_grading.campaign) > newer
    assert Job.objects.count() == 2


def test_what_is_no_ledger_makes_exports_anew(
    begun_grading: Assignment, asked: Asked, large: None, organiser: User
) -> None:
    point = ledger_point(begun_grading.campaign)
    asked("exports-zip", point)
    run_worker()
    before = sent(asked("exports-zip", point))
    judge(begun_grading, "red", 1)
    assert sent(asked("exports-zip", point)) == before
    withdraw_run(actor=organiser, run=begun_grading.campaign.runs.get(tag="Basil1"))
    assert asked("exports-zip", point).status_code == 202
    run_worker()
    assert sent(asked("exports-zip", point)) != before
    assert Job.objects.count() == 1, "the same job, asked for again"


def test_a_damaged_zip_is_made_again_and_old_ones_go(
    begun_grading: Assignment, asked: Asked, large: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "MOST", 1)
    point = ledger_point(begun_grading.campaign)
    asked("exports-zip", point)
    run_worker()
    (path,) = (settings.DATA_DIR / "exports").rglob("*.zip")
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    assert asked("exports-zip", point).status_code == 202
    run_worker()
    assert path.read_bytes() == whole
    judge(begun_grading, "red", 1)
    kept.keep_exports(Snapshot(begun_grading.campaign))
    (newest,) = (settings.DATA_DIR / "exports").rglob("*.zip")
    assert newest != path


def test_a_job_that_failed_says_so_and_is_started_again(
    begun_grading: Assignment, asked: Asked, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = ledger_point(begun_grading.campaign)
    asked("exports-zip", point)
    with monkeypatch.context() as patch:
        patch.setattr(kept, "write_exports", lambda *rest: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run_worker()
    page = asked("exports-zip", point)
    assert page.status_code == 202 and "The exports could not be made" in page_of(page)
    assert "Start it again" in page_of(page) and "hx-get" not in page.content.decode()
    job = Job.objects.get()
    asked.desk.post(reverse("work-restart", args=[asked.slug, job.pk]))
    run_worker()
    assert asked("exports-zip", point).status_code == 200


def test_who_may_not_see_exports_asks_for_no_job(
    begun_grading: Assignment, assessor: User, participant: User, client: Client, large: None
) -> None:
    for person in (assessor, participant):
        client.force_login(person)
        assert {Asked(client, begun_grading)(name).status_code for name in ADDRESSES} <= {403, 404}
    assert not Job.objects.exists()


@pytest.mark.usefixtures("large")
def test_the_newest_exports_of_a_frozen_campaign_are_its_last(
    begun_grading: Assignment, asked: Asked, organiser: User
) -> None:
    asked("exports-zip")
    judge(begun_grading, "red", 1)
    change_state(actor=organiser, campaign=begun_grading.campaign, state="frozen")
    page = asked("exports")
    assert page.context["as_of"] == page.context["newest"]


def test_a_topic_dropped_while_files_are_made_is_missing_in_none_that_is_kept(
    begun_grading: Assignment, asked: Asked, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = ledger_point(begun_grading.campaign)
    truth = sent(asked("export-file", point))
    monkeypatch.setattr(kept, "SMALL", -1)
    asked("exports-zip", point)
    write = kept.write_exports

    def drop_first(*given: Any) -> Any:
        drop_topic(actor=organiser, campaign=now(begun_grading), number="1.1", reason="Nobody understands it.")
        return write(*given)

    with monkeypatch.context() as patch:
        patch.setattr(kept, "write_exports", drop_first)
        run_worker()
    restore_topic(actor=organiser, campaign=now(begun_grading), number="1.1")
    assert asked("export-file", point).status_code == 202
    run_worker()
    assert sent(asked("export-file", point)) == truth != b""


def now(begun_grading: Assignment) -> Campaign:
    return Campaign.objects.get(pk=begun_grading.campaign_id)
