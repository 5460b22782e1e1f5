"""Statements of the iKAT 2023 guidelines that no other test quotes."""

from __future__ import annotations

import io

import pytest

from assess.protocol import CheckContext
from tests.tracks.ikat2023_runs import checked, codes, content_of, means, response, run_value, small_run, statement_run
from tracks.ikat2023 import TRACK
from tracks.ikat2023.criteria import CONCISENESS, RELEVANCE, RESPONSE_RELEVANCE
from tracks.ikat2023.scores import Gold, score_run
from tracks.ikat2023.settings import Ikat2023Settings


def test_a_team_has_at_most_four_runs() -> None:
    """“A single participant may submit the output of multiple systems, up to a maximum of four runs.”"""
    assert TRACK.submissions[0].runs_a_team == 4


def test_passages_are_judged_on_casts_scale() -> None:
    """“The relevance scale will be the same as previous years of CAsT”: 0 to 4."""
    assert [grade.name for grade in RELEVANCE.grades] == [
        "fails to meet",
        "slightly meets",
        "moderately meets",
        "highly meets",
        "fully meets",
    ]
    assert [grade.value for grade in RELEVANCE.grades] == [0, 1, 2, 3, 4]


def test_responses_are_judged_for_relevance_and_conciseness() -> None:
    """“Responses will be assessed for relevance and conciseness.” “... not contain extraneous or redundant
    information”."""
    (stage,) = (stage for task in TRACK.tasks for stage in task.stages if stage.item_kind == "response")
    asked = [criterion for criterion in stage.criteria if not criterion.setting]
    assert asked == [RESPONSE_RELEVANCE, CONCISENESS]
    assert CONCISENESS.help == "It should not contain extraneous or redundant information."


def test_measures_look_at_the_first_places() -> None:
    """“P@k, NDCG@k, and MAP ... We will focus on the earlier positions (1, 3, 5).”"""
    keys = {measure.key for measure in TRACK.scoring.measures}
    assert {f"{name}@{k}" for name in ("P", "nDCG") for k in (1, 3, 5)} | {"AP"} <= keys
    assert {"ptkb_SetP", "ptkb_SetR", "ptkb_P@1", "ptkb_P@3", "ptkb_P@5", "ptkb_AP"} <= keys


@pytest.mark.parametrize("turn", ["1-2-3", "1-2_4_", "1_2-3", "1-2", "7-1_1"])
def test_a_turn_is_named_by_topic_subtree_and_turn(turn: str) -> None:
    """“the topic_id-subtree_id and turn_id concatenated with an underscore, e.g. 1-2_3”."""
    run = run_value()
    run["turns"][0]["turn_id"] = turn
    assert ("$.turns[0].turn_id", "error") in [found[:2] for found in codes(checked(run))]


def test_a_passage_comes_once_in_the_converted_run() -> None:
    """“only the first 1000 pieces of unique provenance will be used”."""
    run = small_run(response(1, "x", ("a", 0.9), ("b", 0.8)), response(2, "y", ("a", 0.9), ("c", 0.5)))
    convert = TRACK.submissions[0].convert
    assert convert is not None
    lines = list(convert(io.BytesIO(run), CheckContext(topics=(), settings=Ikat2023Settings())))
    assert sorted(line.split()[2] for line in lines) == ["a", "b", "c"]


def test_turns_that_are_judged_are_a_setting() -> None:
    """“only a subset of turns may be evaluated for provenance ranking effectiveness”."""
    assert {task.topics_setting for task in TRACK.tasks} == {"judged_turns"}


def test_a_turn_without_a_relevant_statement_counts_zero() -> None:
    """“The standard metrics like Precision, Recall, P@k, and MAP”: such a turn of the qrels counts 0 in the mean."""
    gold = Gold(statements={"1-1_1": {"1": 1}, "1-1_2": {"1": 0}})
    scores = means(list(score_run(gold, "r", content_of(statement_run(("1", 0.9))), Ikat2023Settings())))
    assert (scores["ptkb_SetR"], scores["ptkb_AP"]) == (0.5, 0.5)
