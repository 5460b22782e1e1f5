"""The command line in processes of their own, where Django cannot be imported."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from scoring.__main__ import main
from scoring.pooling import PoolEntry, Recipe, pool_digest, read_recipe

ROOT = Path(__file__).resolve().parent.parent.parent
WITHOUT_DJANGO = """
import sys
class NoDjango:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"django", "rest_framework"}:
            raise ImportError(f"scoring must not import {name}")
sys.meta_path.insert(0, NoDjango())
"""
ONE_CALL = """
from scoring.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
ANY_CALLS = """
import io, json, traceback
from scoring.__main__ import main
calls, answers = sys.stdin, sys.stdout
for line in calls:
    call = json.loads(line)
    sys.stdin = io.TextIOWrapper(io.BytesIO(bytes.fromhex(call["given"])))
    sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    try:
        status = main(call["arguments"])
    except SystemExit as end:
        status = end.code
    except BaseException:
        status = traceback.print_exc() or 1
    printed = [stream.flush() or stream.buffer.getvalue().decode() for stream in (sys.stdout, sys.stderr)]
    print(json.dumps([status, *printed]), file=answers, flush=True)
"""

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n3 0 d 1\n"
RUN = "1 Q0 b 1 2.0 {0}\n1 Q0 a 2 1.0 {0}\n2 Q0 c 1 1.0 {0}\n"
NUGGETS = (
    "1.1 1 vital one\n1.1 2 vital two\n1.1 3 okay three\n1.1 4 vital four\n"
    "1.1 5 vital five\n1.1 6 vital six\n1.2 1 okay only\n"
)


@pytest.fixture(scope="module")
def process():
    """One process for all calls: most of them would do little else than begin."""
    command = [sys.executable, "-c", WITHOUT_DJANGO + ANY_CALLS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True) as begun:
        yield begun
        begun.stdin.close()
    assert begun.returncode == 0


@pytest.fixture
def scoring(process):
    def call(*arguments, given=b""):
        print(json.dumps({"arguments": [*map(str, arguments)], "given": given.hex()}), file=process.stdin, flush=True)
        return json.loads(process.stdout.readline())

    return call


def here(capsys, *arguments):
    """The same in this process, for what ends before anything is read or computed."""
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as end:
        status = end.code
    shown = capsys.readouterr()
    return status, shown.out, shown.err


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN.format("A"))
    (tmp_path / "b.run").write_text("1 Q0 a 1 2.0 B\n2 Q0 x 1 1.0 B\n2 Q0 c 2 0.5 B\n")
    (tmp_path / "nuggets").write_text(NUGGETS)
    (tmp_path / "matches").write_text("1.1 r 1 1\n1.1 r 1 2\n1.1 r 2 2\n1.1 r 2 3\n")
    return tmp_path


def test_rank_prints_topics_then_all(folder):
    call = ["rank", "--qrels", folder / "qrels", "--run", folder / "a.run", "-m", "AP", "-m", "P@1"]
    command = [sys.executable, "-c", WITHOUT_DJANGO + ONE_CALL, *map(str, call)]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, text=True)
    out = done.stdout
    (warning,) = done.stderr.splitlines()
    assert (done.returncode, warning.split("\t")[2:4]) == (0, ["warning", "left-out"])
    assert out.splitlines() == [
        "A\t1\tAP\t0.500000", "A\t1\tP@1\t0.000000", "A\t2\tAP\t1.000000", "A\t2\tP@1\t1.000000",
        "A\tall\tAP\t0.750000", "A\tall\tP@1\t0.500000",
    ]  # fmt: skip


def test_rank_complete_and_json(folder, scoring):
    status, out, _ = scoring(
        "rank", "--qrels", folder / "qrels", "--run", folder / "a.run", "-m", "AP", "--complete", "--format", "json"
    )
    assert status == 0
    assert json.loads(out)[-1] == {"run": "A", "topic": "all", "measure": "AP", "value": 0.5, "topics": 3}


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress, bytes])
def test_standard_input_may_be_compressed(folder, pack, scoring):
    status, out, _ = scoring(
        "rank", "--qrels", "-", "--run", folder / "a.run", "-m", "RR", "--binary", "1", given=pack(QRELS.encode())
    )
    assert status == 0
    assert out.splitlines()[-1] == "A\tall\tRR\t0.750000"


def test_bad_lines_are_told_and_nothing_is_computed(folder, scoring):
    (folder / "bad.run").write_text("1 Q0 a 1 2.0 X\n1 Q0 a 2 1.0 X\n1 Q0 b\n")
    status, out, err = scoring("rank", "--qrels", folder / "qrels", "--run", folder / "bad.run", "-m", "AP")
    assert (status, out) == (1, "")
    assert [line.split("\t")[1:4] for line in err.splitlines()[:2]] == [
        ["2", "error", "duplicate"],
        ["3", "error", "columns"],
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("rank", "--qrels", "qrels", "--run", "a.run", "-m", "nope@3"),
        ("rank", "--qrels", "qrels", "--run", "a.run", "-m", "nuggetF"),
        ("rank", "--qrels", "absent", "--run", "a.run", "-m", "AP"),
        ("rank", "--qrels", "qrels", "--run", "a.run", "--run", "a.run", "-m", "AP"),
        ("rank", "--qrels", "-", "--run", "-", "-m", "AP"),
        ("rank", "--qrels", "qrels", "--run", "a.run"),
        ("pool", "--strategy", "rrf", "--run", "a.run"),
        ("pool", "--strategy", "stratified", "--strata", "x", "--run", "a.run"),
        ("pool", "--strategy", "priority", "--depths", "1:5", "--run", "a.run"),
        ("pool", "--depth", "0", "--run", "a.run"),
        ("pool", "--run", "a.run", "--run", "a.run"),
        ("pool", "--run", "-", "--minus", "-"),
        ("nuggets", "--nuggets", "nuggets", "--matches", "matches"),
        ("agree", "qrels"),
        ("compare", "--qrels", "qrels", "-m", "AP", "--run", "a.run"),
        ("convert", "--from", "qrels", "--to", "votes", "qrels"),
        ("convert", "--from", "qrel", "--to", "scores", "a.run"),
        (),
    ],
)
def test_wrong_calls_end_with_two_and_a_sentence(folder, capsys, arguments):
    files = {path.name: path for path in folder.iterdir()} | {"absent": folder / "absent"}
    status, out, err = here(capsys, *arguments[:1], *(files.get(word, word) for word in arguments[1:]))
    assert (status, out) == (2, "")
    assert err.startswith("python -m scoring")
    assert "Traceback" not in err


def test_nuggets_score_as_the_formula_says(folder, scoring):
    (folder / "lengths").write_text("1.1 r 450\n1.2 r 10\n")
    status, out, err = scoring(
        "nuggets", "--nuggets", folder / "nuggets", "--matches", folder / "matches", "--lengths", folder / "lengths"
    )
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "r\t1.1\tNR\t0.400000", "r\t1.1\tNP\t0.666667", "r\t1.1\tF\t0.416667",
        "r\t1.2\tNR\tundefined", "r\t1.2\tNP\t0.000000", "r\t1.2\tF\tundefined",
        "r\tall\tNR\t0.400000", "r\tall\tNP\t0.666667", "r\tall\tF\t0.416667",
    ]  # fmt: skip


def test_nuggets_with_votes_and_responses(folder, scoring):
    (folder / "nuggets").write_text("1 1 vital a\n1 2 vital b\n1 3 okay c\n1 4 okay d\n")
    counts = {1: 9, 2: 6, 3: 3, 4: 0}
    (folder / "votes").write_text(
        "".join(f"1 {n} A{v} {'vital' if v < counts[n] else 'okay'}\n" for n in counts for v in range(9))
    )
    (folder / "matches").write_text("1 r 1 2\n1 r 2 3\n")
    (folder / "responses").write_text("1 r D1 " + "x " * 125 + "\n1 r D2 " + "y" * 125 + "\n")
    status, out, _ = scoring(
        "nuggets", "--nuggets", folder / "nuggets", "--matches", folder / "matches", "--votes", folder / "votes",
        "--responses", folder / "responses", "--pyramid",
    )  # fmt: skip
    assert status == 0
    assert out.splitlines()[:3] == ["r\t1\tNR\t0.500000", "r\t1\tNP\t0.800000", "r\t1\tF\t0.519481"]


def test_nuggets_reads_nuggetizer(folder, scoring):
    nuggets = [{"text": "a", "importance": "vital"}, {"text": "b", "importance": "vital"}]
    assigned = [nuggets[0] | {"assignment": "support"}, nuggets[1] | {"assignment": "partial_support"}]
    (folder / "lists.jsonl").write_text(json.dumps({"qid": "1", "query": "q", "nuggets": nuggets}) + "\n")
    (folder / "assigned.jsonl").write_text(
        json.dumps({"qid": "1", "query": "q", "run_id": "r", "answer_text": "short", "nuggets": assigned}) + "\n"
    )
    status, out, err = scoring("nuggets", "--nuggets", folder / "lists.jsonl", "--matches", folder / "assigned.jsonl")
    assert (status, err) == (0, "")
    assert out.splitlines()[:2] == ["r\t1\tNR\t0.500000", "r\t1\tNP\t1.000000"]


def test_matches_of_unknown_nuggets_are_refused(folder, scoring):
    (folder / "matches").write_text("1.1 r 1 77\n")
    (folder / "lengths").write_text("1.1 r 5\n")
    status, _, err = scoring(
        "nuggets", "--nuggets", folder / "nuggets", "--matches", folder / "matches", "--lengths", folder / "lengths"
    )
    assert status == 2
    assert "nugget 77 of topic 1.1 is on no list" in err


def test_pool_prints_topic_and_docno(folder, scoring):
    status, out, _ = scoring("pool", "--depth", 1, "--run", folder / "a.run", "--run", folder / "b.run")
    assert (status, out) == (0, "1\ta\n1\tb\n2\tc\n2\tx\n")
    status, out, _ = scoring("pool", "--depth", 1, "--run", folder / "a.run", "--minus", folder / "qrels")
    assert (status, out) == (0, "")
    status, out, _ = scoring("pool", "--strategy", "stratified", "--strata", "1:1,2:0.5", "--run", folder / "a.run")
    assert (status, out) == (0, "1\ta\t2\t1.000000\n1\tb\t1\t1.000000\n2\tc\t1\t1.000000\n")


def test_pool_with_strategies_that_need_more_files(folder, scoring):
    (folder / "priorities").write_text("A 1\nB 2\n")
    runs = ("--run", folder / "a.run", "--run", folder / "b.run")
    by_priority = ("--strategy", "priority", "--priorities", folder / "priorities", "--depths", "1:2,2:1")
    status, out, _ = scoring("pool", *by_priority, *runs)
    assert (status, out) == (0, "1\ta\n1\tb\n2\tc\n2\tx\n")
    (folder / "judged").write_text("1 0 b 0\n2 0 c 2\n")
    online = ("--strategy", "move-to-front", "--budget", 1, "--minus", folder / "judged")
    status, out, _ = scoring("pool", *online, *runs)
    assert (status, out) == (0, "1\ta\n2\tx\n")


def test_pool_prints_its_recipe_and_digest(folder, scoring):
    status, out, _ = scoring("pool", "--depth", 1, "--run", folder / "a.run", "--digest")
    rows = dict(line.split("\t") for line in out.splitlines())
    recipe = Recipe(depth=1)
    pool = [PoolEntry(topic="1", docno="b"), PoolEntry(topic="2", docno="c")]
    assert status == 0
    assert read_recipe(rows["recipe"]) == recipe
    assert (rows["documents"], rows["sha256"]) == ("2", pool_digest(recipe, pool))


def test_pool_reads_every_file_before_it_complains(folder, scoring):
    (folder / "bad.run").write_text("1 Q0 a 1 2.0 X\n1 Q0 a 2 1.0 X\n")
    status, out, err = scoring("pool", "--run", folder / "bad.run", "--minus", folder / "bad.run")
    assert (status, out) == (1, "")
    assert [line.split("\t")[3] for line in err.splitlines()[:-1]] == ["duplicate", "other-file"]


def test_agree_reads_qrels_and_tables(folder, scoring):
    (folder / "table").write_text("1 a 1\n1 b 1\n2 c 1\n")
    status, out, _ = scoring("agree", folder / "qrels", folder / "table")
    rows = dict(line.split("\t") for line in out.splitlines())
    assert status == 0
    assert (rows["judges"], rows["items"], rows["agreement"], rows["overlap"]) == ("2", "3", "0.666667", "0.750000")
    assert rows["cohen_kappa"] == "0.000000"


def test_agree_prints_topics_and_intervals(folder, scoring):
    (folder / "table").write_text("1 a 1\n1 b 1\n2 c 1\n")
    status, out, _ = scoring("agree", folder / "qrels", folder / "table", "--per-topic", "--bootstrap", "items")
    rows = {(topic, measure): (value, low, high) for topic, measure, value, low, high in map(_cells, out.splitlines())}
    assert status == 0
    assert {topic for topic, _ in rows} == {"1", "2", "all"}
    assert rows["all", "items"] == ("3", "", "")
    assert rows["1", "agreement"] == ("0.500000", "0.000000", "1.000000")
    assert rows["2", "cohen_kappa"] == rows["2", "ac1"] == ("undefined",) * 3
    assert rows["all", "overlap"][0] == "0.750000"


def _cells(line):
    return line.split("\t")


def test_compare_prints_every_test(folder, scoring):
    status, out, _ = scoring(
        "compare", "--qrels", folder / "qrels", "-m", "RR", "--run", folder / "a.run", "--run", folder / "b.run"
    )
    assert status == 0
    assert [line.split("\t")[:3] for line in out.splitlines()] == [
        ["A", "B", name] for name in ("t", "randomisation", "wilcoxon", "sign", "tukey")
    ]


def test_compare_marks_the_top_group(folder, scoring):
    call = ("compare", "--qrels", folder / "qrels", "-m", "RR", "--run", folder / "a.run", "--run", folder / "b.run")
    status, out, _ = scoring(*call, "--top", "tukey")
    assert status == 0
    assert [(line.split("\t")[0], line.split("\t")[3]) for line in out.splitlines()] == [("A", "top"), ("B", "top")]
    status, out, _ = scoring(*call, "--correction", "holm", "--format", "json")
    columns = ["run_a", "run_b", "test", "statistic", "p", "effect", "measure"]
    assert [list(row) for row in json.loads(out)] == [columns] * 5


def test_correlate_prints_four_measures(folder, scoring):
    (folder / "x").write_text("a 1\nb 2\nc 3\n")
    (folder / "y").write_text("a\t1\nb\t3\nc\t2\n")
    status, out, _ = scoring("correlate", folder / "x", folder / "y")
    assert status == 0
    rows = dict(line.split("\t") for line in out.splitlines())
    assert (rows["runs"], rows["tau"], rows["tau_b"], rows["tau_ap"]) == ("3", "0.333333", "0.333333", "0.000000")


def test_convert_there_and_back(folder, scoring):
    status, out, _ = scoring("convert", "--from", "qrels", "--to", "item-values", folder / "qrels")
    assert (status, out) == (0, "1\ta\t1\n1\tb\t0\n2\tc\t1\n3\td\t1\n")
    status, out, _ = scoring("convert", "--from", "item-values", "--to", "qrels", "-", given=out.encode())
    assert (status, out) == (0, QRELS)


@pytest.mark.parametrize(
    "command", ["formats", "measures", "rank", "nuggets", "pool", "agree", "compare", "correlate", "convert"]
)
def test_help_shows_an_example(capsys, command):
    status, out, _ = here(capsys, command, "--help")
    assert status == 0
    assert f"example:\n  python -m scoring {command}" in out


def test_lists_have_a_line_for_each_name(scoring):
    for command, name in (("formats", "qrels"), ("measures", "nuggetF(beta=3,allowance=100,pyramid=false)")):
        status, out, _ = scoring(command)
        assert status == 0
        assert name in [line.split("\t")[0] for line in out.splitlines()]
