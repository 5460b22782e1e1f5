"""Computes series scores: the values of questions of several types about one target become one value.

    score of a type in a series = mean of the F of the series' questions of that type
    combined score of a series  = mean of its types' scores (TAC 2008: 1/2 (rigid + squishy))
    score of a run              = mean over the series

Edge cases: a question whose F is undefined (None) is left out and counted (`excluded_node`). A question that the run
did not answer is 0, and the caller must pass it as 0. A type without a defined question is left out of its series, so
that the combined score of a series with only rigid questions is their mean. A series without any defined question is
None and is left out of the run's mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from scoring.measures.spec import Measure
from scoring.release.explained import About, Account, Node, Parts, Step, mean_node
from scoring.release.formulas import Number
from scoring.release.phrases import Phrase

MEASURES = (
    Measure(
        name="seriesF",
        family="series",
        label="mean of the rigid and the squishy F of a series",
        source="TAC 2008 QA guidelines",
        edge_cases="a type without a defined F is left out",
    ),
)


def type_node(name: str, questions: Mapping[str, Number | None], measure: str) -> Node:
    """Return the score of one type of question in a series: the mean of the questions' values of ``measure``. It is
    stored as the series' value ``name``.
    """
    return _of_series(
        mean_node(name, Parts(values=questions, measure=measure, label=Phrase("Questions"), noun=Phrase("question")))
    )


def combined_node(name: str, target: str, types: Mapping[str, tuple[str, Node]]) -> Node:
    """Return the combined score of the series ``target``: the mean of its types that are defined, None if none is.

    It is stored as the series' value ``name``. ``types`` maps each type to (name of its score, the score).

    >>> rigid, squishy = type_node("rigid", {"1": Fraction(1, 2)}, "F"), type_node("squishy", {"2": None}, "F")
    >>> combined_node("combined", "1", {"rigid": ("rigid", rigid), "squishy": ("squishy", squishy)}).value
    Fraction(1, 2)
    """
    parts = Parts(
        values={kind: node.value for kind, (_, node) in types.items()},
        measure="score",
        label=Phrase("Types of questions"),
        noun=Phrase("type"),
        about=tuple(About(kind="score", topic=target, name=own) for own, _ in types.values()),
    )
    return _of_series(mean_node(name, parts))


def _of_series(node: Node) -> Node:
    """Return the mean as a value of a series. It has no count of topics, since it is a mean over the questions of one
    series.
    """
    return Node(value=node.value, account=node.account)


def excluded_node(name: str, questions: Mapping[str, Number | None], measure: str) -> Node:
    """Return a node for the number of questions that a series leaves out because their value of ``measure`` is
    undefined.
    """
    left_out = [question for question, value in questions.items() if value is None]

    def account() -> Account:
        step = Step(
            label=Phrase("Questions left out"),
            value=str(len(left_out)),
            header=(Phrase("question"), Phrase("why")),
            rows=tuple((question, Phrase("F is undefined")) for question in left_out),
            about=tuple(About(kind="score", topic=question, name=measure) for question in left_out),
        )
        formula = Phrase("{name} = {count} of {all} questions", name=name, count=len(left_out), all=len(questions))
        return Account(formula=formula, steps=(step,), arithmetic=str(len(left_out)))

    return Node(value=Fraction(len(left_out)), account=account)
