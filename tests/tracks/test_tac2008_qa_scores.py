"""Scores of the small campaign, worked out by hand as exact fractions."""

from __future__ import annotations

import io
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from assess.protocol import SegmentRecord
from scoring.formats.judgments_jsonl import AnswerFound, Classed, Judged, Matched, NuggetWritten, Voted, read_judgments
from scoring.formats.pool_tables import write_matches
from scoring.records import AnswerClass, InstanceJudgment, Issue, ItemMatch, Nugget, NuggetVote, Score, TopicMatches
from tests.tracks.tac2008_records import DATA, DEFAULTS, content, fail, gold, gold_files, segments
from tracks.tac2008_qa import TRACK
from tracks.tac2008_qa.files import read_topics
from tracks.tac2008_qa.gold import READERS, build_gold, load_gold
from tracks.tac2008_qa.settings import Tac2008QaSettings


def scores(run: str | Iterable[SegmentRecord], settings: Tac2008QaSettings = DEFAULTS) -> dict[tuple[str, str], Score]:
    given = segments(run) if isinstance(run, str) else run
    found = list(TRACK.scoring.score(gold(), "run", content(given, settings), settings))
    table = {(score.topic, score.measure): score for score in found}
    assert len(table) == len(found)
    return table


def values(
    run: str | Iterable[SegmentRecord], settings: Tac2008QaSettings = DEFAULTS
) -> dict[tuple[str, str], float | None]:
    return {key: score.value for key, score in scores(run, settings).items()}


AMBER = {
    ("1.1", "IR"): Fraction(1, 2),  # cheap wine, of cheap wine and green tea
    ("1.1", "IP"): Fraction(1, 4),  # twice the same answer, one unsupported, one non-exact
    ("1.1", "F"): Fraction(1, 3),
    ("1.2", "NR"): Fraction(1),
    ("1.2", "NP"): Fraction(1),  # 73 characters, allowance 300
    ("1.2", "F"): Fraction(1),
    ("1.2", "length"): Fraction(73),
    ("2.1", "F"): Fraction(1),
    ("2.2", "F"): None,  # nobody found a correct answer
    ("2.3", "NR"): Fraction(0),  # one part of two of the only vital nugget
    ("2.3", "F"): Fraction(0),
    ("3.1", "F"): Fraction(1),
    ("3.2", "F"): None,  # no vital nugget
    ("1", "combined"): Fraction(2, 3),
    ("2", "rigid"): Fraction(1),
    ("2", "squishy"): Fraction(0),
    ("2", "combined"): Fraction(1, 2),
    ("2", "excluded"): Fraction(1),
    ("3", "rigid"): None,
    ("3", "combined"): Fraction(1),
    ("all", "combined"): Fraction(13, 18),
    ("all", "rigid"): Fraction(2, 3),
    ("all", "squishy"): Fraction(2, 3),
    ("all", "IR"): Fraction(3, 4),
    ("all", "IP"): Fraction(5, 8),
    ("all", "NR"): Fraction(2, 3),
    ("all", "unjudged"): Fraction(0),
    ("all", "excluded"): Fraction(2),
}
BASIL = {
    ("1.1", "IR"): Fraction(1, 2),
    ("1.1", "IP"): Fraction(1, 2),
    ("1.1", "F"): Fraction(1, 2),
    # votes 3, 1, 1 of 3: weights 1, 1/3, 1/3; returned the first two
    ("1.2", "NR"): Fraction(4, 5),
    ("1.2", "F"): Fraction(40, 49),
    ("1.2", "NR_vitalokay"): Fraction(1),
    ("1.2", "F_vitalokay"): Fraction(1),
    ("2.1", "F"): Fraction(0),
    ("2.3", "F"): Fraction(1),  # both parts of nugget 1
    ("1", "combined"): Fraction(1, 2) * (Fraction(1, 2) + Fraction(40, 49)),
    ("1", "combined_vitalokay"): Fraction(3, 4),
    ("all", "combined"): Fraction(1, 3) * (Fraction(129, 196) + Fraction(1, 2) + 1),
}


@pytest.mark.parametrize(("run", "expected"), [("Amber1", AMBER), ("Basil1", BASIL)])
def test_scores_are_those_worked_out_by_hand(run: str, expected: dict[tuple[str, str], Fraction | None]) -> None:
    found = values(run)
    assert {key: found[key] for key in expected} == {
        key: None if value is None else float(value) for key, value in expected.items()
    }


def test_means_say_how_many_they_average() -> None:
    found = scores("Amber1")
    assert found["all", "combined"].topics == 3
    assert found["all", "rigid"].topics == 2
    assert found["all", "IR"].topics == 2
    assert found["all", "NR"].topics == 3


def test_every_measure_is_declared_and_every_declared_measure_is_given() -> None:
    assert {measure for _, measure in scores("Amber1")} == {column.key for column in TRACK.scoring.measures}
    assert [column.key for column in TRACK.scoring.measures if column.official] == ["combined"]


def test_empty_run_scores_zero_wherever_a_value_is_defined() -> None:
    found = values([])
    assert found["all", "combined"] == 0.0
    assert found["3.2", "F"] is None
    assert {value for (_, measure), value in found.items() if measure != "excluded"} == {0.0, None}


def test_missing_question_is_zero() -> None:
    without = [segment for segment in segments("Amber1") if segment.topic != "2.1"]
    found = values(without)
    assert (found["2.1", "IR"], found["2.1", "IP"], found["2.1", "F"]) == (0.0, 0.0, 0.0)
    assert found["2", "rigid"] == 0.0


def test_unknown_questions_and_repeated_pairs_change_nothing() -> None:
    given = segments("Amber1")
    stray = SegmentRecord(topic="9.9", ordinal=1, text="x", docno="D", item_kind="instance", item_key="k")
    assert values([*given, *given, stray]) == values(given)


def test_order_of_lines_changes_nothing() -> None:
    assert values(reversed(segments("Basil2"))) == values("Basil2")


def test_unjudged_instances_count_as_incorrect_and_are_counted() -> None:
    new = SegmentRecord(topic="2.1", ordinal=2, text="new", docno="D", item_kind="instance", item_key="k")
    found = values([*segments("Amber1"), new])
    assert (found["2.1", "IP"], found["2.1", "unjudged"], found["all", "unjudged"]) == (0.5, 1.0, 1.0)


def test_beta_and_allowance_are_settings() -> None:
    settings = Tac2008QaSettings(beta=1.0, allowance=10)
    found = values("Basil1", settings)
    # 42 characters, allowance 20: NP 20/42; NR 4/5
    assert found["1.2", "NP"] == float(Fraction(20, 42))
    assert found["1.2", "F"] == float(2 * Fraction(20, 42) * Fraction(4, 5) / (Fraction(20, 42) + Fraction(4, 5)))


def test_single_assessor_scores_by_the_authors_vital_and_okay() -> None:
    found = values("Basil1", Tac2008QaSettings(single_assessor=True))
    assert found["1.2", "NR"] == found["1.2", "NR_vitalokay"] == 1.0
    assert found["all", "combined"] == found["all", "combined_vitalokay"]


def test_a_run_scores_the_same_whatever_other_runs_there_are() -> None:
    one = gold()
    alone = list(TRACK.scoring.score(one, "Basil1", content(segments("Basil1")), DEFAULTS))
    list(TRACK.scoring.score(one, "Amber1", content(segments("Amber1")), DEFAULTS))
    assert list(TRACK.scoring.score(one, "Basil1", content(segments("Basil1")), DEFAULTS)) == alone


@pytest.mark.parametrize("run", ["Amber1", "Basil1", "Basil2"])
def test_every_value_can_be_explained_and_the_explanation_has_the_same_value(run: str) -> None:
    one, given = gold(), segments(run)
    explain = TRACK.scoring.explain(one, run, content(given), DEFAULTS)
    for score in TRACK.scoring.score(one, run, content(given), DEFAULTS):
        explanation = explain(score.topic, score.measure)
        assert explanation is not None
        assert (explanation.run, explanation.topic, explanation.measure) == (run, score.topic, score.measure)
        assert explanation.value == score.value
        assert explanation.formula
        assert all(len(row) == len(step.header) for step in explanation.steps for row in step.rows)


@pytest.mark.parametrize(
    ("topic", "measure"), [("9.9", "F"), ("1.1", "NR"), ("1", "F"), ("all", "F"), ("all", "length")]
)
def test_values_that_do_not_exist_have_no_explanation(topic: str, measure: str) -> None:
    assert TRACK.scoring.explain(gold(), "Amber1", content(segments("Amber1")), DEFAULTS)(topic, measure) is None


def test_explanation_of_a_series_shows_its_questions() -> None:
    explanation = TRACK.scoring.explain(gold(), "Amber1", content(segments("Amber1")), DEFAULTS)("2", "rigid")
    assert explanation is not None
    assert explanation.formula == "rigid = 1 / 1 = 1"
    assert explanation.steps[0].rows == (("2.1", "1"), ("2.2", "undefined"))


def records_of_judgments() -> dict[str, list[Any]]:
    """The gold records that follow from judgments.jsonl, with the classes numbered by hand as in gold/."""
    acts = list(read_judgments(io.BytesIO((DATA / "judgments.jsonl").read_bytes())))
    labels = {(d.topic, d.docno, d.answer): d.label for d in acts if isinstance(d, Classed | AnswerFound)}
    keys = {("1.1", "cheap wine"): "1", ("1.1", "green tea"): "2", ("2.1", "Lisbon"): "1"}
    found = {d.label for d in acts if isinstance(d, AnswerFound)}

    def instance(d: Judged | AnswerFound, correctness: int) -> InstanceJudgment:
        key = keys.get((d.topic, labels.get((d.topic, d.docno, d.answer), "")), "")
        return InstanceJudgment(topic=d.topic, docno=d.docno, text=d.answer, correctness=correctness, answer_class=key)

    return {
        "questions.xml": list(read_topics(io.BytesIO((DATA / "questions.xml").read_bytes()))),
        "instances.tsv": [instance(d, d.value) for d in acts if isinstance(d, Judged)]
        + [instance(d, 1) for d in acts if isinstance(d, AnswerFound)],
        "answer-classes.tsv": [
            AnswerClass(topic=topic, key=key, label=label, found_by="assessor" if label in found else "")
            for (topic, label), key in keys.items()
        ],
        "nuggets.tsv": [
            Nugget(topic=d.topic, number=d.number, importance=d.importance, text=d.text)
            for d in acts
            if isinstance(d, NuggetWritten)
        ],
        "votes.tsv": [
            NuggetVote(topic=d.topic, number=d.number, assessor=d.by, importance=d.importance)
            for d in acts
            if isinstance(d, NuggetWritten | Voted)
        ],
        "matches.tsv": [
            ItemMatch(topic=d.topic, docno=d.docno, text=d.answer, number=d.number, part=d.part)
            for d in acts
            if isinstance(d, Matched)
        ],
    }


def test_gold_of_records_and_gold_of_files_are_the_same() -> None:
    assert build_gold(records_of_judgments(), DEFAULTS, fail) == gold()


def test_matches_of_a_topic_at_once_are_the_matches_one_by_one() -> None:
    records = records_of_judgments()
    matches = records["matches.tsv"]
    at_once = [
        TopicMatches(
            topic,
            {(each.docno, each.text): (each.docno, each.text, each.key) for each in matches if each.topic == topic},
            [((each.docno, each.text), each.number, each.part) for each in matches if each.topic == topic],
        )
        for topic in sorted({each.topic for each in matches}, reverse=True)
    ]
    assert build_gold(records | {"matches.tsv": at_once}, DEFAULTS, fail) == gold()
    assert list(write_matches([*at_once, *matches[:3]])) == list(write_matches(matches))


@pytest.mark.parametrize("name", [name for name in READERS if name != "questions.xml"])
def test_exports_write_the_gold_files_byte_for_byte(name: str) -> None:
    export = next(export for export in TRACK.exports if export.name == name)
    lines = "".join(line + "\n" for line in export.write(records_of_judgments()[name]))
    assert lines == (DATA / "gold" / name).read_text()
    assert set(export.read(io.BytesIO(lines.encode()))) == set(records_of_judgments()[name])


def reported(**changes: Any) -> list[str]:
    issues: list[Issue] = []
    names = {name.partition(".")[0].replace("-", "_"): name for name in READERS}
    build_gold(records_of_judgments() | {names[key]: value for key, value in changes.items()}, DEFAULTS, issues.append)
    return [issue.code for issue in issues]


WINE = {"topic": "1.1", "docno": "D", "text": "wine"}


def test_gold_that_does_not_fit_is_reported() -> None:
    assert reported(instances=[InstanceJudgment(**WINE | {"topic": "1.2"}, correctness=1)]) == ["unknown-question"]
    assert reported(instances=[InstanceJudgment(**WINE, correctness=1)]) == ["no-answer-class"]
    assert reported(instances=[InstanceJudgment(**WINE, correctness=c) for c in (2, 3)]) == ["judged-twice"]
    assert reported(answer_classes=[AnswerClass(topic="9.9", key="1", label="x")]).count("unknown-question") == 1
    nugget = Nugget(topic="1.2", number=1, importance="vital", text="x")
    assert "nugget-twice" in reported(nuggets=[nugget, nugget])
    assert reported(votes=[NuggetVote(topic="1.2", number=9, assessor="a", importance="vital")]) == ["unknown-nugget"]
    assert reported(matches=[ItemMatch(**WINE | {"topic": "1.1"}, number=1)]) == ["unknown-question"]
    assert "no-questions" in reported(questions=[])


def test_answer_class_may_be_given_by_its_label() -> None:
    records = records_of_judgments()
    records["instances.tsv"] = [
        InstanceJudgment(topic="2.1", docno="D", text="Lisbon", correctness=1, answer_class="Lisbon")
    ]
    found = build_gold(records, DEFAULTS, fail).rigid["2.1"]
    assert [judgment.answer_class for judgment in found.judgments.values()] == ["1"]


def test_answer_sets_follow_from_the_instances_where_no_file_gives_them() -> None:
    files = {name: path for name, path in gold_files().items() if name != "answer-classes.tsv"}
    assert load_gold(files, DEFAULTS, fail).rigid["1.1"].answers == {"1": "1", "2": "2"}


def test_files_of_unknown_names_are_reported_and_other_exports_are_not(tmp_path: Path) -> None:
    issues: list[Issue] = []
    files = gold_files() | {"list_judged.txt": tmp_path / "x", "notes.txt": tmp_path / "y"}
    assert load_gold(files, DEFAULTS, issues.append) == gold()
    assert [(issue.code, issue.severity) for issue in issues] == [("unknown-file", "warning")]
