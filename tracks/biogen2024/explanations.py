"""Why a run got a value: its sentences with their judgments, its citations, the aspects, or the questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from assess.protocol import About, Explanation, RunContent, Step
from scoring.arithmetic import mean_formula, sum_formula
from scoring.formats.pool_tables import topic_order
from scoring.measures.citations import relevant_documents
from scoring.measures.nuggets import show
from tracks.biogen2024.gold import Gold, QuestionGold
from tracks.biogen2024.runs import ANSWER, CITATION, SENTENCE
from tracks.biogen2024.scores import (
    ALL,
    CLUSTER_MEASURES,
    Answered,
    ReturnedSentence,
    Values,
    answered,
    count_unjudged,
    covered_aspects,
    covered_clusters,
    run_means,
    run_values,
    supported_aspects,
)
from tracks.biogen2024.settings import BioGenSettings

ASPECT = "class"
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
        formula, steps, arithmetic = _explain_clusters(question, run, measure)
    else:
        answer = answered(gold, content).get(topic, Answered()) if content is not None else Answered()
        formula, steps, arithmetic = _EXPLAINED[measure](question, answer, measure)
    return Explanation(
        run=run,
        topic=topic,
        measure=measure,
        value=_number(value),
        formula=_equals(formula, value),
        steps=tuple(_with_things(step, topic) for step in steps),
        arithmetic="" if value is None else arithmetic,
    )


Things = tuple[tuple[str, str] | None, ...]
"""Kind of item and key of what each row stands for; the kind "class" is an aspect."""
Explained = tuple[str, tuple[tuple[Step, Things], ...], str]
"""Formula in words and counts, the steps with what their rows stand for, and the formula with exact figures."""


def _with_things(step: tuple[Step, Things], topic: str) -> Step:
    """The step, its rows leading to the question's items and aspects."""
    found, things = step
    return replace(found, about=tuple(None if thing is None else _about(topic, *thing) for thing in things))


def _about(topic: str, kind: str, key: str) -> About:
    if kind == ASPECT:
        return About(kind="class", topic=topic, key=key)
    return About(kind="item", topic=topic, name=kind, key=key)


def _share(words: str, count: int, total: int) -> tuple[str, str]:
    """A share in words with its counts, and as a formula; of nothing it is 0."""
    return f"{words} = {count} / {total}", f"{count} / {total}" if total else "0"


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
        about=tuple(About(kind="score", topic=topic, name=measure) for topic, _ in rows),
    )
    parts = [found[measure] for found in values.values() if measure in found]
    return Explanation(
        run=run,
        topic=ALL,
        measure=measure,
        value=_number(value),
        formula=_equals(formula, value),
        steps=(step,),
        arithmetic=sum_formula(part or Fraction(0) for part in parts) if is_sum else mean_formula(parts),
    )


def _explain_accuracy(question: QuestionGold, answer: Answered, measure: str) -> Explained:
    if not answer.key:
        said = "there is no answer"
    elif answer.key not in question.accuracy:
        said = "nobody judged the answer"
    else:
        said = "judged accurate" if question.accuracy[answer.key] else "judged not accurate"
    whole = Step(
        label="The answer",
        value=said,
        header=("judgment", "text"),
        rows=((said, " ".join(each.text for each in answer.sentences)),),
    )
    return (
        f"{measure}: {said}",
        ((whole, ((ANSWER, answer.key) if answer.key else None,)), _sentences(answer)),
        str(int(question.accuracy.get(answer.key, False))),
    )


def _explain_share(_: QuestionGold, answer: Answered, measure: str) -> Explained:
    wanted = COUNTED[measure]
    count = sum(each.judged.necessity == wanted for each in answer.sentences)
    formula, arithmetic = _share(f"{wanted} sentences / sentences", count, len(answer.sentences))
    return formula, (_sentences(answer),), arithmetic


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
    things = tuple((ASPECT, key) for key in sorted(wanted, key=topic_order))
    formula, arithmetic = _share("aspects covered / aspects", len(covered), len(wanted))
    return formula, ((step, things), _sentences(answer)), arithmetic


def _explain_coverage(_: QuestionGold, answer: Answered, measure: str) -> Explained:
    del measure
    count = sum(each.judged.has("supporting") for each in answer.sentences)
    formula, arithmetic = _share("sentences with a supporting citation / sentences", count, len(answer.sentences))
    return formula, (_citations(answer), _sentences(answer)), arithmetic


def _explain_rate(_: QuestionGold, answer: Answered, measure: str) -> Explained:
    wanted = COUNTED[measure]
    citations = [citation for each in answer.sentences for citation in each.judged.citations]
    count = sum(wanted in citation.relations for citation in citations)
    formula, arithmetic = _share(f"{wanted} citations / citations", count, len(citations))
    return formula, (_citations(answer),), arithmetic


def _explain_documents(question: QuestionGold, answer: Answered, measure: str) -> Explained:
    relevant = relevant_documents(answer.judged)
    cited = {docno for each in answer.sentences for docno, _ in each.cited}
    if measure == "doc_recall":
        words, listed, label = "relevant documents of the pool", question.pool, "Relevant documents of the pool"
    else:
        words, listed, label = "documents cited", cited, "Documents cited"
    counted = relevant & question.pool if measure == "doc_recall" else relevant
    formula, arithmetic = _share(f"relevant documents cited / {words}", len(counted), len(listed))
    rows = tuple(
        (docno, "yes" if docno in cited else "no", "yes" if docno in relevant | question.pool else "no")
        for docno in sorted(listed, key=topic_order)
    )
    step = Step(label=label, value=str(len(rows)), header=("document", "cited", "relevant"), rows=rows)
    return formula, ((step, ()), _citations(answer)), arithmetic


def _explain_unjudged(question: QuestionGold, answer: Answered, measure: str) -> Explained:
    formula = f"{measure}: answers, sentences and citations without a judgment"
    return formula, (_sentences(answer), _citations(answer)), str(count_unjudged(question, answer))


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
    formula, arithmetic = _share("clusters covered / clusters", len(covered), len(clusters))
    return formula, ((step, ()),), arithmetic


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


def _sentences(answer: Answered) -> tuple[Step, Things]:
    rows = tuple((str(each.number), each.judged.necessity or "unjudged", each.text) for each in answer.sentences)
    step = Step(label="Sentences", value=str(len(rows)), header=("sentence", "judgment", "text"), rows=rows)
    return step, tuple((SENTENCE, each.key) for each in answer.sentences)


def _citations(answer: Answered) -> tuple[Step, Things]:
    rows = tuple(row for each in answer.sentences for row in _cited(each))
    step = Step(label="Citations", value=str(len(rows)), header=("sentence", "document", "judgment"), rows=rows)
    return step, tuple((CITATION, key) for each in answer.sentences for _, key in each.cited)


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
