"""Every measure of every track stays within its bounds, whatever the settings and however the judging went."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.base.track_settings import SettingsError, TrackSettings
from assess.protocol import Track
from scoring.folding import answer_key
from scoring.formats.nugget_banks import importance_of
from scoring.records import AssignedNugget, Issue, OwnedNugget
from tests.tracks.contents import content_of_bytes, content_of_file
from tests.tracks.track_folder import WORDS, folder_of, kind_of
from tracks import TRACKS
from tracks.rag_nuggets import TRACK as RAG
from tracks.rag_nuggets.gold import TopicGold
from tracks.rag_nuggets.scores import run_nodes
from tracks.rag_nuggets.settings import RagNuggetsSettings

COUNTS = {"answered", "excluded", "instances", "judged", "length", "unjudged", "words"}
SCALES = {"content": 10.0, "organization": 10.0, "holistic": 100.0}
"""What the definition pilot's figures go up to, by their first word."""


def highest(track: Track, measure: str) -> float:
    """The most that a measure can be: 1, or what its scale ends with."""
    if measure in COUNTS:
        return float("inf")
    for stage in (stage for task in track.tasks for stage in task.stages):
        for criterion in stage.criteria:
            if criterion.key == measure:
                return max(grade.value for grade in criterion.grades)
    return SCALES.get(measure.split("_")[0], 1.0) if track.key == "aquaint-definition" else 1.0


def choices(settings: TrackSettings) -> Iterator[TrackSettings]:
    """The track's own settings, and each of them changed in turn to what it may be, far away if it may."""
    yield settings
    for each in fields(settings):
        value = getattr(settings, each.name)
        numbers = [0, 1, 3, 100] if isinstance(value, int | float) and not isinstance(value, bool) else []
        others = (
            [not value]
            if isinstance(value, bool)
            else [WORDS.get(each.name, "other")]
            if isinstance(value, str)
            else []
        )
        for other in (*numbers, *others):
            try:
                yield type(settings).from_mapping({**settings.as_mapping(), each.name: other})
            except SettingsError:
                continue


def judged(records: list[Any], how: str) -> list[Any]:
    """The records of one file as they are, or all with the highest or the lowest value that one of them has."""
    pick = {"best": max, "worst": min}.get(how)
    if pick is None:
        return records
    numbers: dict[tuple[str, str], float] = {}

    def kind(record: Any, name: str) -> tuple[str, str]:
        return str(getattr(record, "criterion", type(record).__name__)), name

    values = [name for name in ("value", "grade", "correctness") if any(hasattr(each, name) for each in records)]
    for record in records:
        for name in values:
            if isinstance(found := getattr(record, name, None), int | float):
                numbers[kind(record, name)] = pick(numbers.get(kind(record, name), found), found)
    return [
        replace(record, **{name: numbers[kind(record, name)] for name in values if kind(record, name) in numbers})
        if is_dataclass(record) and not isinstance(record, type)
        else record
        for record in records
    ]


@pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)
def test_every_measure_is_within_its_bounds_under_every_setting(track: Track) -> None:
    assert track.scoring is not None
    folder, read = folder_of(track), {export.name: export.read for export in track.exports}
    records: dict[str, list[Any]] = {}
    for name in track.scoring.gold_files:
        with (folder / "expected" / name).open("rb") as file:
            records[name] = [each for each in read[name](file) if not isinstance(each, Issue)]
    paths = sorted((folder / "runs" / "good").iterdir())
    outside = {}
    for settings in choices(track.settings()):
        for how in ("as they are", "best", "worst") if settings == track.settings() else ("best",):
            gold = track.scoring.build(
                {n: judged(each, how) for n, each in records.items()}, settings, lambda issue: None
            )
            for path in paths:
                content = content_of_file(kind_of(path, track.submissions), path, settings)
                for score in track.scoring.score(gold, path.stem, content, settings):
                    if score.value is not None and not 0 <= score.value <= highest(track, score.measure) + 1e-9:
                        outside[score.measure] = (score.value, how, path.name)
    assert outside == {}


@given(
    cited=st.lists(st.lists(st.sampled_from([0, 1, 2, None]), max_size=4), max_size=5),
    judged_citations=st.integers(0, 4),
)
def test_support_is_a_share_of_the_sentences_however_many_citations_are_judged(
    cited: list[list[int | None]], judged_citations: int
) -> None:
    sentences = [
        {"text": f"Sentence {at}.", "citations": [f"D{at}-{place}" for place in range(len(grades))]}
        for at, grades in enumerate(cited)
    ]
    run = json.dumps({"run_id": "ash", "topic_id": "1", "responses": sentences}).encode()
    support = {
        answer_key(f"Sentence {at}.", f"D{at}-{place}"): grade
        for at, grades in enumerate(cited)
        for place, grade in enumerate(grades)
        if grade is not None
    }
    settings = RagNuggetsSettings(judged_citations=judged_citations)
    content = content_of_bytes(RAG.submissions[0], run, settings)
    topics, _ = run_nodes({"1": TopicGold(support=support or {"other": 1})}, "ash", content, settings)
    means = [
        Fraction(sum(grade for grade in counted if grade is not None), 2 * len([g for g in counted if g is not None]))
        if any(grade is not None for grade in counted)
        else None
        for counted in (grades[:judged_citations] for grades in cited)
    ]
    known = [mean for mean in means if mean is not None]
    below = len(known) + sum(not grades[:judged_citations] for grades in cited)
    unjudged = len(cited) > below
    precision = sum(known, Fraction(0)) / len(known) if known else None if unjudged else 0
    recall = sum(known, Fraction(0)) / below if below else None if unjudged else 0
    assert (topics["1"]["support_precision"].value, topics["1"]["support_recall"].value) == (precision, recall)
    assert all(0 <= value <= 1 for value in (precision, recall) if value is not None)


def test_support_of_sentences_with_several_citations_worked_out_by_hand() -> None:
    """The example of RAGDoll: sentences of (full, none), (in part), nothing, (none, full, in part)."""
    cited = [("a", [2, 0]), ("b", [1]), ("c", []), ("d", [0, 2, 1])]
    sentences = [{"text": t, "citations": [f"{t}{n}" for n in range(len(grades))]} for t, grades in cited]
    run = json.dumps({"run_id": "ash", "topic_id": "1", "responses": sentences}).encode()
    support = {answer_key(t, f"{t}{n}"): grade for t, grades in cited for n, grade in enumerate(grades)}
    found = {}
    for count in (1, 3):
        settings = RagNuggetsSettings(judged_citations=count)
        content = content_of_bytes(RAG.submissions[0], run, settings)
        topics, _ = run_nodes({"1": TopicGold(support=support)}, "ash", content, settings)
        found[count] = [topics["1"][name].value for name in ("support_precision", "support_recall")]
    assert found == {1: [Fraction(1, 2), Fraction(3, 8)], 3: [Fraction(1, 2), Fraction(3, 8)]}


def test_a_nugget_that_an_answer_should_not_hold_lowers_it() -> None:
    """The worked example of ResearchRubrics: weights 5, 3, 2, -4, met in full, in half, not, in full."""
    said = {"a": (5.0, "support"), "b": (3.0, "partial_support"), "c": (2.0, "not_support"), "d": (-4.0, "support")}
    run = json.dumps({"run_id": "ash", "topic_id": "1", "responses": [{"text": "So.", "citations": []}]}).encode()
    settings = RagNuggetsSettings()
    content = content_of_bytes(RAG.submissions[0], run, settings)

    def values(**held: str) -> dict[str, Fraction | None]:
        assigned = {text: held.get(text, assignment) for text, (_, assignment) in said.items()}
        owned = tuple(
            OwnedNugget(
                by="", role="primary", topic="1", number=number, importance=importance_of(weight), text=text,
                fields={"weight": weight},
            )
            for number, (text, (weight, _)) in enumerate(said.items(), 1)
        )  # fmt: skip
        nuggets = tuple(
            AssignedNugget(text=each.text, importance=each.importance, assignment=assigned[each.text]) for each in owned
        )
        gold = {"1": TopicGold(nuggets=owned, responses={answer_key("So.", ""): nuggets})}
        topics, means = run_nodes(gold, "ash", content, settings)
        assert means["all"]["R"].value == topics["1"]["R"].value
        return {name: topics["1"][name].value for name in ("R", "A", "W", "V")}

    assert values() == {"R": Fraction(1, 4), "A": Fraction(1, 2), "W": Fraction(1, 2), "V": Fraction(1, 2)}
    assert values(d="not_support") == {**values(), "R": Fraction(13, 20)}
    assert values(a="not_support", b="not_support")["R"] == Fraction(-2, 5)
