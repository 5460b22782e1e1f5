"""The pilot's printed rankings give its printed taus, and controls are the same for the same seed."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.correlation import tau
from scoring.statistics.rankings import (
    RunRanking,
    all_likenesses,
    constant_ranking,
    likeness,
    random_ranking,
    ranking_of,
)

# The rankings and taus that section 2.1 of the pilot's text prints.
PRINTED = {
    "contractor": "FGEADBHC",
    "author": "FADEBGCH",
    "other": "FAEGDBHC",
    "random": "CDBGEAFH",
    "constant": "ABCDEFGH",
}
PAIRS = [
    ("contractor", "author", 7, 0.5, "0.50"),
    ("author", "other", 4, 0.714286, "0.71"),
    ("contractor", "other", 3, 0.785714, "0.79"),
    ("other", "random", 21, -0.5, "-0.50"),
    ("author", "random", 17, -0.214286, "-0.21"),
    ("contractor", "random", 18, -0.285714, "-0.28"),
    ("other", "constant", 14, 0.0, "0.00"),
    ("author", "constant", 10, 0.285714, "0.29"),
    ("random", "constant", 9, 0.357143, "0.36"),
    ("contractor", "constant", 17, -0.214286, "-0.21"),
]
WITHOUT_G = [
    ("contractor", "author", 3, 0.714286, "0.71"),
    ("contractor", "other", 1, 0.904762, "0.90"),
    ("author", "other", 2, 0.809524, "0.81"),
]
MISPRINT = ("contractor", "random")  # -2/7 is -.2857, which rounds to -.29; the text has -.28

# The two tables of F, as section 2.2 prints them: beta 5, then beta 2.
F_AUTHOR_5 = {"A": 0.606, "B": 0.467, "C": 0.349, "D": 0.568, "E": 0.555, "F": 0.688, "G": 0.562, "H": 0.330}
F_OTHER_5 = {"A": 0.687, "B": 0.522, "C": 0.384, "D": 0.669, "E": 0.657, "F": 0.757, "G": 0.671, "H": 0.365}
F_AUTHOR_2 = {"A": 0.516, "B": 0.339, "C": 0.371, "D": 0.550, "E": 0.495, "F": 0.584, "G": 0.587, "H": 0.348}
F_OTHER_2 = {"A": 0.609, "B": 0.404, "C": 0.406, "D": 0.656, "E": 0.576, "F": 0.661, "G": 0.688, "H": 0.383}
LENGTHS = {"A": 1121.2, "B": 1236.5, "C": 84.7, "D": 281.8, "E": 533.9, "F": 935.6, "G": 164.5, "H": 33.7}


def printed(name: str, without: str = "") -> RunRanking:
    return ranking_of(PRINTED[name], key=name).without(without)


def swaps(first: RunRanking, second: RunRanking) -> int:
    """How many pairs of runs the two rankings put the other way round."""
    order = [second.order.index(run) for run in first.order]
    return sum(order[i] > order[j] for i in range(len(order)) for j in range(i + 1, len(order)))


@pytest.mark.parametrize(("first", "second", "apart", "exact", "text"), PAIRS)
def test_printed_rankings_give_the_printed_taus(first: str, second: str, apart: int, exact: float, text: str) -> None:
    found = likeness(printed(first), printed(second))
    assert swaps(printed(first), printed(second)) == apart
    assert (found.runs, found.tied) == (8, False)
    assert found.tau == pytest.approx(1 - 2 * apart / 28)
    assert found.tau == pytest.approx(exact, abs=5e-7)
    assert (f"{found.tau:.2f}" == text) != ((first, second) == MISPRINT)


def test_the_misprint_is_a_truncation() -> None:
    found = likeness(printed("contractor"), printed("random"))
    assert found.tau is not None
    assert (f"{found.tau:.4f}", f"{found.tau:.2f}") == ("-0.2857", "-0.29")
    assert int(found.tau * 100) / 100 == -0.28


@pytest.mark.parametrize(("first", "second", "apart", "exact", "text"), WITHOUT_G)
def test_printed_rankings_without_g(first: str, second: str, apart: int, exact: float, text: str) -> None:
    found = likeness(printed(first, "G"), printed(second, "G"))
    assert (swaps(printed(first, "G"), printed(second, "G")), found.runs) == (apart, 7)
    assert found.tau == pytest.approx(exact, abs=5e-7)
    assert f"{found.tau:.2f}" == text


def by_value(name: str, values: dict[str, float]) -> RunRanking:
    return RunRanking(key=name, label=name, values=values)


def order(values: dict[str, float]) -> str:
    return "".join(by_value("F", values).order)


def test_the_tables_of_f_order_the_runs_as_read_by_score() -> None:
    assert [order(each) for each in (F_AUTHOR_5, F_OTHER_5, F_AUTHOR_2, F_OTHER_2)] == [
        "FADGEBCH",
        "FAGDEBCH",
        "GFDAECHB",
        "GFDAECBH",
    ]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (F_AUTHOR_5, F_OTHER_5, 0.928571),
        (F_AUTHOR_2, F_OTHER_2, 0.928571),
        (F_AUTHOR_5, F_AUTHOR_2, 0.571429),
        (F_OTHER_5, F_OTHER_2, 0.714286),
    ],
)
def test_rankings_by_f_are_stable_across_assessors_and_less_so_across_betas(
    first: dict[str, float], second: dict[str, float], expected: float
) -> None:
    assert likeness(by_value("a", first), by_value("b", second)).tau == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (F_AUTHOR_5, {"author": 0.857143, "other": 0.714286, "contractor": 0.642857}),
        (F_OTHER_5, {"author": 0.785714, "other": 0.785714, "contractor": 0.714286}),
    ],
)
def test_f_against_the_holistic_rankings(values: dict[str, float], expected: dict[str, float]) -> None:
    found = {name: likeness(by_value("F", values), printed(name)).tau for name in expected}
    assert found == pytest.approx(expected, abs=5e-7)


def mean(values: Iterable[float]) -> float:
    kept = list(values)
    return sum(kept) / len(kept)


def test_means_of_the_printed_columns() -> None:
    columns = (F_AUTHOR_5, F_OTHER_5, F_AUTHOR_2, F_OTHER_2)
    assert [round(mean(each.values()), 6) for each in columns] == [0.515625, 0.589, 0.47375, 0.547875]
    assert round(mean(LENGTHS.values()), 6) == 548.9875


def test_a_length_orders_nothing_but_can_be_ranked_like_any_value() -> None:
    assert order(LENGTHS) == "BAFEDGCH"


RUNS = st.lists(st.sampled_from("ABCDEFGHIJ"), unique=True, min_size=2)
VALUES = st.dictionaries(st.sampled_from("ABCDEFGH"), st.integers(0, 4).map(float), min_size=2)


@given(RUNS)
def test_a_ranking_is_like_itself_and_unlike_its_inverse(runs: list[str]) -> None:
    same, inverse = ranking_of(runs, key="a"), ranking_of(runs[::-1], key="b")
    assert likeness(same, ranking_of(runs, key="c")).tau == 1.0
    assert likeness(same, inverse).tau == -1.0


@given(VALUES, VALUES)
def test_tau_is_bounded_and_symmetric_and_tau_a_without_ties(first: dict[str, float], second: dict[str, float]) -> None:
    a, b = by_value("a", first), by_value("b", second)
    found, other = likeness(a, b), likeness(b, a)
    assert found.tau == other.tau
    assert found.tau is None or -1 <= found.tau <= 1
    if not found.tied and found.runs > 1:
        shared = sorted(first.keys() & second.keys())
        assert found.tau == pytest.approx(tau([first[run] for run in shared], [second[run] for run in shared]))


@given(VALUES)
def test_places_of_ties_are_their_mean(values: dict[str, float]) -> None:
    ranking = by_value("a", values)
    assert sum(ranking.places.values()) == pytest.approx(len(values) * (len(values) + 1) / 2)


def test_one_value_for_all_or_one_run_is_undefined() -> None:
    flat = by_value("flat", dict.fromkeys("ABC", 1.0))
    assert likeness(flat, ranking_of("ABC", key="b")).tau is None
    alone = likeness(ranking_of("A", key="a"), ranking_of("AB", key="b"))
    assert (alone.tau, alone.runs) == (None, 1)


def test_controls_are_the_same_for_the_same_seed() -> None:
    assert random_ranking("ABCDEFGH", seed=7) == random_ranking("HGFEDCBA", seed=7)
    assert random_ranking("ABCDEFGH", seed=7) != random_ranking("ABCDEFGH", seed=8)
    assert constant_ranking("CAB").order == ("A", "B", "C")


def test_chance_is_drawn_topic_by_topic() -> None:
    drawn: list[float] = []

    def dice(source: object) -> float:
        drawn.append(float(len(drawn)))
        return drawn[-1]

    assert random_ranking("BA", seed=1, chance=dice, topics=3).values == {"A": 1.0, "B": 4.0}


def test_every_pair_is_compared_once() -> None:
    found = all_likenesses([printed(name) for name in PRINTED])
    assert len(found) == 20
    assert found["author", "other"] is found["other", "author"]
