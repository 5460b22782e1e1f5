"""Gold and runs of Context25's folder, scored."""

from __future__ import annotations

from pathlib import Path

from assess.protocol import RunContent
from scoring.records import Issue, Score
from tests.tracks.contents import content_of_file
from tracks import find_track
from tracks.context25.gold import Gold, load_gold
from tracks.context25.scores import score_run
from tracks.context25.settings import Context25Settings

FOLDER = Path(__file__).parent.parent / "data" / "tracks" / "context25"
TRACK = find_track("context25")


def run(name: str, settings: Context25Settings | None = None) -> RunContent:
    assert TRACK is not None
    submission = TRACK.submissions[0 if name.endswith("csv") else 1]
    return content_of_file(submission, FOLDER / "runs" / "good" / name, settings or Context25Settings())


def load(*names: str) -> Gold:
    issues: list[Issue] = []
    gold: Gold = load_gold({name: FOLDER / name for name in names}, Context25Settings(), issues.append)
    assert [issue for issue in issues if issue.severity == "error"] == []
    return gold


def scored(gold: Gold, content: RunContent, settings: Context25Settings | None = None) -> list[Score]:
    return list(score_run(gold, "run", content, settings or Context25Settings()))
