"""The order by likeness: each item is followed by the one that shares most words with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assess.assignments.queries.work_order import in_own_order
from assess.protocol import LIKENESS, RANDOM
from scoring.collections.signatures import plain_words

WORDS = st.sampled_from(("bee", "hive", "honey", "smoke", "queen", "swarm", "comb", "nectar"))
TEXTS = st.lists(st.lists(WORDS, max_size=5).map(" ".join), max_size=30)


@dataclass(frozen=True, slots=True)
class Row:
    pk: int
    alike: str
    text: str = ""
    pool_place: int | None = None


def followed(rows: Sequence[Row]) -> list[Row]:
    """The same said plainly: a look at all that are left after each item."""
    words = [set(plain_words(row.alike)) for row in rows]
    having = {word: sum(word in each for each in words) for each in words for word in each}
    weights = {w: float(np.log(len(rows) / n)) for w, n in having.items() if 1 < n <= 8 + isqrt(len(rows))}
    left, order, place = set(range(1, len(rows))), [0] if rows else [], 0
    while left:
        shared = {each: sum(weights.get(w, 0) for w in sorted(words[place] & words[each])) for each in left}
        place = min(left, key=lambda each: (-shared[each], each))
        left.remove(place)
        order.append(place)
    return [rows[each] for each in order]


@given(TEXTS, st.integers(0, 3))
def test_each_is_followed_by_the_one_most_like_it(texts: list[str], seed: int) -> None:
    rows = [Row(pk, text) for pk, text in enumerate(texts)]
    plain = in_own_order(rows, seed, RANDOM)
    found = in_own_order(rows, seed, LIKENESS)
    assert [row.alike for row in found] == [row.alike for row in followed(plain)]


def test_places_of_the_pool_come_first() -> None:
    rows = [Row(1, "bee hive"), Row(2, "smoke"), Row(3, "bee hive", pool_place=1)]
    assert in_own_order(rows, 1, LIKENESS)[0].pk == 3
