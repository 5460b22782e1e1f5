"""A corrected release beside a published one: opened with a reason, named in its manifest, and the old one kept."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from assess.assignments.domain.assignments import mark_done, open_assignment, reopen_assignment
from assess.base.errors import Conflict, Invalid
from assess.base.wording import letters
from assess.campaigns.activity import record_activity
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Activity, Campaign, Item, Release
from assess.organising.domain import change_state, move_campaign
from assess.releases.domain.archives import manifest_sha256, release_archive
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release, publish_release, release_key, released_names
from assess.runs.domain.deciding import withdraw_run
from assess.topics.domain.changing import remove_topic
from scoring.__main__ import main
from tests import factories
from tests.pages import page_of
from tests.unpacked import unpack_release

pytestmark = pytest.mark.usefixtures("frozen")
REASON = "A document of maple was judged by old guidelines."


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module: `frozen` takes back what a test writes."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def organiser(frozen: Campaign) -> User:
    return User.objects.get(username="organiser")


@pytest.fixture
def published(frozen: Campaign, organiser: User) -> Release:
    return publish_release(actor=organiser, release=make_release(actor=organiser, campaign=frozen))


@pytest.fixture
def corrected(frozen: Campaign, organiser: User, published: Release) -> Release:
    """The release that was made after the campaign was opened, one judgment turned, and frozen again; not published."""
    campaign = Campaign.objects.get(pk=frozen.pk)
    move_campaign(actor=organiser, campaign=campaign, state="judging", reason=REASON)
    work = campaign.assignments.select_related("assessor").get(topic__number="1")
    reopen_assignment(actor=organiser, assignment=work)
    item = Item.objects.get(topic=work.topic, key="HIVE-01")
    turned = JudgmentInput(item=item, criterion="relevance", value=0, client_key=uuid4())
    work = campaign.assignments.get(pk=work.pk)
    record_judgment(actor=work.assessor, assignment=work, judgment=turned)
    mark_done(actor=work.assessor, assignment=campaign.assignments.get(pk=work.pk))
    change_state(actor=organiser, campaign=campaign, state=Campaign.State.FROZEN)
    return make_release(actor=organiser, campaign=campaign)


def qrels_of(release: Release) -> list[str]:
    with release_archive(release) as file, zipfile.ZipFile(file) as archive:
        return archive.read("exports/qrels.txt").decode().splitlines()


def test_what_was_published_keeps_its_letters_when_runs_go_and_come(
    frozen: Campaign, organiser: User, published: Release
) -> None:
    """A run that goes leaves its letter to nobody, and one that takes another's place under its tag has its letter."""
    before = release_key(frozen)
    first = next(row for row in before.key if row[0] == "RUN-A")
    campaign = Campaign.objects.get(pk=frozen.pk)
    gone = campaign.runs.get(tag=first[1])
    move_campaign(actor=organiser, campaign=campaign, state="judging", reason=REASON)
    withdraw_run(actor=organiser, run=gone)
    assert released_names(campaign)[gone.tag] == "RUN-A", "it is told still"
    late = campaign.runs.get(tag=next(row[1] for row in before.key if row[0] == "RUN-B"))
    late.pk, late.tag, late.team = None, "zanzibar", "Zanzibar"
    late.save()
    with transaction.atomic():
        record_activity(actor=organiser, action="run.accept", campaign=campaign, about=late)
    change_state(actor=organiser, campaign=campaign, state=Campaign.State.FROZEN)
    after = release_key(campaign)
    assert {tag: name for tag, name in after.runs.items() if tag != "zanzibar"} == before.runs
    assert {team: name for team, name in after.teams.items() if team != "Zanzibar"} == before.teams
    assert after.runs["zanzibar"] == f"RUN-{letters(len(before.runs) + 1)}"
    corrected = make_release(actor=organiser, campaign=campaign)
    assert "RUN-A" not in {run["name"] for run in corrected.manifest["runs"]}


def test_pages_offer_what_can_be_done_before_and_after_a_correction(
    frozen: Campaign, organiser: User, published: Release, corrected: Release
) -> None:
    desk = Client()
    desk.force_login(organiser)

    def page(name: str, *more: str) -> str:
        return page_of(desk.get(reverse(name, args=["hives", *more])))

    assert "A release is made and waits to be published." in page("overview")
    assert "Make the corrected release" in page("release")
    assert "Make and publish the corrected release" in page("campaign-state")
    assert "superseded</span>" not in page("release")
    publish_release(actor=organiser, release=corrected)
    shown = page("release")
    assert 'id="release-form"' not in shown, "nothing was changed since"
    assert "a corrected release is made here" in shown
    table = shown[shown.index("<tbody>") : shown.index("</tbody>")]
    assert [table.count("superseded</span>"), table.count("released</span>")] == [1, 1]
    assert "Amend, drop or remove" not in page("topic", "1")
    assert "Build the pool" not in page("pool-plan", "ranking")
    assert "<form" not in page("pool-build", "ranking").partition("<main")[2].partition("</main>")[0]
    acted = {"number": "1", "topics": ["1"], "reason": "A typo.", "before": {}, "after": {}}
    Activity.objects.create(campaign=frozen, action="topics.amend", data=acted)
    assert "How it was changed" in page("topic", "1")


def test_a_released_campaign_is_opened_with_a_reason_alone(
    frozen: Campaign, organiser: User, published: Release
) -> None:
    campaign = Campaign.objects.get(pk=frozen.pk)
    assert campaign.state == "released"
    with pytest.raises(Invalid, match="Say why"):
        move_campaign(actor=organiser, campaign=campaign, state="judging")
    desk = Client()
    desk.force_login(organiser)
    assert reverse("unfreeze", args=["hives"]) in desk.get(reverse("release", args=["hives"])).content.decode()
    assert "opened for a correction" in page_of(desk.get(reverse("unfreeze", args=["hives"])))
    assert desk.post(reverse("unfreeze", args=["hives"]), {"reason": REASON}).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.state, Activity.objects.get(action="campaign.unfreeze").data) == ("judging", {"reason": REASON})
    page = desk.get(reverse("release", args=["hives"])).content.decode()
    assert all(reverse(name, args=["hives"]) in page for name in ("assignments", "freeze")), "what comes next is said"
    participant = factories.member(frozen, "participant", "participant", team="Harbor")
    desk.force_login(participant)
    page = page_of(desk.get(reverse("release", args=["hives"])))
    assert "The campaign was opened again for a correction" in page
    assert REASON not in page


def test_the_corrected_release_says_what_it_supersedes_and_why(
    frozen: Campaign, organiser: User, published: Release, corrected: Release
) -> None:
    assert (qrels_of(published)[0], qrels_of(corrected)[0]) == ("1 0 HIVE-01 3", "1 0 HIVE-01 0")
    run = next(row[0] for row in release_key(frozen).key if row[1] == "maple")
    assert corrected.supersedes == {
        "archive": published.archive,
        "manifest_sha256": manifest_sha256(published.archive),
        "as_of": published.as_of,
        "reason": REASON.replace("maple", run),
    }
    assert published.supersedes is None
    publish_release(actor=organiser, release=corrected)
    assert Campaign.objects.get(pk=frozen.pk).state == "released"
    again = make_release(actor=organiser, campaign=Campaign.objects.get(pk=frozen.pk))
    assert again == corrected, "made again it is the same"
    desk = Client()
    desk.force_login(factories.member(frozen, "participant", "participant", team="Harbor"))
    page = page_of(desk.get(reverse("release", args=["hives"])))
    reason = REASON.replace("maple", run)
    assert f"Superseded by the release of ledger point {corrected.as_of:,}, because: {reason}" in page
    for release in (published, corrected):
        assert desk.get(reverse("release-file", args=["hives", release.pk])).status_code == 200
    rows = desk.get(reverse("api-release-list", args=["hives"])).json()["results"]
    assert [(row["superseded_by"], row["supersedes"]) for row in rows] == [
        (None, corrected.supersedes),
        (corrected.pk, None),
    ]


def test_both_releases_verify_and_load(
    organiser: User,
    published: Release,
    corrected: Release,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, release, words in (
        ("one", published, ""),
        ("two", corrected, "it supersedes the release"),
    ):
        folder = tmp_path / name
        unpack_release(release, folder)
        assert main(["verify", str(folder)]) == 0
        said = capsys.readouterr().err
        assert (words in said, "supersedes" in said) == (True, bool(words))
        assert ("It supersedes the release" in (folder / "README.md").read_text()) == bool(words)
        import_release(actor=organiser, path=folder, slug=name)
    said = [act.data.get("supersedes") for act in Activity.objects.filter(action="release.import").order_by("id")]
    assert said == [None, corrected.supersedes]


def test_a_second_release_that_supersedes_nothing_is_not_published(
    frozen: Campaign, organiser: User, published: Release
) -> None:
    other = factories.release(frozen, organiser)
    with pytest.raises(Conflict, match="published already"):
        publish_release(actor=organiser, release=other)


def test_of_several_adjudicators_the_last_word_is_released_and_loaded(
    frozen: Campaign, organiser: User, tmp_path: Path
) -> None:
    campaign = Campaign.objects.get(pk=frozen.pk)
    move_campaign(actor=organiser, campaign=campaign, state="judging", reason=REASON)
    item = Item.objects.get(topic__campaign=campaign, topic__number="1", key="HIVE-01")
    people = [factories.member(campaign, name, "adjudicator") for name in ("first", "last")]
    held = [factories.assignment(item.topic, "documents", person, role="adjudicator") for person in people]
    for work, value in ((held[0], 1), (held[1], 0), (held[0], 2)):
        opened = open_assignment(actor=work.assessor, assignment=campaign.assignments.get(pk=work.pk))
        turned = JudgmentInput(item=item, criterion="relevance", value=value, client_key=uuid4())
        record_judgment(actor=work.assessor, assignment=opened, judgment=turned)
    campaign.assignments.filter(role="adjudicator").update(state="done")
    change_state(actor=organiser, campaign=campaign, state=Campaign.State.FROZEN)
    release = make_release(actor=organiser, campaign=campaign)
    assert qrels_of(release)[0] == "1 0 HIVE-01 2"
    unpack_release(release, tmp_path / "release")
    import_release(actor=organiser, path=tmp_path / "release", slug="copy")


def test_a_topic_that_was_removed_is_on_record_in_a_copy(frozen: Campaign, organiser: User, tmp_path: Path) -> None:
    campaign = Campaign.objects.get(pk=frozen.pk)
    move_campaign(actor=organiser, campaign=campaign, state="judging", reason=REASON)
    factories.topic(campaign, "9", "What nobody answered", task="documents", ordinal=9)
    remove_topic(actor=organiser, campaign=campaign, number="9", reason="No run answers it.")
    change_state(actor=organiser, campaign=campaign, state=Campaign.State.FROZEN)
    unpack_release(make_release(actor=organiser, campaign=campaign), tmp_path / "release")
    organiser.is_superuser = True
    copy = import_release(actor=organiser, path=tmp_path / "release", slug="copy")
    assert copy.activities.get(action="topics.remove").data == {
        "number": "9",
        "topics": ["9"],
        "text": "What nobody answered",
        "reason": "No run answers it.",
    }
