from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measures.list_f import list_node, list_score
from scoring.records import InstanceJudgment


@pytest.mark.parametrize(
    ("distinct", "final", "instances", "recall", "precision", "f"),
    [
        (2, 8, 4, Fraction(1, 4), Fraction(1, 2), Fraction(1, 3)),
        (8, 8, 8, Fraction(1), Fraction(1), Fraction(1)),
        (0, 8, 4, Fraction(0), Fraction(0), Fraction(0)),
        (0, 8, 0, Fraction(0), Fraction(0), Fraction(0)),
        (0, 0, 4, None, Fraction(0), None),
        (0, 0, 0, None, Fraction(0), None),
        (3, 4, 10, Fraction(3, 4), Fraction(3, 10), Fraction(3, 7)),
    ],
)
def test_list_score(
    distinct: int, final: int, instances: int, recall: Fraction | None, precision: Fraction, f: Fraction | None
) -> None:
    score = list_score(distinct=distinct, final=final, instances=instances)
    assert (score.recall, score.precision, score.f) == (recall, precision, f)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_list_score_is_the_dice_coefficient_of_the_counts(distinct: int, missed: int, wrong: int) -> None:
    final, instances = distinct + missed, distinct + wrong
    score = list_score(distinct=distinct, final=final, instances=instances)
    assert score.f == (Fraction(2 * distinct, final + instances) if final else None)


def judged(text: str, correctness: int, answer_class: str = "") -> InstanceJudgment:
    return InstanceJudgment(topic="1.1", docno="D1", text=text, correctness=correctness, answer_class=answer_class)


def test_explanation_shows_answers_and_instances() -> None:
    strings = [
        ("D1", "wine", judged("wine", 1, "c1")),
        ("D2", "the wine", judged("the wine", 1, "c1")),
        ("D3", "milk", judged("milk", 2)),
        ("D4", "beer", None),
    ]
    score = list_score(distinct=1, final=2, instances=4)
    node = list_node(score, topic="1.1", measure="F", strings=lambda: strings, labels={"c1": "wine", "c2": "cheese"})
    assert node.value == Fraction(1, 3)
    explanation = node.account()
    assert explanation.formula == "F = 2 × 0.2500 × 0.5000 / (0.2500 + 0.5000) = 0.3333"
    answers, instances = explanation.steps
    assert answers.rows == (("cheese", "no", ""), ("wine", "yes", "1, 2"))
    assert instances.rows == (
        ("1", "D1", "correct", "wine", "wine"),
        ("2", "D2", "correct", "wine", "the wine"),
        ("3", "D3", "unsupported", "", "milk"),
        ("4", "D4", "unjudged", "", "beer"),
    )


@pytest.mark.parametrize(
    ("measure", "value", "formula"),
    [
        ("IR", None, "undefined: the final answer set is empty"),
        ("F", None, "undefined: the final answer set is empty"),
        ("IP", 0.0, "the response is empty, so IP = 0"),
    ],
)
def test_explanation_of_nothing(measure: str, value: float | None, formula: str) -> None:
    node = list_node(list_score(distinct=0, final=0, instances=0), topic="t", measure=measure, strings=list, labels={})
    assert (node.value, node.account().formula) == (value, formula)
