"""The scores of a run's answers: nuggets found, and sentences supported by the documents that they cite."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from assess.protocol import About, Explain, MeasureColumn, RunContent, Step
from scoring.folding import answer_key
from scoring.formats.answer_limits import AnswerLimit
from scoring.formats.nugget_banks import own_weight
from scoring.formats.rag_answers import RagAnswer, RagSentence, read_rag_answers
from scoring.measures.supported_nuggets import USUAL, AssignmentScore, NuggetWeights, assignment_score, weighed_share
from scoring.own_items import own_key
from scoring.records import AssignedNugget, OwnedNugget, Score
from scoring.release.explained import (
    IN_WORDS,
    Account,
    Node,
    Nodes,
    Parts,
    Values,
    counted_node,
    explained_by,
    mean_node,
    scores_of,
    values_by,
    values_of,
)
from scoring.release.formulas import exact, show, shown
from scoring.release.phrases import Phrase
from tracks.answer_files import cited_pairs, whole_text
from tracks.rag_nuggets.files import CITATION, RESPONSE, limit_of, own_limits
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
        key="R",
        label="R",
        help="Where nuggets come with weights of their own: the weight that the answer supports, half of it where in "
        "part, of all weights above 0. What an answer should not hold weighs less than 0 and lowers it.",
        group="Nuggets",
    ),
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
        help="Mean support of a sentence's judged citations (full 1, partial 1/2, none 0), over those with any.",
        group="Citations",
    ),
    MeasureColumn(
        key="support_recall",
        label="Support recall",
        help="The same sum over the number of sentences, without those that cite and of which nothing is judged.",
        group="Citations",
    ),
    MeasureColumn(key="words", label="Words", help="Words of the answer, as far as it is judged.", ranks=False),
)

SHARES = ("V_strict", "V", "A_strict", "A", "W_strict", "W")

Citation = tuple[str, str, int | None]  # sentence, docno, grade of support or None


def score_run(gold: Gold, run: str, content: RunContent, settings: RagNuggetsSettings) -> Iterator[Score]:
    """Yield all values of one run: topics, then "all".

    Measures of nuggets are computed for topics with a judged response, and measures of citations for topics with a
    judged citation. A run that does not answer such a topic has 0 on it. Means leave out undefined values.
    """
    return scores_of(run_nodes(gold, run, content, settings), run=run)


def explain_run(gold: Gold, run: str, content: RunContent, settings: RagNuggetsSettings) -> Explain:
    """Return a function that explains a value of `score_run`, given its topic and measure, by the nuggets or citations
    behind it, or by the topics behind a mean. It returns None if there is no such value.
    """
    return explained_by(run_nodes(gold, run, content, settings), run=run)


def run_nodes(
    gold: Gold,
    run: str,
    content: RunContent,
    settings: RagNuggetsSettings,
    weights: NuggetWeights = USUAL,
    limits: Mapping[str, AnswerLimit] | None = None,
) -> tuple[Nodes, Nodes]:
    """Return the values of one run for each judged topic, and over all. ``limits`` are the limits of single topics by
    which answers were cut before they were judged; by default those that the topics state.
    """
    own = run if settings.judge_each else ""
    with content.open() as file:
        answers = {each.topic: each for each in read_rag_answers(file) if isinstance(each, RagAnswer)}
    limits = own_limits(content.context) if limits is None else limits

    def judged(topic: str, found: TopicGold) -> tuple[RagSentence, ...] | None:
        """Return the sentences of the answer that are within the limit. If no topics are given, the limit is unknown.
        If the judged answer was then the whole answer, the whole answer is returned.
        """
        if (answer := answers.get(topic)) is None:
            return None
        if not content.context.topics and _key(answer.text, "", own) in found.responses:
            return answer.sentences
        return answer.sentences[: limit_of(topic, limits, settings).kept(answer.sentences)]

    topics = {
        topic: _topic_nodes(topic, found, judged(topic, found), settings, own, weights)
        for topic, found in gold.items()
        if found.responses or found.support
    }
    return topics, over_topics(values_of(topics))


def over_topics(topics: Values) -> Nodes:
    """Return the mean of each measure over the topics that have a value."""
    means = {}
    for measure in (column.key for column in MEASURES):
        values = values_by(measure, topics)
        if measure == "R" and not values:
            continue
        parts = Parts(values=values, measure=measure, label=Phrase("Topics"), noun=Phrase("topic"))
        means[measure] = mean_node(measure, parts, IN_WORDS)
    return {ALL: means}


def _topic_nodes(
    topic: str,
    gold: TopicGold,
    sentences: tuple[RagSentence, ...] | None,
    settings: RagNuggetsSettings,
    own: str,
    usual: NuggetWeights,
) -> dict[str, Node]:
    """Return the values of an answer with these sentences, or of no answer (None). Only what was judged on the topic
    has values.

    ``own`` is the run's name if each response is judged by itself, otherwise "".
    """
    is_answered, sentences = sentences is not None, sentences or ()
    nodes: dict[str, Node] = {}
    if gold.responses:
        unsaid = tuple(AssignedNugget(text=each.text, importance=each.importance) for each in gold.nuggets)
        nuggets = gold.responses.get(_key(whole_text(sentences), "", own), unsaid)
        unjudged = sum(not each.assignment for each in nuggets) if is_answered else 0

        def steps() -> tuple[Step, ...]:
            return _nugget_step(nuggets, gold.nuggets), *_response_steps(sentences, topic)

        weights = [own_weight(each.fields) for each in gold.nuggets]
        wanted = [each for each, weight in zip(nuggets, weights, strict=True) if weight is None or weight >= 0]
        score = assignment_score(wanted, usual)
        nodes |= {measure: _share_node(measure, score, steps) for measure in SHARES}
        if any(weight is not None for weight in weights):
            nodes["R"] = _rubric_node(nuggets, weights, steps, usual)
        nodes["unjudged"] = counted_node("unjudged", unjudged, steps)
    if gold.support:
        cited = tuple(
            tuple(
                (text, docno, gold.support.get(_key(text, docno, own)))
                for text, docno in cited_pairs((sentence,), settings.judged_citations)
            )
            for sentence in sentences
        )
        judged = sum(_support(each) is not None for each in cited)
        uncited = sum(not each for each in cited)
        nodes["support_precision"] = _support_node("support_precision", cited, judged, topic)
        nodes["support_recall"] = _support_node("support_recall", cited, judged + uncited, topic)
    nodes["words"] = _words_node(sentences)
    return nodes


def _key(text: str, docno: str, own: str) -> str:
    key = answer_key(text, docno)
    return own_key(key, own) if own else key


def _share_node(measure: str, score: AssignmentScore, steps: Callable[[], tuple[Step, ...]]) -> Node:
    """Return a node for a share of the list's nuggets. Its value is undefined if the list has no nugget of the kind
    that is counted.
    """
    value, sums = score.value(measure), score.sums(measure)

    def account() -> Account:
        if sums is None:
            return Account(
                formula=Phrase("{measure} is undefined: the list has no such nugget", measure=measure), steps=steps()
            )
        formula = f"{measure} = {show(sums[0])} / {show(sums[1])} = {shown(value)}"
        return Account(formula=formula, steps=steps(), arithmetic=f"{exact(sums[0])} / {exact(sums[1])}")

    return Node(value=value, account=account)


def _rubric_node(
    nuggets: Sequence[AssignedNugget],
    weights: Sequence[Fraction | None],
    steps: Callable[[], tuple[Step, ...]],
    others: NuggetWeights,
) -> Node:
    """Return a node for the weight of the nuggets that an answer contains, divided by the sum of all weights above 0.
    It is undefined if there are none.
    """
    found, value = weighed_share(nuggets, weights, others)

    def account() -> Account:
        if value is None:
            return Account(formula=Phrase("R is undefined: no nugget has a weight above 0"), steps=steps())
        return Account(
            formula=f"R = {show(found[0])} / {show(found[1])} = {show(value)}",
            steps=steps(),
            arithmetic=f"{exact(found[0])} / {exact(found[1])}",
        )

    return Node(value=value, account=account)


def _support(citations: Sequence[Citation]) -> Fraction | None:
    """Return the support of one sentence: the mean over its judged citations, or None if none of them is judged.

    >>> _support([("So.", "D1", 2), ("So.", "D2", 1), ("So.", "D3", None)])
    Fraction(3, 4)
    """
    judged = [WEIGHTS.get(grade, Fraction(0)) for _, _, grade in citations if grade is not None]
    return sum(judged, Fraction(0)) / len(judged) if judged else None


def _support_node(measure: str, cited: Sequence[Sequence[Citation]], below: int, topic: str) -> Node:
    """Return a node for the total support of the sentences, divided by ``below``. It is undefined if no citation is
    judged.
    """
    found = [each for each in map(_support, cited) if each is not None]
    total = sum(found, Fraction(0))
    value = total / below if below else None if any(cited) else Fraction(0)

    def account() -> Account:
        steps = (_citation_step([each for sentence in cited for each in sentence], len(cited), topic),)
        if value is None:
            return Account(
                formula=Phrase("{measure} is undefined: no citation of the answer is judged", measure=measure),
                steps=steps,
            )
        if not below:
            return Account(
                formula=Phrase("{measure} = 0: nothing is cited", measure=measure), steps=steps, arithmetic="0"
            )
        formula = f"{measure} = {show(total)} / {below} = {show(value)}"
        return Account(formula=formula, steps=steps, arithmetic=f"{exact(total)} / {below}")

    return Node(value=value, account=account)


def _words_node(sentences: tuple[RagSentence, ...]) -> Node:
    value = Fraction(RagAnswer(run="", topic="", sentences=sentences).words)
    return Node(
        value=value,
        account=lambda: Account(
            formula=Phrase("words = {value}", value=show(value)),
            steps=(_sentence_step(sentences),),
            arithmetic=exact(value),
        ),
    )


def _nugget_step(nuggets: Sequence[AssignedNugget], listed: Sequence[OwnedNugget]) -> Step:
    """Return a step with the nuggets of the topic's list in order, and how far the answer contains each of them."""
    weights = [own_weight(each.fields) for each in listed]
    rows = tuple(
        (
            str(number),
            each.importance if weight is None else show(weight),
            Phrase(each.assignment or "unjudged"),
            each.text,
        )
        for number, (each, weight) in enumerate(zip(nuggets, weights, strict=True), 1)
    )
    found = sum(each.assignment == "support" for each in nuggets)
    return Step(
        label=Phrase("Nuggets supported"),
        value=Phrase("{count} of {all}", count=found, all=len(nuggets)),
        header=(Phrase("nugget"), Phrase("importance"), Phrase("assignment"), Phrase("text")),
        rows=rows,
        about=tuple(About(kind="nugget", topic=each.topic, name="primary", key=str(each.number)) for each in listed),
    )


def _response_steps(sentences: Sequence[RagSentence], topic: str) -> tuple[Step, ...]:
    """Return a step with the answer as it was judged, or no step if there is no answer."""
    if not sentences:
        return ()
    text = whole_text(sentences)
    about = (About(kind="item", topic=topic, name=RESPONSE, key=answer_key(text, "")),)
    return (
        Step(
            label=Phrase("The answer"),
            value=Phrase("{count} words", count=len(text.split())),
            header=(Phrase("text"),),
            rows=((text,),),
            about=about,
        ),
    )


def _citation_step(citations: Sequence[Citation], sentences: int, topic: str) -> Step:
    rows = tuple(
        (docno, Phrase("unjudged") if grade is None else SUPPORT_NAMES.get(grade, str(grade)), text)
        for text, docno, grade in citations
    )
    return Step(
        label=Phrase("Citations"),
        value=Phrase("{count} in {sentences} sentence", count=len(rows), sentences=sentences)
        if sentences == 1
        else Phrase("{count} in {sentences} sentences", count=len(rows), sentences=sentences),
        header=(Phrase("document"), Phrase("support"), Phrase("sentence")),
        rows=rows,
        about=tuple(
            About(kind="item", topic=topic, name=CITATION, key=answer_key(text, docno)) for text, docno, _ in citations
        ),
    )


def _sentence_step(sentences: Sequence[RagSentence]) -> Step:
    rows = tuple((str(number), each.text) for number, each in enumerate(sentences, 1))
    return Step(label=Phrase("Sentences"), value=str(len(rows)), header=(Phrase("sentence"), Phrase("text")), rows=rows)
