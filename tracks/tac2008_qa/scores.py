"""The scores of a TAC 2008 QA run for each question, each series, and the run, each with what it was computed from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from typing import TypeVar

from assess.protocol import Explain, MeasureColumn, RunContent, SegmentRecord, TopicRecord
from scoring.measures.list_f import list_node, list_score
from scoring.measures.nuggets import ListWeights, NuggetScore, nugget_score, returned_nuggets
from scoring.measures.nuggets_explained import nugget_node, nugget_value
from scoring.measures.series import combined_node, excluded_node, type_node
from scoring.quick_records import quick_record
from scoring.reading.packed_values import values_of
from scoring.records import Score
from scoring.release.explained import (
    Account,
    Node,
    Nodes,
    Parts,
    Values,
    Words,
    counted_node,
    explained_by,
    last_step,
    mean_node,
    scores_of,
    sum_node,
)
from scoring.release.formulas import Number
from scoring.release.phrases import Phrase, marked
from tracks.tac2008_qa.files import ITEM_KIND
from tracks.tac2008_qa.gold import Gold, RigidGold, SquishyGold
from tracks.tac2008_qa.settings import Tac2008QaSettings

Said = TypeVar("Said")
ALL = "all"
KINDS = ("rigid", "squishy")
SINGLE = "_vitalokay"

MEASURES = (
    MeasureColumn(
        key="combined",
        label="Combined",
        help="Of a series: the mean of its rigid and its squishy score. Of a run: the mean over the series.",
        official=True,
    ),
    MeasureColumn(key="rigid", label="Rigid", help="Mean F of the rigid list questions of a series."),
    MeasureColumn(key="squishy", label="Squishy", help="Mean F of the squishy list questions of a series."),
    MeasureColumn(
        key="F", label="F", help="Of a rigid question: balanced F of IR and IP. Of a squishy one: F of NR and NP."
    ),
    MeasureColumn(key="IR", label="IR", help="Instance recall: distinct correct answers over the final answer set."),
    MeasureColumn(key="IP", label="IP", help="Instance precision: distinct correct answers over instances returned."),
    MeasureColumn(key="NR", label="NR", help="Nugget recall: weight of the nuggets returned over that of the list."),
    MeasureColumn(key="NP", label="NP", help="Nugget precision: 1 up to the allowance, falling with length beyond it."),
    MeasureColumn(
        key="combined" + SINGLE, label="Combined (author)", help="Combined, by the author's vital and okay alone."
    ),
    MeasureColumn(
        key="squishy" + SINGLE, label="Squishy (author)", help="Squishy, by the author's vital and okay alone."
    ),
    MeasureColumn(
        key="F" + SINGLE, label="F (author)", help="F of a squishy question, by the author's vital and okay alone."
    ),
    MeasureColumn(
        key="NR" + SINGLE, label="NR (author)", help="Vital nuggets returned over the list's, by its author alone."
    ),
    MeasureColumn(
        key="length",
        label="Length",
        help="Non-white-space characters of the answer to a squishy question.",
        ranks=False,
    ),
    MeasureColumn(
        key="instances", label="Instances", help="Distinct instances returned for a rigid question.", ranks=False
    ),
    MeasureColumn(
        key="unjudged", label="Unjudged", help="Instances without a judgment: they count as incorrect.", ranks=False
    ),
    MeasureColumn(
        key="excluded", label="Excluded", help="Questions left out because F is undefined for them.", ranks=False
    ),
)


SERIES_MEASURES = ("combined", *KINDS, "combined" + SINGLE, "squishy" + SINGLE)
QUESTION_MEANS = {"IR": "F", "IP": "F", "NR": "F", "NP": "F", "NR" + SINGLE: "F" + SINGLE}
"""Measures that are averaged over a run's questions, each with the F that must be defined for a question to count."""

TOTAL = Words(formula=marked("{measure} = {value} in all"), tally="{value}")


def score_run(gold: Gold, run: str, content: RunContent, settings: Tac2008QaSettings) -> Iterator[Score]:
    """Yield all values of one run: questions, then series (topic = the target's number), then "all".

    Each question of the gold is scored; a question that the run does not answer has 0. A repeated [answer-string,
    docno] pair in a question counts once. Nothing depends on other runs' files.
    """
    return scores_of(run_nodes(gold, content, settings), run=run)


def explain_run(gold: Gold, run: str, content: RunContent, settings: Tac2008QaSettings) -> Explain:
    """Return a function that explains a value of `score_run`, given its topic and measure: the formula filled in, and
    the rows behind it. The topic is a question, a target or "all". The function returns None if there is no such value.
    """
    return explained_by(run_nodes(gold, content, settings), run=run)


def run_nodes(gold: Gold, content: RunContent, settings: Tac2008QaSettings) -> tuple[Nodes, ...]:
    """Return the values of one run: those of the questions in the order of the question file, those of the series, and
    those over all.
    """
    questions = question_nodes(gold, content, settings)
    values = {number: _values_of(nodes) for number, nodes in questions.items()}
    return questions, *over_topics(gold, values, settings)


def over_topics(gold: Gold, values: Values, settings: Tac2008QaSettings) -> tuple[Nodes, Nodes]:
    """Return the values of the series that have none yet, and the values over all topics.

    ``values`` holds the values of questions, by number, and of series, by target. Values of other questions than those
    in the gold are ignored.
    """
    del settings
    of_series = {target: topics for target, topics in gold.series.items() if topics}
    numbers = {topic.number for topics in of_series.values() for topic in topics}
    questions = {number: found for number, found in values.items() if number in numbers}
    series = {target: found for target, found in values.items() if target not in numbers}
    new = {
        target: _series_nodes(target, topics, questions) for target, topics in of_series.items() if target not in series
    }
    series = {target: _values_of(new[target]) if target in new else series[target] for target in of_series}
    return new, {ALL: _run_nodes(questions, series)}


def _values_of(nodes: Mapping[str, Node]) -> dict[str, Number | None]:
    return {measure: node.value for measure, node in nodes.items()}


def question_nodes(
    gold: Gold, content: RunContent, settings: Tac2008QaSettings, only: Collection[str] | None = None
) -> dict[str, dict[str, Node]]:
    """Return question -> measure -> value, in the order of the question file. With ``only``, only these questions are
    scored.

    Values depend on the keys and lengths of strings; their texts are read only when a value is explained.
    """
    lengths, strings = content.lengths(), cache(partial(_strings, content))
    questions: dict[str, dict[str, Node]] = {}
    for topics in gold.series.values():
        for topic in topics:
            if only is not None and topic.number not in only:
                continue
            response = _Response(
                topic=topic.number, lengths=lengths.get(topic.number, {}), strings=strings, settings=settings
            )
            if topic.task == "rigid":
                questions[topic.number] = _rigid_nodes(gold.rigid[topic.number], response)
            else:
                questions[topic.number] = _squishy_nodes(gold.squishy[topic.number], response)
    return questions


def _strings(content: RunContent) -> dict[str, dict[str, SegmentRecord]]:
    """Return question -> item's key -> string, for the strings of a run. Repeated strings are left out."""
    found: dict[str, dict[str, SegmentRecord]] = {}
    for segment in content.segments():
        found.setdefault(segment.topic, {}).setdefault(segment.item_key, segment)
    return found


@quick_record(frozen=True, kw_only=True, slots=True)
class _Response:
    """A run's response to one question: the lengths of its strings by item key, and a function that reads all
    strings.
    """

    topic: str
    lengths: Mapping[str, float]
    strings: Callable[[], Mapping[str, Mapping[str, SegmentRecord]]]
    settings: Tac2008QaSettings

    def with_said(self, said: Mapping[str, Said], nothing: Said) -> list[tuple[str, str, Said]]:
        """Return (docno, text, value in ``said``) for each string. A string that is not in ``said`` has the value
        ``nothing``.
        """
        strings = self.strings().get(self.topic, {})
        return [(each.docno, each.text, said.get(key, nothing)) for key, each in strings.items()]


# ---------------------------------------------------------------- questions


def _rigid_nodes(gold: RigidGold, response: _Response) -> dict[str, Node]:
    """Return the values of a rigid question. They are computed from the response's strings and the judgments of
    these.
    """
    judgments, instances = values_of(gold.judgments, response.lengths), len(response.lengths)
    correct = {judgment.answer_class for judgment in judgments}
    score = list_score(distinct=len(correct & gold.answers.keys()), final=len(gold.answers), instances=instances)
    strings = partial(response.with_said, gold.judgments, None)
    node = partial(list_node, score, topic=response.topic, strings=strings, labels=gold.answers, item_kind=ITEM_KIND)
    nodes = {measure: node(measure=measure) for measure in ("F", "IR", "IP")}
    return nodes | {
        "instances": counted_node("instances", instances, last_step(nodes["F"])),
        "unjudged": counted_node("unjudged", instances - len(judgments), last_step(nodes["F"])),
    }


def _squishy_nodes(gold: SquishyGold, response: _Response) -> dict[str, Node]:
    """Return the values of a squishy question, for both kinds of weights. They are computed from the response's strings
    and the marks in these.
    """
    settings = response.settings
    marks = chain.from_iterable(values_of(gold.marks, response.lengths))
    returned = returned_nuggets(marks, gold.parts)
    length = int(sum(response.lengths.values()))
    nodes: dict[str, Node] = {}
    official = gold.vital_okay if settings.single_assessor else gold.pyramid
    for weights, measures in ((official, ("F", "NR", "NP")), (gold.vital_okay, ("F" + SINGLE, "NR" + SINGLE))):
        score = nugget_score(weights, returned, length, beta=settings.beta, allowance=settings.allowance)
        account = partial(_squishy_account, gold, response, score, weights)
        for measure in measures:
            nodes[measure] = Node(value=nugget_value(score, measure), account=partial(account, measure))
    return nodes | {"length": counted_node("length", length, last_step(nodes["F"]))}


def _squishy_account(
    gold: SquishyGold, response: _Response, score: NuggetScore, weights: ListWeights, measure: str
) -> Account:
    """Return how one value of a squishy question was computed."""
    node = nugget_node(
        score,
        topic=response.topic,
        measure=measure,
        nuggets=gold.nuggets,
        votes=gold.votes,
        weights=weights,
        strings=partial(response.with_said, gold.marks, ()),
        beta=response.settings.beta,
        allowance=response.settings.allowance,
        item_kind=ITEM_KIND,
    )
    return node.account()


# ---------------------------------------------------------------- series and the run


def _series_nodes(target: str, topics: Sequence[TopicRecord], questions: Values) -> dict[str, Node]:
    """Return the type scores and combined scores of a series, and how many questions the official scores leave out."""

    def values(measure: str, *kinds: str) -> dict[str, Number | None]:
        return {t.number: questions[t.number][measure] for t in topics if t.task in kinds}

    rigid = type_node("rigid", values("F", "rigid"), "F")
    squishy = type_node("squishy", values("F", "squishy"), "F")
    single = type_node("squishy" + SINGLE, values("F" + SINGLE, "squishy"), "F" + SINGLE)
    types = {"rigid": ("rigid", rigid), "squishy": ("squishy", squishy)}
    return {
        "combined": combined_node("combined", target, types),
        "rigid": rigid,
        "squishy": squishy,
        "combined" + SINGLE: combined_node(
            "combined" + SINGLE, target, types | {"squishy": ("squishy" + SINGLE, single)}
        ),
        "squishy" + SINGLE: single,
        "excluded": excluded_node("excluded", values("F", *KINDS), "F"),
    }


def _run_nodes(questions: Values, series: Values) -> dict[str, Node]:
    """Return the means of a run over its series and over its questions, and its totals."""
    nodes = {}
    for measure in SERIES_MEASURES:
        values = {target: found[measure] for target, found in series.items()}
        parts = Parts(values=values, measure=measure, label=Phrase("Series"), noun=Phrase("target"))
        nodes[measure] = mean_node(measure, parts)
    for measure, needed in QUESTION_MEANS.items():
        values = {
            number: of_question[measure] if of_question[needed] is not None else None
            for number, of_question in questions.items()
            if measure in of_question
        }
        parts = Parts(values=values, measure=measure, label=Phrase("Questions"), noun=Phrase("question"))
        nodes[measure] = mean_node(measure, parts)
    for measure, noun, label, rows in (
        ("unjudged", Phrase("question"), Phrase("By question"), questions),
        ("excluded", Phrase("target"), Phrase("By series"), series),
    ):
        values = {name: of_row[measure] for name, of_row in rows.items() if measure in of_row}
        parts = Parts(values=values, measure=measure, label=label, noun=noun)
        nodes[measure] = sum_node(measure, parts, TOTAL, topics=len(questions))
    return nodes
