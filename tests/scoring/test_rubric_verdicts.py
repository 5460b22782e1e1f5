"""What reports support and contradict of rubrics: DRAGUN's worked cases, its published verdicts, and broken files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from scoring.__main__ import main

LEVELS = ("A: Have to Know", "B: Good to Know", "C: Nice to Know")
VERDICTS = ("supports", "partial", "contradicts", "none", "supports", "partial")
OWNERS = ((1, 2, 3), (4, 5), (6,))


def rubric(topic: str, owners: tuple[tuple[int, ...], ...], levels: tuple[str, ...]) -> str:
    questions = [
        {
            "question_id": f"{topic}-{place}",
            "question_text": f"Question {place}?",
            "importance": level,
            "short_answers": [{"answer_id": f"na-{each}", "answer_text": f"Answer {each}."} for each in answers],
        }
        for place, (answers, level) in enumerate(zip(owners, levels, strict=True), 1)
    ]
    return json.dumps({"topic_id": topic, "rubrics": questions})


def score(
    folder: Path, capsys: pytest.CaptureFixture[str], rows: str, *rubrics: str
) -> tuple[int, list[list[str]], str]:
    (folder / "verdicts.csv").write_text(rows, encoding="utf-8")
    call = ["nuggets", "--verdicts", str(folder / "verdicts.csv")]
    for place, text in enumerate(rubrics):
        path = folder / f"rubric-{place}.json"
        path.write_text(text)
        call += ["--rubrics", str(path)]
    status = main(call)
    out, err = capsys.readouterr()
    return status, [line.split("\t")[:4] for line in out.splitlines()], err


def rows_of(*verdicts: str, topic: str = "d_1", column: str = "annotation") -> str:
    said = [
        f'{topic},north,na-{place},{each},"Reasons, with a\nbreak"' for place, each in enumerate(verdicts, 1) if each
    ]
    return "\n".join([f"topic_id,run_tag,answer_id,{column},auto_rationale", *said])


@pytest.mark.parametrize(
    ("verdicts", "supportive", "contradictory"),
    [
        (VERDICTS, 3.5 / 7, 4 / 3 / 7),
        (("supports", "partial", "", "none", "supports", "partial"), 4.5 / 7, 0),  # na-3 has no row: n_q is 2
        (("supports", "partial", "", "", "", "partial"), 3.5 / 7, 0),  # q2 has none, and M stays 7
    ],
)
@pytest.mark.parametrize("column", ["annotation", "auto_assessment"])
def test_support_and_contradiction_are_scored_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verdicts: tuple[str, ...], supportive: float,
    contradictory: float, column: str,
) -> None:  # fmt: skip
    """The worked example of the evaluation's score, and a second topic in which the run has no verdict."""
    other = rubric("d_2", ((1,),), LEVELS[:1])
    status, rows, err = score(tmp_path, capsys, rows_of(*verdicts, column=column), rubric("d_1", OWNERS, LEVELS), other)
    assert (status, err) == (0, "")
    assert [(run, topic, measure) for run, topic, measure, _ in rows] == [
        ("north", topic, measure) for topic in ("d_1", "all") for measure in ("supportive", "contradictory")
    ]
    assert [float(row[3]) for row in rows] == pytest.approx([supportive, contradictory] * 2, abs=5e-5)


def test_a_mean_is_taken_of_fractions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """1/7 and 4/7: the mean of the two floats is .3571428571428571, the site's value .35714285714285715."""
    rows = f"{rows_of('', '', '', '', '', 'supports')}\nd_2,north,na-1,supports,\n"
    rubrics = [rubric(topic, ((1,), (2,), (6,)), LEVELS) for topic in ("d_1", "d_2")]
    assert score(tmp_path, capsys, rows, *rubrics)[0] == 0
    call = ["nuggets", "--verdicts", str(tmp_path / "verdicts.csv"), "--format", "json"]
    assert main([*call, *(f"--rubrics={tmp_path / f'rubric-{place}.json'}" for place in (0, 1))]) == 0
    found = [row for row in json.loads(capsys.readouterr().out) if row["topic"] == "all"]
    assert [(row["measure"], row["value"], row["topics"]) for row in found] == [
        ("supportive", 5 / 14, 2),
        ("contradictory", 0, 2),
    ]


def test_blank_lines_before_the_names_of_columns_are_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = rubric("d_1", OWNERS, LEVELS)
    assert score(tmp_path, capsys, f"\n \r\n{rows_of(*VERDICTS)}", given) == score(
        tmp_path, capsys, rows_of(*VERDICTS), given
    )
    status, _, said = score(tmp_path, capsys, "\n\n" + rows_of("supports", "so"), given)
    assert (status, "\t7\terror\tverdict\tThe verdict is “so”" in said) == (1, True)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (rows_of("Supports"), "The verdict is “Supports”; it must be one of supports, partial, contradicts, none."),
        (rows_of("none", "", "", "", "", "", "none"), "has no answer na-7. Do the files belong together?"),
        (rows_of("none", "partial").replace("na-2", "na-1"), "Line 3 has a verdict of north on na-1 already."),
        (rows_of("none", topic="d_9"), "No rubric is of topic d_9."),
        (rows_of("none").replace("annotation", "verdict"), "There is no column “annotation”."),
        ("1 0 D1 1\n2 0 D1 0\n", "This is a file of another kind: qrels"),
        ("topic_id,run_tag,answer_id,annotation\n", "verdict"),
    ],
)
def test_what_the_evaluations_script_stops_at_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: str, said: str
) -> None:
    status, scores, err = score(tmp_path, capsys, rows, rubric("d_1", OWNERS, LEVELS))
    assert (status, scores) == (1, [])
    assert said in err


@pytest.mark.shared
def test_verdicts_published_are_scored_as_the_evaluations_script_does(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No rubric is public: two stand-ins, one question for all answers, and questions of three answers."""
    folder = shared_data / "dragun2025"
    text = (folder / "auto_report_assessments.first15.csv").read_text(encoding="utf-8")
    expected = json.loads((folder / "expected.json").read_text())["runs"]
    answers: dict[str, set[int]] = {}
    for row in csv.DictReader(text.splitlines()):
        answers.setdefault(row["topic_id"], set()).add(int(row["answer_id"].removeprefix("na-")))
    one = [rubric(topic, (tuple(sorted(found)),), LEVELS[:1]) for topic, found in answers.items()]
    threes = []
    for topic, found in answers.items():
        owners = tuple(tuple(sorted(found)[place : place + 3]) for place in range(0, len(found), 3))
        levels = tuple(LEVELS[min(place // 3, 2)] for place in range(len(owners)))
        threes.append(rubric(topic, owners, levels))
    for name, rubrics in (("one_question", one), ("threes", threes)):
        status, rows, _ = score(tmp_path, capsys, text, *rubrics)
        values = {(run, measure): float(value) for run, topic, measure, value in rows if topic == "all"}
        wanted = {
            (run, measure): value
            for run, figures in expected.items()
            for measure, value in zip(("supportive", "contradictory"), figures[name], strict=True)
        }
        assert status == 0
        assert values == pytest.approx(wanted, abs=1e-4)
