"""The agreement of a release: over what two judged, on the scale of all that they said, in little room."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

from scoring.release.recorded_acts import Judged
from scoring.release.release_tables import agreement_lines
from scoring.statistics.agreement_report import ReportOptions, report_agreement


def judged(role: str, item: str, value: int, topic: str = "1") -> Judged:
    return Judged(
        by="assessor-1", topic=topic, docno="", answer="", criterion="relevance", value=value, role=role, key=item
    )


def test_what_one_alone_judged_counts_for_the_scale_and_for_nothing_else() -> None:
    acts = [judged("", "a", 0), judged("", "b", 1), judged("", "c", 3), judged("second", "a", 0)]
    acts += [judged("second", "b", 0), judged("second", "d", 5)]
    options = ReportOptions(level="ordinal", scale=(0, 1, 3, 5))
    report = report_agreement([{("1", "a"): 0, ("1", "b"): 1}, {("1", "a"): 0, ("1", "b"): 0}], options)
    assert list(agreement_lines(lambda: acts)) == [
        f"relevance\tprimary-second\t{each.measure}\t{'undefined' if each.value is None else repr(each.value)}\t2"
        for each in report.estimates
    ]
    assert report.value("ac1") != report_agreement(
        [{("1", "a"): 0, ("1", "b"): 1}, {("1", "a"): 0, ("1", "b"): 0}], ReportOptions(level="ordinal")
    ).value("ac1")


def test_a_million_lines_take_little_more_than_a_hundred_megabytes() -> None:
    lines = 20_000

    def acts() -> Iterator[Judged]:
        for number in range(lines):
            yield judged("", f"doc-{number:07d}", number % 4, topic=f"topic-{number % 50}")

    tracemalloc.start()
    try:
        assert list(agreement_lines(acts)) == []
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 130 * lines


def test_lines_in_the_order_of_their_topics_are_never_held_together() -> None:
    def acts() -> Iterator[Judged]:
        for number in range(10_000):
            yield judged("", f"doc-{number:07d}", number % 4, topic=f"topic-{number // 100}")
            if number % 100 == 0:
                yield judged("second", f"doc-{number:07d}", 1, topic=f"topic-{number // 100}")

    tracemalloc.start()
    try:
        lines = list(agreement_lines(acts))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert lines[0].endswith("\t100")
    assert most < 250_000


def test_a_topic_that_comes_again_is_compared_whole() -> None:
    acts = [judged("", item, value, topic) for topic in "12" for item, value in (("a", 0), ("b", 1), ("c", 3))]
    acts += [judged("second", item, 1, topic) for topic in "12" for item in "abd"]
    by_topic = sorted(acts, key=lambda act: act.topic)
    assert list(agreement_lines(lambda: acts)) == list(agreement_lines(lambda: by_topic)) != []
