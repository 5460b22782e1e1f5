from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from assess.protocol import CheckContext, RunForm, TopicRecord
from scoring.folding import answer_key
from scoring.reading.sentences import MODEL
from tests.tracks.biogen_runs import context, of_2025, topics
from tracks.biogen2024 import TRACK, checks
from tracks.biogen2024.runs import preview, read_form, read_responses, read_segments, segment_rows
from tracks.biogen2024.settings import BioGenSettings
from tracks.biogen2024.topics import context_parts, read_topics, write_distributed, write_topics

FOLDER = Path(__file__).parent.parent / "data" / "tracks" / "biogen2024"
RUN, ASSESSED = TRACK.submissions


def of_2024(answer: str, references: Iterable[object] = (), **root: object) -> io.BytesIO:
    result = {"topic_id": "1", "answer": answer, "references": list(references)}
    head = {"team_id": "Marsh", "run_name": "Heron", "contact_email": "marsh@example.org", "results": [result]}
    return io.BytesIO(json.dumps(head | root).encode())


def found(file: io.BytesIO, form: RunForm | None = None, **settings: object) -> list[tuple[str, str]]:
    return [(issue.severity, issue.code) for issue in RUN.check(file, context(form, **settings))]


def messages(file: io.BytesIO, code: str) -> list[str]:
    return [issue.message for issue in RUN.check(file, context()) if issue.code == code]


# ---------------------------------------------------------------- topics


TOPIC = {"id": 116, "topic": "rest", "question": "Does  rest help?", "narrative": "Somebody asks."}


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"topics": [TOPIC]}),
        json.dumps([TOPIC | {"retrieved_docs": [], "answer": None}]),
        json.dumps(TOPIC) + "\n\n",
        json.dumps({"topics": [TOPIC | {"id": "116"}]}, indent=2),
        "\ufeff" + json.dumps([TOPIC]),
    ],
)
def test_topics_are_read_in_every_shape(content: str) -> None:
    (topic,) = [each for each in read_topics(io.BytesIO(content.encode())) if isinstance(each, TopicRecord)]
    assert isinstance(topic, TopicRecord)
    assert (topic.number, topic.text, topic.ordinal) == ("116", "Does rest help?", 1)
    assert topic.fields | {"further": []} == {"topic": "rest", "narrative": "Somebody asks.", "further": []}


def test_topics_are_written_one_object_a_line_or_as_they_were_distributed() -> None:
    """ "available … as a newline-delimited set of JSON objects" (BioGen 2024); the file itself was one object"""
    content = (FOLDER / "topics.json").read_bytes()
    records = [record for record in read_topics(io.BytesIO(content)) if isinstance(record, TopicRecord)]
    lines = list(write_topics(records))
    assert [json.loads(line) for line in lines] == json.loads(content)["topics"]
    assert list(read_topics(io.BytesIO("\n".join(lines).encode()))) == [
        replace(record, line=line) for line, record in enumerate(records, 1)
    ]
    assert json.loads("\n".join(write_distributed(records))) == json.loads(content)


def test_assessors_see_topic_and_narrative_beside_the_question() -> None:
    (topic,) = read_topics(io.BytesIO(json.dumps(TOPIC).encode()))
    assert isinstance(topic, TopicRecord)
    (part,) = context_parts(topic, ())
    assert part.lines == (("Topic", "rest"), ("Narrative", "Somebody asks."))
    assert list(context_parts(replace(topic, fields={}), ())) == []


# ---------------------------------------------------------------- what a run returned


def test_both_forms_give_the_same_items() -> None:
    old = list(read_segments(of_2024("Rest helps [11, 12]. Ice does not.", ["11", "12"]), context()))
    new = list(read_segments(of_2025(("Rest  helps.", ["11", 12]), ("Ice does not.", [])), context()))
    assert [(s.item_key, [c.item_key for c in s.citations]) for s in old] == [
        (s.item_key, [c.item_key for c in s.citations]) for s in new
    ]
    assert [s.line for s in old + new] == [None, None, 1, 1]
    assert old[0].citations[1].item_key == answer_key("Rest helps.", "12")
    files = (of_2024("Rest helps [11]. Ice does not."), of_2025(("Rest helps.", ["12"]), ("Ice does not.", [])))
    keys = {item.key for file in files for item in read_responses(file, context())}
    assert keys == {answer_key("Rest helps. Ice does not.", "")}


def test_a_whole_answer_names_every_abstract_beside_its_sentence() -> None:
    (item,) = read_responses(of_2024("Rest helps [11, 12]. Ice does not."), context())
    assert item.fields["parts"] == [
        {"text": "Rest helps.", "docnos": ["11", "12"]},
        {"text": "Ice does not.", "docnos": []},
    ]


def test_a_document_cited_twice_in_a_sentence_is_one_citation() -> None:
    (segment,) = read_segments(of_2024("Rest [11] helps [11, 12].", ["11", "12"]), context())
    assert [citation.docno for citation in segment.citations] == ["11", "12"]


def test_only_the_first_citations_count_as_many_as_the_organiser_says() -> None:
    file = of_2024("Rest helps [11, 12, 13, 14].")
    (segment,) = read_segments(file, context())
    assert [citation.docno for citation in segment.citations] == ["11", "12", "13"]
    file.seek(0)
    (segment,) = read_segments(file, context(citations_limit=1))
    assert [citation.docno for citation in segment.citations] == ["11"]


def test_a_run_out_of_an_assessment_file_keeps_all_its_citations() -> None:
    file = of_2025(("Rest helps.", ["11", "12", "13", "14", "99"]))
    (segment,) = ASSESSED.read(file, context())
    assert len(segment.citations) == 5
    file.seek(0)
    assert list(ASSESSED.check(file, context())) == []


def test_citations_may_carry_scores_and_topics_may_be_numbers() -> None:
    (segment,) = read_segments(of_2025(("Rest helps.", {"11": 0.9, "12": 0.1}), topic=1), context())
    assert (segment.topic, [citation.docno for citation in segment.citations]) == ("1", ["11", "12"])


def test_the_file_says_whose_run_it_is() -> None:
    assert read_form(of_2024("Rest helps.")) == RunForm(tag="Heron", team="Marsh")
    assert read_form(of_2025(("Rest helps.", []))) == RunForm(tag="Kite", team="Heath")
    assert read_form(io.BytesIO(b"[]")) is None


def test_the_participant_sees_how_an_answer_was_cut() -> None:
    answer = "[11] Rest helps [11, 12, 13, 14]. [12] Ice does not."
    assert list(preview(of_2024(answer), context())) == [
        ("1", "dropped at character 1: before any sentence", "[11]"),
        ("1", "sentence 1 · cites 11, 12, 13", "Rest helps."),
        ("1", "dropped at character 17: beyond the first 3 of a list", "14"),
        ("1", "dropped at character 35: after the end of a sentence", "[12]"),
        ("1", "sentence 2 · cites nothing", "Ice does not."),
    ]
    rows = list(segment_rows(of_2024(answer), context()))
    assert rows[1] == ("1", "1", "11,12,13", "Rest helps.")
    assert [row[1] for row in rows if isinstance(row, tuple)] == ["-", "1", "-", "-", "2"]


# ---------------------------------------------------------------- checks


@pytest.mark.parametrize(
    ("answer", "references", "expected"),
    [
        ("Rest helps [11].", ["11"], []),
        ("Rest helps [11].", [11], []),
        ("Rest helps [11, 12]. [13]", ["11", "12"], [("warning", "citation-ignored")]),
        ("[13] Rest helps [11].", ["11"], [("warning", "citation-ignored")]),
        (
            "Rest helps [11]. [12]", ["11", "12"],
            [("warning", "citation-ignored"), ("error", "reference-not-cited")],
        ),
        ("Rest helps [11]. [99, PMID 7]", ["11"], [("warning", "citation-ignored")]),
        ("Rest helps [11,12,13,14].", ["11", "12", "13"], [("warning", "citation-ignored")]),
        (
            "Rest helps [11,12,13,14].", ["11", "12", "13", "14"],
            [("warning", "citation-ignored"), ("error", "reference-not-cited")],
        ),
        ("Rest helps [11 [12]].", ["11", "12"], []),
        ("Rest helps [[11],[12]].", ["11", "12"], []),
        ("Rest helps [11, 11].", ["11"], [("warning", "citation-twice")]),
        ("Rest helps [11].", [], [("error", "citation-not-in-references")]),
        ("Rest helps [11].", ["11", "12"], [("error", "reference-not-cited")]),
        ("Rest helps [11].", ["11", "11"], [("error", "reference-twice")]),
        ("Rest helps [99].", ["99"], [("error", "unknown-pmid")]),
        ("Rest helps [11].", ["11", "99"], [("error", "unknown-pmid"), ("error", "reference-not-cited")]),
        ("Rest helps [PMID 11].", [], [("error", "citation-form")]),
        ("Rest helps [11-13].", [], [("error", "citation-form")]),
        ("Rest helps [11;12].", [], [("error", "citation-form")]),
        ("Rest helps [].", [], [("error", "citation-form")]),
        ("Rest helps [11, ].", ["11"], [("error", "citation-form")]),
        ("Rest helps [11.", [], [("warning", "unpaired-bracket")]),
        (
            "[11].",
            ["11"],
            [("error", "no-sentence"), ("warning", "citation-ignored"), ("error", "reference-not-cited")],
        ),
    ],
)  # fmt: skip
def test_constraints_of_2024(answer: str, references: list[object], expected: list[tuple[str, str]]) -> None:
    assert found(of_2024(answer, references)) == expected


def test_a_topic_that_is_written_otherwise_is_named() -> None:
    file = of_2025(("Rest helps.", ["11"]), topic="01")
    assert messages(file, "unknown-topic") == ["There is no topic “01”, but there is 1: write both alike."]


def test_what_stands_where_citations_do_not_count_is_named_once_with_its_places() -> None:
    """ "any remaining entries will be discarded"; "will be discarded" of runs outside of sentences (BioGen 2024)"""
    file = of_2024("[13] Rest helps [11, 12, 13, 14]. [14] It does. [13]", ["11", "12", "13", "14"])
    assert messages(file, "citation-ignored") == [
        "Topic 1: ignored where citations do not count: 13 (character 1, before any sentence; character 49, after the "
        "end of a sentence), 14 (character 17, beyond the first 3 of a list; character 35, after the end of a "
        "sentence). Move what should count before the final mark."
    ]


def test_a_citation_that_is_discarded_does_not_refer_to_a_reference() -> None:
    """ "PMIDs included in the references list must be referred to at least once by a citation in the answer text" """
    file = of_2024("Rest helps [11, 12, 13, 14]. [12], [99].", ["11", "12", "13", "14", "99"])
    assert messages(file, "reference-not-cited") == [
        "Topic 1: 14 in the references is cited only where citations do not count (character 12, beyond the first 3 of "
        "a list). Cite it within a sentence or remove it.",
        "Topic 1: 99 in the references is cited only where citations do not count (character 36, after the end of a "
        "sentence). Cite it within a sentence or remove it.",
    ]


def test_of_many_ignored_entries_the_first_are_named_and_the_rest_counted() -> None:
    (message,) = messages(of_2024("Rest helps. [" + ", ".join(map(str, range(1, 41))) + "]"), "citation-ignored")
    assert "12 (character 13, after the end of a sentence) and 28 more." in message


@pytest.mark.parametrize(
    ("citations", "expected"),
    [
        (["11", "12", "13"], []),
        (["11", "12", "13", "14"], [("warning", "citations-limit")]),
        (["11", "11"], [("warning", "citation-twice")]),
        (["99"], [("error", "unknown-pmid")]),
        ({"11": 1}, []),
        (None, []),
    ],
)
def test_constraints_of_2025(citations: object, expected: list[tuple[str, str]]) -> None:
    assert found(of_2025(("Rest helps.", citations))) == expected


def test_messages_name_topic_sentence_and_character() -> None:
    file = of_2024("Rest helps [11]. Ice does not [PMID 12].", ["11"])
    (message,) = messages(file, "citation-form")
    assert message.startswith("Topic 1, sentence 2, character 31: in [PMID 12] “PMID 12” is no PMID.")


def test_long_answers_get_a_warning_or_are_refused() -> None:
    words = "Rest helps. " * 126  # 252 words
    assert found(of_2025((words, []))) == [("warning", "word-limit")]
    assert found(of_2025((words, [])), word_limit_is_fatal=True) == [("error", "word-limit")]
    assert found(of_2025(("Rest helps. " * 125, []))) == []
    assert found(of_2024("Rest helps. " * 76)) == [("warning", "word-limit")]
    assert found(of_2024("Rest helps. " * 76), word_limit_is_fatal=True) == []


def test_topics_left_out_are_named_where_all_else_can_be_read() -> None:
    two = replace(context(), topics=topics("1", "2"))
    assert [issue.code for issue in RUN.check(of_2024("Rest helps."), two)] == ["missing-topic"]
    assert [issue.code for issue in RUN.check(of_2024("Rest helps.", ["x"]), two)] == ["pmid-form"]


def test_the_form_must_agree_with_the_file() -> None:
    assert found(of_2024("Rest helps."), RunForm(tag="Heron", team="Marsh")) == []
    assert found(of_2024("Rest helps."), RunForm(tag="Egret", team="Moor")) == [
        ("error", "run-tag-mismatch"),
        ("warning", "team-mismatch"),
    ]


def test_without_the_model_sentences_are_cut_by_rules_and_the_checker_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "has_model", lambda: False)
    assert found(of_2024("Rest helps.")) == [("warning", "sentences-by-rules")]
    assert found(of_2024("Rest helps."), sentences="rules") == []
    assert MODEL in (FOLDER.parents[3] / "requirements.txt").read_text().replace("-", "_")


def test_settings_that_cannot_be_are_refused() -> None:
    settings = BioGenSettings(sentences="tarot", citations_limit=0, word_limit=10_001)
    assert set(settings.problems()) == {"sentences", "citations_limit", "word_limit"}


def test_an_answer_of_nothing_but_short_sentences_is_cut_to_its_end() -> None:
    answer = "Rest [11]. " * 1800
    segments = list(read_segments(of_2024(answer, ["11"]), context(sentences="rules")))
    assert [len(segments), {len(segment.citations) for segment in segments}] == [1800, {1}]


# ---------------------------------------------------------------- real runs


@pytest.mark.shared
def test_real_topics_and_runs_are_read(shared_data: Path) -> None:
    with (shared_data / "biogen2024" / "topics.json").open("rb") as file:
        assert [topic.number for topic in read_topics(file) if isinstance(topic, TopicRecord)] == [
            str(number) for number in range(116, 181)
        ]
    folder = shared_data / "biogen2025-runs"
    with (folder / "topics.json").open("rb") as file:
        known = tuple(topic for topic in read_topics(file) if isinstance(topic, TopicRecord))
    assert [len(known), known[0].number, known[-1].number] == [30, "181", "210"]
    here = CheckContext(topics=known, settings=BioGenSettings())
    shares, issues = {}, {}
    for path in sorted(folder.glob("system-*.jsonl")):
        with path.open("rb") as file:
            issues[path.stem] = [(issue.where, issue.severity, issue.message) for issue in RUN.check(file, here)]
        cited: dict[str, list[bool]] = {}
        with path.open("rb") as file:
            for segment in RUN.read(file, here):
                cited.setdefault(segment.topic, []).append(bool(segment.citations))
        shares[path.stem] = round(sum(sum(each) / len(each) for each in cited.values()) / len(cited), 4)
    assert shares == {"system-a": 0.8005, **{f"system-{letter}": 1.0 for letter in "bcde"}}
    assert issues == {
        "system-a": [
            (7, "warning", "Topic 187: the answer has 288 words; it may have 250. Shorten it."),
            (20, "warning", "Topic 200: the answer has 257 words; it may have 250. Shorten it."),
        ],
        **{f"system-{letter}": [] for letter in "bcde"},
    }
