"""Scores of definition questions: the pilot's formulas with their edge cases, by each assessor, and why."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from scoring.formats.definition_judgments import HolisticScores
from scoring.records import Issue, Nugget, ResponseItem, RunGrade
from tests.tracks.aquaint_records import SETTINGS, content, fail, found, gold, nuggets, response, scored, topics, values
from tracks.aquaint_definition import TRACK
from tracks.aquaint_definition.gold import Gold, build_gold, load_gold
from tracks.aquaint_definition.scores import MEASURES
from tracks.aquaint_definition.settings import AquaintDefinitionSettings

FOLDER = Path(__file__).parent.parent / "data" / "tracks" / TRACK.key


# ---------------------------------------------------------------- F, by the cases of the pilot's formulas

F_OF = {
    # length: (beta 5, beta 3, beta 2, beta 1), for 2 of 5 vital nuggets and one okay
    450: (0.406250, 0.416667, 0.434783, 0.500000),
    300: (0.409449, None, None, None),
    301: (0.409427, None, None, None),
}


@pytest.mark.parametrize(
    ("length", "beta", "expected"),
    [
        (length, beta, expected)
        for length, row in F_OF.items()
        for beta, expected in zip((5, 3, 2, 1), row, strict=True)
        if expected is not None
    ],
)
def test_f_weighs_recall_of_vital_nuggets_against_length(length: int, beta: float, expected: float) -> None:
    judged = gold(lists=nuggets(5, 1), pieces=found("1", "2", "6"))
    settings = AquaintDefinitionSettings(beta=beta, beta_secondary=2)
    row = values(scored(judged, response(length), settings))
    assert row["F_author"] == pytest.approx(expected, abs=5e-7)
    assert row["NR_author"] == pytest.approx(2 / 5)
    assert row["NP_author"] == pytest.approx(min(1, 300 / length))
    assert row["length"] == length


@pytest.mark.parametrize(
    ("marks", "length", "expected"),
    [
        ((), 500, {"NR_author": 0, "NP_author": 0, "F_author": 0}),
        (("6",), 100, {"NR_author": 0, "NP_author": 1, "F_author": 0}),
    ],
)
def test_nothing_vital_found_is_zero(marks: tuple[str, ...], length: int, expected: dict[str, float]) -> None:
    row = values(scored(gold(lists=nuggets(5, 1), pieces=found(*marks)), response(length)))
    assert {name: row[name] for name in expected} == expected


def test_an_empty_response_is_zero() -> None:
    row = values(scored(gold(lists=nuggets(5, 1)), ""))
    assert (row["NR_author"], row["NP_author"], row["F_author"], row["length"]) == (0, 0, 0, 0)


def test_all_vital_nuggets_in_seven_thousand_characters() -> None:
    judged = gold(lists=nuggets(5, 0), pieces=found("1", "2", "3", "4", "5"))
    row = values(scored(judged, response(7000), AquaintDefinitionSettings(beta=3)))
    assert row["F_author"] == pytest.approx(0.434783, abs=5e-7)
    assert row["NP_author"] == pytest.approx(float(Fraction(1, 14)))


def test_a_list_without_a_vital_nugget_is_undefined_and_left_out_of_the_mean() -> None:
    judged = gold(2, lists=[*nuggets(0, 3), *nuggets(1, 0, topic="2")], pieces=found("1", topic="2"))
    scores = scored(judged, "1 A D x\n2 A D y\n")
    assert (values(scores)["F_author"], values(scores)["NR_author"]) == (None, None)
    (mean,) = [score for score in scores if (score.topic, score.measure) == ("all", "F_author")]
    assert (mean.value, mean.topics) == (1.0, 1)
    explained = TRACK.scoring.explain(judged, "A", content("1 A D x\n"), SETTINGS)("1", "F_author")
    assert explained is not None and explained.formula.startswith("undefined")


def recalls(own_parts: bool, **marks: tuple[str, ...]) -> dict[str, float | None]:
    """By run, the recall of what was marked in it, on a list of five vital nuggets."""
    judged = gold(
        lists=nuggets(5, 0), pieces=[piece for run, names in marks.items() for piece in found(*names, run=run)]
    )
    settings = AquaintDefinitionSettings(own_parts=own_parts)
    runs = {tag: response(60, 3).replace(" A ", f" {tag} ") for tag in marks}
    return {tag: values(scored(judged, text, settings, tag=tag))["NR_author"] for tag, text in runs.items()}


def test_a_nugget_in_parts_is_put_together_in_one_response() -> None:
    """ "5.1 and 5.2, meaning that those item combined produce nugget 5" (AQUAINT definition pilot, 2.2): parts 1 to k
    of the response's own, two or more, with no gap, or the whole.
    """
    marked = {"A": ("5.1", "5.2"), "B": ("5.1",), "C": ("5",), "D": ("5.1", "5.2", "5.3"), "E": ("5.1", "5.3")}
    expected = {"A": 0.2, "B": 0.0, "C": 0.2, "D": 0.2, "E": 0.0}
    assert recalls(True, **marked, F=("5.2", "5.3")) == expected | {"F": 0.0}


def test_how_another_response_was_split_takes_a_nugget_away_by_the_old_reading_alone() -> None:
    marked = {"A": ("5.1", "5.2"), "D": ("5.1", "5.2", "5.3")}
    assert recalls(True, **marked) == {"A": 0.2, "D": 0.2}
    assert recalls(False, **marked) == {"A": 0.0, "D": 0.2}


def test_a_mark_beyond_the_strings_of_a_run_counts_nowhere() -> None:
    judged = gold(lists=nuggets(2, 0), pieces=found("1", "2"))
    assert values(scored(judged, response(60, 2)))["NR_author"] == 1.0
    assert values(scored(judged, response(60, 1)))["NR_author"] == 0.5


def test_a_nugget_marked_twice_counts_once() -> None:
    judged = gold(lists=nuggets(5, 0), pieces=found("1", "1"))
    assert values(scored(judged, response(150)))["NP_author"] == pytest.approx(100 / 150)


def test_no_break_space_is_white_space_and_zero_width_space_is_not() -> None:
    row = values(scored(gold(lists=nuggets(1, 0)), "1 A D a\u00a0b\u200bc\n"))
    assert row["length"] == 4


def test_the_second_beta_is_a_setting_of_its_own() -> None:
    judged = gold(lists=nuggets(5, 1), pieces=found("1", "2", "6"))
    row = values(scored(judged, response(450)))
    assert row["F_author"] == pytest.approx(0.406250)
    assert row["F_secondary_author"] == pytest.approx(0.434783, abs=5e-7)
    other = values(scored(judged, response(450), AquaintDefinitionSettings(beta_secondary=1)))
    assert (other["F_author"], other["F_secondary_author"]) == (row["F_author"], pytest.approx(0.5))


# ---------------------------------------------------------------- holistic scores

SEVEN_FOUR = HolisticScores(topic="1", run="A", contractor=(10, 10), author=(7, 4), other=(0, 10))


def test_holistic_score_is_five_c_and_half_c_o() -> None:
    row = values(scored(gold(holistic=[SEVEN_FOUR]), "1 A D x\n"))
    assert (row["holistic_author"], row["holistic_contractor"], row["holistic_other"]) == (49, 100, 0)
    assert (row["content_author"], row["organization_author"]) == (7, 4)


def test_an_unanswered_question_is_zero_and_an_unjudged_response_undefined() -> None:
    judged = gold(2, holistic=[SEVEN_FOUR, HolisticScores(topic="2", run="B", author=(5, 5))])
    scores = scored(judged, "1 A D x\n")
    assert values(scores, "2") == {"holistic_author": 0, "content_author": 0, "organization_author": 0, "length": 0}
    assert values(scores, "all")["holistic_author"] == 24.5
    unjudged = values(scored(judged, "1 C D x\n2 C D x\n", tag="C"), "2")
    assert unjudged["holistic_author"] is None


def test_a_question_that_nobody_scored_has_no_holistic_value() -> None:
    row = values(scored(gold(2, holistic=[SEVEN_FOUR]), "1 A D x\n2 A D y\n"), "2")
    assert row == {"length": 1}


def test_the_sites_single_grades_and_the_files_lines_give_the_same_gold() -> None:
    grades = [
        RunGrade(topic="1", run="A", criterion="contractor_content", value=10),
        RunGrade(topic="1", run="A", criterion="contractor_organization", value=10),
        RunGrade(topic="1", run="A", criterion="content", value=7),
        RunGrade(topic="1", run="A", criterion="organization", value=4),
        RunGrade(topic="1", run="A", criterion="content", value=0, role="second"),
        RunGrade(topic="1", run="A", criterion="organization", value=10, role="second"),
        RunGrade(topic="1", run="A", criterion="content", value=9, role="second"),  # a further assessor's
    ]
    assert gold(holistic=grades) == gold(holistic=[SEVEN_FOUR])


# ---------------------------------------------------------------- gold, and runs that it scores alone


def test_gold_alone_scores_the_runs_whose_strings_it_holds() -> None:
    strings = [ResponseItem(topic="1", run="A", item=1, docno="D", text="y" * 90)]
    judged = gold(lists=nuggets(1, 0), pieces=found("1"), responses=strings)
    assert list(TRACK.scoring.runs(judged)) == ["A"]  # type: ignore[misc]
    row = values(list(TRACK.scoring.score(judged, "A", None, SETTINGS)))
    assert (row["F_author"], row["length"]) == (1.0, 90)


def test_the_published_files_one_a_question_give_the_same_gold_as_the_exports() -> None:
    def read(folder: Path) -> Gold:
        files = {path.name: path for path in folder.iterdir() if path.is_file() and path.suffix != ".tsv"}
        return load_gold(files, SETTINGS, lambda issue: None if issue.severity == "warning" else fail(issue))

    published, exported = read(FOLDER / "published"), read(FOLDER / "published" / "expected")
    assert published == exported
    assert len(published.panels["other"]) == len(published.topics) == 5


RETURNED = [ResponseItem(topic="1", run="A", item=1, docno="D", text="y")]


@pytest.mark.parametrize(
    ("records", "code"),
    [
        ({"holistic": [HolisticScores(topic="9", run="A", author=(1, 1))]}, "unknown-question"),
        ({"author.all": nuggets(1, 0, topic="9")}, "unknown-question"),
        ({"author.all": nuggets(1, 0) * 2}, "nugget-twice"),
        ({"author.all": nuggets(1, 0), "sys.author.all": found("7")}, "unknown-nugget"),
        ({"other.all": nuggets(1, 0), "sys.author.all": found("1")}, "unknown-nugget"),
        ({"questions": []}, "no-questions"),
        ({"author.all": nuggets(2, 0), "Q.all": RETURNED, "sys.author.all": found("1", "2")}, "no-item"),
        ({"author.all": nuggets(1, 0), "Q.all": RETURNED, "sys.author.all": found("1", run="Z")}, "no-item"),
        (
            {
                "author.all": nuggets(1, 0),
                "Q.all": [replace(RETURNED[0], docno="E")],
                "sys.author.all": found("1"),
            },
            "docid-differs",
        ),
    ],
)
def test_gold_that_does_not_fit_is_reported(records: dict[str, Any], code: str) -> None:
    issues: list[Issue] = []
    build_gold({"questions": topics(1), **records}, SETTINGS, issues.append)
    assert [issue.code for issue in issues] == [code]


def test_files_of_unknown_names_are_reported(tmp_path: Path) -> None:
    for name, text in {
        "questions": "1\tWho?\n",
        "notes.txt": "x",
        "author.1": "1 * x\n",
        "judgments.jsonl": "",
    }.items():
        (tmp_path / name).write_text(text)
    issues: list[Issue] = []
    found_gold = load_gold({path.name: path for path in tmp_path.iterdir()}, SETTINGS, issues.append)
    assert [(issue.code, issue.severity) for issue in issues] == [("unknown-file", "warning")]
    assert found_gold.panels["author"]["1"].nuggets == (Nugget(topic="1", number=1, importance="vital", text="x"),)


# ---------------------------------------------------------------- explanations


def test_every_value_is_explained() -> None:
    judged = gold(
        2,
        lists=nuggets(5, 1),
        pieces=found("1", "2.1", "6"),
        other_lists=nuggets(0, 1),
        holistic=[SEVEN_FOUR, HolisticScores(topic="2", run="B", author=(5, 5))],
    )
    scores = scored(judged, response(450))
    assert {score.measure for score in scores} == {column.key for column in MEASURES}
    for score in scores:
        explained = TRACK.scoring.explain(judged, "A", content(response(450)), SETTINGS)(score.topic, score.measure)
        assert explained is not None and explained.value == score.value, score
        assert explained.formula
    for measure, owner in (("F_author", "author"), ("F_other", "other assessor")):
        explained = TRACK.scoring.explain(judged, "A", content(response(450)), SETTINGS)("1", measure)
        assert explained is not None
        header = explained.steps[0].header
        assert header == ("nugget", f"{owner} says", "weight", "returned", "in string", "text")
        assert all(len(row) == len(header) for row in explained.steps[0].rows)
    assert TRACK.scoring.explain(judged, "A", content(""), SETTINGS)("9", "F_author") is None
    assert TRACK.scoring.explain(judged, "A", content(""), SETTINGS)("all", "nothing") is None


def test_a_holistic_score_shows_its_formula() -> None:
    judged = gold(holistic=[SEVEN_FOUR])
    explained = TRACK.scoring.explain(judged, "A", content("1 A D x\n"), SETTINGS)("1", "holistic_author")
    assert explained is not None
    assert explained.formula == "score = 5 × 7 + 0.5 × 7 × 4 = 49"


def test_settings_out_of_range_are_refused() -> None:
    assert AquaintDefinitionSettings().problems() == {}
    wrong = AquaintDefinitionSettings(beta=float("nan"), beta_secondary=-1, allowance=0)
    assert sorted(wrong.problems()) == ["allowance", "beta", "beta_secondary"]
