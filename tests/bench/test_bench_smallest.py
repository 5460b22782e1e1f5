"""Every benchmark, at its smallest size: it ends well and prints its figures, so that it can be trusted at any.

`make test` leaves out those that time whole servers and worker processes: they start dozens of processes.
`make test-all` runs all of them.
"""

from __future__ import annotations

import re
import shutil
from importlib import import_module
from pathlib import Path

import pytest

from bench.figures import read
from tests.bench.measured import ROOT, in_test_all, printed

PURE = {
    "heavy": (
        "--people 2 --seconds 2 --pause 1 --names robust --share 0.02",
        r"alone\t.*\nbeside heavy pages\t.*\n(/.*\n)+\d+ judgments, 0 refused, lost or doubled",
    ),
    "import": (
        "--topics 2 --lines 3 --largest 5",
        r"import\t11 lines\t.*\nsaving\t.*, longest .*\t0 refused, lost or doubled",
    ),
    "find": (
        "--documents 40 --wanted 4 --shards 2 --rounds 1",
        r"ratio, Parquet\t\S+\n1 wanted, 2 of processes\t\S+ s\t\S+ s of CPU\tload \S+\n4 wanted, 1 of processes",
    ),
    "large_runs": ("--topics 2 --depth 10", r"check .* MB\npandas .* MB\nmixed: .*\nrepair .* MB\nratio of check"),
    "pages": ("--pages 2 --repeat 1", r"ratio import / bleach.clean"),
    "pools": ("--runs 2 --topics 2 --ranks 5 --depth 3", r"ours to sort, whole: "),
    "start": (
        "--rounds 1",
        r"check\t\S+, \S+ s\tempty .*ratio.*\nfirst answer\t.*\nweb process\t\S+, \S+ MB\tempty .* MB\tratio",
    ),
    "runs": ("--questions 2 --instances 2 --rounds 1", r"checked +\S+ s\npandas +\S+ s\nratio"),
}
SITE = {
    "http": (
        "--rounds 1 --requests 8 --seconds 1 --rate 20",
        r"1 client\tjudgment\t.*/s, .* ms\n8 clients\tjudgment\t.*\n20 a second\tjudgment\t.*",
    ),
    "load": ("--targets 1 --runs 1 --docnos 500 --documents 5", r"search \S+ \S+ \S+\t1 query"),
    "site_pools": (
        "--runs 2 --topics 2 --ranks 60 --depth 3",
        r"\nread\t.*\t2 runs\nplan\t.*\nbuild\t.*\ngrow\t.*built in",
    ),
    "upload": ("--topics 1 --port 0", r"check\t.*\taccepted; (.*\n)+too much\t.*\t413 after (.*\n)+plain\t"),
    "workbench": (
        "--rounds 1 --items 2 --nuggets 2 --responses 2",
        r"work .*\nbench of 2 .*\nitem of 2 .* kB\nnuggets .*\nmatches .* kB",
    ),
}
ELSEWHERE = {"likeness", "marks", "peers", "rank", "release", "site"}
"""They have tests of their own, which look at what they make, too."""
PROCESSES = {"find", "heavy", "http", "import", "start", "site_pools", "upload", "hostile_posts"}
"""They start most processes."""


HOSTILE = {
    "hostile_checks": (
        "--size 0.001 --every 50 --least 0 --only topics/topics",
        r"adhoc/topics/topics\tline breaks\t.* errors, .*\n(.*\n)*adhoc/topics/topics\tlongest of \d",
    ),
    "hostile_posts": (
        "--people 2 --posts 2 --seconds 1 --size 0.001",
        r"alone\t.*\nbeside 2 posts\t.*\nposts\t.*\n\d+ judgments, 0 refused, lost or doubled",
    ),
}
"""What somebody with bad intentions can do; named without `bench_`."""


def each_of(benchmarks: dict[str, tuple[str, str]]) -> pytest.MarkDecorator:
    """A test for each, of which some are for `make test-all`."""
    cases = [pytest.param(name, marks=in_test_all if name in PROCESSES else ()) for name in benchmarks]
    return pytest.mark.parametrize("name", cases)


@pytest.mark.slow
@each_of(PURE)
def test_it_prints_its_figures(name: str, tmp_path: Path) -> None:
    arguments, figures = PURE[name]
    said = printed(f"bench.bench_{name}", *arguments.split(), "--json", str(tmp_path / "figures.json"))
    assert re.search(figures, said), said
    assert written(tmp_path) == {figure.name for figure in import_module(f"bench.bench_{name}").FIGURES}


@pytest.mark.slow
@each_of(SITE)
def test_it_prints_its_figures_of_a_site(name: str, empty_database: Path, tmp_path: Path) -> None:
    arguments, figures = SITE[name]
    shutil.copy(empty_database, tmp_path)
    options = ["--keep", str(tmp_path), "--json", str(tmp_path / "figures.json")]
    said = printed(f"bench.bench_{name}", *arguments.split(), *options)
    assert re.search(figures, said), said
    known = {figure.name for figure in import_module(f"bench.bench_{name}").FIGURES}
    assert written(tmp_path) == {name for name in known if not name.startswith("people-")}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=in_test_all if name in PROCESSES else ()) for name in HOSTILE]
)
def test_what_bad_intentions_can_do_is_measured(name: str, tmp_path: Path) -> None:
    arguments, figures = HOSTILE[name]
    said = printed(f"bench.{name}", *arguments.split(), "--json", str(tmp_path / "figures.json"))
    assert re.search(figures, said), said
    assert written(tmp_path) == {figure.name for figure in import_module(f"bench.{name}").FIGURES}


@in_test_all
@pytest.mark.slow
def test_people_who_judge_lose_nothing(empty_database: Path, tmp_path: Path) -> None:
    shutil.copy(empty_database, tmp_path)
    options = ["--keep", str(tmp_path), "--json", str(tmp_path / "figures.json")]
    said = printed("bench.bench_http", "--people", "3", "--seconds", "2", "--pause", "0.5", *options)
    assert re.search(r"3 people on SQLite\t12 judgments in 2 s: .*; 0 refused, lost or doubled", said), said
    tail, wrong = read(tmp_path / "figures.json")
    assert (tail.figure.name, wrong.figure.name, wrong.values) == ("people-p99", "people-wrong", (0,))


def written(folder: Path) -> set[str]:
    """The names of the figures that a benchmark wrote."""
    return {each.figure.name for each in read(folder / "figures.json")}


def test_no_benchmark_is_left_out() -> None:
    benchmarks = {path.stem.removeprefix("bench_") for path in Path(ROOT, "bench").glob("bench_*.py")}
    assert benchmarks == PURE.keys() | SITE.keys() | ELSEWHERE
    tools = {"hostile_files", "hostile_kinds"}
    assert {path.stem for path in Path(ROOT, "bench").glob("hostile_*.py")} == HOSTILE.keys() | tools
