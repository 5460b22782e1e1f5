"""Compute the values of a run that is no ranking from the gains of the items that it returned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

from assess.protocol import About, RunContent, Step
from scoring.formats.pool_tables import topic_order
from scoring.measures.graded_items import CITED, RUBRIC, citation_sums, item_sums, rubric_sums
from scoring.release.explained import Account, Node, Nodes, Values, values_by, values_of
from scoring.release.formulas import exact, show
from scoring.release.phrases import Phrase
from tracks.designs.item_rows import group_of, weight_of
from tracks.designs.judged_items import CITATION
from tracks.designs.own_measures import own_mean, own_node
from tracks.installed import installed_measures

ALL = "all"

Gold = Mapping[str, Mapping[str, Mapping[str, Fraction]]]
"""Gains by question, topic and key of the item."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GradedColumn:
    """A measure of the design: its label, its name, its question, and the kind of items that the question is about.

    ``bound`` is the least gain that counts as relevant, and ``best`` the highest gain of the question.
    """

    label: str
    measure: str
    question: str
    kind: str
    bound: Fraction
    best: Fraction

    @property
    def help(self) -> str:
        """Return the help text above the column."""
        bound = f"; the bound is a gain of {show(self.bound)}" if self.measure == "share" else ""
        return f"{self.measure} by the gains of {self.question}{bound}."


@dataclass(frozen=True, kw_only=True, slots=True)
class Returned:
    """An item that a run returned, in the form in which an explanation shows it."""

    key: str
    text: str
    docno: str


Groups = Mapping[str, Sequence[Sequence[Returned]]]
"""The items of each segment by topic; citations are grouped by sentence."""


def returned_groups(content: RunContent, kind: str, limit: int) -> Groups:
    """Return topic -> the items of one kind that a run returned, in groups.

    A group holds the items of a segment, the citations of one sentence of a whole answer, or a whole response. It may
    be empty, as for a sentence without citations. Of each sentence of a whole answer at most ``limit`` citations are
    judged, or all of them if ``limit`` is 0.
    """
    found: dict[str, list[list[Returned]]] = {}
    for segment in content.segments():
        groups = found.setdefault(segment.topic, [])
        cited = [
            Returned(key=each.item_key, text=each.item_text, docno=each.docno)
            for each in segment.citations
            if each.item_kind == kind
        ]
        sentences = segment.item_fields.get("parts", ()) if kind == CITATION else ()
        if sentences:  # a whole answer, whose citations are in the order of its sentences
            rest = iter(cited)
            groups += [list(islice(rest, len(each["docnos"][: limit or None]))) for each in sentences]
            continue
        own = [Returned(key=segment.item_key, text=segment.text, docno=segment.docno)]
        groups.append([*(own if segment.item_kind == kind else ()), *cited])
    for whole in content.responses():
        if whole.kind == kind:
            found.setdefault(whole.topic, []).append([Returned(key=whole.key, text=whole.text, docno=whole.docno)])
    return found


def run_nodes(columns: Sequence[GradedColumn], gold: Gold, content: RunContent, settings: Any) -> tuple[Nodes, Nodes]:
    """Return the values of one run for each judged topic, in the order of the columns, and over all topics."""
    limit = getattr(settings, "judged_citations", 0)
    rubrics = _rubrics(content) if any(each.measure in RUBRIC for each in columns) else {}
    returned = {kind: returned_groups(content, kind, limit) for kind in dict.fromkeys(each.kind for each in columns)}
    numbers = sorted({topic for of_question in gold.values() for topic in of_question}, key=topic_order)
    topics: dict[str, dict[str, Node]] = {number: {} for number in numbers}
    for column in columns:
        for topic, gains in gold.get(column.question, {}).items():
            groups = returned[column.kind].get(topic, ())
            if column.measure in RUBRIC:
                topics[topic][column.label] = _rubric_node(column, topic, groups, gains, rubrics.get(topic, {}))
            else:
                topics[topic][column.label] = _node(column, topic, groups, gains)
    return topics, over_topics([each.label for each in columns], values_of(topics))


def over_topics(labels: Sequence[str], topics: Values) -> Nodes:
    """Return, for each of these measures, the mean of a run's values over the topics that have one."""
    return {ALL: {label: own_mean(label, values_by(label, topics)) for label in labels}}


def _node(
    column: GradedColumn, topic: str, groups: Sequence[Sequence[Returned]], gains: Mapping[str, Fraction]
) -> Node:
    """Return a node for one value of a topic, with the items from which the value is computed."""
    if column.measure in installed_measures():
        returned = [(each.key, gains.get(each.key)) for group in groups for each in group]
        return own_node(
            column.measure,
            label=column.label,
            topic=topic,
            kind=column.kind,
            returned=[(key, None if gain is None else float(gain)) for key, gain in returned],
            judged=[float(gain) for gain in gains.values()],
        )
    found = [[gains.get(each.key) for each in group] for group in groups]
    if column.measure in CITED:
        sums = citation_sums(column.measure, found, best=column.best)
    else:
        sums = item_sums(column.measure, [gain for group in found for gain in group], bound=column.bound)

    def account() -> Account:
        steps = (_step(column, topic, groups, gains),)
        if sums is None:
            return Account(
                formula=Phrase("{label} is undefined: nothing that was returned is judged", label=column.label),
                steps=steps,
            )
        if not sums[1]:
            return Account(
                formula=Phrase("{label} = 0: nothing was returned", label=column.label), steps=steps, arithmetic="0"
            )
        formula = f"{column.label} = {show(sums[0])} / {sums[1]} = {show(sums[0] / sums[1])}"
        return Account(formula=formula, steps=steps, arithmetic=f"{exact(sums[0])} / {sums[1]}")

    value = None if sums is None else sums[0] / sums[1] if sums[1] else Fraction(0)
    return Node(value=value, account=account)


Rubric = Mapping[str, tuple[str, Fraction]]
"""The question of each row and its weight, by the row's key."""


def _rubrics(content: RunContent) -> dict[str, Rubric]:
    """Return the rubric of each topic: key -> group and weight, for the rows of all systems."""
    return {
        topic.number: {
            item["key"]: (group_of(item), weight_of(item) or Fraction(0)) for item in topic.fields.get("items", ())
        }
        for topic in content.context.topics
    }


def _rubric_node(
    column: GradedColumn,
    topic: str,
    groups: Sequence[Sequence[Returned]],
    gains: Mapping[str, Fraction],
    rubric: Rubric,
) -> Node:
    """Return a node for one value of a topic that is computed by the questions of its rubric, with the rows from which
    the value is computed.
    """
    rows = [each for group in groups for each in group if each.key in rubric]
    weights = dict(rubric.values())
    sums = rubric_sums(column.measure, [(rubric[each.key][0], gains.get(each.key)) for each in rows], weights)

    def account() -> Account:
        judged = [each for each in rows if each.key in gains]
        step = Step(
            label=Phrase("Rows judged by {question}", question=column.question),
            value=Phrase("{count} of {all}", count=len(judged), all=len(rows)),
            header=(Phrase("gain"), Phrase("question"), Phrase("weight"), Phrase("text")),
            rows=tuple((show(gains[each.key]), *_question_and_weight(rubric[each.key]), each.text) for each in judged),
            about=tuple(About(kind="item", topic=topic, name=column.kind, key=each.key) for each in judged),
        )
        if sums is None:
            nothing = Phrase(
                "{label} is undefined: nothing that was returned is judged, or no question has a weight",
                label=column.label,
            )
            return Account(formula=nothing, steps=(step,))
        formula = f"{column.label} = {show(sums[0])} / {show(sums[1])} = {show(sums[0] / sums[1])}"
        return Account(formula=formula, steps=(step,), arithmetic=f"{exact(sums[0])} / {exact(sums[1])}")

    return Node(value=None if sums is None else sums[0] / sums[1], account=account)


def _question_and_weight(question: tuple[str, Fraction]) -> tuple[str, str]:
    return question[0], show(question[1])


def _step(
    column: GradedColumn, topic: str, groups: Sequence[Sequence[Returned]], gains: Mapping[str, Fraction]
) -> Step:
    items = [each for group in groups for each in group]
    rows = tuple(
        (show(gains[each.key]) if each.key in gains else Phrase("unjudged"), each.docno, each.text) for each in items
    )
    judged = sum(each.key in gains for each in items)
    return Step(
        label=Phrase("What was returned and judged by {question}", question=column.question),
        value=Phrase("{count} of {all}", count=judged, all=len(items)),
        header=(Phrase("gain"), Phrase("document"), Phrase("text")),
        rows=rows,
        about=tuple(About(kind="item", topic=topic, name=column.kind, key=each.key) for each in items),
    )
