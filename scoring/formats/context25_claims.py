"""Reads and writes the claims of Context25 (SDProc 2025) as they were released: JSON lists of objects, one file for
each task.

    evidence    {"id", "claim", "dataset", "findings": [label], "necessary_pages": [file], "figures_tables": [label]}
    grounding   {"id", "claim", "citekey", "context": [snippet], "dataset", "entity_labels": [{"entity", "type"}]}

The test sets have no findings and figures_tables, and no context and entity_labels. The same claim may be in both files
under the same id, and in the released evidence file 18 ids occur twice. As in the task's own script, the last claim of
an id counts; every earlier one gets a warning, is stored, and is written before the last. ``annotated`` is our
addition: it is true if the gold was made here. So is ``other_findings``: the findings of earlier claims that are not in
the file. ``citekey`` may be in the evidence file, too. Members that have no meaning here, of a claim or of an entity
label, are stored and written at the end of their object. An entity label needs a type; three released labels have an
empty one, so an empty type is only a warning.

The writers reproduce the released files byte for byte: members in that order, indented by two, ASCII only; they only
add the line break at the end of the file. Codes beside those of `scoring.reading.json_reading`: type, missing,
too-long, claim-id, page, citekey, no-claims; and as warnings page-count, page-twice, label, empty-list, no-quote,
entity-type, claim-twice and unknown-field (once for each name).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, TypeVar

from scoring.figure_grammar import parse_label
from scoring.file_kinds import JSON, reads
from scoring.formats.doc_records import check_docno
from scoring.formats.json_members import (
    ANYTHING,
    FLAG,
    LIST_LIMIT,
    REST,
    TEXT,
    TEXT_LIMIT,
    Member,
    Shape,
    Taken,
    list_of,
)
from scoring.formats.member_reports import Path, Report
from scoring.formats.object_lists import objects_of_list
from scoring.formats.spec import Format
from scoring.reading.opening import excerpt_of
from scoring.records import Issue

_PAGE_MARK = re.compile(r"\s*\(pp?\.\s?[0-9A-Za-z]{1,8}(?:\s?[-\u2013,]\s?[0-9A-Za-z]{1,8}){0,5}\)\s*\Z")
PAGES = 3
"""The number of pages of a claim in the evidence task: "a subset of 3 pages" (README)."""

CLAIM_ID_LIMIT = 80
"""The most characters in a claim's id."""

SOURCE = "github.com/aakanksha19/context25, SDProc 2025"
TYPES = ("what", "how", "who")


@dataclass(frozen=True, kw_only=True, slots=True)
class Entity:
    """A short description of how the claim was established. ``kind`` is "what", "who" or "how", or "" if left open."""

    text: str
    kind: str = ""
    more: tuple[tuple[str, Any], ...] = ()  # members that have no meaning here


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceClaim:
    """A claim with the pages that show its evidence. ``findings`` and ``candidates`` are None if they were not
    released.
    """

    id: str
    claim: str
    dataset: str = ""
    findings: tuple[str, ...] | None = None
    pages: tuple[str, ...] = ()  # file names
    candidates: tuple[str, ...] | None = None  # labels of all figures and tables of the paper
    is_annotated: bool = False
    citekey: str = ""
    others: tuple[tuple[str, ...], ...] = ()  # the findings of earlier claims with the same id
    earlier: tuple[EvidenceClaim, ...] = ()  # those earlier claims, in file order
    more: tuple[tuple[str, Any], ...] = ()  # members that have no meaning here


@dataclass(frozen=True, kw_only=True, slots=True)
class GroundingClaim:
    """A claim with the paper from which it comes. ``snippets`` and ``entities`` are None if they were not released."""

    id: str
    claim: str
    citekey: str
    dataset: str = ""
    snippets: tuple[str, ...] | None = None
    entities: tuple[Entity, ...] | None = None
    is_annotated: bool = False
    earlier: tuple[GroundingClaim, ...] = ()  # earlier claims with the same id, in file order
    more: tuple[tuple[str, Any], ...] = ()  # members that have no meaning here


Claim = TypeVar("Claim", EvidenceClaim, GroundingClaim)


@reads("claims", forms=JSON)
def read_evidence_claims(file: BinaryIO) -> Iterator[EvidenceClaim | Issue]:
    """Return the claims of the evidence task in file order, each after its issues. A claim with an error is left
    out.
    """
    return _read(file, _EVIDENCE)


@reads("claims", forms=JSON)
def read_grounding_claims(file: BinaryIO) -> Iterator[GroundingClaim | Issue]:
    """Return the claims of the grounding task in file order, each after its issues. A claim with an error is left
    out.
    """
    return _read(file, _GROUNDING)


def write_evidence_claims(claims: Iterable[EvidenceClaim]) -> Iterator[str]:
    """Return the lines of these claims in order. Earlier claims with the same id come right before the claim."""
    return _written(
        {
            "id": claim.id,
            "claim": claim.claim,
            **_given("citekey", claim.citekey or None),
            "dataset": claim.dataset,
            **_given("findings", claim.findings),
            "necessary_pages": claim.pages,
            **_given("figures_tables", claim.candidates),
            **_given("annotated", claim.is_annotated or None),
            **_given("other_findings", _other_findings(claim) or None),
            **dict(claim.more),
        }
        for each in claims
        for claim in (*each.earlier, each)
    )


def write_grounding_claims(claims: Iterable[GroundingClaim]) -> Iterator[str]:
    """Return the lines of these claims in order. Earlier claims with the same id come right before the claim."""
    return _written(
        {
            "id": claim.id,
            "claim": claim.claim,
            "citekey": claim.citekey,
            **_given("context", claim.snippets),
            "dataset": claim.dataset,
            **_given("entity_labels", _entities_written(claim.entities)),
            **_given("annotated", claim.is_annotated or None),
            **dict(claim.more),
        }
        for each in claims
        for claim in (*each.earlier, each)
    )


def last_of_each(claims: Iterable[Claim]) -> list[Claim]:
    """Return the last claim of each id, at the place of the first one, with the earlier ones in ``earlier``.

    If the findings differ, its ``others`` hold the findings of all earlier ones, each once, in the order in which they
    were first given. So claims with the findings A, B and A give a claim with the findings A and the others A and B.
    """
    found: dict[str, Claim] = {}
    for claim in claims:
        before = found.get(claim.id)
        found[claim.id] = claim if before is None else _with_others(before, claim)
    return list(found.values())


def _with_others(before: Claim, claim: Claim) -> Claim:
    if isinstance(claim, EvidenceClaim) and isinstance(before, EvidenceClaim):
        given = [each for each in (*before.others, before.findings or (), *claim.others) if each]
        while given and given[-1] == claim.findings:  # findings that are repeated add nothing
            given.pop()
        alone = replace(before, others=() if before.earlier else before.others, earlier=())
        return replace(claim, others=tuple(dict.fromkeys(given)), earlier=(*before.earlier, alone, *claim.earlier))
    if isinstance(claim, GroundingClaim) and isinstance(before, GroundingClaim):
        return replace(claim, earlier=(*before.earlier, replace(before, earlier=()), *claim.earlier))
    return claim


def _other_findings(claim: EvidenceClaim) -> tuple[tuple[str, ...], ...]:
    """Return the findings of the earlier claims with this id. Return () if all of them are written in the file
    anyway.
    """
    written = {findings for each in claim.earlier for findings in (each.findings, *each.others)}
    return () if written.issuperset(claim.others) else claim.others


def _read(file: BinaryIO, shape: Shape) -> Iterator[Any]:
    seen: dict[str, tuple[int, Any]] = {}
    for each in objects_of_list(file, shape=shape, wanted="a list of claims"):
        if isinstance(each, Issue):
            yield each
            continue
        place, claim, report = each
        yield from report.issues
        if claim is None or report.is_wrong:
            continue
        if (earlier := seen.get(claim.id)) is not None:
            message = f"{claim.id} stands at $[{earlier[0]}], too. {_compared(earlier[1], claim)}"
            yield Issue(where=f"$[{place}].id", code="claim-twice", message=message, severity="warning")
        seen[claim.id] = (place, claim)
        yield claim


def _compared(earlier: Claim, claim: Claim) -> str:
    """Return the sentence that compares two claims with the same id and says what the organiser can do about them."""
    if not (isinstance(earlier, EvidenceClaim) and isinstance(claim, EvidenceClaim)):
        return "This one counts, and the other is kept beside it; take one of them out."
    there, here = (excerpt_of(", ".join(each.findings or ()), length=80) or "nothing" for each in (earlier, claim))
    if there == here:
        return "This one counts, and the pages of both are shown; take one of them out."
    return (
        f"Its findings are others: {there} there, {here} here. Take one out, or choose by the setting claims_twice, "
        f"for this claim alone by claims_chosen ({claim.id}=first)."
    )


def _evidence(taken: Taken, report: Report, inside: Path) -> EvidenceClaim | None:
    del inside
    _check_common(taken, report)
    pages = taken["necessary_pages"]
    for place, page in enumerate(pages or ()):
        if "/" in page or check_docno(page, 0):
            message = (
                f"“{excerpt_of(page, length=60)}” names no image. Write the name of its file, no folder, no blanks."
            )
            report.say(("necessary_pages", place), "page", message)
    twice = [page for page, count in Counter(pages or ()).items() if count > 1]
    if twice:
        message = f"{excerpt_of(twice[0], length=60)} is named twice; it is shown once. Name the page that was meant."
        report.say(("necessary_pages",), "page-twice", message, severity="warning")
    if pages is not None and len(pages) != PAGES:
        count = "is 1 page" if len(pages) == 1 else f"are {len(pages)} pages"
        message = f"There {count}; a claim has {PAGES}. Add what is missing, or take out what is too much."
        report.say(("necessary_pages",), "page-count", message, severity="warning")
    for name in ("findings", "figures_tables"):
        for place, label in enumerate(taken[name] or ()):
            if parse_label(label) is None:
                message = f"“{excerpt_of(label, length=40)}” is no label of a figure or table; it is compared as text."
                report.say((name, place), "label", message, severity="warning")
    if report.is_wrong:
        return None
    _check_filled(taken, report, "findings", "figures_tables")
    return EvidenceClaim(
        id=taken["id"],
        claim=taken["claim"],
        dataset=taken["dataset"],
        findings=_fixed(taken["findings"]),
        pages=tuple(pages),
        candidates=_fixed(taken["figures_tables"]),
        is_annotated=taken["annotated"],
        citekey=taken["citekey"],
        others=tuple(map(tuple, taken["other_findings"])),
        more=taken[REST],
    )


def _grounding(taken: Taken, report: Report, inside: Path) -> GroundingClaim | None:
    del inside
    _check_common(taken, report)
    citekey = taken["citekey"]
    if citekey is not None and check_docno(citekey, 0):
        message = f"“{excerpt_of(citekey, length=60)}” names no paper. Write its citekey, one word of plain characters."
        report.say(("citekey",), "citekey", message)
    for place, snippet in enumerate(taken["context"] or ()):
        if not without_page_mark(snippet):
            message = "There is no quote here, but for a page at most. Add the words, or take it out."
            report.say(("context", place), "no-quote", message, severity="warning")
    if report.is_wrong:
        return None
    _check_filled(taken, report, "context", "entity_labels")
    return GroundingClaim(
        id=taken["id"],
        claim=taken["claim"],
        citekey=citekey,
        dataset=taken["dataset"],
        snippets=_fixed(taken["context"]),
        entities=_fixed(taken["entity_labels"]),
        is_annotated=taken["annotated"],
        more=taken[REST],
    )


def _entity(taken: Taken, report: Report, inside: Path) -> Entity | None:
    text, kind = taken["entity"], taken["type"]
    if kind is not None and kind not in TYPES:
        shown = f"“{excerpt_of(kind, length=40)}” is none" if kind else "This description has no type"
        message = f"{shown}; a description says {', '.join(TYPES[:-1])} or {TYPES[-1]}. Write one of them."
        report.say((*inside, "type"), "entity-type", message, severity="warning")
    return None if text is None or kind is None else Entity(text=text, kind=kind, more=taken[REST])


def _check_common(taken: Mapping[str, Any], report: Report) -> None:
    id_, claim = taken["id"], taken["claim"]
    if id_ is not None and (len(id_) > CLAIM_ID_LIMIT or len(id_.split()) != 1 or not id_.isprintable()):
        report.say(("id",), "claim-id", f"An id must be one word of at most {CLAIM_ID_LIMIT} characters. Shorten it.")
    if claim is not None and not claim.strip():
        report.say(("claim",), "missing", "The claim is empty. Write what is claimed.")


def _check_filled(taken: Mapping[str, Any], report: Report, *names: str) -> None:
    """Report each gold list that is present but empty: the claim belongs to the task, but nothing can be scored
    by it.
    """
    for name in names:
        if taken[name] is not None and not taken[name]:
            message = f"“{name}” is empty, so nothing is scored by it. Fill it; a claim without gold has no such list."
            report.say((name,), "empty-list", message, severity="warning")


def without_page_mark(snippet: str) -> str:
    """Return a quote without the page number at its end.

    >>> without_page_mark("We flew two kites. (p. 5)"), without_page_mark(" (pp. 5-6) ")
    ('We flew two kites.', '')
    """
    return _PAGE_MARK.sub("", snippet).strip()


def _fixed(entries: list[Any] | None) -> tuple[Any, ...] | None:
    return None if entries is None else tuple(entries)


_TEXT = replace(TEXT, limit=TEXT_LIMIT)
_TEXTS = list_of(_TEXT, limit=LIST_LIMIT)
_FIRST = (Member("id", _TEXT), Member("claim", _TEXT), Member("dataset", _TEXT, default=""))
_LAST = Member("annotated", FLAG, default=False)
_EVIDENCE = Shape(
    members=(
        *_FIRST,
        Member("findings", _TEXTS, default=None),
        Member("necessary_pages", _TEXTS),
        Member("figures_tables", _TEXTS, default=None),
        Member("citekey", _TEXT, default=""),
        _LAST,
        Member("other_findings", list_of(list_of(TEXT), limit=LIST_LIMIT), default=()),
    ),
    others="kept",
    make=_evidence,
)
_ENTITY = Shape(members=(Member("entity", _TEXT), Member("type", _TEXT)), others="kept", make=_entity)
_GROUNDING = Shape(
    members=(
        *_FIRST,
        Member("citekey", _TEXT),
        Member("context", _TEXTS, default=None),
        Member("entity_labels", list_of(_ENTITY, limit=LIST_LIMIT), default=None),
        _LAST,
        Member("other_findings", ANYTHING, default=None),
    ),
    others="kept",
    make=_grounding,
)


def _entities_written(entities: tuple[Entity, ...] | None) -> list[dict[str, Any]] | None:
    if entities is None:
        return None
    return [{"entity": entity.text, "type": entity.kind, **dict(entity.more)} for entity in entities]


def _given(name: str, value: Any) -> dict[str, Any]:
    """Return a dictionary with this one member, or {} if the value is None."""
    return {} if value is None else {name: value}


def _written(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    return iter(json.dumps(list(records), indent=2).split("\n"))


FORMATS = (
    Format(
        name="context25-evidence-claims",
        label="Claims of Context25 with their figures and tables",
        source=SOURCE,
        layout='[{"id", "claim", "dataset", "findings", "necessary_pages", "figures_tables"}]',
        record=EvidenceClaim,
        read=read_evidence_claims,
        write=write_evidence_claims,
    ),
    Format(
        name="context25-grounding-claims",
        label="Claims of Context25 with their snippets and descriptions",
        source=SOURCE,
        layout='[{"id", "claim", "citekey", "context", "dataset", "entity_labels"}]',
        record=GroundingClaim,
        read=read_grounding_claims,
        write=write_grounding_claims,
    ),
)
