"""Designs on the base of another evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracks.designs.bases import whole_text
from tracks.designs.checking import check_design

MINE = """design = 1
base = "adhoc"
key = "mine"

[pool]
depth = 7

[[stages]]
key = "documents"
label = "Judge them"

[[stages.questions]]
key = "misleading"
ask = "Is it misleading?"
grades = "0-2"

[scores]
measures = ["AP"]
"""


def test_members_lists_stages_and_questions_take_the_place_of_those_of_the_base() -> None:
    design, faults = check_design(MINE)
    assert design is not None and faults == []
    (stage,) = design.stages
    assert (design.title, design.pool.depth, stage.label) == ("Ad hoc retrieval", 7, "Judge them")
    assert [question.key for question in stage.questions] == ["relevance", "misleading"]  # type: ignore[union-attr]
    assert (design.scores.measures, design.scores.official) == (["AP"], "")
    assert check_design(whole_text(MINE, None))[0] == design


@pytest.mark.parametrize(
    ("before", "after", "line", "member", "words"),
    [
        ("depth = 7", "dept = 7", 6, "pool.dept", "Did you mean depth?"),
        ("Is it misleading?", "", 14, "stages.documents.questions.misleading.ask", "is empty"),
        ('"0-2"', '"2-0"', 15, "stages.documents.questions.misleading.grades", "from a lower number"),
        ('"AP"', '"APP"', 18, "scores.measures.1", "did you mean AP"),
        ('"adhoc"', '"adhok"', 2, "", "There is no track “adhok”. Did you mean adhoc?"),
        ('"adhoc"', '"context25"', 2, "", "can't be written as a design"),
        ('"adhoc"', '"other.toml"', 2, "", "which came alone"),
        ('[scores]\nmeasures = ["AP"]', "[scores]\nrelevant_from = 4", 18, "scores.relevant_from", "nothing would be"),
    ],
)
def test_faults_have_the_lines_of_the_file_itself(before: str, after: str, line: int, member: str, words: str) -> None:
    assert before in MINE
    design, faults = check_design(MINE.replace(before, after, 1))
    told = [(fault.line, fault.member) for fault in faults if words in fault.message]
    assert (design, told) == (None, [(line, member)]), faults


def test_a_base_may_be_another_file_and_no_circle(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(MINE)
    child = 'design = 1\nbase = "mine.toml"\nkey = "child"\n'
    design, faults = check_design(child, folder=tmp_path)
    assert faults == [] and design is not None and (design.key, design.pool.depth) == ("child", 7)
    (tmp_path / "mine.toml").write_text(MINE.replace("depth = 7", "depth = "))
    assert "mine.toml, line 6: A value is expected after =" in check_design(child, folder=tmp_path)[1][0].message
    (tmp_path / "mine.toml").write_text(child)
    assert "are based on one another here" in check_design(child, folder=tmp_path)[1][0].message
    assert "its name alone" in check_design(child.replace("mine.", "../mine."), folder=tmp_path)[1][0].message


def test_texts_of_help_are_read_beside_the_design(tmp_path: Path) -> None:
    (tmp_path / "misleading.md").write_text("Misleading means that.\n")
    text = MINE.replace('ask = "Is it misleading?"', 'ask = "Is it?"\nhelp_file = "misleading.md"')
    design, faults = check_design(text, folder=tmp_path)
    assert design is not None and faults == []
    assert design.stages[0].questions[1].help == "Misleading means that."  # type: ignore[union-attr]
    assert check_design(whole_text(text, tmp_path))[0] == design
    told = [(fault.line, fault.message) for fault in check_design(text)[1]]
    assert told == [(15, "misleading.md lies beside the design, which came alone: load both from their folder.")]
    assert "can't be read" in check_design(text.replace("misleading.md", "m.md"), folder=tmp_path)[1][0].message
    assert "its name alone" in check_design(text.replace("misleading.md", "../m.md"), folder=tmp_path)[1][0].message
    both = text.replace("help_file", 'help = "x"\nhelp_file')
    assert [(fault.line, fault.message) for fault in check_design(both, folder=tmp_path)[1]] == [
        (16, "Both help and help_file stand here: keep one.")
    ]
