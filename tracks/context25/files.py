"""Read the files of Context25 as records: claims as topics, answers as segments and rankings.

Both tasks may ask about a claim under one id, but topic numbers are unique in a campaign. So the number of the evidence
topic is the claim's id, and that of the grounding topic the id with ".context" appended. Released gold is kept apart in
``fields["gold"]`` and never shown to assessors. ``fields["pages"]`` are the docnos of the page images and
``fields["documents"]`` those of the papers.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from assess.protocol import CheckContext, ItemRecord, RunForm, SegmentRecord, TopicRecord
from scoring.figure_grammar import normalise_label, parse_label
from scoring.folding import fold_answer
from scoring.formats.context25_claims import (
    Claim,
    Entity,
    EvidenceClaim,
    GroundingClaim,
    last_of_each,
    read_evidence_claims,
    read_grounding_claims,
    write_evidence_claims,
    write_grounding_claims,
)
from scoring.formats.context25_predictions import EvidenceRow, GroundingAnswer, read_evidence_answers
from scoring.formats.context25_predictions import read_grounding_answers as read_answers
from scoring.records import Issue, RankedDoc

EVIDENCE, GROUNDING = "evidence", "grounding"
SUFFIX = ".context"
FIGURE, DESCRIPTION, SNIPPET = "figure", "description", "snippet"
LABEL_LIMIT = 100
"""The most characters of a label that can be picked; proper ones have far fewer."""


def grounding_number(claim: str) -> str:
    """Return the number of the grounding topic of a claim.

    >>> grounding_number("megacoglab-W3sdOb60i")
    'megacoglab-W3sdOb60i.context'
    """
    return claim + SUFFIX


def claim_of(number: str) -> str:
    """Return the id of the claim that a topic is about."""
    return number.removesuffix(SUFFIX)


# ---------------------------------------------------------------- claims


def read_evidence_topics(file: BinaryIO) -> Iterator[TopicRecord | Issue]:
    """Yield the claims of the evidence task. If several claims have the same id, the last one counts, and a warning
    says so. The pages of all these claims are shown, and the earlier claims are stored with the last one.
    """
    claims: list[EvidenceClaim] = []
    for record in read_evidence_claims(file):
        if isinstance(record, Issue):
            yield record
        else:
            claims.append(record)
    for ordinal, claim in enumerate(last_of_each(claims), start=1):
        pages = dict.fromkeys(page for each in (claim, *claim.earlier) for page in each.pages)
        fields: dict[str, Any] = {"dataset": claim.dataset, "pages": list(pages)}
        if claim.candidates is not None:
            fields["figures_tables"] = list(claim.candidates)
        if claim.findings is not None:
            fields["gold"] = {"findings": list(claim.findings)}
            if claim.others:
                fields["gold"]["others"] = [list(findings) for findings in claim.others]
        if claim.earlier:
            fields["own_pages"] = list(claim.pages)
            fields.setdefault("gold", {})["earlier"] = "\n".join(write_evidence_claims(claim.earlier))
        fields |= {"citekey": claim.citekey} if claim.citekey else {}
        fields |= _as_pairs(claim.more)
        yield TopicRecord(number=claim.id, task=EVIDENCE, text=claim.claim, ordinal=ordinal, fields=fields)


def read_grounding_topics(file: BinaryIO) -> Iterator[TopicRecord | Issue]:
    """Yield the claims of the grounding task. If several claims have the same id, the last one counts, and a warning
    says so. The papers of all these claims are shown, and the earlier claims are stored with the last one.
    """
    claims: list[GroundingClaim] = []
    for record in read_grounding_claims(file):
        if isinstance(record, Issue):
            yield record
        else:
            claims.append(record)
    for ordinal, claim in enumerate(last_of_each(claims), start=1):
        fields: dict[str, Any] = {"dataset": claim.dataset, "documents": [claim.citekey]}
        gold: dict[str, Any] = {}
        if claim.snippets is not None:
            gold["context"] = list(claim.snippets)
        if claim.entities is not None:
            gold["entity_labels"] = [
                {"entity": entity.text, "type": entity.kind, **_as_pairs(entity.more)} for entity in claim.entities
            ]
        if claim.earlier:
            fields["documents"] = list(dict.fromkeys(each.citekey for each in (claim, *claim.earlier)))
            gold["earlier"] = "\n".join(write_grounding_claims(claim.earlier))
        if gold:
            fields["gold"] = gold
        fields |= _as_pairs(claim.more)
        number = grounding_number(claim.id)
        yield TopicRecord(number=number, task=GROUNDING, text=claim.claim, ordinal=ordinal, fields=fields)


def write_evidence_topics(records: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield the lines of a file with the claims of the evidence task, without the figures and tables that are to be
    found.
    """
    asked = (evidence_claim(record) for record in records if record.task == EVIDENCE)
    return write_evidence_claims(
        replace(each, findings=None, others=(), earlier=(), more=())
        for claim in asked
        for each in (*claim.earlier, claim)
    )


def write_grounding_topics(records: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield the lines of a file with the claims of the grounding task, without the quotes and entities that are to be
    found.
    """
    asked = (grounding_claim(record) for record in records if record.task == GROUNDING)
    return write_grounding_claims(
        replace(each, snippets=None, entities=None, earlier=(), more=())
        for claim in asked
        for each in (*claim.earlier, claim)
    )


def _as_pairs(more: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members that have no meaning in Assay, as a list of pairs, since a database need not keep the order of
    an object's keys.
    """
    pairs = [[name, value] for name, value in more]
    return {"more": pairs} if pairs else {}


def _more(values: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return the members that `_as_pairs` stored as pairs."""
    return tuple((name, value) for name, value in values.get("more", ()))


def evidence_claim(topic: TopicRecord) -> EvidenceClaim:
    """Return the claim from which `read_evidence_topics` made the topic."""
    fields, gold = topic.fields, topic.fields.get("gold", {})
    return EvidenceClaim(
        id=topic.number,
        claim=topic.text,
        dataset=fields.get("dataset", ""),
        findings=_texts(gold, "findings"),
        pages=_texts(fields, "own_pages") or _texts(fields, "pages") or (),
        candidates=_texts(fields, "figures_tables"),
        citekey=fields.get("citekey", ""),
        others=tuple(tuple(findings) for findings in gold.get("others", ())),
        earlier=tuple(_earlier(gold, read_evidence_claims, EvidenceClaim)),
        more=_more(fields),
    )


def grounding_claim(topic: TopicRecord) -> GroundingClaim:
    """Return the claim from which `read_grounding_topics` made the topic."""
    fields, gold = topic.fields, topic.fields.get("gold", {})
    entities = gold.get("entity_labels")
    return GroundingClaim(
        id=claim_of(topic.number),
        claim=topic.text,
        citekey=citekey_of(topic),
        dataset=fields.get("dataset", ""),
        snippets=_texts(gold, "context"),
        entities=None
        if entities is None
        else tuple(Entity(text=each["entity"], kind=each["type"], more=_more(each)) for each in entities),
        earlier=tuple(_earlier(gold, read_grounding_claims, GroundingClaim)),
        more=_more(fields),
    )


def _earlier(
    gold: Mapping[str, Any], read: Callable[[BinaryIO], Iterator[Claim | Issue]], kind: type[Claim]
) -> Iterator[Claim]:
    """Yield the earlier claims with the same id. They are stored as they were written, and are read here again."""
    if written := gold.get("earlier"):
        yield from (each for each in read(io.BytesIO(written.encode())) if isinstance(each, kind))


def citekey_of(topic: TopicRecord) -> str:
    """Return the docno of the paper of a grounding topic, or "" if it names none."""
    return next(iter(topic.fields.get("documents", ())), "")


def figure_items(topic: TopicRecord, settings: Any) -> Iterator[ItemRecord]:
    """Yield an item for the label of each figure and table in a claim's paper. If a label occurs in several spellings,
    the first is used. Labels of more than 100 characters are left out.
    """
    del settings
    seen = set()
    claim = evidence_claim(topic)
    for label in (label for each in (claim, *claim.earlier) for label in each.candidates or ()):
        key = normalise_label(label)
        if key and key not in seen and len(key) <= LABEL_LIMIT:
            seen.add(key)
            yield ItemRecord(topic=topic.number, kind=FIGURE, key=key, text=" ".join(label.split()))


def proper_label(text: str) -> str | None:
    """Return the standard spelling of a label that an assessor typed, or None if it is not a label."""
    label = parse_label(text)
    return None if label is None or len(str(label)) > LABEL_LIMIT else str(label)


# ---------------------------------------------------------------- answers


def read_evidence_segments(file: BinaryIO, context: CheckContext) -> Iterator[SegmentRecord]:
    """Return no segments, since a run of the evidence task is a ranked list of labels for each claim."""
    del file, context
    return iter(())


def read_figures(file: BinaryIO, context: CheckContext) -> Iterator[RankedDoc]:
    """Yield the labels that a run ranks, in normalised form. Repetitions, texts that are no labels, and claims that the
    campaign does not have are left out.
    """
    known = {topic.number for topic in context.topics if topic.task == EVIDENCE}
    for claim, row in last_rows(file).items():
        if known and claim not in known:
            continue
        labels = dict.fromkeys(label for each in row.strict_labels if (label := proper_label(each)) is not None)
        for rank, label in enumerate(labels, start=1):
            yield RankedDoc(topic=claim, docno=label, rank=rank, score=float(-rank))


def last_rows(file: BinaryIO) -> dict[str, EvidenceRow]:
    """Return claim -> its last row, since only the last row of a claim counts. Claims are in the order in which they
    first occur.
    """
    return {row.claim: row for row in read_evidence_answers(file) if isinstance(row, EvidenceRow)}


def read_grounding_segments(file: BinaryIO, context: CheckContext) -> Iterator[SegmentRecord]:
    """Yield the descriptions and then the snippets of each claim, in one numbering. Empty texts, and claims that the
    campaign does not have, are left out.

    Equal words, apart from white space, are the same item of their kind.
    """
    topics = {topic.number: topic for topic in context.topics if topic.task == GROUNDING}
    for claim, answer in last_answers(file).items():
        number = grounding_number(claim)
        if topics and number not in topics:
            continue
        citekey = citekey_of(topics[number]) if topics else ""
        kinds = [*((DESCRIPTION, text) for text in answer.descriptions), *((SNIPPET, text) for text in answer.snippets)]
        for ordinal, (kind, text) in enumerate(((kind, text) for kind, text in kinds if text.strip()), start=1):
            yield SegmentRecord(
                topic=number,
                ordinal=ordinal,
                text=text,
                docno=citekey,
                item_kind=kind,
                item_key=text_key(text),
            )


def last_answers(file: BinaryIO) -> dict[str, GroundingAnswer]:
    """Return claim -> its last answer, since only the last answer to a claim counts. Claims are in the order in which
    they first occur.
    """
    return {answer.claim: answer for answer in read_answers(file) if isinstance(answer, GroundingAnswer)}


def text_key(text: str) -> str:
    """Return the key of the item for a description or snippet: 32 hexadecimal digits. Texts with equal words have equal
    keys.

    >>> text_key(" two  cats ") == text_key("two cats")
    True
    """
    return hashlib.sha256(fold_answer(text).encode(errors="surrogatepass")).hexdigest()[:32]


def published_form(file: BinaryIO) -> RunForm:
    """Return a form for a file that was published without one. Such files do not name their authors."""
    del file
    return RunForm(priority=1)


def _texts(values: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    return tuple(values[name]) if name in values else None
