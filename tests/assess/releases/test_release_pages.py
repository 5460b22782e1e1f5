"""The pages of releases: made, taken and published by who may; the sum of the manifest wherever a release is."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from assess.models import Campaign, Release, Run
from assess.releases.domain.kept_archives import manifest_sha256, release_archive
from assess.releases.domain.releasing import make_release, publish_release, release_key
from tests import factories
from tests.pages import page_of

pytestmark = pytest.mark.usefixtures("frozen")


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module: `frozen` takes back what a test writes."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def organiser(frozen: Campaign) -> User:
    return User.objects.get(username="organiser")


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_the_page_makes_downloads_and_publishes(frozen: Campaign, organiser: User) -> None:
    desk, address = client_of(organiser), reverse("release", args=["hives"])
    assert "No release was made yet" in page_of(desk.get(address))
    assert desk.post(reverse("release-make", args=["hives"])).status_code == 302
    release = Release.objects.get()
    assert release.archive in desk.get(address).content.decode()
    answer = desk.get(reverse("release-file", args=["hives", release.pk]))
    body = b"".join(answer.streaming_content)
    with release_archive(release) as kept:
        assert body == kept.read()
    assert "RUN-A" in page_of(desk.get(reverse("release-names", args=["hives"])))
    asked = page_of(desk.get(reverse("release-publish", args=["hives", release.pk])))
    assert "the scores of 3 runs become final" in asked
    assert desk.post(reverse("release-publish", args=["hives", release.pk])).status_code == 302
    frozen.refresh_from_db()
    assert frozen.state == "released"


def test_members_take_what_is_published_and_never_the_key(
    frozen: Campaign,
    organiser: User,
    stranger: User,
) -> None:
    release = make_release(actor=organiser, campaign=frozen)
    participant = client_of(factories.member(frozen, "participant", "participant", team="Harbor"))
    page = reverse("release", args=["hives"])
    archive, key = reverse("release-file", args=["hives", release.pk]), reverse("release-names", args=["hives"])
    assert [participant.get(each).status_code for each in (page, archive, key)] == [404, 404, 404]
    publish_release(actor=organiser, release=release)
    assert [participant.get(each).status_code for each in (page, archive, key)] == [200, 200, 404]
    assert [client_of(stranger).get(each).status_code for each in (page, archive, key)] == [404, 404, 404]


def test_the_sum_of_the_manifest_is_shown_wherever_a_release_is(
    frozen: Campaign,
    organiser: User,
    tmp_path: Path,
) -> None:
    said = io.StringIO()
    call_command("release", "hives", str(tmp_path / "out"), stdout=io.StringIO(), stderr=said)
    digest = hashlib.sha256((tmp_path / "out" / "manifest.json").read_bytes()).hexdigest()
    assert f"sha256 of manifest.json: {digest}" in said.getvalue()
    desk = client_of(organiser)
    assert digest in desk.get(reverse("release", args=["hives"])).content.decode()
    (row,) = desk.get(reverse("api-release-list", args=["hives"])).json()["results"]
    assert row["manifest_sha256"] == digest
    assert manifest_sha256("0" * 64) == ""


def test_a_team_learns_the_letters_of_its_own_runs_once_they_are_out(frozen: Campaign, organiser: User) -> None:
    key = {tag: name for name, tag, *_ in release_key(frozen).key}
    run = frozen.runs.get(tag="maple")
    member = client_of(factories.member(frozen, "participant", "participant", team=run.team))
    pages = [reverse("runs", args=["hives"]), reverse("run", args=["hives", run.pk])]
    release = make_release(actor=organiser, campaign=frozen)
    assert not any("in the release" in page_of(member.get(page)).lower() for page in pages)
    publish_release(actor=organiser, release=release)
    own = set(frozen.runs.filter(team=run.team).values_list("tag", flat=True))
    for page in (*pages, reverse("score-report", args=["hives"])):
        words = page_of(member.get(page))
        assert key["maple"] in words, page
        assert not [key[tag] for tag in key.keys() - own if key[tag] in words], page
    call = reverse("api-release-names", args=["hives"])
    told = [{"tag": tag, "team": run.team, "name": key[tag]} for tag in sorted(own)]
    assert member.get(call).json()["results"] == told, "a program is told, too"
    assert len(client_of(organiser).get(call).json()["results"]) == len(key)
    Run.objects.filter(tag="oak").update(state=Run.State.WITHDRAWN)
    assert "in the release" not in page_of(member.get(pages[0])).lower(), "letters that may have changed are not told"


def test_tables_for_spreadsheets_say_what_the_release_calls_runs(
    frozen: Campaign, organiser: User, tmp_path: Path
) -> None:
    key = {tag: name for name, tag, *_ in release_key(frozen).key}
    team = frozen.runs.get(tag="maple").team
    own = {tag: key[tag] for tag in frozen.runs.filter(team=team).values_list("tag", flat=True)}
    desk, member = client_of(organiser), client_of(factories.member(frozen, "participant", "participant", team=team))

    def table(client: Client, name: str, run: str, column: str) -> dict[str, str | None]:
        answer = client.get(reverse(name, args=["hives"]), {"format": "csv", "team": team})
        return {row[run]: row.get(column) for row in csv.DictReader(io.StringIO(answer.getvalue().decode()))}

    release = make_release(actor=organiser, campaign=frozen)
    assert table(desk, "runs", "Run", "In the release") == dict.fromkeys(key)
    assert set(table(desk, "score-report", "run", "released_as").values()) == {""}
    publish_release(actor=organiser, release=release)
    rejected = frozen.runs.get(tag="maple")
    rejected.pk, rejected.state = None, Run.State.REJECTED
    rejected.save()
    lines = desk.get(reverse("runs", args=["hives"]), {"format": "csv"}).getvalue().decode().splitlines()
    assert sorted(line.rpartition(",")[2] for line in lines[1:]) == ["", *sorted(key.values())], "no name for a try"
    rejected.delete()
    assert table(desk, "runs", "Run", "In the release") == key
    assert table(member, "runs", "Run", "In the release") == own
    for client in (desk, member):
        assert table(client, "score-report", "run", "released_as") == own
    call_command("score_report", "hives", str(tmp_path / "report"), team=team, stdout=io.StringIO())
    with (tmp_path / "report" / "score-report.csv").open() as file:
        assert {row["run"]: row["released_as"] for row in csv.DictReader(file)} == own
