"""Reads and writes nugget banks: nuggets as questions with answers, or as claims, that people and machines write for a
topic.

    {"query_id": T, "format_version": "v3", "nugget_bank": {KEY: {"question": S, "answers": {KEY: {"answer": S,
     "references": […]}}, "importance": I, …}}, "claim_bank": {KEY: {"claim": S, …}}}         NuggetBank, version 3

Other forms are read, too: ``nugget_bank`` as a list, with the topic in ``metadata`` (RAGTIME); ``nugget_list``, pairs
of a question and an object of answers and their documents, or ``nugget_dict`` (rag-annotation-tool); ``items`` of
question_text and gold_answers; ``rubrics`` of question_text and short_answers (DRAGUN), or of criterion and weight
(ResearchRubrics); and an object of questions, each with "OR" or "AND" and its answers (ARGUE), whose topic is in the
file's name.

A question or a claim is one nugget, numbered from 1 in file order, questions first. Its other members are stored in its
fields, the answers as a list of objects; a nugget without ``answers`` in its fields is a claim. `importance_of` decides
which nuggets are vital. Codes: json, record, duplicate (a second bank for a topic); and as notes and warnings avoid
(nuggets that answers should not contain: they only lower R) and unused (members that are not used).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from typing import Any, BinaryIO

from scoring.file_kinds import JSON, reads
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.reading.json_reading import kind_of
from scoring.reading.json_values import json_values
from scoring.reading.opening import excerpt_of
from scoring.records import Importance, Issue, OwnedNugget, Severity

VITAL = ("must_have", "vital")
OKAY = ("okay", "failed", "should_have", "avoid")
KNOW = re.compile(r"([abc]): (?:have|good|nice) to know", re.IGNORECASE)
TOPICS = ("query_id", "topic_id", "qid", "request_id", "narrative_id")
BANKS = ("nugget_bank", "claim_bank", "nugget_list", "nugget_dict", "items", "rubrics")
SAID = ("question", "claim", "question_text", "criterion")
ANSWERS = ("answers", "gold_answers", "short_answers")
ANSWER_TEXTS = ("answer", "answer_text", "text", "short_answer")
USED = frozenset({*TOPICS, *BANKS, "metadata", "format_version", "group_assignment"})


def importance_of(value: object) -> Importance:
    """Return "vital" or "okay" for the weight that a file gives a nugget. An unknown weight means okay.

    >>> [importance_of(each) for each in ("must_have", 2, "A: Have to Know", 0.5, "avoid", -4)]
    ['vital', 'vital', 'vital', 'okay', 'okay', 'okay']
    """
    if isinstance(value, str):
        found = KNOW.fullmatch(value)
        return "vital" if value.casefold() in VITAL or (found and found[1].casefold() == "a") else "okay"
    return "vital" if isinstance(value, int | float) and value >= 1 else "okay"


def is_avoided(value: object) -> bool:
    """Return whether answers should not contain a nugget of this weight."""
    return value == "avoid" or (isinstance(value, int | float) and value < 0)


LETTERS = {"a": 4, "b": 2, "c": 1}
"""The weights of DRAGUN's levels."""


def own_weight(fields: Mapping[str, Any]) -> Fraction | None:
    """Return the weight that the file gives a nugget: a number, or one of DRAGUN's levels; “avoid” is -1.

    Return None for anything else, such as “vital” or a number that is not finite.

    >>> [own_weight({"importance": each}) for each in ("A: Have to Know", -4.0, "avoid", "vital")]
    [Fraction(4, 1), Fraction(-4, 1), Fraction(-1, 1), None]
    """
    value = fields.get("importance", fields.get("weight"))
    if isinstance(value, str):
        found = KNOW.fullmatch(value)
        return Fraction(-1) if value == "avoid" else Fraction(LETTERS[found[1].casefold()]) if found else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return Fraction(value)


def is_nugget_bank(values: object) -> bool:
    """Return whether a JSON value is a nugget bank.

    >>> is_nugget_bank({"query_id": "1", "claim_bank": {}}), is_nugget_bank({"qid": "1", "nuggets": []})
    (True, False)
    """
    return isinstance(values, dict) and (any(name in values for name in BANKS) or _is_argue(values))


def _is_argue(values: dict[str, Any]) -> bool:
    return bool(values) and all(
        isinstance(each, list) and len(each) == 2 and isinstance(each[0], str) and isinstance(each[1], dict)
        for each in values.values()
    )


@reads("nuggets", forms=JSON)
def read_bank(file: BinaryIO) -> Iterator[OwnedNugget | Issue]:
    """Return the nuggets of all banks in file order, and an issue for each value that is not a bank."""
    return (each if isinstance(each, Issue) else each[1] for each in read_numbered_bank(file))


@reads("nuggets", forms=JSON)
def read_numbered_bank(file: BinaryIO) -> Iterator[tuple[int, OwnedNugget] | Issue]:
    """Yield the nuggets of all banks with the numbers of their lines, and issues. A bank in which anything is wrong
    gives only issues; what was not used is reported at the end.
    """
    told = ReportedOnce()
    for each in json_values(file):
        if isinstance(each, Issue):
            yield each
        else:
            yield from nuggets_of_bank(*each, told)
    yield from told.issues()


@dataclass(slots=True)
class ReportedOnce:
    """Collects what is reported once for a file: the names of members that are not used, and the number of nuggets to
    avoid.

    ``name`` is the file's name. If a bank names no topic, the topic is taken from the file's name, preferably one of
    ``known``.
    """

    name: str = ""
    known: Collection[str] = ()
    unused: dict[str, None] = field(default_factory=dict)
    avoided: int = 0
    topics: set[str] = field(default_factory=set)

    def issues(self) -> Iterator[Issue]:
        """Yield the notes and warnings for the file."""
        if self.unused:
            names = ", ".join(list(self.unused)[:20])
            yield _issue("", "unused", f"Of these members of topics nothing is made: {names}.", "note")
        if self.avoided:
            message = (
                f"{self.avoided} nuggets name what an answer should not hold (“avoid”, or a weight below 0). They "
            )
            yield _issue(
                "",
                "avoid",
                f"{message}lower the measure R of an answer that holds them; the others leave them out.",
                "warning",
            )

    def topic_of_name(self) -> str:
        """Return the topic in a name such as nuggets_1007_anna.json: a known topic, or else the text before the next
        underscore.
        """
        found = re.match(r"(?:.*?[_.-])?nuggets?[_-](.+?)(?:\.(?:revised|preload))?\.json", self.name)
        said = found[1] if found else ""
        fitting = [topic for topic in self.known if said == topic or said.startswith(f"{topic}_")]
        return max(fitting, key=len, default=said.split("_")[0])


def unwrapped(value: Any) -> Iterator[Any]:
    """Yield the records in an envelope of castorini's tools, or the value itself if it is no such envelope.

    An envelope is {"schema_version", "artifacts": [{"data"}]}.
    """
    artifacts = value.get("artifacts") if isinstance(value, dict) and "schema_version" in value else None
    if not isinstance(artifacts, list):
        yield value
        return
    for each in artifacts:
        inside = each.get("data", each.get("value")) if isinstance(each, dict) else each
        yield from inside if isinstance(inside, list) else [inside]


def nuggets_of_bank(line: int, values: Any, told: ReportedOnce) -> Iterator[tuple[int, OwnedNugget] | Issue]:
    """Yield the nuggets of one bank. If anything is wrong with it, yield only issues."""
    if not is_nugget_bank(values):
        yield _issue(line, "record", 'A nugget bank has "query_id" and "nugget_bank" or "claim_bank".')
        return
    about = values.get("metadata") if isinstance(values.get("metadata"), dict) else {}
    named = [place[name] for place in (values, about) for name in TOPICS if place.get(name) is not None]
    topic = str(named[0]) if named and isinstance(named[0], str | int) else told.topic_of_name()
    if not topic or topic.split() != [topic]:
        message = f"The bank names no topic in one word. Add it, as {' or '.join(TOPICS[:3])}."
        yield _issue(line, "record", message)
        return
    if topic in told.topics:
        yield _issue(line, "duplicate", f"Topic {excerpt_of(topic, length=40)} has a list already.")
        return
    told.topics.add(topic)
    if wrong := [name for name in BANKS if name in values and not isinstance(values[name], list | dict)]:
        yield _issue(line, "record", f'"{wrong[0]}" must be a list or an object, not {kind_of(values[wrong[0]])}.')
        return
    groups = values.get("group_assignment")
    found: list[OwnedNugget] = []
    for place, entry in _entries(values):
        nugget = _nugget(topic, len(found) + 1, entry, groups if isinstance(groups, dict) else {}, told)
        if nugget is None:
            said = " or ".join(f'"{each}"' for each in SAID)
            yield _issue(line, "record", f"{excerpt_of(place, length=60)} has no {said}, or no text in it.")
            return
        found.append(nugget)
    if not _is_argue(values):
        told.unused.update(dict.fromkeys(name[:40] for name in values if name not in USED))
        told.unused.update(dict.fromkeys(f"metadata.{name[:40]}" for name in about if name not in TOPICS))
    yield from ((line, nugget) for nugget in found)


def _entries(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield (place, entry) for the questions and claims of a bank. The entries have the form of version 3."""
    if not any(name in values for name in BANKS):
        for question, (aggregator, answers) in values.items():
            yield question, {"question": question, "aggregator_type": aggregator, "answers": answers}
    for name in BANKS:
        entries = values.get(name)
        if isinstance(entries, dict) and name == "nugget_dict":
            entries = [list(pair) for pair in entries.items()]
        if isinstance(entries, dict):
            yield from ((f"{name}.{key}", entry) for key, entry in entries.items())
        for place, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, list) and len(entry) == 2:
                entry = {"question": entry[0], "answers": entry[1]}
            yield f"{name}[{place}]", entry


def _nugget(topic: str, number: int, entry: Any, groups: Mapping[str, Any], told: ReportedOnce) -> OwnedNugget | None:
    if not isinstance(entry, dict):
        return None
    name = next((each for each in SAID if each in entry), "")
    text = entry.get(name)
    if not isinstance(text, str) or not text.strip():
        return None
    weight = entry.get("importance", entry.get("weight"))
    told.avoided += is_avoided(weight)
    given = next((each for each in ANSWERS if each in entry), "")
    group = entry.get("group", groups.get(text))
    taken = {each for each in (name, given) if each} | ({"importance"} if weight in ("vital", "okay") else set())
    taken |= {"group"} if isinstance(group, str) else set()
    taken |= {"query_id"} if str(entry.get("query_id")) == topic else set()
    kept = {key: value for key, value in entry.items() if key not in taken and value is not None}
    if given or name.startswith("question"):
        kept["answers"] = _answers(entry.get(given))
    return OwnedNugget(
        by="",
        role="primary",
        topic=topic,
        number=number,
        importance=importance_of(weight),
        text=text,
        group=group if isinstance(group, str) else "",
        fields=kept,
    )


def _answers(written: Any) -> list[dict[str, Any]]:
    """Return the answers as objects with their text in the member ``answer``. Other members are copied."""
    if isinstance(written, dict):
        pairs = written.items()
        written = [
            {"answer": key} | each if isinstance(each, dict) else {"answer": key, "references": each}
            for key, each in pairs
        ]
    elif isinstance(written, str | int | float) and str(written).strip():
        written = [written]
    found = []
    for each in written if isinstance(written, list) else ():
        if isinstance(each, dict):
            name = next((name for name in ANSWER_TEXTS if isinstance(each.get(name), str)), "answer")
            others = {key: value for key, value in each.items() if key != name and value not in (None, [])}
            found.append({"answer": each.get(name, "")} | others)
        else:
            found.append({"answer": str(each)})
    return found


def write_bank(records: Iterable[OwnedNugget]) -> Iterator[str]:
    """Yield banks of version 3, one topic a line. A nugget with a list of answers, even an empty one, is a question;
    any other is a claim.
    """
    for topic, nuggets in _topics(records):
        banks: dict[str, list[tuple[str, Any]]] = {"nugget_bank": [], "claim_bank": []}
        for each in nuggets:
            entry = _written(each)
            if "answers" in entry:
                entry["answers"] = _keyed((one["answer"], one) for one in entry["answers"])
                banks["nugget_bank"].append((each.text, {"question": each.text, "query_id": topic} | entry))
            else:
                banks["claim_bank"].append((each.text, {"claim": each.text, "query_id": topic} | entry))
        filled = {name: _keyed(bank) for name, bank in banks.items() if bank}
        yield json.dumps({"query_id": topic, "format_version": "v3"} | filled, ensure_ascii=False)


def _keyed(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object with these members. If a key is repeated, its place is appended to it, so that no member is
    lost.
    """
    found: dict[str, Any] = {}
    for place, (key, value) in enumerate(pairs, 1):
        found[key if key not in found else f"{key} ({place})"] = value
    return found


def write_question_lists(records: Iterable[OwnedNugget]) -> Iterator[str]:
    """Yield lists of questions with answers in the form that RAGTIME requires, one topic a line."""
    for topic, nuggets in _topics(records):
        bank = [{"question": each.text} | {"answers": []} | _written(each) for each in nuggets]
        yield json.dumps({"metadata": {"topic_id": topic}, "nugget_bank": bank}, ensure_ascii=False)


def _topics(records: Iterable[OwnedNugget]) -> Iterator[tuple[str, list[OwnedNugget]]]:
    topics: dict[str, list[OwnedNugget]] = {}
    for each in sorted(records, key=lambda each: (topic_order(each.topic), each.number)):
        topics.setdefault(each.topic, []).append(each)
    yield from topics.items()


def _written(nugget: OwnedNugget) -> dict[str, Any]:
    """Return a nugget's members without its text. Its importance is returned as its file gave it, if the file used
    another scale.
    """
    group = {"group": nugget.group} if nugget.group else {}
    return {"importance": nugget.importance} | group | dict(nugget.fields)


def _issue(where: int | str, code: str, message: str, severity: Severity = "error") -> Issue:
    return Issue(where=where, code=code, message=message, severity=severity)


FORMATS = (
    Format(
        name="nugget-bank",
        label="Nugget banks, version 3",
        source="autojudge_base, nugget_data.py",
        layout='{"query_id", "nugget_bank": {KEY: {"question", "answers"}}, "claim_bank": {KEY: {"claim"}}}',
        record=OwnedNugget,
        read=read_bank,
        write=write_bank,
    ),
    Format(
        name="question-lists",
        label="Lists of questions with answers",
        source="RAGTIME 2026, task 3; rag-annotation-tool; DRAGUN 2025; ResearchRubrics",
        layout='{"metadata": {"topic_id"}, "nugget_bank": [{"question", "answers": [{"answer", "references"}]}]}',
        record=OwnedNugget,
        read=read_bank,
        write=write_question_lists,
    ),
)
