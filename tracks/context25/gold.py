"""The gold for claims: figures, snippets and descriptions, annotated here or released, and people's ratings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assess.protocol import Findings, TopicRecord
from scoring.formats.context25_claims import (
    Entity,
    EvidenceClaim,
    GroundingClaim,
    last_of_each,
    read_evidence_claims,
    read_grounding_claims,
    write_evidence_claims,
    write_grounding_claims,
)
from scoring.formats.grades import read_item_grades
from scoring.measures.text_overlap import why_no_bertscore
from scoring.reading.json_reading import load_json
from scoring.reading.opening import CannotOpen, open_input
from scoring.records import Issue, ItemGrade
from scoring.release.recorded_acts import NuggetWritten
from tracks.context25.files import (
    DESCRIPTION,
    EVIDENCE,
    GROUNDING,
    SNIPPET,
    evidence_claim,
    grounding_claim,
    grounding_number,
)
from tracks.input_files import GoldKind, Reader, file_issue, kind_by_content, load_records

EVIDENCE_GOLD, GROUNDING_GOLD = "task1-gold.json", "task2-gold.json"
DESCRIPTION_RATINGS, SNIPPET_RATINGS = "description-ratings.jsonl", "snippet-ratings.jsonl"
RATINGS = (DESCRIPTION_RATINGS, SNIPPET_RATINGS)
GOLD_FILES = (EVIDENCE_GOLD, GROUNDING_GOLD, *RATINGS)
ADJUDICATOR = "adjudicator"
NOT_SCORED = frozenset({"judgments.jsonl", "manifest.json", "scores.tsv"})


KINDS = (
    GoldKind(name=DESCRIPTION_RATINGS, read=read_item_grades, fits=lambda grade: grade.kind == DESCRIPTION),
    GoldKind(name=SNIPPET_RATINGS, read=read_item_grades, fits=lambda grade: grade.kind == SNIPPET),
    GoldKind(name=GROUNDING_GOLD, read=read_grounding_claims),
    GoldKind(name=EVIDENCE_GOLD, read=read_evidence_claims),
)

COUNTING: dict[str, Callable[[Findings], tuple[str, ...]]] = {
    "last": lambda given: given[-1],
    "first": lambda given: given[0],
    "all": lambda given: tuple(dict.fromkeys(label for findings in given for label in findings)),
}
"""The findings that count for a claim that was given twice, by the values of `claims_twice` and `claims_chosen`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Gold:
    """All gold. Claims are listed by topic number, in file order. ``ratings`` maps ((topic, kind, key), criterion) to a
    value.
    """

    evidence: dict[str, EvidenceClaim] = field(default_factory=dict)
    grounding: dict[str, GroundingClaim] = field(default_factory=dict)
    ratings: dict[tuple[str, str, str], dict[str, int]] = field(default_factory=dict)


def build_gold(records: Mapping[str, Iterable[Any]], settings: Any, report: Callable[[Issue], None]) -> Gold:
    """Build gold from the records of each file (by export name). Claims without any gold, and claims that the settings
    do not choose for judging, are left out.

    A warning is reported if nothing can be scored. If there are texts that BERTScore could compare but it is not
    available, a note says why.
    """
    gold = Gold(
        evidence={
            claim.id: _chosen(claim, settings.choices.get(claim.id, settings.claims_twice))
            for claim in last_of_each(list(evidence_claims(records.get(EVIDENCE_GOLD, ()))))
            if claim.findings is not None and _counts(claim, claim.id, settings)
        },
        grounding={
            grounding_number(claim.id): claim
            for claim in last_of_each(list(grounding_claims(records.get(GROUNDING_GOLD, ()))))
            if (claim.snippets is not None or claim.entities is not None)
            and _counts(claim, grounding_number(claim.id), settings)
        },
    )
    for name in RATINGS:
        for record in records.get(name, ()):
            if record.value is not None:
                gold.ratings.setdefault((record.topic, record.kind, record.key), {})[record.criterion] = record.value
    if not gold.evidence and not gold.grounding:
        report(file_issue("", "no-gold", "There are no claims with gold figures, snippets or descriptions.", "warning"))
    if gold.grounding and (why := why_no_bertscore()):
        report(file_issue("", "no-bertscore", why, "note"))
    return gold


def findings_given(topic: TopicRecord) -> Findings:
    """Return the findings of each claim with this id, in file order. Return () unless the topic is of the evidence task
    and several claims have different findings.
    """
    return _given(evidence_claim(topic)) if topic.task == EVIDENCE else ()


def _given(claim: EvidenceClaim) -> Findings:
    return (*claim.others, claim.findings or ()) if claim.others else ()


def _counts(claim: EvidenceClaim | GroundingClaim, number: str, settings: Any) -> bool:
    """Return whether the claim is judged: the settings choose it, or it was annotated without that."""
    return not settings.judged_topics or number in settings.judged_topics or claim.is_annotated


def _chosen(claim: EvidenceClaim, which: str) -> EvidenceClaim:
    """Return the claim with the findings that count. If the claim was released several times with different findings,
    ``which`` says which of these count. Findings that were picked in this campaign are not changed.
    """
    given = _given(claim)
    return claim if claim.is_annotated or not given else replace(claim, findings=COUNTING[which](given))


def load_gold(files: Mapping[str, Path], settings: Any, report: Callable[[Issue], None]) -> Gold:
    """Load gold from exported or released files. The content of a file of claims shows its task."""
    twice = "There is another file with gold of this task; give one."
    known = ", ".join(GOLD_FILES)
    records = load_records(files, _gold_of, report, known=known, passed_over=NOT_SCORED, twice=twice)
    return build_gold(records, settings, report)


def claim_topics(gold: Gold) -> Iterator[TopicRecord]:
    """Yield the claims with gold as topics, for checking runs."""
    for number, claim in gold.evidence.items():
        yield TopicRecord(number=number, task=EVIDENCE, text=claim.claim)
    for number, described in gold.grounding.items():
        fields = {"documents": [described.citekey]}
        yield TopicRecord(number=number, task=GROUNDING, text=described.claim, fields=fields)


def gold_name(name: str, path: Path) -> str:
    """Return the name of a gold file if it shows what the file is. Otherwise return the name for the kind of gold file
    that its content fits.
    """
    return name if name in RATINGS or name.endswith(".json") else kind_by_content(path, KINDS)


# ---------------------------------------------------------------- claims with what was annotated


def evidence_claims(records: Iterable[EvidenceClaim | TopicRecord | ItemGrade]) -> Iterator[EvidenceClaim]:
    """Yield the claims of the evidence task, given as claims or as topics, each followed by the labels that were picked
    for it. These labels, in order, become the claim's findings. If none were picked, the claim keeps the released
    findings.
    """
    for topic, acts in _with_acts(records):
        if isinstance(topic, EvidenceClaim):
            yield topic
            continue
        claim, findings = evidence_claim(topic), tuple(_picked(acts))
        yield replace(claim, findings=findings, is_annotated=True) if findings else claim


def grounding_claims(records: Iterable[GroundingClaim | TopicRecord | NuggetWritten]) -> Iterator[GroundingClaim]:
    """Yield the claims of the grounding task, given as claims or as topics, each followed by its frozen list.

    If there is a frozen list, the claim gets the list's descriptions and the quotes of their sources. Otherwise it
    keeps the released descriptions and quotes.
    """
    for topic, acts in _with_acts(records):
        if isinstance(topic, GroundingClaim):
            yield topic
            continue
        written = sorted((act for act in acts if isinstance(act, NuggetWritten)), key=lambda act: act.number)
        claim = grounding_claim(topic)
        if written:
            quotes = dict.fromkeys(source.quote for act in written for source in act.sources if source.quote)
            entities = tuple(Entity(text=act.text, kind=act.group) for act in written)
            claim = replace(claim, snippets=tuple(quotes), entities=entities, is_annotated=True)
        yield claim


def write_evidence_gold(records: Iterable[Any]) -> Iterator[str]:
    """Yield the lines of the gold file of the evidence task. The records are topics, each followed by acts, or
    claims.
    """
    return write_evidence_claims(evidence_claims(records))


def write_grounding_gold(records: Iterable[Any]) -> Iterator[str]:
    """Yield the lines of the gold file of the grounding task. The records are topics, each followed by acts, or
    claims.
    """
    return write_grounding_claims(grounding_claims(records))


def _picked(grades: Iterable[Any]) -> list[str]:
    """Return the labels that were picked for a claim, in order. They are those that the adjudicator picked or, if an
    adjudicator picked none, those that the assessor picked.
    """
    given = [grade for grade in grades if isinstance(grade, ItemGrade) and grade.value is not None]
    settled = [grade for grade in given if grade.role == ADJUDICATOR]
    return [grade.text or grade.key for grade in sorted(settled or given, key=lambda grade: (grade.value, grade.key))]


def _with_acts(records: Iterable[Any]) -> Iterator[tuple[Any, list[Any]]]:
    """Yield each claim or topic with the acts that follow it."""
    topic: Any = None
    acts: list[Any] = []
    for record in records:
        if isinstance(record, ItemGrade | NuggetWritten):
            acts.append(record)
            continue
        if topic is not None:
            yield topic, acts
        topic, acts = record, []
    if topic is not None:
        yield topic, acts


# ---------------------------------------------------------------- files


def _gold_of(plain: str, path: Path) -> tuple[str, Reader] | None:
    """Return (name of a kind of gold, its reader) for a file, or None if the file is not gold."""
    if plain in RATINGS:
        return plain, read_item_grades
    return _claims_in(path) if plain.endswith(".json") else None


def _claims_in(path: Path) -> tuple[str, Reader]:
    """Return the name of the gold that a file of claims holds, and its reader. The task is grounding if the first claim
    names a paper and no page images, otherwise evidence.
    """
    first: object = None
    try:
        with open_input(path) as file:
            value = load_json(file)
        first = value[0] if isinstance(value, list) and value else None
    except CannotOpen:
        pass
    if isinstance(first, dict) and "citekey" in first and "necessary_pages" not in first:
        return GROUNDING_GOLD, read_grounding_claims
    return EVIDENCE_GOLD, read_evidence_claims
