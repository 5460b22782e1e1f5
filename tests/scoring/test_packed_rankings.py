"""Rankings that are packed, in memory and in a file: the same topics, documents and scores in the same order."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measures import ranked_explained
from scoring.measures.ranked_explained import ranking_nodes
from scoring.reading.packed_rankings import PackedRankings

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
    assert items(PackedRankings.of(rankings.items())) == items(rankings)


@given(RANKINGS)
def test_what_is_written_is_read_back_and_can_be_written_again(
    tmp_path_factory: pytest.TempPathFactory, rankings: Rankings
) -> None:
    path = tmp_path_factory.mktemp("packed") / "rankings"
    with path.open("wb") as file:
        PackedRankings.of(rankings.items()).write(file)
    read = PackedRankings.read(path)
    assert items(read) == items(rankings)
    again = io.BytesIO()
    read.write(again)
    assert again.getvalue() == path.read_bytes()
    with pytest.raises(KeyError):
        read["no topic of these"]


@pytest.mark.parametrize("at_once", [1, 10])
def test_what_is_scored_is_unpacked_once_a_topic(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(ranked_explained, "TOPICS_AT_ONCE", at_once)
    unpacked: list[str] = []
    unpack = PackedRankings.__getitem__
    monkeypatch.setattr(
        PackedRankings, "__getitem__", lambda self, topic: (unpacked.append(topic), unpack(self, topic))[1]
    )
    packed = PackedRankings.of({"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}, "3": {"d": 1.0}}.items())
    grades = {"1": {"b": 1}, "2": {"c": 0}}
    nodes = ranking_nodes(grades, packed, ["RR", "Judged@10"], level=1, complete=True, kind="document")
    assert (nodes["1"]["RR"].value, nodes["1"]["Judged@10"].value) == (0.5, 0.5)
    assert nodes["2"]["Judged@10"].value == 1.0
    assert sorted(unpacked) == ["1", "2"]


def test_a_measure_has_the_value_and_formula_of_its_parameters_and_alone_as_among_others() -> None:
    grades, ranked = {"1": {"a": 0, "b": 1, "c": 2}}, {"1": {"x": 4.0, "c": 3.0, "b": 2.0}}
    names = ["AP", "AP(rel=2)", "P(judged_only=true)@1", "nDCG(exp=true)@10", "Judged@10"]
    of_all = ranking_nodes(grades, ranked, names, level=1, complete=True, kind="document")["1"]
    found = {name: (round(float(of_all[name].value or 0), 4), of_all[name].account().arithmetic) for name in names}
    assert found == {
        "AP": (0.5833, "(1 / 2 + 2 / 3) / 2"),
        "AP(rel=2)": (0.5, "(1 / 2) / 1"),
        "P(judged_only=true)@1": (1.0, ""),
        "nDCG(exp=true)@10": (0.659, ""),
        "Judged@10": (0.6667, "2 / 3"),
    }
    for name in names:
        (alone,) = ranking_nodes(grades, ranked, [name], level=1, complete=True, kind="document")["1"].values()
        assert alone.value == of_all[name].value, name


def test_totals_are_summed_over_the_topics_as_trec_eval_does_and_others_averaged() -> None:
    grades, ranked = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}, {"1": {"a": 2.0, "x": 1.0}, "2": {"y": 1.0}}
    names = ["NumRet", "NumRelRet", "NumRel", "NumQ", "P@1"]
    of_all = ranking_nodes(grades, ranked, names, level=1, complete=True, kind="document")["all"]
    assert [float(of_all[name].value or 0) for name in names] == [3, 1, 3, 2, 0.5]
    assert str(of_all["NumRet"].account().formula) == "NumRet = sum over 2 topics = 3.0000"
    assert str(of_all["P@1"].account().formula) == "P@1 = mean over 2 topics = 0.5000"
