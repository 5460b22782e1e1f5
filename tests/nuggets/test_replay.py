"""The demonstration campaign: its recorded judgments replayed, exported, scored, and replayed again."""

from __future__ import annotations

import io
import json
from pathlib import Path
from time import process_time

import pytest
from django.contrib.auth.models import User

from assess.domain.errors import BadFile
from assess.domain.exports import export_campaign
from assess.domain.scores import explain_score, score_campaign
from assess.models import Activity, Assignment, Campaign, Judgment
from assess.protocol import TopicRecord
from assess.queries.exports import ledger_point
from assess.queries.tracks import settings_of, track_of
from nuggets.domain.replay import import_judgments
from scoring.records import Issue
from tests.nuggets import demo


@pytest.fixture
def campaign(organiser: User, settings, tmp_path: Path) -> Campaign:
    settings.DATA_DIR = tmp_path / "var"
    return demo.load(organiser)


def replay(campaign: Campaign, organiser: User, content: bytes | None = None):
    lines = demo.recorded() if content is None else content
    people = demo.people(campaign, organiser)
    return import_judgments(actor=organiser, campaign=campaign, stream=io.BytesIO(lines), people=people)


def test_replay_export_and_scores_agree(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    started = process_time()
    done = replay(campaign, organiser)
    assert process_time() - started < 20
    assert done.lines == len(demo.recorded().splitlines())
    assert not Assignment.objects.filter(state="open").exists()

    first = export_campaign(actor=organiser, campaign=campaign, folder=tmp_path / "a")
    scores = score_campaign(campaign)
    assert [issue for issue in scores.issues if issue.severity == "error"] == []
    issues: list[Issue] = []
    scoring, settings = track_of(campaign).scoring, settings_of(campaign)
    gold = scoring.load({path.name: path for path in (tmp_path / "a").iterdir()}, settings, issues.append)
    run = scores.runs[0]
    submission = track_of(campaign).submissions[0]
    with (demo.FOLDER / "runs" / "good" / f"{run}.txt").open("rb") as stream:
        segments = list(submission.read(stream, None))  # type: ignore[arg-type]
    from_files = tuple(scoring.score(gold, run, segments, settings))
    assert from_files == tuple(score for score in scores.scores if score.run == run)
    official = scores.table()[run]["combined"]
    assert official.value is not None
    assert 0 < official.value < 1
    assert explain_score(campaign, run, "all", "combined").value == official.value

    before = ledger_point()
    assert replay(campaign, organiser).added == 0
    assert ledger_point() == before

    again = export_campaign(actor=organiser, campaign=campaign, folder=tmp_path / "a", as_of=first.as_of)
    assert again.files == first.files


def test_exports_read_back_and_replay_elsewhere(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    replay(campaign, organiser)
    first = export_campaign(actor=organiser, campaign=campaign, folder=tmp_path / "a")
    for export in track_of(campaign).exports:
        content = (tmp_path / "a" / export.name).read_bytes()
        records = list(export.read(io.BytesIO(content)))
        assert not [record for record in records if isinstance(record, Issue)], export.name
        if export.name != "final-answer-sets.txt" and not isinstance(records[0], TopicRecord):
            assert "".join(line + "\n" for line in export.write(records)).encode() == content
    other = demo.load(organiser, "copy")
    replay(other, organiser, (tmp_path / "a" / "judgments.jsonl").read_bytes())
    second = export_campaign(actor=organiser, campaign=other, folder=tmp_path / "b")
    same = {name for name, digest in first.files.items() if second.files[name] == digest}
    assert same >= {"nuggets.tsv", "matches.tsv", "list_judged.txt", "otherjudged.txt", "votes.tsv", "judgments.jsonl"}
    assert score_campaign(other).scores == score_campaign(campaign).scores


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
    assert sorted(issue.where for issue in refused.value.issues) == [2, 3, 4, 5]
    assert Judgment.objects.count() == 0
    assert Assignment.objects.count() == 0
    assert Activity.objects.count() == before + joined
