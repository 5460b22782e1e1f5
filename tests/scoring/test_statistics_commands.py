"""What `compare`, `correlate` and `agree` take and print: every measure, what `rank` prints, labels in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.__main__ import main
from scoring.run_tags import stem

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n2 0 d 0\n3 0 e 1\n3 0 f 0\n"
RUNS = {
    "A": "1 Q0 a 1 2.0 A\n2 Q0 c 1 2.0 A\n3 Q0 e 1 2.0 A\n",
    "B": "1 Q0 b 1 2.0 B\n1 Q0 a 2 1.0 B\n2 Q0 d 1 2.0 B\n2 Q0 c 2 1.0 B\n3 Q0 e 1 2.0 B\n",
    "C": "1 Q0 b 1 2.0 C\n2 Q0 d 1 2.0 C\n2 Q0 c 2 1.0 C\n3 Q0 f 1 2.0 C\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text(QRELS)
    for name, text in RUNS.items():
        (tmp_path / f"{name}.run").write_text(text)
    return tmp_path


@pytest.fixture
def runs(folder: Path) -> list[str]:
    files = [word for name in RUNS for word in ("--run", str(folder / f"{name}.run"))]
    return ["--qrels", str(folder / "qrels"), *files]


def call(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, list[list[str]], str]:
    """Status, rows and complaints."""
    status = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return status, [line.split("\t") for line in out.splitlines()], err


# ---------------------------------------------------------------- compare


def test_compare_prints_every_measure_under_its_name(capsys: pytest.CaptureFixture[str], runs: list[str]) -> None:
    alone = {name: call(capsys, "compare", *runs, "-m", name)[1] for name in ("AP", "RR", "P@1")}
    status, rows, err = call(capsys, "compare", *runs, "-m", "AP", "-m", "P@1", "-m", "AP")
    assert (status, err) == (0, "")
    assert rows == alone["AP"] + alone["P@1"]
    assert [row[6] for row in rows] == ["AP"] * 15 + ["P@1"] * 15
    assert alone["AP"] != alone["P@1"]


def test_compare_names_the_measure_of_a_top_group(capsys: pytest.CaptureFixture[str], runs: list[str]) -> None:
    _, rows, _ = call(capsys, "compare", *runs, "-m", "AP", "-m", "P@1", "--top", "t")
    assert [(row[0], row[4]) for row in rows] == [(run, name) for name in ("AP", "P@1") for run in "ABC"]


# ---------------------------------------------------------------- correlate


@pytest.mark.parametrize("form", ["tsv", "json"])
def test_correlate_reads_what_rank_prints(
    capsys: pytest.CaptureFixture[str], folder: Path, runs: list[str], form: str
) -> None:
    scores = folder / "scores"
    assert main(["rank", *runs, "-m", "AP", "-m", "P@1", "--format", form]) == 0
    scores.write_text(capsys.readouterr().out)
    means = {"AP": {}, "P@1": {}}  # type: dict[str, dict[str, str]]
    for run, topic, measure, value in call(capsys, "rank", *runs, "-m", "AP", "-m", "P@1")[1]:
        if topic == "all":
            means[measure][run] = value
    for measure, values in means.items():
        (folder / measure).write_text("".join(f"{run} {value}\n" for run, value in values.items()))
    expected = call(capsys, "correlate", folder / "AP", folder / "P@1")
    assert call(capsys, "correlate", scores, scores, "-m", "AP", "-m", "P@1") == expected
    assert call(capsys, "correlate", folder / "AP", scores, "-m", "P@1")[0] == 2  # the first does not say its measure
    assert call(capsys, "correlate", scores, scores, "-m", "AP")[1][1] == ["tau", "1.000000"]
    (folder / "more").write_text((folder / "AP").read_text() + "elm 0.5\n")
    status, rows, told = call(capsys, "correlate", folder / "more", folder / "P@1")
    assert (status, rows) == expected[:2] and f" is not in {folder / 'P@1'} and left out: elm." in told
    status, rows, err = call(capsys, "correlate", scores, scores)
    assert (status, rows) == (2, [])
    assert "AP, P@1" in err


def test_figures_in_spite_of_errors_are_not_correlated(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    marked = folder / "marked"
    marked.write_text("a\tall\tAP\t0.5\terrors:0\nb\tall\tAP\t0.4\terrors:2\n")
    assert call(capsys, "correlate", marked, marked)[:2] == (1, [])
    row = {"topic": "all", "measure": "AP", "value": 0.5}
    marked.write_text(json.dumps([row | {"run": "a", "errors": 0}, row | {"run": "b", "errors": 2}]))
    assert call(capsys, "correlate", marked, marked)[:2] == (1, [])


# ---------------------------------------------------------------- names of runs


@pytest.mark.parametrize(
    ("name", "run"),
    [("lm-jm_lam0.7.json", "lm-jm_lam0.7"), ("bm25.k1-0.9.json.gz", "bm25.k1-0.9"), ("v1.2", "v1.2")],
)
def test_a_run_in_json_is_called_as_its_file(
    capsys: pytest.CaptureFixture[str], folder: Path, name: str, run: str
) -> None:
    (folder / name).write_text('{"1": [["a", 2.5]]}')
    assert stem(name) == run
    _, rows, _ = call(capsys, "rank", "--qrels", folder / "qrels", "--run", folder / name, "-m", "AP")
    assert {row[0] for row in rows} == {run}
    (folder / "named").write_text(f"{run} 1\n")
    words = ("pool", "--strategy", "priority", "--depths", "1:5", "--priorities", folder / "named")
    assert call(capsys, *words, "--run", folder / name)[1] == [["1", "a"]]


# ---------------------------------------------------------------- agree

FIRST = "1 a yes\n1 b no\n1 c partly\n2 a yes\n2 b no\n"
SECOND = "1 a yes\n1 b partly\n1 c partly\n2 a no\n2 b no\n"


@pytest.mark.parametrize("qrels", [False, True])
def test_labels_in_words_agree_as_numbers_would(capsys: pytest.CaptureFixture[str], folder: Path, qrels: bool) -> None:
    number = {"no": "0", "partly": "1", "yes": "2"}
    for name, text in (("first", FIRST), ("second", SECOND)):
        lines = [line.split() for line in text.splitlines()]
        (folder / name).write_text("".join(f"{t} {'0 ' * qrels}{i} {w}\n" for t, i, w in lines))
        (folder / f"{name}-n").write_text("".join(f"{t} {i} {number[w]}\n" for t, i, w in lines))
    status, words, err = call(capsys, "agree", folder / "first", folder / "second")
    _, numbers, _ = call(capsys, "agree", folder / "first-n", folder / "second-n")
    assert (status, err) == (0, "")
    assert [row[1] for row in words] == [row[1] for row in numbers]
    assert ["confusion yes no", "1"] in words
    (folder / "odd").write_text((folder / "first").read_text().replace("yes", "Yes", 1).replace("no", "NA", 1))
    told = call(capsys, "agree", folder / "odd", folder / "second")[2]
    assert "“Yes” and “yes” count as two labels: write both alike." in told and "“NA” counts as a label: take" in told
    ordered = call(
        capsys, "agree", folder / "first", folder / "second", "--level", "ordinal", "--order", "no,partly,yes"
    )
    expected = call(capsys, "agree", folder / "first-n", folder / "second-n", "--level", "ordinal")
    assert [row[1] for row in ordered[1]] == [row[1] for row in expected[1]]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_labels_in_two_bytes_a_letter_are_the_numbers_that_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], codec: str
) -> None:
    labels = "1 D1 2\n1 D2 0\n2 D1 1\n"
    (tmp_path / "plain").write_text(labels)
    (tmp_path / "wide").write_bytes(labels.encode(codec))
    status, rows, err = call(capsys, "agree", tmp_path / "plain", tmp_path / "wide")
    assert (status, "was read so" in err) == (0, True), err
    assert rows == call(capsys, "agree", tmp_path / "plain", tmp_path / "plain")[1]


def test_a_slip_among_numbers_is_no_label(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """One l for a 1 would else make names of all grades, and kappa of those."""
    (folder / "first").write_text("1 a 1\n1 b l\n")
    (folder / "second").write_text("1 a 1\n1 b 0\n")
    status, rows, err = call(capsys, "agree", folder / "first", folder / "second")
    assert (status, rows) == (1, [])
    assert err.startswith(f"{folder / 'first'}\t2\terror\tvalue\t")
    (folder / "first").write_text("1 a yes\n1 b 1\n")
    assert call(capsys, "agree", folder / "first", folder / "second")[:2] == (1, [])
    (folder / "first").write_text('{"1": {"a": 1,}}')
    assert "This is not JSON: column 15: a comma" in call(capsys, "agree", folder / "first", folder / "second")[2]
    (folder / "first").write_text("1 a yes\n1 b no\n")
    assert call(capsys, "agree", folder / "first", folder / "second")[:2] == (2, [])


@pytest.mark.parametrize(
    "options",
    [
        ("--level", "ordinal"), ("--level", "interval", "--order", "no,partly,yes"), ("--binary", "1"),
        ("--order", "no,yes"), ("--order", "no,no,partly,yes"),
    ],
)  # fmt: skip
def test_words_have_no_order_but_the_one_that_is_given(
    capsys: pytest.CaptureFixture[str], folder: Path, options: tuple[str, ...]
) -> None:
    (folder / "first").write_text(FIRST)
    (folder / "second").write_text(SECOND)
    assert call(capsys, "agree", folder / "first", folder / "second", *options)[:2] == (2, [])


# ---------------------------------------------------------------- problems


def test_errors_of_every_file_come_before_warnings_of_any(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """Lines that say the same are told together; a warning is what nuggetizer says of a failed importance."""
    line = {"qid": "1", "query": "q", "nuggets": [{"text": "a", "importance": "failed"}]}
    (folder / "lists.jsonl").write_text(json.dumps(line) + "\n")
    (folder / "matches").write_text("1 r one 1\n" * 40)
    status, _, err = call(capsys, "nuggets", "--nuggets", folder / "lists.jsonl", "--matches", folder / "matches")
    rows = [line.split("\t") for line in err.splitlines()]
    assert status == 1
    assert [row[2] for row in rows if len(row) == 5] == ["error", "warning"]
    assert rows[0][4].startswith("40 lines: ")
    assert rows[2] == [f"python -m scoring nuggets: nothing was computed; correct {folder / 'matches'}"]


def test_an_empty_file_of_matches_is_refused_where_lengths_name_the_runs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every run had 0, and the command said that all was well."""
    (folder / "lists").write_text("1 1 vital It stopped in May.\n")
    (folder / "matches").write_text("")
    (folder / "lengths").write_text("1 A 120\n")
    words = ("--nuggets", folder / "lists", "--matches", folder / "matches", "--lengths", folder / "lengths")
    status, rows, err = call(capsys, "nuggets", *words)
    assert (status, rows) == (1, []) and "There is no match or response in the file" in err
