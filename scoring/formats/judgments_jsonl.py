"""Everything that people said in a campaign, one JSON object a line with its keys in order: judgments.jsonl.

The same file is exported, and replayed from top to bottom through the site's own functions. ``by`` is a pseudonym
such as "assessor-1"; ``topic`` a question's number; an item is its ``docno`` and ``answer`` string, and ``key`` where its
own key does not follow from these.

    {"answer": A, "by": P, "criterion": "correctness", "do": "judge", "docno": D, "topic": T, "value": 1}  note? evidence? draft?
    {"by": P, "criterion": "evidence", "do": "none", "topic": T}
    {"answer": A, "by": P, "class": LABEL, "do": "find_answer", "docno": D, "topic": T}  number?
    {"answer": A, "by": P, "class": LABEL, "do": "class", "docno": D, "topic": T}  number?
    {"by": P, "do": "nugget", "importance": "vital", "number": 1, "sources": [{"docno": D, "quote": Q}], "text": S, "topic": T}
        group? fields?
    {"by": P, "do": "freeze", "topic": T}
    {"answer": A, "by": P, "do": "match", "docno": D, "nugget": "5.1", "topic": T}  quote? value? ("partial", "none")
    {"answer": A, "by": P, "do": "review", "docno": D, "topic": T}
    {"by": P, "do": "vote", "importance": "okay", "number": 1, "topic": T}

`evidence` is a list of `{"quote": Q, "start": N, "value": V}`: snippets of the item's document, from code point N where known,
with a grade of their own where they have one. `none` says that of the items to pick by a criterion none fits. `find_answer` is an answer that the assessor found, `class` puts a correct instance into an answer class (`number`
keeps the number that the class had, from 1), `review`
says that all nuggets are marked in an item, be they many or none. Every line may have `role`: "second",
"adjudicator" or "machine"; without it the deed is the author's. `draft` of a judgment: a machine's was on the screen
("open": before it was given, "after": when it was changed after an own one). Unknown verbs, missing, unknown and ill-typed keys are issues, and
whatever `scoring.json_reading` refuses.
"""  # noqa: E501

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from scoring.deeds import DRAFTS as DRAFTS
from scoring.deeds import ORDER as ORDER
from scoring.deeds import ROLES as ROLES
from scoring.deeds import AnswerFound as AnswerFound
from scoring.deeds import Classed as Classed
from scoring.deeds import Deed as Deed
from scoring.deeds import Evidence as Evidence
from scoring.deeds import Judged as Judged
from scoring.deeds import ListFrozen as ListFrozen
from scoring.deeds import Matched as Matched
from scoring.deeds import NonePicked as NonePicked
from scoring.deeds import NuggetWritten as NuggetWritten
from scoring.deeds import Reviewed as Reviewed
from scoring.deeds import Source as Source
from scoring.deeds import Voted as Voted
from scoring.formats.pool_tables import nugget_name, parse_importance, parse_nugget_name, topic_order
from scoring.json_reading import Flaw, parse_json
from scoring.reading import TEXT_LIMIT, excerpt_of, records_of
from scoring.records import Importance, Issue
from scoring.sorting import sorted_externally, without_repeats

LINES_AT_ONCE = 20_000
"""How many lines are sorted in memory: some hold long notes and snippets."""


def read_judgments(file: BinaryIO) -> Iterator[Deed | Issue]:
    """The deeds in file order, and an issue for each line that is none."""
    return records_of(file, _parse_line, limit=TEXT_LIMIT)


def read_numbered_judgments(file: BinaryIO) -> Iterator[tuple[int, Deed] | Issue]:
    """The deeds with the numbers of their lines, and an issue for each line that is none."""
    return records_of(file, _parse_numbered, limit=TEXT_LIMIT)


def _parse_numbered(number: int, line: str) -> tuple[int, Deed] | Issue:
    parsed = _parse_line(number, line)
    return parsed if isinstance(parsed, Issue) else (number, parsed)


def write_judgments(deeds: Iterable[Deed]) -> Iterator[str]:
    """Lines by topic, kind of deed (`ORDER`) and content; equal deeds are written once."""
    lines = ((topic_order(d.topic), ORDER.index(type(d)), _number(d), _as_json(d)) for d in deeds)
    return (line for *_, line in without_repeats(sorted_externally(lines, at_once=LINES_AT_ONCE)))


def _number(deed: Deed) -> int:
    return deed.number if isinstance(deed, NuggetWritten | Voted | Matched) else 0


def _as_json(deed: Deed) -> str:
    return json.dumps(_as_mapping(deed), ensure_ascii=False, sort_keys=True)


def _as_mapping(deed: Deed) -> dict[str, Any]:
    base: dict[str, Any] = {"by": deed.by, "topic": deed.topic}
    if deed.role:
        base["role"] = deed.role
    if isinstance(deed, ListFrozen):
        return base | {"do": "freeze"}
    if isinstance(deed, NonePicked):
        return base | {"do": "none", "criterion": deed.criterion}
    if isinstance(deed, Voted):
        return base | {"do": "vote", "number": deed.number, "importance": deed.importance}
    if isinstance(deed, NuggetWritten):
        sources = [{"docno": source.docno, "quote": source.quote} for source in deed.sources]
        nugget = {"number": deed.number, "importance": deed.importance, "text": deed.text, "sources": sources}
        more = _given(group=deed.group, fields=dict(deed.fields))
        return base | {"do": "nugget"} | nugget | more
    base |= {"docno": deed.docno, "answer": deed.answer} | _given(key=deed.key)
    if isinstance(deed, Judged):
        more = _given(note=deed.note, evidence=[_snippet(each) for each in deed.evidence], draft=deed.draft)
        return base | {"do": "judge", "criterion": deed.criterion, "value": deed.value} | more
    if isinstance(deed, Matched):
        more = _given(quote=deed.quote, value="none" if deed.is_absent else "partial" if deed.is_partial else "")
        return base | {"do": "match", "nugget": nugget_name(deed.number, deed.part)} | more
    if isinstance(deed, Reviewed):
        return base | {"do": "review"}
    number = {"number": deed.number} if deed.number else {}
    return base | {"do": "find_answer" if isinstance(deed, AnswerFound) else "class", "class": deed.label} | number


def _given(**members: Any) -> dict[str, Any]:
    """The members that say something."""
    return {name: value for name, value in members.items() if value}


def _snippet(evidence: Evidence) -> dict[str, Any]:
    place = {"start": evidence.start} if evidence.start >= 0 else {}
    value = {"value": evidence.value} if evidence.value is not None else {}
    return {"quote": evidence.quote} | place | value


class _Flaw(Exception):
    """What is wrong with a line, in words."""


@dataclass(frozen=True, slots=True)
class _Fields:
    """The members of one JSON object, taken by name and type."""

    values: Mapping[str, object]

    def text(self, name: str) -> str:
        value = self.values.get(name)
        if not isinstance(value, str):
            raise _Flaw(f'"{name}" must be text.' if name in self.values else f'"{name}" is missing.')
        return value

    def optional(self, name: str) -> str:
        return self.text(name) if name in self.values else ""

    def name(self, name: str) -> str:
        """A text that thousands of lines share; it is held once."""
        return sys.intern(self.text(name))

    def whole(self, name: str) -> int:
        value = self.values.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) > 10**9:
            raise _Flaw(f'"{name}" must be a whole number.' if name in self.values else f'"{name}" is missing.')
        return value

    def class_number(self) -> int:
        if "number" not in self.values:
            return 0
        number = self.whole("number")
        if number < 1:
            raise _Flaw('"number" of an answer class must be 1 or more.')
        return number

    def importance(self) -> Importance:
        value = parse_importance(self.text("importance"))
        if value is None:
            raise _Flaw('"importance" must be "vital" or "okay".')
        return value

    def nugget(self) -> tuple[int, int]:
        value = parse_nugget_name(self.text("nugget"))
        if value is None:
            raise _Flaw('"nugget" must be a number in quotes such as "5", or "5.1" for a part.')
        return value

    def sources(self) -> tuple[Source, ...]:
        value = self.values.get("sources", [])
        if not isinstance(value, list) or not all(isinstance(source, dict) for source in value):
            raise _Flaw('"sources" must be a list of {"docno": …, "quote": …}.')
        inner = [_Fields(source) for source in value]
        return tuple(Source(docno=source.text("docno"), quote=source.optional("quote")) for source in inner)

    def evidence(self) -> tuple[Evidence, ...]:
        value = self.values.get("evidence", [])
        if not isinstance(value, list) or not all(isinstance(snippet, dict) for snippet in value):
            raise _Flaw('"evidence" must be a list of {"quote": …, "start": …, "value": …}.')
        return tuple(_Fields(snippet).snippet() for snippet in value)

    def snippet(self) -> Evidence:
        if unknown := self.values.keys() - {"quote", "start", "value"}:
            raise _Flaw(f'"{min(unknown)[:40]}" is not a member of a snippet of "evidence".')
        start = self.whole("start") if "start" in self.values else -1
        value = self.whole("value") if "value" in self.values else None
        return Evidence(quote=self.text("quote"), start=max(start, -1), value=value)

    def mapping(self, name: str) -> Mapping[str, Any]:
        value = self.values.get(name, {})
        if not isinstance(value, dict):
            raise _Flaw(f'"{name}" must be an object.')
        return value

    def item(self) -> dict[str, Any]:
        key, docno = self.optional("key"), self.text("docno")
        return self.base() | {"docno": docno, "answer": self.text("answer"), "key": docno if key == docno else key}

    def base(self) -> dict[str, Any]:
        role = self.optional("role")
        if role not in ROLES:
            raise _Flaw('"role" must be "second", "adjudicator" or "machine", or be left out for the author.')
        return {"by": self.name("by"), "topic": self.name("topic"), "role": sys.intern(role)}


def _judged(fields: _Fields) -> Deed:
    criterion, value = fields.name("criterion"), fields.whole("value")
    note, evidence, draft = fields.optional("note"), fields.evidence(), fields.optional("draft")
    if draft not in DRAFTS:
        raise _Flaw('"draft" must be "open" or "after", or be left out.')
    return Judged(**fields.item(), criterion=criterion, value=value, note=note, evidence=evidence, draft=draft)


def _matched(fields: _Fields) -> Deed:
    number, part = fields.nugget()
    value = fields.optional("value") or "full"
    if value not in ("full", "partial", "none"):
        raise _Flaw('"value" must be "full", "partial" or "none".')
    return Matched(
        **fields.item(),
        number=number,
        part=part,
        quote=fields.optional("quote"),
        is_partial=value == "partial",
        is_absent=value == "none",
    )


def _nugget(fields: _Fields) -> Deed:
    number, importance, text = fields.whole("number"), fields.importance(), fields.text("text")
    return NuggetWritten(
        **fields.base(),
        number=number,
        importance=importance,
        text=text,
        sources=fields.sources(),
        group=fields.optional("group"),
        fields=fields.mapping("fields"),
    )


def _voted(fields: _Fields) -> Deed:
    return Voted(**fields.base(), number=fields.whole("number"), importance=fields.importance())


ITEM = frozenset({"docno", "answer", "key"})

_VERBS: dict[str, tuple[frozenset[str], Callable[[_Fields], Deed]]] = {
    "judge": (ITEM | {"criterion", "value", "note", "evidence", "draft"}, _judged),
    "none": (
        frozenset({"criterion"}),
        lambda fields: NonePicked(**fields.base(), criterion=fields.text("criterion")),
    ),
    "find_answer": (
        ITEM | {"class", "number"},
        lambda fields: AnswerFound(**fields.item(), label=fields.text("class"), number=fields.class_number()),
    ),
    "class": (
        ITEM | {"class", "number"},
        lambda fields: Classed(**fields.item(), label=fields.text("class"), number=fields.class_number()),
    ),
    "nugget": (frozenset({"number", "importance", "text", "sources", "group", "fields"}), _nugget),
    "freeze": (frozenset(), lambda fields: ListFrozen(**fields.base())),
    "match": (ITEM | {"nugget", "quote", "value"}, _matched),
    "review": (ITEM, lambda fields: Reviewed(**fields.item())),
    "vote": (frozenset({"number", "importance"}), _voted),
}


def _parse_line(number: int, line: str) -> Deed | Issue:
    values = parse_json(line)
    if isinstance(values, Flaw):
        message = values.message if values.line else f"{values.path}: {values.message}"
        code = "json" if values.line or values.code == "nesting" else "record"
        return Issue(where=number, code=code, message=message, excerpt=excerpt_of(line))
    try:
        return _deed(values)
    except _Flaw as flaw:
        return Issue(where=number, code="record", message=str(flaw), excerpt=excerpt_of(line))


def _deed(values: object) -> Deed:
    if not isinstance(values, dict):
        raise _Flaw('The line is no JSON object; write {"do": …, "by": …, "topic": …, …}.')
    verb = values.get("do")
    if not isinstance(verb, str) or verb not in _VERBS:
        raise _Flaw(f'"do" must be one of {", ".join(sorted(_VERBS))}.')
    known, make = _VERBS[verb]
    unknown = values.keys() - known - {"do", "by", "topic", "role"}
    if unknown:
        raise _Flaw(f'"{min(unknown)[:40]}" is not a member of "{verb}".')
    return make(_Fields(values))
