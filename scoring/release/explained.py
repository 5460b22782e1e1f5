"""Scores that explain themselves: a value, its formula and the rows behind it are one node, made where it is computed.

    node = Node(value=Fraction(1, 2), account=lambda: Account(formula="P = 1 / 2 = 0.5000", steps=(...,)))

A run's nodes stand by topic and measure. Its scores (`scores_of`) and their explanations (`explanation_of`) are both
read off them. A mean is a node whose rows lead to the nodes that it is taken of. What a node says of itself is put
together when it is asked: scoring a run costs its values alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from scoring.records import Score
from scoring.release.formulas import Number, exact, mean, mean_formula, show, shown, sum_formula, total


@dataclass(frozen=True, kw_only=True, slots=True)
class About:
    """The record that a row of an explanation stands for; the site finds the judgments behind it with this.

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
    """One line of an explanation: "vital nuggets returned", 3, with the rows behind it.

    ``about`` says of each row what it stands for, None where it stands for nothing; empty where no row does.
    """

    label: str
    value: str
    rows: tuple[tuple[str, ...], ...] = ()
    header: tuple[str, ...] = ()
    about: tuple[About | None, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what would lead from a row to another one's judgments."""
        if self.about and len(self.about) != len(self.rows):
            raise ValueError(f"{len(self.rows)} rows stand for {len(self.about)} things")


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """How one value of one run on one topic came about, with the formula filled in.

    ``arithmetic`` is the formula with exact figures (`scoring.release.formulas`), so that it can be computed again;
    "" where there is none.
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
    """How a value came about. ``arithmetic`` is the formula with exact figures (`scoring.release.explained`), or ""."""

    formula: str
    steps: tuple[Step, ...]
    arithmetic: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """A value (None where it is undefined) that can explain itself; for a mean, ``topics`` is the number of topics
    averaged.
    """

    value: Number | None
    account: Callable[[], Account]
    topics: int | None = None


Nodes = Mapping[str, Mapping[str, Node]]  # topic, or "all" -> measure -> node
Values = Mapping[str, Mapping[str, Number | None]]  # topic -> measure -> value


def scores_of(groups: Sequence[Nodes], *, run: str) -> Iterator[Score]:
    """Yield the values of a run, in the order of its nodes: usually those of topics, then those over all topics."""
    for nodes in groups:
        for topic, of_topic in nodes.items():
            for measure, node in of_topic.items():
                yield Score(run=run, topic=topic, measure=measure, value=as_float(node.value), topics=node.topics)


def as_float(value: Number | None) -> float | None:
    """Return the float that is nearest to a value; None of what is undefined."""
    if type(value) is Fraction:
        above, below = value.as_integer_ratio()
        return above / below
    return None if value is None else float(value)


Explain = Callable[[str, str], Explanation | None]
"""How the value of a topic (or series, or "all") by a measure came about; None where a run has no such value."""


def explained_by(groups: Sequence[Nodes], *, run: str) -> Explain:
    """Return what explains each value of a run that these nodes give: `explanation_of`."""
    return lambda topic, measure: explanation_of(groups, run=run, topic=topic, measure=measure)


def explanation_of(groups: Sequence[Nodes], *, run: str, topic: str, measure: str) -> Explanation | None:
    """Return how one value of a run was computed; None where there is no such value. An undefined value has no
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
    """Return what is counted in the rows of these steps."""
    value = Fraction(count)

    def account() -> Account:
        formula = f"{measure} = {show(value)}, counted in the rows below"
        return Account(formula=formula, steps=steps(), arithmetic=exact(value))

    return Node(value=value, account=account)


def last_step(node: Node) -> Callable[[], tuple[Step, ...]]:
    """Return the last rows of another node's account, for what is counted in them."""
    return lambda: node.account().steps[-1:]


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """The values that a mean or a sum is taken of, by the names of their rows, and what heads these rows.

    Each is the run's value of ``measure`` on the topic that its row names, unless ``about`` says otherwise.
    """

    values: Mapping[str, Number | None]
    measure: str
    label: str
    noun: str
    about: tuple[About, ...] = ()

    def step(self, value: str, display: Callable[[Number | None], str]) -> Step:
        """Return the rows, under what they amount to."""
        about = self.about or tuple(About(kind="score", topic=name, name=self.measure) for name in self.values)
        rows = tuple((name, display(part)) for name, part in self.values.items())
        return Step(label=self.label, value=value, header=(self.noun, self.measure), rows=rows, about=about)


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """How a mean or a sum is put into words: its formula, the same where it is undefined, and the head of its rows.

    They may name ``measure``, ``value``, ``total``, ``below`` (what the total is divided by), ``count`` (defined
    parts), ``all`` (parts) and ``rows`` (what the parts are called).
    """

    formula: str = "{measure} = {total} / {below} = {value}"
    undefined: str = "undefined: nothing to average"
    tally: str = "{count} of {all} averaged"


QUOTIENT = Words()
_IN_WORDS = "{measure} = mean over {count} {rows} = {value}"
IN_WORDS = Words(formula=_IN_WORDS, undefined=_IN_WORDS, tally="{all}")


def mean_node(
    measure: str,
    parts: Parts,
    words: Words = QUOTIENT,
    *,
    of_all: bool = False,
    average: Callable[[Sequence[Any]], Number] = mean,
    display: Callable[[Number | None], str] = shown,
) -> Node:
    """Return the mean of the parts that are defined, or, ``of_all``, of all parts, where those that are undefined are
    0.

    ``average`` adds and divides: `statistics.fmean` where floats are to be added without loss.

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
    """The sum of the parts; one that is undefined adds nothing. ``topics`` is how many topics it is of."""
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
            "rows": parts.label.lower(),
        }
        formula = words.undefined if value is None else words.formula
        steps = (parts.step(words.tally.format(**said), display),)
        return Account(formula=formula.format(**said), steps=steps, arithmetic=arithmetic())

    return Node(value=value, account=account, topics=topics)
