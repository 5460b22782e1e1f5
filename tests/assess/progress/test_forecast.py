"""When work will be finished: what the method promises, on days made up for it."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.progress.forecast import Forecast, Load, forecast

TODAY = date(2026, 3, 2)


def days_of(person: str, numbers: list[float], stage: str = "grade") -> dict[tuple[str, str, date], float]:
    """Outputs of the days before today, the last one yesterday."""
    return {(person, stage, TODAY - timedelta(days=ago)): n for ago, n in enumerate(reversed(numbers), start=1)}


def found(loads: list[Load], outputs: dict[tuple[str, str, date], float]) -> Forecast:
    made = forecast(loads, outputs, today=TODAY)
    assert made is not None
    return made


def test_somebody_who_does_the_same_every_day_is_estimated_to_the_day() -> None:
    made = found([Load(person="a", stage="grade", left=100)], days_of("a", [10.0] * 6))
    assert made.early == made.middle == made.late == TODAY + timedelta(days=10)
    assert made.fan[0] == (TODAY + timedelta(days=1), 10.0, 10.0, 10.0)
    assert made.fan[-1][1:] == (100.0, 100.0, 100.0)


def test_free_days_are_days_too() -> None:
    week = [10.0, 10.0, 10.0, 10.0, 10.0, 0.0, 0.0]
    made = found([Load(person="a", stage="grade", left=250)], days_of("a", week * 3))
    assert made.early is not None and made.middle is not None and made.late is not None
    assert made.early < made.middle < made.late
    assert abs((made.middle - TODAY).days - 35) <= 2


def test_the_slowest_decides() -> None:
    outputs = days_of("a", [10.0] * 5) | days_of("b", [2.0] * 5)
    loads = [Load(person="a", stage="grade", left=10), Load(person="b", stage="grade", left=40)]
    assert found(loads, outputs).middle == TODAY + timedelta(days=20)


def test_work_that_waits_opens_as_the_other_is_done() -> None:
    outputs = days_of("a", [10.0] * 5, "first") | days_of("b", [10.0] * 5, "then")
    first = Load(person="a", stage="first", left=100)
    waiting = Load(person="b", stage="then", left=20, after="first")
    free = Load(person="b", stage="then", left=20)
    assert found([first, waiting], outputs).middle == TODAY + timedelta(days=11)
    assert found([free], outputs).middle == TODAY + timedelta(days=2)


def test_own_work_waits_for_ones_own_alone() -> None:
    outputs = {**days_of("a", [10.0] * 5, "first"), **days_of("b", [10.0] * 5, "first"), **days_of("b", [10.0], "then")}
    loads = [
        Load(person="a", stage="first", left=100),
        Load(person="b", stage="then", left=10, after="first", own=True),
    ]
    made = found(loads, outputs)
    assert made.middle == TODAY + timedelta(days=10)
    assert made.fan[1][2] > 20.0  # b has begun beside a


def test_a_person_without_days_gets_the_days_of_all() -> None:
    made = found([Load(person="new", stage="grade", left=50)], days_of("a", [10.0] * 5))
    assert made.middle == TODAY + timedelta(days=5)


def test_stages_without_any_output_are_left_out_and_named() -> None:
    loads = [Load(person="a", stage="grade", left=10), Load(person="a", stage="vote", left=3)]
    assert found(loads, days_of("a", [10.0] * 3)).left_out == ("vote",)


@pytest.mark.parametrize(
    ("numbers", "left"),
    [([], 5), ([10.0, 10.0], 5), ([0.0, 0.0, 0.0], 5), ([10.0] * 3 + [0.0] * 28, 5), ([10.0] * 5, 0)],
)
def test_too_little_to_go_by_is_no_forecast(numbers: list[float], left: float) -> None:
    assert forecast([Load(person="a", stage="grade", left=left)], days_of("a", numbers), today=TODAY) is None


def test_what_needs_more_than_a_year_has_no_day() -> None:
    made = found([Load(person="a", stage="grade", left=10_000)], days_of("a", [1.0] * 5))
    assert (made.early, made.middle, made.late) == (None, None, None)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(0, 50), min_size=4, max_size=20), st.integers(1, 400))
def test_the_interval_holds_the_middle_and_the_fan_never_falls(numbers: list[float], left: int) -> None:
    made = forecast([Load(person="a", stage="grade", left=left)], days_of("a", numbers), today=TODAY, draws=50)
    if made is None:
        return
    days = [day or date.max for day in (made.early, made.middle, made.late)]
    assert days == sorted(days)
    for before, after in zip(made.fan, made.fan[1:], strict=False):
        assert all(earlier <= later + 0.1 for earlier, later in zip(before[1:], after[1:], strict=True))
    assert all(0 <= low <= middle <= high <= left + 0.1 for _, low, middle, high in made.fan)
    assert made == forecast([Load(person="a", stage="grade", left=left)], days_of("a", numbers), today=TODAY, draws=50)
