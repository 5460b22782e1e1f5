"""Grades that are packed topic by topic: the same as dictionaries, of which few are there at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from weakref import WeakSet

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from scoring.measures import ranked_values
from scoring.measures.ranked_explained import JudgedTopics, ranking_nodes
from scoring.reading.packed_grades import PackedGrades

GRADES = st.lists(
    st.tuples(st.sampled_from("abc"), st.text(max_size=3) | st.sampled_from(["", "\0", "x\0y"]), st.integers(-1, 9)),
    max_size=30,
)


@given(GRADES)
def test_they_are_what_dictionaries_hold(said: list[tuple[str, str, int]]) -> None:
    packed, plain = PackedGrades(), dict[str, dict[str, int]]()
    for topic, docno, grade in said:
        packed.add(topic, docno, grade)
        plain.setdefault(topic, {})[docno] = grade
    assert [(topic, list(found.items())) for topic, found in packed.items()] == [
        (topic, list(found.items())) for topic, found in plain.items()
    ]


def test_topics_that_are_over_are_packed_and_one_that_comes_again_is_not() -> None:
    grades = PackedGrades()
    for topic in ("1", "2", "3", "2", "4"):
        for number in range(3):
            grades.add(topic, f"{topic}-{number}", number)
    assert {topic: isinstance(kept, dict) for topic, kept in grades.topics.items()} == {
        "1": False,
        "2": True,
        "3": False,
        "4": True,
    }
    with pytest.raises(KeyError):
        grades["5"]


class Unpacked(dict[str, int]):
    """A dictionary that can be counted while it is there."""

    __hash__ = object.__hash__  # type: ignore[assignment]


class Counted(Mapping[str, Mapping[str, int]]):
    """Grades of twenty topics, which counts how many topics' are there at once."""

    def __init__(self) -> None:
        self.there: WeakSet[Unpacked] = WeakSet()
        self.most = 0

    def __getitem__(self, topic: str) -> Unpacked:
        found = Unpacked({f"{topic}-{number}": number % 3 - 1 for number in range(10)})
        self.there.add(found)
        self.most = max(self.most, len(self.there))
        return found

    def __iter__(self) -> Iterator[str]:
        return (f"{number}" for number in range(20))

    def __len__(self) -> int:
        return 20


RANKINGS = {
    f"{topic}": {f"{topic}-{number}": float(-number) for number in range(0, 10, 3)} for topic in range(0, 30, 2)
}


def values_by(grades: Mapping[str, Mapping[str, int]], *, complete: bool) -> dict[tuple[str, str], float | None]:
    nodes = ranking_nodes(grades, RANKINGS, ["nDCG", "P@5", "Judged@3"], level=1, complete=complete, kind="document")
    return {(topic, name): node.value for topic, of_topic in nodes.items() for name, node in of_topic.items()}


@pytest.mark.parametrize("complete", [True, False])
def test_values_are_computed_some_topics_at_a_time(monkeypatch: pytest.MonkeyPatch, complete: bool) -> None:
    together = values_by({topic: dict(found) for topic, found in Counted().items()}, complete=complete)
    monkeypatch.setattr(ranked_values, "AT_ONCE", 30)
    counted = Counted()
    assert values_by(counted, complete=complete) == together
    assert len(together) == 3 * ((20 if complete else 10) + 1)
    assert counted.most <= 6  # three topics make 30 grades, and the next three are looked up before they go


def test_judgments_go_to_trec_evals_code_once_for_all_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    class Watched(pytrec_eval.RelevanceEvaluator):  # type: ignore[misc]
        def __init__(self, judged: dict[str, dict[str, int]], *rest: object) -> None:
            made.append(sum(map(len, judged.values())))
            super().__init__(judged, *rest)

    monkeypatch.setattr(pytrec_eval, "RelevanceEvaluator", Watched)
    judged = JudgedTopics({topic: dict(found) for topic, found in Counted().items()} | {"unjudged": {"d": -1}})
    each = [
        ranking_nodes(judged, {"4": {f"4-{number}": 1.0}}, ["AP", "nDCG"], level=1, complete=False, kind="document")
        for number in range(5)
    ]
    assert made == [200]  # the topic of which nothing was judged is left out
    assert [nodes["4"]["AP"].value for nodes in each] == [0.0, 0.0, 1 / 3, 0.0, 0.0]
