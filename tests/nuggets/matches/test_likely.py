"""Which nuggets are offered first for a string: by words they share, and by strings in which they were marked."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from bench.bench_likeness import Counts, ranks_of, read_topics
from nuggets.matches.likely import LikelyNuggets

NUGGETS = {
    1: "at least 50 people were killed",
    2: "hundreds were injured",
    3: "the train's brakes failed",
    4: "经济学家批评政府",
}


def test_stems_without_case_and_accents_and_rare_words_first() -> None:
    likely = LikelyNuggets(NUGGETS, ["People were there.", "Many people ran."])
    assert likely.order("BRAKE FAILURE: trains collide")[0] == 3
    assert likely.order("Killings of people")[0] == 1
    assert likely.order("批评经济政策")[0] == 4
    assert likely.order("nothing of this") == [1, 2, 3, 4]


def test_a_string_like_one_that_was_marked() -> None:
    likely = LikelyNuggets(NUGGETS, [])
    assert likely.order("The carriages ran into the buffers")[0] == 1
    likely.learn("A carriage hit the buffer at speed", [3, 99])
    likely.learn("A carriage nobody marked", [])
    assert likely.order("The carriages ran into the buffers")[0] == 3


def test_texts_are_compared_in_their_language() -> None:
    nuggets = {1: "günstige Weine", 2: "die freundlichen Leute"}
    german, english = (LikelyNuggets(nuggets, ["Freundlich!"], language) for language in ("de", "en"))
    assert (german.order("Alle sind freundlich"), english.order("Alle sind freundlich")) == ([2, 1], [1, 2])


def test_ranks_are_counted_with_and_without_other_true_nuggets() -> None:
    counts = Counts()
    counts.add([0, 3, 5])
    counts.add([7])
    assert (counts.strings, counts.matches, counts.raw, counts.filtered, counts.any) == (2, 4, 1, 2, 1)


def counted(folder: Path, year: str, *, most: int) -> Counts:
    counts = Counts()
    for topic in read_topics(folder, year).values():
        for ranks in ranks_of(topic, most=most, seed=1):
            counts.add(ranks)
    return counts


def test_the_bench_reads_files_as_they_are_published(tmp_path: Path) -> None:
    matches = ["query_id    update_id   nugget_id\tmatch_start\tmatch_end\tauto_p"]
    matches += ["T1\tu1\tn2\t0\t5\t0", "T1\tu2\tn1\t0\t5\t1", "T1\tu1\tother\t0\t5\t0"]
    nuggets = ["query_id\tnugget_id\tnugget_text", "T1\tn1\tcheap wine", "T1\tn2\tfriendly staff"]
    updates = ["query_id\tupdate_id\tupdate_text", "T1\tu1\tThe staff\tare friendly", "T1\tu2\tCheap wine"]
    for name, lines in (("matches", matches), ("nuggets", nuggets), ("updates", updates)):
        (tmp_path / f"2015-{name}.tsv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (topic,) = read_topics(tmp_path, "2015").values()
    assert topic.turns(most=9, seed=1) == [("The staff\tare friendly", {"n2"})]
    assert list(ranks_of(topic, most=9, seed=1)) == [[0]]


@pytest.mark.shared
def test_what_people_found_is_among_the_first_three(shared_data: Path) -> None:
    counts = counted(shared_data / "ts2013-2014", "2013", most=250)
    assert counts.filtered / counts.matches >= 0.76
    assert counts.any / counts.strings >= 0.84
