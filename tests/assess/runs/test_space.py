"""What a team's runs take of the disk is bounded, and nobody else's file goes with a rejected one."""

from __future__ import annotations

import fcntl
import gzip
import io
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.base.errors import Conflict, Refused
from assess.base.files import drop_file, keep_bytes, nothing_dropped, stored_path
from assess.models import Campaign, Run
from assess.runs.domain.deciding import withdraw_run
from assess.runs.domain.submitting import submit_run
from tests.assess.runs.submitted import GOOD, form

pytestmark = pytest.mark.django_db(transaction=True)
ROOM = "the organiser, who can submit it for you"


def sent(campaign: Campaign, actor: User, text: str, **changes: object) -> Run:
    file = io.BytesIO(text.encode())
    said = form(**changes)
    return submit_run(actor=actor, campaign=campaign, form=said, file=file, file_name="run.txt", replace=True)


def files(folder: Path) -> list[str]:
    return sorted(path.read_text() for path in (folder / "files").glob("??/*") if len(path.name) == 64)


def test_of_rejected_attempts_the_last_file_alone_is_kept(setup: Campaign, participant: User, tmp_path: Path) -> None:
    runs = [sent(setup, participant, f"bad {number}\n") for number in range(8)]
    assert {run.state for run in runs} == {"rejected"}
    assert files(tmp_path) == ["bad 7\n"]
    sent(setup, participant, GOOD.format(tag="Harbor1"))
    assert files(tmp_path) == [GOOD.format(tag="Harbor1")]
    assert [(run.errors, run.size) for run in Run.objects.filter(state="rejected")] == [(3, 6)] * 8
    assert not [path.name for path in (tmp_path / "files").glob("??/*") if "dropped" in path.name]


def test_the_same_bytes_that_came_in_otherwise_are_kept(
    setup: Campaign, participant: User, organiser: User, tmp_path: Path
) -> None:
    keep_bytes(b"bad a\n")
    for text in ("bad a\n", "bad b\n", "bad c\n"):
        sent(setup, participant, text)
        if text == "bad b\n":
            assert sent(setup, organiser, text, team="Pier").state == "rejected"
    assert files(tmp_path) == ["bad a\n", "bad b\n", "bad c\n"]


def test_a_file_that_takes_the_place_of_one_that_goes_is_kept(setup: Campaign, participant: User) -> None:
    run = sent(setup, participant, "bad\n")
    place = stored_path(run.file)
    other = place.with_name("other")
    other.write_text("bad\n")
    other.replace(place)  # as another upload of the same bytes does at this moment
    assert (drop_file(run.file), place.read_text()) == (False, "bad\n")


def test_bytes_that_are_stored_while_they_go_are_kept(setup: Campaign, participant: User, tmp_path: Path) -> None:
    place = stored_path(sent(setup, participant, "bad\n").file)
    with nothing_dropped():  # makes the file
        pass
    with (tmp_path / "busy" / "files").open("ab") as dropping, ThreadPoolExecutor() as threads:
        fcntl.flock(dropping, fcntl.LOCK_EX)  # as `drop_file` does
        kept = threads.submit(keep_bytes, b"bad\n")
        assert not wait([kept], timeout=0.3).done
        place.unlink()
        fcntl.flock(dropping, fcntl.LOCK_UN)
        assert stored_path(kept.result(timeout=10)).read_text() == "bad\n"


def test_while_a_backup_is_made_nothing_goes(setup: Campaign, participant: User, tmp_path: Path) -> None:
    with nothing_dropped():
        for text in ("bad a\n", "bad b\n"):
            sent(setup, participant, text)
        assert files(tmp_path) == ["bad a\n", "bad b\n"]
    sent(setup, participant, "bad c\n")
    assert files(tmp_path) == ["bad c\n"]


def test_what_is_refused_leaves_no_file(setup: Campaign, participant: User, tmp_path: Path) -> None:
    for changes in ({"team": "Pier"}, {"priority": 9}, {"fields": {"other": "x"}}):
        with pytest.raises(Refused):
            sent(setup, participant, GOOD, **changes)
    assert files(tmp_path) == []
    run = sent(setup, participant, GOOD.format(tag="Harbor1"))
    with pytest.raises(Refused):
        sent(setup, participant, GOOD.format(tag="Harbor1"), priority=9)
    assert files(tmp_path) == [stored_path(run.file).read_text()]


def test_a_team_has_so_many_tries(setup: Campaign, participant: User, organiser: User, settings) -> None:
    settings.ASSAY_TEAM_TRIES = 2
    sent(setup, participant, "bad\n", priority=2)
    withdraw_run(actor=participant, run=sent(setup, participant, GOOD.format(tag="Harbor1")))
    with pytest.raises(Conflict, match=f"2 runs of Harbor were rejected or withdrawn.*{ROOM}"):
        sent(setup, participant, GOOD.format(tag="Harbor1"))
    assert sent(setup, organiser, GOOD.format(tag="Harbor1")).state == "accepted"


def test_a_team_has_so_many_bytes(
    setup: Campaign, participant: User, organiser: User, settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ASSAY_TEAM_MB = 1
    monkeypatch.setattr("assess.runs.domain.space.MB", 100)
    sent(setup, participant, "bad\n" * 15)
    sent(setup, participant, "Bad\n" * 20)  # in the place of the one before
    with pytest.raises(Conflict, match=f"The files of Harbor would take 1.2 MB, and a team has 1 MB.*{ROOM}"):
        sent(setup, participant, "bad\n" * 10, priority=2)
    assert sent(setup, organiser, "bad\n" * 10, priority=2).state == "rejected"


def test_the_pages_say_what_is_used(setup: Campaign, client: Client, participant: User, organiser: User) -> None:
    first, second = (sent(setup, participant, text) for text in ("bad\n", "Bad\n"))
    client.force_login(participant)
    said = "Harbor uses 0.0 of 5,000 MB for its files, and 2 of 200 runs that may be rejected or withdrawn."
    for page in ("runs/", "runs/new/"):
        assert said in client.get(f"/c/opinions/{page}").content.decode()
    gone = client.get(f"/c/opinions/runs/{first.pk}/").content.decode()
    assert ("no longer kept: it was rejected" in gone, "Download the file" in gone) == (True, False)
    assert "Download the file" in client.get(f"/c/opinions/runs/{second.pk}/").content.decode()
    assert client.get(f"/c/opinions/runs/{first.pk}/file/").status_code == 404
    report = b"".join(client.get(f"/c/opinions/runs/{first.pk}/report/").streaming_content).decode()
    assert len(report.splitlines()) == 4
    client.force_login(organiser)
    page = "".join(client.get("/c/opinions/runs/").content.decode().split())
    assert '<thscope="row">Harbor</th><tdclass="number">2</td><tdclass="number">2</td>' in page


def test_files_are_not_taken_from_the_reserve_of_the_disk(
    setup: Campaign, client: Client, participant: User, settings
) -> None:
    settings.ASSAY_RESERVE_MB = 10**12
    client.force_login(participant)
    assert client.get("/c/opinions/runs/new/").status_code == 200
    answer = client.post("/c/opinions/runs/new/", {"file": io.BytesIO(b"x" * 300_000)})
    assert (answer.status_code, "The disk of the site is full" in answer.content.decode()) == (507, True)
    assert client.post("/c/opinions/runs/new/", {"file": io.BytesIO(b"x" * 1000)}).status_code == 422
    file = SimpleUploadedFile("Harbor1.txt.gz", gzip.compress(b"1.1 Harbor1 D1 an answer\n" * 100_000))
    answer = client.post("/api/v1/campaigns/opinions/runs/", {"file": file, "tag": "Harbor1", "team": "Harbor"})
    assert (answer.status_code, answer.json()["code"]) == (507, "disk-full"), "little that was sent is much unpacked"
    assert not setup.runs.exists()
