"""The scores of a run's answers: nuggets found, and sentences supported by what they cite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from assess.protocol import About, Explanation, MeasureColumn, RunContent, Step
from scoring.arithmetic import exact, mean_formula
from scoring.folding import answer_key
from scoring.formats.rag_answers import RagAnswer, RagSentence, cut_answer, read_rag_answers
from scoring.measures.assignments import AssignmentScore, assignment_score
from scoring.measures.series import mean_defined
from scoring.records import AssignedNugget, OwnedNugget, Score
from tracks.rag_nuggets.files import CITATION, RESPONSE, cited_pairs, whole_text
from tracks.rag_nuggets.gold import Gold, TopicGold
from tracks.rag_nuggets.settings import RagNuggetsSettings

ALL = "all"
FULL, PARTIAL, NONE = 2, 1, 0  # grades of support
WEIGHTS = {FULL: Fraction(1), PARTIAL: Fraction(1, 2), NONE: Fraction(0)}
SUPPORT_NAMES = {FULL: "full support", PARTIAL: "partial support", NONE: "no support"}

MEASURES = (
    MeasureColumn(
        key="V_strict",
        label="V strict",
        help="Vital nuggets that the answer supports, of all vital nuggets.",
        official=True,
        group="Nuggets",
    ),
    MeasureColumn(key="V", label="V", help="The same; a partly supported nugget counts half.", group="Nuggets"),
    MeasureColumn(
        key="A_strict", label="A strict", help="Nuggets that the answer supports, of all nuggets.", group="Nuggets"
    ),
    MeasureColumn(key="A", label="A", help="The same; a partly supported nugget counts half.", group="Nuggets"),
    MeasureColumn(
        key="W_strict", label="W strict", help="As A strict; an okay nugget weighs half a vital one.", group="Nuggets"
    ),
    MeasureColumn(key="W", label="W", help="As A; an okay nugget weighs half a vital one.", group="Nuggets"),
    MeasureColumn(
        key="unjudged",
        label="Unjudged",
        help="Nuggets of which nobody said whether the answer holds them: they count as not supported.",
        group="Nuggets",
        ranks=False,
    ),
    MeasureColumn(
        key="support_precision",
        label="Support precision",
        help="Support of the judged citations: full 1, partial 1/2, none 0; mean over them.",
        group="Citations",
    ),
    MeasureColumn(
        key="support_recall",
        label="Support recall",
        help="The same sum over the number of sentences.",
        group="Citations",
    ),
    MeasureColumn(key="words", label="Words", help="Words of the answer, as far as it is judged.", ranks=False),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicResult:
    """One answer: its sentences, what is known of its nuggets, its cited sentences with their grades, its values."""

    sentences: tuple[RagSentence, ...]
    nuggets: tuple[AssignedNugget, ...]
    score: AssignmentScore | None
    citations: tuple[tuple[str, str, int | None], ...]
    values: dict[str, Fraction | None]


def score_run(gold: Gold, run: str, content: RunContent, settings: RagNuggetsSettings) -> Iterator[Score]:
    """All values of one run: topics, then "all".

    Nuggets count for topics of which any response was judged, citations for topics of which any citation was; there
    a topic that the run leaves out has 0. A mean leaves out what is undefined.
    """
    results = run_results(gold, content, settings)
    for topic, result in results.items():
        for measure, value in result.values.items():
            yield Score(run=run, topic=topic, measure=measure, value=_number(value))
    for column in MEASURES:
        value, count = mean_defined(
            result.values[column.key] for result in results.values() if column.key in result.values
        )
        yield Score(run=run, topic=ALL, measure=column.key, value=_number(value), topics=count)


def run_results(gold: Gold, content: RunContent, settings: RagNuggetsSettings) -> dict[str, TopicResult]:
    """The result of every judged topic."""
    with content.open() as file:
        answers = {each.topic: each for each in read_rag_answers(file) if isinstance(each, RagAnswer)}
    return {
        topic: _result(found, answers.get(topic), settings)
        for topic, found in gold.items()
        if found.responses or found.support
    }


def _result(gold: TopicGold, answer: RagAnswer | None, settings: RagNuggetsSettings) -> TopicResult:
    sentences = cut_answer(answer, settings.word_limit) if answer is not None else ()
    values: dict[str, Fraction | None] = {}
    nuggets: tuple[AssignedNugget, ...] = ()
    score = None
    if gold.responses:
        unsaid = tuple(AssignedNugget(text=each.text, importance=each.importance) for each in gold.nuggets)
        nuggets = gold.responses.get(answer_key(whole_text(sentences), ""), unsaid)
        score = assignment_score(nuggets)
        values |= {name: score.value(name) for name in ("V_strict", "V", "A_strict", "A", "W_strict", "W")}
        values["unjudged"] = Fraction(sum(not each.assignment for each in nuggets) if answer is not None else 0)
    citations = tuple(
        (text, docno, gold.support.get(answer_key(text, docno)))
        for text, docno in cited_pairs(sentences, settings.judged_citations)
    )
    if gold.support:
        judged = [grade for _, _, grade in citations if grade is not None]
        total = sum((WEIGHTS[grade] for grade in judged if grade in WEIGHTS), Fraction(0))
        values["support_precision"] = total / len(judged) if judged else Fraction(0) if not citations else None
        values["support_recall"] = total / len(sentences) if sentences else Fraction(0)
    values["words"] = Fraction(RagAnswer(run="", topic="", sentences=sentences).words)
    return TopicResult(sentences=sentences, nuggets=nuggets, score=score, citations=citations, values=values)


def explain_score(
    gold: Gold, run: str, content: RunContent, settings: RagNuggetsSettings, topic: str, measure: str
) -> Explanation | None:
    """The nuggets or citations behind a value of `score_run`, or the topics behind a mean."""
    results = run_results(gold, content, settings)
    if topic == ALL and any(column.key == measure for column in MEASURES):
        return _explain_mean(results, run, measure)
    if topic not in results or measure not in results[topic].values:
        return None
    result = results[topic]
    value = result.values[measure]
    steps: tuple[Step, ...]
    if measure.startswith("support"):
        formula, steps = _citation_formula(result, measure), (_citation_step(result, topic),)
    elif measure == "words":
        formula, steps = f"words = {_shown(value)}", (_sentence_step(result.sentences),)
    else:
        formula = _nugget_formula(result, measure)
        steps = (_nugget_step(result.nuggets, gold[topic].nuggets), *_response_steps(result, topic))
    return Explanation(
        run=run,
        topic=topic,
        measure=measure,
        value=_number(value),
        formula=formula,
        steps=steps,
        arithmetic=_arithmetic(result, measure),
    )


def _arithmetic(result: TopicResult, measure: str) -> str:
    """The formula with exact figures; "" where the value is undefined."""
    value = result.values[measure]
    if value is None:
        return ""
    if measure.startswith("support"):
        judged = [grade for _, _, grade in result.citations if grade is not None]
        total = sum((WEIGHTS.get(grade, Fraction(0)) for grade in judged), Fraction(0))
        below = len(judged) if measure == "support_precision" else len(result.sentences)
        return f"{exact(total)} / {below}" if below else "0"
    sums = result.score.sums(measure) if result.score is not None and measure not in ("unjudged", "words") else None
    return f"{exact(sums[0])} / {exact(sums[1])}" if sums is not None else exact(value)


def _explain_mean(results: Mapping[str, TopicResult], run: str, measure: str) -> Explanation:
    values = {topic: result.values[measure] for topic, result in results.items() if measure in result.values}
    value, count = mean_defined(values.values())
    rows = tuple((topic, _shown(each)) for topic, each in values.items())
    return Explanation(
        run=run,
        topic=ALL,
        measure=measure,
        value=_number(value),
        formula=f"{measure} = mean over {count} topics = {_shown(value)}",
        steps=(
            Step(
                label="Topics",
                value=str(len(rows)),
                header=("topic", measure),
                rows=rows,
                about=tuple(About(kind="score", topic=topic, name=measure) for topic in values),
            ),
        ),
        arithmetic=mean_formula(values.values()),
    )


def _nugget_formula(result: TopicResult, measure: str) -> str:
    value = _shown(result.values[measure])
    if measure == "unjudged" or result.score is None:
        return f"{measure} = {value}, counted in the rows below"
    sums = result.score.sums(measure)
    if sums is None:
        return f"{measure} is undefined: the list has no such nugget"
    return f"{measure} = {_shown(sums[0])} / {_shown(sums[1])} = {value}"


def _citation_formula(result: TopicResult, measure: str) -> str:
    judged = [grade for _, _, grade in result.citations if grade is not None]
    total = sum((WEIGHTS.get(grade, Fraction(0)) for grade in judged), Fraction(0))
    value = result.values[measure]
    if value is None:
        return f"{measure} is undefined: no citation of the answer is judged"
    below = len(judged) if measure == "support_precision" else len(result.sentences)
    return f"{measure} = {_shown(total)} / {below} = {_shown(value)}" if below else f"{measure} = 0: nothing is cited"


def _nugget_step(nuggets: Sequence[AssignedNugget], listed: Sequence[OwnedNugget]) -> Step:
    """The nuggets of the topic's list with what the answer holds of them; both in the order of the list."""
    rows = tuple(
        (str(number), each.importance, each.assignment or "unjudged", each.text)
        for number, each in enumerate(nuggets, 1)
    )
    found = sum(each.assignment == "support" for each in nuggets)
    return Step(
        label="Nuggets supported",
        value=f"{found} of {len(nuggets)}",
        header=("nugget", "importance", "assignment", "text"),
        rows=rows,
        about=tuple(About(kind="nugget", topic=each.topic, name="primary", key=str(each.number)) for each in listed),
    )


def _response_steps(result: TopicResult, topic: str) -> tuple[Step, ...]:
    """The answer as it was judged; none where there is none."""
    if not result.sentences:
        return ()
    text = whole_text(result.sentences)
    about = (About(kind="item", topic=topic, name=RESPONSE, key=answer_key(text, "")),)
    return (
        Step(label="The answer", value=f"{len(text.split())} words", header=("text",), rows=((text,),), about=about),
    )


def _citation_step(result: TopicResult, topic: str) -> Step:
    rows = tuple(
        (docno, "unjudged" if grade is None else SUPPORT_NAMES.get(grade, str(grade)), text)
        for text, docno, grade in result.citations
    )
    return Step(
        label="Citations",
        value=f"{len(rows)} of {len(result.sentences)} sentences",
        header=("document", "support", "sentence"),
        rows=rows,
        about=tuple(
            About(kind="item", topic=topic, name=CITATION, key=answer_key(text, docno))
            for text, docno, _ in result.citations
        ),
    )


def _sentence_step(sentences: Sequence[RagSentence]) -> Step:
    rows = tuple((str(number), each.text) for number, each in enumerate(sentences, 1))
    return Step(label="Sentences", value=str(len(rows)), header=("sentence", "text"), rows=rows)


def _shown(value: Fraction | None) -> str:
    if value is None:
        return "undefined"
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.4f}"


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
