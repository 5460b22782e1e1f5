"""A grade that was given together with those of like answers is said to be, in its line and after an import."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from assess.exports.writing import everything
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Assignment, Campaign, Item, Judgment
from assess.organising.domain import freeze_campaign
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from scoring.__main__ import main as scoring
from scoring.release.recorded_acts import Judged
from tests.tracks.designs.campaigns import judge_all, survey
from tests.unpacked import unpack_release

pytestmark = pytest.mark.django_db
TOGETHER = """design = 1
key = "survey"
title = "Survey"

[[stages]]
key = "documents"
work = "grade"
hand_out = { order = "likeness" }

[[stages.questions]]
key = "correct"
ask = "Is it correct?"
grades = [{ value = 1, press = "1", name = "yes" }, { value = 0, press = "2", name = "no" }]
"""


def ways(campaign: Campaign) -> dict[tuple[str, str], str]:
    """Topic and docno -> how its grade was given, as judgments.jsonl says it."""
    return {(act.topic, act.docno): act.how for act in everything(Snapshot(campaign)) if isinstance(act, Judged)}


def test_what_was_given_with_like_ones_is_said_so_in_its_line_and_comes_with_a_release(
    organiser: User, settings: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    campaign = survey(organiser, tmp_path, TOGETHER)
    judge_all(campaign)
    like = Item.objects.filter(pool_items__isnull=False).select_related("topic").order_by("pk")[0]
    work = Assignment.objects.get(topic=like.topic)
    Assignment.objects.filter(pk=work.pk).update(state="started")
    said = JudgmentInput(item=like, criterion="correct", value=1, client_key=uuid4(), how="like")
    record_judgment(actor=work.assessor, assignment=Assignment.objects.get(pk=work.pk), judgment=said)
    Assignment.objects.update(state="done")
    given = ways(campaign)
    assert [each for each, how in given.items() if how == "like"] == [(like.topic.number, like.docno)]
    assert set(given.values()) == {"", "like"}
    freeze_campaign(actor=organiser, campaign=campaign, despite="a trial")
    campaign.refresh_from_db()
    path = tmp_path / "release"
    unpack_release(make_release(actor=organiser, campaign=campaign), path)
    assert scoring(["verify", str(path)]) == 0, capsys.readouterr()
    lines = [json.loads(line) for line in (path / "exports" / "judgments.jsonl").read_text().splitlines()]
    assert {(line["topic"], line["docno"]): line.get("how", "") for line in lines} == given
    again = import_release(actor=organiser, path=path, slug="again")
    assert ways(again) == given
    assert {row.how for row in Judgment.objects.filter(assignment__campaign=again)} == {"import", "like"}
