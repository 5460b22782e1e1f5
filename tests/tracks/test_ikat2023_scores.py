"""Scores of iKAT 2023: those of trec_eval on the converted run, and means of what was said of responses."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.protocol import CheckContext
from scoring.records import Issue, ItemGrade
from tests.tracks.contents import content_of_file
from tests.tracks.ikat2023_runs import DEFAULTS, RUN, content_of, means, statement_run, trec_eval_means
from tracks.ikat2023.runs import read_segments
from tracks.ikat2023.scores import MEASURES, Gold, build_gold, explain_run, load_gold, score_run
from tracks.ikat2023.settings import Ikat2023Settings

DATA = Path(__file__).parent.parent / "data" / "tracks" / "ikat2023"


def fail(issue: Issue) -> None:
    raise AssertionError(issue)


PASSAGES = [f"d{number}" for number in range(6)]
PROVENANCE = st.lists(st.tuples(st.sampled_from(PASSAGES), st.sampled_from([0.1, 0.5, 0.5, 1.0, 7.25])), max_size=6)
RESPONSES = st.lists(st.tuples(st.integers(-1, 3), PROVENANCE), max_size=3)
RUNS = st.dictionaries(st.sampled_from(["1-1_1", "1-1_2", "1-1_3", "9-9_9"]), RESPONSES)
QRELS = st.dictionaries(
    st.sampled_from(["1-1_1", "1-1_2", "1-1_10"]),
    st.dictionaries(st.sampled_from(PASSAGES), st.integers(0, 4), min_size=1),
    min_size=1,
)


@given(turns=RUNS, grades=QRELS, level=st.integers(1, 4))
@settings(max_examples=150, deadline=None)
def test_passages_score_what_trec_eval_says_of_the_converted_run(
    turns: dict[str, Any], grades: dict[str, dict[str, int]], level: int
) -> None:
    run = json.dumps(
        {
            "run_name": "r",
            "run_type": "manual",
            "turns": [
                {
                    "turn_id": turn,
                    "responses": [
                        {"rank": rank, "passage_provenance": [{"id": name, "score": score} for name, score in named]}
                        for rank, named in responses
                    ],
                }
                for turn, responses in turns.items()
            ],
        }
    ).encode()
    chosen = Ikat2023Settings(binary_threshold=level)
    found = means(list(score_run(Gold(passages=grades), "r", content_of(run, chosen), chosen)))
    strict, lenient = (trec_eval_means(grades, run, level=each) for each in (level, 1))
    for name, value in strict.items():
        assert found[name] == pytest.approx(value, abs=1e-12), name
    for name, value in lenient.items():
        if not name.startswith("nDCG"):
            assert found[name + "_lenient"] == pytest.approx(value, abs=1e-12), name


def test_passages_of_the_small_campaign_score_what_trec_eval_says() -> None:
    gold = load_gold({path.name: path for path in (DATA / "expected").iterdir()}, DEFAULTS, fail)
    grades = {turn: dict(found) for turn, found in gold.passages.items()}
    for path in sorted((DATA / "runs" / "good").iterdir()):
        found = means(list(score_run(gold, path.stem, content_of_file(RUN, path, DEFAULTS), DEFAULTS)))
        for name, value in trec_eval_means(grades, path.read_bytes(), level=2).items():
            assert found[name] == pytest.approx(value, abs=1e-12), (path.name, name)


def test_statements_by_hand() -> None:
    """Relevant: 1, 3, 5. Returned: 3, 2, 1; 4 has a score of 0 and does not count."""
    gold = Gold(statements={"1-1_1": {"1": 1, "2": 0, "3": 1, "4": 0, "5": 1}, "1-1_2": {"1": 1}})
    run = statement_run(("3", 0.9), ("2", 0.8), ("1", 0.7), ("4", 0.0))
    scores = list(score_run(gold, "r", content_of(run), DEFAULTS))
    turn = {score.measure: score.value for score in scores if score.topic == "1-1_1"}
    assert {name.removeprefix("ptkb_"): value for name, value in turn.items()} == {
        "SetP": pytest.approx(2 / 3),
        "SetR": pytest.approx(2 / 3),
        "P@1": 1.0,
        "P@3": pytest.approx(2 / 3),
        "P@5": pytest.approx(2 / 5),
        "AP": pytest.approx((1 + 2 / 3) / 3),
    }
    assert means(scores)["ptkb_SetP"] == pytest.approx(1 / 3)  # the other judged turn was not answered: 0


def test_what_was_not_judged_is_undefined_and_not_0() -> None:
    scores = list(score_run(Gold(), "r", content_of(statement_run(("1", 1.0))), DEFAULTS))
    assert {score.topic for score in scores} == {"all"}
    assert {score.measure for score in scores} == {measure.key for measure in MEASURES}
    assert {score.value for score in scores if score.measure != "judged"} == {None}
    assert {score.topics for score in scores} == {0}


# ---------------------------------------------------------------- responses


def responses_run(**texts: list[str]) -> bytes:
    turns = [
        {"turn_id": turn, "responses": [{"rank": rank, "text": text} for rank, text in enumerate(given, 1)]}
        for turn, given in texts.items()
    ]
    return json.dumps({"run_name": "r", "run_type": "manual", "turns": turns}).encode()


def graded(run: bytes, place: dict[tuple[str, str], dict[str, int]]) -> Gold:
    """Gold that says this of the texts of a run."""
    keys = {
        (each.topic, each.text): each.item_key
        for each in read_segments(io.BytesIO(run), CheckContext(topics=(), settings=DEFAULTS))
    }
    records = [
        ItemGrade(topic=turn, kind="response", key=keys[turn, text], criterion=criterion, value=value, text=text)
        for (turn, text), said in place.items()
        for criterion, value in said.items()
    ]
    return build_gold({"responses.tsv": records}, DEFAULTS, fail)


def resting_on(**passages: list[dict[str, Any]]) -> bytes:
    responses = [
        {"rank": rank, "text": text, "passage_provenance": given}
        for rank, (text, given) in enumerate(passages.items(), 1)
    ]
    return json.dumps(
        {"run_name": "r", "run_type": "manual", "turns": [{"turn_id": "a_1", "responses": responses}]}
    ).encode()


def test_a_response_counts_by_its_own_passages_and_not_through_another_runs_equal_text() -> None:
    """ "Only responses with at least one relevant provenance passage will be judged" (iKAT 2023, Evaluation)"""
    own, other = resting_on(yes=[{"id": "D:1"}]), resting_on(yes=[{"id": "D:2"}])
    late = resting_on(no=[{"id": "D:2"}], yes=[{"id": "D:2"}, {"id": "D:1", "used": True}])
    gold = graded(own, {("a_1", "yes"): {"response_relevance": 3}})
    gold = Gold(passages={"a_1": {"D:1": 1, "D:2": 0}}, responses=gold.responses)
    two, strict = Ikat2023Settings(response_depth=2), Ikat2023Settings(response_threshold=2)
    for run, chosen, expected in (
        (own, DEFAULTS, 1), (other, DEFAULTS, 0), (late, DEFAULTS, 0), (late, two, 1), (own, strict, 0),
    ):  # fmt: skip
        found = means(list(score_run(gold, "r", content_of(run, chosen), chosen)))
        assert found["judged"] == expected
        assert found["response_relevance"] == (3.0 if expected else None)
    unknown = means(list(score_run(Gold(responses=gold.responses), "r", content_of(other), DEFAULTS)))
    assert unknown["judged"] == 1, "nothing is known of its passages"


SAID = {
    ("a_1", "yes"): {"response_relevance": 3, "conciseness": 3},
    ("a_1", "no"): {"response_relevance": 0, "conciseness": 2},
    ("a_2", "yes"): {"response_relevance": 1, "conciseness": 0},
}
RETURNED = {"a_1": ["yes", "no", "maybe"], "a_2": ["perhaps", "yes"], "a_3": ["yes"]}


@pytest.mark.parametrize(
    ("depth", "relevance", "judged"),
    [(1, 3.0, 1.0), (2, (1.5 + 1) / 2, 3.0), (3, (1.5 + 1) / 2, 3.0)],
)
def test_responses_are_averaged_over_those_judged_and_then_over_turns(
    depth: int, relevance: float, judged: float
) -> None:
    run = responses_run(**RETURNED)
    gold = graded(run, SAID)
    chosen = Ikat2023Settings(response_depth=depth)
    found = means(list(score_run(gold, "r", content_of(run, chosen), chosen)))
    assert (found["response_relevance"], found["judged"]) == (relevance, judged)
    assert found["completeness"] is None


def test_the_same_text_twice_in_a_turn_counts_once() -> None:
    run = responses_run(a_1=["yes", " yes ", "no"])
    gold = graded(responses_run(**RETURNED), SAID)
    chosen = Ikat2023Settings(response_depth=3)
    found = means(list(score_run(gold, "r", content_of(run, chosen), chosen)))
    assert (found["response_relevance"], found["judged"]) == (1.5, 2.0)


def test_a_response_is_explained_by_its_text() -> None:
    run = responses_run(**RETURNED)
    gold = graded(run, SAID)
    chosen = Ikat2023Settings(response_depth=2)
    explain = explain_run(gold, "r", content_of(run, chosen), chosen)
    one = explain("a_1", "conciseness")
    assert one is not None
    assert one.value == 2.5
    assert one.steps[0].rows == (("1", "3", "yes"), ("2", "2", "no"))
    mean = explain("all", "conciseness")
    assert mean is not None
    assert mean.steps[0].rows == (("a_1", "2.5000"), ("a_2", "0.0000"))
    assert explain("a_9", "conciseness") is None
    assert explain("all", "no-such-measure") is None


# ---------------------------------------------------------------- gold files


def test_gold_is_found_by_published_names_too(tmp_path: Path) -> None:
    (tmp_path / "qrels.ikat.txt").write_text("1-1_1 0 d1 2\n")
    (tmp_path / "ptkb_rel_nist").write_text("1-1_1 0 1 1")
    (tmp_path / "notes.txt").write_text("nothing")
    gold = load_gold({path.name: path for path in tmp_path.iterdir()}, DEFAULTS, fail)
    assert gold == Gold(passages={"1-1_1": {"d1": 2}}, statements={"1-1_1": {"1": 1}}, responses={})


def test_gold_that_is_missing_or_wrong_is_reported(tmp_path: Path) -> None:
    issues: list[Issue] = []
    load_gold({}, DEFAULTS, issues.append)
    (tmp_path / "qrels.txt").write_text("1-1_1 0 d1\n")
    load_gold({"qrels.txt": tmp_path / "qrels.txt", "qrels.txt.gz": tmp_path / "none"}, DEFAULTS, issues.append)
    load_gold({"responses.tsv": tmp_path / "none"}, DEFAULTS, issues.append)
    assert [issue.code for issue in issues] == ["no-gold", "file-twice", "columns", "cannot-open"]
