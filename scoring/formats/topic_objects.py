"""Reads topics from JSON values: objects one a line, a list of them, one object that holds them all, or conversations.

    {"id": "301", "title": "crime"}                          one a line, or one after another
    [{"id": "301", "title": "crime"}, …]                     a list
    {"topics": [{"id": "301", "title": "crime"}, …]}         an object with a list
    {"301": "crime"}  {"301": {"title": "crime"}}            an object of numbers

Codes: json (not an object, or not JSON).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO

from scoring.formats.topic_conversations import MOST_TURNS, members_not_kept, topics_of_turns, turns_of
from scoring.formats.topic_texts import KNOWN, MOST_MEMBERS, NUMBER, TopicText, has_member, make_topic, not_kept_issue
from scoring.reading.json_values import json_values
from scoring.reading.opening import EXCERPT, excerpt_of
from scoring.records import Issue

LISTS = ("topics", "queries", "requests", "questions", "narratives", "data", "events", "topic", "query")
"""The names of the list of topics in an object that holds them all."""

_ENCODER = json.JSONEncoder(ensure_ascii=False)
_NUMBERS = frozenset(NUMBER)
_FILE_CODES = frozenset({"damaged-file", "empty-file", "file-too-large", "line-too-long", "nul-byte", "line-break"})


def object_topics(file: BinaryIO, *, conversations: bool = True) -> Iterator[TopicText | Issue]:
    """Yield the topics of a JSON file in file order, and an issue for each value that is not a topic.

    If ``conversations`` is False, a conversation in one of iKAT's forms is an issue, since the track has another kind
    of file for them.
    """
    dropped: set[str] = set()
    for found in json_values(file):
        if isinstance(found, Issue):
            yield found if found.code in _FILE_CODES or found.code == "not-utf8" else replace(found, code="json")
            continue
        line, value = found
        turns = turns_of(value) if isinstance(value, dict) else None
        if turns is None and isinstance(value, dict) and _has_number(value):
            yield _topic(line, value)
            continue
        for each in [value] if turns is not None else _each(value, dropped):
            yield from _topics(line, each, dropped, conversations=conversations)
    if dropped:
        yield not_kept_issue(sorted(dropped))


def _each(value: Any, dropped: set[str]) -> list[Any]:
    """Return the topics in a value, or a list of the value itself if it contains none. A topic that is known only by
    its name in an object gets that name as its number.
    """
    if not isinstance(value, dict) or not value:
        return [value]
    lists = [name for name in LISTS if _is_list_of_objects(value.get(name))]
    if lists:
        dropped.update(name for name in value if name != lists[0])
        return list(value[lists[0]])
    if has_member(value, KNOWN):
        return [value]
    if all(isinstance(each, str) for each in value.values()):
        return [{"id": number, "title": text} for number, text in value.items()]
    if all(isinstance(each, dict) for each in value.values()):
        return [each if _has_number(each) else {"id": number} | each for number, each in value.items()]
    return [value]


def _topics(line: int, value: Any, dropped: set[str], *, conversations: bool) -> Iterator[TopicText | Issue]:
    if not isinstance(value, dict):
        message = 'The line is no JSON object; write {"id": …, "title": …}.'
        yield Issue(where=line, code="json", message=message, excerpt=_start_of(value))
        return
    turns = turns_of(value)
    if turns is None or len(value) > MOST_MEMBERS:
        yield _topic(line, value)
    elif len(turns) > MOST_TURNS:
        message = f"The conversation has {len(turns):,} turns; it may have {MOST_TURNS}. Check that it is one."
        yield Issue(where=line, code="too-long", message=message, excerpt=_start_of(value))
    elif conversations or turns is value.get("turn"):
        dropped.update(members_not_kept(turns))
        yield from (make_topic(line, members) for members in topics_of_turns(value, turns))
    else:
        message = "This is a conversation with turns. Load it as a file of dialogues."
        yield Issue(where=line, code="conversation", message=message, excerpt=_start_of(value))


def _topic(line: int, value: Mapping[str, Any]) -> TopicText | Issue:
    topic = make_topic(line, list(value.items()))
    return replace(topic, excerpt=_start_of(value)) if isinstance(topic, Issue) else topic


def _start_of(value: Any) -> str:
    """Return the start of a value as JSON. Only as much of it as is needed is serialised."""
    written = ""
    for piece in _ENCODER.iterencode(value):
        written += piece
        if len(written) > EXCERPT:
            break
    return excerpt_of(written)


def _has_number(value: Mapping[str, Any]) -> bool:
    return has_member(value, _NUMBERS)


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, Sequence) and bool(value) and all(isinstance(each, dict) for each in value)
