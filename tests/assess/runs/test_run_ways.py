"""Page, API, commands and folders take a run by the same names, packed or not, and refuse names that there are not."""

from __future__ import annotations

import gzip
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.models import Campaign, Run
from assess.runs.domain.checking import AT_ONCE
from tests import factories
from tests.assess.commands import run_command
from tests.pages import page_of
from tests.tracks.track_folder import folder_of
from tracks import find_track
from tracks.__main__ import main

pytestmark = pytest.mark.django_db

RUN = b"1 Q0 Da 1 9 cape\n2 Q0 Dk 1 9 cape\n"
FORM = {"tag": "cape", "team": "Cape"}


def sent(client: Client, content: bytes = RUN, name: str = "cape.txt", call: str = "", **form: Any) -> Any:
    file = SimpleUploadedFile(name, content)
    return client.post(f"/api/v1/campaigns/ranked/runs/{call}", {**FORM, "file": file, **form})


@pytest.fixture
def desk(retrieval: Campaign, organiser: User, client: Client) -> Client:
    client.force_login(organiser)
    return client


@pytest.mark.parametrize(
    ("given", "automatic"), [({}, True), ({"automatic": "no"}, False), ({"automatic": "true"}, True)]
)
def test_a_run_is_manual_where_it_says_so_and_else_automatic(desk: Client, given: Any, automatic: bool) -> None:
    assert sent(desk, **given).json()["automatic"] is automatic
    assert Run.objects.get(tag="cape").automatic is automatic


@pytest.mark.parametrize("name", ["made", "automtic", "manual"])
def test_a_part_of_another_name_is_refused_and_nothing_is_stored(desk: Client, name: str) -> None:
    for call in ("", "check/"):
        answer = sent(desk, call=call, **{name: "manual"})
        assert (answer.status_code, f"{name}: There is no such member" in answer.json()["detail"]) == (422, True)
    assert not Run.objects.filter(tag="cape").exists()


def test_a_check_that_says_only_that_the_run_is_manual_takes_it_so(campaign: Campaign, client: Client) -> None:
    client.force_login(factories.member(campaign, "olga", "organiser"))
    file = SimpleUploadedFile("Harbor1.txt", b"1.1 Harbor1 D an answer\n")
    answer = client.post(f"/api/v1/campaigns/{campaign.slug}/runs/check/", {"file": file, "automatic": "no"})
    assert "manual-description" in {issue["code"] for issue in answer.json()["issues"]}


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress], ids=["gz", "zst"])
def test_a_packed_run_is_kept_unpacked(desk: Client, pack: Any) -> None:
    ending = "gz" if pack is gzip.compress else "zst"
    sent(desk, pack(RUN), name=f"cape.txt.{ending}")
    run = Run.objects.get(tag="cape")
    assert (run.state, run.file_name, run.size) == ("accepted", "cape.txt", len(RUN))


def test_what_becomes_too_large_when_it_is_unpacked_is_not_checked_in_the_request(desk: Client) -> None:
    packed = gzip.compress(b"\n" * (AT_ONCE + 1), compresslevel=1)
    page = desk.post(
        reverse("run-new", args=["ranked"]),
        {**FORM, "automatic": "yes", "check": "yes", "file": SimpleUploadedFile("r.gz", packed)},
    )
    assert (page.status_code, "larger than the 8,388,608 bytes that are checked while you wait" in page_of(page)) == (
        422,
        True,
    )
    assert sent(desk, packed, call="check/").status_code == 422


def test_a_damaged_run_is_refused_in_words_and_nothing_is_stored(desk: Client) -> None:
    damaged = gzip.compress(RUN * 9)[:-9]
    page = desk.post(
        reverse("run-new", args=["ranked"]),
        {**FORM, "automatic": "yes", "file": SimpleUploadedFile("r.gz", damaged)},
    )
    answer = sent(desk, damaged)
    assert (page.status_code, answer.status_code) == (422, 422)
    for words in (page_of(page), answer.json()["detail"]):
        assert "it is cut off after" in words
    assert not Run.objects.filter(tag="cape").exists()


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    """The smallest track's folder with its runs packed."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    track = find_track("adhoc")
    assert track is not None
    made = tmp_path / "folder"
    (made / "runs").mkdir(parents=True)
    for name in ("topics.txt", "docnos.txt.gz"):
        shutil.copy(folder_of(track) / name, made / name)
    forms = json.loads((folder_of(track) / "runs" / "forms.json").read_text())
    for path in sorted((folder_of(track) / "runs").glob("**/*.txt*")):
        if path.stem in forms:
            (made / "runs" / f"{path.stem}.txt.gz").write_bytes(gzip.compress(path.read_bytes()))
    (made / "runs" / "forms.json").write_text(json.dumps(forms))
    return made


def test_packed_runs_of_a_folder_have_their_forms(folder: Path, organiser: User) -> None:
    run_command("load_campaign", folder, "--track=adhoc", "--slug=packed", "--organiser=organiser")
    forms = json.loads((folder / "runs" / "forms.json").read_text())
    runs = Run.objects.filter(campaign__slug="packed")
    assert (
        {each.tag: (each.state, each.team) for each in runs}
        == {name: ("accepted", form["team"]) for name, form in forms.items()}
        != {}
    )


def test_what_lies_beside_the_runs_and_is_none_is_named(folder: Path, organiser: User) -> None:
    (folder / "runs" / "sub").mkdir()
    (folder / "runs" / "sub" / "gamma.txt").write_bytes(RUN)
    with zipfile.ZipFile(folder / "runs" / "more.zip", "w") as packed:
        packed.writestr("gamma.txt", RUN)
    status, _, told = run_command("load_campaign", folder, "--track=adhoc", "--slug=packed", "--organiser=organiser")
    assert status == 1 and "more.zip: This is an archive (zip), not a run. Take it out, or unpack it first." in told
    assert "runs: runs/sub/gamma.txt not read. Move runs to the folder's runs/, without folders in it." in told


@pytest.mark.parametrize(
    ("member", "value", "words"),
    [
        ("automatic", "no", "automatic must be true or false"),
        ("priority", "1", "priority must be a whole number"),
        ("team", 7, "team must be text"),
        ("fields", {"documents": 1}, "fields must be an object of texts"),
        ("made", "manual", "Its keys are: automatic"),
    ],
)
def test_a_form_of_another_type_is_refused(folder: Path, organiser: User, member: str, value: Any, words: str) -> None:
    path = folder / "runs" / "forms.json"
    forms = json.loads(path.read_text())
    forms[min(forms)][member] = value
    path.write_text(json.dumps(forms))
    with pytest.raises(CommandError, match=words):
        call_command("load_campaign", str(folder), "--track=adhoc", "--slug=packed", "--organiser=organiser")
    assert not Run.objects.filter(campaign__slug="packed").exists()


@pytest.mark.parametrize("said", ["automtic=no", "automatic=maybe", "made=manual"])
def test_the_check_without_the_site_refuses_what_its_form_does_not_know(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], said: str
) -> None:
    path, topics = tmp_path / "run", tmp_path / "topics.tsv"
    path.write_bytes(RUN)
    topics.write_text("1\tbees\n2\twasps\n")
    assert main(["check", "adhoc", "--topics", str(topics), "--form", said, str(path)]) == 2
    assert f"--form {said.partition('=')[0]}" in capsys.readouterr().err
