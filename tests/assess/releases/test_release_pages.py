"""The pages of releases: made, taken, published and made public by who may; the sum of the manifest."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from assess.models import Activity, Campaign, Release, Run
from assess.releases.domain.archives import manifest_sha256, release_archive
from assess.releases.domain.releasing import make_release, publish_release, release_key, set_public
from tests import factories
from tests.pages import page_of

PUBLIC = "/public/hives/"
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


def test_a_release_is_public_from_the_box_to_its_taking_away(
    frozen: Campaign, organiser: User, client: Client, tmp_path: Path
) -> None:
    release = make_release(actor=organiser, campaign=frozen)
    desk, box = client_of(organiser), reverse("release-public", args=["hives", release.pk])
    refused = desk.post(box, {"public": "on"})
    assert (refused.status_code, "Publish it first" in page_of(refused)) == (422, True)
    assert client.get(PUBLIC).status_code == 404
    publish_release(actor=organiser, release=release)
    assert client.get(PUBLIC).status_code == 404, "published in the campaign alone"

    assert desk.post(box, {"public": "on"}).status_code == 302
    assert f"http://testserver/public/hives/{release.as_of}/" in page_of(desk.get(box))
    assert f"{PUBLIC}{release.as_of}/" in desk.get(reverse("release", args=["hives"])).content.decode()
    answer = client.get(PUBLIC)
    seen = page_of(answer)
    sha256 = manifest_sha256(release.archive)
    for said in (
        release.manifest["campaign"]["title"],
        f"python -m scoring verify hives-{release.as_of}.zip --sha256 {sha256}",
        release.archive,
        release.code_version,
        release.manifest["frozen"],
        release.manifest["files"]["README.md"]["sha256"],
        "Every score and every measure of agreement follows from the files here.",
    ):
        assert said in unescape(seen), said
    body = client.get(f"{PUBLIC}{release.as_of}/file/")
    with release_archive(release) as kept:
        assert b"".join(body.streaming_content) == kept.read()  # type: ignore[arg-type]
    (act,) = Activity.objects.filter(action="release.public")
    assert act.data == {"as_of": release.as_of, "archive": release.archive, "public": True}

    assert desk.post(box, {"public": "on"}).status_code == 302
    assert Activity.objects.filter(action="release.public").count() == 1, "what is set already changes nothing"
    assert desk.post(box, {}).status_code == 302
    assert [client.get(each).status_code for each in (PUBLIC, f"{PUBLIC}{release.as_of}/file/")] == [404, 404]
    assert Activity.objects.filter(action="release.public").count() == 2


def test_it_names_no_person_run_or_team_and_links_nowhere_into_the_site(
    frozen: Campaign, organiser: User, client: Client
) -> None:
    release = make_release(actor=organiser, campaign=frozen)
    publish_release(actor=organiser, release=release)
    set_public(actor=organiser, release=release, public=True)
    names = {name for run in frozen.runs.all() for name in (run.tag, run.team)} | {"organiser"}
    User.objects.filter(memberships__campaign=frozen).update(last_name="Rossi")
    names |= {"Rossi", *User.objects.exclude(username__regex=r"^assessor-\d$").values_list("username", flat=True)}
    pages = [
        client.get(f"{PUBLIC}{more}").content.decode() for more in ("", f"{release.as_of}/", "?page=2", "?sort=-size")
    ]
    words = [re.sub(r"<[^>]+>", " ", page) for page in pages]
    assert {name for name in names for page in words if re.search(rf"\b{re.escape(name)}\b", page)} == set()
    links = {link for page in pages for link in re.findall(r'(?:href|action)="(/[^"]*|\?[^"]*)"', page)}
    own = {f"{PUBLIC}{release.as_of}/file/", "/", "/language/"}
    assert {link for link in links if not link.startswith(("/static/", "?"))} == own


def test_it_can_be_set_while_the_campaign_is_corrected_and_by_api_and_command(
    frozen: Campaign, organiser: User, client: Client, tmp_path: Path
) -> None:
    release = make_release(actor=organiser, campaign=frozen)
    call = reverse("api-release-public", args=["hives", release.pk])
    desk = client_of(organiser)
    said = desk.post(call, {"public": True}, content_type="application/json")
    assert (said.status_code, "Publish it first" in said.json()["detail"]) == (409, True)
    with pytest.raises(Exception, match="none can have a public page"):
        call_command("release", "hives", str(tmp_path / "no"), "--public", stdout=io.StringIO(), stderr=io.StringIO())
    call_command(
        *("release", "hives", str(tmp_path / "out"), "--publish", "--public"),
        stdout=io.StringIO(),
        stderr=io.StringIO(),
    )
    assert client.get(PUBLIC).status_code == 200
    for state in ("judging", "frozen", "released"):
        Campaign.objects.filter(slug="hives").update(state=state)
        for public in (False, True):
            answer = desk.post(call, {"public": public}, content_type="application/json")
            assert (answer.status_code, answer.json()["public"]) == (200, public)
            assert client.get(PUBLIC).status_code == (200 if public else 404)
    for body in ({}, {"public": "perhaps"}, {"public": None}):
        assert desk.post(call, body, content_type="application/json").status_code == 422
