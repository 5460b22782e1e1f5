"""Gold and runs of the small TAC campaign as tests score them."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

from assess.protocol import CheckContext, RunContent, SegmentRecord
from scoring.records import Issue
from tests.tracks.contents import content_of_segments
from tracks.tac2008_qa import TRACK
from tracks.tac2008_qa.files import read_segments
from tracks.tac2008_qa.gold import Gold, load_gold
from tracks.tac2008_qa.settings import Tac2008QaSettings

DATA = Path(__file__).parent.parent / "data" / "small-campaign"
DEFAULTS = Tac2008QaSettings()


def fail(issue: Issue) -> None:
    raise AssertionError(issue)


def gold_files() -> dict[str, Path]:
    return {path.name: path for path in [*(DATA / "gold").iterdir(), DATA / "questions.xml"]}


def gold() -> Gold:
    return load_gold(gold_files(), DEFAULTS, fail)


def segments(run: str) -> list[SegmentRecord]:
    context = CheckContext(topics=(), settings=DEFAULTS)
    return list(read_segments(io.BytesIO((DATA / "runs" / "good" / run).read_bytes()), context))


def content(given: Iterable[SegmentRecord], settings: Tac2008QaSettings = DEFAULTS) -> RunContent:
    return content_of_segments(TRACK.submissions[0], given, settings)
