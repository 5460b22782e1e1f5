"""Designs with lists of nuggets and what answers hold of them: the same work, files and values as the track has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from assess.campaigns.queries import track_of
from assess.judging.snapshots import Snapshot
from assess.models import Campaign
from assess.protocol.designs import StandsOn
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release, unpack_release
from assess.scores.domain import score_campaign
from scoring.__main__ import main as scoring
from tests.tracks import track_folder
from tests.tracks.designs.campaigns import DATA, loaded
from tracks.designs.checking import check_design
from tracks.designs.differences import changes_between
from tracks.designs.reading import track_of_text

ANSWERS = DATA / "tracks" / "rag-nuggets"
DESIGN = """design = 1
key = "nuggets-in-answers"
title = "Nuggets in answers"

[runs]
form = "answers"
words = 400
too_long = "cut"
citations = { most = 1, must_be_in_references = false }

[[stages]]
key = "list"
work = "nuggets"

[[stages]]
key = "found"
work = "matches"
from = "list"
item = "response"

[[stages]]
key = "support"
work = "grade"
item = "citation"

[[stages.questions]]
key = "support"
ask = "Does the document support the sentence?"
grades = "0-2"

[scores]
measures = ["V_strict", "A", "unjudged", "citation-precision"]
"""


@pytest.mark.django_db(transaction=True)
def test_a_design_has_the_values_of_the_track(
    organiser: User, tmp_path: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    (tmp_path / "mine.toml").write_text(DESIGN)
    campaign = loaded(organiser, tmp_path / "mine.toml", ANSWERS)
    assert [stage.work for stage in track_of(campaign).tasks[0].stages] == ["nuggets", "matches", "grade"]
    Campaign.objects.filter(pk=campaign.pk).update(state="judging")
    campaign.refresh_from_db()
    content = (ANSWERS / "judgments.jsonl").read_bytes()
    track_folder.replay(campaign, organiser=organiser, content=content)
    expected = {}
    for line in (ANSWERS / "expected" / "scores.tsv").read_text().splitlines():
        run, topic, measure, value, *_ = line.split("\t")
        expected[run, topic, {"support_precision": "citation-precision"}.get(measure, measure)] = value
    scores = score_campaign(Snapshot(campaign)).scores
    assert {each.measure for each in scores} == {"V_strict", "A", "unjudged", "citation-precision"}
    for each in scores:
        told = expected[each.run, each.topic, each.measure]
        assert f"{each.value:.6f}" == f"{float(told):.6f}" if each.value is not None else told == "undefined", each
    Campaign.objects.filter(pk=campaign.pk).update(state="frozen")
    campaign.refresh_from_db()
    unpack_release(make_release(actor=organiser, campaign=campaign), tmp_path / "release")
    capsys.readouterr()
    assert scoring(["verify", str(tmp_path / "release")]) == 0, capsys.readouterr()
    again = import_release(actor=organiser, path=tmp_path / "release", slug="again")
    assert values_of(again) == values_of(campaign)


def values_of(campaign: Campaign) -> list[tuple[str, str, str]]:
    """The values without the names of runs, which a release gives others."""
    scores = score_campaign(Snapshot(campaign)).scores
    return sorted((each.topic, each.measure, str(each.value)) for each in scores)


def test_quotes_are_asked_of_lists_only_while_nothing_is_written() -> None:
    required = DESIGN.replace('work = "nuggets"', 'work = "nuggets"\nreferences = "required"')
    (asked,), (no_longer,) = changes_between(DESIGN, required).changes, changes_between(required, DESIGN).changes
    assert (asked.stands_on, no_longer.stands_on) == (StandsOn(stage="list"), None)


LATER = "Not yet known"
BROKEN = [
    ('from = "list"', 'from = "lst"', 18, "stages.found.from", "There is no stage “lst” before this one. Did you"),
    ('from = "list"', 'from = "found"', 18, "stages.found.from", "There is no stage “found” before this one."),
    ('from = "list"\n', "", 15, "stages.found", "The stage found needs from"),
    ('from = "list"', 'from = "list"\nmarks = []\nnone = { press = "0" }', 20, "stages.found.none", LATER),
    ('work = "nuggets"', 'work = "nuggets"\nlines = "questions"', 14, "stages.list.lines", LATER),
    ('work = "nuggets"', 'work = "nuggets"\nsettle = "fuse"', 14, "stages.list.settle", LATER),
    ('work = "nuggets"', 'work = "nuggets"\nsettle = "adjudicator"', 14, "stages.list.settle", LATER),
    ('work = "nuggets"', 'work = "nuggets"\nmost = 10', 14, "stages.list.most", LATER),
    ('work = "nuggets"', 'work = "nuggets"\npeople = 3', 14, "stages.list.people", LATER),
    ('work = "nuggets"', 'work = "nuggets"\nfile = "x.tsv"', 14, "stages.list.file", LATER),
    ('work = "nuggets"', 'work = "nuggets"\nwithout_runs = true', 14, "stages.list.without_runs", LATER),
    ('work = "nuggets"', 'work = "nugget"', 13, "stages.list.work", "Did you mean nuggets?"),
    ('item = "citation"', 'item = "sentence"', 24, "stages.support.item", LATER),
    ('"V_strict"', '"V_strikt"', 32, "scores.measures.1", "No measure is called"),
]


@pytest.mark.parametrize(("before", "after", "line", "member", "words"), BROKEN)
def test_what_is_wrong_is_told_by_line_and_name(before: str, after: str, line: int, member: str, words: str) -> None:
    assert before in DESIGN and check_design(DESIGN)[1] == []
    design, faults = check_design(DESIGN.replace(before, after, 1))
    told = [(each.line, each.member) for each in faults if words in each.message]
    assert (design, told) == (None, [(line, member)]), faults


def test_a_design_of_nuggets_alone_has_the_usual_measures() -> None:
    text = DESIGN[: DESIGN.index('[[stages]]\nkey = "support"')]
    track = track_of_text(text)
    assert [column.key for column in track.scoring.measures] == ["V_strict", "V", "A_strict", "A"]
    assert [export.name for export in track.exports] == ["nuggets.jsonl", "assignments.jsonl", "judgments.jsonl"]
