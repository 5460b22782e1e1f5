"""Defines scores that explain themselves: one node holds a value, its formula and the rows behind it, and is made where
the value is computed.

    node = Node(value=Fraction(1, 2), account=lambda: Account(formula="P = 1 / 2 = 0.5000", steps=(...,)))

A run's nodes are stored by topic and measure. Its scores (`scores_of`) and their explanations (`explanation_of`) are
both read from them. A mean is a node whose rows refer to the nodes that it averages. An explanation is put together
only when it is asked for, so that scoring a run costs no more than its values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from scoring.quick_records import quick_record
from scoring.records import Score
from scoring.release.formulas import Number, exact, mean, mean_formula, show, shown, sum_formula, total
from scoring.release.phrases import Phrase, marked


@quick_record(frozen=True, kw_only=True, slots=True)
class About:
    """The record that a row of an explanation stands for. The site uses it to find the judgments behind the row.

    ``kind``    ``name`` and ``key``
    score       the measure: another value of the same run, on ``topic``
    item        the item's kind, and its key or its text
    nugget      the role whose list it is on ("primary": the list that counts, or "second"), and its number
    wording     of the list that counts, the nugget with these words, or with them as a source; no name
    class       the key of an answer class; no name
    """

    kind: Literal["score", "item", "nugget", "wording", "class"]
    topic: str
    name: str = ""
    key: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One line of an explanation, such as "vital nuggets returned", 3, with the rows behind it.

    ``about`` has one entry for each row: the record that the row stands for, or None if it stands for no record. If
    that is so for all rows, ``about`` is empty.
    """

    label: str
    value: str
    rows: tuple[tuple[str, ...], ...] = ()
    header: tuple[str, ...] = ()
    about: tuple[About | None, ...] = ()

    def __post_init__(self) -> None:
        """Raise ValueError if ``about`` has another length than ``rows``, since a row would then lead to another row's
        judgments.
        """
        if self.about and len(self.about) != len(self.rows):
            raise ValueError(f"{len(self.rows)} rows stand for {len(self.about)} things")


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """How one value of one run on one topic was computed, with the formula filled in.

    ``arithmetic`` is the formula with exact numbers (`scoring.release.formulas`), from which the value can be computed
    again; "" if there is none.
    """

    run: str
    topic: str
    measure: str
    value: float | None
    formula: str
    steps: tuple[Step, ...]
    arithmetic: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """How a value was computed. ``arithmetic`` is the formula with exact numbers (`scoring.release.formulas`), or
    "".
    """

    formula: str
    steps: tuple[Step, ...]
    arithmetic: str = ""


@quick_record(frozen=True, kw_only=True, slots=True)
class Node:
    """A value (None if undefined) that can explain itself. For a mean, ``topics`` is the number of topics averaged."""

    value: Number | None
    account: Callable[[], Account]
    topics: int | None = None


Nodes = Mapping[str, Mapping[str, Node]]  # topic, or "all" -> measure -> node
Values = Mapping[str, Mapping[str, Number | None]]  # topic -> measure -> value


def values_of(nodes: Nodes) -> dict[str, dict[str, Number | None]]:
    """Return the nodes' values by topic and measure, without their explanations."""
    return {topic: {measure: node.value for measure, node in of.items()} for topic, of in nodes.items()}


def values_by(measure: str, topics: Values) -> dict[str, Number | None]:
    """Return the values of one measure by topic, for the topics that have one."""
    return {topic: found[measure] for topic, found in topics.items() if measure in found}


def scores_of(groups: Sequence[Nodes], *, run: str) -> Iterator[Score]:
    """Yield the values of a run in the order of its nodes. Usually single topics come first, then "all"."""
    for nodes in groups:
        for topic, of_topic in nodes.items():
            for measure, node in of_topic.items():
                yield Score(run=run, topic=topic, measure=measure, value=as_float(node.value), topics=node.topics)


def as_float(value: Number | None) -> float | None:
    """Return the float nearest to a value; None for an undefined one."""
    if type(value) is Fraction:
        above, below = value.as_integer_ratio()
        return above / below
    return None if value is None else float(value)


Explain = Callable[[str, str], Explanation | None]
"""Explains the value of a topic (or series, or "all") by a measure; None if a run has no such value."""


def explained_by(groups: Sequence[Nodes], *, run: str) -> Explain:
    """Return a function that explains each value of a run from these nodes, by `explanation_of`."""
    return lambda topic, measure: explanation_of(groups, run=run, topic=topic, measure=measure)


def explanation_of(groups: Sequence[Nodes], *, run: str, topic: str, measure: str) -> Explanation | None:
    """Return how one value of a run was computed; None if there is no such value. An undefined value has no
    arithmetic.
    """
    node = next((nodes[topic][measure] for nodes in groups if measure in nodes.get(topic, {})), None)
    if node is None:
        return None
    account = node.account()
    return Explanation(
        run=run,
        topic=topic,
        measure=measure,
        value=None if node.value is None else float(node.value),
        formula=account.formula,
        steps=account.steps,
        arithmetic="" if node.value is None else account.arithmetic,
    )


def counted_node(measure: str, count: int, steps: Callable[[], tuple[Step, ...]]) -> Node:
    """Return a node whose value is ``count``. The rows of these steps show what was counted."""
    value = Fraction(count)

    def account() -> Account:
        formula = Phrase("{measure} = {value}, counted in the rows below", measure=measure, value=show(value))
        return Account(formula=formula, steps=steps(), arithmetic=exact(value))

    return Node(value=value, account=account)


def last_step(node: Node) -> Callable[[], tuple[Step, ...]]:
    """Return a function that returns the last step of this node's account.

    Another node, whose value counts the rows of that step, is explained by it.
    """
    return lambda: node.account().steps[-1:]


@quick_record(frozen=True, kw_only=True, slots=True)
class Parts:
    """The values from which a mean or a sum is computed, each under the name of its row. ``label`` is the heading of
    these rows, and ``noun`` says what a row is.

    Each value is the run's value of ``measure`` on the topic that names the row, unless ``about`` says otherwise.
    """

    values: Mapping[str, Number | None]
    measure: str
    label: str
    noun: str
    about: tuple[About, ...] = ()

    def step(self, value: str, display: Callable[[Number | None], str]) -> Step:
        """Return a step whose rows are these values. ``value`` is the step's result."""
        about = self.about or tuple(About(kind="score", topic=name, name=self.measure) for name in self.values)
        rows = tuple((name, display(part)) for name, part in self.values.items())
        return Step(label=self.label, value=value, header=(self.noun, self.measure), rows=rows, about=about)


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """The texts that explain a mean or a sum.

    ``undefined`` replaces the ``formula`` if the value is undefined, and ``tally`` is the result shown above the rows.

    The texts may contain the placeholders ``measure``, ``value``, ``total``, ``below`` (the divisor of the total),
    ``count`` (the number of defined parts), ``all`` (the number of parts) and ``rows`` (the name of the parts).
    """

    formula: str = "{measure} = {total} / {below} = {value}"
    undefined: str = marked("undefined: nothing to average")
    tally: str = marked("{count} of {all} averaged")


QUOTIENT = Words()
PARTS = (marked("topics"), marked("questions"), marked("types of questions"), marked("turns"), marked("claims"))
"""What means and sums are made of, as their phrases name it."""
_IN_WORDS = marked("{measure} = mean over {count} {rows} = {value}")
IN_WORDS = Words(formula=_IN_WORDS, undefined=_IN_WORDS, tally="{all}")
SUM_IN_WORDS = Words(formula=marked("{measure} = sum over {all} {rows} = {value}"), tally="{all}")


def mean_node(
    measure: str,
    parts: Parts,
    words: Words = QUOTIENT,
    *,
    of_all: bool = False,
    average: Callable[[Sequence[Any]], Number] = mean,
    display: Callable[[Number | None], str] = shown,
) -> Node:
    """Return the mean of the defined parts. With ``of_all``, return the mean of all parts, in which undefined parts are
    0.

    ``average`` computes the mean; `statistics.fmean` adds floats without loss.

    >>> values = {"1": Fraction(1), "2": None, "3": Fraction(0)}
    >>> node = mean_node("F", Parts(values=values, measure="F", label="Questions", noun="question"))
    >>> node.value, node.topics, node.account().formula, node.account().arithmetic
    (Fraction(1, 2), 2, 'F = 1 / 2 = 0.5000', '(1 + 0) / 2')
    """
    given = [value or 0.0 for value in parts.values.values()] if of_all else list(parts.values.values())
    defined = [value for value in given if value is not None]
    value = average(defined) if defined else None
    return _combined(measure, parts, words, value, len(defined), display, lambda: mean_formula(defined))


def sum_node(
    measure: str, parts: Parts, words: Words, *, topics: int, display: Callable[[Number | None], str] = shown
) -> Node:
    """Return a node for the sum of the parts. Undefined parts add nothing. ``topics`` is the number of topics that the
    sum covers.
    """
    given = [value or Fraction(0) for value in parts.values.values()]
    return _combined(measure, parts, words, total([Fraction(0), *given]), topics, display, lambda: sum_formula(given))


def _combined(
    measure: str,
    parts: Parts,
    words: Words,
    value: Number | None,
    topics: int,
    display: Callable[[Number | None], str],
    arithmetic: Callable[[], str],
) -> Node:
    def account() -> Account:
        there = [part for part in parts.values.values() if part is not None]
        said = {
            "measure": measure,
            "value": display(value),
            "total": display(sum(there)),
            "below": topics,
            "count": len(there),
            "all": len(parts.values),
            "rows": Phrase(parts.label.lower()),
        }
        formula = words.undefined if value is None else words.formula
        steps = (parts.step(Phrase(words.tally, **said), display),)
        return Account(formula=Phrase(formula, **said), steps=steps, arithmetic=arithmetic())

    return Node(value=value, account=account, topics=topics)
