"""Nugget F. The exact values are those of a table worked out by hand: 2 of 5 vital and 1 okay unless said."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measures.nuggets import (
    f_measure,
    importance_weights,
    length_precision,
    nugget_score,
    part_counts,
    returned_nuggets,
    vote_weights,
)
from scoring.measures.nuggets_explained import nugget_node
from scoring.records import Importance, Nugget, NuggetVote

FIVE_VITAL = {number: Fraction(1) for number in range(1, 6)} | {number: Fraction(0) for number in range(6, 9)}
TWO_AND_ONE = {1, 2, 6}


@pytest.mark.parametrize(
    ("returned", "length", "beta", "recall", "precision", "f"),
    [
        (TWO_AND_ONE, 450, 5, Fraction(2, 5), Fraction(2, 3), Fraction(13, 32)),
        (TWO_AND_ONE, 450, 3, Fraction(2, 5), Fraction(2, 3), Fraction(5, 12)),
        (TWO_AND_ONE, 450, 2, Fraction(2, 5), Fraction(2, 3), Fraction(10, 23)),
        (TWO_AND_ONE, 450, 1, Fraction(2, 5), Fraction(2, 3), Fraction(1, 2)),
        (TWO_AND_ONE, 299, 5, Fraction(2, 5), Fraction(1), Fraction(52, 127)),
        (TWO_AND_ONE, 300, 5, Fraction(2, 5), Fraction(1), Fraction(52, 127)),
        (TWO_AND_ONE, 301, 5, Fraction(2, 5), Fraction(300, 301), Fraction(39000, 95255)),
        (set(), 500, 3, Fraction(0), Fraction(0), Fraction(0)),
        ({6}, 100, 3, Fraction(0), Fraction(1), Fraction(0)),
        (set(), 0, 3, Fraction(0), Fraction(0), Fraction(0)),
        ({1, 2, 3, 4, 5}, 7000, 3, Fraction(1), Fraction(1, 14), Fraction(10, 23)),
        ({1, 2, 3, 4, 5}, 499, 3, Fraction(1), Fraction(1), Fraction(1)),
        ({1, 99}, 100, 3, Fraction(1, 5), Fraction(1), Fraction(20, 92)),
    ],
)
def test_nugget_score_has_the_values_of_the_table(
    returned: set[int], length: int, beta: float, recall: Fraction, precision: Fraction, f: Fraction
) -> None:
    score = nugget_score(FIVE_VITAL, returned, length, beta=beta)
    assert (score.recall, score.precision, score.f) == (recall, precision, f)


@pytest.mark.parametrize(("beta", "printed"), [(5, 0.406250), (3, 0.416667), (2, 0.434783), (1, 0.500000)])
def test_nugget_score_at_450_characters_prints_as_published(beta: float, printed: float) -> None:
    f = nugget_score(FIVE_VITAL, TWO_AND_ONE, 450, beta=beta).f
    assert f is not None
    assert round(float(f), 6) == printed


def nuggets(*importances: Importance) -> list[Nugget]:
    return [
        Nugget(topic="1.1", number=number, importance=importance, text=f"nugget {number}")
        for number, importance in enumerate(importances, start=1)
    ]


def votes(*counts: int) -> list[NuggetVote]:
    """Nugget n gets the n-th count of vital votes of nine assessors, the rest vote okay."""
    return [
        NuggetVote(topic="1.1", number=number, assessor=f"a{place}", importance="vital" if place < count else "okay")
        for number, count in enumerate(counts, start=1)
        for place in range(9)
    ]


def test_pyramid_score_has_the_value_of_the_table() -> None:
    weights = vote_weights(nuggets("vital", "vital", "okay", "okay"), votes(9, 6, 3, 0))
    assert weights == {1: Fraction(1), 2: Fraction(2, 3), 3: Fraction(1, 3), 4: Fraction(0)}
    score = nugget_score(weights, {2, 3}, 250, beta=3)
    assert (score.recall, score.precision, score.f) == (Fraction(1, 2), Fraction(4, 5), Fraction(40, 77))
    assert round(float(Fraction(40, 77)), 6) == 0.519481


def test_pyramid_scale_is_the_most_votes_any_nugget_got() -> None:
    assert vote_weights(nuggets("okay", "okay"), votes(4, 2)) == {1: Fraction(1), 2: Fraction(1, 2)}


def test_weights_without_votes_are_the_authors() -> None:
    assert (
        vote_weights(nuggets("vital", "okay"), [])
        == {1: Fraction(1), 2: Fraction(0)}
        == importance_weights(nuggets("vital", "okay"))
    )


def test_nugget_without_votes_weighs_nothing_where_others_have_some() -> None:
    two = nuggets("vital", "vital")
    assert vote_weights(two, [NuggetVote(topic="1.1", number=1, assessor="a", importance="vital")]) == {
        1: Fraction(1),
        2: Fraction(0),
    }


@pytest.mark.parametrize("weights", [{}, {1: Fraction(0), 2: Fraction(0)}])
def test_list_without_weight_is_undefined(weights: dict[int, Fraction]) -> None:
    score = nugget_score(weights, {1}, 50)
    assert (score.recall, score.f) == (None, None)


def test_all_votes_okay_is_undefined() -> None:
    weights = vote_weights(nuggets("vital", "vital"), votes(0, 0))
    assert weights == {1: Fraction(0), 2: Fraction(0)}
    assert nugget_score(weights, {1}, 50).f is None


def test_beta_zero_is_precision_alone() -> None:
    assert f_measure(Fraction(1, 3), Fraction(1, 2), beta=0) == Fraction(1, 3)


def test_fractional_beta_is_exact() -> None:
    assert f_measure(Fraction(1, 2), Fraction(1, 4), beta=0.5) == Fraction(5, 4) * Fraction(1, 8) / (
        Fraction(1, 8) + Fraction(1, 4)
    )


def test_parts_count_only_together() -> None:
    marks = [(5, 1), (5, 2), (6, 1), (7, 0), (7, 1)]
    parts = part_counts(marks)
    assert parts == {5: 2, 6: 2, 7: 2}
    assert returned_nuggets(marks, parts) == {5, 7}
    assert returned_nuggets([(5, 1)], parts) == frozenset()
    assert returned_nuggets([(5, 1), (5, 2)], {5: 3}) == frozenset()


def explained(
    measure: str, returned: set[int], strings: list[tuple[str, str, list[tuple[int, int]]]]
) -> tuple[float | None, str]:
    listed = nuggets("vital", "okay", "vital")
    weights = importance_weights(listed)
    length = sum(len(text.replace(" ", "")) for _, text, _ in strings)
    node = nugget_node(
        nugget_score(weights, returned, length),
        topic="1.1", measure=measure, nuggets=listed, votes=[], weights=weights, strings=lambda: strings,
        beta=3.0, allowance=100,
    )  # fmt: skip
    return None if node.value is None else float(node.value), node.account().formula


def test_explanation_fills_the_formula_in() -> None:
    strings = [("D1", "x" * 250, [(1, 0), (2, 0)])]
    assert explained("NR", {1, 2}, strings) == (0.5, "NR = 1 / 2 = 0.5000")
    assert explained("NP", {1, 2}, strings) == (
        0.8,
        "allowance = 100 × 2 = 200; NP = 1 - (250 - 200) / 250 = 0.8000",
    )
    f = float(Fraction(10) * Fraction(4, 5) * Fraction(1, 2) / (9 * Fraction(4, 5) + Fraction(1, 2)))
    assert explained("F", {1, 2}, strings) == (
        f,
        "F = (9 + 1) × 0.8000 × 0.5000 / (9 × 0.8000 + 0.5000) = 0.5195",
    )


def test_explanation_of_an_empty_response() -> None:
    assert explained("NP", set(), []) == (0.0, "allowance = 100 × 0 = 0; the response is empty, so NP = 0")
    assert explained("F", set(), []) == (0.0, "F = 0, since NP = 0 and NR = 0")


def test_explanation_shows_nuggets_votes_matches_and_lengths() -> None:
    listed = nuggets("vital", "okay")
    cast = votes(6, 3)
    weights = vote_weights(listed, cast)
    explanation = nugget_node(
        nugget_score(weights, {1}, 8),
        topic="1.1", measure="F", nuggets=listed, votes=cast, weights=weights,
        strings=lambda: [("D1", "ab cd", [(1, 0)]), ("D2", "efgh", [(1, 0), (2, 1)])], beta=3.0, allowance=100,
    ).account()  # fmt: skip
    returned, said, lengths = explanation.steps
    assert returned.rows == (
        ("1", "vital", "6 of 9", "1", "yes", "1, 2", "nugget 1"),
        ("2", "okay", "3 of 9", "0.5000", "no", "2 (part 1)", "nugget 2"),
    )
    assert said.header == ("nugget", *sorted({vote.assessor for vote in cast}))
    assert [row.count("vital") for row in said.rows] == [6, 3]
    assert lengths.rows == (("1", "D1", "4", "1", "ab cd"), ("2", "D2", "4", "1 2.1", "efgh"))
    assert all(len(row) == len(step.header) for step in explanation.steps for row in step.rows)


WEIGHTS = st.dictionaries(st.integers(1, 12), st.fractions(0, 1, max_denominator=9), max_size=10)
BETAS = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0, 5.0])
LENGTHS = st.integers(0, 7000)


@given(WEIGHTS, st.sets(st.integers(1, 12)), LENGTHS, BETAS)
def test_values_are_within_bounds(weights: dict[int, Fraction], returned: set[int], length: int, beta: float) -> None:
    score = nugget_score(weights, returned, length, beta=beta)
    assert 0 <= score.precision <= 1
    assert (score.recall is None) == (score.f is None) == (not any(weights.values()))
    if score.recall is not None and score.f is not None:
        assert 0 <= score.recall <= 1
        assert min(score.precision, score.recall) <= score.f <= max(score.precision, score.recall)


@given(WEIGHTS, st.sets(st.integers(1, 12)), st.integers(1, 12), LENGTHS, BETAS)
def test_a_further_nugget_never_lowers_anything(
    weights: dict[int, Fraction], returned: set[int], further: int, length: int, beta: float
) -> None:
    before = nugget_score(weights, returned, length, beta=beta)
    after = nugget_score(weights, returned | {further}, length, beta=beta)
    assert after.precision >= before.precision
    if before.recall is not None and before.f is not None:
        assert after.recall is not None
        assert after.f is not None
        assert after.recall >= before.recall
        assert after.f >= before.f


@given(LENGTHS, LENGTHS, st.integers(0, 20))
def test_more_text_never_raises_precision(first: int, second: int, count: int) -> None:
    shorter, longer = sorted((first, second))
    if shorter or count:  # an empty response without nuggets is 0 by definition
        assert length_precision(longer, 100 * count) <= length_precision(shorter, 100 * count)


@given(WEIGHTS, st.sets(st.integers(1, 12)), LENGTHS, st.permutations(range(1, 13)))
def test_relabelling_nuggets_changes_nothing(
    weights: dict[int, Fraction], returned: set[int], length: int, order: list[int]
) -> None:
    renamed = {order[number - 1]: weight for number, weight in weights.items()}
    found = {order[number - 1] for number in returned}
    before, after = nugget_score(weights, returned, length), nugget_score(renamed, found, length)
    assert (before.recall, before.precision, before.f) == (after.recall, after.precision, after.f)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_pyramid_weights_have_a_maximum_of_one(counts: list[int]) -> None:
    weights = vote_weights(nuggets(*["okay"] * len(counts)), votes(*counts))
    assert max(weights.values()) == (1 if any(counts) else 0)
    assert [weights[n] for n in sorted(weights)] == [Fraction(count, max(counts) or 1) for count in counts]
