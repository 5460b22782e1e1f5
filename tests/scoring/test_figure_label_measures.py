import csv
import json
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measures.figure_labels import official_ndcg, strict_ndcg

NAMES = ["FIG 1", "FIG 1A", "FIG 1B", "FIG 1A-2", "FIG 10", "TAB 1", "SUPP FIG S1", " FIG 1", "fig. 1a", "odd"]
LISTS = st.lists(st.sampled_from(NAMES), max_size=6)
DISTINCT = st.lists(st.sampled_from(["FIG 1", "FIG 1A", "FIG 1B", "FIG 10", "TAB 1"]), min_size=1, unique=True)
DEPTH = st.integers(1, 5)


def official(predicted, gold, candidates=(), depth=3):
    return official_ndcg(predicted, gold=gold, candidates=candidates, depth=depth).value


def strict(predicted, gold, depth=3):
    return strict_ndcg(predicted, gold=gold, depth=depth).value


@pytest.mark.parametrize(
    ("predicted", "gold", "value"),
    [
        (["FIG 1"], ["FIG 1"], 1.0),
        (["FIG 1"], ["FIG 10"], 0.5),  # a false parent
        (["FIG 1A"], ["FIG 1B"], 0.0),  # siblings
        ([" TAB 1"], ["TAB 1"], 0.5),  # a blank after the comma
        ([""], ["TAB 1"], 0.5),  # an empty cell
        (["SUPP FIG 5D"], ["FIG 5D"], 0.5),
        (["fig 1"], ["FIG 1"], 0.0),
        (["FIG 1", "FIG 1"], ["FIG 1"], 1 + 1 / log2(3)),  # paid twice
        ([], ["FIG 1"], 0.0),
    ],
)
def test_the_official_form_keeps_its_oddities(predicted, gold, value):
    assert official(predicted, gold) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("predicted", "gold", "value"),
    [
        (["FIG 1"], ["FIG 1"], 1.0),
        (["FIG 1"], ["FIG 10"], 0.0),
        (["FIG 1"], ["FIG 1A"], 0.5),
        ([" Table 1"], ["TAB 1"], 1.0),
        ([""], ["TAB 1"], 0.0),
        (["SUPP FIG 5D"], ["FIG 5D"], 0.0),
        (["FIG 1", "FIG 1"], ["FIG 1"], 1.0),
        (["FIG 1A", "FIG 1B"], ["FIG 1"], 0.5 + 0.5 / log2(3)),  # each earns by itself
        (["FIG 1", "FIG 1A"], ["FIG 1A", "TAB 1"], (0.5 + 1 / log2(3)) / (1 + 1 / log2(3))),  # a parent, and its part
        (["FIG 1A", "FIG 1"], ["FIG 1"], 1.0),  # and no more than 1 of 1.13
        (["FIG 1"], ["FIG 1A", "FIG 1B"], 0.5 / (1 + 1 / log2(3))),
        (["odd", "FIG 1"], ["ODD"], 1.0),  # no label of the grammar: compared as text
    ],
)
def test_the_strict_form(predicted, gold, value):
    assert strict(predicted, gold) == pytest.approx(value, abs=1e-12)


def test_a_sub_figure_and_its_parent_are_worth_what_the_readme_says() -> None:
    """ "predicted images that are parent/sub-figures of a gold figure label receive a relevance score of 0.5" """
    found = strict_ndcg(["TAB 9", "FIG 1", "FIG 1A", "FIG 1B", "FIG 1A-2"], gold=["FIG 1A"], depth=5)
    assert [(row.relevance, row.why) for row in found.predicted] == [
        (0.0, ""), (0.5, "FIG 1A"), (1.0, "FIG 1A"), (0.0, ""), (0.5, "FIG 1A"),
    ]  # fmt: skip


def test_the_ideal_of_the_official_form_holds_half_right_candidates():
    with_them = official(["FIG 1B"], ["FIG 1B"], candidates=["FIG 1B", "FIG 1", "FIG 1A"])
    assert with_them == pytest.approx(1 / (1 + 0.5 / log2(3)), abs=1e-12)


def test_a_claim_without_gold_has_no_value():
    assert official(["FIG 1"], []) is None
    assert strict(["FIG 1"], []) is None


@given(LISTS, LISTS.filter(bool), DEPTH)
def test_the_strict_form_is_a_share(predicted, gold, depth):
    value = strict(predicted, gold, depth)
    assert 0 <= value <= 1 + 1e-12


@given(DISTINCT, DEPTH, st.randoms(use_true_random=False))
def test_the_gold_list_is_perfect_in_any_order(gold, depth, chance):
    shuffled = gold[:]
    chance.shuffle(shuffled)
    assert strict(shuffled, gold, depth) == 1.0


@given(LISTS, DISTINCT, DEPTH, st.sampled_from(NAMES))
def test_a_further_label_never_costs(predicted, gold, depth, more):
    assert strict([*predicted, more], gold, depth) >= strict(predicted, gold, depth) - 1e-12


@given(LISTS, DISTINCT, DEPTH)
def test_spelling_does_not_matter_to_the_strict_form(predicted, gold, depth):
    spelled = [f" {label.lower().replace('fig ', 'Figure ')} " for label in predicted]
    assert strict(spelled, gold, depth) == strict(predicted, gold, depth)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "at_3", "at_5"),
    [
        ("gold_nospace", 0.879921, 0.863590), ("gold_commaspace", 0.827526, 0.810800),
        ("random5_seed7", 0.169603, 0.233060), ("half_missing", 0.781102, 0.766280),
    ],
)  # fmt: skip
def test_the_official_form_is_the_scripts_claim_by_claim(shared_data, name, at_3, at_5):
    folder = shared_data / "context25"
    claims = {claim["id"]: claim for claim in json.loads((folder / "task1-train-dev.json").read_bytes())}
    with (folder / "expected" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        given_labels = {row[0]: row[1].split(",") for row in list(csv.reader(file))[1:]}
    expected = json.loads((folder / "expected" / f"{name}.scores.json").read_bytes())
    for depth, mean in ((3, at_3), (5, at_5)):
        found = {
            claim: official(labels, claims[claim]["findings"], claims[claim]["figures_tables"], depth)
            for claim, labels in given_labels.items()
        }
        assert found == expected[str(depth)]
        assert sum(found.values()) / len(found) == pytest.approx(mean, abs=5e-7)


@pytest.mark.shared
def test_the_released_figures_are_perfect_in_the_strict_form(shared_data):
    claims = json.loads((shared_data / "context25" / "task1-train-dev.json").read_bytes())
    assert {strict(claim["findings"], claim["findings"], depth) for claim in claims for depth in (3, 5)} == {1.0}
