"""Topics in the track's own format, as participants get them: all of them, without what judging is to find out."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from assess.protocol import TopicFile, TopicRecord, Track
from scoring.records import Issue
from tests.tracks.track_folder import folder_of
from tracks import TRACKS

FILES = [(track, kind) for track in TRACKS for kind in track.topic_files if not kind.supplements]
SECRET = {"gold", "author_summary", "documents"}
"""Fields that say what judging is to find out, and those made of such."""


def topics_in(track: Track, kind: TopicFile) -> list[TopicRecord]:
    found = [path for glob in kind.file_names for path in sorted(folder_of(track).glob(glob))]
    with found[0].open("rb") as file:
        return [each for each in kind.read(file) if not isinstance(each, Issue)]


def asked(records: list[TopicRecord]) -> list[TopicRecord]:
    shown = [
        replace(each, line=None, ordinal=0, fields={k: v for k, v in each.fields.items() if k not in SECRET})
        for each in records
    ]
    return sorted(shown, key=lambda each: each.number)


@pytest.mark.parametrize(("track", "kind"), FILES, ids=[f"{track.key}-{kind.key}" for track, kind in FILES])
def test_every_kind_of_topic_file_is_written_as_it_is_read(track: Track, kind: TopicFile) -> None:
    """TAC 2008 QA, II: "The question set will be in the XML format given in the following"."""
    records = topics_in(track, kind)
    assert kind.write is not None
    assert kind.name
    text = "".join(f"{line}\n" for line in kind.write(records))
    back = [each for each in kind.read(io.BytesIO(text.encode())) if not isinstance(each, Issue)]
    assert asked(back) == asked(records)
    shapes = {(each.task, each.parent is not None) for each in records}
    assert not kind.shapes or kind.shapes & shapes


@pytest.mark.parametrize(("track", "kind"), FILES, ids=[f"{track.key}-{kind.key}" for track, kind in FILES])
def test_no_answer_that_was_released_with_a_topic_is_given_to_participants(track: Track, kind: TopicFile) -> None:
    records = topics_in(track, kind)
    assert kind.write is not None
    text = "".join(f"{line}\n" for line in kind.write(records))
    back = [each for each in kind.read(io.BytesIO(text.encode())) if not isinstance(each, Issue)]
    assert [each.number for each in back if "gold" in each.fields] == []


def test_a_file_holds_the_topics_of_its_task_alone() -> None:
    (context25,) = [track for track in TRACKS if track.key == "context25"]
    evidence, grounding = context25.topic_files
    records = [*topics_in(context25, evidence), *topics_in(context25, grounding)]
    for kind, task in ((evidence, "evidence"), (grounding, "grounding")):
        assert kind.write is not None
        text = "".join(f"{line}\n" for line in kind.write(records))
        back = [each for each in kind.read(io.BytesIO(text.encode())) if not isinstance(each, Issue)]
        assert {each.task for each in back} == {task}
