"""Values that are packed by key and by topic: the same as dictionaries, whatever the keys."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scoring.folding import answer_key
from scoring.reading.packed_values import PackedValues, ValuesByTopic, packed_values, values_of

USUAL = st.integers(0, 9).map(lambda number: answer_key(str(number), "D1"))
STRANGE = st.sampled_from(["", "\0", "é" * 32, "a" * 31, "a" * 33, "a" * 31 + "\0", f"{'a' * 32}.1@Elm"])
SAID = st.lists(st.tuples(st.sampled_from("abc"), USUAL | STRANGE, st.integers(0, 3)), max_size=30)


@given(SAID, st.lists(USUAL | STRANGE, max_size=9))
def test_they_are_what_dictionaries_hold(said: list[tuple[str, str, int]], asked: list[str]) -> None:
    kept, plain = ValuesByTopic[int](), dict[str, dict[str, int]]()
    for topic, key, value in said:
        kept.turn_to(topic)[key] = value
        plain.setdefault(topic, {})[key] = value
    for topic in "abc":
        values, wanted = kept.of(topic), plain.get(topic, {})
        assert list(values.items()) == sorted(wanted.items())
        assert len(values) == len(wanted)
        assert values_of(values, asked) == [wanted[key] for key in asked if key in wanted]
        assert [values.get(key) for key in asked] == [wanted.get(key) for key in asked]


def test_usual_keys_are_packed_and_equal_values_are_held_once() -> None:
    keys = [answer_key(str(number), "D1") for number in range(9)]
    packed = packed_values({key: (place % 2,) for place, key in enumerate(keys)})
    assert isinstance(packed, PackedValues)
    assert sorted(packed.distinct) == [(0,), (1,)]


def test_keys_of_single_responses_stay_as_they_are() -> None:
    assert packed_values({f"{'a' * 32}.1@Elm": 1, "b" * 32: 2}) == {f"{'a' * 32}.1@Elm": 1, "b" * 32: 2}


def test_topics_that_are_over_are_packed_and_one_that_comes_again_is_not_until_it_is_asked_for() -> None:
    kept = ValuesByTopic[int]()
    for topic in ("1", "2", "3", "2", "4"):
        kept.turn_to(topic)[answer_key(topic, str(len(kept.turn_to(topic))))] = 1
    held = {topic: isinstance(values, PackedValues) for topic, values in kept.topics.items()}
    assert held == {"1": True, "2": False, "3": True, "4": False}
    assert all(isinstance(kept.of(topic), PackedValues) for topic in held)
    assert [len(kept.of(topic)) for topic in held] == [1, 2, 1, 1]
