"""`import scoring`: calls that are wrong, or that are right but not what their author means, are never computed in
silence.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pandas
import pytest

import scoring
import tracks

QRELS = {"1": {"A": 2, "B": 0}, "2": {"A": 1}}
RUN = {"1": {"A": 0.5, "B": 0.9}, "2": {"C": 0.4, "A": 0.3}}
BOTH = {"oak": RUN, "elm": {"1": {"A": 0.9, "B": 0.5}, "2": {"A": 0.9}}}
LISTS = [("7", 1, "vital", "a"), ("7", 2, "okay", "b"), ("8", 1, "vital", "c")]
LENGTHS = [("7", "oak", 90), ("8", "oak", 90)]
CORRECTIONS = r"correction must be one of none, holm, bonferroni, bh, not "
LEVELS = r"level must be one of nominal, ordinal, interval, ratio, not "
STRATEGIES = r"strategy must be one of depth, depth-order, .*, max-mean, not "


def compared(**options: object) -> Callable[[], object]:
    return lambda: scoring.compare(QRELS, BOTH, "AP", **options)  # type: ignore[arg-type]


def agreed(**options: object) -> Callable[[], object]:
    return lambda: scoring.agree(QRELS, QRELS, **options)  # type: ignore[arg-type]


def pooled(**options: object) -> Callable[[], object]:
    return lambda: scoring.pool(RUN, **options)  # type: ignore[arg-type]


def ranked(measures: object = "AP", **options: object) -> Callable[[], object]:
    return lambda: scoring.rank(QRELS, RUN, measures, **options)  # type: ignore[arg-type]


def found(**options: object) -> Callable[[], object]:
    return lambda: scoring.nuggets(LISTS, [("7", "oak", 1, 1)], lengths=LENGTHS, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (compared(correction="fdr"), CORRECTIONS + "'fdr'"),
        (compared(correction="Holm"), CORRECTIONS + "'Holm'"),
        (compared(correction=None), CORRECTIONS + "None"),
        (compared(seed="x"), "seed must be a whole number, 0 or more, not 'x'"),
        (compared(seed=-1), "seed must be a whole number, 0 or more, not -1"),
        (compared(complete="no"), "complete must be True or False, not 'no'"),
        (agreed(level="Ordinal"), LEVELS + "'Ordinal'"),
        (agreed(level="quadratic"), LEVELS + "'quadratic'"),
        (agreed(level=["nominal"]), LEVELS),
        (agreed(binary="1"), "binary must be a number, not '1'"),
        (pooled(strategy="topk"), STRATEGIES + "'topk'"),
        (pooled(strategy="Depth"), STRATEGIES + "'Depth'"),
        (pooled(depth="5"), "depth must be a whole number, 1 or more, not '5'"),
        (pooled(depth=5.0), "depth must be a whole number, 1 or more, not 5.0"),
        (pooled(strategy="rrf", budget="5"), "budget must be a whole number, 1 or more, not '5'"),
        (pooled(seed="x"), "seed must be a whole number"),
        (ranked(complete="no"), "complete must be True or False, not 'no'"),
        (ranked(binary="1"), "binary must be a whole number, 1 or more, not '1'"),
        (ranked(measures=[]), "rank and compare need a measure, such as 'AP'"),
        (found(pyramid="no"), "pyramid must be True or False, not 'no'"),
        (found(beta="3"), "beta must be a number, not '3'"),
        (found(allowance="x"), "allowance must be a whole number, 0 or more, not 'x'"),
        (lambda: scoring.compare(QRELS, RUN, "AP"), "compare needs two runs or more"),
        (lambda: scoring.correlate([0.1, "b"], [0.3, 0.4]), "The first order must give each run a number: run"),
        (lambda: scoring.correlate({"a": 1, "b": 2}, ["b1", "a1"]), "The two have 0 runs in common"),
        (lambda: scoring.correlate({"a": 1, "b": 2}, [{"run": "a", "value": 1}]), "The second order must give"),
        (lambda: scoring.correlate({"a": 1, "b": "x"}, 5), "The first order must give each run a number"),
        (lambda: scoring.correlate({"a": 1, "b": 2}, 5), "The second order must give each run a number"),
        (lambda: tracks.score("Adhoc", "qrels.txt"), r'There is no track "Adhoc"\. There are: .*of a design\.$'),
        (lambda: tracks.score("adhoc", "qrels.txt", task="x"), r'has no task "x"\. It has: ranking\.$'),
    ],
)  # fmt: skip
def test_a_wrong_option_is_refused_with_what_it_may_be(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_a_topic_that_a_run_leaves_out_is_warned_of_unless_all_topics_count() -> None:
    some = {"1": RUN["1"]}
    with pytest.warns(scoring.InputWarning) as told:
        scores = scoring.rank(QRELS | {"3": {"A": 1}}, {"oak": some, "elm": RUN}, "AP")
    assert [str(each.message) for each in told] == [
        f"{run}: The run leaves out {missing} of 3 judged topics: means are over the others. With complete=True "
        "a topic that is left out counts 0."
        for run, missing in (("oak", 2), ("elm", 1))
    ]
    assert scores["value"].tolist()[:2] == [0.5, 0.5]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scoring.rank(QRELS, some, "AP", complete=True)["value"].tolist() == [0.5, 0, 0.25]
        scoring.rank(QRELS, RUN, "AP")
        assert len(scoring.compare(QRELS, BOTH | {"some": some}, "AP", complete=True)) == 15


def test_nuggets_that_were_not_found_are_read_from_an_assignment() -> None:
    said = ["support", "partial_support", "not_support"]
    frame = pandas.DataFrame({"qid": [7, 7, 8], "run_id": "oak", "nugget": [1, 2, 1], "assignment": said})
    found = scoring.nuggets(LISTS, [("7", "oak", 1, 1)], lengths=LENGTHS)
    assert found[found["topic"] == "8"]["value"].tolist() == [0, 0, 0]
    for matches in (
        frame,
        frame.to_dict("records"),
        list(frame.itertuples()),
        [("7", "oak", 1, 1, "support"), ("8", "oak", 1, 1, "failed")],
    ):
        assert scoring.nuggets(LISTS, matches, lengths=LENGTHS).equals(found)
    with pytest.raises(scoring.InputError, match=r"There is no length of oak's response to 8, which has matches"):
        scoring.nuggets(LISTS, frame, lengths=LENGTHS[:1])
    for other in ("Support", "", float("nan"), 1):
        with pytest.raises(scoring.InputError, match=r"row 1, topic 7, .*: assignment must be one of support"):
            scoring.nuggets(LISTS, frame.assign(assignment=other), lengths=LENGTHS)


@pytest.mark.parametrize(("column", "value"), [("value", 0), ("Label", "no"), ("found", False), ("grade", 0)])
def test_another_column_that_says_what_was_found_is_refused_by_name(column: str, value: object) -> None:
    frame = pandas.DataFrame({"topic": ["8"], "run": "oak", "number": 1, column: value})
    for matches in (frame, frame.to_dict("records"), list(frame.itertuples())):
        with pytest.raises(scoring.InputError, match=f"matches: Column {column}: each row of matches is a nugget that"):
            scoring.nuggets(LISTS, matches, lengths=LENGTHS)


LISTED = [
    {"topic": "1", "nugget_id": "n1", "importance": "vital"},
    {"topic": "1", "nugget_id": "x", "importance": "okay"},
]
OF_ONE = [("1", "A", 90)]


def test_nuggets_may_have_ids_in_place_of_numbers() -> None:
    numbered = [row | {"nugget_id": place} for place, row in enumerate(LISTED, 1)]
    by_number = scoring.nuggets(numbered, [("1", "A", 1, 2)], lengths=OF_ONE)
    by_id = scoring.nuggets(
        LISTED, [{"topic": "1", "run": "A", "nugget_id": "x"}], [("1", "x", "ann", "okay")], OF_ONE, pyramid=False
    )
    assert by_id.equals(by_number)
    found = [{"topic": "1", "run": "A", "nugget_id": "y"}]
    for call, words in (
        (lambda: scoring.nuggets(LISTED, found, lengths=OF_ONE), "Nugget y of topic 1 is on no list"),
        (lambda: scoring.nuggets(LISTED * 2, found, lengths=OF_ONE), "row 3, topic 1, number n1: Row 1 has the same"),
    ):
        with pytest.raises(scoring.InputError, match=words):
            call()
    with pytest.raises(TypeError, match="A row of lengths is a mapping, a tuple or a record of topic, run, characters"):
        scoring.nuggets(LISTED, [], lengths={"1": {"A": 90}})


def test_judges_by_name_are_taken() -> None:
    ann, bob = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1, "b": 1}}
    assert scoring.agree({"ann": ann, "bob": bob}).equals(scoring.agree(ann, bob))


def test_judgments_of_a_release_are_told_from_qrels() -> None:
    acts = [{"topic": "1", "docno": "a", "by": "assessor-1", "criterion": "relevance", "value": 1}]
    with pytest.raises(scoring.InputError, match=r"read its exports/qrels\.txt"):
        scoring.rank(acts, {"1": {"a": 1.0}}, "AP")
