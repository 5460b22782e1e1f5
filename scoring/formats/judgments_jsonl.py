"""Reads and writes judgments.jsonl: every recorded act of a campaign, one JSON object a line with sorted keys.

The same file is exported, and replayed from top to bottom through the site's own functions. ``by`` is a pseudonym such
as "assessor-1", and ``topic`` is a question's number. An item is given by its ``docno`` and ``answer`` string, and by
``key`` if its key does not follow from these; what is left out of them is empty. A document is named by its docno alone.

    {"answer": A, "by": P, "criterion": "correctness", "do": "judge", "docno": D, "topic": T, "value": 1}  note? evidence? draft? given? order?
        version? how?
    {"by": P, "criterion": "evidence", "do": "none", "topic": T}
    {"answer": A, "by": P, "class": LABEL, "do": "find_answer", "docno": D, "topic": T}  number?
    {"answer": A, "by": P, "class": LABEL, "do": "class", "docno": D, "topic": T}  number?
    {"by": P, "do": "nugget", "importance": "vital", "number": 1, "sources": [{"docno": D, "quote": Q}], "text": S, "topic": T}
        group? fields?
    {"by": P, "do": "freeze", "topic": T}  refused?
    {"answer": A, "by": P, "do": "match", "docno": D, "nugget": "5.1", "topic": T}  quote? value? ("partial", "none")
        draft? ("full", "partial", "none")
    {"answer": A, "by": P, "do": "review", "docno": D, "topic": T}
    {"by": P, "do": "vote", "importance": "okay", "number": 1, "topic": T}

`evidence` is a list of `{"quote": Q, "start": N, "value": V}`: snippets of the item's document, from code point N if
known, with their own grade and `label` if they have one. `given` is an answer without a grade, and `value` is then
null: `{"unsure": true}` means that the assessor can't tell. `order` lists the grades in the order in which they were
displayed, if a question shows them in a new order each time. `version` is the version of the campaign's own design
under which the judgment was made, from 1; a judgment under the newest version has none. `how` is `like` if one key gave
the judgment to several answers that say nearly the same.

`none` says that no item fits a criterion by which items are picked. `find_answer` is an answer that the assessor found.
`class` puts a correct instance into an answer class; `number` is the class's own number, from 1. `review` says that all
nuggets are marked in an item, even if there are none.

Every line may have `role`: "second", "adjudicator" or "machine"; without it the act is the primary assessor's. `draft`
of a judgment says that a machine's judgment was displayed ("open": before the assessor judged, "after": when the
assessor changed a judgment of their own). `draft` of a match is the machine's label, which was offered before the match
was marked. `refused` of a frozen list holds the drafts of machines that its author refused, each `{"by": "machine-A",
"number": 3, "text": S}`.

Unknown verbs, missing, unknown and ill-typed keys are issues, and so is whatever `scoring.reading.json_reading`
refuses.
"""  # noqa: E501

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from scoring.file_kinds import JSON, reads, recognise
from scoring.formats.act_places import KINDS, ActPlace, act_place, place_order
from scoring.formats.json_members import OBJECT, TEXT, Kind, Member, Shape, Taken, list_of, one_of
from scoring.formats.member_reports import Codes, Report
from scoring.formats.member_reports import Path as Place
from scoring.formats.pool_tables import parse_importance, parse_nugget_name
from scoring.formats.written_acts import WRITTEN, act_as_written, grade_line, mark_line, mark_lines, vote_line
from scoring.reading.json_reading import Flaw, parse_json
from scoring.reading.kept_rows import sorted_blocks
from scoring.reading.opening import TEXT_LIMIT, excerpt_of, records_of
from scoring.records import Importance, Issue
from scoring.release.recorded_acts import DRAFTS as DRAFTS
from scoring.release.recorded_acts import LIKE as LIKE
from scoring.release.recorded_acts import OFFERED as OFFERED
from scoring.release.recorded_acts import ORDER as ORDER
from scoring.release.recorded_acts import ROLES as ROLES
from scoring.release.recorded_acts import AnswerFound as AnswerFound
from scoring.release.recorded_acts import Classed as Classed
from scoring.release.recorded_acts import Evidence as Evidence
from scoring.release.recorded_acts import Judged as Judged
from scoring.release.recorded_acts import ListFrozen as ListFrozen
from scoring.release.recorded_acts import Matched as Matched
from scoring.release.recorded_acts import NonePicked as NonePicked
from scoring.release.recorded_acts import NuggetWritten as NuggetWritten
from scoring.release.recorded_acts import RecordedAct as RecordedAct
from scoring.release.recorded_acts import RefusedDraft as RefusedDraft
from scoring.release.recorded_acts import Reviewed as Reviewed
from scoring.release.recorded_acts import Source as Source
from scoring.release.recorded_acts import TopicMarks as TopicMarks
from scoring.release.recorded_acts import Voted as Voted

LINES_AT_ONCE = 20_000
"""The number of lines sorted in memory, since some hold long notes and snippets."""


@reads("judgments", forms=JSON)
def read_judgments(file: BinaryIO) -> Iterator[RecordedAct | Issue]:
    """Return the acts in file order, and an issue for each malformed line."""
    return _by_lines(file, parse_judgment, after=0)


def acts_of(path: Path) -> Iterator[RecordedAct]:
    """Yield the acts of a file; malformed lines are left out."""
    with path.open("rb") as file:
        yield from (act for act in read_judgments(file) if not isinstance(act, Issue))


@reads("judgments", forms=JSON)
def read_numbered_judgments(file: BinaryIO, *, after: int = 0) -> Iterator[tuple[int, RecordedAct] | Issue]:
    """Return the acts with their line numbers, and an issue for each bad line; ``after`` lines were read before."""
    return _by_lines(file, _parse_numbered, after=after)


def _by_lines(file: BinaryIO, parse: Callable[[int, str], Any], *, after: int) -> Iterator[Any]:
    """Return the records of the lines, or only an issue if one JSON value is written over several lines."""
    found = recognise(file)
    first, is_more, _ = found.shape.text.lstrip().partition("\n")
    is_one = is_more and found.form in ("json value", "json array", "json values")
    if is_one and not after and first[:1] + first.rstrip()[-1:] not in ("{}", "[]"):
        message = "Each line must be a JSON object of its own, without brackets and commas around the lines."
        return iter([Issue(where=1, code="json", message=message, excerpt=excerpt_of(first))])
    return records_of(file, parse, limit=TEXT_LIMIT, after=after)


def _parse_numbered(number: int, line: str) -> tuple[int, RecordedAct] | Issue:
    parsed = parse_judgment(number, line)
    return parsed if isinstance(parsed, Issue) else (number, parsed)


def write_judgments(acts: Iterable[RecordedAct | TopicMarks]) -> Iterator[str]:
    """Yield lines sorted by topic, kind of act (`ORDER`), number and content. Equal acts are written once."""
    placed = chain.from_iterable(map(_placed, acts))
    for _, lines in sorted_blocks(placed, place_order, at_once=LINES_AT_ONCE):
        yield from lines


def _placed(acts: RecordedAct | TopicMarks) -> Iterable[tuple[ActPlace, list[str]]]:
    """Return (place in the file, lines) for an act, or for each mark of a topic's marks."""
    if isinstance(acts, TopicMarks):
        return (((acts.topic, KINDS[kind], number), lines) for kind, number, lines in mark_lines(acts))
    return [(act_place(acts), [act_line(acts)])]


def act_line(act: RecordedAct) -> str:
    """Return the line that records an act."""
    if isinstance(act, (Matched, Reviewed)):
        return mark_line(act)
    if isinstance(act, Voted):
        return vote_line(act)
    plain = grade_line(act) if isinstance(act, Judged) else None
    return plain or WRITTEN(_as_mapping(act))


def _as_mapping(
    act: Judged | NonePicked | AnswerFound | Classed | NuggetWritten | ListFrozen,
) -> dict[str, Any]:
    base: dict[str, Any] = {"by": act.by, "topic": act.topic}
    if act.role:
        base["role"] = act.role
    if isinstance(act, ListFrozen):
        refused = [{"by": each.by, "number": each.number, "text": each.text} for each in act.refused]
        return base | {"do": "freeze"} | _given(refused=refused)
    if isinstance(act, NonePicked):
        return base | {"do": "none", "criterion": act.criterion}
    if isinstance(act, NuggetWritten):
        sources = [{"docno": source.docno, "quote": source.quote} for source in act.sources]
        nugget = {"number": act.number, "importance": act.importance, "text": act.text, "sources": sources}
        more = _given(group=act.group, fields=dict(act.fields))
        return base | {"do": "nugget"} | nugget | more
    base |= {"docno": act.docno, "answer": act.answer} | _given(key=act.key)
    if isinstance(act, Judged):
        more = _given(
            note=act.note,
            evidence=[_snippet(each) for each in act.evidence],
            draft=act.draft,
            given=dict(act.given),
            order=list(act.order),
            version=act.version,
            how=act.how,
        )
        return base | {"do": "judge", "criterion": act.criterion, "value": act.value} | more
    number = {"number": act.number} if act.number else {}
    return base | {"do": "find_answer" if isinstance(act, AnswerFound) else "class", "class": act.label} | number


def _given(**members: Any) -> dict[str, Any]:
    """Return the members that have a value."""
    return {name: value for name, value in members.items() if value}


def _snippet(evidence: Evidence) -> dict[str, Any]:
    place = {"start": evidence.start} if evidence.start >= 0 else {}
    value = {"value": evidence.value} if evidence.value is not None else {}
    return {"quote": evidence.quote} | place | value | _given(label=evidence.label)


def _bounded_or_none(value: int | None) -> int | None:
    if value is not None and abs(value) > 10**9:
        raise ValueError
    return value


def _bounded(value: int) -> int:
    if abs(value) > 10**9:
        raise ValueError
    return value


def _from_1(value: int) -> int:
    if not 1 <= value <= 10**9:
        raise ValueError
    return value


def _importance(value: str) -> Importance:
    if (found := parse_importance(value)) is None:
        raise ValueError
    return found


def _nugget_name(value: str) -> tuple[int, int]:
    if (found := parse_nugget_name(value)) is None:
        raise ValueError
    return found


def _source(taken: Taken, report: Report, inside: Place) -> Source | None:
    del inside
    return None if report.issues else Source(**taken)


def _snippet_of(taken: Taken, report: Report, inside: Place) -> Evidence | None:
    del inside
    return None if report.issues else Evidence(**taken | {"start": max(taken["start"], -1)})


def _refused_draft(taken: Taken, report: Report, inside: Place) -> RefusedDraft | None:
    del inside
    return None if report.issues else RefusedDraft(**taken)


_CODES = Codes(missing="record", type="record", unknown="record")
_SHARED = Kind(wanted="a text", types=(str,), make=sys.intern)  # thousands of lines share a value: it is held once
_NUMBER = Kind(wanted="a whole number", types=(int,), make=_bounded)
GRADES = 101
"""The most grades that a question may have."""
_VALUE = Kind(wanted="a whole number", types=(int, type(None)), make=_bounded_or_none)
_FROM_1 = Kind(wanted="a whole number from 1", types=(int,), make=_from_1)
_IMPORTANCE = Kind(wanted="“vital” or “okay”", types=(str,), make=_importance)
_NUGGET_NAME = Kind(wanted="a number in quotes such as “5”, or “5.1” for a part", types=(str,), make=_nugget_name)
_SNIPPET = Shape(
    members=(
        *(Member("quote", TEXT), Member("start", _NUMBER, default=-1)),
        *(Member("value", _NUMBER, default=None), Member("label", TEXT, default="")),
    ),
    codes=_CODES,
    others="refused",
    make=_snippet_of,
)
_SOURCE = Shape(members=(Member("docno", TEXT), Member("quote", TEXT, default="")), codes=_CODES, make=_source)

_REFUSED = Shape(
    members=(Member("by", _SHARED), Member("number", _NUMBER), Member("text", TEXT)),
    codes=_CODES,
    others="refused",
    make=_refused_draft,
)

_BASE = (Member("by", _SHARED), Member("topic", _SHARED), Member("role", one_of(*ROLES), default=""))
_ITEM = (*_BASE, Member("docno", TEXT, default=""), Member("answer", TEXT, default=""), Member("key", TEXT, default=""))
_CLASS = (*_ITEM, Member("class", TEXT), Member("number", _FROM_1, default=0))


def _verb(make: Callable[[Taken], RecordedAct], *members: Member) -> Shape:
    """Return the shape of lines with a certain value of ``do``. ``make`` makes an act from the members of such
    a line.
    """

    def act(taken: Taken, report: Report, inside: Place) -> RecordedAct | None:
        if not report.issues and "given" in taken and (taken["value"] is None) != bool(taken["given"]):
            message = "“value” must be a whole number, or null where something else is “given”, and not both."
            report.say((*inside, "value"), _CODES.type, message)
        return None if report.issues else make(taken)

    return Shape(members=(*members, Member("do", TEXT)), codes=_CODES, others="refused", make=act)


def _base(taken: Taken) -> Taken:
    return {"by": taken["by"], "topic": taken["topic"], "role": taken["role"]}


def _item(taken: Taken) -> Taken:
    key, docno = taken["key"], taken["docno"]
    return _base(taken) | {"docno": docno, "answer": taken["answer"], "key": docno if key == docno else key}


def _judged(taken: Taken) -> RecordedAct:
    del taken["do"]
    taken["evidence"], taken["order"] = tuple(taken["evidence"]), tuple(taken["order"])
    taken["given"] = taken["given"] or {}
    if taken["key"] == taken["docno"]:
        taken["key"] = taken["docno"]
    return Judged(**taken)


def _matched(taken: Taken) -> RecordedAct:
    (number, part), value = taken["nugget"], taken["value"]
    marks = {"is_partial": value == "partial", "is_absent": value == "none"}
    return Matched(**_item(taken), number=number, part=part, quote=taken["quote"], draft=taken["draft"], **marks)


def _nugget(taken: Taken) -> RecordedAct:
    given = {name: taken[name] for name in ("number", "importance", "text", "group")}
    return NuggetWritten(**_base(taken), **given, sources=tuple(taken["sources"]), fields=taken["fields"] or {})


_VERBS: dict[str, Shape] = {
    "judge": _verb(
        _judged,
        Member("criterion", _SHARED),
        Member("value", _VALUE),
        *_ITEM,
        Member("note", TEXT, default=""),
        Member("evidence", list_of(_SNIPPET), default=()),
        Member("draft", one_of(*DRAFTS), default=""),
        Member("given", OBJECT, default=None),
        Member("order", list_of(_NUMBER, limit=GRADES), default=()),
        Member("version", _FROM_1, default=0),
        Member("how", one_of(LIKE), default=""),
    ),
    "none": _verb(
        lambda taken: NonePicked(**_base(taken), criterion=taken["criterion"]), *_BASE, Member("criterion", _SHARED)
    ),
    "find_answer": _verb(
        lambda taken: AnswerFound(**_item(taken), label=taken["class"], number=taken["number"]), *_CLASS
    ),
    "class": _verb(lambda taken: Classed(**_item(taken), label=taken["class"], number=taken["number"]), *_CLASS),
    "nugget": _verb(
        _nugget,
        *_BASE,
        Member("number", _NUMBER),
        Member("importance", _IMPORTANCE),
        Member("text", TEXT),
        Member("sources", list_of(_SOURCE), default=()),
        Member("group", TEXT, default=""),
        Member("fields", OBJECT, default=None),
    ),
    "freeze": _verb(
        lambda taken: ListFrozen(**_base(taken), refused=tuple(taken["refused"])),
        *_BASE,
        Member("refused", list_of(_REFUSED), default=()),
    ),
    "match": _verb(
        _matched,
        *_ITEM,
        Member("nugget", _NUGGET_NAME),
        Member("quote", TEXT, default=""),
        Member("value", one_of("full", "partial", "none", ""), default=""),
        Member("draft", one_of(*OFFERED), default=""),
    ),
    "review": _verb(lambda taken: Reviewed(**_item(taken)), *_ITEM),
    "vote": _verb(
        lambda taken: Voted(**_base(taken), number=taken["number"], importance=taken["importance"]),
        *_BASE,
        Member("number", _NUMBER),
        Member("importance", _IMPORTANCE),
    ),
}


def parse_judgment(number: int, line: str) -> RecordedAct | Issue:
    """Return the act that a line records, or an issue with the line's number. Members that are null count as missing,
    and whole numbers may be written as 1.0, as pandas writes both.
    """
    if (written := act_as_written(line)) is not None:
        return written
    values = parse_json(line)
    if isinstance(values, Flaw):
        message = values.message if values.line else f"{values.path}: {values.message}"
        code = "json" if values.line or values.code == "nesting" else "record"
        return Issue(where=number, code=code, message=message, excerpt=excerpt_of(line))
    if not isinstance(values, dict):
        message = 'The line is no JSON object; write {"do": …, "by": …, "topic": …, …}.'
        return Issue(where=number, code="record", message=message, excerpt=excerpt_of(line))
    verb = values.get("do")
    if not isinstance(verb, str) or verb not in _VERBS:
        message = f"“do” must be one of {', '.join(sorted(_VERBS))}."
        return Issue(where=number, code="record", message=message, excerpt=excerpt_of(line))
    given = {
        name: int(each) if type(each) is float and each.is_integer() else each
        for name, each in values.items()
        if each is not None or (verb == "judge" and name == "value")
    }
    report = Report(at=number)
    act: RecordedAct | None = _VERBS[verb].take(given, report)
    return act if act is not None else replace(report.issues[0], excerpt=excerpt_of(line))
