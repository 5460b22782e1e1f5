"""The pilot's judgment files as acts: what fits the runs beside them, and what is said where it does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assess.protocol import CheckContext
from scoring.folding import answer_key
from scoring.own_items import own_key
from scoring.records import Issue
from scoring.release.recorded_acts import Judged, ListFrozen, Matched, NuggetWritten, Reviewed
from tracks.aquaint_definition.files import response_key, split_bundles
from tracks.aquaint_definition.published_judgments import read_holistic_files, read_list_files
from tracks.aquaint_definition.settings import AquaintDefinitionSettings

CONTEXT = CheckContext(topics=(), settings=AquaintDefinitionSettings())
ONCE = CheckContext(topics=(), settings=AquaintDefinitionSettings(judge_each=False))
RESPONSES = "1 A D1 the first  woman\n1 A D2 in space\n***\n1 B XXXX the first woman\n1 B XXXX in space\n"
LIST = "1 * a woman\n2 in space\n"


def folder(tmp_path: Path, **files: str) -> Path:
    """A folder with Q.1 and these files; "_" stands for "." in a name."""
    for name, text in {"Q_1": RESPONSES, **files}.items():
        (tmp_path / name.replace("_", ".")).write_text(text)
    return tmp_path


def read(
    kind: Any, place: Path, *names: str, context: CheckContext = CONTEXT
) -> tuple[list[Any], list[tuple[int | str, str, str]]]:
    found = list(kind([place / name for name in names], context))
    issues = [(each.where, each.severity, each.code) for each in found if isinstance(each, Issue)]
    return [each[1] for each in found if not isinstance(each, Issue)], issues


KEY = response_key(["the first woman", "in space"])


def test_each_response_has_its_own_scores(tmp_path: Path) -> None:
    """ "The assessor assigned two scores to the response from a system" (AQUAINT definition pilot, 2.1)."""
    place = folder(tmp_path, holistic="Comments.\n1 A 7 5 8 6 - -\n1 B 7 5 8 4 - -\n")
    acts, issues = read(read_holistic_files, place, "holistic")
    assert issues == []
    assert [(act.by, act.role, act.criterion, act.value, act.key) for act in acts] == [
        (by, "", criterion, value, own_key(KEY, run))
        for run, organization in (("A", 6), ("B", 4))
        for by, criterion, value in (
            ("contractor", "contractor_content", 7),
            ("contractor", "contractor_organization", 5),
            ("author", "content", 8),
            ("author", "organization", organization),
        )
    ]
    assert all(isinstance(act, Judged) for act in acts)


def test_what_is_judged_once_is_scored_once_where_the_files_agree(tmp_path: Path) -> None:
    place = folder(tmp_path, holistic="1 A 7 5 8 6 - -\n1 B 7 5 8 6 - -\n")
    acts, issues = read(read_holistic_files, place, "holistic", context=ONCE)
    assert issues == []
    assert [(act.value, act.key) for act in acts] == [(value, KEY) for value in (7, 5, 8, 6)]


def test_other_scores_of_an_identical_response_are_kept(tmp_path: Path) -> None:
    place = folder(tmp_path, holistic="1 A 7 5 8 6 9 7\n1 B 7 5 8 6 9 8\n")
    acts, issues = read(read_holistic_files, place, "holistic", context=ONCE)
    assert issues == []
    assert [(act.value, act.key) for act in acts if act.by == "other"] == [
        (9, own_key(KEY, "A")),
        (7, own_key(KEY, "A")),
        (9, own_key(KEY, "B")),
        (8, own_key(KEY, "B")),
    ]


@pytest.mark.parametrize("way", [CONTEXT, ONCE], ids=["each", "once"])
def test_the_scores_of_a_run_that_returned_nothing_are_kept(tmp_path: Path, way: CheckContext) -> None:
    place = folder(tmp_path, holistic="2 A 1 1 1 1 1 1\n")
    acts, issues = read(read_holistic_files, place, "holistic", context=way)
    assert issues == []
    assert {(act.topic, act.answer, act.key) for act in acts} == {("2", "", own_key(response_key([]), "A"))}
    assert len(acts) == 6


def test_lists_are_written_frozen_marked_and_reviewed(tmp_path: Path) -> None:
    place = folder(tmp_path, other_1=LIST, sys_other_1="1 A 1 1 D1 first woman\n***\n1 B 2 2.1 XXXX space\n")
    acts, issues = read(read_list_files, place, "other.1", "sys.other.1")
    assert issues == []
    assert {act.by for act in acts} == {"other"}
    assert {act.role for act in acts} == {"second"}
    assert [type(act) for act in acts] == [NuggetWritten] * 2 + [ListFrozen] + [Matched] * 2 + [Reviewed] * 4
    first, second = (act for act in acts if isinstance(act, Matched))
    assert (first.docno, first.answer, first.number, first.part, first.quote) == (
        "D1",
        "the first  woman",
        1,
        0,
        "first woman",  # as the file has it
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
    acts, issues = read(read_list_files, place, "author.1", "sys.author.1")
    ((where, *found),) = issues
    assert found == [severity, code]
    assert str(where).startswith("sys.author.1, ")
    marks = [act for act in acts if isinstance(act, Matched)]
    assert [(mark.number, mark.quote) for mark in marks] == ([(1, "man on the moon")] if severity == "warning" else [])


ALIKE = "1 A D1 a woman\n***\n1 B D1 a woman\n1 B D1 a woman\n***\n1 C D1 a woman\n"


def test_a_mark_belongs_to_the_response_that_it_was_made_in(tmp_path: Path) -> None:
    """ "The assessor went through each of the system responses and marked where each nugget appeared in the response"
    (AQUAINT definition pilot, 2.2).
    """
    place = folder(tmp_path, Q_1=ALIKE, author_1=LIST, sys_author_1="1 A 1 1 D1 woman\n***\n1 B 2 1 D1 woman\n")
    key = answer_key("a woman", "D1")
    acts, issues = read(read_list_files, place, "author.1", "sys.author.1")
    assert issues == []
    assert [act.key for act in acts if isinstance(act, Matched)] == [own_key(key, "A"), own_key(key, "B", 2)]
    reviewed = [act.key for act in acts if isinstance(act, Reviewed)]
    assert reviewed == [own_key(key, "A"), own_key(key, "B"), own_key(key, "B", 2), own_key(key, "C")]
    acts, issues = read(read_list_files, place, "author.1", "sys.author.1", context=ONCE)
    assert [act.key for act in acts if isinstance(act, Matched)] == [own_key(key, "A"), own_key(key, "B", 2)]
    assert {act.key for act in acts if isinstance(act, Reviewed)} == {"", *reviewed}


def test_what_is_marked_alike_stays_one_item_where_it_is_judged_once(tmp_path: Path) -> None:
    """ "If a system returned a particular nugget more than once, it was marked only once" (AQUAINT definition pilot,
    2.2), so that one item gives back what two occurrences hold.
    """
    marks = "1 A 1 1 D1 woman\n***\n1 B 1 1 D1 woman\n***\n1 C 1 1 D1 woman\n"
    place = folder(tmp_path, Q_1=ALIKE, author_1=LIST, sys_author_1=marks)
    acts, issues = read(read_list_files, place, "author.1", "sys.author.1", context=ONCE)
    assert issues == []
    assert {act.key for act in acts if isinstance(act, Matched | Reviewed)} == {""}


def test_a_nugget_marked_twice_in_a_response_is_named(tmp_path: Path) -> None:
    marks = "1 B 1 1 D1 woman\n1 B 2 1 D1 woman\n1 B 1 1 D1 woman\n"
    place = folder(tmp_path, Q_1=ALIKE, author_1=LIST, sys_author_1=marks)
    acts, issues = read(read_list_files, place, "author.1", "sys.author.1")
    assert issues == [("sys.author.1, 1 B 2", "warning", "marked-twice")]
    assert len([act for act in acts if isinstance(act, Matched)]) == 1


def test_the_joined_file_goes_before_those_of_single_questions(tmp_path: Path) -> None:
    place = folder(tmp_path, Q_all=RESPONSES, author_1=LIST, author_all="<1>\n" + LIST)
    for name in ("sys.author.1", "sys.author.all"):
        (place / name).write_text("1 A 1 1 D1 woman\n")
    names = ("author.1", "author.all", "sys.author.1", "sys.author.all")
    acts, issues = read(read_list_files, place, *names)
    assert issues == []
    assert [type(act) for act in acts][:4] == [NuggetWritten, NuggetWritten, ListFrozen, Matched]
    assert len([act for act in acts if isinstance(act, Matched)]) == 1
    assert len(list(split_bundles(sorted(place.glob("Q.*"))))) == 2


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
        ("B", "2 B XX z\n10 B D4 y\n"),
    ]
