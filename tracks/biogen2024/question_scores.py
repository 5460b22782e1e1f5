"""Compute the values of one BioGen question, each with the sentences, citations, aspects or clusters behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from assess.protocol import About, Step
from scoring.formats.answer_clusters import Strictness
from scoring.formats.pool_tables import topic_order
from scoring.measures.citations import (
    JudgedSentence,
    Necessity,
    Relation,
    aspect_recall,
    citation_coverage,
    citation_rate,
    document_precision,
    document_recall,
    necessity_share,
    relevant_documents,
)
from scoring.release.explained import Account, Node
from scoring.release.formulas import show
from scoring.release.phrases import Phrase, yes_or_no
from tracks.biogen2024.gold import QuestionGold
from tracks.biogen2024.runs import ANSWER, CITATION, SENTENCE

CLUSTER_MEASURES: dict[str, Strictness] = {
    "cluster_recall": "required",
    "cluster_recall_supported": "supported",
    "cluster_recall_borderline": "borderline",
}

NECESSITIES: dict[str, Necessity] = {
    "precision": "required",
    "redundancy": "unnecessary",
    "harmfulness": "inappropriate",
}
RELATIONS: dict[str, Relation] = {"support": "supporting", "contradict": "contradicting"}

Steps = Callable[[], tuple[Step, ...]]


@dataclass(frozen=True, kw_only=True, slots=True)
class ReturnedSentence:
    """A sentence of a run with its judgments. ``cited`` holds (docno, item key) pairs; ``judged`` is the sentence in
    the form that the measures need.
    """

    number: int
    text: str
    key: str
    cited: tuple[tuple[str, str], ...]
    judged: JudgedSentence


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """A run's answer to one question: the key of its item, and its sentences. Both are empty if the run did not
    answer.
    """

    topic: str
    key: str = ""
    sentences: tuple[ReturnedSentence, ...] = ()

    @property
    def judged(self) -> tuple[JudgedSentence, ...]:
        """Return the sentences in the form that the measures need."""
        return tuple(sentence.judged for sentence in self.sentences)


def question_nodes(question: QuestionGold, answer: Answered) -> dict[str, Node]:
    """Return the values of one question that are computed from the campaign's judgments. Measures of stages that have
    not begun are left out.
    """
    nodes: dict[str, Node] = {}
    if question.accuracy:
        nodes["accuracy"] = _accuracy(question, answer)
    if question.necessity:
        nodes["recall"] = _recall(question, answer, set(question.aspects))
        nodes["recall_supported"] = _recall(question, answer, supported_aspects(question), supported=True)
        nodes |= {measure: _necessity(answer, wanted) for measure, wanted in NECESSITIES.items()}
    if question.relations:
        nodes["coverage"] = _coverage(answer)
        nodes |= {measure: _rate(answer, wanted) for measure, wanted in RELATIONS.items()}
        nodes["doc_recall"] = _document_recall(question, answer)
        nodes["doc_precision"] = _document_precision(question, answer)
    nodes["unjudged"] = _unjudged(question, answer)
    return nodes


def cluster_nodes(question: QuestionGold, run: str) -> dict[str, Node]:
    """Return the recall measures that are based on a cluster file, which names sentences by run and number."""
    return {
        measure: _cluster_recall(question.clusters[strictness], run)
        for measure, strictness in CLUSTER_MEASURES.items()
        if strictness in question.clusters
    }


def supported_aspects(question: QuestionGold) -> set[str]:
    """Return the aspects that have at least one sentence supported by a citation of any run."""
    return {key for key, members in question.aspects.items() if members & question.supported}


# ---------------------------------------------------------------- one measure each


def _share(value: Fraction | None, words: Phrase, count: int, total: int, steps: Steps) -> Node:
    """Return a node for a share, explained by a phrase and by counts. If there is nothing to share (``total`` is 0),
    ``value`` is 0 or None, as the measure defines it.
    """

    def account() -> Account:
        found = {"words": words, "count": count, "total": total}
        if value is None:
            formula = Phrase("undefined: {words} = {count} / {total}", **found)
        else:
            formula = Phrase("{words} = {count} / {total} = {value}", **found, value=show(value))
        return Account(formula=formula, steps=steps(), arithmetic=f"{count} / {total}" if total else "0")

    return Node(value=value, account=account)


def _accuracy(question: QuestionGold, answer: Answered) -> Node:
    value = Fraction(question.accuracy.get(answer.key, False))

    def account() -> Account:
        if not answer.key:
            said = Phrase("there is no answer")
        elif answer.key not in question.accuracy:
            said = Phrase("nobody judged the answer")
        else:
            is_accurate = question.accuracy[answer.key]
            said = Phrase("judged accurate") if is_accurate else Phrase("judged not accurate")
        whole = Step(
            label=Phrase("The answer"),
            value=said,
            header=(Phrase("judgment"), Phrase("text")),
            rows=((said, " ".join(each.text for each in answer.sentences)),),
            about=(_item(answer, ANSWER, answer.key) if answer.key else None,),
        )
        formula = Phrase("accuracy: {said} = {value}", said=said, value=show(value))
        return Account(formula=formula, steps=(whole, _sentences(answer)), arithmetic=str(int(value)))

    return Node(value=value, account=account)


def _necessity(answer: Answered, wanted: Necessity) -> Node:
    count = sum(each.judged.necessity == wanted for each in answer.sentences)
    words = Phrase("{kind} sentences / sentences", kind=Phrase(wanted))
    value = necessity_share(answer.judged, wanted)
    return _share(value, words, count, len(answer.sentences), lambda: (_sentences(answer),))


def _recall(question: QuestionGold, answer: Answered, wanted: set[str], *, supported: bool = False) -> Node:
    """Return a node for the recall of aspects. If ``supported``, an aspect counts only through a sentence that a
    citation of this answer supports.
    """
    returned = {each.key: each for each in answer.sentences if not supported or each.judged.has("supporting")}
    covered = {key for key in wanted if question.aspects[key] & returned.keys()}
    ordered = sorted(wanted, key=topic_order)

    def steps() -> tuple[Step, ...]:
        rows = []
        for key in ordered:
            numbers = [
                str(each.number)
                for each in answer.sentences
                if each.key in question.aspects[key] and (not supported or each.judged.has("supporting"))
            ]
            rows.append((question.labels.get(key, key), yes_or_no(key in covered), ", ".join(numbers)))
        step = Step(
            label=Phrase("Aspects covered"),
            value=Phrase("{count} of {all}", count=len(covered), all=len(wanted)),
            header=(Phrase("aspect"), Phrase("covered"), Phrase("by sentence")),
            rows=tuple(rows),
            about=tuple(About(kind="class", topic=answer.topic, key=key) for key in ordered),
        )
        return step, _sentences(answer)

    words = Phrase("aspects covered / aspects")
    return _share(aspect_recall(covered, wanted), words, len(covered), len(wanted), steps)


def _coverage(answer: Answered) -> Node:
    count = sum(each.judged.has("supporting") for each in answer.sentences)
    words = Phrase("sentences with a supporting citation / sentences")
    value = citation_coverage(answer.judged)
    return _share(value, words, count, len(answer.sentences), lambda: (_citations(answer), _sentences(answer)))


def _rate(answer: Answered, wanted: Relation) -> Node:
    citations = [citation for each in answer.sentences for citation in each.judged.citations]
    count = sum(wanted in citation.relations for citation in citations)
    words = Phrase("{kind} citations / citations", kind=Phrase(wanted))
    return _share(citation_rate(answer.judged, wanted), words, count, len(citations), lambda: (_citations(answer),))


def _document_recall(question: QuestionGold, answer: Answered) -> Node:
    count = len(relevant_documents(answer.judged) & question.pool)
    words = Phrase("relevant documents cited / relevant documents of the pool")
    label = Phrase("Relevant documents of the pool")

    def steps() -> tuple[Step, ...]:
        return _documents(question, answer, label, question.pool), _citations(answer)

    return _share(document_recall(answer.judged, question.pool), words, count, len(question.pool), steps)


def _document_precision(question: QuestionGold, answer: Answered) -> Node:
    cited = _cited_documents(answer)

    def steps() -> tuple[Step, ...]:
        return _documents(question, answer, Phrase("Documents cited"), cited), _citations(answer)

    words = Phrase("relevant documents cited / documents cited")
    return _share(document_precision(answer.judged), words, len(relevant_documents(answer.judged)), len(cited), steps)


def _unjudged(question: QuestionGold, answer: Answered) -> Node:
    """Return a node for the number of unjudged answers, sentences and citations. Stages that have not begun are left
    out.
    """
    count = int(bool(question.accuracy and answer.key and answer.key not in question.accuracy))
    for sentence in answer.sentences:
        count += int(bool(question.necessity) and sentence.judged.necessity is None)
        if question.relations:
            count += sum(not citation.relations for citation in sentence.judged.citations)

    def account() -> Account:
        formula = Phrase("unjudged: answers, sentences and citations without a judgment = {count}", count=count)
        return Account(formula=formula, steps=(_sentences(answer), _citations(answer)), arithmetic=str(count))

    return Node(value=Fraction(count), account=account)


def _cluster_recall(clusters: dict[str, set[tuple[str, str]]], run: str) -> Node:
    """Return the share of these clusters that contain a sentence of the run."""
    covered = {key for key, members in clusters.items() if any(name == run for name, _ in members)}

    def steps() -> tuple[Step, ...]:
        rows = []
        for key in sorted(clusters, key=topic_order):
            numbers = sorted((number for name, number in clusters[key] if name == run), key=topic_order)
            rows.append((key, yes_or_no(key in covered), ", ".join(numbers)))
        value = Phrase("{count} of {all}", count=len(covered), all=len(clusters))
        header = (Phrase("cluster"), Phrase("covered"), Phrase("by sentence"))
        return (Step(label=Phrase("Clusters covered"), value=value, header=header, rows=tuple(rows)),)

    value = aspect_recall(covered, clusters.keys())
    return _share(value, Phrase("clusters covered / clusters"), len(covered), len(clusters), steps)


# ---------------------------------------------------------------- rows


def _item(answer: Answered, kind: str, key: str) -> About:
    return About(kind="item", topic=answer.topic, name=kind, key=key)


def _sentences(answer: Answered) -> Step:
    return Step(
        label=Phrase("Sentences"),
        value=str(len(answer.sentences)),
        header=(Phrase("sentence"), Phrase("judgment"), Phrase("text")),
        rows=tuple(
            (str(each.number), Phrase(each.judged.necessity or "unjudged"), each.text) for each in answer.sentences
        ),
        about=tuple(_item(answer, SENTENCE, each.key) for each in answer.sentences),
    )


def _citations(answer: Answered) -> Step:
    rows = tuple(
        (str(each.number), citation.docno, ", ".join(sorted(citation.relations)) or Phrase("unjudged"))
        for each in answer.sentences
        for citation in each.judged.citations
    )
    about = tuple(_item(answer, CITATION, key) for each in answer.sentences for _, key in each.cited)
    header = (Phrase("sentence"), Phrase("document"), Phrase("judgment"))
    return Step(label=Phrase("Citations"), value=str(len(rows)), header=header, rows=rows, about=about)


def _cited_documents(answer: Answered) -> set[str]:
    return {docno for each in answer.sentences for docno, _ in each.cited}


def _documents(question: QuestionGold, answer: Answered, label: str, listed: set[str]) -> Step:
    cited, relevant = _cited_documents(answer), relevant_documents(answer.judged) | question.pool
    rows = tuple(
        (docno, yes_or_no(docno in cited), yes_or_no(docno in relevant)) for docno in sorted(listed, key=topic_order)
    )
    return Step(
        label=label, value=str(len(rows)), header=(Phrase("document"), Phrase("cited"), Phrase("relevant")), rows=rows
    )
