"""`rank` as trec_eval's users call it: its names, the first documents alone, judged documents alone, subtopics."""

from __future__ import annotations

import io
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from scoring.__main__ import main
from scoring.formats.json_ranked import read_any_run
from scoring.records import Issue

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 x 1\n"
RUN = "1 Q0 z 1 9.0 A\n1 Q0 a 2 8.0 A\n1 Q0 b 3 7.0 A\n1 Q0 c 4 6.0 A\n2 Q0 y 1 3.0 A\n"
DIVERSE = "1 1 a 1\n1 2 a 1\n1 2 c 1\n1 1 b 0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "diverse").write_text(DIVERSE)
    return tmp_path


def rank(capsys: pytest.CaptureFixture[str], *arguments: str, qrels: str = "qrels") -> tuple[int, dict[str, str], str]:
    """Status, the values of topic "all" by measure, and what went to standard error."""
    try:
        status = main(["rank", "--qrels", qrels, "--run", "run", *arguments])
    except SystemExit as end:
        status = int(end.code or 0)
    shown = capsys.readouterr()
    rows = [line.split("\t") for line in shown.out.splitlines()]
    return status, {row[2]: row[3] for row in rows if row[1] == "all"}, shown.err


def test_trec_evals_names_are_those_of_the_same_measures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours = rank(capsys, "-m", "AP", "-m", "P@10", "-m", "nDCG@10")
    assert ours[0] == 0
    assert rank(capsys, "-m", "map", "-m", "P_10", "-m", "ndcg_cut.10") == ours


def test_counts_are_summed_over_topics(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, values, _ = rank(capsys, "-m", "NumQ", "-m", "NumRet", "-m", "NumRel", "-m", "NumRelRet")
    assert values == {"NumQ": "2.000000", "NumRet": "5.000000", "NumRel": "3.000000", "NumRelRet": "2.000000"}


def test_what_is_relevant_in_a_topic_without_documents_counts_where_all_topics_do(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run").write_text(RUN.replace("2 Q0 y 1 3.0 A\n", ""))
    assert rank(capsys, "-m", "num_rel", "-m", "num_q")[1] == {"NumRel": "2.000000", "NumQ": "1.000000"}
    assert rank(capsys, "-m", "num_rel", "--complete")[1] == {"NumRel": "3.000000"}
    assert rank(capsys, "-m", "num_rel", "--binary", "2", "--complete")[1] == {"NumRel(rel=2)": "1.000000"}


def test_the_first_documents_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, values, _ = rank(capsys, "-m", "NumRet", "-m", "NumRelRet", "-M", "2")
    assert values == {"NumRet": "3.000000", "NumRelRet": "1.000000"}


def test_judged_documents_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rank(capsys, "-m", "P@1", "-J")[1] == {"P@1": "0.500000"}
    assert rank(capsys, "-m", "P@1")[1] == {"P@1": "0.000000"}
    assert rank(capsys, "-m", "P(judged_only=true)@1")[1] == {"P(judged_only=true)@1": "0.500000"}


def test_subtopics_stand_in_the_second_column(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, values, told = rank(capsys, "-m", "StRecall@10", "-m", "alpha-nDCG@10", qrels="diverse")
    assert (status, told) == (0, "")
    assert values["StRecall@10"] == "1.000000"
    assert 0 < float(values["alpha_nDCG@10"]) < 1


def test_a_document_under_several_subtopics_is_for_measures_of_diversity_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, told = rank(capsys, "-m", "StRecall@10", "-m", "AP", qrels="diverse")
    assert status == 2
    assert "measures of diversity in a call of their own" in told
    assert rank(capsys, "-m", "AP", qrels="diverse")[0] == 1


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("gm_map", "trec_eval's gm_map is not computed here"),
        ("mpa", "did you mean map?"),
        ("RBP@10", "RBP takes no cutoff"),
        ("IPrec@2", "a recall from 0 to 1"),
        ("nDCG(exp=true)", "can't be computed"),
    ],
)
def test_what_is_not_computed_is_said(folder: Path, capsys: pytest.CaptureFixture[str], name: str, told: str) -> None:
    status, values, error = rank(capsys, "-m", name)
    assert (status, values) == (2, {})
    assert told in error


@pytest.mark.shared
def test_the_first_hundred_are_those_of_trec_eval(
    folder: Path, shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = shared_data / "trec_eval"
    lines = (line.split()[:6] for line in (data / "results.trunc").read_text().splitlines())
    (folder / "run").write_text("".join(" ".join(columns) + "\n" for columns in lines))
    golden = [line.split() for line in (data / "out.test.aqcM").read_text().splitlines()]
    wanted = {row[0]: float(row[2]) for row in golden if row[1] == "all" and row[0] not in ("relstring", "runid")}
    names = ("map", "num_ret", "num_rel_ret", "Rprec", "recip_rank", "ndcg", "bpref", "P_100", "infAP", "set_F")
    asked = [part for name in names for part in ("-m", name)]
    _, values, _ = rank(capsys, *asked, "--complete", "-M", "100", qrels=str(data / "qrels.test"))
    assert list(map(float, values.values())) == pytest.approx([wanted[name] for name in names], abs=0.000051)


def test_that_no_document_is_judged_is_a_warning(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "run").write_text("1 Q0 a#0 1 9.0 A\n1 Q0 b#1 2 8.0 A\n")
    status, values, err = rank(capsys, "-m", "AP", "--complete")
    assert (status, values) == (0, {"AP": "0.000000"})
    assert err == (
        "run\t\twarning\tnone-judged\tNo document of this run is judged: are these the same ids? For topic 1 the run "
        "has a#0, and the judgments have a.\n"
    )
    (folder / "run").write_text("1 Q0 a#0 1 9.0 A\n1 Q0 b 2 8.0 A\n")
    assert rank(capsys, "-m", "AP", "--complete")[2] == ""


def test_scores_that_tie_against_the_order_written_are_a_warning(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run").write_text('{"1": [["a", 2.5], ["b", 2.5], ["c", 1.0]]}')
    assert "in topic 1 the order used is b, a, not that of the ranks" in rank(capsys, "-m", "AP", "--complete")[2]
    (folder / "run").write_text('{"1": {"a": 2.5, "b": 2.5, "c": 1.0}}')
    assert rank(capsys, "-m", "AP", "--complete")[2] == ""


def test_ranks_against_the_scores_are_a_warning(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "run").write_text("1 Q0 a 1 1.0 A\n1 Q0 b 2 2.0 A\n1 Q0 c 3 3.0 A\n")
    told = rank(capsys, "-m", "AP")[2]
    assert "run\t\twarning\trank-order\tThe ranks do not follow the scores in 1 topic, at 2 documents." in told
    assert "in topic 1 the order used is b (rank 2), a (rank 1)." in told


def test_a_level_that_no_judgment_reaches_is_a_warning(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = "can be above 0 for no run. The highest grade is"
    assert f"No document is judged 9 or more, so AP(rel=9) {told} " in rank(capsys, "-m", "AP(rel=9)", "-m", "nDCG")[2]
    (folder / "qrels").write_text("1 0 a 0\n1 0 b -1\n")
    assert (
        f"qrels\t\twarning\tnone-relevant\tNo document is judged 1 or more, so AP, nDCG {told} 0."
        in rank(capsys, "-m", "AP", "-m", "nDCG", "-m", "NumRet")[2]
    )


def test_a_pool_and_another_form_are_made_with_the_same_warning(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for content in ("1 Q0 a 1 1.0 A\n1 Q0 b 2 2.0 A\n", '{"1": [["a", 1.0], ["b", 2.0]]}'):
        (folder / "run").write_text(content)
        assert main(["pool", "--depth", "1", "--run", "run"]) == 0
        shown = capsys.readouterr()
        assert shown.out == "1\tb\n"
        assert shown.err.startswith("run\t\twarning\trank-order\tThe ranks do not follow the scores in 1 topic, at 1")
    assert main(["convert", "--from", "run-json", "--to", "msmarco-run", "run"]) == 0
    assert capsys.readouterr().err.startswith("run\t\twarning\trank-order\t")


@pytest.mark.parametrize(("name", "tag"), [("lm-jm_0.7.json", "lm-jm_0.7"), ("my run.json.txt", "my_run")])
def test_a_run_that_is_converted_has_the_files_name_as_its_tag(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, tag: str
) -> None:
    (folder / name).write_text('{"1": [["a", 2.5]]}')
    assert main(["convert", "--from", "run-json", "--to", "trec-run", name]) == 0
    assert capsys.readouterr().out == f"1 Q0 a 1 2.5 {tag}\n"


def test_rows_without_ranks_have_those_of_their_scores(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "run").write_text("qid,docno,score\n1,c,1\n1,a,3\n1,b,2\n")
    assert "warning" not in rank(capsys, "-m", "AP", "--complete")[2]
    found = [each for each in read_any_run(io.BytesIO((folder / "run").read_bytes())) if not isinstance(each, Issue)]
    assert [(each.docno, each.rank) for each in found] == [("a", 1), ("b", 2), ("c", 3)]


A, B, EMPTY, BAD, STRANGE = RUN, RUN.replace(" A\n", " B\n"), "", "1 Q0 a 1 x A\n", "7 Q0 a 1 2.0 S\n"
STRANGER = "no-common-topic\tNo topic of the run is judged in qrels. Check that the two belong together."


@pytest.mark.parametrize(
    ("files", "qrels", "status", "told"),
    [
        ((A, BAD, A, EMPTY, BAD), QRELS, 1, ["run1\t1\terror\tvalue", "run4\t1\terror\tvalue", "correct run1, run4"]),
        ((A, EMPTY, A, EMPTY), QRELS, 2, ["python -m scoring rank: two runs are called A: rename the one in run2"]),
        ((A, EMPTY, B, EMPTY), QRELS, 1, ["run1\t\terror\tempty-file", "correct run1"]),
        ((A, BAD), "1 0 a x\n", 1, ["qrels\t1\terror\tvalue", "run1\t1\terror\tvalue", "correct run1"]),
        ((A, STRANGE), "1 0 a x\n", 1, ["qrels\t1\terror\tvalue", "correct qrels"]),
        ((A, STRANGE, B), QRELS, 1, [f"run1\t\terror\t{STRANGER}", "correct run1"]),
        ((STRANGE, BAD), QRELS, 1, ["run1\t1\terror\tvalue", "correct run1"]),
    ],
)
def test_every_file_is_read_before_anything_is_refused(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    files: tuple[str, ...],
    qrels: str,
    status: int,
    told: list[str],
) -> None:
    (folder / "qrels").write_text(qrels)
    for number, content in enumerate(files):
        (folder / f"run{number}").write_text(content)
    runs = [part for number in range(len(files)) for part in ("--run", f"run{number}")]
    assert main(["rank", "--qrels", "qrels", *runs, "-m", "AP"]) == status
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = shown.err.splitlines()
    assert [part in line for part, line in zip(told, lines, strict=True)] == [True] * len(told)


def test_runs_are_held_one_at_a_time(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(6):
        lines = (f"1 Q0 doc-{place:06d} {place} {9000 - place} R{number}\n" for place in range(4_000))
        (folder / f"run{number}").write_text("".join(lines))

    def most(count: int) -> int:
        runs = [part for number in range(count) for part in ("--run", f"run{number}")]
        tracemalloc.start()
        try:
            assert main(["rank", "--qrels", "qrels", *runs, "-m", "AP"]) == 0
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    most(1)  # what is imported by the first call is no run
    assert most(6) < 1.1 * most(2)


def test_rank_imports_what_it_uses_alone(folder: Path) -> None:
    (folder / "import_rank.py").write_text(
        "import sys; from scoring.__main__ import main\n"
        "main(['rank', '--qrels', 'qrels', '--run', 'run', '-m', 'map'])\n"
        "others = {'pandas', 'ir_measures', 'scipy', 'statsmodels', 'scoring.commands.verify', 'scoring.pooling'}\n"
        "print(sorted(others & sys.modules.keys()))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "import_rank.py"], env={"PYTHONPATH": str(root)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-2:] == ["A\tall\tAP\t0.250000", "[]"]


def test_topics_that_a_run_leaves_out_are_warned_of_unless_they_count(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run").write_text(RUN.replace("2 Q0 y 1 3.0 A\n", ""))
    told = rank(capsys, "-m", "AP")[2]
    assert "The run leaves out 1 of 2 judged topics: means are over the others. With --complete a topic" in told
    assert rank(capsys, "-m", "AP", "--complete")[2] == ""


@pytest.mark.parametrize("written", ["02", "2.0"])
def test_a_topic_that_is_written_otherwise_is_named(
    written: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run").write_text(RUN.replace("2 Q0 y", f"{written} Q0 y"))
    assert f"The run has topic {written}, and the judgments have 2: write both alike." in rank(capsys, "-m", "AP")[2]


@pytest.mark.parametrize("written", ["A", "a.xml", "a\u200b", "“a”"])
def test_a_docno_that_is_written_otherwise_is_named(
    written: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "run").write_text(f"1 Q0 {written} 1 9.0 A\n1 Q0 b 2 8.0 A\n2 Q0 y 1 3.0 A\n")
    told = f"For topic 1 the run has {written}, which is not judged, and the judgments have a: write both alike."
    assert told in rank(capsys, "-m", "AP")[2].replace("\N{REPLACEMENT CHARACTER}", "\u200b")


def test_a_decimal_comma_is_told_as_such(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "run").write_text(RUN.replace("2 Q0 y 1 3.0", "2 Q0 y 1 3,0"))
    assert (
        'The score is "3,0"; it must be a finite number, with a point for its decimals.' in rank(capsys, "-m", "AP")[2]
    )
