"""The agreement of a release: over what two judged, on the scale of all that they said, in little room."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

from scoring.agreement_report import ReportOptions, report_agreement
from scoring.deeds import Judged
from scoring.releases import agreement_lines


def judged(role: str, item: str, value: int, topic: str = "1") -> Judged:
    return Judged(
        by="assessor-1", topic=topic, docno="", answer="", criterion="relevance", value=value, role=role, key=item
    )


def test_what_one_alone_judged_counts_for_the_scale_and_for_nothing_else() -> None:
    deeds = [judged("", "a", 0), judged("", "b", 1), judged("", "c", 3), judged("second", "a", 0)]
    deeds += [judged("second", "b", 0), judged("second", "d", 5)]
    options = ReportOptions(level="ordinal", scale=(0, 1, 3, 5))
    report = report_agreement([{("1", "a"): 0, ("1", "b"): 1}, {("1", "a"): 0, ("1", "b"): 0}], options)
    assert list(agreement_lines(deeds)) == [
        f"relevance\tauthor-second\t{each.measure}\t{'undefined' if each.value is None else repr(each.value)}\t2"
        for each in report.estimates
    ]
    assert report.value("ac1") != report_agreement(
        [{("1", "a"): 0, ("1", "b"): 1}, {("1", "a"): 0, ("1", "b"): 0}], ReportOptions(level="ordinal")
    ).value("ac1")


def test_a_million_lines_take_little_more_than_a_hundred_megabytes() -> None:
    lines = 20_000

    def deeds() -> Iterator[Judged]:
        for number in range(lines):
            yield judged("", f"doc-{number:07d}", number % 4, topic=f"topic-{number % 50}")

    tracemalloc.start()
    try:
        assert list(agreement_lines(deeds())) == []
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 130 * lines
