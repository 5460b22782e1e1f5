"""Answers that a design suggests: read from a file beside it, recorded as a machine judge's, shown as it says."""

from __future__ import annotations

import json
import shutil
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from assess.campaigns.domain import create_campaign
from assess.judging.queries.machine_drafts import drafts_of
from assess.models import Campaign, Judgment, Membership
from tests import factories
from tests.tracks.designs.campaigns import DATA, DESIGNS
from tracks.designs.checking import check_design

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
    assert "machine.jsonl\t2\twarning\t" in told.getvalue()
    machine = Membership.objects.get(campaign=campaign, is_machine=True)
    assert (campaign.state, campaign.drafts, machine.user.first_name) == ("setup", "after", "machine")
    (row,) = Judgment.objects.all()
    assert (row.item.text, row.value, row.note, row.assessor) == (SLEEP, 1, "Line 3 says so.", machine.user)
    assert row.assignment.role == "machine"
    Campaign.objects.update(state="judging")
    campaign.refresh_from_db()
    work = factories.assignment(row.item.topic, "claims", factories.member(campaign, "ada", "assessor"), state="open")
    assert drafts_of(work, row.item, []).shown == {}
    assert [each.name for each in drafts_of(work, row.item, ["truth"]).shown["truth"]] == ["contradicts it"]
    load(organiser, tmp_path / "claims", lines, "after one's own judgment", told)
    assert Judgment.objects.count() == 1


BROKEN: list[tuple[Any, str]] = [
    ({"topic": "1", "text": SLEEP, "truth": "certain"}, "There is no grade of truth “certain”"),
    ({"topic": "1", "text": SLEEP, "truht": 1}, "Did you mean truth?"),
    ({"topic": "1", "truth": 1}, "One of key, docno, text names the item"),
    ({"text": SLEEP, "truth": 1}, "It needs a topic"),
    ({"topic": "1", "text": SLEEP, "truth": 1, "note": 3}, "Its note is no text."),
    ([1], "It is no JSON object."),
]


def test_lines_that_are_none_are_refused_with_their_numbers(organiser: User, tmp_path: Path) -> None:
    told = StringIO()
    with pytest.raises(CommandError, match=r"machine\.jsonl has 6 errors, so nothing of it was stored"):
        load(organiser, tmp_path / "claims", [line for line, _ in BROKEN], "to no one", told)
    rows = [line.split("\t") for line in told.getvalue().splitlines()]
    assert [(row[0], words in row[-1]) for row, (_, words) in zip(rows, BROKEN, strict=True)] == [
        (str(number), True) for number in range(1, 7)
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
