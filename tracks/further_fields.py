"""Further fields of topics: members of their files that the track does not know are stored, shown and exported again.

A topic stores them in its fields under `assess.protocol.FURTHER`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from assess.protocol import FURTHER, ContextPart, TopicRecord, Wording
from scoring.formats.topic_conversations import BEFORE, MEANINGS, OWN_ANSWERS
from scoring.formats.topic_texts import label_of

SHORT = 80
"""The most characters of a text that is shown among others; a longer one gets its own heading."""

DETAILS = "Further details"


def kept_further(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return a dictionary that adds the pairs to a topic's fields. It is empty if there are no pairs."""
    kept = [[name, value] for name, value in pairs]
    return {FURTHER: kept} if kept else {}


def further_of(topic: TopicRecord) -> tuple[tuple[str, Any], ...]:
    """Return (name, value) for those fields of a topic that its track does not know."""
    return tuple((name, value) for name, value in topic.fields.get(FURTHER, ()))


def further_parts(topic: TopicRecord) -> Iterator[ContextPart]:
    """Yield what assessors see of the further fields: long texts with their headings, and short ones together at the
    end.

    For a turn of a conversation, the fields with the system's answers to it are left out.
    """
    details: list[tuple[str, str]] = []
    pairs = further_of(topic)
    is_turn = any(name == BEFORE or name.startswith(f"{BEFORE}_") for name, _ in pairs)
    for name, value in sorted(pairs, key=lambda pair: pair[0] not in MEANINGS):
        lines = [] if is_turn and name in OWN_ANSWERS else _lines(value)
        if name == BEFORE or name in MEANINGS or len(lines) > 1 or any(len(text) > SHORT for _, text in lines):
            yield ContextPart(heading=label_of(name), lines=tuple(lines))
        else:
            details += [(f"{label_of(name)} {label}".strip(), text) for label, text in lines]
    if details:
        yield ContextPart(heading=DETAILS, lines=tuple(details))


def further_wordings(topic: TopicRecord) -> Iterator[Wording]:
    """Yield the further fields that can be amended, which are those that are texts."""
    for place, (name, value) in enumerate(further_of(topic)):
        if isinstance(value, str) and value.strip():
            places = ((topic.number, (FURTHER, place, 1)),)
            yield Wording(key=f"{FURTHER}-{name}", label=label_of(name), text=value, places=places)


def _lines(value: Any) -> list[tuple[str, str]]:
    """Return a value as lines of (label, text). Return [] if the value is empty.

    A list gives one line for each entry. In a list of pairs of texts, the first text of a pair is the label of the
    second. An object gives one line for each member.
    """
    if isinstance(value, list):
        if value and all(_is_pair(each) for each in value):
            return [(label, text) for label, text in value]
        return [line for each in value for line in _entry(each)]
    if isinstance(value, dict):
        return [(_joined(label_of(name), label), text) for name, each in value.items() for label, text in _lines(each)]
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return [("", text)] if text.strip() else []


def _entry(value: Any) -> list[tuple[str, str]]:
    """Return the lines of one entry of a list."""
    if not isinstance(value, dict) or not isinstance(value.get("text"), str) or not value["text"].strip():
        return _lines(value)
    others = [text for name, each in value.items() if name != "text" for _, text in _lines(each)]
    return [(", ".join(others), value["text"])]


def _joined(label: str, inner: str) -> str:
    return f"{label}: {inner}" if inner else label


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(each, str) for each in value)
