"""Topics, runs and judgments of iKAT 2023: shapes, rules and conversions, without the site."""

from __future__ import annotations

import copy
import io
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.protocol import CheckContext, RunForm, TopicRecord
from scoring.formats.grades import read_response_grades, write_response_grades
from scoring.formats.ikat_topics import Dialogue, DialogueTurn, read_dialogues, write_dialogues
from scoring.formats.response_labels import read_response_labels
from scoring.reading.sentences import passages
from scoring.records import Issue, ItemGrade, ItemValue
from tests.tracks.ikat2023_runs import (
    DATA,
    DEFAULTS,
    RUN,
    checked,
    codes,
    context,
    response,
    run_value,
    small_run,
    topics,
)
from tracks.__main__ import main
from tracks.ikat2023.runs import CITED, read_form, read_passages, read_segments, read_statements
from tracks.ikat2023.settings import Ikat2023Settings
from tracks.ikat2023.topics import read_topics, statement_items, turn_context, write_topics

GUIDELINE_SHAPE = [
    {
        "number": "1-1",
        "title": "Bread",
        "ptkb": {"1": "I bake.", "2": "I sing."},
        "turns": [
            {
                "turn_id": "1",
                "utterance": "How long?",
                "resolved_utterance": "How long does bread bake?",
                "response": "An hour.",
                "ptkb_provenance": [{"id": "1", "text": "I bake.", "score": 0.9}],
                "passage_provenance": [{"id": "D1:4", "text": "…", "score": 0.88}],
            },
            {"number": "2", "utterance": "Thanks.", "response": "Enjoy it.", "ptkb_provenance": []},
        ],
    }
]


# ---------------------------------------------------------------- topics


def test_subtrees_of_a_topic_hang_under_it_and_turns_under_these() -> None:
    found = {topic.number: topic for topic in topics()}
    assert [number for number, topic in found.items() if topic.parent is None] == ["1", "2"]
    assert [number for number, topic in found.items() if topic.parent == "1"] == ["1-1", "1-2"]
    assert [number for number, topic in found.items() if topic.parent == "1-2"] == ["1-2_1", "1-2_2", "1-2_3"]
    assert {topic.task for topic in found.values() if topic.number.count("_") == 1} == {"turn"}
    assert (found["1-2_2"].text, found["1-2_2"].ordinal) == ("My brakes squeal, too.", 2)


def test_the_guidelines_shape_keeps_the_texts_and_scores_of_its_provenance() -> None:
    """ "a passage_provenance field with a list of provenance passages and ptkb_provenance" (iKAT 2023, Topic Format)"""
    (written,) = json.loads("\n".join(write_topics(map(changed, topics(GUIDELINE_SHAPE)))))
    assert written["turns"] == [
        {
            "turn_id": 1,
            "utterance": "How long?",
            "resolved_utterance": "How long does bread bake?",
            "response": "An hour.",
            "ptkb_provenance": [{"id": "1", "text": "I bake.", "score": 0.9}],
            "passage_provenance": [{"id": "D1:4", "text": "…", "score": 0.88}],
        },
        {
            "turn_id": 2,
            "utterance": "Thanks.",
            "resolved_utterance": "",
            "response": "Enjoy it.",
            "ptkb_provenance": [],
            "response_provenance": [],
        },
    ]
    assert (written["title"], written["ptkb"]) == ("Breads", {"1": "I bake.", "2": "I sing."})


def changed(topic: TopicRecord) -> TopicRecord:
    """Another title: what was read does not say it."""
    return replace(topic, text="Breads") if topic.text == "Bread" else topic


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", [None, 2, 4])
def test_dialogues_that_nobody_changed_are_written_as_they_came(indent: int | None, end: str) -> None:
    """ "a passage_provenance field with a list of provenance passages and ptkb_provenance" (iKAT 2023, Topic Format)"""
    other = {
        "title": "Öl",
        "number": "1-2",
        "ptkb": {},
        "mood": [1.50, None],
        "turns": [{"number": 1, "utterance": "?"}],
    }
    released = {**other, "number": "2-1"}
    for value in (GUIDELINE_SHAPE, [*GUIDELINE_SHAPE, other, released]):
        text = json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", end) + end
        found = [each for each in read_topics(io.BytesIO(text.encode())) if isinstance(each, TopicRecord)]
        assert "".join(line + "\n" for line in write_topics(found)) == text.rstrip() + "\n"


def test_a_changed_dialogue_leaves_the_others_as_they_came() -> None:
    value = [*GUIDELINE_SHAPE, {**GUIDELINE_SHAPE[0], "number": "2-1", "title": "Cake"}]
    written = json.loads("\n".join(write_topics(map(changed, topics(value)))))
    assert [each["title"] for each in written] == ["Breads", "Cake"]
    assert written[1] == value[1] != {**written[0], "number": "2-1", "title": "Cake"}


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20).filter(str.strip)
NAME = st.text(st.sampled_from("0123456789ab"), min_size=1, max_size=3)
TURN = st.builds(
    DialogueTurn,
    number=st.just(0),
    utterance=TEXT,
    resolved_utterance=st.just("") | TEXT,
    response=st.just("") | TEXT,
    statements=st.lists(NAME, max_size=3).map(tuple),
    passages=st.lists(TEXT, max_size=3).map(tuple),
    statement_details=st.booleans(),
    passage_details=st.none() | st.floats(0, 1),
)


@st.composite
def dialogues(draw: st.DrawFn) -> list[Dialogue]:
    numbers = draw(st.lists(st.from_regex(r"[1-9]-[1-9]", fullmatch=True), max_size=4, unique=True))
    found = []
    for number in sorted(numbers):
        turns = draw(st.lists(TURN, min_size=1, max_size=3))
        ptkb = draw(st.dictionaries(NAME, TEXT, max_size=4))
        numbered = [
            DialogueTurn(
                number=place,
                utterance=turn.utterance,
                resolved_utterance=turn.resolved_utterance,
                response=turn.response,
                statements=turn.statements,
                passages=turn.passages,
                statement_details=(("said", None),) * len(turn.statements) if turn.statement_details else (),
                passage_details=()
                if turn.passage_details is None
                else ((None, turn.passage_details),) * len(turn.passages),
            )
            for place, turn in enumerate(turns, 1)
        ]
        found.append(Dialogue(number=number, title=draw(TEXT), ptkb=tuple(ptkb.items()), turns=tuple(numbered)))
    return found


@given(records=dialogues())
def test_dialogues_that_are_written_are_read_back(records: list[Dialogue]) -> None:
    content = "".join(line + "\n" for line in write_dialogues(records)).encode()
    read = [each for each in read_dialogues(io.BytesIO(content)) if not isinstance(each, Issue)]
    assert read == records
    again = (each for each in read_topics(io.BytesIO(content)) if isinstance(each, TopicRecord))
    titled = {record.topic for record in records}
    lines = list(write_topics(again))
    assert lines == list(write_dialogues(sorted(records, key=lambda r: (sorted(titled).index(r.topic), r.number))))


def test_a_turn_without_a_response_is_said() -> None:
    """ "For each turn, return a series of text responses" (iKAT 2023, Task Overview)"""
    run = run_value()
    run["turns"][0]["responses"] = []
    assert ("$.turns[0].responses", "warning", "no-responses") in codes(checked(run))
    assert "no-responses" not in {
        code for _, _, code in codes(checked(run, settings=Ikat2023Settings(checks="checker")))
    }


def test_the_context_of_a_turn_is_what_was_said_before_and_what_is_known() -> None:
    found = {topic.number: topic for topic in topics()}
    parts = list(turn_context(found["2-1_2"], (found["2"], found["2-1"])))
    assert [part.heading for part in parts] == ["What the user means", "Before this turn", "About the user"]
    assert parts[0].lines == (("", "Where can I sleep on the coast path round Skarra, preferably without stairs?"),)
    assert parts[2].lines[1] == ("2", "I have coeliac disease.")
    assert [label for label, _ in parts[1].lines] == ["User", "System"]
    assert parts[1].lines[0][1] == "I want to walk round Skarra. How long does it take?"
    said = " ".join(text for part in parts for _, text in part.lines)
    assert "There are five hostels" not in said  # the turn's own canonical response
    assert "What will there be to eat?" not in said  # a later turn


def test_the_first_turn_has_nothing_before_it() -> None:
    found = {topic.number: topic for topic in topics()}
    parts = list(turn_context(found["1-1_1"], (found["1"], found["1-1"])))
    assert [part.heading for part in parts] == ["What the user means", "About the user"]


def test_the_statements_of_a_turn_are_items_in_their_order() -> None:
    found = {topic.number: topic for topic in topics()}
    items = list(statement_items(found["2-2_1"], DEFAULTS))
    assert [(item.key, item.text) for item in items][:2] == [
        ("1", "I have a dog called Pilot."),
        ("2", "I can only travel in October."),
    ]
    assert {(item.topic, item.kind, item.docno) for item in items} == {("2-2_1", "ptkb", "")}


# ---------------------------------------------------------------- runs: rules


def test_a_good_run_has_no_issues() -> None:
    assert checked(run_value()) == []


def test_topics_given_as_a_run_are_named() -> None:
    (issue,) = checked(json.loads((DATA / "topics.json").read_bytes()))
    assert issue.message.startswith("This is a file of another kind: topics of conversations (JSON), not a run")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"run_name": ""}, [("$.run_name", "run-name-empty")]),
        ({"run_type": ""}, [("$.run_type", "run-type-empty"), ("$.run_type", "run-type")]),
        ({"run_type": "automagic"}, [("$.run_type", "run-type")]),
    ],
)
def test_warnings_of_the_whole_run_by_the_checker(change: dict[str, str], expected: list[tuple[str, str]]) -> None:
    found = codes(checked({**run_value(), **change}, settings=CHECKER))
    assert found == [(where, "warning", code) for where, code in expected]


@pytest.mark.parametrize("kind", ["", "automagic", "Automatic"])
def test_a_run_is_automatic_or_manual(kind: str) -> None:
    """ "The run_type is one of the two types listed above, automatic and manual" (iKAT 2023, Task Submissions)"""
    assert codes(checked({**run_value(), "run_type": kind})) == [("$.run_type", "error", "run-type")]


RESPONSE = "$.turns[0].responses[0]"
CHECKER = Ikat2023Settings(checks="checker", warning_limit=2000)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"rank": 0}, [(".rank", "rank-zero"), (".rank", "rank-order")]),
        ({"rank": -1}, [(".rank", "rank-order")]),
        ({"rank": 7}, []),
        ({"text": ""}, [(".text", "text-empty")]),
        ({"text": " \n"}, [(".text", "text-empty")]),
        ({"ptkb_provenance": []}, [(".ptkb_provenance", "no-statements")]),
    ],
)
def test_warnings_of_a_response(change: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    run = run_value()
    run["turns"][0]["responses"][0].update(change)
    assert codes(checked(run)) == [(RESPONSE + where, "warning", code) for where, code in expected]


def test_a_response_has_at_least_one_passage() -> None:
    """ "All responses must have at least one passage called "provenance" from the collection" (iKAT 2023)"""
    run = run_value()
    run["turns"][0]["responses"][0]["passage_provenance"] = []
    place = f"{RESPONSE}.passage_provenance"
    assert codes(checked(run)) == [(place, "error", "no-passages")]
    assert codes(checked(run, settings=CHECKER)) == [(place, "warning", "no-passages")]


@pytest.mark.parametrize(
    ("name", "empty", "severity", "code"),
    [
        ("id", None, "error", "passage-id"),
        ("id", "", "error", "passage-id"),
        ("text", None, "warning", "passage-text"),
        ("text", "", "warning", "passage-text"),
        ("score", None, "warning", "passage-score"),
    ],
)
def test_passages_have_an_id_a_text_and_a_score(name: str, empty: object, severity: str, code: str) -> None:
    """ "Each provenance should have an id, text, and score" (iKAT 2023, Task Submissions)"""
    run = run_value()
    passages = run["turns"][0]["responses"][0]["passage_provenance"]
    passages[-1][name] = empty
    assert codes(checked(run)) == [(f"{RESPONSE}.passage_provenance[{len(passages) - 1}].{name}", severity, code)]


def test_ranks_that_do_not_ascend_are_warned_of() -> None:
    """ "A "run" takes the provenance passages for all responses in response order" (iKAT 2023)"""
    run = run_value()
    first = run["turns"][0]["responses"][0]
    run["turns"][0]["responses"] = [{**first, "rank": rank} for rank in (2, 1, 1, 3)]
    (issue,) = checked(run)
    assert (issue.where, issue.severity, issue.code) == ("$.turns[0].responses[1].rank", "warning", "rank-order")
    assert issue.message.endswith("So 2 times, last at $.turns[0].responses[2].rank.")
    assert checked(run, settings=CHECKER) == []


def test_the_same_warning_is_told_once_with_its_count_and_refuses_no_run() -> None:
    """ "Runs may include up to 1000 responses for each user turn" (iKAT 2023): some 2,000 warnings, and no error"""
    run = run_value()
    first = {**run["turns"][0]["responses"][0], "text": "", "ptkb_provenance": []}
    for passage in first["passage_provenance"]:
        passage["used"] = False
    run["turns"][0]["responses"] = [{**first, "rank": rank} for rank in range(1, 1001)]
    found = checked(run)
    assert [(issue.code, issue.severity) for issue in found] == [
        ("text-empty", "warning"),
        ("no-statements", "warning"),
    ]
    assert all(" 1,000 times, last at $.turns[0].responses[999]." in issue.message for issue in found)
    limited = checked(run, settings=Ikat2023Settings(warning_limit=1999))
    assert limited[:2] == found
    assert (limited[2].code, limited[2].message[:27]) == ("too-many-warnings", "The run has 2,000 warnings;")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"score": 0.1}, [("[2].score", "score-order")]),
        ({"score": 0.9}, []),  # equal to the one before
        ({"id": "msmarco-1:2"}, [("[1].id", "passage-prefix")]),
        ({"id": "clueweb22-1:2:3"}, [("[1].id", "passage-colon")]),
        ({"id": "clueweb22-1"}, [("[1].id", "passage-colon")]),
    ],
)
def test_warnings_of_a_passage(change: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    run = run_value()
    run["turns"][0]["responses"][0]["passage_provenance"][1].update(change)
    found = codes(checked(run))
    assert found == [(f"{RESPONSE}.passage_provenance{where}", "warning", code) for where, code in expected]


def test_no_used_passage_and_more_than_a_thousand_are_warned_of() -> None:
    run = run_value()
    passage = {**run["turns"][0]["responses"][0]["passage_provenance"][0], "used": False}
    run["turns"][0]["responses"][0]["passage_provenance"] = [passage] * 1001
    place = f"{RESPONSE}.passage_provenance"
    used = Ikat2023Settings(response_passages="used")
    for settings in (CHECKER, used):
        found = codes(checked(run, settings=settings))
        assert found == [(place, "warning", "none-used"), (place, "warning", "passages-limit")]
    assert codes(checked(run)) == [(place, "warning", "passages-limit")]  # the guidelines know no “used”


def test_a_statements_score_may_not_rise() -> None:
    run = run_value()
    statements = run["turns"][0]["responses"][0]["ptkb_provenance"]
    statements[1]["score"] = 2
    assert codes(checked(run)) == [(f"{RESPONSE}.ptkb_provenance[1].score", "warning", "statement-order")]


def test_passages_that_the_collection_lacks_are_counted() -> None:
    run = run_value()
    name = run["turns"][0]["responses"][0]["passage_provenance"][0]["id"]
    (issue,) = checked(run, unknown_docnos=lambda docnos: {name} & set(docnos))
    count = sum(
        passage["id"] == name
        for turn in run["turns"]
        for response in turn["responses"]
        for passage in response["passage_provenance"]
    )
    assert (issue.code, f"So {count} times" in issue.message) == ("passage-unknown", True)


@pytest.mark.parametrize(("limit", "refused"), [(24, False), (23, True)])
def test_too_many_warnings_refuse_a_run(limit: int, refused: bool) -> None:
    run = run_value()
    for turn in run["turns"]:
        turn["responses"][0].update(passage_provenance=[], ptkb_provenance=[])
    found = codes(checked(run, settings=Ikat2023Settings(checks="checker", warning_limit=limit)))
    assert Counter(code for _, _, code in found if code != "too-many-warnings") == {
        "no-passages": 1,
        "no-statements": 1,
    }
    assert (("", "error", "too-many-warnings") in found) is refused


def test_words_are_those_of_spacys_tokenizer() -> None:
    run = run_value()
    run["turns"][0]["responses"][0]["text"] = "don't " * 125
    assert checked(run) == []
    run["turns"][0]["responses"][0]["text"] += "go"
    assert codes(checked(run)) == [(f"{RESPONSE}.text", "error", "response-length")]


def test_the_form_must_say_what_the_file_says() -> None:
    good = RunForm(tag="reed_by_hand", team="Reed", automatic=False)
    assert checked(run_value(), form=good) == []
    other = RunForm(tag="reed", team="Reed", automatic=True)
    assert [code for _, _, code in codes(checked(run_value(), form=other))] == ["run-name-form", "run-type-form"]


def test_numbers_may_stand_in_quotes_and_what_is_left_out_has_its_default() -> None:
    run = run_value()
    response = run["turns"][0]["responses"][0]
    response["rank"] = "1"
    for passage in response["passage_provenance"]:
        passage["score"] = str(passage["score"])
        del passage["text"]
    assert checked(run, settings=CHECKER) == []


# ---------------------------------------------------------------- runs: what becomes of them


def test_the_first_occurrence_of_a_passage_counts_with_its_score_over_the_rank() -> None:
    run = small_run(
        response(1, "one", ("a", 0.5), ("b", 0.4)),
        response(2, "two", ("b", 9.0), ("c", 6.0)),
        response(0, "no", ("d", 1)),
    )
    assert RUN.convert is not None
    assert list(RUN.convert(io.BytesIO(run), context())) == [
        "1-1_1 Q0 d 1 1.0 r",
        "1-1_1 Q0 a 2 0.25 r",
        "1-1_1 Q0 b 3 0.2 r",
        "1-1_1 Q0 c 4 2.0 r",
    ]
    assert [(line.docno, line.rank) for line in read_passages(io.BytesIO(run), context())] == [
        ("c", 1), ("d", 2), ("a", 3), ("b", 4),
    ]  # fmt: skip


SHUFFLED = (
    response(2, "two", ("b", 9.0), ("c", 6.0)),
    response(1, "one", ("a", 0.3), ("b", 0.4), ("e", 0.5)),
)


@pytest.mark.parametrize(
    ("conversion", "lines", "ranked"),
    [
        ("script", ["e 1 0.25", "b 2 0.2", "a 3 0.15", "c 4 2.0"], "ceba"),
        ("guidelines", ["e 1 1000.0", "b 2 999.0", "a 3 998.0", "c 4 997.0"], "ebac"),
    ],
)
def test_runs_are_converted_by_rank_and_score_as_the_script_or_as_the_guidelines_say(
    conversion: str, lines: list[str], ranked: str
) -> None:
    """ "in response order"; "in descending order"; "it will be ranked by its first response" (iKAT 2023)"""
    given = CheckContext(topics=(), settings=Ikat2023Settings(conversion=conversion))
    assert RUN.convert is not None
    assert list(RUN.convert(io.BytesIO(small_run(*SHUFFLED)), given)) == [f"1-1_1 Q0 {line} r" for line in lines]
    assert [line.docno for line in read_passages(io.BytesIO(small_run(*SHUFFLED)), given)] == list(ranked)


def test_a_thousand_unique_passages_of_a_turn_count() -> None:
    run = small_run(response(1, "x", *((f"p{number // 2}", 1.0) for number in range(2100))))
    assert RUN.convert is not None
    lines = list(RUN.convert(io.BytesIO(run), context()))
    assert len(lines) == 1000
    assert lines[-1].split()[2:4] == ["p999", "1000"]


def test_statements_with_a_score_of_zero_are_not_returned() -> None:
    statements = [{"id": "2", "score": 0.5}, {"id": "5", "score": 0.4}, {"id": "1", "score": 0}]
    run = small_run(response(1, "x", ptkb_provenance=statements), response(2, "y", ptkb_provenance=statements[::-1]))
    assert [line.docno for line in read_statements(io.BytesIO(run), context())] == ["2", "5"]


def test_a_name_of_two_words_cannot_break_the_columns() -> None:
    assert RUN.convert is not None
    (line,) = RUN.convert(io.BytesIO(small_run(response(1, "x", ("a", 1.0)), name=" my run ")), context())
    assert line == "1-1_1 Q0 a 1 0.5 my_run"


def test_responses_come_by_rank_with_the_passages_they_use() -> None:
    run = small_run(
        response(2, "second", ("a", 0.9), ("B", 0.8), ("C", 0.7)),
        response(1, "first", *((name, 0.5) for name in "abcdefg")),
    )
    segments = list(read_segments(io.BytesIO(run), context()))
    assert [(each.ordinal, each.text) for each in segments] == [(1, "first"), (2, "second")]
    used = [[cited.docno for cited in each.citations if cited.ordinal <= CITED] for each in segments]
    assert used == [list("abcde"), ["B", "C"]]
    others = [[(c.docno, c.ordinal) for c in each.citations if c.ordinal > CITED] for each in segments]
    assert others == [[("f", CITED + 1), ("g", CITED + 2)], [("a", CITED + 1)]]


def test_ten_responses_of_a_turn_are_kept() -> None:
    run = small_run(*(response(rank, f"text {rank}") for rank in range(1, 31)))
    assert [each.ordinal for each in read_segments(io.BytesIO(run), context())] == list(range(1, 11))


def test_the_same_text_of_two_runs_is_one_item() -> None:
    keys = []
    for name in ("lamp_first", "moss_two"):
        segments = read_segments(io.BytesIO(json.dumps(run_value(name)).encode()), context())
        keys.append({each.topic: each.item_key for each in segments if each.ordinal == 1})
    lamp, moss = keys
    assert sorted(topic for topic in lamp if lamp[topic] == moss[topic]) == ["1-1_2", "1-2_2", "2-1_2"]


def test_a_file_says_what_it_is_even_with_errors_in_it() -> None:
    form = read_form(io.BytesIO(json.dumps({**run_value(), "turns": 3}).encode()))
    assert form == RunForm(tag="reed_by_hand", team="reed_by_hand", automatic=False)
    assert read_form(io.BytesIO(b"[]")) is None
    assert read_form(io.BytesIO(b'{"run_name": 3}')) is None


def test_the_passages_that_a_response_uses_can_be_opened_beside_it() -> None:
    (segment,) = read_segments(io.BytesIO(small_run(response(1, "yes", ("B", 0.8), ("C", 0.7), ("d", 0.1)))), context())
    assert [part["docno"] for part in segment.item_fields["parts"]] == ["B", "C"]
    assert segment.item_fields["parts"][0]["text"] == "yes"


# ---------------------------------------------------------------- tables

GRADES = st.builds(
    ItemGrade,
    topic=NAME,
    kind=st.just("response"),
    key=NAME,
    criterion=st.sampled_from(["conciseness", "response_relevance"]),
    value=st.none() | st.integers(0, 4),
    text=st.text(max_size=20),
)


@given(records=st.lists(GRADES, max_size=5, unique_by=lambda r: (r.topic, r.key, r.criterion)))
def test_grades_of_responses_that_are_written_are_read_back(records: list[ItemGrade]) -> None:
    lines = list(write_response_grades(records))
    read = list(read_response_grades(io.BytesIO("".join(line + "\n" for line in lines).encode())))
    assert sorted(map(repr, read)) == sorted(map(repr, records))
    assert list(write_response_grades(record for record in read if isinstance(record, ItemGrade))) == lines


def test_labels_of_a_program_are_values_of_turn_and_run() -> None:
    lines = [
        "conv_id\tturn_id\trun_id\tlabel",
        "c\t1_1\tr\t3",
        "c\t1_2\tr\t-1",
        "c\t1_1\tr\t2",
        "c\t1_3\tr",
        "c\t1_4\tr\tx",
    ]
    found = list(read_response_labels(io.BytesIO("\n".join(lines).encode())))
    assert found[0] == ItemValue(topic="1_1", item="r", value=3)
    assert codes([each for each in found if isinstance(each, Issue)]) == [
        (4, "error", "duplicate"),
        (5, "error", "columns"),
        (6, "error", "value"),
    ]
    (header,) = read_response_labels(io.BytesIO(b"1_1\tr\t3\n"))
    assert isinstance(header, Issue)
    assert (header.where, header.code) == (1, "header")


# ---------------------------------------------------------------- commands


def test_convert_writes_the_official_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "ikat2023", str(DATA / "runs" / "good" / "moss_two.json")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1-1_1 Q0 clueweb22-assay-00-00001:1 1 6.25 moss_two"
    assert len(lines) == 47


def test_convert_says_what_it_could_not_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "ikat2023", str(DATA / "runs" / "bad" / "cut-off.json")]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "not-json" in said.err


@pytest.mark.parametrize(
    ("name", "content", "rows"),
    [
        ("d.jsonl", b'{"id": "D1", "text": "One. Two."}\n{"id": "D2", "text": " "}\n', ["D1:0\tOne. Two."]),
        ("d.txt", b"The boats came home.\n", ["document:0\tThe boats came home."]),
        (
            "d.trec",
            b"<DOC>\n<DOCNO> AP1 </DOCNO>\n<TEXT>\nThe boats came home.\n</TEXT>\n</DOC>\n",
            ["AP1:0\tThe boats came home."],
        ),
        (
            "d.trecweb",
            b"<DOC>\n<DOCNO>W1</DOCNO>\n<DOCHDR>\nhttp://a.example/ 1997\nHTTP/1.1 200 OK\nServer: <b>\n</DOCHDR>\n"
            b"<HTML><HEAD><TITLE>Harbour</TITLE></HEAD><URL>http://a.example/</URL>\n"
            b"<BODY>\nThe boats came home.\n</BODY></HTML>\n</DOC>\n"
            b"<DOC>\n<DOCNO>W2</DOCNO>\n<DOCHDR>\nHTTP/1.1 200 OK\n</DOCHDR>\nThe boats left.\n</DOC>\n"
            b"<DOC>\n<DOCNO>W3</DOCNO>\n<DOCHDR>\nHTTP/1.1 200 OK\nThe boats left.\n</DOC>\n",
            ["W1:0\tThe boats came home.", "W2:0\tThe boats left."],
        ),
    ],
)
def test_segment_cuts_documents_of_any_form_without_their_headers(
    name: str, content: bytes, rows: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """ "An example document with some passage segmentation is provided in TrecWeb format" (iKAT 2023)"""
    (tmp_path / name).write_bytes(content)
    assert main(["segment", "ikat2023", str(tmp_path / name)]) == 0
    assert capsys.readouterr().out.splitlines() == rows


def test_segment_takes_line_breaks_for_blanks_as_the_organisers_tool_did(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """ "run the text through spaCy after removing newline chars" (ikat_tools.py, iKAT 2023)"""
    lines = [f"Visit number {number} of the old town\r\nbegins at noon. It ends" for number in range(4, 16)]
    text = " at six.\n".join([*lines, "here."])
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps({"id": "D1", "text": text}) + "\n", "utf-8")
    found = {}
    for way in ("blanks", "kept"):
        assert main(["segment", "ikat2023", str(path), "--set", f"line_breaks={way}"]) == 0
        found[way] = capsys.readouterr().out
    plain = text.replace("\r", " ").replace("\n", " ")
    rows = [f"D1:{number}\t{passage}" for number, passage in enumerate(passages(plain, line_breaks="kept"))]
    assert found["blanks"].splitlines() == rows
    assert found["blanks"] != found["kept"]
    assert main(["segment", "ikat2023", str(path)]) == 0
    assert capsys.readouterr().out == found["blanks"]


def test_segment_names_lines_that_are_no_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(b'{"id": "D1", "text": 5.5}\n{"id": "D2", "text": "Two."}\n')
    assert main(["segment", "ikat2023", str(path)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"{path}\t1\terror\ttype\t")


def test_settings_that_cannot_be_are_named() -> None:
    settings = Ikat2023Settings(response_depth=11, binary_threshold=5, response_threshold=0, word_limit=0)
    assert sorted(settings.problems()) == ["binary_threshold", "response_depth", "response_threshold", "word_limit"]
    words = Ikat2023Settings(
        conversion="mine", response_passages="some", checks="none", line_breaks="?", warning_limit=-1
    )
    assert sorted(words.problems()) == ["checks", "conversion", "line_breaks", "response_passages", "warning_limit"]
    assert DEFAULTS.problems() == {}
    assert Ikat2023Settings.from_mapping({"judged_turns": "9-1_3, 9-2"}).judged_turns == ("9-1_3", "9-2")


def test_a_changed_copy_is_a_changed_run() -> None:
    run = run_value()
    other = copy.deepcopy(run)
    other["turns"][0]["turn_id"] = "1-1_01"
    assert codes(checked(other))[-1] == ("$.turns[0].turn_id", "error", "turn-id")
