"""Rankings that are packed, in memory and in a file: the same topics, documents and scores in the same order."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.packed_rankings import PackedRankings

RANKINGS = st.dictionaries(
    st.text(max_size=3),
    st.dictionaries(st.text(st.characters(), max_size=4), st.floats(allow_nan=False), max_size=5),
    max_size=4,
)
Rankings = dict[str, dict[str, float]]


def items(rankings: Rankings | PackedRankings) -> list[tuple[str, list[tuple[str, float]]]]:
    return [(topic, list(rankings[topic].items())) for topic in rankings]


@given(RANKINGS)
def test_what_is_packed_is_what_was_given(rankings: Rankings) -> None:
    assert items(PackedRankings.of(rankings)) == items(rankings)


@given(RANKINGS)
def test_what_is_written_is_read_back_and_can_be_written_again(
    tmp_path_factory: pytest.TempPathFactory, rankings: Rankings
) -> None:
    path = tmp_path_factory.mktemp("packed") / "rankings"
    with path.open("wb") as file:
        PackedRankings.of(rankings).write(file)
    read = PackedRankings.read(path)
    assert items(read) == items(rankings)
    again = io.BytesIO()
    read.write(again)
    assert again.getvalue() == path.read_bytes()
    with pytest.raises(KeyError):
        read["no topic of these"]
