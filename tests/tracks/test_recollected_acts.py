"""What judgments.jsonl says of items, read topic by topic: in the order of its lines, and each item in one way."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from assess.protocol import TopicRecord
from scoring.formats.judgments_jsonl import write_judgments
from scoring.release.recorded_acts import ListFrozen, Matched, NuggetWritten, RecordedAct, Reviewed
from scoring.release.releases import JUDGMENTS, WORK, Release
from tracks.recollect.acts import check_acts
from tracks.recollect.heard import read_acts
from tracks.recollect.recorded import Recorded
from tracks.recollect.rows import Unlike
from tracks.tac2008_qa import TRACK

ASSESSOR = {"by": "assessor-1", "topic": "1.2"}
LIST: list[RecordedAct] = [
    NuggetWritten(**ASSESSOR, number=1, importance="vital", text="cheap"),
    ListFrozen(**ASSESSOR),
]
MARK = Matched(**ASSESSOR, docno="D1", answer="wine", number=1)
SECOND = Matched(**ASSESSOR, docno="D1", answer="wine \u00a0", number=1, key=MARK.key)
FINISHED = Reviewed(**ASSESSOR, docno="D1", answer="wine")


def release(folder: Path, acts: list[RecordedAct]) -> Release:
    (folder / "exports").mkdir()
    (folder / JUDGMENTS).write_text("".join(f"{line}\n" for line in write_judgments(acts)), encoding="utf-8")
    stages = [stage.key for stage in TRACK.task("squishy").stages]  # type: ignore[union-attr]
    works = [
        {"topic": "1.2", "stage": stage, "by": "assessor-1", "role": "primary", "state": "done"} for stage in stages
    ]
    (folder / WORK).write_text("".join(f"{json.dumps(work, sort_keys=True)}\n" for work in works))
    return Release(folder=folder, manifest={"settings": {}, "track": TRACK.key}, files={}, sha256="")


def checked(folder: Path, acts: list[RecordedAct]) -> list[str]:
    topics = (TopicRecord(number="1.2", task="squishy", text="wine"),)
    made = release(folder, acts)
    recorded = Recorded(made, TRACK, settings=TRACK.settings(), topics=topics, runs=[], kept=io.BytesIO())
    return list(check_acts(recorded, {}))


def test_marks_and_finished_items_come_back_in_the_order_of_their_lines(tmp_path: Path) -> None:
    acts = [*LIST, MARK, FINISHED]
    (heard,) = read_acts(release(tmp_path, acts))
    assert (heard.topic, heard.first, heard.only_speaker()) == ("1.2", 1, ("assessor-1", ""))
    assert heard.of() == list(enumerate(acts, start=1))
    assert heard.of(Matched) == [(3, MARK)]
    assert sorted(heard.samples()) == [(3, MARK), (4, FINISHED)]


def test_an_item_is_named_in_one_way(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert checked(tmp_path / "a", [*LIST, MARK, FINISHED]) == ["1.2"]
    (tmp_path / "b").mkdir()
    with pytest.raises(Unlike, match="line 4: another line says another text or docno of this item"):
        checked(tmp_path / "b", [*LIST, MARK, SECOND, FINISHED])
