"""Reads and writes nugget lists as TREC RAG gives them out, one topic a line: texts, importance, and further members.

    {"qid": "58", "nuggets": [{"text": "low emissions", "mapped_sub_narrative": "advantages", "importance": "vital",
      "source": "post-edit"}, …]}

Beside ``text`` and ``importance`` a nugget may have: ``number``, if it is not the nugget's place in the list;
``mapped_sub_narrative``, the nugget's group; and any other member, which is stored unchanged in the fields. The
importance is vital, okay, or a value that `nugget_banks.importance_of` maps to one of them; the original is stored in
the fields, and failed counts as okay. If a campaign normalises the white space of a text or group, the fields hold the
original. Banks of questions and claims and nuggetizer's envelopes are read as well. Codes beside those of
`scoring.reading.json_reading` and `nugget_banks`: fields, nugget, duplicate, importance (warning).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from scoring.file_kinds import JSON, reads
from scoring.formats.json_members import FILLED, LIST, TEXT, WHOLE, Kind, Member, Shape, one_word
from scoring.formats.member_reports import Codes, Report
from scoring.formats.nugget_banks import (
    KNOW,
    OKAY,
    VITAL,
    ReportedOnce,
    importance_of,
    is_avoided,
    is_nugget_bank,
    nuggets_of_bank,
    unwrapped,
)
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.reading.json_values import json_values
from scoring.reading.opening import excerpt_of
from scoring.records import Issue, OwnedNugget

GROUP = "mapped_sub_narrative"
_TAKEN = {"text", "importance", "number", GROUP, "assignment"}


@reads("nuggets", forms=JSON)
def read_rag_nuggets(file: BinaryIO) -> Iterator[OwnedNugget | Issue]:
    """Return the nuggets of each valid line, and issues with the line numbers of the others."""
    return (each if isinstance(each, Issue) else each[1] for each in read_numbered_nuggets(file))


@reads("nuggets", forms=JSON)
def read_numbered_nuggets(
    file: BinaryIO, told: ReportedOnce | None = None
) -> Iterator[tuple[int, OwnedNugget] | Issue]:
    """Yield the nuggets with the numbers of their lines, and issues. Banks (`nugget_banks`) and nuggetizer's envelopes
    are read as well.
    """
    told = told or ReportedOnce()
    for each in json_values(file):
        if isinstance(each, Issue):
            yield each
            continue
        number, value = each
        for inner in unwrapped(value):
            yield from nuggets_of_bank(number, inner, told) if is_nugget_bank(inner) else _list_of(number, inner, told)
    yield from told.issues()


def _list_of(number: int, value: Any, told: ReportedOnce) -> Iterator[tuple[int, OwnedNugget] | Issue]:
    report = Report(at=number)
    taken = _TOPIC.take(value, report)
    topic = None if report.issues else taken["qid"]
    if topic is None:
        yield report.issues[0]
    elif topic in told.topics:
        yield _issue(number, "duplicate", f"Topic {excerpt_of(topic, length=40)} has a list already.")
    else:
        told.topics.add(topic)
        told.unused.update(dict.fromkeys(name[:40] for name in value if name not in _TOPIC.known and name != "query"))
        yield from _read_list(number, topic, taken["nuggets"], told)


def _read_list(
    line: int, topic: str, written: list[Any], told: ReportedOnce
) -> Iterator[tuple[int, OwnedNugget] | Issue]:
    last = 0
    for place, nugget in enumerate(written, 1):
        report, at = Report(at=line), ("nuggets", place - 1)
        taken = _NUGGET.take(nugget, report, at)
        if not report.issues and taken["number"] is not None and not last < taken["number"] < 10**6:
            message = f"{report.shown(at)} must have a whole number greater than the one before, or none."
            report.say(at, "nugget", message)
        if report.issues:
            yield report.issues[0]
            continue
        if nugget["importance"] == "failed":
            message = f"$.nuggets[{place - 1}] has no importance (“failed”); it counts as okay."
            yield Issue(where=line, code="importance", message=message, severity="warning")
        told.avoided += is_avoided(nugget["importance"])
        last = nugget.get("number", place)
        yield (
            line,
            OwnedNugget(
                by="",
                role="primary",
                topic=topic,
                number=last,
                importance=importance_of(nugget["importance"]),
                text=nugget["text"],
                group=nugget.get(GROUP, ""),
                fields=_fields(nugget),
            ),
        )


def write_rag_nuggets(records: Iterable[OwnedNugget]) -> Iterator[str]:
    """Yield one line for each topic, with its nuggets sorted by number."""
    topics: dict[str, list[dict[str, Any]]] = {}
    for r in sorted(records, key=lambda r: (topic_order(r.topic), r.number)):
        nuggets = topics.setdefault(r.topic, [])
        number = {} if r.number == len(nuggets) + 1 else {"number": r.number}
        group = {GROUP: r.group} if r.group else {}
        nugget = {"text": r.text} | group | {"importance": r.importance} | number
        nuggets.append(nugget | {name: r.fields[name] for name in sorted(r.fields)})
    for topic, nuggets in topics.items():
        yield json.dumps({"qid": topic, "nuggets": nuggets}, ensure_ascii=False)


def tidied(text: str) -> str:
    """Return a text as campaigns store it: each run of white space becomes one space."""
    return " ".join(text.split())


def kept_fields(nugget: OwnedNugget) -> dict[str, Any]:
    """Return the fields from which a campaign can write the nugget exactly as it was in its file.

    They are needed since the campaign normalises white space in the nugget's text.
    """
    raw = {"text": nugget.text, GROUP: nugget.group}
    return dict(nugget.fields) | {name: text for name, text in raw.items() if text != tidied(text)}


def _fields(nugget: Mapping[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in nugget.items() if name not in _TAKEN}
    return fields | ({"importance": nugget["importance"]} if nugget["importance"] not in ("vital", "okay") else {})


_TOPIC = Shape(
    members=(Member("qid", one_word(numbers=True)), Member("nuggets", LIST)),
    codes=Codes(missing="fields", type="fields"),
)


def _checked(value: str | float) -> str | float:
    if isinstance(value, str) and value.casefold() not in (*VITAL, *OKAY) and not KNOW.fullmatch(value):
        raise ValueError
    return value


_IMPORTANCE = Kind(wanted=f"a number or one of {', '.join((*VITAL, *OKAY))}", types=(str, int, float), make=_checked)
_NUGGET = Shape(
    members=(
        Member("text", FILLED),
        Member("importance", _IMPORTANCE),
        Member(GROUP, TEXT, default=""),
        Member("number", WHOLE, default=None),
    ),
    codes=Codes(missing="nugget", type="nugget"),
)


def _issue(where: int, code: str, message: str) -> Issue:
    return Issue(where=where, code=code, message=message)


FORMAT = Format(
    name="rag-nuggets",
    label="Nugget lists of TREC RAG, with groups",
    source="TREC RAG 2025; castorini/nuggetizer",
    layout='{"qid", "nuggets": [{"text", "mapped_sub_narrative", "importance", …}]}',
    record=OwnedNugget,
    read=read_rag_nuggets,
    write=write_rag_nuggets,
)
