"""Acts on the disk, kind by kind; and of a file the grades alone."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from scoring.formats import recorded_grades
from scoring.formats.judgments_jsonl import acts_of, write_judgments
from scoring.formats.recorded_grades import judged_of
from scoring.release.kept_acts import KeptActs
from scoring.release.recorded_acts import Judged, Matched, RecordedAct, Reviewed

ITEM = {"by": "assessor-1", "topic": "1", "docno": "D1", "answer": 'says "do": "match"'}
GRADE, MATCH = Judged(**ITEM, criterion="c", value=1), Matched(**ITEM, number=1)
REVIEW = Reviewed(**ITEM)


def test_acts_come_in_the_order_of_their_lines_and_of_one_kind_alone() -> None:
    file = io.BytesIO()
    kept = KeptActs(file)
    kept.add("1", [(1, MATCH), (2, GRADE), (3, MATCH)])
    kept.add("2", [(4, REVIEW)])
    kept.add("1", [(5, REVIEW), (6, GRADE)])
    assert kept.of_topic("1") == [(1, MATCH), (2, GRADE), (3, MATCH), (5, REVIEW), (6, GRADE)]
    assert kept.of_topic("1", Judged) == [(2, GRADE), (6, GRADE)]
    assert kept.of_topic("1", Reviewed, Matched) == [(1, MATCH), (3, MATCH), (5, REVIEW)]
    assert (kept.of_topic("3"), kept.of_topic("2", Judged), list(kept.topics)) == ([], [], ["1", "2"])
    file.seek(kept.topics["1"][Matched][0])
    file.write(b"\0" * 8)
    assert kept.of_topic("1", Judged) == [(2, GRADE), (6, GRADE)], "other kinds are not read"


@pytest.mark.parametrize(
    "line",
    [
        '{"do": "match", "do": "judge"}',
        '{"answer": "A", "by": "P", "criterion": "c", "do": "judge", "docno": "D", "topic": "1", "value": 1,'
        ' "evidence": [{"quote": "q", "do": "match"}]}',
        '{"a": {"do": "vote"}, "by": "P", "do": "judge"}',
        '{"do":"judge","answer":"A","by":"P","criterion":"c","docno":"D","topic":"1","value":1}',
        '{"answer": "A \\"do\\": \\"review\\"", "by": "P", "criterion": "c", "do": "judge", "docno": "D", "topic": "1",'
        ' "value": 1}',
        '{"by": "P", "do": "vote", "number": 1, "importance": "okay", "topic": "1"}',
        '{"answer":"A","by":"P","criterion":"c","do":"\\u006audge","docno":"D","topic":"1","value":1}',
        "no object",
    ],
)
@pytest.mark.parametrize("block", [10, 1 << 18])
def test_the_grades_of_a_file_are_those_among_its_acts(
    line: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded_grades, "BLOCK", block)
    acts: list[RecordedAct] = [GRADE, MATCH, REVIEW]
    path = tmp_path / "judgments.jsonl"
    path.write_text("\n".join([*write_judgments(acts), line]) + "\n")
    assert list(judged_of(path)) == [act for act in acts_of(path) if isinstance(act, Judged)] != []


def test_a_grade_behind_a_line_that_is_too_long_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_grades, "TEXT_LIMIT", 400)
    path = tmp_path / "judgments.jsonl"
    grade = next(write_judgments([GRADE]))
    long = '{"do": "vote", "by": "' + "P" * 400 + grade
    path.write_text(f"{long}\n{grade}\n")
    assert list(judged_of(path)) == [GRADE]
