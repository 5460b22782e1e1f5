"""Grids of values as hypothesis draws them."""

from hypothesis import strategies as st

from scoring.release.grid_values import GridValues

ROWS = {"1": {"1", "2", "10"}, "2": {"1"}}
THINGS = [(topic, f"{row} {column}") for topic, rows in ROWS.items() for row in [*rows, "11"] for column in "abc"]

grids = st.builds(
    GridValues,
    said=st.dictionaries(st.sampled_from(THINGS), st.sampled_from([0.0, 1.0, 2.0]), max_size=8),
    rows=st.just(ROWS),
    columns=st.fixed_dictionaries({topic: st.sets(st.sampled_from("abcd")) for topic in ROWS}),
)
