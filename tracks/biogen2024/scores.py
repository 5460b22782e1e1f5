"""The scores of a BioGen run for each question, and their means. Values are shares from 0 to 1, not percent."""

from __future__ import annotations

from collections.abc import Iterator

from assess.protocol import Explain, MeasureColumn, RunContent
from scoring.formats.answer_clusters import STRICTNESSES
from scoring.formats.pool_tables import topic_order
from scoring.measures.citations import JudgedCitation, JudgedSentence
from scoring.records import Score
from scoring.release.explained import (
    Node,
    Nodes,
    Parts,
    Values,
    Words,
    explained_by,
    mean_node,
    scores_of,
    sum_node,
    values_by,
    values_of,
)
from scoring.release.phrases import Phrase, marked
from tracks.biogen2024.gold import Gold, QuestionGold
from tracks.biogen2024.question_scores import Answered, ReturnedSentence, cluster_nodes, question_nodes
from tracks.biogen2024.settings import BioGenSettings

ALL = "all"
ANSWERS, CITATIONS, CLUSTERS = "Answer", "Citations", "Cluster file"
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
UNJUDGED = "unjudged"
_SUM = Words(formula=marked("{measure}, summed over the questions = {value}"), tally="{all}")
_MEAN = Words(undefined=marked("undefined: {measure} = {total} / {below}"))


def score_run(gold: Gold, run: str, content: RunContent | None, settings: BioGenSettings) -> Iterator[Score]:
    """Yield all values of one run: those of questions, then those of "all". If the run's file is not given (None), only
    values that are based on a cluster file are yielded.

    Each judged question is scored; a question that the run does not answer has 0. Means are over the questions with a
    defined value.
    """
    return scores_of(run_nodes(gold, run, content, settings), run=run)


def explain_run(gold: Gold, run: str, content: RunContent | None, settings: BioGenSettings) -> Explain:
    """Return a function that explains a value of `score_run`, given its topic and measure: the formula filled in, and
    the rows behind it. The topic is a question's number or "all". The function returns None if there is no such value.
    """
    return explained_by(run_nodes(gold, run, content, settings), run=run)


def run_nodes(gold: Gold, run: str, content: RunContent | None, settings: BioGenSettings) -> tuple[Nodes, Nodes]:
    """Return the values of one run: those of the questions in their order, and those over all questions."""
    del settings
    answers = answered(gold, content) if content is not None else None
    questions: dict[str, dict[str, Node]] = {}
    for topic, question in gold.questions.items():
        if question.is_judged:
            nodes: dict[str, Node] = {}
            if answers is not None:
                nodes |= question_nodes(question, answers.get(topic, Answered(topic=topic)))
            nodes |= cluster_nodes(question, run)
            questions[topic] = {key: nodes[key] for key in KEYS if key in nodes}
    return questions, over_questions(values_of(questions))


def over_questions(questions: Values) -> Nodes:
    """Return the mean of each measure over the questions that have a value. For "unjudged", return the sum."""
    nodes = {}
    for key in KEYS:
        values = values_by(key, questions)
        parts = Parts(values=values, measure=key, label=Phrase("Questions"), noun=Phrase("question"))
        if values and key == UNJUDGED:
            nodes[key] = sum_node(key, parts, _SUM, topics=len(values))
        elif values:
            nodes[key] = mean_node(key, parts, _MEAN)
    return {ALL: nodes}


def answered(gold: Gold, content: RunContent) -> dict[str, Answered]:
    """Return the run's answer to each question, with its judgments."""
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
    return {
        topic: Answered(topic=topic, key=keys.get(topic, ""), sentences=tuple(found))
        for topic, found in sentences.items()
    }


def clustered_runs(gold: Gold) -> list[str]:
    """Return the runs that a cluster file names, in the order of their numbers."""
    names = {
        name
        for question in gold.questions.values()
        for strictness in STRICTNESSES
        for members in question.clusters.get(strictness, {}).values()
        for name, _ in members
    }
    return sorted(names, key=topic_order)
