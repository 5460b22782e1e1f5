"""Topics of iKAT 2024 and 2025 and of BioGen 2025, in their tracks. The samples are ours, after published layouts."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import pytest

from assess.protocol import TopicRecord, Track
from assess.protocol.files import fitting_kinds
from scoring.reading.opening import OTHER_FILE
from scoring.records import Issue
from tracks import find_track

DIALOGUE: dict[str, Any] = {
    "number": "1-1",
    "title": "Bees",
    "ptkb": ["I keep bees.", "I live in Oslo."],
    "responses": [
        {
            "turn_id": 1,
            "user_utterance": "When do they fly?",
            "resolved_utterance": "When do bees fly?",
            "response": "Above ten degrees.",
            "relevant_ptkbs": ["I live in Oslo."],
            "citations": ["clueweb22-en0000-00-00000:1"],
        },
        {"turn_id": 2, "user_utterance": "And mine?", "resolved_utterance": "", "response": "In May.", "mood": "glad"},
    ],
    "season": "spring",
}
BIOGEN = {"id": 181, "question": "What is it?", "topic": "it", "context": "Seen on a scan.", "answer": None}


def read(track: str, place: int, value: object) -> tuple[dict[str, TopicRecord], list[Issue], Track]:
    found = find_track(track)
    assert found is not None
    records = list(found.topic_files[place].read(io.BytesIO(json.dumps(value).encode())))
    topics = {each.number: each for each in records if isinstance(each, TopicRecord)}
    return topics, [each for each in records if isinstance(each, Issue)], found


def written(track: Track, place: int, topics: dict[str, TopicRecord]) -> Any:
    write = track.topic_files[place].write
    assert write is not None
    return json.loads("\n".join(write(topics.values())))


def shown(track: Track, *topics: TopicRecord) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    assert track.context is not None
    return [(part.heading, part.lines) for part in track.context(topics[0], topics[1:])]


def test_dialogues_of_2025_are_read_and_given_back_as_they_were() -> None:
    topics, issues, track = read("ikat2023", 0, [DIALOGUE])
    assert [(issue.where, issue.severity, issue.code) for issue in issues] == [
        ("$[0].season", "note", "unknown-field"),
        ("$[0].responses[1].mood", "note", "unknown-field"),
    ]
    assert list(topics) == ["1", "1-1", "1-1_1", "1-1_2"]
    head, turn = topics["1-1"], topics["1-1_2"]
    assert head.fields["ptkb"] == [["1", "I keep bees."], ["2", "I live in Oslo."]]
    assert head.fields["turns"][0]["statements"] == ["2"]
    assert head.fields["documents"] == ["clueweb22-en0000-00-00000:1"]
    assert written(track, 0, topics) == [DIALOGUE]
    assert shown(track, turn, head) == [
        ("Before this turn", (("User", "When do they fly?"), ("System", "Above ten degrees."))),
        ("About the user", (("1", "I keep bees."), ("2", "I live in Oslo."))),
        ("Further details", (("Mood", "glad"),)),
        ("Further details", (("Season", "spring"),)),
    ]


def test_a_changed_dialogue_of_2025_keeps_its_shape() -> None:
    topics, _, track = read("ikat2023", 0, [DIALOGUE, {**DIALOGUE, "number": "2-1"}])
    head = topics["1-1"]
    ptkb = [["1", "I keep bees."], ["2", "I live in Bergen."]]
    turns = [{**head.fields["turns"][0], "response": "Above twelve degrees."}, *head.fields["turns"][1:]]
    topics["1-1"] = replace(head, text="Wasps", fields={**head.fields, "ptkb": ptkb, "turns": turns})
    first, second = written(track, 0, topics)
    expected = json.loads(
        json.dumps(DIALOGUE).replace("Oslo", "Bergen").replace("Above ten", "Above twelve").replace('"Bees"', '"Wasps"')
    )
    assert first == expected != DIALOGUE
    assert list(first) == list(DIALOGUE)
    assert second == {**DIALOGUE, "number": "2-1"}


def test_dialogues_of_2024_are_numbered_as_their_topics() -> None:
    turns = [{"turn_id": 1, "utterance": "When?", "ptkb_provenance": [2]}, {"turn_id": 2, "utterance": "Where?"}]
    values = [{"number": n, "title": "Bees", "ptkb": {"2": "I am ill."}, "turns": turns} for n in (0, 7)]
    topics, issues, track = read("ikat2023", 0, values)
    assert issues == []
    assert [(each.number, each.parent, each.task) for each in topics.values()] == [
        ("0", None, ""),
        ("0_1", "0", "turn"),
        ("0_2", "0", "turn"),
        ("7", None, ""),
        ("7_1", "7", "turn"),
        ("7_2", "7", "turn"),
    ]
    assert written(track, 0, topics) == values


def test_what_a_changed_dialogue_does_not_know_is_written_too() -> None:
    topics, _, track = read("rag-nuggets", 1, [DIALOGUE])
    (back,) = written(track, 1, topics)
    assert (back["season"], back["turns"][1]["mood"]) == ("spring", "glad")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"ptkb": ["a", 7]}, ("$[0].ptkb[1]", "ptkb")),
        ({"responses": [{"turn_id": 1}]}, ("$[0].responses[0].utterance", "missing")),
    ],
)
def test_what_is_wrong_in_2025_has_its_place(value: dict[str, Any], expected: tuple[str, str]) -> None:
    _, issues, _ = read("ikat2023", 0, [DIALOGUE | value])
    assert [(issue.where, issue.code) for issue in issues if issue.severity == "error"] == [expected]


def test_what_biogen_says_further_is_kept_and_given_back() -> None:
    topics, issues, track = read("biogen2024", 0, [BIOGEN])
    assert [(issue.severity, issue.code) for issue in issues] == [("note", "further-fields")]
    assert shown(track, topics["181"]) == [
        ("What is asked", (("Topic", "it"),)),
        ("Further details", (("Context", "Seen on a scan."),)),
    ]
    assert written(track, 0, topics) == BIOGEN


def test_conversations_of_cast_are_questions_and_those_of_ikat_are_dialogues() -> None:
    cast = {"number": 31, "title": "cancer", "turn": [{"number": 1, "raw_utterance": "What is it?"}]}
    found = find_track("rag-nuggets")
    assert found is not None
    for value, kind in (([cast], "topics"), ([DIALOGUE], "dialogues")):
        file = io.BytesIO(json.dumps(value).encode())
        assert [each.key for each in fitting_kinds(file, found.topic_files)] == [kind]


@pytest.mark.parametrize(
    "content", [b"1 Q0 D1 1 2.5 r\n", b"1 0 D1 2\n", b"<top>\n<num> 1\n</top>\n", b'{"id": 1}\n{"id": 2}\n']
)
@pytest.mark.parametrize("track", ["biogen2024", "ikat2023"])
def test_files_of_another_kind_or_form_are_named_as_what_they_are(track: str, content: bytes) -> None:
    found = find_track(track)
    assert found is not None
    issues = [each for each in found.topic_files[0].read(io.BytesIO(content)) if isinstance(each, Issue)]
    if (track, content[:1]) == ("biogen2024", b"{"):
        assert {each.code for each in issues} == {"missing-field"}
    else:
        assert [each.code for each in issues] == [OTHER_FILE]
        assert issues[0].message.startswith("This is ") and "JSON: line" not in issues[0].message
