"""Nugget banks, version 3: one JSON object a line, each the nuggets of one topic; as automatic judges write them.

    {"query_id": T, "nugget_bank": {KEY: {"question": S, "answers": {KEY: {"answer": S, …}}, "importance": I, …}},
     "claim_bank": {KEY: {"claim": S, "importance": I, …}}, "format_version": "v3", …}

A question or a claim is one nugget, numbered from 1 in the order of the file, questions first; the answers of a question
are kept in its fields. ``importance`` "must_have" and "vital", or a number of 1 or more, is vital; all else is okay. Other
members are not read.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from scoring.file_kinds import JSON, reads
from scoring.formats.json_members import ANYTHING, FILLED, TEXT, Kind, Member, Shape, Taken
from scoring.formats.member_reports import Report
from scoring.formats.spec import Format
from scoring.json_reading import Flaw, parse_json
from scoring.reading import excerpt_of, records_of
from scoring.records import Importance, Issue, OwnedNugget

VITAL = ("must_have", "vital")
BANKS = (("nugget_bank", "question"), ("claim_bank", "claim"))


def is_nugget_bank(values: object) -> bool:
    """Whether a JSON value is a bank.

    >>> is_nugget_bank({"query_id": "1", "claim_bank": {}}), is_nugget_bank({"qid": "1", "nuggets": []})
    (True, False)
    """
    return isinstance(values, dict) and any(name in values for name, _ in BANKS)


@reads("nuggets", forms=JSON)
def read_bank(file: BinaryIO) -> Iterator[OwnedNugget | Issue]:
    """The nuggets of all banks in file order, and an issue for each line that is no bank."""
    return (each if isinstance(each, Issue) else each[1] for each in read_numbered_bank(file))


@reads("nuggets", forms=JSON)
def read_numbered_bank(file: BinaryIO) -> Iterator[tuple[int, OwnedNugget] | Issue]:
    """The nuggets of all banks with the numbers of their lines, and an issue for each line that is no bank."""
    for each in records_of(file, _parse):
        if isinstance(each, Issue):
            yield each
        else:
            number, nuggets = each
            yield from ((number, nugget) for nugget in nuggets)


def _parse(number: int, line: str) -> tuple[int, list[OwnedNugget]] | Issue:
    values = parse_json(line)
    if isinstance(values, Flaw):
        return Issue(where=number, code="json", message=values.message, excerpt=excerpt_of(line))
    report = Report(at=number)
    taken: Taken | None = _BANK.read(values, report, ())
    if taken is None or report.issues:
        return replace(report.issues[0], excerpt=excerpt_of(line))
    found: list[OwnedNugget] = []
    for bank, said in BANKS:
        for key, entry in taken[bank].items():
            filled: Taken | None = _SAID[said].read(entry, report, (bank, key))
            if filled is None or report.issues:
                message = f'"{key[:40]}" of "{bank}" has no "{said}".'
                return Issue(where=number, code="record", message=message, excerpt=excerpt_of(line))
            found.append(_nugget(taken["query_id"], len(found) + 1, filled[said], entry))
    return number, found


def _nugget(topic: str, number: int, text: str, entry: Mapping[str, Any]) -> OwnedNugget:
    answers = entry.get("answers")
    kept = [str(key) for key in answers] if isinstance(answers, dict) else []
    fields = {"answers": kept} if kept else {}
    importance = _importance(entry.get("importance"))
    return OwnedNugget(
        by="", role="primary", topic=topic, number=number, importance=importance, text=text, fields=fields
    )


def _importance(value: object) -> Importance:
    if isinstance(value, str):
        return "vital" if value.casefold() in VITAL else "okay"
    return "vital" if isinstance(value, int | float) and value >= 1 else "okay"


def _bank(value: dict[str, Any]) -> dict[str, Any]:
    if not is_nugget_bank(value):
        raise ValueError
    return value


_NO_BANK = 'A nugget bank has "query_id" and "nugget_bank" or "claim_bank".'
_ENTRIES = Kind(wanted="anything", types=ANYTHING.types, make=lambda value: value if isinstance(value, dict) else {})
_BANK = Kind(
    wanted="a nugget bank",
    types=(dict,),
    make=_bank,
    each=Shape(
        members=(
            Member("query_id", replace(TEXT, code="record", sentence=_NO_BANK)),
            *(Member(bank, _ENTRIES, default={}) for bank, _ in BANKS),
        )
    ),
    code="record",
    sentence=_NO_BANK,
)
_SAID = {
    said: Kind(wanted="an object", types=(dict,), each=Shape(members=(Member(said, FILLED),))) for _, said in BANKS
}


FORMAT = Format(
    name="nugget-bank",
    label="Nugget banks, version 3",
    source="autojudge_base, nugget_data.py",
    layout='{"query_id", "nugget_bank": {KEY: {"question", "answers", "importance"}}, "claim_bank": {KEY: {"claim"}}}',
    record=OwnedNugget,
    read=read_bank,
)
