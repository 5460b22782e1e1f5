"""What is said of all rows of finished columns counts as if each thing had its own entry."""

from hypothesis import given
from hypothesis import strategies as st

from scoring.release.grid_values import topics_of
from scoring.statistics.agreement_report import count_patterns
from tests.scoring.drawn_grids import THINGS, grids


@given(st.lists(grids, min_size=1, max_size=3))
def test_a_grid_is_counted_as_its_entries_are(judges):
    written_out = [dict(each) for each in judges]
    assert count_patterns(judges) == count_patterns(written_out)
    for grid, entries in zip(judges, written_out, strict=True):
        assert (len(grid), topics_of(grid)) == (len(entries), topics_of(entries))
        assert all(grid.get(thing) == entries.get(thing) for thing in [*THINGS, ("3", "1 a"), ("1", "1 e")])
