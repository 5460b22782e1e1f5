"""Recorded judgments that cannot be replayed. What comes of those that can is tested with all tracks."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from assess.base.errors import BadFile
from assess.models import Activity, Assignment, Judgment
from assess.replay.replaying import import_judgments
from tests.tracks import track_folder
from tracks.adhoc import TRACK as ADHOC


def test_a_bad_line_stores_nothing_and_names_the_lines(
    organiser: User, settings: pytest.FixtureRequest, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path / "var"  # type: ignore[attr-defined]
    campaign = track_folder.load(ADHOC, organiser=organiser, slug="demo")
    recorded = track_folder.recorded(ADHOC)
    judged = [line for line in map(json.loads, recorded.splitlines()) if line["do"] == "judge"]
    bad = [
        judged[0],
        judged[1] | {"docno": "NOWHERE-1", "key": "NOWHERE-1"},
        judged[2] | {"topic": "99.9"},
        judged[3] | {"value": 7},
        judged[4] | {"by": "assessor-77"},
    ]
    content = "\n".join(json.dumps(line) for line in bad).encode()
    people = track_folder.judges(campaign, organiser=organiser, content=recorded)
    before = Activity.objects.count()
    with pytest.raises(BadFile) as refused:
        import_judgments(actor=organiser, campaign=campaign, stream=io.BytesIO(content), people=people)
    assert [issue.where for issue in refused.value.issues] == [2, 3, 4, 5]
    assert not Judgment.objects.exists()
    assert not Assignment.objects.exists()
    assert Activity.objects.count() == before
