"""What a design leaves to each campaign: the scale, from which gain on something is relevant, published qrels."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from assess.base.track_settings import SettingsError
from assess.protocol import CheckContext, TopicRecord
from scoring.measures.ranked_explained import ALL
from scoring.records import Issue
from tests.design_text import DESIGN
from tests.tracks.contents import content_of_file
from tracks import ADHOC
from tracks.designs.checking import check_design
from tracks.designs.differences import changes_between
from tracks.designs.reading import track_of_text

SCALED = """design = 1
key = "scaled"
title = "Scaled"

[[stages]]
key = "documents"
work = "grade"

[[stages.questions]]
key = "useful"
ask = "How useful is it?"
scales = [["no", "yes"], ["no", "in part", "yes"]]
highest = 2
qrels = ["*.qrels"]

[scores]
relevant_from_setting = true
measures = [
  "nDCG@5",
  { measure = "P@5", help = "What is useful." },
  { measure = "P@5", relevant_from = 1, label = "any" },
]
"""
SCALES = 'scales = [["no", "yes"], ["no", "in part", "yes"]]\nhighest = 2'
QUESTION = "stages.documents.questions.useful"
SECOND = '\n[[stages.questions]]\nkey = "good"\nask = "Good?"\n'


def test_adhoc_is_a_design_without_faults() -> None:
    """Which no process looks for as it begins."""
    assert check_design(ADHOC.design)[1] == []
    assert track_of_text(ADHOC.design).scoring.measures == ADHOC.scoring.measures


@pytest.mark.parametrize(
    ("before", "after", "line", "member", "words"),
    [
        ("highest = 2\n", "", 12, "scales", "with which of the scales a campaign begins"),
        ("highest = 2", "highest = 3", 13, "highest", "by its highest grade: 1, 2."),
        ("highest = 2", 'highest = "2"', 13, "highest", "take the quotes away"),
        ("highest = 2", "highest = 0", 13, "highest", "at least 1, not 0"),
        ("scales = [[", "scale = [[", 12, "scale", "Did you mean scales?"),
        ('["no", "yes"]', '["no"]', 12, "scales.1", "needs 2 or more"),
        ('["no", "yes"]', '["no", 1]', 12, "scales.1.2", 'write "1"'),
        ('["no", "yes"]', '"no-yes"', 12, "scales.1", "a list, not"),
        ('["no", "yes"]', '["no", "in part", "yes"]', 12, "scales.2", "Two scales have the highest"),
        ('["no", "yes"]', '["no", "No"]', 12, "scales.1.2", "of a scale are called No"),
        ('["no", "yes"]', '["1", "0"]', 12, "scales.1.1", "which is another number"),
        ("highest = 2", 'highest = 2\ngrades = "0-2"', 12, "scales", "Both grades and scales stand here"),
        (
            "highest = 2",
            'highest = 2\ngrades = [{ value = 1, name = "yes" }, { value = 0, name = "no" }]',
            12,
            "scales",
            "Both grades and scales stand here",
        ),
        ("highest = 2", 'highest = 2\nanswer = "several"', 12, "scales", "where one grade is given"),
        ("highest = 2", 'highest = 2\nunsure = { press = "1" }', 14, "unsure.press", "give unsure another"),
        ("scales = [[", 'grades = "0-2"\n#', 14, "highest", "or write scales"),
        ('work = "grade"', 'work = "grade"\nitem = "string"\n[runs]\nform="strings"', 0, "scales", "Of ranked runs"),
        ("[scores]", f'{SECOND}grades = "0-1"\nasked_if = {{ useful = 1 }}\n[scores]', 21, "asked_if", "a condition"),
        ("[scores]", f'{SECOND}scales = [["a", "b"]]\nhighest = 1\n[scores]', 20, "scales", "highest_grade already"),
        ('work = "grade"', "work = 'grade'\ncontrol = { answers = '{}' }", 8, "documents.control", "known answers are"),
        ("[scores]", "[scores]\ngains = { yes = 5 }", 17, "scores.gains", "or write grades"),
        ("relevant_from_setting = true", "relevant_from_setting = 1", 17, "from_setting", "true or false"),
        ('["*.qrels"]', '"*.qrels"', 14, "qrels", "a list, not"),
        ('["*.qrels"]', '["a/*.qrels"]', 14, "qrels.1", "write a name alone"),
        ('["*.qrels"]', '["*.txt"]', 14, "qrels.1", "of other files, too"),
        ("[scores]", f'{SECOND}grades = "0-1"\nqrels = ["a.qrels"]\n[scores]', 21, "qrels", "of useful already"),
        ("[scores]", f'{SECOND}answer = "text"\nqrels = ["a.qrels"]\n[scores]', 21, "qrels", "that runs rank"),
        ('help = "What is useful."', "help = 3", 20, "scores.measures.2.help", 'write "3"'),
        ("[scores]", "[guidelines]\n[scores]", 16, "guidelines", "needs file or text"),
        ("[scores]", '[guidelines]\nfile = "a.md"\ntext = "A"\n[scores]', 18, "guidelines.text", "keep one"),
        ('title = "Scaled"', "title = 'Scaled'\ntask = 3", 4, "task", 'write "3"'),
        ('title = "Scaled"', "title = 'Scaled'\nlanguage = 'german'", 4, "language", "Write its code"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_told_with_its_line(
    before: str, after: str, line: int, member: str, words: str
) -> None:
    assert check_design(SCALED)[1] == [] and before in SCALED
    design, faults = check_design(SCALED.replace(before, after, 1))
    told = [each for each in faults if each.member.endswith(member) and words in each.message]
    assert design is None and told and (not line or [each.line for each in told] == [line]), faults


def test_a_bound_of_other_runs_is_refused() -> None:
    text = (
        SCALED[: SCALED.index("scales")]
        + 'grades = "0-1"\n[scores]\nrelevant_from_setting = true\n[runs]\nform = "strings"\n'
    )
    ((line, member),) = [(each.line, each.member) for each in check_design(text)[1]]
    assert (line, member) == (14, "scores.relevant_from_setting")


def values(text: str, tmp_path: Path, qrels: str, **settings: object) -> dict[str, float | None]:
    """The values over the topics of a run that ranks a, b and c."""
    track = track_of_text(text)
    chosen, told = track.settings(**settings), list[Issue]()
    (tmp_path / "qrels.txt").write_text(qrels)
    (tmp_path / "run").write_text("1 Q0 a 1 3 elm\n1 Q0 b 2 2 elm\n1 Q0 c 3 1 elm\n")
    gold = track.scoring.load({"qrels.txt": tmp_path / "qrels.txt"}, chosen, told.append)
    assert told == []
    content = content_of_file(track.submissions[0], tmp_path / "run", chosen)
    of_all = {
        each.measure: each.value for each in track.scoring.score(gold, "elm", content, chosen) if each.topic == ALL
    }
    by_topic = track.scoring.by_topic
    assert by_topic is not None
    topics = by_topic.topics(gold, content, chosen, ["1"])
    kept = {topic: {name: node.value for name, node in found.items()} for topic, found in topics.items()}
    (again,) = by_topic.over(gold, kept, chosen)
    assert {name: node.value for name, node in again[ALL].items()} == of_all
    return of_all


def test_a_campaign_sets_the_scale_and_from_which_gain_on_something_is_relevant(tmp_path: Path) -> None:
    qrels = "1 0 a 2\n1 0 b 1\n1 0 c 0\n"
    assert values(SCALED, tmp_path, qrels) == {"nDCG@5": 1.0, "P@5": 0.4, "any": 0.4}
    assert values(SCALED, tmp_path, qrels, relevant_from=2) == {"nDCG@5": 1.0, "P@5": 0.2, "any": 0.4}
    one = track_of_text(SCALED.replace(SCALES, 'scales = [["a", "b", "c", "d"]]\nhighest = 3'))
    assert one.settings(highest_grade=2).problems() == {"highest_grade": "The highest grade is 3."}  # type: ignore[call-arg]
    track = track_of_text(SCALED)
    assert track.scoring.explore == ("relevant_from",)
    assert [each.help for each in track.scoring.measures][1:] == [
        "What is useful.",
        "P@5 by the gains of useful; relevant from a gain of 1.",
    ]
    found: list[Issue] = []
    track.scoring.load({"qrels.txt": tmp_path / "qrels.txt"}, track.settings(highest_grade=1), found.append)
    assert ["the scale is 0 to 1. Set highest_grade, which is 2 at most" in each.message for each in found] == [True]
    for settings, words in (
        ({"highest_grade": 3}, {"highest_grade": "The highest grade is 1 or 2."}),
        ({"highest_grade": 1, "relevant_from": 2}, {"relevant_from": "This must be one of the grades from 1 to 1."}),
    ):
        assert track.settings(**settings).problems() == words


def test_the_bound_of_gains_with_decimals_is_a_number_with_decimals(tmp_path: Path) -> None:
    grades = """grades = [
  { value = 0, name = "no" },
  { value = 1, name = "in part", gain = 0.5 },
  { value = 2, name = "yes", gain = 1.5 },
]"""
    text = SCALED.replace(SCALES, grades).replace("relevant_from = 1,", "relevant_from = 1.5,")
    text = text.replace("[scores]", "[scores]\nrelevant_from = 0.5")
    qrels = "1 0 a 2\n1 0 b 1\n1 0 c 0\n"
    assert values(text, tmp_path, qrels) == {"nDCG@5": pytest.approx(1.0), "P@5": 0.4, "any": 0.2}
    for bound, share in ((0.3, 0.4), (0.51, 0.2), (1.5, 0.2)):
        assert values(text, tmp_path, qrels, relevant_from=bound)["P@5"] == share
    settings = track_of_text(text).settings
    assert settings(relevant_from=1.6).problems() == {"relevant_from": "This must be above 0 and at most 1.5."}  # type: ignore[call-arg]


def test_qrels_are_judgments_of_the_question_on_the_scale_that_is_set(tmp_path: Path) -> None:
    (tmp_path / "first.qrels").write_text("1 0 a 2\n1 0 b -1\n")
    track = track_of_text(SCALED)
    (files,) = track.judgment_files
    assert files.file_names == ("*.qrels",)
    for highest, wanted in ((2, [("useful", 2)]), (1, ["grade"])):
        context = CheckContext(
            topics=(TopicRecord(number="1", task="ranking", text="bees"),),
            settings=track.settings(highest_grade=highest),
        )
        found: list[Any] = list(files.read([tmp_path / "first.qrels"], context))
        assert [
            each.code if isinstance(each, Issue) else (each[1].criterion, each[1].value) for each in found
        ] == wanted


def test_grades_of_ones_own_take_the_place_of_the_scales_and_qrels_of_a_base() -> None:
    text = """design = 1
base = "adhoc"
key = "mine"

[[stages]]
key = "documents"

[[stages.questions]]
key = "relevance"
grades = [{ value = 0, name = "no" }, { value = 1, name = "yes", gain = 0.5 }]

[scores]
relevant_from = 0.5
measures = ["nDCG@10"]
"""
    track = track_of_text(text)
    assert (track.judgment_files, track.label, track.tasks[0].label) == ((), "Ad hoc retrieval", "Ranked documents")
    assert "highest_grade" not in track.settings().as_mapping()
    assert track.settings().relevant_from == 0.5  # type: ignore[attr-defined]
    assert track.guidelines == ADHOC.guidelines
    ended = text.replace('base = "adhoc"', 'base = "adhoc"\n[guidelines]\nfile = "none.md"\n').replace(
        'key = "mine"', "", 1
    )
    design, faults = check_design(ended.replace("[guidelines]", 'key = "mine"\n[guidelines]'))
    assert design is not None and [each.member for each in faults] == ["guidelines.file"]
    assert design.guidelines is not None and design.guidelines.text == ""


def test_scales_may_be_added_and_none_be_changed_that_people_judge_by() -> None:
    longer = SCALED.replace('"yes"]]', '"yes"], ["no", "a bit", "much", "all"]]')
    (added,) = changes_between(SCALED, longer).changes
    assert (added.member, added.stands_on) == (f"{QUESTION}.scales", None)
    for now in (
        SCALED.replace('"in part"', '"partly"'),
        SCALED.replace("highest = 2", "highest = 1"),
        SCALED.replace(SCALES, 'grades = "0-2"'),
    ):
        for pair in ((SCALED, now), (now, SCALED)):
            assert any(each.stands_on is not None for each in changes_between(*pair).changes), now


def test_stars_show_all_parts_of_a_topic_at_once() -> None:
    topic = TopicRecord(
        number="1", task="ranking", text="a", fields={"description": "b", "further": [["notes", "c" * 90]]}
    )
    for shown, wanted in (('["*"]', [True, True]), ('["title"]', [False, False]), ('["notes"]', [False, True])):
        track = track_of_text(DESIGN.replace("[runs]", f"[topics]\nshown = {shown}\n[runs]"))
        assert track.context is not None
        assert [part.is_open for part in track.context(topic, ())] == wanted


@pytest.mark.parametrize("name", ["word_limit", "judged_citations"])
@pytest.mark.parametrize("value", [-1, 10**30])
def test_numbers_of_answers_have_bounds(name: str, value: int) -> None:
    design = Path(__file__).resolve().parents[3] / "docs" / "designs" / "supported-answers.toml"
    with pytest.raises(SettingsError):
        track_of_text(design.read_text()).settings.from_mapping({name: value})


def test_packed_gold_of_several_questions_is_found_in_its_folder(tmp_path: Path) -> None:
    track = track_of_text(DESIGN)
    files = {f"{name}.gz": tmp_path / f"{name}.gz" for name in track.scoring.gold_files}
    for path in files.values():
        path.write_bytes(gzip.compress(b"1 0 A 2\n"))
    issues: list[Issue] = []
    gold = track.scoring.load(files, track.settings(), issues.append)
    assert (issues, {key: dict(grades["1"]) for key, grades in gold.items()}) == (
        [],
        {"misleading": {"A": 0}, "readability": {"A": 2}},
    )
