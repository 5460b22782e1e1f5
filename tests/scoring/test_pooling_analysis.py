from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.pooling import PoolRun, Recipe, pool_entries
from scoring.pooling.analysis import (
    Contribution,
    LeftOut,
    Overlap,
    contributions,
    left_out,
    overlaps,
    sizes_by_depth,
)

RUNS = {
    "a1": {"1": ["x", "y", "z"], "2": ["p"]},
    "a2": {"1": ["x", "w"]},
    "b1": {"1": ["y", "v", "x"], "2": ["p", "q"]},
}
TEAMS = {"a1": "A", "a2": "A", "b1": "B"}
GRADES = {"1": {"x": 1, "y": 0, "w": 2, "v": -1}, "2": {"p": 0, "q": 1}, "3": {"n": -1}}
ANY_RUNS = st.dictionaries(
    st.sampled_from(["r1", "r2", "r3", "r4"]),
    st.dictionaries(
        st.sampled_from(["1", "9-1_3"]), st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6)
    ),
)  # fmt: skip


def test_sizes_grow_with_the_depth():
    assert sizes_by_depth(RUNS, [1, 2, 9]) == {"1": {1: 2, 2: 4, 9: 5}, "2": {1: 1, 2: 2, 9: 2}}


def test_overlap_of_every_pair():
    assert overlaps(RUNS, 2) == [
        Overlap(first="a1", second="a2", both=1, either=4),
        Overlap(first="a1", second="b1", both=2, either=5),
        Overlap(first="a2", second="b1", both=0, either=6),
    ]
    assert [pair.share for pair in overlaps({"a": {}, "b": {}}, 5)] == [None]


def test_what_runs_and_teams_bring_alone():
    assert contributions(RUNS, 2) == [
        Contribution(name="a1", documents=3, alone=0),
        Contribution(name="a2", documents=2, alone=1),
        Contribution(name="b1", documents=4, alone=2),
    ]
    assert contributions(RUNS, 2, teams=TEAMS, grades=GRADES) == [
        Contribution(name="A", documents=4, alone=2, relevant=2, relevant_alone=2),
        Contribution(name="B", documents=4, alone=2, relevant=1, relevant_alone=1),
    ]


def relevant_returned(grades):
    return {
        tag: float(sum(grades[topic].get(docno, -1) >= 1 for topic in rankings for docno in rankings[topic]))
        for tag, rankings in RUNS.items()
    }


def test_values_and_places_without_what_a_team_alone_brought():
    assert relevant_returned(GRADES) == {"a1": 1.0, "a2": 2.0, "b1": 2.0}
    # at depth 2 team A alone brings x and w of topic 1, team B v and q
    assert left_out(RUNS, 2, teams=TEAMS, grades=GRADES, score=relevant_returned) == [
        LeftOut(team="A", run="a1", value=1.0, value_without=0.0, place=3, place_without=2),
        LeftOut(team="A", run="a2", value=2.0, value_without=0.0, place=1, place_without=2),
        LeftOut(team="B", run="b1", value=2.0, value_without=1.0, place=1, place_without=2),
    ]


def test_undefined_values_have_no_place():
    found = left_out(RUNS, 2, teams=TEAMS, grades=GRADES, score=lambda grades: {"a1": None, "b1": 0.5})
    assert [(each.run, each.place, each.place_without) for each in found] == [("a1", None, None), ("b1", 1, 1)]


@settings(deadline=None)
@given(ANY_RUNS, st.integers(1, 7))
def test_sizes_are_those_of_the_pool_and_shares_add_up(runs, depth):
    pool = tuple(
        pool_entries(Recipe(depth=depth), [PoolRun(tag=tag, rankings=rankings) for tag, rankings in runs.items()])
    )
    sizes = sizes_by_depth(runs, [depth])
    assert sum(of[depth] for of in sizes.values()) == len(pool)
    brought = contributions(runs, depth)
    assert sum(each.alone for each in brought) <= len(pool) <= sum(each.documents for each in brought)
    (together,) = contributions(runs, depth, teams=dict.fromkeys(runs, "all")) or [
        Contribution(name="all", documents=0, alone=0)
    ]
    assert together.documents == together.alone == len(pool)
    for pair in overlaps(runs, depth):
        assert 0 <= pair.both <= pair.either <= len(pool)
