"""A release of a campaign whose every text is odd is verified, loaded again, and gives the same once more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from assess.assignments.domain.assignments import create_assignment, open_assignment
from assess.campaigns.domain import publish_guideline
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Campaign, Run
from assess.organising.domain import change_state
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from assess.user_agreements.domain import set_user_agreement
from tests import factories
from tests.assess import judged_campaign as judging
from tests.tracks import track_folder
from tests.unpacked import unpack_release
from tracks import find_track

pytestmark = pytest.mark.django_db

ODD = "]]> &lt;b&gt; <!-- \u202e \u2028 \x85 \x0b \x1b[0m \ufeff \U0001f600 \\n \\u0041 \"'` \t| # * \r\n = +1\n\n---\n"


def test_what_people_typed_comes_back_as_it_was(organiser: User, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"
    track = find_track("adhoc")
    assert track is not None
    campaign = track_folder.load(track, organiser=organiser, slug="odd")
    Campaign.objects.filter(pk=campaign.pk).update(title=ODD.strip()[:200])
    campaign.refresh_from_db()
    publish_guideline(actor=organiser, campaign=campaign, text=ODD)
    set_user_agreement(actor=organiser, campaign=campaign, text=ODD, parts=["topics"])
    Run.objects.filter(campaign=campaign).update(description=ODD)
    first = Run.objects.filter(campaign=campaign).order_by("pk")[0]
    Run.objects.filter(pk=first.pk).update(team="=Été\t]]>&\u202e \U0001f600")
    amy = factories.member(campaign, "amy", "assessor")
    topic = campaign.topics.get(number="1")
    work = create_assignment(actor=organiser, campaign=campaign, topic=topic, stage="documents", assessor=amy)
    open_assignment(actor=amy, assignment=work)
    for place, item in enumerate(topic.items.order_by("key")):
        said = JudgmentInput(
            item=item, criterion="relevance", value=place % 3, client_key=judging.key(item.pk), note=f"{ODD}{place}"
        )
        record_judgment(actor=amy, assignment=work, judgment=said)
    change_state(actor=organiser, campaign=campaign, state=Campaign.State.FROZEN)
    folder = tmp_path / "release"
    unpack_release(make_release(actor=organiser, campaign=campaign, with_runs=True), folder)
    copy = import_release(actor=organiser, path=folder, slug="copy")
    again = tmp_path / "again"
    unpack_release(make_release(actor=organiser, campaign=copy, with_runs=True), again)
    files = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}
    differ = [str(name) for name, content in files.items() if (again / name).read_bytes() != content]
    assert set(differ) <= {"manifest.json", "README.md", "croissant.json", "ro-crate-metadata.json"}
    assert (folder / "guidelines" / "2.md").read_bytes().decode().rstrip("\n") == ODD.rstrip("\n")
