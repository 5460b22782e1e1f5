from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from scoring.measures.series import mean_defined, series_score


def test_combined_is_the_simple_average_of_the_types_however_many_questions_each_has() -> None:
    score = series_score({"rigid": [Fraction(1), Fraction(1), Fraction(1)], "squishy": [Fraction(0)]})
    assert score.types == {"rigid": Fraction(1), "squishy": Fraction(0)}
    assert score.combined == Fraction(1, 2)


def test_undefined_question_is_left_out_and_counted() -> None:
    score = series_score({"rigid": [Fraction(1, 2)], "squishy": [None, Fraction(1, 4)]})
    assert (score.combined, score.excluded) == (Fraction(3, 8), 1)


def test_type_without_a_defined_question_drops_out() -> None:
    assert series_score({"rigid": [Fraction(1, 2)], "squishy": [None]}).combined == Fraction(1, 2)
    assert series_score({"rigid": [Fraction(1, 2)], "squishy": []}).combined == Fraction(1, 2)


def test_series_without_a_defined_question_is_undefined() -> None:
    score = series_score({"rigid": [None], "squishy": []})
    assert (score.combined, score.types, score.excluded) == (None, {"rigid": None, "squishy": None}, 1)


def test_missing_question_counts_as_the_zero_it_is_given_as() -> None:
    assert series_score({"rigid": [Fraction(1), Fraction(0)], "squishy": [Fraction(1)]}).combined == Fraction(3, 4)


@given(st.lists(st.none() | st.fractions(0, 1)))
def test_mean_lies_between_the_values_and_counts_them(values: list[Fraction | None]) -> None:
    mean, count = mean_defined(values)
    defined = [value for value in values if value is not None]
    assert count == len(defined)
    assert (mean is None) == (not defined)
    if mean is not None:
        assert min(defined) <= mean <= max(defined)
