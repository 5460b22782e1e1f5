"""Long jobs: asked for, done by the worker, stopped and started again."""

from __future__ import annotations

import io
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from assess.domain.errors import Conflict, Invalid
from assess.domain.files import store_file
from assess.domain.jobs.works import do_work, enqueue_work, restart_work, stop_work
from assess.models import Campaign, ValidDocno, Work
from tests.assess.documents.test_documents import docnos, record
from tests.assess.worker import run_worker

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _data_dir(settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


def arguments(content: bytes = b"D1\nD2\n") -> dict[str, object]:
    return {"sha256": store_file(io.BytesIO(content)).sha256, "name": "docnos.txt"}


def ask(campaign: Campaign, actor: User, content: bytes = b"D1\nD2\n") -> Work:
    return enqueue_work(actor=actor, campaign=campaign, kind="docnos", arguments=arguments(content))


def test_the_worker_does_what_was_asked(campaign: Campaign, organiser: User) -> None:
    work = ask(campaign, organiser, b"D1\nD2\nnot a docno\n")
    assert (work.state, ValidDocno.objects.count()) == ("waiting", 0)
    run_worker()
    work.refresh_from_db()
    assert (work.state, work.message, work.done) == ("done", "2 docnos read, 2 of them new.", 2)
    assert [row["code"] for row in work.issues] == ["docno-form"]
    assert ValidDocno.objects.count() == 2


def test_uploaded_documents_are_loaded_under_their_names(campaign: Campaign, organiser: User) -> None:
    stored = store_file(io.BytesIO(record("D1") + record("D2")))
    files = [{"sha256": stored.sha256, "name": "blogs.trec"}]
    work = enqueue_work(
        actor=organiser, campaign=campaign, kind="documents", arguments={"files": files, "wanted": "all"}
    )
    do_work(work.pk)
    work.refresh_from_db()
    assert (work.state, work.done, docnos(campaign)) == ("done", 2, ["D1", "D2"])
    assert campaign.documents.first().source_file == "blogs.trec"  # type: ignore[union-attr]


def test_a_second_job_of_the_kind_waits_its_turn(campaign: Campaign, organiser: User) -> None:
    ask(campaign, organiser)
    with pytest.raises(Conflict, match="under way"):
        ask(campaign, organiser)
    with pytest.raises(Invalid, match="documents, docnos"):
        enqueue_work(actor=organiser, campaign=campaign, kind="coffee", arguments={})


def test_a_job_that_waits_is_stopped_at_once_and_can_be_started_again(campaign: Campaign, organiser: User) -> None:
    work = stop_work(actor=organiser, work=ask(campaign, organiser))
    assert work.state == "stopped"
    do_work(work.pk)
    assert ValidDocno.objects.count() == 0
    assert restart_work(actor=organiser, work=work).state == "waiting"
    run_worker()
    work.refresh_from_db()
    assert (work.state, ValidDocno.objects.count()) == ("done", 2)


def test_a_running_job_is_asked_to_stop(campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    from assess.domain.documents import docnos as module
    from assess.domain.jobs import works

    monkeypatch.setattr(module, "BATCH", 1)
    monkeypatch.setattr(works, "TELL_EVERY", timedelta(0))
    work = ask(campaign, organiser, b"D1\nD2\nD3\n")
    tell = works.Watch.tell

    def tell_and_stop(watch: works.Watch, progress: works.Progress) -> None:
        stop_work(actor=organiser, work=watch.work)
        tell(watch, progress)

    monkeypatch.setattr(works.Watch, "tell", tell_and_stop)
    do_work(work.pk)
    work.refresh_from_db()
    assert (work.state, ValidDocno.objects.count()) == ("stopped", 1)
    monkeypatch.setattr(works.Watch, "tell", tell)
    do_work(restart_work(actor=organiser, work=work).pk)
    work.refresh_from_db()
    assert (work.state, ValidDocno.objects.count(), work.asked_to_stop) == ("done", 3, False)


def test_a_job_that_is_refused_says_why(campaign: Campaign, organiser: User) -> None:
    files = [{"sha256": store_file(io.BytesIO(record("D1"))).sha256, "name": "a.trec"}]
    work = enqueue_work(actor=organiser, campaign=campaign, kind="documents", arguments={"files": files})
    do_work(work.pk)
    work.refresh_from_db()
    assert work.state == "failed"
    assert "No run and no document list names a document yet" in work.message


def test_a_job_whose_worker_was_lost_can_be_started_again(campaign: Campaign, organiser: User) -> None:
    work = ask(campaign, organiser)
    Work.objects.filter(pk=work.pk).update(state="running")
    with pytest.raises(Conflict, match="running"):
        restart_work(actor=organiser, work=work)
    Work.objects.filter(pk=work.pk).update(updated_at=timezone.now() - timedelta(minutes=6))
    do_work(restart_work(actor=organiser, work=work).pk)
    work.refresh_from_db()
    assert work.state == "done"
