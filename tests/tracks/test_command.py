from __future__ import annotations

import gzip
import io
import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from tracks.__main__ import EXAMPLES, main

DATA = Path(__file__).parent.parent / "data" / "small-campaign"
ROOT = Path(__file__).parent.parent.parent
QUESTIONS = str(DATA / "questions.xml")
GOLD = ["--gold", str(DATA / "gold"), QUESTIONS]
AMBER = str(DATA / "runs" / "good" / "Amber1")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    try:
        status = main(arguments)
    except SystemExit as stop:
        status = int(stop.code or 0)
    out, err = capsys.readouterr()
    return status, out, err


def test_list_prints_key_label_tasks_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "list")
    assert status == 0
    assert out.splitlines()[0].split("\t") == [
        "tac2008-qa",
        "TAC 2008 Question Answering",
        "rigid,squishy",
        "TAC 2008 Question Answering Track Guidelines (NIST, 2008)",
    ]


def test_check_of_a_good_run_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    docnos = str(DATA / "docnos.txt")
    assert run(capsys, "check", "tac2008-qa", "--topics", QUESTIONS, "--docnos", docnos, AMBER) == (0, "", "")


@pytest.mark.parametrize(
    ("track", "given", "left_out"),
    [
        (
            "biogen2024",
            ("topics.json", "runs/good/Heron.json"),
            "whether the documents that it names exist, since no valid docnos",
        ),
        (
            "context25",
            ("task2-claims.json", "runs/good/Dahlia.json"),
            "whether its quotes stand in their documents, since no documents",
        ),
    ],
)
def test_check_says_which_checks_it_left_out(capsys: pytest.CaptureFixture[str], track, given, left_out) -> None:
    """ "PMID must exist within the release dataset" (BioGen 2024); "verbatim quotes from the paper" (Context25)"""
    folder = DATA.parent / "tracks" / track
    topics, run_file = (str(folder / name) for name in given)
    _, _, err = run(capsys, "check", track, "--topics", topics, run_file)
    assert [line.split("\t")[2:4] for line in err.splitlines()] == [["note", "not-checked"]]
    assert left_out in err
    lists = {"biogen2024": ["--docnos", str(folder / "docnos.txt.gz")], "context25": ["--documents", str(folder)]}
    _, _, err = run(capsys, "check", track, "--topics", topics, *lists[track], run_file)
    assert err == ""


def test_check_prints_one_line_an_issue_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--topics", QUESTIONS, "--docnos", str(DATA / "docnos.txt"), str(DATA / "runs/bad/columns.txt")]
    status, out, err = run(capsys, "check", "tac2008-qa", *given)
    assert (status, err) == (1, "")
    assert (
        out.splitlines()[0]
        == "2\terror\tcolumns\tThe line has 2 columns; it needs four: qid run-tag docid answer-string."
    )
    assert all(len(line.split("\t")) == 4 for line in out.splitlines())


def test_check_with_warnings_alone_passes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(Path(AMBER).read_bytes().replace(b"\n", b"\r\n"))
    status, out, _ = run(capsys, "check", "tac2008-qa", "--topics", QUESTIONS, str(path))
    assert (status, out.split("\t")[:3]) == (0, ["1", "warning", "carriage-returns"])


def test_check_knows_the_form(capsys: pytest.CaptureFixture[str]) -> None:
    form = ["--form", "team=Amber", "--form", "priority=1", "--form", "automatic=no", "--form", "documents=top50"]
    status, out, _ = run(capsys, "check", "tac2008-qa", "--topics", QUESTIONS, *form, AMBER)
    assert status == 1
    assert [line.split("\t")[2] for line in out.splitlines()] == ["priority-manual", "manual-description"]


def test_check_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    bad = str(DATA / "runs/bad/length.txt")
    status, out, _ = run(capsys, "check", "tac2008-qa", "--format", "json", "--topics", QUESTIONS, bad)
    (issue,) = json.loads(out)
    assert (status, issue["where"], issue["code"]) == (1, "12", "answer-length")


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".zst", zstandard.compress)])
def test_compressed_files_are_read_as_they_are(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, suffix: str, compress: object
) -> None:
    assert callable(compress)
    paths = {}
    for name, source in (("run", Path(AMBER)), ("questions.xml", Path(QUESTIONS)), ("docnos", DATA / "docnos.txt")):
        paths[name] = tmp_path / (name + suffix)
        paths[name].write_bytes(compress(source.read_bytes()))
    topics, docnos, submitted = str(paths["questions.xml"]), str(paths["docnos"]), str(paths["run"])
    assert run(capsys, "check", "tac2008-qa", "--topics", topics, "--docnos", docnos, submitted) == (0, "", "")
    gold = [str(path) for path in (DATA / "gold").iterdir()]
    status, out, _ = run(capsys, "score", "tac2008-qa", "--gold", *gold, topics, "--run", submitted)
    assert (status, out.splitlines()[0]) == (0, "Amber1\t1.1\tF\t0.333333")


def test_score_gives_the_golden_table(capsys: pytest.CaptureFixture[str]) -> None:
    runs = [str(path) for path in sorted((DATA / "runs" / "good").iterdir())]
    status, out, err = run(capsys, "score", "tac2008-qa", *GOLD, "--run", *runs)
    assert (status, err) == (0, "")
    assert out == (DATA / "expected" / "scores.tsv").read_text()


def test_score_takes_options_once_each_or_many_times(capsys: pytest.CaptureFixture[str]) -> None:
    both = run(capsys, "score", "tac2008-qa", *GOLD, "--run", AMBER, "--run", AMBER.replace("Amber", "Basil"))
    together = run(capsys, "score", "tac2008-qa", *GOLD, "--run", AMBER, AMBER.replace("Amber", "Basil"))
    assert both == together
    assert both[0] == 0


def test_score_with_settings(capsys: pytest.CaptureFixture[str]) -> None:
    basil = AMBER.replace("Amber", "Basil")
    arguments = ["--set", "beta=1", "--set", "allowance=10", "--format", "json", "--run", basil]
    status, out, _ = run(capsys, "score", "tac2008-qa", *GOLD, *arguments)
    (f,) = [row for row in json.loads(out) if (row["topic"], row["measure"]) == ("1.2", "F")]
    assert status == 0
    assert f["value"] == pytest.approx(0.597015, abs=1e-6)


def test_score_prints_undefined(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "score", "tac2008-qa", *GOLD, "--run", AMBER)
    assert "Amber1\t3.2\tF\tundefined" in out.splitlines()


def test_score_reads_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(AMBER).read_bytes())))
    status, out, _ = run(capsys, "score", "tac2008-qa", *GOLD, "--run", "-")
    assert (status, out.split("\t")[0]) == (0, "Amber1")


def test_score_explains_one_value(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "score", "tac2008-qa", *GOLD, "--run", AMBER, "--explain", "1.1", "IP")
    assert (status, out.splitlines()[0]) == (0, "Amber1\t1.1\tIP\tIP = 1 / 4 = 0.2500")
    assert "\t4\tBLOG06-20060101-000-0000000003\tnon-exact\t\tdark chocolate and nuts" in out.splitlines()


COLUMNS = str(DATA / "runs/bad/columns.txt")


def test_a_run_with_errors_is_told_of_and_not_scored(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "score", "tac2008-qa", *GOLD, "--run", COLUMNS)
    assert (status, out) == (1, "")
    assert [line.split("\t")[3] for line in err.splitlines()[:3]] == ["columns", "blank-line", "empty-answer"]
    assert err.splitlines()[-1] == f"python -m tracks: runs with errors are not scored; correct {COLUMNS}"


def test_the_other_runs_are_scored_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    alone = run(capsys, "score", "tac2008-qa", *GOLD, "--run", AMBER)[1]
    status, out, _ = run(capsys, "score", "tac2008-qa", *GOLD, "--run", COLUMNS, "--run", AMBER)
    assert (status, out) == (1, alone)


def test_in_spite_of_errors_every_row_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    basil = AMBER.replace("Amber", "Basil")
    call = ["score", "tac2008-qa", *GOLD, "--run", COLUMNS, basil, "--in-spite-of-errors"]
    status, out, err = run(capsys, *call)
    assert status == 1
    errors = sum(line.split("\t")[2:3] == ["error"] for line in err.splitlines())
    assert {(line.split("\t")[0], line.split("\t")[4]) for line in out.splitlines()} == {
        ("Amber1", f"errors:{errors}"), ("Basil1", "errors:0"),
    }  # fmt: skip
    _, out, _ = run(capsys, *call, "--format", "json")
    assert {(row["run"], row["errors"]) for row in json.loads(out)} == {("Amber1", errors), ("Basil1", 0)}
    _, out, _ = run(capsys, *call, "--explain", "1.1", "IP")
    assert out.splitlines()[0].endswith(f"\terrors:{errors}")


def test_errors_of_every_file_come_before_warnings_of_any(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    warned = tmp_path / "warned"
    warned.write_bytes(Path(AMBER).read_bytes().replace(b"\n", b"\r\n"))
    broken = tmp_path / "broken"
    broken.write_text("1.1 Amber1 D\n" * 40)
    _, _, err = run(capsys, "score", "tac2008-qa", *GOLD, "--run", str(warned), str(broken))
    rows = [line.split("\t") for line in err.splitlines()]
    shown = [(row[0], row[2]) for row in rows if len(row) == 5]
    assert shown == [(str(broken), "error"), (str(warned), "warning")]
    assert rows[0][4].startswith("This is 3 columns by white space. No line has the columns of a run of answers.")


def test_score_with_broken_gold_stops(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shutil.copytree(DATA / "gold", tmp_path / "gold")
    nuggets = tmp_path / "gold" / "nuggets.tsv"
    nuggets.write_text("1.2\tone\tvital\tx\n")
    call = ["score", "tac2008-qa", "--gold", str(tmp_path / "gold"), QUESTIONS, "--run", AMBER]
    for more in ([], ["--in-spite-of-errors"]):
        status, out, err = run(capsys, *call, *more)
        assert (status, out) == (1, "")
        assert err.splitlines()[0].startswith(f"{nuggets}\t1\terror\tvalue\tThe nugget number")


def test_segment_prints_the_strings_that_are_judged(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "segment", "tac2008-qa", AMBER)
    assert status == 0
    assert out.splitlines()[1].split("\t")[:3] == ["1.1", "2", "BLOG06-20060101-000-0000000002"]


WRONG: dict[str, list[str]] = {
    "no command": [],
    "unknown command": ["dance"],
    "unknown track": ["check", "trec", "--topics", QUESTIONS, AMBER],
    "unknown task": ["check", "tac2008-qa", "--task", "factoid", "--topics", QUESTIONS, AMBER],
    "no topics": ["check", "tac2008-qa", AMBER],
    "no such run": ["check", "tac2008-qa", "--topics", QUESTIONS, "/nowhere/run"],
    "no such topics": ["check", "tac2008-qa", "--topics", "/nowhere.xml", AMBER],
    "no such docnos": ["check", "tac2008-qa", "--topics", QUESTIONS, "--docnos", "/nowhere", AMBER],
    "no conversion": ["convert", "tac2008-qa", AMBER],
    "unknown setting": ["score", "tac2008-qa", "--set", "gamma=1", *GOLD, "--run", AMBER],
    "setting of the wrong type": ["score", "tac2008-qa", "--set", "beta=big", *GOLD, "--run", AMBER],
    "setting out of range": ["score", "tac2008-qa", "--set", "beta=-1", *GOLD, "--run", AMBER],
    "setting without a value": ["score", "tac2008-qa", "--set", "beta", *GOLD, "--run", AMBER],
    "the same gold file twice": ["score", "tac2008-qa", *GOLD, QUESTIONS, "--run", AMBER],
    "no such value": ["score", "tac2008-qa", *GOLD, "--run", AMBER, "--explain", "9.9", "F"],
    "form without a value": ["check", "tac2008-qa", "--topics", QUESTIONS, "--form", "team", AMBER],
    "form priority in words": ["check", "tac2008-qa", "--topics", QUESTIONS, "--form", "priority=one", AMBER],
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_call_is_said_with_status_2(capsys: pytest.CaptureFixture[str], name: str) -> None:
    status, out, err = run(capsys, *WRONG[name])
    assert (status, out) == (2, "")
    assert err.startswith("python -m tracks")


def test_broken_topics_are_input_with_errors(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "check", "tac2008-qa", "--topics", AMBER, AMBER)
    assert (status, out) == (1, "")
    assert "a form in which topics can't be read here. It is read here as XML" in err


@pytest.mark.parametrize("command", EXAMPLES)
def test_help_shows_an_example(capsys: pytest.CaptureFixture[str], command: str) -> None:
    status, out, _ = run(capsys, command, "--help")
    assert status == 0
    assert f"Example:\n  {EXAMPLES[command]}\n" in out


def test_help_of_a_design_with_faults_is_a_wrong_call(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("key = 3\n")
    for name, words in (("bad.toml", "The design needs title."), ("none.toml", "No such file")):
        status, out, err = run(capsys, "score", str(tmp_path / name), "--help")
        assert (status, out, words in err) == (2, "", True)


def test_example_of_score_works_as_it_stands(tmp_path: Path) -> None:
    """The words of --help, run in a folder that has the files they name."""
    shutil.copytree(DATA / "gold", tmp_path / "export")
    shutil.copy(QUESTIONS, tmp_path / "export")
    shutil.copy(AMBER, tmp_path / "myrun1")
    shutil.copy(AMBER, tmp_path / "otherrun1")
    words = shlex.split(EXAMPLES["score"])[1:]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "Amber1\t1.1\tF\t0.333333"


def test_command_needs_no_django() -> None:
    """Of the kinds of work on nuggets it loads what may be chosen of them, and nothing else."""
    code = (
        "import sys, tracks.__main__; assert 'django' not in sys.modules; "
        "assert {each for each in sys.modules if each.startswith('nuggets.')} == {'nuggets.options'}"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_exported_folder_is_scored_as_it_is_with_its_manifest(tmp_path, capsys):
    for name in ("questions.xml", "instances.tsv", "manifest.json"):
        (tmp_path / name).write_text("")
    main(["score", "tac2008-qa", "--gold", str(tmp_path), "--run", "-"])
    assert "unknown-file" not in capsys.readouterr().err
