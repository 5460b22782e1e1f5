"""Why a run got a value: its sentences with their judgments, its citations, the aspects, or the questions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from assess.protocol import Explanation, RunContent, Step
from scoring.formats.pool_tables import topic_order
from scoring.measures.citations import relevant_documents
from scoring.measures.nuggets import show
from tracks.biogen2024.gold import Gold, QuestionGold
from tracks.biogen2024.scores import (
    ALL,
    CLUSTER_MEASURES,
    Answered,
    ReturnedSentence,
    Values,
    answered,
    covered_aspects,
    covered_clusters,
    run_means,
    run_values,
    supported_aspects,
)
from tracks.biogen2024.settings import BioGenSettings

COUNTED = {
    "precision": "required",
    "redundancy": "unnecessary",
    "harmfulness": "inappropriate",
    "support": "supporting",
    "contradict": "contradicting",
}


def explain_score(
    gold: Gold, run: str, content: RunContent | None, settings: BioGenSettings, topic: str, measure: str
) -> Explanation | None:
    """The rows behind one value that `score_run` gives, with the formula filled in; None where it gives no such value.

    ``topic`` is a question's number or "all".
    """
    del settings
    values = run_values(gold, run, content)
    if topic == ALL:
        return _explain_mean(values, run, measure)
    if topic not in values or measure not in values[topic]:
        return None
    question, value = gold.questions[topic], values[topic][measure]
    if measure in CLUSTER_MEASURES:
        formula, steps = _explain_clusters(question, run, measure)
    else:
        answer = answered(gold, content).get(topic, Answered()) if content is not None else Answered()
        formula, steps = _EXPLAINED[measure](question, answer, measure)
    return Explanation(
        run=run, topic=topic, measure=measure, value=_number(value), formula=_equals(formula, value), steps=steps
    )


Explained = tuple[str, tuple[Step, ...]]


def _explain_mean(values: dict[str, Values], run: str, measure: str) -> Explanation | None:
    means = run_means(values)
    if measure not in means:
        return None
    value, count = means[measure]
    rows = tuple((topic, _shown(found[measure])) for topic, found in values.items() if measure in found)
    total = sum((found[measure] or Fraction(0) for found in values.values() if measure in found), Fraction(0))
    is_sum = measure == "unjudged"
    formula = f"{measure}, summed over the questions" if is_sum else f"{measure} = {show(total)} / {count}"
    step = Step(
        label="Questions",
        value=f"{len(rows)}" if is_sum else f"{count} of {len(rows)} averaged",
        header=("question", measure),
        rows=rows,
    )
    return Explanation(
        run=run, topic=ALL, measure=measure, value=_number(value), formula=_equals(formula, value), steps=(step,)
    )


def _explain_accuracy(question: QuestionGold, answer: Answered, measure: str) -> Explained:
    if not answer.key:
        said = "there is no answer"
    elif answer.key not in question.accuracy:
        said = "nobody judged the answer"
    else:
        said = "judged accurate" if question.accuracy[answer.key] else "judged not accurate"
    return f"{measure}: {said}", (_sentences(answer),)


def _explain_share(_: QuestionGold, answer: Answered, measure: str) -> Explained:
    wanted = COUNTED[measure]
    count = sum(each.judged.necessity == wanted for each in answer.sentences)
    return f"{wanted} sentences / sentences = {count} / {len(answer.sentences)}", (_sentences(answer),)


def _explain_recall(question: QuestionGold, answer: Answered, measure: str) -> Explained:
    supported = measure == "recall_supported"
    wanted = supported_aspects(question) if supported else set(question.aspects)
    covered = covered_aspects(question, answer, supported=supported) & wanted
    rows = []
    for key in sorted(wanted, key=topic_order):
        numbers = [
            str(each.number)
            for each in answer.sentences
            if each.key in question.aspects[key] and (not supported or each.judged.has("supporting"))
        ]
        rows.append((question.labels.get(key, key), "yes" if key in covered else "no", ", ".join(numbers)))
    step = Step(
        label="Aspects covered",
        value=f"{len(covered)} of {len(wanted)}",
        header=("aspect", "covered", "by sentence"),
        rows=tuple(rows),
    )
    return f"aspects covered / aspects = {len(covered)} / {len(wanted)}", (step, _sentences(answer))


def _explain_coverage(_: QuestionGold, answer: Answered, measure: str) -> Explained:
    del measure
    count = sum(each.judged.has("supporting") for each in answer.sentences)
    formula = f"sentences with a supporting citation / sentences = {count} / {len(answer.sentences)}"
    return formula, (_citations(answer), _sentences(answer))


def _explain_rate(_: QuestionGold, answer: Answered, measure: str) -> Explained:
    wanted = COUNTED[measure]
    citations = [citation for each in answer.sentences for citation in each.judged.citations]
    count = sum(wanted in citation.relations for citation in citations)
    return f"{wanted} citations / citations = {count} / {len(citations)}", (_citations(answer),)


def _explain_documents(question: QuestionGold, answer: Answered, measure: str) -> Explained:
    relevant = relevant_documents(answer.judged)
    cited = {docno for each in answer.sentences for docno, _ in each.cited}
    if measure == "doc_recall":
        formula = f"relevant documents cited / relevant documents of the pool = {len(relevant)} / {len(question.pool)}"
        listed, label = question.pool, "Relevant documents of the pool"
    else:
        formula = f"relevant documents cited / documents cited = {len(relevant)} / {len(cited)}"
        listed, label = cited, "Documents cited"
    rows = tuple(
        (docno, "yes" if docno in cited else "no", "yes" if docno in relevant | question.pool else "no")
        for docno in sorted(listed, key=topic_order)
    )
    step = Step(label=label, value=str(len(rows)), header=("document", "cited", "relevant"), rows=rows)
    return formula, (step, _citations(answer))


def _explain_unjudged(_: QuestionGold, answer: Answered, measure: str) -> Explained:
    return f"{measure}: answers, sentences and citations without a judgment", (_sentences(answer), _citations(answer))


def _explain_clusters(question: QuestionGold, run: str, measure: str) -> Explained:
    strictness = CLUSTER_MEASURES[measure]
    clusters = question.clusters.get(strictness, {})
    covered = covered_clusters(question, run, strictness)
    rows = []
    for key in sorted(clusters, key=topic_order):
        numbers = sorted((number for name, number in clusters[key] if name == run), key=topic_order)
        rows.append((key, "yes" if key in covered else "no", ", ".join(numbers)))
    step = Step(
        label="Clusters covered",
        value=f"{len(covered)} of {len(clusters)}",
        header=("cluster", "covered", "by sentence"),
        rows=tuple(rows),
    )
    return f"clusters covered / clusters = {len(covered)} / {len(clusters)}", (step,)


_EXPLAINED: dict[str, Callable[[QuestionGold, Answered, str], Explained]] = {
    "accuracy": _explain_accuracy,
    "precision": _explain_share,
    "redundancy": _explain_share,
    "harmfulness": _explain_share,
    "recall": _explain_recall,
    "recall_supported": _explain_recall,
    "coverage": _explain_coverage,
    "support": _explain_rate,
    "contradict": _explain_rate,
    "doc_recall": _explain_documents,
    "doc_precision": _explain_documents,
    "unjudged": _explain_unjudged,
}


def _sentences(answer: Answered) -> Step:
    rows = tuple((str(each.number), each.judged.necessity or "unjudged", each.text) for each in answer.sentences)
    return Step(label="Sentences", value=str(len(rows)), header=("sentence", "judgment", "text"), rows=rows)


def _citations(answer: Answered) -> Step:
    rows = tuple(row for each in answer.sentences for row in _cited(each))
    return Step(label="Citations", value=str(len(rows)), header=("sentence", "document", "judgment"), rows=rows)


def _cited(sentence: ReturnedSentence) -> list[tuple[str, ...]]:
    return [
        (str(sentence.number), citation.docno, ", ".join(sorted(citation.relations)) or "unjudged")
        for citation in sentence.judged.citations
    ]


def _equals(formula: str, value: Fraction | None) -> str:
    return f"undefined: {formula}" if value is None else f"{formula} = {show(value)}"


def _shown(value: Fraction | None) -> str:
    return "undefined" if value is None else show(value)


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
