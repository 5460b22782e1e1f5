"""What was judged under an earlier version of a design is released, verified and imported by what was asked then."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from assess.base.errors import BadFile
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Assignment, Campaign, Item
from assess.organising.design_versions import change_design
from assess.organising.domain import freeze_campaign
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from scoring.__main__ import main as scoring
from tests import factories
from tests.tracks.designs.campaigns import ADHOC, SURVEY, loaded
from tests.tracks.tampering import acts, files_of, set_in, write_changed
from tests.unpacked import unpack_release

USUAL = 'grades = [{ value = 1, press = "j", name = "yes" }, { value = 0, press = "k", name = "no" }]\n'
VERY, YES = '{ value = 2, press = "h", name = "very" }', '{ value = 1, press = "j", name = "yes" }'
ASKED = f"""evidence_ask = "Select it"
grades = [
  {VERY},
  {YES},
  {{ value = 0, press = "k", name = "no", note = "required" }},
]
"""
FIRST = SURVEY.replace(USUAL, ASKED).replace('relevant = "yes"', 'relevant = ["yes", "very"]')
MAPPING = '\n[[changes]]\nquestion = "relevant"\nfrom = 1\nto = 2\n'


def stricter() -> str:
    """The design with less that is taken, in every way that is free."""
    text = FIRST.replace(f"  {YES},\n", "").replace('["yes", "very"]', '["very"]')
    text = text.replace('name = "very" }', 'name = "very", note = "required" }').replace(
        '"no", note = "required"', '"no", note = "none"'
    )
    text = (
        text.replace('evidence_ask = "Select it"\n', "")
        .replace("words = 5", "words = 2")
        .replace("most = 2", "most = 1")
    )
    return text + MAPPING


def said(campaign: Campaign) -> None:
    """The items of a topic judged in the three ways, with all that the first version takes."""
    topic = campaign.topics.order_by("number")[0]
    work = factories.assignment(topic, "documents", factories.member(campaign, "anna", "assessor"), state="started")
    items = Item.objects.filter(topic=topic, pool_items__isnull=False).order_by("key")
    for number, item in enumerate(items):
        value = number % 3
        words = item.document.body.text.strip()[:20] if item.document is not None else ""
        answers: list[dict[str, Any]] = [
            {"criterion": "relevant", "value": value, "note": "" if value == 1 else "So it is."},
            {"criterion": "faults", "value": None, "given": {"several": [1, 3]}},
        ]
        answers[0]["evidence"] = [{"quote": words}] if words else None
        if value:
            answers.append({"criterion": "claim", "value": None, "given": {"text": "one two three four five"}})
        for answer in answers:
            record_judgment(
                actor=work.assessor,
                assignment=work,
                judgment=JudgmentInput(item=item, client_key=uuid4(), **answer),
            )
    Assignment.objects.update(state="done")


@pytest.mark.django_db(transaction=True)
def test_a_version_that_takes_less_leaves_a_release_that_verifies_and_can_be_imported(
    organiser: User, tmp_path: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    (tmp_path / "first.toml").write_text(FIRST)
    campaign = loaded(organiser, tmp_path / "first.toml", ADHOC)
    Campaign.objects.update(state="judging")
    said(Campaign.objects.get(pk=campaign.pk))
    version = change_design(actor=organiser, campaign=campaign, text=stricter())
    assert [each["judgments"] for each in version.mapped] == [2]
    freeze_campaign(actor=organiser, campaign=campaign, despite="a trial")
    campaign.refresh_from_db()
    folder = tmp_path / "release"
    unpack_release(make_release(actor=organiser, campaign=campaign), folder)
    assert scoring(["verify", str(folder)]) == 0, capsys.readouterr()
    again = import_release(actor=organiser, path=folder, slug="again")
    unpack_release(make_release(actor=organiser, campaign=again), tmp_path / "copy")
    for name in ("qrels.txt", "judgments.jsonl"):
        assert (tmp_path / "copy/exports" / name).read_bytes() == (folder / "exports" / name).read_bytes()

    before, manifest = files_of(folder)
    longer = acts(set_in({"criterion": "claim"}, given={"text": "one two three four five six"}))
    after = dict(before)
    assert longer(after, manifest)
    write_changed(folder, before, after, manifest)
    assert scoring(["verify", str(folder)]) == 1
    assert "has 6 words; 5 are allowed" in capsys.readouterr().out
    with pytest.raises(BadFile) as refused:
        import_release(actor=organiser, path=folder, slug="longer")
    assert ["6 words; 5 are allowed" in each.message for each in refused.value.issues] == [True]
