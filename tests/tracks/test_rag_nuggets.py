"""Answers and nuggets: values worked out by hand, files in and out, the real campaigns of RAG 2025 and iKAT 2024."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from assess.models import Campaign, Item, Run
from assess.protocol import BundledRun, CheckContext, TopicRecord
from nuggets.models import Nugget, NuggetMatch
from scoring.formats.rag_nuggets import read_rag_nuggets, write_rag_nuggets
from scoring.measures.supported_nuggets import assignment_score
from scoring.records import AssignedNugget, Issue, OwnedNugget
from scoring.release.recorded_acts import ListFrozen, Matched, NuggetWritten, Reviewed
from tests.parts import WHOLE
from tests.tracks import track_folder
from tests.tracks.contents import content_of_bytes, content_of_file
from tracks.rag_nuggets import TRACK
from tracks.rag_nuggets.files import context, preview, read_segments, read_topics, read_turns, split_responses, wordings
from tracks.rag_nuggets.gold import TopicGold, build_gold, load_gold
from tracks.rag_nuggets.published_judgments import read_graded_files, read_nugget_files
from tracks.rag_nuggets.scores import MEASURES, explain_run, score_run
from tracks.rag_nuggets.settings import RagNuggetsSettings

DATA = Path(__file__).parent.parent / "data" / "tracks" / "rag-nuggets"
GOLD = {name: DATA / "expected" / name for name in ("nuggets.jsonl", "assignments.jsonl", "support.jsonl")}
DEFAULTS = RagNuggetsSettings()
OWNED = OwnedNugget(by="", role="primary", topic="1", number=1, importance="vital", text="n")


def fail(issue: Issue) -> None:
    raise AssertionError(issue)


def values(run: str, settings: RagNuggetsSettings = DEFAULTS) -> dict[tuple[str, str], float | None]:
    gold = load_gold(GOLD, settings, fail)
    content = content_of_file(TRACK.submissions[0], DATA / "runs" / "good" / f"{run}.jsonl", settings)
    return {(score.topic, score.measure): score.value for score in score_run(gold, run, content, settings)}


EXACT: dict[tuple[str, str, str], Fraction | None] = {
    ("fern", "2", "V_strict"): Fraction(1, 2),  # of two vital nuggets one in full, one in part
    ("fern", "2", "V"): Fraction(3, 4),
    ("fern", "2", "A_strict"): Fraction(2, 4),  # and one okay one in full
    ("fern", "2", "A"): Fraction(5, 8),
    ("fern", "2", "W"): Fraction(3, 2) / 3 + Fraction(1, 2) / 3,
    ("fern", "7_1", "V_strict"): None,  # no vital nugget on the list
    ("fern", "all", "V"): (1 + Fraction(3, 4) + 1 + 1) / 4,
    ("moss", "7_2", "unjudged"): Fraction(1),  # nobody said anything of nugget 3
    ("reed", "7_1", "A"): Fraction(0),  # left out
    ("reed", "2", "V"): Fraction(3, 4),  # the same words as fern's
    ("fern", "7_2", "support_precision"): Fraction(3, 4),  # in part, in full
    ("moss", "1", "support_precision"): Fraction(1, 2),
    ("moss", "2", "support_recall"): Fraction(1, 2),  # one of two sentences cites, and is supported
    ("reed", "7_2", "support_precision"): Fraction(0),  # cites nothing
}


@pytest.mark.parametrize(("run", "topic", "measure"), EXACT)
def test_values_worked_out_by_hand(run: str, topic: str, measure: str) -> None:
    expected = EXACT[run, topic, measure]
    assert values(run)[topic, measure] == (None if expected is None else float(expected))


@pytest.mark.parametrize("run", ["fern", "moss", "reed"])
def test_every_value_can_be_explained(run: str) -> None:
    gold = load_gold(GOLD, DEFAULTS, fail)
    content = content_of_file(TRACK.submissions[0], DATA / "runs" / "good" / f"{run}.jsonl", DEFAULTS)
    explain = explain_run(gold, run, content, DEFAULTS)
    for score in score_run(gold, run, content, DEFAULTS):
        explanation = explain(score.topic, score.measure)
        assert explanation is not None
        assert explanation.value == score.value
        assert all(len(row) == len(step.header) for step in explanation.steps for row in step.rows)
    assert explain("9", "V") is None
    assert explain("1", "recall") is None


def nugget(importance: Any, assignment: str = "") -> AssignedNugget:
    return AssignedNugget(text="x", importance=importance, assignment=assignment)


def test_scores_without_nuggets_are_undefined() -> None:
    assert {assignment_score([]).value(name) for name in ("V", "A", "W", "V_strict")} == {None}
    only_okay = assignment_score([nugget("okay", "support"), nugget("okay")])
    assert [only_okay.value(name) for name in ("V", "A", "W")] == [None, Fraction(1, 2), Fraction(1, 2)]


@pytest.mark.parametrize("name", ["V", "A", "W"])
def test_strict_is_never_above_and_more_support_never_lowers(name: str) -> None:
    steps = ["", "not_support", "partial_support", "support"]
    for importance in ("vital", "okay"):
        found = [assignment_score([nugget("vital"), nugget(importance, said)]) for said in steps]
        row = [score.value(name) or Fraction(0) for score in found]
        assert row == sorted(row)
        assert all((score.value(name + "_strict") or 0) <= (score.value(name) or 0) for score in found)


def test_gold_with_other_nuggets_is_reported() -> None:
    records = {
        name: list(TRACK.exports[place].read(path.open("rb"))) for place, (name, path) in enumerate(GOLD.items())
    }
    records["nuggets.jsonl"] = [each for each in records["nuggets.jsonl"] if each.topic != "2"]
    issues: list[Issue] = []
    build_gold(records, DEFAULTS, issues.append)
    assert {issue.code for issue in issues} == {"other-nuggets"}


def test_topics_stand_in_the_order_of_the_files_in_whatever_order_records_come() -> None:
    """A campaign scores its own records, a release its files: their lines must come in the same order."""
    nuggets = [
        OwnedNugget(by="", role="primary", topic=topic, number=1, importance="vital", text="one")
        for topic in ("10", "7_1", "2")
    ]
    gold = build_gold({"nuggets.jsonl": nuggets}, DEFAULTS, lambda issue: pytest.fail(issue.message))
    written = "".join(f"{line}\n" for line in write_rag_nuggets(nuggets))
    read = [record.topic for record in read_rag_nuggets(io.BytesIO(written.encode()))]
    assert list(gold) == read == ["2", "7_1", "10"]


# ---------------------------------------------------------------- runs


def answer(words: list[int], **more: Any) -> bytes:
    sentences = [{"text": " ".join(["word"] * count), "citations": [0]} for count in words]
    values = {"run_id": "ash", "topic_id": "1", "references": ["D1"], "answer": sentences}
    return json.dumps(values | more).encode() + b"\n"


@pytest.mark.parametrize(("words", "kept"), [([200, 200], 400), ([200, 200, 1], 400), ([500], 500), ([401, 5], 401)])
def test_last_sentences_beyond_the_limit_are_not_read(words: list[int], kept: int) -> None:
    (segment,) = read_segments(io.BytesIO(answer(words)), CheckContext(topics=(), settings=DEFAULTS))
    assert len(segment.text.split()) == kept


OWN_LIMITS: list[tuple[dict[str, Any], int, str]] = [
    ({"limit": 5000}, 600, ""),  # 600 words have 3,000 characters: within it, though the campaign allows 400 words
    ({"limit": 2000}, 300, "2,999 characters; its topic allows 2,000"),
    ({"limit": "2000"}, 300, "2,999 characters; its topic allows 2,000"),
    ({"word_limit": 300}, 300, "600 words; its topic allows 300"),
    ({"limit": None}, 300, "600 words; 400 are allowed"),
]


@pytest.mark.parametrize(("named", "kept", "said"), OWN_LIMITS)
def test_a_topics_own_limit_counts_in_place_of_the_campaigns(named: dict[str, Any], kept: int, said: str) -> None:
    """As hltcoe/rag-run-validator has it, beyond it there is a warning; an answer is scored as it was read."""
    line = json.dumps({"topic_id": "1", "title": "Ferries", **named}).encode()
    topics = tuple(each for each in read_topics(io.BytesIO(line)) if isinstance(each, TopicRecord))
    checked = CheckContext(topics=topics, settings=DEFAULTS)
    run = answer([300, 300])
    issues = [each for each in TRACK.submissions[0].check(io.BytesIO(run), checked) if each.code == "answer-length"]
    assert [each.message for each in issues] == (
        [f'The answer to "1" has {said}. Of its 2 sentences the first is judged.'] if said else []
    )
    assert {each.severity for each in issues} <= {"warning"}
    (segment,) = read_segments(io.BytesIO(run), checked)
    dropped = [what for _, what, _ in preview(io.BytesIO(run), checked) if what.startswith("dropped")]
    assert (len(segment.text.split()), len(dropped)) == (kept, int(kept < 600))

    found = AssignedNugget(text="n", importance="vital", assignment="support")
    gold = {"1": TopicGold(nuggets=(OWNED,), responses={segment.item_key: (found,)})}
    for context_of_scoring in (checked, CheckContext(topics=(), settings=DEFAULTS)) if kept == 600 else (checked,):
        content = replace(content_of_bytes(TRACK.submissions[0], run, DEFAULTS), context=context_of_scoring)
        scores = {each.measure: each.value for each in score_run(gold, "ash", content, DEFAULTS) if each.topic == "1"}
        assert (scores["V"], scores["words"]) == (1, kept)


def test_a_limit_by_which_runs_were_read_is_not_amended() -> None:
    line = json.dumps({"topic_id": "1", "title": "Ferries", "limit": "2000", "background": "A town."}).encode()
    (topic,) = (each for each in read_topics(io.BytesIO(line)) if isinstance(each, TopicRecord))
    assert [each.label for each in wordings(topic, (topic,))] == ["Title", "Background"]


def test_first_citations_of_a_sentence_are_judged() -> None:
    given = answer([3], references=["D1", "D2"], answer=[{"text": "So it is.", "citations": [1, 0]}])
    for count, docnos in ((1, ["D2"]), (2, ["D2", "D1"]), (0, [])):
        settings = RagNuggetsSettings(judged_citations=count)
        (segment,) = read_segments(io.BytesIO(given), CheckContext(topics=(), settings=settings))
        assert [citation.docno for citation in segment.citations] == docnos
        assert {citation.item_text for citation in segment.citations} <= {"So it is."}


def test_a_turn_is_shown_with_what_was_said_before_and_who_asks() -> None:
    with (DATA / "dialogues.json").open("rb") as file:
        dialogue, first, second = (each for each in read_turns(file) if isinstance(each, TopicRecord))
    assert [part.heading for part in context(first, (dialogue,))] == ["What is asked", "About the user"]
    before = {part.heading: part.lines for part in context(second, (dialogue,))}["The dialogue so far"]
    assert [label for label, _ in before] == ["User", "System"]
    assert "The water is still very cold." not in str(before), "the answer to the turn itself is not shown"


def test_runs_are_taken_out_of_files_that_hold_many() -> None:
    folder = DATA / "published"
    runs = list(split_responses(sorted(folder.glob("*_responses.json"))))
    assert [(run.form.tag, run.form.automatic) for run in runs if isinstance(run, BundledRun)] == [
        ("hazel", True), ("rowan", True), ("yew", False)
    ]  # fmt: skip
    assert [issue.code for issue in split_responses([*folder.glob("manual*")] * 2) if isinstance(issue, Issue)] == [
        "duplicate"
    ]


def test_responses_may_stand_beside_what_a_program_made_of_them(tmp_path: Path) -> None:
    said = {"9_2": {"manual": {"response": "They grip.", "nuggets": {"matched": ["They grip"], "not-matched": []}}}}
    (tmp_path / "gold_response_and_nuggets_human.json").write_text(json.dumps(said))
    (run,) = split_responses([tmp_path / "gold_response_and_nuggets_human.json"])
    assert isinstance(run, BundledRun)
    assert (run.form.tag, run.form.automatic, json.loads(run.content)["answer"]) == (
        "manual", False, [{"text": "They grip.", "citations": []}]
    )  # fmt: skip


# ---------------------------------------------------------------- judgments from elsewhere

TOPICS = tuple(TopicRecord(number=number, task="answers", text="?") for number in ("41", "42", "9_1", "9_2"))
CONTEXT = CheckContext(topics=TOPICS, settings=DEFAULTS)


def test_assignments_become_matches_of_the_list() -> None:
    folder = DATA / "published"
    found = [
        each[1] for each in read_nugget_files([folder / "dev-nuggets.jsonl", folder / "assignments.jsonl"], CONTEXT)
    ]
    assert sum(isinstance(act, NuggetWritten) for act in found) == 4
    assert sum(isinstance(act, ListFrozen) for act in found) == 2
    matches = [act for act in found if isinstance(act, Matched)]
    assert [(act.topic, act.number, act.is_partial) for act in matches] == [
        ("41", 1, False), ("41", 2, False), ("42", 1, True)
    ]  # fmt: skip
    assert sum(isinstance(act, Reviewed) for act in found) == 2, "every nugget of both answers is assigned"


def test_graded_nuggets_keep_grade_text_and_labels() -> None:
    paths = [path for path in (DATA / "published").iterdir() if path.name.startswith(("gold", "auto", "match"))]
    found = [each[1] for each in read_graded_files(sorted(paths), CONTEXT) if not isinstance(each, Issue)]
    first, second, third = (act for act in found if isinstance(act, NuggetWritten))
    assert (first.importance, first.fields["relevance"], first.fields["text"]) == ("vital", "3", first.text)
    assert (second.importance, "text" in second.fields, third.fields.get("deduplicated")) == ("okay", False, None)
    assert sorted(first.fields["labels"].values()) == [[1, "hazel"], [2, "elder-2"]]
    matches = [act for act in found if isinstance(act, Matched)]
    assert [(act.number, act.is_absent, act.answer[:11]) for act in matches] == [
        (1, False, "Wide tyres "), (2, True, "Wide tyres "), (3, True, "Wide tyres "), (1, True, "(The text o"),
        (2, False, "They look g"),
    ]  # fmt: skip
    assert [act.answer[:4] for act in found if isinstance(act, Reviewed)] == ["Wide"]


def test_lowest_vital_grade_is_a_setting() -> None:
    one = CheckContext(topics=TOPICS, settings=RagNuggetsSettings(vital_from=5))
    found = read_graded_files([DATA / "published" / "gold_nuggets_human.json"], one)
    assert {
        each[1].importance for each in found if not isinstance(each, Issue) and isinstance(each[1], NuggetWritten)
    } == {"okay"}


# ---------------------------------------------------------------- real campaigns


def loaded(folder: Path, organiser: User) -> tuple[Campaign, dict[str, bytes]]:
    call_command("load_campaign", str(folder), track="rag-nuggets", slug="real", organiser=organiser.username)
    campaign = Campaign.objects.get(slug="real")
    return campaign, track_folder.exported(campaign, organiser=organiser)


@pytest.mark.shared
@pytest.mark.django_db
def test_nuggets_of_rag_2025_load_and_come_out_unchanged(shared_data: Path, organiser: User) -> None:
    _, files = loaded(shared_data / "rag25-nuggets", organiser)
    assert Nugget.objects.count() == 1255
    assert Nugget.objects.filter(importance="vital").count() == 925
    truth = (shared_data / "rag25-nuggets" / "rag25-dev-nuggets.jsonl").read_text().splitlines()
    written = [json.loads(line) for line in files["nuggets.jsonl"].decode().splitlines()]
    assert {line["qid"]: line for line in written} == {line["qid"]: line for line in map(json.loads, truth)}


def study(real: Path, place: Path) -> tuple[Path, int]:
    """The folder of the study, with the nuggets of labelled turns and of every fourth other, and how many these are."""
    labels = (real / "human-study-matching-labels.txt").read_text().splitlines()
    labelled = {"_".join(line.split("_")[1:3]) for line in labels}
    place.mkdir()
    for path in real.iterdir():
        (place / path.name).symlink_to(path)
    for path in place.glob("gold_nuggets_human*.json"):
        nuggets = json.loads(path.read_bytes())
        assert len(nuggets) == 116
        others = [turn for turn in nuggets if turn not in labelled]
        kept = {turn: nuggets[turn] for turn in nuggets if WHOLE or turn in {*labelled, *others[::4]}}
        path.unlink()
        path.write_text(json.dumps(kept))
    return place, sum(map(len, json.loads((place / "gold_nuggets_human.json").read_bytes()).values()))


@pytest.mark.shared
@pytest.mark.django_db
def test_nugget_study_of_ikat_2024_loads_and_comes_out_unchanged(
    shared_data: Path, organiser: User, tmp_path: Path
) -> None:
    folder, nuggets = study(shared_data / "ikat2024-nuggets", tmp_path / "study")
    campaign, files = loaded(folder, organiser)
    assert campaign.topics.filter(task="answers").count() == 218
    runs = Run.objects.filter(campaign=campaign, state=Run.State.ACCEPTED)
    assert (runs.filter(automatic=True).count(), runs.filter(automatic=False).count()) == (19, 5)
    assert Nugget.objects.count() == nuggets <= 2279
    assert NuggetMatch.objects.count() == 1086
    assert NuggetMatch.objects.filter(value="full").count() == 154
    assert Item.objects.filter(given=True).count() == 144
    labels = (folder / "human-study-matching-labels.txt").read_bytes()
    assert sorted(files["matching-labels.txt"].splitlines()) == sorted(labels.splitlines())
    for name, kept in (("graded-nuggets", ""), ("graded-nuggets-deduplicated", "_deduplicated")):
        truth = json.loads((folder / f"gold_nuggets_human{kept}.json").read_bytes())
        assert json.loads(files[f"{name}.json"]) == {turn: nuggets for turn, nuggets in truth.items() if nuggets}


def test_columns_are_told_apart_by_what_they_measure() -> None:
    assert {column.group for column in MEASURES} == {"Nuggets", "Citations", ""}
    assert [column.key for column in MEASURES if column.official] == ["V_strict"]
