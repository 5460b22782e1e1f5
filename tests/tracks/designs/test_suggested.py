"""Answers that a design suggests: read from a file beside it, recorded as a machine judge's, shown as it says."""

from __future__ import annotations

import json
import shutil
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.campaigns.domain import create_campaign
from assess.campaigns.queries import track_of
from assess.judging.queries.machine_drafts import drafts_of
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.machines.domain import import_machine_judge
from assess.models import Campaign, Judgment, Membership
from assess.organising.design_versions import change_design
from assess.organising.making import make_campaign
from assess.pools.domain.building import build_pool
from assess.topics.domain.loading import load_topics
from tests import factories
from tests.pages import page_of
from tests.tracks.designs.campaigns import DATA, DESIGNS
from tracks.designs.checking import check_design
from tracks.designs.data_check import data_faults

pytestmark = pytest.mark.django_db
CLAIMS = (DESIGNS / "claims.toml").read_text()
TEXT = 'text = "claim"\n'


def load(organiser: User, folder: Path, lines: list[Any], shown: str, told: StringIO) -> Campaign:
    """The claims with these suggestions beside them; ``told`` gets what the command warned of."""
    if not folder.exists():
        shutil.copytree(DATA / "designs" / "claims", folder)
    (folder / "machine.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    suggest = f'{TEXT}suggest = "machine.jsonl"\nsuggest_shown = "{shown}"\n'
    (folder.parent / "mine.toml").write_text(CLAIMS.replace(TEXT, suggest))
    call_command(
        *("load_campaign", str(folder), "--track", str(folder.parent / "mine.toml"), "--slug", "own"),
        *("--organiser", organiser.username), stdout=StringIO(), stderr=told,
    )  # fmt: skip
    return Campaign.objects.get(slug="own")


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"


SLEEP = 'Swallows sleep under the ice, "as ever".'


def test_suggestions_are_a_machine_judges_and_shown_as_the_design_says(organiser: User, tmp_path: Path) -> None:
    lines = [
        {"topic": "swallows", "text": SLEEP, "truth": "contradicts it", "note": "Line 3 says so."},
        {"topic": "1", "text": "No such claim.", "truth": 4},
    ]
    told = StringIO()
    campaign = load(organiser, tmp_path / "claims", lines, "after one's own judgment", told)
    assert "Topic 1 has no item with the text “No such claim.”. Its first is “" in told.getvalue()
    assert "machine.jsonl\t2\twarning\t" in told.getvalue()
    faults = list(data_faults((tmp_path / "mine.toml").read_text(), tmp_path, tmp_path / "claims"))
    assert [(each.member, each.severity, each.message[:42]) for each in faults] == [
        ("runs.suggest", "warning", "machine.jsonl: line 2: Topic 1 has no item")
    ]
    machine = Membership.objects.get(campaign=campaign, is_machine=True)
    assert (campaign.state, campaign.drafts, machine.user.first_name) == ("setup", "after", "machine")
    (row,) = Judgment.objects.all()
    assert (row.item.text, row.value, row.note, row.assessor) == (SLEEP, 1, "Line 3 says so.", machine.user)
    assert row.assignment.role == "machine"
    Campaign.objects.update(state="judging")
    campaign.refresh_from_db()
    ada = factories.member(campaign, "ada", "assessor")
    work = factories.assignment(row.item.topic, "claims", ada, state="started")
    assert drafts_of(work, row.item, ["truth"]).shown == {}
    own = JudgmentInput(item=row.item, criterion="truth", value=4, client_key=uuid4())
    record_judgment(actor=ada, assignment=work, judgment=own)
    assert [each.name for each in drafts_of(work, row.item, ["truth"]).shown["truth"]] == ["contradicts it"]
    load(organiser, tmp_path / "claims", lines, "after one's own judgment", told)
    assert Judgment.objects.exclude(assessor=ada).count() == 1


BROKEN: list[tuple[Any, str]] = [
    ({"topic": "1", "text": SLEEP, "truth": "certain"}, "There is no grade of truth “certain”"),
    ({"topic": "1", "text": SLEEP, "truht": 1}, "Did you mean truth?"),
    ({"topic": "1", "truth": 1}, "One of key, docno, text names the item"),
    ({"text": SLEEP, "truth": 1}, "It needs a topic"),
    ({"topic": "1", "text": SLEEP, "truth": 1, "note": 3}, "Its note is no text."),
    ([1], "It is no JSON object."),
    (
        {"topic": "swallows", "docno": "SWALLOW-2", "truth": 1},
        '"SWALLOW-2" names 2 items of topic 1. Name one by its key: ',
    ),
]


def test_lines_that_are_none_are_refused_with_their_numbers(organiser: User, tmp_path: Path) -> None:
    told = StringIO()
    twice = [{"topic": topic, "text": SLEEP, "truth": truth} for topic, truth in (("1", 1), ("swallows", 2))]
    lines = [*(line for line, _ in BROKEN), *twice]
    wanted = [*enumerate((words for _, words in BROKEN), 1), (9, "Line 8 suggests another grade of truth")]
    with pytest.raises(CommandError, match=r"machine\.jsonl has 8 errors, so nothing of it was stored"):
        load(organiser, tmp_path / "claims", lines, "to no one", told)
    # What begins with blanks says how far it is, which a command does every other second.
    rows = [line.split("\t") for line in told.getvalue().splitlines() if not line.startswith("  ")]
    assert [(row[0], words in row[-1]) for row, (_, words) in zip(rows, wanted, strict=True)] == [
        (str(number), True) for number, _ in wanted
    ], rows
    assert not Judgment.objects.exists() and Campaign.objects.get().state == "setup"


def test_without_their_file_a_campaign_is_made_and_says_what_to_do(organiser: User, tmp_path: Path) -> None:
    text = CLAIMS.replace(TEXT, f'{TEXT}suggest = "machine.jsonl"\n')
    campaign = create_campaign(actor=organiser, slug="own", title="Own", design=text)
    assert campaign.drafts == "open"  # machine judges are added on their page
    for said, words in (
        ('suggest_shown = "to no one"', "name their file in suggest"),
        ('suggest = "../machine.jsonl"', "write the name of a file alone"),
        ('suggest = "*.jsonl"', "write the name of a file alone"),
    ):
        (fault,) = check_design(CLAIMS.replace(TEXT, f"{TEXT}{said}\n"))[1]
        assert (fault.line, words in fault.message) == (10, True), fault


def test_what_came_with_a_new_campaign_is_recorded_once_a_pool_is_built(client: Client) -> None:
    client.force_login(User.objects.create_superuser("maker"))
    text = CLAIMS.replace(TEXT, f'{TEXT}suggest = "machine.jsonl"\n')
    line = json.dumps({"topic": "swallows", "text": SLEEP, "truth": "contradicts it"}) + "\n"

    def made(slug: str, **files: str) -> Campaign:
        design = SimpleUploadedFile("mine.toml", text.encode())
        beside = [SimpleUploadedFile("machine.jsonl", each.encode()) for each in files.values()]
        names = {"title": "Mine", "slug": slug, "track": "own", "design": design, "beside": beside}
        page = page_of(client.post(reverse("campaign-new"), names, follow=True))
        assert ("machine.jsonl did not come with the design" in page) is not bool(files), page
        return Campaign.objects.get(slug=slug)

    def pooled(campaign: Campaign) -> list[tuple[str, int | None]]:
        with (DATA / "designs" / "claims" / "items.csv").open("rb") as file:
            load_topics(actor=maker, campaign=campaign, stream=file, name="items.csv")
        build_pool(actor=maker, campaign=campaign, task=track_of(campaign).tasks[0].key)
        rows = Judgment.objects.filter(assignment__campaign=campaign).order_by("id")
        return [(row.item.text, row.value) for row in rows]

    maker = User.objects.get(username="maker")
    assert pooled(made("without")) == []
    campaign = made("with", file=line)
    url = reverse("machines", args=["with"])
    assert "came with the design" in page_of(client.get(url)) and "import it here as" not in page_of(client.get(url))
    assert pooled(campaign) == [(SLEEP, 1)] and campaign.drafts == "open"
    assert pooled(campaign) == [(SLEEP, 1)]
    body = {"title": "Mine", "slug": "by-api", "design": text, "files": {"machine.jsonl": line}}
    api = reverse("api-campaign-list")
    assert client.post(api, body, content_type="application/json").status_code == 201
    assert pooled(Campaign.objects.get(slug="by-api")) == [(SLEEP, 1)]


def test_what_was_imported_since_is_not_replaced(organiser: User, tmp_path: Path) -> None:
    text = CLAIMS.replace(TEXT, f'{TEXT}suggest = "machine.jsonl"\n')
    said = {"topic": "swallows", "text": SLEEP, "truth": 1}
    files = {"machine.jsonl": json.dumps(said).encode()}
    campaign = make_campaign(actor=organiser, slug="own", title="Own", design=text, files=files)
    with (DATA / "designs" / "claims" / "items.csv").open("rb") as file:
        load_topics(actor=organiser, campaign=campaign, stream=file, name="items.csv")
    task = track_of(campaign).tasks[0].key
    build_pool(actor=organiser, campaign=campaign, task=task)
    (tmp_path / "machine.jsonl").write_text(json.dumps({**said, "truth": 2}))
    paths = [tmp_path / "machine.jsonl"]
    import_machine_judge(actor=organiser, campaign=campaign, name="machine", paths=paths, in_setup=True)
    build_pool(actor=organiser, campaign=campaign, task=task)
    assert [row.value for row in Judgment.objects.order_by("id")] == [1, 2]


def test_a_new_version_brings_them_too(client: Client, organiser: User) -> None:
    campaign = make_campaign(actor=organiser, slug="own", title="Own", design=CLAIMS)
    client.force_login(organiser)
    url = reverse("design", args=["own"])
    text = CLAIMS.replace(TEXT, f'{TEXT}suggest = "machine.jsonl"\n')
    line = json.dumps({"topic": "swallows", "text": SLEEP, "truth": "certain"}) + "\n"
    for said, status in (("certain", 422), ("contradicts it", 302)):
        beside = SimpleUploadedFile("machine.jsonl", line.replace("certain", said).encode())
        assert client.post(url, {"design": text, "beside": beside, "do": "save"}).status_code == status
    campaign.refresh_from_db()
    with (DATA / "designs" / "claims" / "items.csv").open("rb") as file:
        load_topics(actor=organiser, campaign=campaign, stream=file, name="items.csv")
    build_pool(actor=organiser, campaign=campaign, task=track_of(campaign).tasks[0].key)
    assert [row.value for row in Judgment.objects.all()] == [1]


def test_the_values_that_a_later_version_moved_are_moved_in_what_was_brought_before(organiser: User) -> None:
    text = CLAIMS.replace(TEXT, f'{TEXT}suggest = "machine.jsonl"\n')
    files = {"machine.jsonl": json.dumps({"topic": "swallows", "text": SLEEP, "truth": 1}).encode()}
    campaign = make_campaign(actor=organiser, slug="own", title="Own", design=text, files=files)
    with (DATA / "designs" / "claims" / "items.csv").open("rb") as file:
        load_topics(actor=organiser, campaign=campaign, stream=file, name="items.csv")
    task = track_of(campaign).tasks[0].key
    build_pool(actor=organiser, campaign=campaign, task=task)
    moved = "".join(f'[[changes]]\nquestion = "truth"\nfrom = {v}\nto = {v + 1}\n' for v in range(1, 5))
    change_design(actor=organiser, campaign=campaign, text=text + moved)
    build_pool(actor=organiser, campaign=campaign, task=task)
    assert [row.value for row in Judgment.objects.order_by("id")] == [1, 2]
