"""What the files of a track are read into: topics, items, and what a run returned."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, BinaryIO

from scoring.quick_records import quick_record
from scoring.reading.json_reading import Flaw, parse_json
from scoring.reading.opening import records_of
from scoring.records import Issue

FURTHER = "further"
"""The field of a topic with members of its file for which the track has no field, as [name, JSON value] pairs. They are
pairs in the order of the file, since a database need not keep the order of an object's keys.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicRecord:
    """A topic of a topic file: a question, a turn, a claim, or a series that groups others.

    ``number`` is text and unique in its campaign ("3.4", "9-1_3"). ``task`` is the key of its task, or "" for a record
    that only groups others (a target). ``parent`` is a number.
    """

    number: str
    task: str
    text: str
    parent: str | None = None
    ordinal: int = 0
    fields: Mapping[str, Any] = field(default_factory=dict)
    line: int | None = None


@quick_record(frozen=True, kw_only=True, slots=True)
class ItemRecord:
    """An item to judge that is not a segment: a whole response, a statement of the topic, a figure's label.

    ``fields`` is JSON for display: ``{"parts": [{"text": …, "docno": …}, …]}`` is a whole response, string by string,
    each with the document that can be opened beside it. A string with several documents has ``"docnos": […]`` instead.
    """

    topic: str
    kind: str
    key: str
    text: str = ""
    docno: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)


@quick_record(frozen=True, kw_only=True, slots=True)
class CitationRecord:
    """A document that a segment cites, and the item under which the citation is judged.

    ``item_text`` is what the assessor reads beside the document: the citing sentence, or "" if the document itself is
    judged.
    """

    docno: str
    item_kind: str
    item_key: str
    ordinal: int = 1
    item_text: str = ""
    item_fields: Mapping[str, Any] = field(default_factory=dict)


@quick_record(frozen=True, kw_only=True, slots=True)
class SegmentRecord:
    """One string or sentence of a run's response to a topic, in the order submitted (from 1).

    ``item_kind`` and ``item_key`` identify its item: segments with the same topic, kind and key are judged once,
    whichever runs returned them. ``no_docno`` is what the run wrote instead of a docno if it gave none; it is for
    exports only.
    """

    topic: str
    ordinal: int
    text: str
    docno: str
    item_kind: str
    item_key: str
    line: int | None = None
    no_docno: str = ""
    citations: tuple[CitationRecord, ...] = ()
    item_fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunForm:
    """What the submitter says about a run, apart from the file. ``fields`` holds the answers to the track's own
    questions.
    """

    tag: str = ""
    team: str = ""
    priority: int | None = None
    automatic: bool = True
    description: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)


def without_time_limit() -> None:
    """Do nothing, so that a check may take any time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckContext:
    """Everything that a checker may know: the topics, the valid docnos, the form, the track's settings.

    ``unknown_docnos(docnos)`` returns the invalid ones of a batch; it is None without a list of valid docnos, and then
    docnos are not checked. ``form`` is None on the command line without a form. ``document_text(docno)`` returns a
    document's text, or None if it is missing; it is None itself if there are no documents, and then quotes are not
    checked. ``any_tag`` means that the run was published, so its tag need not have the form of today's tags.
    ``dropped`` are the numbers of topics that no longer count: a run may answer them but need not. A checker calls
    ``pace`` before each long part; if somebody is waiting for the answer, that may end the check by raising.
    """

    topics: tuple[TopicRecord, ...]
    settings: Any
    unknown_docnos: Callable[[Iterable[str]], set[str]] | None = None
    form: RunForm | None = None
    document_text: Callable[[str], str | None] | None = None
    any_tag: bool = False
    dropped: frozenset[str] = frozenset()
    pace: Callable[[], None] = without_time_limit


# Topics as lines of JSON, whatever their track: topics.jsonl of a release.

MEMBERS = tuple(field.name for field in fields(TopicRecord) if field.name != "line")
_KINDS: dict[str, tuple[type, ...]] = {
    "number": (str,),
    "task": (str,),
    "text": (str,),
    "parent": (str, type(None)),
    "ordinal": (int,),
    "fields": (dict,),
}


def write_topic_lines(records: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield one JSON object a line with everything that the site knows about a topic, in the order given."""
    for record in records:
        values: dict[str, Any] = {name: getattr(record, name) for name in MEMBERS}
        yield json.dumps({**values, "fields": dict(record.fields)}, ensure_ascii=False, sort_keys=True)


def in_order(records: Sequence[TopicRecord]) -> tuple[TopicRecord, ...]:
    """Return topics in the order of campaigns: by ordinal, ties in the given order, each followed by the topics below
    it. A topic whose parent is not among them is left out.
    """
    below: dict[str | None, list[TopicRecord]] = {}
    for record in sorted(records, key=lambda each: each.ordinal):
        below.setdefault(record.parent, []).append(record)
    ordered: list[TopicRecord] = []
    waiting = below.get(None, [])[::-1]
    while waiting:
        ordered.append(waiting.pop())
        waiting.extend(below.get(ordered[-1].number, [])[::-1])
    return tuple(ordered)


def read_topic_lines(file: BinaryIO) -> Iterator[TopicRecord | Issue]:
    """Yield the topics in file order, and an issue for each malformed line."""
    return records_of(file, _parse)


def _parse(number: int, line: str) -> TopicRecord | Issue:
    value = parse_json(line)
    if isinstance(value, Flaw) or not isinstance(value, dict) or value.keys() != set(MEMBERS):
        return Issue(where=number, code="fields", message=f"The line is no object with {', '.join(MEMBERS)}.")
    for name, kinds in _KINDS.items():
        if not isinstance(value[name], kinds) or isinstance(value[name], bool):
            return Issue(where=number, code="field-type", message=f"“{name}” is of another type than it must be.")
    return TopicRecord(**value, line=number)
