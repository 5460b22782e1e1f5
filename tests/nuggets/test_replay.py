"""The demonstration campaign: its recorded judgments replayed. What comes out is tested with all tracks."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from assess.domain.errors import BadFile
from assess.models import Activity, Assignment, Campaign, Judgment
from nuggets.domain.replay import import_judgments
from nuggets.models import NuggetMatch, NuggetVote
from tests.nuggets import demo


@pytest.fixture
def campaign(organiser: User, settings, tmp_path: Path) -> Campaign:
    settings.DATA_DIR = tmp_path / "var"
    return demo.load(organiser)


def replay(campaign: Campaign, organiser: User, content: bytes | None = None):
    lines = demo.recorded() if content is None else content
    people = demo.people(campaign, organiser)
    return import_judgments(actor=organiser, campaign=campaign, stream=io.BytesIO(lines), people=people)


def test_replay_marks_work_done_and_says_what_it_added(campaign: Campaign, organiser: User) -> None:
    done = replay(campaign, organiser)
    said = [json.loads(line)["do"] for line in demo.recorded().splitlines()]
    assert done.lines == len(said) < done.added
    stored = [Judgment.objects.filter(assignment__stage="instances"), NuggetMatch.objects, NuggetVote.objects]
    assert [rows.count() for rows in stored] == [said.count(verb) for verb in ("judge", "match", "vote")]
    states = Assignment.objects.values_list("topic__number", "stage", "state")
    assert {(topic, stage) for topic, stage, state in states if state != "done"} == {
        ("5.1", "instances"),
        ("6.3", "nuggets"),
    }
    activity = Activity.objects.filter(action="judgments.import").get()
    assert (activity.actor, activity.data) == (organiser, {"lines": done.lines, "rows": done.added})


def test_a_bad_line_stores_nothing_and_names_the_lines(campaign: Campaign, organiser: User) -> None:
    lines = (demo.FOLDER / "judgments.jsonl").read_text().splitlines()
    judged = [json.loads(line) for line in lines if json.loads(line)["do"] == "judge"]
    bad = [
        judged[0],
        judged[1] | {"answer": "nobody said this"},
        judged[2] | {"topic": "99.9"},
        judged[3] | {"value": 7},
        judged[4] | {"by": "assessor-77"},
    ]
    content = "\n".join(json.dumps(line) for line in bad).encode()
    before = Activity.objects.count()
    people = demo.people(campaign, organiser)
    joined = Activity.objects.count() - before
    with pytest.raises(BadFile) as refused:
        import_judgments(actor=organiser, campaign=campaign, stream=io.BytesIO(content), people=people)
    assert [issue.where for issue in refused.value.issues] == [2, 3, 4, 5]
    assert Judgment.objects.count() == 0
    assert Assignment.objects.count() == 0
    assert Activity.objects.count() == before + joined
