"""Values that explain themselves: a score and its explanation come from one node."""

from __future__ import annotations

from fractions import Fraction
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.records import Score
from scoring.release.explained import (
    IN_WORDS,
    About,
    Account,
    Explanation,
    Node,
    Parts,
    Step,
    Words,
    explanation_of,
    mean_node,
    scores_of,
    sum_node,
)
from tests.computed_formulas import computed

VALUES = st.dictionaries(st.text("123", min_size=1), st.none() | st.fractions(0, 1))


def parts(values: dict[str, Fraction | None]) -> Parts:
    return Parts(values=values, measure="F", label="Questions", noun="question")


def test_scores_and_explanations_are_read_off_the_same_nodes() -> None:
    asked = []

    def account() -> Account:
        asked.append("1")
        return Account(formula="F = 1 / 2", steps=(), arithmetic="1 / 2")

    topics = {"1": {"F": Node(value=Fraction(1, 2), account=account)}}
    groups = (topics, {"all": {"F": mean_node("F", parts({"1": Fraction(1, 2)}))}})
    assert list(scores_of(groups, run="r")) == [
        Score(run="r", topic="1", measure="F", value=0.5),
        Score(run="r", topic="all", measure="F", value=0.5, topics=1),
    ]
    assert asked == []
    assert explanation_of(groups, run="r", topic="1", measure="F") == Explanation(
        run="r", topic="1", measure="F", value=0.5, formula="F = 1 / 2", steps=(), arithmetic="1 / 2"
    )
    assert explanation_of(groups, run="r", topic="2", measure="F") is None
    assert explanation_of(groups, run="r", topic="1", measure="P") is None


def test_a_mean_leads_to_its_parts() -> None:
    node = mean_node("F", parts({"1": Fraction(1), "2": None, "3": Fraction(1, 3)}))
    assert (node.value, node.topics) == (Fraction(2, 3), 2)
    assert node.account() == Account(
        formula="F = 1.3333 / 2 = 0.6667",
        steps=(
            Step(
                label="Questions",
                value="2 of 3 averaged",
                header=("question", "F"),
                rows=(("1", "1"), ("2", "undefined"), ("3", "0.3333")),
                about=tuple(About(kind="score", topic=topic, name="F") for topic in "123"),
            ),
        ),
        arithmetic="(1 + (1/3)) / 2",
    )


def test_a_mean_of_nothing_is_undefined_in_its_own_words() -> None:
    node = mean_node("F", parts({"1": None}))
    assert (node.value, node.topics, node.account().formula) == (None, 0, "undefined: nothing to average")
    assert mean_node("F", parts({}), IN_WORDS).account().formula == "F = mean over 0 questions = undefined"


def test_a_mean_is_the_one_that_its_formula_names() -> None:
    values = {str(place): 0.1 for place in range(10)}
    node = mean_node("F", Parts(values=values, measure="F", label="Turns", noun="turn"), average=fmean, display=repr)
    assert node.value == 0.1 != sum(values.values()) / 10
    assert node.account().formula.endswith(" = 0.1")


def test_a_mean_of_all_parts_counts_the_undefined_as_0() -> None:
    values = {"1": 0.5, "2": None}
    node = mean_node("F", Parts(values=values, measure="F", label="Claims", noun="claim"), of_all=True)
    assert (node.value, node.topics, node.account().formula) == (0.25, 2, "F = 0.5000 / 2 = 0.2500")
    assert node.account().arithmetic == "(0.5 + 0) / 2"


def test_a_sum_has_its_own_words() -> None:
    words = Words(formula="{measure} = {value} in all", tally="{total}")
    node = sum_node("n", parts({"1": Fraction(2), "2": None}), words, topics=7)
    assert (node.value, node.topics) == (2, 7)
    account = node.account()
    assert (account.formula, account.steps[0].value, account.arithmetic) == ("n = 2 in all", "2", "2 + 0")


def test_what_is_undefined_has_no_arithmetic() -> None:
    node = Node(value=None, account=lambda: Account(formula="undefined", steps=(), arithmetic="0 / 0"))
    found = explanation_of(({"1": {"F": node}},), run="r", topic="1", measure="F")
    assert found is not None
    assert (found.value, found.arithmetic) == (None, "")


@given(VALUES)
def test_the_arithmetic_of_a_mean_is_its_value_which_lies_between_its_parts(values: dict[str, Fraction | None]) -> None:
    node = mean_node("F", parts(values))
    defined = [value for value in values.values() if value is not None]
    assert (node.value is None) == (not defined)
    assert node.topics == len(defined)
    if node.value is not None:
        assert min(defined) <= node.value <= max(defined)
        assert computed(node.account().arithmetic) == pytest.approx(node.value)
