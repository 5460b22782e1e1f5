"""Members, tags, attributes and columns of any name are kept through reading and writing a topic, or named once."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from scoring.formats.answer_clusters import read_answer_clusters
from scoring.formats.ikat_topics import Dialogue, read_dialogues, write_dialogues
from scoring.formats.known_formats import FORMATS
from scoring.formats.trec_topics import TopicText, read_trec_topics, write_trec_topics
from scoring.reading.opening import until_too_many
from scoring.records import Issue
from tests.scoring.files_of_forms import FORMS

VALUES: list[Any] = [
    "keptone",
    70701,
    True,
    ["keptone", "kepttwo"],
    {"keptname": {"deep": ["keptone", 70702, None]}},
    [{"text": "keptone", "a": 1}, {"text": "kepttwo"}],
]
NAMES = (
    "title_2", "id_2", "Ünbekannt", "a.b", "__class__", "x y", "further", "line", "source", "$ref", "", "topics",
    "turn", "conversation", "participant", "conversation_title", "written", "data",
)  # fmt: skip
TAGS = (
    "title_2", "id_2", "a.b", "__class__", "_id2", "Ünbekannt", "further", "line", "source", "x-y", "con", "turn",
    "TOP2", "dc:creator",
)  # fmt: skip

Found = tuple[str, list[Issue]]  # the file written again, and what was said on the way


def adhoc(content: str) -> Found:
    found = list(read_trec_topics(io.BytesIO(content.encode())))
    topics = [each for each in found if isinstance(each, TopicText)]
    lines = "".join(f"{line}\n" for line in write_trec_topics(topics))
    again = [each for each in read_trec_topics(io.BytesIO(lines.encode())) if isinstance(each, TopicText)]
    by_number = sorted((replace(each, line=0) for each in topics), key=lambda each: each.number)
    assert [replace(each, line=0) for each in again] == by_number
    return lines, [each for each in found if isinstance(each, Issue)]


def dialogues(content: str) -> Found:
    found = list(read_dialogues(io.BytesIO(content.encode())))
    kept = [replace(each, written="") for each in found if isinstance(each, Dialogue)]
    lines = "\n".join(write_dialogues(kept))
    assert [each for each in read_dialogues(io.BytesIO(lines.encode())) if isinstance(each, Dialogue)] == kept
    return lines, [each for each in found if isinstance(each, Issue)]


def parts_of(value: Any) -> Iterator[str]:
    """Return every name and every leaf of a value, as JSON has them."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from (json.dumps(name), *parts_of(each))
    elif isinstance(value, list):
        for each in value:
            yield from parts_of(each)
    else:
        yield json.dumps(value)


BEES = {"id": "1", "title": "bees"}
CAST = {"number": 31, "title": "bees"}
CAST_TURN = {"number": 1, "raw_utterance": "What?"}
ANSWERED = {"number": 2, "participant": "System", "response": "So."}
IKAT = {"number": "9-1", "title": "bees", "ptkb": {"1": "I am."}}
IKAT_TURN = {"turn_id": 1, "utterance": "What?"}

JSON_FORMS: dict[str, tuple[Callable[[dict[str, Any]], Any], Callable[[str], Found]]] = {
    "an object": (lambda more: BEES | more, adhoc),
    "a list": (lambda more: [BEES | more, BEES | {"id": "2"} | more], adhoc),
    "in a list that is named": (lambda more: {"queries": [BEES | more]}, adhoc),
    "around a list": (lambda more: {"topics": [BEES], **more}, adhoc),
    "an object of numbers": (lambda more: {"1": {"title": "bees"} | more}, adhoc),
    "a request": (lambda more: {"request_id": "1", "background": "bees"} | more, adhoc),
    "CAsT": (lambda more: [CAST | more | {"turn": [CAST_TURN]}], adhoc),
    "a turn of CAsT": (lambda more: [CAST | {"turn": [CAST_TURN | more]}], adhoc),
    "an answer of CAsT": (lambda more: [CAST | {"turn": [CAST_TURN, more | ANSWERED]}], adhoc),
    "iKAT as topics": (lambda more: [IKAT | {"turns": [IKAT_TURN]} | more], adhoc),
    "a turn of iKAT as a topic": (lambda more: [IKAT | {"turns": [IKAT_TURN | more]}], adhoc),
    "iKAT": (lambda more: [IKAT | {"turns": [IKAT_TURN]} | more], dialogues),
    "a turn of iKAT": (lambda more: [IKAT | {"turns": [IKAT_TURN | more]}], dialogues),
    "a passage of iKAT": (lambda m: [IKAT | {"turns": [IKAT_TURN | {"citations": [{"id": "x"} | m]}]}], dialogues),
}


@pytest.mark.parametrize("form", JSON_FORMS)
def test_a_member_of_any_name_and_value_is_kept_or_named(form: str) -> None:
    made, through = JSON_FORMS[form]
    own = {name for name in made({}) if isinstance(made({}), dict)} | {"turn" if form == "CAsT" else "turns"}
    own |= set(ANSWERED) if form == "an answer of CAsT" else set()
    for name in NAMES:
        for value in VALUES if name not in own else ():
            written, issues = through(json.dumps(made({name: value}), ensure_ascii=False))
            assert [each for each in issues if each.severity == "error"] == [], (name, value)
            if any(part not in written for part in parts_of(value)):
                assert "warning" in [each.severity for each in issues if f"“{name}”" in each.message], (name, value)


TAGGED_FORMS: dict[str, str] = {
    "an element": "<topics><topic number='1'><title>bees</title><{}>keptone</{}></topic></topics>",
    "an attribute": "<topics><topic number='1' {}='keptone'><title>bees</title></topic></topics>",
    "an attribute of a title": "<topics><topic number='1'><title {}='keptone'>bees</title></topic></topics>",
    "an attribute alone": "<topics><topic number='1'><title>bees</title><more {}='keptone'/></topic></topics>",
    "inside": "<topics><topic number='1'><title>bees</title><in><{}>keptone</{}><{}>kepttwo</{}></in></topic></topics>",
    "around all": "<topics {}='keptone'><topic number='1'><title>bees</title></topic></topics>",
    "before all": "<queries><{}>keptone</{}><query><num>1</num><title>bees</title></query>"
    "<query><num>2</num><title>bees</title></query></queries>",
    "SGML": "<top>\n<num> Number: 1\n<title> bees\n<{}> keptone\n</top>",
    "SGML, twice": "<top>\n<num> Number: 1\n<title> bees\n<{}> keptone\n<{}> kepttwo\n</top>",
    "columns by tab": "qid\tquery\t{}\n1\tbees\tkeptone\n",
    "columns by comma": "qid,query,{}\n1,bees,keptone\n",
    "columns of one name": "qid\tquery\t{}\t{}\n1\tbees\tkeptone\tkepttwo\n",
}


@pytest.mark.parametrize("form", TAGGED_FORMS)
def test_a_tag_an_attribute_and_a_column_of_any_name_is_kept_or_named(form: str) -> None:
    for name in TAGS:
        content = TAGGED_FORMS[form].replace("{}", name)
        written, issues = adhoc(content)
        assert [each for each in issues if each.severity == "error"] == [], name
        if any(word in content and word not in written for word in ("keptone", "kepttwo")):
            assert [each.code for each in issues if f"“{name}”" in each.message] == ["not-kept"], name


@pytest.mark.parametrize(
    ("content", "through"),
    [
        (IKAT | {"turns": [IKAT_TURN | {"user_utterance": "keptone"}]}, dialogues),
        (IKAT | {"turns": [IKAT_TURN], "responses": ["keptone"]}, dialogues),
        (IKAT | {"turns": [IKAT_TURN | {"relevant_ptkbs": ["keptone"], "ptkb_provenance": []}]}, dialogues),
        (CAST | {"id": "keptone", "turn": [CAST_TURN]}, adhoc),
        (CAST | {"turn": [CAST_TURN | {"id": "keptone"}]}, adhoc),
    ],
)
def test_a_member_that_stands_under_two_of_its_names_is_kept_under_both(
    content: dict[str, Any], through: Callable[[str], Found]
) -> None:
    written, issues = through(json.dumps([content]))
    assert "keptone" in written
    assert [each for each in issues if each.severity == "error"] == []
    assert [each.severity for each in issues if each.code in ("unknown-field", "further-fields")] == ["note"]


TEXTS = ("doc",)
"""Members of ranked candidates that hold the text of a document, which no ranking has."""


def objects_of(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[dict[str, Any], tuple[str | int, ...]]]:
    """Return every object in a value, with where it stands."""
    if isinstance(value, dict):
        yield value, path
    for name, each in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(each, dict | list):
            yield from objects_of(each, (*path, name))


def values_of(content: bytes) -> list[Any]:
    """Return the JSON values of a file that is one or has one a line; none of others."""
    for written in ([content], content.splitlines()):
        try:
            return [json.loads(each) for each in written]
        except ValueError:
            continue
    return []


def read(known: Any, content: bytes) -> list[Any]:
    return list(until_too_many(known.read(io.BytesIO(content))))


def test_every_reader_keeps_or_names_a_member_of_any_object() -> None:
    of_json = {form: values for form, content in FORMS.items() if (values := values_of(content))}
    for known, (form, values) in product([each for each in FORMATS if each.read is not None], of_json.items()):
        if any(isinstance(each, Issue) and each.severity == "error" for each in read(known, FORMS[form])):
            continue
        for changed, path in objects_of(values):
            if any(name in TEXTS for name in path):
                continue
            changed["zusatz"] = "keptone"
            found = read(known, "\n".join(map(json.dumps, values)).encode())
            del changed["zusatz"]
            issues = [each for each in found if isinstance(each, Issue)]
            is_refused = any(each.severity == "error" for each in issues)
            assert is_refused or "keptone" in str(found) or "zusatz" in str(issues), (known.name, form, path)


def test_what_stands_beside_a_sentence_of_a_cluster_is_named_once() -> None:
    cluster = [{"answer_sentence_id": f"r-{number}", "text": "Bees."} for number in (1, 2)]
    content = {"116": {"required_answer_sentences_cluster": {"1": cluster}}}
    records, note = read_answer_clusters(io.BytesIO(json.dumps(content).encode()))
    assert isinstance(note, Issue) and not isinstance(records, Issue)
    assert (note.severity, note.message) == ("note", "Members of which nothing is made: text (2).")
