"""MinHash signatures: what they are made of, and which texts they put together."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from scoring.collections.signatures import near_identical, shingles, signature_of

WORDS = [f"w{number}" for number in range(5_000)]


def text(draw: random.Random, words: int = 300) -> str:
    return " ".join(draw.choices(WORDS, k=words))


def jaccard(first: str, second: str) -> float:
    one, other = set(shingles(first)), set(shingles(second))
    return len(one & other) / len(one | other)


def test_texts_that_are_alike_are_found_and_others_are_not() -> None:
    draw = random.Random(13)
    base = text(draw)
    copies = [base, base + " and more", base.upper(), text(draw), base[: len(base) // 2]]
    assert [round(jaccard(base, each), 2) for each in copies[1:]] == [0.99, 1.0, 0.0, 0.49]
    assert near_identical([signature_of(each) for each in copies], likeness=0.8) == [(0, 1, 2)]


def test_chains_stand_in_one_group() -> None:
    draw = random.Random(7)
    words = draw.choices(WORDS, k=460)
    windows = [" ".join(words[start : start + 400]) for start in (0, 30, 60)]
    signatures = [signature_of(each) for each in windows]
    assert near_identical(signatures, likeness=0.8) == [(0, 1, 2)]
    assert near_identical([signatures[0], signatures[2]], likeness=0.8) == []


def test_nothing_and_one_text_are_no_group() -> None:
    assert near_identical([], likeness=0.8) == []
    assert near_identical([signature_of("one text")], likeness=0.1) == []
    assert near_identical([b"", b""], likeness=0.1) == []


@given(order=st.permutations(range(9)))
def test_the_order_of_texts_makes_no_difference(order: list[int]) -> None:
    draw = random.Random(3)
    bases = [text(draw, 60) for _ in range(3)]
    texts = [base + tail for base in bases for tail in ("", " x", " x y")]
    groups = near_identical([signature_of(texts[place]) for place in order], likeness=0.7)
    assert {frozenset(order[place] for place in group) for group in groups} == {
        frozenset({0, 1, 2}),
        frozenset({3, 4, 5}),
        frozenset({6, 7, 8}),
    }
