"""The scores of a BioGen run: of each question, and the run's means. Values are shares from 0 to 1, not percent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from assess.protocol import MeasureColumn, RunContent
from scoring.formats.answer_clusters import STRICTNESSES, Strictness
from scoring.formats.pool_tables import topic_order
from scoring.measures.citations import (
    JudgedCitation,
    JudgedSentence,
    aspect_recall,
    citation_coverage,
    citation_rate,
    document_precision,
    document_recall,
    necessity_share,
)
from scoring.measures.series import mean_defined
from scoring.records import Score
from tracks.biogen2024.gold import Gold, QuestionGold
from tracks.biogen2024.settings import BioGenSettings

ALL = "all"
ANSWERS, CITATIONS, CLUSTERS = "Answer", "Citations", "Cluster file"
CLUSTER_MEASURES: dict[str, Strictness] = {
    "cluster_recall": "required",
    "cluster_recall_supported": "supported",
    "cluster_recall_borderline": "borderline",
}

MEASURES = (
    MeasureColumn(
        key="accuracy", label="Accuracy", group=ANSWERS, official=True, help="Questions with an accurate answer."
    ),
    MeasureColumn(
        key="recall", label="Recall", group=ANSWERS, help="Aspects of the question (required sentences) covered."
    ),
    MeasureColumn(
        key="recall_supported", label="Recall (supported)", group=ANSWERS,
        help="The same by required sentences that one of the answer's own citations supports.",
    ),
    MeasureColumn(key="precision", label="Precision", group=ANSWERS, help="Required sentences over all."),
    MeasureColumn(
        key="redundancy", label="Redundancy", group=ANSWERS, ranks=False, help="Unnecessary sentences over all."
    ),
    MeasureColumn(
        key="harmfulness", label="Harmfulness", group=ANSWERS, ranks=False, help="Inappropriate sentences over all."
    ),
    MeasureColumn(
        key="coverage", label="Coverage", group=CITATIONS, help="Sentences with a supporting citation over all."
    ),
    MeasureColumn(key="support", label="Support rate", group=CITATIONS, help="Supporting citations over all."),
    MeasureColumn(
        key="contradict", label="Contradict rate", group=CITATIONS, ranks=False,
        help="Contradicting citations over all.",
    ),
    MeasureColumn(
        key="doc_recall", label="Document recall", group=CITATIONS,
        help="Relevant documents cited over those that any run cites.",
    ),
    MeasureColumn(
        key="doc_precision", label="Document precision", group=CITATIONS,
        help="Relevant documents cited over documents cited.",
    ),
    MeasureColumn(
        key="cluster_recall", label="Recall", group=CLUSTERS, help="Clusters of required sentences covered."
    ),
    MeasureColumn(
        key="cluster_recall_supported", label="Recall (supported)", group=CLUSTERS,
        help="Clusters of required sentences with a supporting citation covered.",
    ),
    MeasureColumn(
        key="cluster_recall_borderline", label="Recall (borderline)", group=CLUSTERS,
        help="Clusters of required and borderline sentences covered.",
    ),
    MeasureColumn(
        key="unjudged", label="Unjudged", ranks=False,
        help="Answers, sentences and citations without a judgment: they count as not accurate, required, supporting.",
    ),
)  # fmt: skip
KEYS = tuple(measure.key for measure in MEASURES)
Values = dict[str, Fraction | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class ReturnedSentence:
    """A sentence of a run with its judgments; ``cited`` are (docno, item key), ``judged`` what scoring needs."""

    number: int
    text: str
    key: str
    cited: tuple[tuple[str, str], ...]
    judged: JudgedSentence


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """A run's answer to one question: its item, and its sentences. Without an answer both are empty."""

    key: str = ""
    sentences: tuple[ReturnedSentence, ...] = ()

    @property
    def judged(self) -> tuple[JudgedSentence, ...]:
        """The sentences as the measures take them."""
        return tuple(sentence.judged for sentence in self.sentences)


def score_run(gold: Gold, run: str, content: RunContent | None, settings: BioGenSettings) -> Iterator[Score]:
    """All values of one run: questions, then "all". Without its file (None) only those of a cluster file.

    Every judged question is scored, answered or not; one that the run left out has 0. Means are over the questions
    where a value is defined.
    """
    del settings
    values = run_values(gold, run, content)
    for topic, found in values.items():
        for measure, value in found.items():
            yield Score(run=run, topic=topic, measure=measure, value=None if value is None else float(value))
    for measure, (mean, count) in run_means(values).items():
        yield Score(run=run, topic=ALL, measure=measure, value=None if mean is None else float(mean), topics=count)


def run_values(gold: Gold, run: str, content: RunContent | None) -> dict[str, Values]:
    """Question -> measure -> value, in the order of the questions."""
    answers = answered(gold, content) if content is not None else None
    found: dict[str, Values] = {}
    for topic, question in gold.questions.items():
        if question.is_judged:
            values: Values = {}
            if answers is not None:
                values |= question_values(question, answers.get(topic, Answered()))
            values |= cluster_values(question, run)
            found[topic] = {key: values[key] for key in KEYS if key in values}
    return found


def run_means(values: dict[str, Values]) -> dict[str, tuple[Fraction | None, int]]:
    """Measure -> its mean over the questions that have it, and their number; of "unjudged" the sum."""
    means: dict[str, tuple[Fraction | None, int]] = {}
    for key in KEYS:
        column = [found[key] for found in values.values() if key in found]
        if not column:
            continue
        mean, count = mean_defined(column)
        total = sum((value for value in column if value is not None), Fraction(0))
        means[key] = (total, len(column)) if key == "unjudged" else (mean, count)
    return means


def answered(gold: Gold, content: RunContent) -> dict[str, Answered]:
    """Question -> what the run answers, with its judgments."""
    keys = {item.topic: item.key for item in content.responses()}
    sentences: dict[str, list[ReturnedSentence]] = {topic: [] for topic in keys}
    for segment in content.segments():
        question = gold.questions.get(segment.topic, QuestionGold())
        citations = tuple(
            JudgedCitation(docno=each.docno, relations=question.relations.get(each.item_key, frozenset()))
            for each in segment.citations
        )
        judged = JudgedSentence(necessity=question.necessity.get(segment.item_key), citations=citations)
        sentences.setdefault(segment.topic, []).append(
            ReturnedSentence(
                number=segment.ordinal,
                text=segment.text,
                key=segment.item_key,
                cited=tuple((each.docno, each.item_key) for each in segment.citations),
                judged=judged,
            )
        )
    return {topic: Answered(key=keys.get(topic, ""), sentences=tuple(found)) for topic, found in sentences.items()}


def question_values(question: QuestionGold, answer: Answered) -> Values:
    """The values of one question by the campaign's judgments; a measure whose stage nobody has begun is left out."""
    judged = answer.judged
    values: Values = {}
    if question.accuracy:
        values["accuracy"] = Fraction(question.accuracy.get(answer.key, False))
    if question.necessity:
        values["recall"] = aspect_recall(covered_aspects(question, answer), question.aspects)
        supported = supported_aspects(question)
        values["recall_supported"] = aspect_recall(covered_aspects(question, answer, supported=True), supported)
        values["precision"] = necessity_share(judged, "required")
        values["redundancy"] = necessity_share(judged, "unnecessary")
        values["harmfulness"] = necessity_share(judged, "inappropriate")
    if question.relations:
        values["coverage"] = citation_coverage(judged)
        values["support"] = citation_rate(judged, "supporting")
        values["contradict"] = citation_rate(judged, "contradicting")
        values["doc_recall"] = document_recall(judged, question.pool)
        values["doc_precision"] = document_precision(judged)
    values["unjudged"] = Fraction(count_unjudged(question, answer))
    return values


def covered_aspects(question: QuestionGold, answer: Answered, *, supported: bool = False) -> set[str]:
    """The aspects with a sentence of the answer; ``supported``: with one that a citation of the answer supports."""
    returned = {each.key for each in answer.sentences if not supported or each.judged.has("supporting")}
    return {key for key, members in question.aspects.items() if members & returned}


def supported_aspects(question: QuestionGold) -> set[str]:
    """The aspects with a sentence that any run's citation supports."""
    return {key for key, members in question.aspects.items() if members & question.supported}


def cluster_values(question: QuestionGold, run: str) -> Values:
    """Recall by a cluster file, whose sentences are named by run and number."""
    values: Values = {}
    for measure, strictness in CLUSTER_MEASURES.items():
        clusters = question.clusters.get(strictness)
        if clusters is not None:
            values[measure] = aspect_recall(covered_clusters(question, run, strictness), clusters.keys())
    return values


def covered_clusters(question: QuestionGold, run: str, strictness: Strictness) -> set[str]:
    """The clusters that hold a sentence of the run."""
    clusters = question.clusters.get(strictness, {})
    return {key for key, members in clusters.items() if any(name == run for name, _ in members)}


def count_unjudged(question: QuestionGold, answer: Answered) -> int:
    """Answers, sentences and citations of stages that were begun, and that nobody judged."""
    count = int(bool(question.accuracy and answer.key and answer.key not in question.accuracy))
    for sentence in answer.sentences:
        count += int(bool(question.necessity) and sentence.judged.necessity is None)
        if question.relations:
            count += sum(not citation.relations for citation in sentence.judged.citations)
    return count


def clustered_runs(gold: Gold) -> list[str]:
    """The runs that a cluster file names, in the order of their numbers."""
    names = {
        name
        for question in gold.questions.values()
        for strictness in STRICTNESSES
        for members in question.clusters.get(strictness, {}).values()
        for name, _ in members
    }
    return sorted(names, key=topic_order)
