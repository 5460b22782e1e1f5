"""The pilot's judgment files as deeds: what fits the runs beside them, and what is said where it does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assess.protocol import CheckContext
from scoring.deeds import Judged, ListFrozen, Matched, NuggetWritten, Reviewed
from scoring.records import Issue
from tracks.aquaint_definition.files import response_key, split_bundles
from tracks.aquaint_definition.published import read_holistic_files, read_list_files
from tracks.aquaint_definition.settings import AquaintDefinitionSettings

CONTEXT = CheckContext(topics=(), settings=AquaintDefinitionSettings())
RESPONSES = "1 A D1 the first  woman\n1 A D2 in space\n***\n1 B XXXX the first woman\n1 B XXXX in space\n"
LIST = "1 * a woman\n2 in space\n"


def folder(tmp_path: Path, **files: str) -> Path:
    """A folder with Q.1 and these files; "_" stands for "." in a name."""
    for name, text in {"Q_1": RESPONSES, **files}.items():
        (tmp_path / name.replace("_", ".")).write_text(text)
    return tmp_path


def read(kind: Any, place: Path, *names: str) -> tuple[list[Any], list[tuple[int | str, str, str]]]:
    found = list(kind([place / name for name in names], CONTEXT))
    issues = [(each.where, each.severity, each.code) for each in found if isinstance(each, Issue)]
    return [each[1] for each in found if not isinstance(each, Issue)], issues


def test_a_response_that_two_runs_returned_is_scored_once(tmp_path: Path) -> None:
    place = folder(tmp_path, holistic="Comments.\n1 A 7 5 8 6 - -\n1 B 7 5 8 6 - -\n")
    deeds, issues = read(read_holistic_files, place, "holistic")
    key = response_key(["the first woman", "in space"])
    assert issues == []
    assert [(deed.by, deed.role, deed.criterion, deed.value, deed.key) for deed in deeds] == [
        ("contractor", "", "contractor_content", 7, key),
        ("contractor", "", "contractor_organization", 5, key),
        ("author", "", "content", 8, key),
        ("author", "", "organization", 6, key),
    ]
    assert all(isinstance(deed, Judged) for deed in deeds)


def test_other_scores_of_the_same_response_are_named(tmp_path: Path) -> None:
    place = folder(tmp_path, holistic="1 A 7 5 8 6 9 7\n1 B 7 5 8 6 9 8\n2 A 1 1 1 1 1 1\n")
    deeds, issues = read(read_holistic_files, place, "holistic")
    assert [deed.value for deed in deeds if deed.by == "other"] == [9, 7]
    assert issues == [("holistic", "warning", "scored-twice"), ("holistic", "warning", "no-response")]


def test_lists_are_written_frozen_marked_and_reviewed(tmp_path: Path) -> None:
    place = folder(tmp_path, other_1=LIST, sys_other_1="1 A 1 1 D1 first woman\n***\n1 B 2 2.1 XXXX space\n")
    deeds, issues = read(read_list_files, place, "other.1", "sys.other.1")
    assert issues == []
    assert {deed.by for deed in deeds} == {"other"}
    assert {deed.role for deed in deeds} == {"second"}
    assert [type(deed) for deed in deeds] == [NuggetWritten] * 2 + [ListFrozen] + [Matched] * 2 + [Reviewed] * 4
    first, second = (deed for deed in deeds if isinstance(deed, Matched))
    assert (first.docno, first.answer, first.number, first.part, first.quote) == (
        "D1",
        "the first  woman",
        1,
        0,
        "first  woman",  # as it stands in the string
    )
    assert (second.docno, second.number, second.part, second.quote) == ("", 2, 1, "space")


@pytest.mark.parametrize(
    ("line", "severity", "code"),
    [
        ("1 A 3 1 D1 woman", "error", "no-item"),
        ("2 A 1 1 D1 woman", "error", "no-item"),
        ("1 A 1 9 D1 woman", "error", "unknown-nugget"),
        ("1 A 1 1 D2 woman", "error", "docid-differs"),
        ("1 A 1 1 XXXX woman", "error", "docid-differs"),
        ("1 A 1 1 D1 man on the moon", "warning", "piece-differs"),
    ],
)
def test_a_mark_that_does_not_fit_is_named_with_its_place(tmp_path: Path, line: str, severity: str, code: str) -> None:
    place = folder(tmp_path, author_1=LIST, sys_author_1=line + "\n")
    deeds, issues = read(read_list_files, place, "author.1", "sys.author.1")
    ((where, *found),) = issues
    assert found == [severity, code]
    assert str(where).startswith("sys.author.1, ")
    marks = [deed for deed in deeds if isinstance(deed, Matched)]
    assert [(mark.number, mark.quote) for mark in marks] == ([(1, "")] if severity == "warning" else [])


def test_marks_without_any_run_beside_them_are_refused(tmp_path: Path) -> None:
    (tmp_path / "author.1").write_text(LIST)
    (tmp_path / "sys.author.1").write_text("1 A 1 1 D1 woman\n")
    _, issues = read(read_list_files, tmp_path, "author.1", "sys.author.1")
    assert issues == [("", "error", "no-runs")]


def test_the_same_question_in_two_files_is_refused(tmp_path: Path) -> None:
    place = folder(tmp_path, author_1=LIST, author_all="<1>\n1 * a man\n")
    _, issues = read(read_list_files, place, "author.1", "author.all")
    assert issues == [("author.all", "error", "duplicate")]


def test_runs_are_taken_out_of_the_bundles_in_the_order_of_the_questions(tmp_path: Path) -> None:
    (tmp_path / "Q.10").write_text("10 A D3 x\n****\n10 B D4 y\n")
    (tmp_path / "Q.2").write_text("2 B XX z\n")
    found = list(split_bundles(sorted(tmp_path.iterdir())))
    assert [(run.form.tag, run.content.decode()) for run in found if not isinstance(run, Issue)] == [
        ("A", "10 A D3 x\n"),
        ("B", "2 B XXXXXXXXXXXXXXXX z\n10 B D4 y\n"),
    ]
