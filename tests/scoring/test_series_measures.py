from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from scoring.measures.series import combined_node, excluded_node, type_node
from scoring.release.explained import Node


def combined(*types: Sequence[Fraction | None]) -> Node:
    """The combined score of a series from the F of its questions, a list a type."""
    nodes = {
        str(kind): (str(kind), type_node(str(kind), {str(place): f for place, f in enumerate(values)}, "F"))
        for kind, values in enumerate(types)
    }
    return combined_node("combined", "1", nodes)


def test_combined_is_the_simple_average_of_the_types_however_many_questions_each_has() -> None:
    node = combined([Fraction(1), Fraction(1), Fraction(1)], [Fraction(0)])
    assert (node.value, node.topics) == (Fraction(1, 2), None)
    (step,) = node.account().steps
    assert step.rows == (("0", "1"), ("1", "0"))


def test_undefined_question_is_left_out_and_counted() -> None:
    questions = {"1": None, "2": Fraction(1, 4)}
    assert combined([Fraction(1, 2)], list(questions.values())).value == Fraction(3, 8)
    node = excluded_node("excluded", questions, "F")
    assert (node.value, node.account().formula) == (1, "excluded = 1 of 2 questions")


def test_type_without_a_defined_question_drops_out() -> None:
    assert combined([Fraction(1, 2)], [None]).value == Fraction(1, 2)
    assert combined([Fraction(1, 2)], []).value == Fraction(1, 2)


def test_series_without_a_defined_question_is_undefined() -> None:
    node = combined([None], [])
    assert (node.value, node.account().formula) == (None, "undefined: nothing to average")
    assert [row for step in node.account().steps for row in step.rows] == [("0", "undefined"), ("1", "undefined")]


def test_missing_question_counts_as_the_zero_it_is_given_as() -> None:
    assert combined([Fraction(1), Fraction(0)], [Fraction(1)]).value == Fraction(3, 4)
