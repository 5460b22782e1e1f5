"""`import scoring`: whatever is taken in, what comes out, and what is refused with its place."""

from __future__ import annotations

import doctest
import gzip
import re
import subprocess
import sys
from pathlib import Path

import pandas
import pytest

import scoring
from scoring.__main__ import main
from tests.scoring.release_by_hand import packed
from tests.scoring.release_by_hand import release as release

ROOT = Path(__file__).resolve().parent.parent.parent
ADHOC = ROOT / "tests" / "data" / "tracks" / "adhoc"
QRELS = {"1": {"A": 2, "B": 0}, "2": {"A": 1}}
RUN = {"1": {"A": 0.5, "B": 0.9}, "2": {"C": 0.4, "A": 0.3}}


def test_the_page_for_researchers_says_what_comes_out(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed(release).rename(tmp_path / "release.zip")
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(str(ROOT / "docs" / "researchers.md"), module_relative=False)
    assert (found.failed, found.attempted > 20) == (0, True)


def frame_of_run(**names: str) -> pandas.DataFrame:
    frame = scoring.read_run(written(RUN))
    return frame.rename(columns=names)


def written(run: dict[str, dict[str, float]]) -> Path:
    path = Path("run.txt")
    scoring.write_run(run, path)
    return path


def values(frame: pandas.DataFrame) -> list[tuple[str, str, float]]:
    return [(row.topic, row.measure, round(row.value, 6)) for row in frame.itertuples()]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_way_in_gives_the_same_values() -> None:
    expected = values(scoring.rank(QRELS, RUN, ["AP", "P@1"]))
    assert ("all", "AP", 0.5) in expected
    scoring.write_qrels(QRELS, "qrels.gz")
    assert gzip.decompress(Path("qrels.gz").read_bytes()).decode().splitlines()[0] == "1 0 A 2"
    judged = scoring.read_qrels("qrels.gz")
    qrels = ["qrels.gz", Path("qrels.gz"), judged, judged.rename(columns={"topic": "query_id", "grade": "relevance"}),
             judged.astype({"topic": int}), list(judged.itertuples(index=False, name=None)),
             judged.to_dict("records"), {1: {"A": 2, "B": 0}, 2: {"A": 1}}]  # fmt: skip
    for each in qrels:
        assert values(scoring.rank(each, RUN, ["map", "P@1"])) == expected
    frame = frame_of_run()
    runs = [written(RUN), frame, frame_of_run(topic="qid", docno="docid"), frame.drop(columns="score"),
            frame.to_dict("records"), {"maple": RUN}, {"maple": frame}, [str(written(RUN))]]  # fmt: skip
    for each in runs:
        assert values(scoring.rank(QRELS, each, ["AP", "P@1"])) == expected


def test_runs_are_called_by_name_tag_or_file() -> None:
    both = pandas.concat([frame_of_run().assign(run="oak"), frame_of_run().assign(run="elm")])
    assert list(scoring.rank(QRELS, both, "AP")["run"].unique()) == ["oak", "elm"]
    Path("ash.json").write_text('{"1": {"A": 0.5}}')
    assert list(scoring.rank(QRELS, ["ash.json"], "AP")["run"].unique()) == ["ash"]


def test_the_figures_are_those_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run = ADHOC / "expected" / "qrels.txt", ADHOC / "runs" / "good" / "maple.txt"
    assert main(["rank", "--qrels", str(qrels), "--run", str(run), "-m", "AP", "-m", "nDCG@10"]) == 0
    printed = capsys.readouterr().out.splitlines()
    found = scoring.rank(qrels, run, ["AP", "nDCG@10"])
    assert [f"{r.run}\t{r.topic}\t{r.measure}\t{r.value:.6f}" for r in found.itertuples()] == printed
    assert main(["pool", "--depth", "2", "--run", str(run)]) == 0
    pool = scoring.pool(run, depth=2)
    assert [f"{row.topic}\t{row.docno}" for row in pool.itertuples()] == capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            pandas.DataFrame({"topic": ["1"], "docno": ["A"], "grade": [0.5]}),
            "row 1, topic 1, docno A: grade must be a whole number, not 0.5",
        ),
        (pandas.DataFrame({"topic": ["1"], "docno": [None], "grade": [1]}), "row 1, topic 1: docno must be a text"),
        (pandas.DataFrame({"topic": ["1"], "document_id": ["A"], "grade": [1]}), "There is no column docno or doc_id"),
        ([("1", "A", 1), ("1", "A", 0)], "row 2, topic 1, docno A: Row 1 has the same topic and docno."),
        ([("1",)], "1 value without names; such a row is topic, docno, grade."),
        ({"1": {"A": "high"}}, "grade must be a whole number, not 'high'"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(rows: object, words: str) -> None:
    with pytest.raises(scoring.InputError) as refused:
        scoring.rank(rows, RUN, "AP")
    assert words in str(refused.value)


def test_a_broken_file_is_refused_with_its_lines() -> None:
    Path("broken.txt").write_text("1 Q0 A 1 0.5 oak\n1 Q0 B\n1 Q0 C 2 high oak\n")
    with pytest.raises(scoring.InputError) as refused:
        scoring.read_run("broken.txt")
    assert [issue.where for issue in refused.value.issues] == [2, 3]
    assert str(refused.value).startswith("broken.txt: 2: ")
    with pytest.raises(FileNotFoundError, match=r"There is no file none\.txt"):
        scoring.read_run("none.txt")
    with pytest.raises(scoring.UnknownMeasure):
        scoring.rank(QRELS, RUN, "MAPP")


def test_a_file_of_another_kind_is_named_with_the_function_that_reads_it(tmp_path: Path) -> None:
    topics, qrels = tmp_path / "topics.xml", tmp_path / "qrels.txt"
    scoring.write_qrels(QRELS, qrels)
    topics.write_text("<topic number='1'><query>a</query></topic>\n")
    for read, path, end in (
        (scoring.read_run, qrels, "not a ranked run. `scoring.read_qrels` reads it."),
        (scoring.read_qrels, topics, "not qrels."),
    ):
        with pytest.raises(scoring.InputError) as refused:
            read(path)
        assert str(refused.value).endswith(end)


TURNED = pandas.DataFrame({"qid": ["1", "1"], "docno": ["A", "B"], "rank": [1, 2], "score": [0.5, 0.9], "run": "oak"})
RUN_OF_TURNED = "1 Q0 A 1 0.5 oak\n1 Q0 B 2 0.9 oak\n"
LISTED = '{"1": [["A", 0.5], ["B", 0.9]]}'
TOLD = "The ranks do not follow the scores in 1 topic, at 1 document. Scores alone count"


@pytest.mark.parametrize("run", [RUN_OF_TURNED, LISTED, TURNED, TURNED.to_dict("records")], ids=str)
def test_ranks_against_the_scores_are_warned_of_by_every_call(run: object) -> None:
    source = run
    if isinstance(run, str):
        source = Path("oak")
        source.write_text(run)
    other = {"elm": RUN}
    judged = {"1": QRELS["1"]}
    for call in (
        lambda: scoring.rank(judged, source, "AP"),
        lambda: scoring.compare(judged, other | {"oak": source}, "AP"),
        lambda: scoring.pool(source, depth=1),
        lambda: scoring.write_run(source, "written.txt"),
        *([lambda: scoring.read_run(source)] if isinstance(source, Path) else []),
    ):
        with pytest.warns(scoring.InputWarning) as told:
            call()
        assert len(told) == 1 and TOLD in str(told[0].message)


@pytest.mark.filterwarnings("error")
def test_nothing_is_warned_of_where_no_rank_is_said() -> None:
    for each in (TURNED.drop(columns="rank"), TURNED.drop(columns="score"), RUN, {"1": {"A": 0.5, "B": 0.5}}):
        scoring.rank({"1": QRELS["1"]}, each, "AP")
    with pytest.raises(scoring.InputWarning, match="row 2: The ranks do not follow the scores"):
        scoring.rank({"1": QRELS["1"]}, TURNED.drop(columns="score").assign(rank=1), "AP")


def test_other_ids_than_those_that_are_judged_are_said() -> None:
    with pytest.warns(scoring.InputWarning, match="No document of this run is judged: are these the same ids"):
        scoring.rank(QRELS, {"1": {"A#0": 0.5}}, "AP")
    with pytest.raises(scoring.InputError, match="run: No topic of the run is judged in the qrels"):
        scoring.rank(QRELS, {"7": {"A": 0.5}}, "AP")


def test_what_a_reader_warns_of_is_warned_of() -> None:
    query = '{"fields": {"query_id": "1"}, "run_1": [{"doc_id": "A", "score": 2, "rank": 1}]}'
    Path("one.json").write_text('{"meta": {"run1_name": "a"}, "docs": {}, "queries": [' + query + "]}")
    with pytest.warns(scoring.InputWarning, match=r"one\.json: DiffIR writes the first ten documents"):
        scoring.read_run("one.json")


def test_nuggets_are_scored_from_rows_and_refused_where_they_do_not_belong_together() -> None:
    nuggets = pandas.DataFrame({"topic": [7, 7], "number": [1, 2], "importance": ["vital", "okay"], "text": ["a", "b"]})
    matches, lengths = [(7, "oak", 1, "1"), (7, "oak", 2, 2)], [(7, "oak", 300)]
    found = scoring.nuggets(nuggets, matches, lengths=lengths)
    assert {(row.topic, row.measure): row.value for row in found.itertuples()}["7", "NR"] == 1.0
    votes = [(7, 1, "a1", "vital"), (7, 2, "a1", "vital"), (7, 1, "a2", "vital"), (7, 2, "a2", "okay")]
    weighted = scoring.nuggets(nuggets, [(7, "oak", 1, 1)], votes=votes, lengths=lengths)
    assert {row.measure: round(row.value, 4) for row in weighted.itertuples()}["NR"] == round(2 / 3, 4)
    with pytest.raises(scoring.InputError, match="nugget 9 of topic 7 is on no list"):
        scoring.nuggets(nuggets, [(7, "oak", 1, 9)], lengths=lengths)
    with pytest.raises(scoring.InputError, match="There is no length of oak's response to 7"):
        scoring.nuggets(nuggets, matches, lengths=[(7, "elm", 5)])


def test_a_release_is_verified(tmp_path: Path) -> None:
    with pytest.raises(scoring.InputError, match=r"there is no manifest\.json"):
        scoring.verify(tmp_path)


def test_nothing_heavy_is_loaded_before_it_is_used() -> None:
    code = (
        "import sys, scoring, scoring.records; print(sorted({'pandas', 'numpy', 'scipy', 'spacy'} & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert told.stdout.strip() == "[]"
    assert "rank" in dir(scoring)
    with pytest.raises(AttributeError, match="no attribute 'ranks'"):
        scoring.ranks  # noqa: B018


@pytest.mark.parametrize(
    "end", ["csv", "jsonl", "parquet", "csv.gz", "jsonl.gz", "NDJSON", "CSV", "Parquet", "tsv", "tsv.gz"]
)
def test_what_is_written_is_read_again_in_every_form(end: str) -> None:
    qrels = {"1": {"Ä,1": 2, "B": 0}, "02": {"A": 1}}
    run = {"1": {"Ä,1": 0.1234567890123456789, "B": 0.9}, "02": {"C": 0.4, "A": 0.3}}
    expected = scoring.rank(qrels, run, ["AP", "nDCG"])
    scoring.write_qrels(qrels, f"qrels.{end}")
    scoring.write_run(run, f"run.{end}")
    found = scoring.rank(f"qrels.{end}", f"run.{end}", ["AP", "nDCG"])
    pandas.testing.assert_frame_equal(found, expected)
    assert scoring.read_run(f"run.{end}")["score"].tolist()[1] == 0.1234567890123456789
    both = pandas.concat([found.assign(run="oak"), found.assign(run="elm")])
    scoring.write_scores(both[both["measure"] == "AP"], f"scores.{end}")
    assert scoring.correlate(f"scores.{end}", {"oak": 0.4, "elm": 0.3})["value"][0] == 2


@pytest.mark.parametrize("end", ["xlsx", "json", "feather", "csv.zst", "zip", "parquet.gz", "XLSX", "db"])
def test_a_form_that_is_not_written_is_refused(end: str) -> None:
    scores = scoring.rank(QRELS, RUN, "AP")
    for write, source in ((scoring.write_qrels, QRELS), (scoring.write_run, RUN), (scoring.write_scores, scores)):
        path = Path(f"file.{end}")
        with pytest.raises(
            scoring.InputError, match=r"Nothing here writes \.[a-z.]+\. Write \.csv, \.jsonl or \.parquet"
        ):
            write(source, path)
        assert not path.exists()


@pytest.mark.parametrize("end", ["txt", "csv", "jsonl", "parquet"])
def test_what_could_not_be_read_again_is_not_written(end: str) -> None:
    two = pandas.DataFrame({"topic": "1", "docno": ["A", "B"], "score": [2.0, 1.0], "run": ["x", "y"]})
    for write, source, message in (
        (scoring.write_qrels, {"1": {"a b": 1}}, "topic 1, docno a b: 'a b' is not one word"),
        (scoring.write_qrels, {"\ufeff1": {"a": 1}}, "is not one word"),
        (scoring.write_qrels, {"1": {"a\0": 1}}, "is not one word"),
        (
            scoring.write_qrels,
            {"1": {"a": 10**12}},
            "grade must be a whole number of at most nine digits, not 1000000000000.",
        ),
        (scoring.write_qrels, {"1": {}}, "qrels: There is nothing in it that could be used."),
        (scoring.write_qrels, [("1", "a", 1), ("1", "a", 0)], "row 2, topic 1, docno a: Row 1 has the same topic"),
        (scoring.write_run, {"1 2": {"a": 1.0}}, "topic 1 2, docno a: '1 2' is not one word"),
        (scoring.write_run, two, "There are 2 runs (x, y), and one file holds one."),
        (scoring.write_run, [("1", "a", 1.0), ("1", "a", 0.5)], "row 2, topic 1, docno a: Row 1 has the same topic"),
    ):
        with pytest.raises(scoring.InputError, match=re.escape(message)):
            write(source, f"file.{end}")
    subtopics = pandas.DataFrame({"topic": "1", "docno": "a", "grade": [1, 0], "subtopic": ["s1", "s2"]})
    if end == "txt":
        scoring.write_qrels(subtopics, "file.txt")
        assert Path("file.txt").read_text() == "1 s1 a 1\n1 s2 a 0\n"
    else:
        with pytest.raises(scoring.InputError, match="Write judgments of subtopics in TREC's columns"):
            scoring.write_qrels(subtopics, f"file.{end}")


def test_rows_stand_in_one_order_in_every_form() -> None:
    qrels, run = {"10": {"b": 0, "a": 1}, "2": {"z": 1}}, {"10": {"b": 1.0, "a": 2.0}, "2": {"z": 1.0}}
    for end in ("txt", "csv", "jsonl", "parquet", "tsv"):
        scoring.write_qrels(qrels, f"qrels.{end}")
        scoring.write_run(run, f"run.{end}")
        for found in (scoring.read_qrels(f"qrels.{end}"), scoring.read_run(f"run.{end}")):
            assert list(zip(found["topic"], found["docno"], strict=True)) == [("2", "z"), ("10", "a"), ("10", "b")], end


def test_scores_are_written_as_the_command_prints_them_and_series_are_taken() -> None:
    scores = scoring.rank(QRELS, RUN, "AP")
    scores.loc[0, "value"] = None
    scoring.write_scores(scores, "scores.txt")
    assert Path("scores.txt").read_text() == "run\t1\tAP\tundefined\nrun\t2\tAP\t0.500000\nrun\tall\tAP\t0.500000\n"
    means = pandas.Series({"oak": 0.4, "elm": 0.3})
    assert scoring.correlate(means, means)["value"].tolist()[:2] == [2, 1]


def test_what_a_spreadsheet_takes_for_a_formula_goes_into_no_csv() -> None:
    with pytest.raises(
        scoring.InputError, match=r"qrels\.csv: row 1 of the file: A spreadsheet takes '=A' for a formula\."
    ):
        scoring.write_qrels({"1": {"=A": 1}}, "qrels.csv")
    scoring.write_qrels({"1": {"=A": 1}}, "qrels.jsonl")
    assert scoring.read_qrels("qrels.jsonl")["docno"].tolist() == ["=A"]  # of one line, too
    scoring.write_run({"1": {"=A": 0.5}}, "run.jsonl")
    assert scoring.read_run("run.jsonl")["docno"].tolist() == ["=A"]
    Path("topics.json").write_text('{"topic": {"D1": 1}}')
    assert scoring.read_qrels("topics.json")["topic"].tolist() == ["topic"]


def test_an_index_that_parquet_stores_is_columns() -> None:
    pandas.DataFrame({"topic": ["1"], "docno": ["A"], "grade": [2]}).set_index(["topic", "docno"]).to_parquet("kept")
    assert scoring.read_qrels("kept").to_dict("records") == [{"topic": "1", "docno": "A", "grade": 2}]


def test_parquet_that_is_none_is_refused() -> None:
    Path("run.parquet").write_text("1 Q0 A 1 0.5 oak\n")
    with pytest.raises(scoring.InputError, match=r"run\.parquet: It can't be read as Parquet: "):
        scoring.rank(QRELS, "run.parquet", "AP")
    with pytest.raises(FileNotFoundError, match=r"There is no file none\.parquet"):
        scoring.read_qrels("none.parquet")


class Named:
    """A measure as ir_measures has it: an object whose text is its name, and that has items without being iterable."""

    def __str__(self) -> str:
        return "nDCG@10"

    def __getitem__(self, key: object) -> object:
        raise KeyError(key)


def test_what_is_guessed_works() -> None:
    by_name = scoring.rank(QRELS, RUN, "nDCG@10")
    for measures in (Named(), [Named()], "ndcg@10", (each for each in ["nDCG@10"])):
        assert scoring.rank(QRELS, RUN, measures).equals(by_name), measures
    board = pandas.DataFrame({"system": ["a", "b", "c"], "map": [0.3, 0.2, 0.1]})
    other = {"a": 0.9, "b": 0.5, "c": 0.7}
    for first in (board, board.rename(columns={"system": "run_id", "map": "value"}), [("a", 3), ("b", 2), ("c", 1)]):
        assert scoring.correlate(first, other)["value"].tolist()[:2] == [3.0, pytest.approx(1 / 3)]
    with pytest.raises(scoring.InputError, match=r"There must be one column run, .* It has: name, x, y\."):
        scoring.correlate(pandas.DataFrame({"name": ["a"], "x": [1], "y": [2]}), other)


def test_runs_that_are_written_are_called_after_their_files(tmp_path: Path) -> None:
    paths = [tmp_path / "maple.txt.gz", tmp_path / "oak.csv"]
    for path in paths:
        scoring.write_run(RUN, path)
    assert scoring.rank(QRELS, paths, "AP")["run"].unique().tolist() == ["maple", "oak"]
    with pytest.raises(scoring.InputError, match=r"Two runs are called maple\. Give name -> run\."):
        scoring.rank(QRELS, [paths[0], paths[0]], "AP")


def test_a_run_that_is_named_by_its_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "my first run.txt"
    scoring.write_run({"1": {"d1": 2.0}}, path)
    assert path.read_text() == "1 Q0 d1 1 2.0 my_first_run\n"
