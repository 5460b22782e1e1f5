"""Rehearsals against what is known beforehand: without error all agree, with it as the formulas say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.rehearsals.simulated_nuggets import NuggetPlan, rehearse_nuggets
from assess.rehearsals.simulation import Outcome, Plan, Rehearsal, expected_agreement, rehearse
from scoring.agreement import raw_agreement
from scoring.pooling import Recipe

TOPICS = tuple(str(number) for number in range(1, 7))
PLAN = Plan(
    topics=TOPICS, recipe=Recipe(depth=20), runs=5, documents=100, relevant=15, returned=40, plays=3, pace_spread=0
)
NUGGETS = NuggetPlan(topics=TOPICS, runs=5, plays=3, pace_spread=0)


def played(plan: Plan) -> Rehearsal:
    found = rehearse(plan)
    assert found is not None
    return found


# ---------------------------------------------------------------- without error


@pytest.mark.parametrize("grades", [2, 4])
def test_without_error_and_with_all_pooled_the_order_of_runs_is_the_true_one(grades: int) -> None:
    found = played(replace(PLAN, recipe=Recipe(depth=40), error=0, double=1.0, grades=grades)).planned
    assert (found.tau.value, found.tau.low) == (1.0, 1.0)
    assert (found.agreement.value, found.kappa.value, found.missed.value) == (1.0, 1.0, 0.0)


@given(seed=st.integers(0, 2**40), depth=st.integers(1, 40), double=st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=10, deadline=None)
def test_without_error_two_assessors_always_agree(seed: int, depth: int, double: float) -> None:
    plan = replace(PLAN, topics=TOPICS[:2], runs=3, recipe=Recipe(depth=depth), error=0, double=double, seed=seed)
    found = played(replace(plan, plays=1)).planned
    assert found.agreement.value in ((1.0,) if double else (None,))
    assert found.kappa.value in (1.0, None)


def test_nuggets_without_error_are_marked_as_they_are() -> None:
    (found,) = rehearse_nuggets(replace(NUGGETS, error=0, double=1.0))
    assert (found.tau.value, found.agreement.value, found.kappa.value) == (1.0, 1.0, 1.0)


# ---------------------------------------------------------------- closed forms


def test_hours_are_judgments_at_their_pace() -> None:
    found = played(replace(PLAN, seconds_per_item=36)).planned
    assert found.hours.value == pytest.approx((found.judgments.value or 0) / 100)
    assert found.judgments.value == pytest.approx((found.items.value or 0) * len(TOPICS))
    (nuggets,) = rehearse_nuggets(replace(NUGGETS, seconds_per_item=36))
    assert nuggets.hours.value == pytest.approx((nuggets.judgments.value or 0) / 100)


def test_judging_everything_twice_takes_twice_the_time_and_the_disagreements() -> None:
    once, twice = played(replace(PLAN, error=0, doubles=(0.0, 1.0))).by_double
    assert twice.hours.value == pytest.approx(2 * (once.hours.value or 0))
    _, erring = played(replace(PLAN, error=0.3, doubles=(0.0, 1.0))).by_double
    assert (erring.hours.value or 0) > (twice.hours.value or 0)


@pytest.mark.parametrize(("error", "grades"), [(0.05, 2), (0.2, 2), (0.3, 4)])
def test_agreement_is_what_the_error_makes_it(error: float, grades: int) -> None:
    plan = replace(PLAN, topics=tuple(map(str, range(40))), error=error, grades=grades, double=1.0, plays=4)
    found = played(plan).planned.agreement.value
    assert found == pytest.approx(expected_agreement(error, grades), abs=0.015)


@given(
    error=st.floats(0, 0.45), shares=st.lists(st.integers(1, 9), min_size=2, max_size=4).map(lambda found: tuple(found))
)
@settings(max_examples=50, deadline=None)
def test_expected_agreement_is_that_of_the_expected_table(error: float, shares: tuple[int, ...]) -> None:
    """The formula against `raw_agreement` of a table with the expected share of every pair of grades."""
    total, size = sum(shares), len(shares)
    says = [[1 - error if a == b else error / (size - 1) for b in range(size)] for a in range(size)]
    table = {
        (a, b): sum(share / total * says[true][a] * says[true][b] for true, share in enumerate(shares))
        for a in range(size)
        for b in range(size)
    }
    counts = {pair: round(share * 10**9) for pair, share in table.items()}
    first, second = [a for a, _ in counts], [b for _, b in counts]
    whole = list(counts.values())
    assert expected_agreement(error, size) == pytest.approx(raw_agreement([first, second], counts=whole), abs=1e-6)


# ---------------------------------------------------------------- what follows from what


def test_the_same_seed_plays_the_same_and_another_does_not() -> None:
    assert played(PLAN) == played(PLAN)
    assert played(PLAN) != played(replace(PLAN, seed=2))
    assert rehearse_nuggets(NUGGETS) == rehearse_nuggets(NUGGETS)


def test_deeper_pools_have_more_items_and_miss_less() -> None:
    found = played(replace(PLAN, sizes=(5, 10, 20, 40))).by_size
    assert [each.size for each in found] == [5, 10, 20, 40]
    items = [each.items.value or 0 for each in found]
    missed = [each.missed.value or 0 for each in found]
    assert items == sorted(items) and missed == sorted(missed, reverse=True)
    assert missed[-1] == 0


def test_a_budget_takes_the_place_of_the_depth_where_the_recipe_has_one() -> None:
    recipe = Recipe(strategy="rrf", budget=10)
    found = played(replace(PLAN, recipe=recipe, sizes=(5,)))
    assert (found.planned.size, found.planned.items.value) == (10, 10.0)
    assert (found.by_size[0].size, found.by_size[0].items.value) == (5, 5.0)


def test_more_error_makes_the_order_of_runs_worse() -> None:
    plan = replace(PLAN, topics=tuple(map(str, range(15))), runs=12, plays=4)
    sure, unsure = (played(replace(plan, error=error)).planned.tau.value or 0 for error in (0.0, 0.45))
    assert sure > unsure


def test_ranges_hold_their_values() -> None:
    found = played(replace(PLAN, double=0.5, pace_spread=0.4))
    for each in (getattr(found.planned, name) for name in Outcome.__slots__[2:]):
        assert each.low <= each.value <= each.high


def test_real_rankings_are_ranked_as_they_are() -> None:
    rankings = {
        f"r{n}": {topic: [f"d{(place * n) % 37}" for place in range(30)] for topic in TOPICS} for n in (1, 2, 3)
    }
    found = played(replace(PLAN, rankings=rankings, runs=0, recipe=Recipe(depth=30), error=0))
    returned = {docno for topics in rankings.values() for docno in topics["1"]}
    assert (found.planned.items.value, found.planned.tau.value) == (len(returned), 1.0)


def test_it_tells_of_each_play_and_stops_where_that_raises() -> None:
    told: list[tuple[int, int]] = []

    def tell(done: int, total: int) -> None:
        told.append((done, total))
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rehearse(replace(PLAN, sizes=(5,)), tell=tell)
    assert told == [(1, 6), (2, 6)]
    told.clear()
    with pytest.raises(KeyboardInterrupt):
        rehearse_nuggets(replace(NUGGETS, double=0.5, doubles=(0.5, 1.0), plays=3), tell=tell)
    assert told == [(1, 6), (2, 6)]


# ---------------------------------------------------------------- what can't be played


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"topics": ()}, "load topics"),
        ({"runs": 1}, "runs must be"),
        ({"runs": 0, "rankings": {"a": {}}}, "two runs or more"),
        ({"error": 1.0}, "error rate"),
        ({"double": 1.5}, "judged twice"),
        ({"doubles": (-0.1,)}, "judged twice"),
        ({"sizes": (0,)}, "depth"),
        ({"assessors": 0}, "assessors"),
        ({"seconds_per_item": 0}, "seconds"),
        ({"plays": 0}, "plays"),
        ({"grades": 1}, "grades"),
        ({"relevant": 101}, "relevant"),
        ({"returned": 101}, "returns"),
        ({"seed": -1}, "seed"),
        ({"pace_spread": -1}, "paces"),
    ],
)
def test_what_cannot_be_played_is_refused_with_a_sentence(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        replace(PLAN, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"topics": ()}, {"runs": 1}, {"vital": 0}, {"strings": 0}, {"double": 2}, {"error": -1}]
)
def test_nugget_plans_are_checked_as_well(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        replace(NUGGETS, **wrong)  # type: ignore[arg-type]
