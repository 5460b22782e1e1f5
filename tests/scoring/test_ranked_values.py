"""One set of judgments and many runs: what trec_eval's code says of each, however it was read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import ir_measures
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.__main__ import main
from scoring.measures import MEASURES, parse
from scoring.measures.ranked import with_binary_level
from scoring.measures.ranked_values import RankedEvaluator, _library_name, _trec_eval_name
from scoring.measures.spec import ChosenMeasure
from scoring.measures.trec_eval_names import NOT_COMPUTED, measures_called
from scoring.records import Qrel
from tests.scoring.ranked_scores import rank_scores

OF_TREC_EVAL = [
    parse(text)
    for text in (
        *("AP", "AP@2", "AP(judged_only=true)", "nDCG", "nDCG@3", "nDCG(judged_only=true)@3", "P@1", "R@2"),
        *("P(judged_only=true)@2", "R(judged_only=true)@2", "RR", "Rprec", "Rprec(judged_only=true)", "Bpref", "infAP"),
        *("Success@1", "SetP", "SetR", "SetF", "SetF(beta=2)", "SetF(beta=0.5)", "SetF(judged_only=true)", "SetAP"),
        *("NumRet", "NumRelRet", "IPrec@0.3"),
    )
]
DOCNOS = st.sampled_from([f"d{number}" for number in range(9)])
JUDGED = st.dictionaries(DOCNOS, st.integers(-1, 3), min_size=1, max_size=6).filter(
    lambda each: max(each.values()) >= 0
)
GRADES = st.dictionaries(st.sampled_from("1234"), JUDGED, min_size=1)
SCORES = st.sampled_from([1.0, 2.0, 2.00000001, 2.0000005, -1.5, 0.0, 1e30, 1e-30])
RUNS = st.dictionaries(st.sampled_from("12349"), st.dictionaries(DOCNOS, SCORES, min_size=1, max_size=8), min_size=1)
Runs = list[dict[str, dict[str, float]]]
Grades = dict[str, dict[str, int]]


def values(
    measures: list[ChosenMeasure], grades: Grades, run: Mapping[str, Mapping[str, float]]
) -> dict[object, float]:
    """What ir-measures says by itself of topics of both. It takes NumRet along with whichever measure comes first."""
    asked = {ir_measures.parse_measure(_library_name(each)): str(each) for each in measures}
    found = ir_measures.iter_calc(list(asked), grades, {topic: run[topic] for topic in run if topic in grades})
    return {(each.query_id, asked[each.measure]): each.value for each in found if each.query_id in run}


@settings(deadline=None, max_examples=60)
@given(GRADES, st.lists(RUNS, min_size=1, max_size=3), st.sampled_from([1, 2, 3]))
def test_runs_scored_one_after_another_have_the_values_of_the_library(grades: Grades, runs: Runs, level: int) -> None:
    measures = [with_binary_level(each, level) for each in OF_TREC_EVAL]
    assert all(map(_trec_eval_name, measures))
    evaluator = RankedEvaluator(grades, measures)
    for run in runs:
        found = evaluator.values(run)
        ours = {(topic, name): value for topic, each in found.items() for name, value in each.items()}
        apart = [each for each in measures if each.measure.name != "NumRet"], [parse("NumRet")]
        assert ours == {key: value for some in apart for key, value in values(some, grades, run).items()}


@pytest.mark.parametrize("measure", [each for each in MEASURES if each.family == "ranked"], ids=lambda each: each.name)
def test_a_run_after_another_scores_as_it_does_alone(measure: object) -> None:
    name = measure.name + {"must": "@3", "recall": "@0.1"}.get(measure.cutoff, "")  # type: ignore[attr-defined]
    grades = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"x": 1, "y": 0}, "3": {"a": 1}}
    runs = [
        {"1": {"a": 1.0, "b": 2.0, "z": 1.0}, "2": {"y": 1.0}, "9": {"a": 1.0}},
        {"2": {"x": 3.0, "y": 2.0}},
        {"9": {"a": 1.0}},
    ]
    parts = [
        Qrel(topic=topic, docno=docno, grade=grade, iteration=f"{place % 2}")
        for topic, of_topic in grades.items()
        for place, (docno, grade) in enumerate(of_topic.items())
    ]
    chosen = parse(name)
    evaluator = RankedEvaluator(grades, [chosen], subtopics=parts)
    for complete in (False, True):
        together = [list(evaluator.score(run, run="r", complete=complete).scores()) for run in runs]
        alone = [rank_scores(grades, run, [chosen], run="r", complete=complete, subtopics=parts) for run in runs]
        assert together == alone


def test_documents_returned_are_counted_whatever_else_is_asked() -> None:
    asked = [parse(text) for text in ("P(judged_only=true)@2", "NumRet", "nDCG")]
    found = RankedEvaluator({"1": {"a": 1}}, asked).values({"1": {"a": 1.0, "b": 2.0, "c": 3.0}})
    assert found == {"1": {"P(judged_only=true)@2": 0.5, "NumRet": 3.0, "nDCG": 0.5}}


def test_where_nothing_that_is_returned_is_judged_precision_at_recall_is_0() -> None:
    measure = parse("IPrec(judged_only=true)@0.1")  # trec_eval divides 0 by 0
    assert [each.value for each in rank_scores({"1": {"a": 1}}, {"1": {"b": 1.0}}, [measure], run="r")] == [0.0, 0.0]


def test_trec_eval_is_given_no_topic_whose_grades_are_all_below_0(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Grades] = []

    class Watched(pytrec_eval.RelevanceEvaluator):  # type: ignore[misc]
        def __init__(self, judged: Grades, *rest: object) -> None:
            given.append({topic: dict(each) for topic, each in judged.items()})
            super().__init__(judged, *rest)

    monkeypatch.setattr(pytrec_eval, "RelevanceEvaluator", Watched)
    grades = {"1": {"d1": 3, "d2": -1}, "2": {"d1": -1, "d2": -1}}
    names = ("nDCG", "nDCG@5", "AP", "infAP", "Bpref", "NumRet", "P(judged_only=true)@1")
    found = RankedEvaluator(grades, [parse(name) for name in names]).values({"2": {"d1": 1.0, "d5": 0.5}})
    assert found == {"2": dict.fromkeys(names, 0.0) | {"NumRet": 2.0}}
    assert {max(each.values()) for judged in given for each in judged.values()} == {0, 3}


def lines_of(run: Mapping[str, Mapping[str, float]], tag: str) -> str:
    return "".join(
        f"{topic} Q0 {docno} {place} {score!r} {tag}\n"
        for topic, scores in run.items()
        for place, (docno, score) in enumerate(scores.items())
    )


@settings(deadline=None, max_examples=40)
@given(GRADES, st.lists(RUNS, min_size=1, max_size=3), st.booleans())
def test_what_rank_prints_of_files_is_what_trec_eval_says_of_their_lines(
    tmp_path_factory: pytest.TempPathFactory, grades: Grades, runs: Runs, complete: bool
) -> None:
    folder = tmp_path_factory.mktemp("rank")
    judged = [f"{topic} 0 {docno} {grade}\n" for topic, each in grades.items() for docno, grade in each.items()]
    (folder / "qrels").write_text("".join(judged))
    for number, run in enumerate(runs):
        (folder / f"run{number}").write_text(lines_of(run, f"r{number}"))
    if any(grades.keys().isdisjoint(run) for run in runs):
        assert printed(folder, runs, complete)[0] == 1
        return
    evaluator = pytrec_eval.RelevanceEvaluator(grades, {"map", "ndcg_cut.3", "P.2", "bpref", "num_ret"})
    wanted = []
    for number, run in enumerate(runs):
        found = evaluator.evaluate(run)
        for topic in sorted(grades if complete else grades.keys() & run.keys()):
            of_topic = found.get(topic, {})
            names = ("map", "ndcg_cut_3", "P_2", "bpref", "num_ret")
            wanted.append((f"r{number}", topic, [f"{of_topic.get(name, 0.0):.6f}" for name in names]))
    assert printed(folder, runs, complete) == (0, wanted)


def printed(folder: Path, runs: Runs, complete: bool) -> tuple[int, list[tuple[str, str, list[str]]]]:
    """The status of `rank`, and its lines of single topics: run, topic, values."""
    files = [part for number in range(len(runs)) for part in ("--run", str(folder / f"run{number}"))]
    names = [part for name in ("map", "ndcg_cut_3", "P_2", "bpref", "num_ret") for part in ("-m", name)]
    with pytest.MonkeyPatch.context() as patch:
        out: list[str] = []
        patch.setattr("builtins.print", lambda *texts, file=None: out.extend(texts) if file is None else None)
        status = main(["rank", "--qrels", str(folder / "qrels"), *files, *names, *(["--complete"] if complete else [])])
    found: dict[tuple[str, str], list[str]] = {}
    for run, topic, _, value in (line.split("\t") for line in out):
        if topic != "all":
            found.setdefault((run, topic), []).append(value)
    return status, [(*key, each) for key, each in found.items()]


@pytest.mark.shared
@pytest.mark.parametrize("form", ["json", "columns"])
def test_every_value_of_real_runs_is_what_trec_eval_says(
    tmp_path: Path, shared_data: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    folder = shared_data / "biogen2024" / "ranking"
    grades = json.loads((folder / "qrels_graded.json").read_text())
    evaluator = pytrec_eval.RelevanceEvaluator(grades, pytrec_eval.supported_measures - NOT_COMPUTED)
    wanted: dict[tuple[str, str, str], str] = {}
    files: list[str] = []
    for path in sorted(folder.glob("*_run.json")):
        run = {topic: dict(pairs) for topic, pairs in json.loads(path.read_text()).items()}
        (tmp_path / path.stem).write_text(lines_of(run, path.stem) if form == "columns" else path.read_text())
        files += ["--run", str(tmp_path / path.stem)]
        for topic, found in evaluator.evaluate(run).items():
            for name, value in found.items():
                wanted[path.stem, topic, measures_called(name)[0]] = f"{value:.6f}"
    assert main(["rank", "--qrels", str(folder / "qrels_graded.json"), *files, "-m", "all_trec"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert {(run, topic, name): value for run, topic, name, value in rows if topic != "all"} == wanted
    assert len(wanted) == 4 * 64 * len({topic for _, topic, _ in wanted})
