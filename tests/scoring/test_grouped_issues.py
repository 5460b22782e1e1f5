"""Issues that say the same are told together; what else is wrong is seen behind them."""

from __future__ import annotations

import io

import pytest

from scoring.commands.command_line import SHOWN, Problems
from scoring.formats.qrels import read_qrels
from scoring.reading.grouped_issues import EACH, SENTENCES, IssueGroups, together
from scoring.reading.opening import STOPPED
from scoring.records import Issue, Severity


def lines(count: int, message: str = "The grade is {}; it must be a whole number.", **values: object) -> list[Issue]:
    return [
        Issue(where=n, code="value", message=message.format(f'"x{n}"'), **values)  # type: ignore[arg-type]
        for n in range(1, count + 1)
    ]


def test_so_many_of_a_kind_are_told_one_by_one_and_more_of_them_together() -> None:
    few = lines(EACH)
    assert together(few) == few
    (row,) = together(lines(EACH + 1))
    assert (row.where, row.code, row.count) == (1, "value", EACH + 1)
    assert row.message == '6 lines: The grade is "x1"; it must be a whole number; first at line 1.'


@pytest.mark.parametrize("severity", ["error", "warning", "note"])
def test_one_of_another_kind_behind_thousands_is_seen(severity: Severity) -> None:
    groups = IssueGroups(SHOWN)
    for issue in (
        *lines(8_000, severity=severity),
        Issue(where=8_001, code="columns", message="No.", severity=severity),
    ):
        groups.add(issue)
    assert [(row.where, row.code, row.count) for row in groups.rows()] == [(1, "value", 8_000), (8_001, "columns", 1)]
    assert groups.counts[severity] == 8_001


def test_sentences_of_one_code_are_told_apart_up_to_a_number() -> None:
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
    issues = [Issue(where=n, code="value", message=f"No {word} here.") for word in words for n in range(10)]
    rows = together(issues)
    assert [row.count for row in rows] == [10] * SENTENCES + [50]
    assert rows[0].message == "10 lines: No alpha here; first at line 0."
    assert rows[-1].message == "50 more lines with other faults of this kind; the first at line 0: No zeta here."
    assert together(rows) == rows


def test_places_in_json_and_in_files_are_told_as_such() -> None:
    json_rows = together(Issue(where=f"$[{n}]", code="type", message="It is no text.") for n in range(7))
    assert [row.message for row in json_rows] == ["7 places: It is no text; first at $[0]."]
    files = together(Issue(where=f"{name}:{n}", code="type", message="No.") for name in ("a", "b") for n in range(7))
    assert [row.message for row in files] == ["7 places: No; first at a:0.", "7 places: No; first at b:0."]


def test_what_has_no_place_is_told_together_where_it_is_equal_alone() -> None:
    topics = [Issue(where="", code="missing", message=f"Topic {n} has no document.") for n in range(9)]
    assert together(topics) == topics
    assert [row.message for row in together(topics[:1] * 7)] == ["7 times: Topic 0 has no document."]


def test_what_was_told_together_is_told_so_again() -> None:
    rows = together(lines(100))
    assert together(rows) == rows


def test_rows_are_bounded_and_never_without_what_ended_the_reading() -> None:
    groups = IssueGroups(SHOWN)
    for n in range(100):
        groups.add(Issue(where="", code="missing", message=f"Topic {n}."))
    groups.add(Issue(where=9, code=STOPPED, message="Read no further."))
    rows = groups.rows(SHOWN)
    assert len(rows) == SHOWN
    assert rows[0].code == STOPPED


def test_a_command_tells_each_kind_once_and_counts_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    problems = Problems()
    for each in read_qrels(io.BytesIO(b"1 0 a 1\n" + b"1 0 b x\n" * 40 + b"1 0 c\n")):
        if isinstance(each, Issue):
            problems.add("file", each)
    for n in range(30):
        problems.add("file", Issue(where="", code="missing", message=f"Topic {n}.", severity="warning"))
    assert problems.errors("file") == 41
    problems.show()
    rows = capsys.readouterr().err.splitlines()
    assert (
        rows[0].split("\t")[4]
        == '40 lines: The grade is "x"; it must be a whole number of at most nine digits; first at line 2.'
    )
    assert rows[1].split("\t")[1:4] == ["42", "error", "columns"]
    assert len(rows) == SHOWN + 1
    assert rows[-1] == "file: 7 more problems are not shown (all: 41 errors, 30 warnings)"
