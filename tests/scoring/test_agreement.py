import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.formats.qrels import read_qrels
from scoring.statistics.agreement import (
    ac1,
    cohen_kappa,
    confusion,
    fleiss_kappa,
    krippendorff_alpha,
    pooled_overlap,
    raw_agreement,
)

_ = None
FOUR_BY_TWELVE = [  # Krippendorff's computing note: four observers, twelve units, missing values
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
LEVELS = [("nominal", 0.743421), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)]
THREE_BY_FIFTEEN = [  # Wikipedia: three coders, fifteen units, missing values
    [_, _, _, _, _, 3, 4, 1, 2, 1, 1, 3, 3, _, 3],
    [1, _, 2, 1, 3, 3, 4, 3, _, _, _, _, _, _, _],
    [_, _, 2, 1, 3, 4, 4, _, 2, 1, 1, 3, 3, _, 4],
]
FLEISS = [  # Wikipedia: ten items, fourteen raters, counts of five categories
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip


def two_judges(table):
    pairs = [(a, b) for a, row in enumerate(table) for b, count in enumerate(row) for _ in range(count)]
    return [a for a, _ in pairs], [b for _, b in pairs]


@pytest.mark.parametrize(
    ("table", "kappa"),
    [([[20, 5], [10, 15]], 0.4), ([[45, 15], [25, 15]], 0.1304), ([[25, 35], [5, 35]], 0.2593)],
)
def test_cohen_kappa_of_known_tables(table, kappa):
    assert cohen_kappa(*two_judges(table)) == pytest.approx(kappa, abs=5e-5)


@pytest.mark.filterwarnings("ignore:invalid value", "ignore:divide by zero")
@given(
    st.lists(st.lists(st.integers(0, 400), min_size=4, max_size=4), min_size=4, max_size=4),
    st.sampled_from([None, "linear", "quadratic"]),
)
def test_cohen_kappa_is_to_the_last_bit_that_of_statsmodels(table, weights):
    from statsmodels.stats.inter_rater import cohens_kappa  # not whenever tests are collected: most of a second

    cells = [(a, b, table[a][b]) for a in range(4) for b in range(4)]
    first, second, counts = (list(column) for column in zip(*cells, strict=True))
    found = cohen_kappa(first, second, weights=weights, scale=range(4), counts=counts)
    seen = {value for a, b, count in cells if count for value in (a, b)}
    if len(seen) < 2:
        assert found is None
        return
    if weights is None:  # values that nobody gave change nothing
        table = [[table[a][b] for b in sorted(seen)] for a in sorted(seen)]
    exact = float(cohens_kappa(table, wt=weights, return_results=False))
    assert found == (exact if math.isfinite(exact) else None)


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=40))
def test_fleiss_kappa_is_to_the_last_bit_that_of_statsmodels(items):
    from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_of_statsmodels

    scale = sorted({value for item in items for value in item})
    found = fleiss_kappa(list(zip(*items, strict=True)))
    if len(scale) < 2:
        assert found is None
        return
    table = np.array([[item.count(value) for value in scale] for item in items])
    assert found == float(fleiss_of_statsmodels(table))


def test_fleiss_kappa_of_the_known_table():
    items = [[category for category, count in enumerate(row) for _ in range(count)] for row in FLEISS]
    assert fleiss_kappa(list(zip(*items, strict=True))) == pytest.approx(0.20993, abs=5e-6)


@pytest.mark.parametrize(("level", "alpha"), LEVELS)
def test_krippendorff_alpha_of_his_own_example(level, alpha):
    assert krippendorff_alpha(FOUR_BY_TWELVE, level=level) == pytest.approx(alpha, abs=5e-7)
    assert krippendorff_alpha(FOUR_BY_TWELVE, level=level, counts=[1] * 12) == pytest.approx(alpha, abs=5e-7)


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.691358), ("interval", 0.810845)])
def test_krippendorff_alpha_of_three_by_fifteen(level, alpha):
    assert krippendorff_alpha(THREE_BY_FIFTEEN, level=level) == pytest.approx(alpha, abs=5e-7)


def test_krippendorff_alpha_of_two_values():
    first, second = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha([first, second]) == pytest.approx(0.095238, abs=5e-7)


def test_krippendorff_alpha_of_two_observers():
    first, second = ([*map("abcde".index, line)] for line in ("aabbdcccedda", "babbbccceddd"))
    assert krippendorff_alpha([first, second]) == pytest.approx(0.691964, abs=5e-7)


def test_ac1_with_missing_values():
    assert ac1(FOUR_BY_TWELVE) == pytest.approx(0.77544, abs=5e-6)


def test_one_category_is_undefined():
    same = [1, 1, 1]
    assert cohen_kappa(same, same) is None
    assert fleiss_kappa([same, same]) is None
    assert krippendorff_alpha([same, same]) is None
    assert ac1([same, same]) is None
    assert raw_agreement([same, same]) == 1.0


def test_nothing_judged_twice_is_undefined():
    first, second = [1, None], [None, 0]
    assert raw_agreement([first, second]) is None
    assert cohen_kappa(first, second) is None
    assert krippendorff_alpha([first, second]) is None
    assert ac1([first, second]) is None
    assert confusion(first, second) == {}


def test_fleiss_needs_the_same_number_of_judges():
    assert fleiss_kappa([[1, 0], [1, None]]) is None


def test_weighted_kappa_forgives_near_misses():
    first, near, far = [0, 1, 2, 3] * 5, [1, 1, 2, 3] * 5, [3, 1, 2, 3] * 5
    assert cohen_kappa(first, near, weights="quadratic") > cohen_kappa(first, far, weights="quadratic")


def test_weights_go_by_the_whole_scale():
    """Of 0, 1 and 2, nobody gave 1: on the whole scale 0 and 2 are two steps apart, in the data alone one."""
    first, second = [0, 0, 2, 2, 3, 3], [0, 2, 2, 3, 3, 3]
    weights = {(a, b): abs(a - b) for a in range(4) for b in range(4)}
    seen = sum(weights[pair] for pair in zip(first, second, strict=True)) / 6
    chance = sum(weights[a, b] for a in first for b in second) / 36
    assert cohen_kappa(first, second, weights="linear", scale=range(4)) == pytest.approx(1 - seen / chance)
    assert cohen_kappa(first, second, weights="linear") != pytest.approx(1 - seen / chance)


def test_ac1_of_a_scale_that_the_data_does_not_show():
    first, second = [0, 0, 1, 1], [0, 1, 1, 1]  # shares 3/8 and 5/8; chance 15/32 of two values, 15/64 of three
    assert ac1([first, second]) == pytest.approx((3 / 4 - 15 / 32) / (1 - 15 / 32))
    assert ac1([first, second], scale=[0, 1, 2]) == pytest.approx((3 / 4 - 15 / 64) / (1 - 15 / 64))


def test_pooled_overlap_counts_items_of_both():
    assert pooled_overlap([2, 1, 0, 2, None], [2, 2, 2, 0, 2]) == pytest.approx(2 / 4)
    assert pooled_overlap([2, 1, 0, 2, None], [2, 2, 2, 0, 2], relevant_from=2) == pytest.approx(1 / 4)
    assert pooled_overlap([0, 0], [0, 0]) is None


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12))
def test_agreement_does_not_care_who_is_first(pairs):
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    for measure in (ac1, krippendorff_alpha, fleiss_kappa, raw_agreement):
        one, other = measure([first, second]), measure([second, first])
        assert one == other or one == pytest.approx(other, abs=1e-9)
        assert one is None or one <= 1 + 1e-9


JUDGED = st.lists(st.tuples(*[st.sampled_from([None, 0, 1, 2])] * 3), min_size=1, max_size=8)
MEASURES = {
    "raw": raw_agreement,
    "fleiss": fleiss_kappa,
    "ac1": ac1,
    **{level: partial(krippendorff_alpha, level=level) for level, _ in LEVELS},
    "kappa": lambda judges, **options: cohen_kappa(judges[0], judges[1], **options),
    "quadratic": lambda judges, **options: cohen_kappa(judges[0], judges[1], weights="quadratic", **options),
    "overlap": lambda judges, **options: pooled_overlap(judges[0], judges[1], **options),
}


@pytest.mark.parametrize("name", MEASURES)
@given(items=JUDGED, dice=st.randoms(), data=st.data())
def test_order_does_not_matter_and_counts_stand_for_items(name, items, dice, data):
    measure = MEASURES[name]
    counts = data.draw(st.lists(st.integers(0, 3), min_size=len(items), max_size=len(items)))
    repeated = [item for item, count in zip(items, counts, strict=True) for _ in range(count)]
    columns = list(zip(*repeated, strict=True)) or [()] * 3
    value = measure(columns)
    assert value is None or value <= 1 + 1e-9
    assert measure(list(zip(*items, strict=True)), counts=counts) == pytest.approx(value, abs=1e-9)
    dice.shuffle(repeated)
    assert measure(list(zip(*repeated, strict=True)) or [()] * 3) == pytest.approx(value, abs=1e-9)


@given(JUDGED)
def test_confusion_turns_with_the_judges(items):
    first, second, _ = zip(*items, strict=True)
    turned = {(b, a): count for (a, b), count in confusion(second, first).items()}
    assert confusion(first, second) == turned
    assert sum(turned.values()) == sum(None not in item[:2] for item in items)


@pytest.mark.shared
def test_two_groups_of_real_assessors(shared_data):
    judges = []
    for name in ("ptkb_rel_nist", "ptkb_rel_org"):
        with (shared_data / "ikat2023" / name).open("rb") as file:
            judges.append({(qrel.topic, qrel.docno): qrel.grade for qrel in read_qrels(file)})
    items = sorted(judges[0].keys() & judges[1].keys())
    first, second = ([judge[item] for item in items] for judge in judges)
    assert confusion(first, second) == {(1, 1): 38, (1, 0): 65, (0, 1): 18, (0, 0): 277}
    assert raw_agreement([first, second]) == pytest.approx(0.791457, abs=5e-7)
    assert cohen_kappa(first, second) == pytest.approx(0.361612, abs=5e-7)
    assert pooled_overlap(first, second) == pytest.approx(0.314050, abs=5e-7)
