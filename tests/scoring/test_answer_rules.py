"""The verdicts of the evaluations' own checkers are ours; what they let through against a guideline is a warning."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scoring.formats.answer_checks import AnswerCheck
from scoring.formats.answer_limits import AnswerLimit
from scoring.formats.answer_rules import RULES
from scoring.formats.citation_runs import check_citation_run
from scoring.formats.question_runs import check_questions
from scoring.formats.rag_answers import RagAnswer, RagSentence, read_rag_answers, write_reports
from scoring.reading.json_values import json_values
from scoring.records import Issue, has_errors

Objects = list[dict[str, Any]]


def objects_of(path: Path) -> Objects:
    return [each[1] for each in json_values(io.BytesIO(path.read_bytes())) if not isinstance(each, Issue)]


def written(objects: Objects) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in objects).encode()


# ---------------------------------------------------------------- the changes that verdicts.json names


def set_member(path: str, value: Any, place: int = 0) -> Callable[[Objects], None]:
    """A change of one member of one object; a path such as responses.0.citations."""

    def change(objects: Objects) -> None:
        *outer, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        inside: Any = objects[place]
        for part in outer:
            inside = inside[part]
        if value is None:
            del inside[last]
        else:
            inside[last] = value(inside[last]) if callable(value) else value

    return change


def moved(name: str) -> Callable[[Objects], None]:
    def change(objects: Objects) -> None:
        sentence = objects[0]["answer"][1]
        sentence[name] = [*sentence[name], sentence["existing_supported_citations"][0]]

    return change


def repeated(objects: Objects) -> None:
    objects.append(objects[0])


def dropped(objects: Objects) -> None:
    del objects[-1]


def same_topic(objects: Objects) -> None:
    objects[1]["metadata"]["topic_id"] = objects[0]["metadata"]["topic_id"]


def nothing(objects: Objects) -> None:
    del objects


def emptied(objects: Objects) -> None:
    objects.clear()


WORDS = {name: {"text": "word " * count, "citations": {}, "ptkb_provenance": []} for name, count in (("251", 251),)}
CHANGES: dict[str, Callable[[Objects], None]] = {
    "none": nothing,
    "none (it has no references)": nothing,
    "none; topics file of the same 12 ids with limit 2000": nothing,
    "the same, length made an error": nothing,
    "--limit 50 --length_limit_mode words --strict_on_length": nothing,
    "a blank line at the end": nothing,
    "last object dropped": dropped,
    "last line dropped": dropped,
    "last line dropped, topics given": dropped,
    "object 1 repeated at the end": repeated,
    "line 1 repeated at the end": repeated,
    "line 1 repeated, topics given": repeated,
    "an empty file, no topics": emptied,
    "an empty file, topics given": emptied,
    'object 1 metadata.qa_id = "999"': set_member("metadata.qa_id", "999"),
    "object 1 metadata.qa_id = 116 (a number)": set_member("metadata.qa_id", 116),
    "object 1 answer 1 without contradicted_citations": set_member("answer.0.contradicted_citations", None),
    "object 1 answer 2: its first existing_supported_citations also put in supported_citations": moved(
        "supported_citations"
    ),
    "object 1 answer 2: its first existing_supported_citations also put in contradicted_citations": moved(
        "contradicted_citations"
    ),
    "object 1 answer 1: supported_citations as text, three times each": set_member(
        "answer.0.supported_citations", lambda given: [str(each) for each in given] * 3
    ),
    "object 1 without metadata.run_id": set_member("metadata.run_id", None),
    "object 1 metadata.topic_id = 181 (a number)": set_member("metadata.topic_id", 181),
    'object 1 metadata.topic_id = "211"': set_member("metadata.topic_id", "211"),
    "object 2 gets the topic_id of object 1": same_topic,
    'object 1 response 1 citations = {"22802756": 0.9}': set_member("responses.0.citations", {"22802756": 0.9}),
    'object 1 response 1 citations = "22802756"': set_member("responses.0.citations", "22802756"),
    'object 1 response 1 text = "word " 400 times': set_member("responses.0.text", "word " * 400),
    "object 1 gets references = []": lambda objects: objects[0].update(references=[]),
    "object 1 metadata.team_id = 7": set_member("metadata.team_id", 7),
    "line 1 gets metadata.note": lambda objects: objects[0]["metadata"].update(note="x"),
    "line 1 gets references = [] (beside metadata)": lambda objects: objects[0].update(references=[]),
    "line 1 without use_starter_kit": set_member("metadata.use_starter_kit", None),
    "line 1 use_starter_kit = true": set_member("metadata.use_starter_kit", True),
    "line 1 response 1 with four citations": set_member("responses.0.citations", ["a", "b", "c", "d"]),
    'line 1 response 1 cites "anything"': set_member("responses.0.citations", ["anything"]),
    'line 1 response 1 text = "word " 251 times': set_member("responses.0.text", "word " * 251),
    "line 4 run_id = other": set_member("metadata.run_id", "other", place=3),
    "line 1 response 1 citations is an object": set_member("responses.0.citations", {"a": 1}),
    "line 1 topic_id = msmarco_v2.1_doc_00_1": set_member("metadata.topic_id", "msmarco_v2.1_doc_00_1"),
    "references of line 1 emptied": set_member("references", []),
    "line 1 response 1 citations = [0]": set_member("responses.0.citations", [0]),
    "line 1 topic_id a number": set_member("metadata.topic_id", 2000),
    "line 1 without references": set_member("references", None),
    "line 1 turn_id = 99-9_1": set_member("turn_id", "99-9_1"),
    "line 1 response without ptkb_provenance": set_member("responses.0.ptkb_provenance", None),
    "line 1 run_type = auto": set_member("metadata.run_type", "auto"),
    "line 1 cites an id that is not in references": set_member(
        "responses.0.citations", {"clueweb22-en0000-00-00000:0": 1.0}
    ),
    "line 1 references is a list": set_member("references", list),
    "line 1 references a document id without :passage": set_member("references", {"clueweb22-en0000-00-00000": 1.0}),
    "line 1 gets a second response of 251 words": lambda objects: objects[0]["responses"].append(WORDS["251"]),
}
LINES: dict[str, Callable[[list[str]], list[str]]] = {
    "none": lambda lines: lines,
    "line 1 dropped": lambda lines: lines[1:],
    "line 1 repeated": lambda lines: [lines[0], *lines],
    "line 1 question of 301 characters": lambda lines: ["\t".join([*lines[0].split("\t")[:4], "x" * 301]), *lines[1:]],
    "line 1 rank 11": lambda lines: [lines[0].replace("\t1\t", "\t11\t"), *lines[1:]],
    "line 1 with blanks for tabs": lambda lines: [lines[0].replace("\t", " "), *lines[1:]],
}
"""A line of the tab-separated file."""


def topics_of(base: Path, checker: str) -> list[str]:
    """The topics that a checker has built in, or was given."""
    if checker == "BioGen 2025 A":
        return [str(number) for number in range(116, 156)]
    if checker == "BioGen 2025 B":
        return [str(number) for number in range(181, 211)]
    if base.suffix == ".tsv":
        return list(dict.fromkeys(line.split("\t")[0] for line in base.read_text().splitlines()))
    objects = objects_of(base)
    return [str(each.get("turn_id") or each["metadata"].get("topic_id")) for each in objects]


CHECKS = {
    "BioGen 2025 B": AnswerCheck(rules=RULES["biogen-2025"]),
    "DRAGUN 2025 task 2": AnswerCheck(rules=RULES["dragun-2025"], words=250),
    "iKAT 2025": AnswerCheck(rules=RULES["ikat-2025"], words=250, references=1000),
    "common (2025)": AnswerCheck(rules=RULES["ragtime"]),
}


def checked(base: Path, verdict: dict[str, Any]) -> list[Issue]:
    """What is said of a file with one change."""
    checker, change = verdict["checker"].split(" --")[0].strip(), verdict["change"]
    topics = topics_of(base, checker)
    if checker == "DRAGUN 2025 task 1":
        lines = LINES[change](base.read_text().splitlines())
        return list(check_questions(io.BytesIO("\n".join(lines).encode()), topics))
    objects = objects_of(base)
    CHANGES[change](objects)
    content = written(objects) + (b"\n" if change.startswith("a blank line") else b"")
    if checker == "BioGen 2025 A":
        return list(check_citation_run(io.BytesIO(content), topics))
    check = CHECKS[checker]
    if "common" not in checker or "--topics" in verdict["checker"]:
        check = replace(check, topics=topics)
    if "limit 2000" in change or "length made" in change:
        check = replace(check, limits=dict.fromkeys(topics, AnswerLimit(characters=2000)))
    if "--limit 50" in change:
        check = replace(check, words=50)
    return list(replace(check, strict_length="--strict" in verdict["checker"]).issues(io.BytesIO(content)))


@pytest.mark.shared
def test_the_verdicts_of_the_official_checkers_are_ours(shared_data: Path) -> None:
    folder = shared_data / "runs2025"
    verdicts = json.loads((folder / "verdicts.json").read_text())["verdicts"]
    other = {}
    for each in verdicts:
        base = next(path for path in (folder / each["base"], shared_data / each["base"]) if path.exists())
        issues = checked(base, each)
        if has_errors(issues) != bool(each["exit"]):
            other[each["checker"], each["change"]] = [issue for issue in issues if issue.severity == "error"][:3]
    assert (other, len(verdicts)) == ({}, 63)
    assert {re.sub(" --.*", "", each["checker"]).strip() for each in verdicts} >= CHECKS.keys()


# ---------------------------------------------------------------- the shape


def read(*objects: object) -> list[Any]:
    return list(read_rag_answers(io.BytesIO("".join(json.dumps(each) + "\n" for each in objects).encode())))


def answered(**members: Any) -> Any:
    """The one answer of an object of these members, which has a topic, a run and a sentence without them."""
    (answer,) = read({"run_id": "ash", "topic_id": "1", "responses": [{"text": "So."}]} | members)
    assert isinstance(answer, RagAnswer), answer
    return answer


@pytest.mark.parametrize(
    ("metadata", "top", "topic"),
    [
        ({"topic_id": 464}, {}, "464"),
        ({"narrative_id": "464"}, {"qid": "9"}, "464"),
        ({"request_id": "r", "qa_id": "q"}, {}, "r"),
        ({"qa_id": "116"}, {}, "116"),
        ({}, {"turn_id": "9-1_3"}, "9-1_3"),
        ({}, {"request_id": "355"}, "355"),
        ({}, {"qid": "7"}, "7"),
        ({"topic_id": "1", "narrative_id": "1"}, {}, "1"),
    ],
)
def test_the_topic_is_found_wherever_it_stands(metadata: dict[str, Any], top: dict[str, Any], topic: str) -> None:
    (answer,) = read({"metadata": {"run_id": "ash"} | metadata, "responses": [{"text": "So."}]} | top)
    assert (answer.topic, answer.run) == (topic, "ash")


def test_two_topics_of_one_answer_are_refused() -> None:
    (issue,) = read({"metadata": {"run_id": "ash", "topic_id": "1", "narrative_id": "2"}, "responses": [{"text": "."}]})
    assert (issue.where, issue.code, issue.severity) == (1, "topic", "error")


@pytest.mark.parametrize(
    ("citations", "references", "cited", "named"),
    [
        ({"D3": 0.1, "D1": 0.8, "D2": 0.8}, ["D1", "D2", "D3"], ("D1", "D2", "D3"), ("D1", "D2", "D3")),
        ([1, 0], ["D1", "D2"], ("D2", "D1"), ("D1", "D2")),
        ([1], ["D1", "D1", "D2"], ("D1",), ("D1", "D2")),  # what stands twice keeps its place
        ([2], {"D1": 1, "D2": 0.5, "D3": 0}, ("D3",), ("D1", "D2", "D3")),
        ([22802756], None, ("22802756",), ("22802756",)),  # a number is an id where there are no references
        ([22802756], [22802756, 1], ("22802756",), ("22802756", "1")),
        (["D2", "D1", "D2"], None, ("D2", "D1"), ("D2", "D1")),
        ({"D1": None, "D2": "high"}, None, ("D1", "D2"), ("D1", "D2")),
    ],
)
def test_citations_are_read_in_each_way(citations: Any, references: Any, cited: Any, named: Any) -> None:
    members: dict[str, Any] = {"responses": [{"text": "So.", "citations": citations}]}
    if references is not None:
        members["references"] = [str(each) for each in references] if isinstance(references, list) else references
    found = [each for each in read({"run_id": "ash", "topic_id": "1"} | members) if isinstance(each, RagAnswer)]
    assert [(each.sentences[0].citations, each.references) for each in found] == [(cited, named)]


def test_values_and_further_members_of_the_metadata_come_back() -> None:
    given = answered(
        metadata={"team_id": "north", "run_id": "ash", "topic_id": "1", "type": "automatic", "prompt": ["a", {"b": 1}]},
        responses=[{"text": "So.", "citations": {"D2": 0.25, "D1": 1}}],
    )
    assert given.sentences == (RagSentence(text="So.", citations=("D1", "D2"), values=(1, 0.25)),)
    assert given.others == {"type": "automatic", "prompt": ["a", {"b": 1}]}
    (line,) = write_reports([given])
    again = answered(**json.loads(line))
    assert (again.others, again.sentences, again.team) == (given.others, given.sentences, "north")


@pytest.mark.parametrize("layout", ["{}\n{}\n", "{}{}", "[{},\n{}]", "\ufeff[\n{}\n,{}\n]"])
def test_objects_stand_in_lines_in_a_list_or_one_after_another(layout: str) -> None:
    one, two = (
        json.dumps({"run_id": "ash", "topic_id": topic, "sentences": [{"text": "So."}]}, indent=indent)
        for topic, indent in (("1", None), ("2", None if layout.endswith("}\n") else 1))
    )
    written = layout.replace("{}", one, 1).replace("{}", two, 1) if "[" not in layout else layout.format(one, two)
    found = list(read_rag_answers(io.BytesIO(written.encode())))
    assert [getattr(each, "topic", each) for each in found] == ["1", "2"]


def test_the_first_response_of_each_turn_of_ikat_2024_is_an_answer() -> None:
    passages = [{"id": "D:1", "score": 0.9, "used": False}, {"id": "D:2", "score": 0.5, "used": True}]
    responses = [{"rank": 2, "text": "Second."}, {"rank": 1, "text": "First.", "passage_provenance": passages}]
    run = {"run_name": "ash", "run_type": "manual", "turns": [{"turn_id": "9-1_3", "responses": responses}]}
    answer, note = read(run)
    assert note.message == "Members of which nothing is made: responses after the first (1)."
    assert (answer.topic, answer.text, answer.references) == ("9-1_3", "First.", ("D:1", "D:2"))
    assert answer.sentences[0].citations == ("D:2",)
    (note,) = [each for each in AnswerCheck().issues(io.BytesIO(written([run]))) if each.code == "unused"]
    assert "responses after the first (1)" in note.message


def test_an_answer_of_another_run_is_no_second_answer_to_its_topic() -> None:
    lines = [{"run_id": run, "topic_id": "1", "answer": [{"text": "So."}]} for run in ("ash", "elm")]
    assert [each.code for each in AnswerCheck().issues(io.BytesIO(written(lines)))] == ["run-id"]


@pytest.mark.parametrize("lowest", [0, 1])
def test_places_that_are_counted_from_one_are_warned_of(lowest: int) -> None:
    lines = [
        {"run_id": "ash", "topic_id": topic, "answer": [{"text": "So.", "citations": [lowest, 2]}],
         "references": ["a", "b", "c"]} for topic in "12"
    ]  # fmt: skip
    told = [each.message for each in AnswerCheck().issues(io.BytesIO(written(lines))) if each.code == "citation"]
    assert [each.partition(",")[0] for each in told] == lowest * [
        "None of the 2 answers that cite by place cites its first reference"
    ]


def test_a_second_answer_to_a_topic_is_left_out_and_said() -> None:
    lines = [{"run_id": "ash", "topic_id": "1", "responses": [{"text": text}]} for text in ("So.", "Else.", "More.")]
    first, *others = read(*lines)
    assert [sentence.text for sentence in first.sentences] == ["So."]
    assert [(each.where, each.code, each.severity) for each in others] == [
        (2, "duplicate", "warning"),
        (3, "duplicate", "warning"),
    ]


def test_a_topic_that_stands_in_a_broken_line_is_not_said_to_be_missing() -> None:
    lines = [
        {"run_id": run, "topic_id": topic, "answer": [{"text": "So."}]}
        for run, topic in (("ash", "1"), ("elm", "2"), ("ash", "2"))
    ]
    for raw, code in (
        (written(lines[:2]), "run-id"),
        (written(lines), "run-id"),
        (written(lines).replace(b"\n", b"\r"), "line-break"),
    ):
        assert [each.code for each in AnswerCheck(topics=("1", "2")).issues(io.BytesIO(raw))] == [code]


def said(rules: str = "any", **members: Any) -> list[tuple[str, str]]:
    written = {"run_id": "ash", "topic_id": "1", "responses": [{"text": "So."}]} | members
    check = AnswerCheck(rules=RULES[rules], topics=("1",))
    return [(each.severity, each.code) for each in check.issues(io.BytesIO(json.dumps(written).encode()))]


def test_what_a_guideline_forbids_and_a_checker_lets_through_is_a_warning() -> None:
    elsewhere = {"references": ["D1", "D1"], "responses": [{"text": "So.", "citations": ["D2", "D1"]}]}
    assert said(**elsewhere) == [("warning", "reference-twice"), ("warning", "citation-elsewhere")]
    assert ("error", "citation-elsewhere") in said("rag-2025", **elsewhere)
    assert said(responses=[]) == [("warning", "empty-answer")]
    assert said(responses=[{"text": " "}, {"text": "So.", "score": 1}], prompt="x") == [
        ("warning", "empty-sentence"),
        ("note", "unused"),
    ]


def test_members_that_are_not_used_are_named_once() -> None:
    lines = [
        {"run_id": "ash", "topic_id": topic, "path": "x", "answer": [{"text": "So.", "why": 1}] * 2} for topic in "12"
    ]
    (note,) = AnswerCheck().issues(io.BytesIO(written(lines)))
    assert "path (2), answer.why (4)" in note.message


RAG25 = {"metadata": {"team_id": "n", "run_id": "ash", "narrative_id": "1"}, "references": ["D1", "D2"]}
ABOUT = {"team_id": "n", "run_id": "ash", "narrative_id": "1", "narrative": "Why?", "run_desc": "x"}
RAG26 = {"metadata": ABOUT, "references": ["D1", "D2", "D3", "D4"]}
SEGMENT = "msmarco_v2.1_doc_01_1#0_2"
RAG24 = {"run_id": "ash", "topic_id": "1", "topic": "Why?", "references": [SEGMENT], "response_length": 1}
MIXED = [{"text": "So.", "citations": [0]}, {"text": "Yes.", "citations": ["D2"]}]


@pytest.mark.parametrize(
    ("rules", "written", "errors"),
    [
        ("rag-2024", {**RAG24, "answer": [{"text": "So.", "citations": [0]}]}, []),
        ("rag-2024", {**RAG24, "answer": [{"text": "So.", "citations": [SEGMENT]}]}, ["rules"]),
        (
            "rag-2024",
            {**RAG24, "references": [SEGMENT] * 2, "answer": MIXED[:1]},
            ["reference-twice"],
        ),
        ("rag-2024", {**RAG25, "answer": MIXED[:1]}, ["rules"] * 4),
        ("rag-2025", {**RAG25, "answer": MIXED[:1]}, []),
        ("rag-2025", {**RAG25, "references": ["D1", "D1"], "answer": MIXED[:1]}, []),
        ("rag-2025", {**RAG25, "answer": MIXED}, ["rules"]),
        ("rag-2025", {**RAG25, "answer": [{"text": "So.", "citations": ["D9"]}]}, ["citation-elsewhere"]),
        ("rag-2026", {**RAG26, "answer": [{"text": "So.", "citations": [3, 0, 1]}]}, []),
        ("rag-2026", {**RAG26, "answer": [{"text": "So.", "citations": [3, 0, 1, 2]}]}, ["rules"]),
        ("rag-2026", {**RAG25, "answer": MIXED[:1]}, ["rules", "rules"]),
        ("rag-2026", {**RAG26, "answer": [{"text": "w " * 1025, "citations": []}]}, ["answer-length"]),
    ],
)
def test_rules_of_trec_rag(rules: str, written: dict[str, Any], errors: list[str]) -> None:
    """As specs of the tracks have them; no verdicts of their checkers on real runs are at hand."""
    check = AnswerCheck(
        rules=RULES[rules], topics=("1",), words=RULES[rules].words, references=RULES[rules].most_references
    )
    found = check.issues(io.BytesIO(json.dumps(written).encode()))
    assert [each.code for each in found if each.severity == "error"] == errors
