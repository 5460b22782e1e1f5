"""`import scoring` called as one would guess: open files, lines, lists, other frames; and its judgments and scores in
each form.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pandas
import pyarrow
import pytest

import scoring
import tracks

DATA = Path(__file__).resolve().parent.parent / "data" / "tracks"
QRELS = {"1": {"A": 2, "B": 0}, "2": {"A": 1}}
RUN = {"1": {"A": 0.5, "B": 0.9}, "2": {"C": 0.4, "A": 0.3}}
QRELS_ROWS = [
    {"query_id": topic, "doc_id": docno, "relevance": grade}
    for topic, of in QRELS.items()
    for docno, grade in of.items()
]
RUN_ROWS = [
    {"query_id": topic, "doc_id": docno, "score": score} for topic, of in RUN.items() for docno, score in of.items()
]


class Polars:
    """A frame as polars has it, which is not installed: columns, and rows one after another."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.columns, self._rows = list(rows[0]), rows

    def iter_rows(self) -> Any:
        return (tuple(row.values()) for row in self._rows)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scoring.write_qrels(QRELS, "qrels.txt")
    scoring.write_run(RUN, "run.txt")
    Path("runs").mkdir()
    scoring.write_run(RUN, "runs/RUN-A.txt")
    Path("runs/forms.json").write_text("{}")
    with ZipFile("release.zip", "w") as release:
        release.writestr("manifest.json", "{}")


@pytest.mark.parametrize(
    "given",
    [
        lambda path, rows: io.StringIO(path.read_text()),
        lambda path, rows: io.BytesIO(path.read_bytes()),
        lambda path, rows: path.read_text(),
        lambda path, rows: path.read_bytes(),
        lambda path, rows: path.read_text().splitlines(),
        lambda path, rows: (line for line in path.read_bytes().splitlines(keepends=True)),
        lambda path, rows: Polars(rows),
        lambda path, rows: pyarrow.Table.from_pylist(rows),
        lambda path, rows: pandas.DataFrame(rows).set_index(["query_id", "doc_id"]),
        lambda path, rows: pandas.DataFrame(rows).set_index(["query_id", "doc_id"]).iloc[:, 0],
        lambda path, rows: pandas.DataFrame(rows).astype(str),
        lambda path, rows: pandas.DataFrame(rows).to_numpy(),
        lambda path, rows: (row for row in rows),
    ],
)
def test_every_guess_of_one_run_gives_the_same_values(given: Callable[[Path, Any], Any]) -> None:
    expected = scoring.rank(QRELS, RUN, "AP")["value"].tolist()
    found = scoring.rank(given(Path("qrels.txt"), QRELS_ROWS), given(Path("run.txt"), RUN_ROWS), "AP")
    assert found["value"].tolist() == expected


@pytest.mark.parametrize(
    "runs",
    [
        lambda: Path().glob("m*.txt"),
        lambda: {"maple.txt", "moss.txt"},
        lambda: [("maple", RUN), ("moss", "moss.txt")],
        lambda: iter([Path("maple.txt"), Path("moss.txt")]),
        lambda: {
            "maple": {"1": ["B", "A"], "2": ["C", "A"]},
            "moss": {"1": [("B", 2.0), ("A", 1.0)], "2": [("C", 2), ("A", 1)]},
        },
    ],
)
def test_every_guess_of_two_runs_gives_the_same_values(runs: Callable[[], Any]) -> None:
    for name in ("maple", "moss"):
        scoring.write_run(RUN, f"{name}.txt")
    found = scoring.rank(QRELS, runs(), "AP")
    assert sorted(found["run"].unique()) == ["maple", "moss"]
    assert found["value"].tolist() == scoring.rank(QRELS, RUN, "AP")["value"].tolist() * 2


@pytest.mark.parametrize(
    ("gold", "runs"),
    [
        (lambda: QRELS, lambda: RUN),
        (lambda: pandas.DataFrame(QRELS_ROWS), lambda: pandas.DataFrame(RUN_ROWS)),
        (lambda: scoring.read_qrels("qrels.txt"), lambda: scoring.read_run("run.txt").drop(columns="run")),
        (lambda: QRELS_ROWS, lambda: io.StringIO(Path("run.txt").read_text())),
        (lambda: Path("qrels.txt"), lambda: Path().glob("run.txt")),
        (lambda: "qrels.txt", lambda: {"run": "run.txt"}),
    ],
)
def test_a_track_scores_whatever_is_taken_for_qrels_and_runs(gold: Callable[[], Any], runs: Callable[[], Any]) -> None:
    assert tracks.score("adhoc", gold(), runs()).equals(tracks.score("adhoc", "qrels.txt", "run.txt"))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: scoring.rank(None, RUN, "AP"),
            TypeError,
            "qrels must be the path of a file, a frame, .* not NoneType",
        ),
        (lambda: scoring.rank(QRELS, 5, "AP"), TypeError, "run must be the path of a file, a frame, .* not int"),
        (
            lambda: scoring.rank(QRELS, "runs", "AP"),
            scoring.InputError,
            r"runs: This is a folder\. Give the files in it: sorted\(pathlib\.Path\('runs'\)\.glob\('\*\.txt'\)\)\.",
        ),
        (lambda: scoring.rank(".", RUN, "AP"), scoring.InputError, r"\.: This is a folder\. Give the files in it"),
        (lambda: scoring.rank("release.zip", RUN, "AP"), scoring.InputError, "a release. `scoring.read_release` reads"),
        (lambda: tracks.score("adhoc", "release.zip", RUN), scoring.InputError, "gold: .*This is an archive"),
        (
            lambda: scoring.correlate(scoring.rank(QRELS, RUN, ["P@5", "AP"]), {"run": 1}),
            ValueError,
            r"several measures: give the rows of one, as in frame\[frame\['measure'\] == 'P@5'\]\.",
        ),
        (lambda: scoring.rank("none.txt", RUN, "AP"), FileNotFoundError, r"There is no file none\.txt\."),
        (lambda: scoring.rank([], RUN, "AP"), scoring.InputError, "qrels: There is nothing in it"),
        (lambda: scoring.rank(QRELS, {}, "AP"), scoring.InputError, "run: There is nothing in it"),
        (lambda: scoring.rank(QRELS, iter(()), "AP"), scoring.InputError, "run: There is nothing in it"),
        (lambda: scoring.rank(QRELS, {"maple": {}}, "AP"), scoring.InputError, "There is nothing in it"),
        (
            lambda: scoring.rank({"1": {"A"}}, RUN, "AP"),
            scoring.InputError,
            "topic 1 has must be docno -> number, not set",
        ),
        (
            lambda: scoring.rank(QRELS, [RUN, RUN], "AP"),
            scoring.InputError,
            "Two runs are called run. Give name -> run.",
        ),
        (
            lambda: scoring.rank([("1", 0, "A", 2)], RUN, "AP"),
            scoring.InputError,
            "row 1: 4 values without names; such a row is topic, docno, grade. Name the columns",
        ),
        (
            lambda: scoring.rank(pandas.read_csv("qrels.txt", sep=" ", header=None), RUN, "AP"),
            scoring.InputError,
            "Give the columns their names",
        ),
        (lambda: scoring.agree({"1": {"A": 1}}, {"1": {"B": 1}}), ValueError, "No item has values of two judges"),
        (lambda: scoring.correlate([0.1, 0.2], [0.1, 0.2, 0.3]), ValueError, "The first has 2 values and the second 3"),
        (lambda: scoring.correlate({"a": 1, "b": float("nan")}, {"a": 1, "b": 2}), ValueError, "no number for b"),
        *(
            (
                lambda run=run, of=of: scoring.correlate(pandas.DataFrame({"run": run, "value": of}), {"a": 1, "b": 2}),
                ValueError,
                said,
            )
            for run, of, said in (
                (["a", "b"], [1, None], "no number for b"),
                (["a", "b"], pandas.Series([1, None], dtype=object), "no number for b"),
                (["a", "b", "a"], [1, 2, 3], "has a run twice"),
            )
        ),
        (
            lambda: scoring.correlate([("a", 1), ("a", 2)], {"a": 1, "b": 2}),
            ValueError,
            "The first order has a run twice",
        ),
        (
            lambda: tracks.score("tac2008-qa", QRELS, RUN),
            TypeError,
            "The gold of tac2008-qa is no qrels. Give the paths",
        ),
        (lambda: tracks.score("ikat2023", QRELS, RUN), TypeError, "Runs of ikat2023 are files of its own form"),
        (lambda: tracks.score("adhoc", QRELS, {"a b": RUN}), scoring.InputError, "a b: .* 'a b' is not one word"),
        (lambda: tracks.score("adhoc", {"1": {"A": 0.5}}, RUN), scoring.InputError, "qrels: topic 1, docno A: grade"),
        (
            lambda: scoring.rank(QRELS, {"oak": {"1": {"A": "x"}}}, "AP"),
            scoring.InputError,
            r"oak: topic 1, docno A: score must be a finite number, not 'x'\.$",
        ),
        (lambda: scoring.agree({"1": {"A": None}}, {}), scoring.InputError, ": topic 1, item A: value must be"),
        (
            lambda: scoring.read_judgments([{"do": "judge"}]),
            scoring.InputError,
            "judgments: row 1: “criterion” is missing",
        ),
        (lambda: scoring.read_judgments([]), scoring.InputError, "There is nothing in it"),
        (lambda: scoring.read_scores("run.txt"), scoring.InputError, "This is a file of another kind: a ranked run"),
        (lambda: scoring.read_scores(pandas.DataFrame({"run": ["a"]})), scoring.InputError, "There is no column topic"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(
    call: Callable[[], object], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        call()


def test_values_alone_belong_together_by_place() -> None:
    named = scoring.agree({"1": {"A": 1, "B": 0, "C": 1}}, {"1": {"A": 1, "B": 1, "C": 1}})
    two = ([1, 0, 1], [1, 1, 1])
    frame = pandas.DataFrame(
        {"topic": 1, "docno": ["A", "B", "C"] * 2, "assessor": list("xxxyyy"), "grade": [*two[0], *two[1]]}
    )
    for judges in (two, [pandas.Series(each).to_numpy() for each in two], [pandas.Series(each) for each in two]):
        assert scoring.agree(*judges).equals(named)
        assert scoring.agree([*judges]).equals(named)
    assert scoring.agree(frame).equals(named)
    orders = scoring.correlate({"a": 0.3, "b": 0.2, "c": 0.1}, {"a": 0.9, "b": 0.5, "c": 0.7})
    assert scoring.correlate([0.3, 0.2, 0.1], [0.9, 0.5, 0.7]).equals(orders)
    assert scoring.correlate(["a", "b", "c"], ["a", "c", "b"]).equals(orders)


def test_runs_that_one_order_lacks_are_warned_of() -> None:
    with pytest.warns(scoring.InputWarning, match="first: 1 of 3 runs is not in the second and left out: c."):
        scoring.correlate({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 2})


def test_measures_are_found_in_small_letters() -> None:
    names = ["recall@5", "precision@5", "mrr@10", "map"]
    assert scoring.rank(QRELS, RUN, names)["measure"].unique().tolist() == ["R@5", "P@5", "RR@10", "AP"]


@pytest.mark.parametrize("end", ["jsonl.gz", "csv", "parquet", "ndjson"])
@pytest.mark.parametrize("track", ["biogen2024", "rag-nuggets", "ikat2023"])
def test_judgments_are_the_same_in_every_form(track: str, end: str) -> None:
    path = DATA / track / "judgments.jsonl"
    scoring.write_judgments(path, "plain.jsonl")
    read = scoring.read_judgments(path)
    scoring.write_judgments(read, f"judgments.{end}")
    scoring.write_judgments(scoring.read_judgments(f"judgments.{end}"), "again.jsonl")
    assert Path("again.jsonl").read_text() == Path("plain.jsonl").read_text()
    assert len(read) == len(path.read_text().splitlines())


@pytest.mark.parametrize("end", ["txt", "tsv", "jsonl", "csv.gz", "parquet"])
def test_scores_are_the_same_in_every_form(end: str) -> None:
    scores = scoring.rank(QRELS, RUN, ["AP", "P@5"])
    scores.loc[0, "value"] = None
    scoring.write_scores(scores, f"scores.{end}")
    assert scoring.read_scores(f"scores.{end}").equals(scores)


@pytest.mark.parametrize("make", [list, pandas.Series, lambda values: pandas.Series(values).to_numpy()])
def test_values_alone_must_be_as_many_of_each_judge(make: Callable[[list[int]], Any]) -> None:
    with pytest.raises(ValueError, match="Judge 1 has 2 values and judge 2 has 3"):
        scoring.agree(make([1, 0]), make([1, 1, 0]))
    with pytest.raises(ValueError, match="others name their items"):
        scoring.agree(make([1, 0]), {"1": {"A": 1}})
    values = scoring.agree([1, 0, 1], make([1, 0, 1])).set_index("measure")["value"]
    assert (values["items"], values["cohen_kappa"]) == (3, 1)
    assert scoring.correlate([1, 2, 3], make([1, 2, 3]))["value"][0] == 3


def test_labels_in_words_are_nominal() -> None:
    numbers = scoring.agree([2, 1, 2], [2, 2, 2])
    assert scoring.agree(["yes", "no", "yes"], ["yes", "yes", "yes"]).equals(numbers)
    assert scoring.agree({"1": {"A": "yes", "B": "no", "C": "yes"}}, {"1": dict.fromkeys("ABC", "yes")}).equals(numbers)
    with pytest.raises(ValueError, match="Labels in words are nominal"):
        scoring.agree(["yes", "no"], ["yes", "no"], level="ordinal")
    with pytest.raises(ValueError, match="Some values are words, such as 'no', and others numbers"):
        scoring.agree([1, "no"], ["yes", "no"])


def test_a_frame_may_have_a_column_of_numbers_for_each_judge() -> None:
    values = pandas.DataFrame({"ann": [1, 0, 1], "bob": [1, 1, None]})
    named = values.assign(topic=1, docno=["A", "B", "C"])
    alone = scoring.agree({"1": {"A": 1, "B": 0, "C": 1}}, {"1": {"A": 1, "B": 1}})
    assert scoring.agree(values).equals(alone) and scoring.agree(named).equals(alone)
    with pytest.raises(TypeError, match="two judges or more"):
        scoring.agree(named.rename(columns={"ann": "grade", "bob": "rank"}))


@pytest.mark.parametrize("grade", [2**70, -(2**40), 1e30, 10**400, math.inf, 1.5, "99999999999", Decimal("1.5")])
def test_grades_that_no_file_holds_are_refused(grade: object) -> None:
    with pytest.raises(scoring.InputError, match="grade must be a whole number"):
        scoring.rank({"1": {"A": grade}}, {"1": {"A": 1.0}}, "AP")


def test_decimal_numbers_are_taken_and_huge_ones_refused() -> None:
    found = scoring.rank({"1": {"A": Decimal(1)}}, {"1": {"A": Decimal("0.5")}}, "AP")
    assert found["value"].tolist() == [1, 1]
    with pytest.raises(scoring.InputError, match="score must be a finite number"):
        scoring.rank({"1": {"A": 1}}, {"1": {"A": 10**400}}, "AP")
    with pytest.raises(scoring.InputError, match="has no columns"):
        scoring.rank(pandas.DataFrame(), {"1": {"A": 1}}, "AP")


def test_nuggets_without_lengths_have_recall_alone() -> None:
    found = scoring.nuggets([("1", 1, "vital", "x")], [("1", "maple", 1, 1)])
    assert found[["topic", "measure", "value"]].to_numpy().tolist() == [["1", "NR", 1.0], ["all", "NR", 1.0]]
