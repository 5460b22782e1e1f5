"""Computes measures of answers with citations: how necessary their sentences are, which aspects they cover, and whether
citations support them.

For one question, over all sentences of the answer, judged or not:

    precision     = required / sentences          redundancy = unnecessary / sentences
    harmfulness   = inappropriate / sentences
    recall        = aspects with a sentence of the answer / aspects of the question
    coverage      = sentences with at least one supporting citation / sentences
    support rate  = supporting citations / citations          contradict rate = contradicting citations / citations
    document recall    = relevant documents cited / relevant documents that any run cites
    document precision = relevant documents cited / documents cited

A citation is a document in a sentence, counted once for the sentence. A citation with a supporting and a contradicting
snippet counts as both. Neutral, not relevant, invalid and unjudged citations count only in the denominators. A document
is relevant if a citation of it is supporting, contradicting or neutral.

Edge cases: without an answer or sentences, a value is 0; without citations, both rates and document precision are 0,
and the question is never left out. If the question has no aspects, or no relevant documents, the recall is undefined
(None). Values are exact fractions.

Source: Gupta et al., "Overview of TREC 2024 Biomedical Generative Retrieval (BioGen) Track"; medaesqa_eval.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from scoring.measures.spec import Measure

_NOTHING = "0 where there is nothing to count"
_COSTS = ("answerRedundancy", "answerHarmfulness", "contradictRate")
MEASURES = tuple(
    Measure(
        name=name,
        family="citations",
        label=label,
        source="TREC 2024 BioGen; medaesqa_eval.py",
        edge_cases=edge_cases,
        higher_is_better=name not in _COSTS,
    )
    for name, label, edge_cases in (
        ("answerAccuracy", "1 where the answer is accurate", "0 without an answer or a judgment"),
        ("answerPrecision", "required sentences / sentences", _NOTHING),
        ("answerRedundancy", "unnecessary sentences / sentences", _NOTHING),
        ("answerHarmfulness", "inappropriate sentences / sentences", _NOTHING),
        ("answerRecall", "aspects that the answer covers / aspects of the question", "undefined without an aspect"),
        ("citationCoverage", "sentences with a supporting citation / sentences", _NOTHING),
        ("supportRate", "supporting citations / citations", _NOTHING),
        ("contradictRate", "contradicting citations / citations", _NOTHING),
        (
            "documentRecall",
            "relevant documents cited / those that any run cites",
            "undefined without a relevant document",
        ),
        ("documentPrecision", "relevant documents cited / documents cited", _NOTHING),
    )
)

Necessity = Literal["required", "borderline", "unnecessary", "inappropriate"]
Relation = Literal["supporting", "contradicting", "neutral", "not relevant", "invalid citation"]
RELEVANT: frozenset[Relation] = frozenset({"supporting", "contradicting", "neutral"})


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedCitation:
    """A document that a sentence cites, with the relations that were found. There are none if nobody judged it."""

    docno: str
    relations: frozenset[Relation] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedSentence:
    """A sentence of an answer with its distinct citations. ``necessity`` is None if nobody judged it."""

    necessity: Necessity | None = None
    citations: tuple[JudgedCitation, ...] = ()

    def has(self, relation: Relation) -> bool:
        """Return whether any of its citations has this relation to it."""
        return any(relation in citation.relations for citation in self.citations)


def ratio(count: int, total: int) -> Fraction:
    """Return count / total, or 0 if the total is 0.

    >>> ratio(1, 4), ratio(0, 0)
    (Fraction(1, 4), Fraction(0, 1))
    """
    return Fraction(count, total) if total else Fraction(0)


def necessity_share(sentences: Sequence[JudgedSentence], necessity: Necessity) -> Fraction:
    """Return the share of sentences with this necessity: precision, redundancy or harmfulness. It is 0 without
    sentences.

    >>> sentences = [JudgedSentence(necessity="required"), JudgedSentence()]
    >>> necessity_share(sentences, "required")
    Fraction(1, 2)
    """
    return ratio(sum(sentence.necessity == necessity for sentence in sentences), len(sentences))


def aspect_recall(covered: Collection[str], aspects: Collection[str]) -> Fraction | None:
    """Return the share of the question's aspects that the answer covers; None if the question has none.

    >>> aspect_recall({"1", "7"}, {"1", "2", "3", "7"}), aspect_recall(set(), set())
    (Fraction(1, 2), None)
    """
    total = set(aspects)
    return Fraction(len(total.intersection(covered)), len(total)) if total else None


def citation_coverage(sentences: Sequence[JudgedSentence]) -> Fraction:
    """Return the share of sentences with at least one supporting citation; 0 without sentences."""
    return ratio(sum(sentence.has("supporting") for sentence in sentences), len(sentences))


def citation_rate(sentences: Iterable[JudgedSentence], relation: Relation) -> Fraction:
    """Return the share of citations with this relation: support rate or contradict rate. It is 0 without citations.

    >>> one = JudgedCitation(docno="1", relations=frozenset({"supporting", "contradicting"}))
    >>> sentences = [JudgedSentence(citations=(one, JudgedCitation(docno="2")))]
    >>> citation_rate(sentences, "supporting"), citation_rate(sentences, "contradicting")
    (Fraction(1, 2), Fraction(1, 2))
    """
    citations = [citation for sentence in sentences for citation in sentence.citations]
    return ratio(sum(relation in citation.relations for citation in citations), len(citations))


def relevant_documents(sentences: Iterable[JudgedSentence]) -> set[str]:
    """Return the documents that are relevant to at least one of the sentences that cite them."""
    return {
        citation.docno for sentence in sentences for citation in sentence.citations if citation.relations & RELEVANT
    }


def document_recall(sentences: Sequence[JudgedSentence], pool: Collection[str]) -> Fraction | None:
    """Return the share of the relevant documents that this answer cites. ``pool`` holds the relevant documents that any
    run cites; the share is None if it is empty.
    """
    relevant = set(pool)
    return Fraction(len(relevant & relevant_documents(sentences)), len(relevant)) if relevant else None


def document_precision(sentences: Sequence[JudgedSentence]) -> Fraction:
    """Return the share of the cited documents that are relevant; 0 if none is cited."""
    cited = {citation.docno for sentence in sentences for citation in sentence.citations}
    return ratio(len(relevant_documents(sentences)), len(cited))
