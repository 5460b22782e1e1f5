"""Quick records are what frozen dataclasses are, but for the look at each assignment while a program runs."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field, replace

from scoring.quick_records import quick_record


@quick_record(frozen=True, kw_only=True, slots=True)
class Quick:
    number: int
    words: tuple[str, ...] = ()
    given: dict[str, int] = field(default_factory=dict, hash=False, repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Frozen:
    number: int
    words: tuple[str, ...] = ()
    given: dict[str, int] = field(default_factory=dict, hash=False, repr=False)


def test_a_quick_record_is_compared_kept_and_shown_as_a_frozen_one():
    quick, frozen = Quick(number=1, words=("a",), given={"b": 2}), Frozen(number=1, words=("a",), given={"b": 2})
    assert hash(quick) == hash(frozen)
    assert repr(quick) == repr(frozen).replace("Frozen", "Quick")
    assert Quick.__slots__ == Frozen.__slots__
    assert quick == Quick(number=1, words=("a",), given={"b": 2}) != replace(quick, number=2)
    assert len({quick, replace(quick), replace(quick, given={})}) == 2  # what is not hashed is compared still
    assert pickle.loads(pickle.dumps(quick)) == quick
