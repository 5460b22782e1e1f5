"""Every benchmark, at its smallest size: it ends well and prints its figures, so that it can be trusted at any."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.measured import ROOT, printed

PURE = {
    "find": (
        "--documents 40 --wanted 4 --shards 2 --rounds 1",
        r"ratio, JSON lines\t\S+\nratio, Parquet\t\S+\n1 of processes\t\S+ s\n2 of processes",
    ),
    "large_runs": ("--topics 2 --depth 10", r"check .* MB\npandas .* MB\nmixed: .*\nrepair .* MB\nratio of check"),
    "pages": ("--pages 2 --repeat 1", r"ratio import / bleach.clean"),
    "pools": ("--runs 2 --topics 2 --ranks 5 --depth 3", r"ours to sort, whole: "),
    "runs": ("--questions 2 --instances 2 --rounds 1", r"checked +\S+ s\npandas +\S+ s\nratio"),
}
SITE = {
    "judgment": ("--judgments 1", r"judgment +\S+ ms\nplain +\S+ ms\nratio"),
    "load": ("--targets 1 --runs 1 --docnos 500 --documents 5", r"search \S+ \S+ \S+\t1 query"),
    "scores": ("--targets 1 --runs 2", r"score again\t2 runs\t.*\nexplain one value"),
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
ELSEWHERE = {"million", "release"}
"""They have tests of their own, which look at what they make, too."""


@pytest.fixture(scope="module")
def empty_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database that was made and holds nothing: making it takes longer than most of the benchmarks."""
    folder = tmp_path_factory.mktemp("site")
    environment = {name: value for name, value in os.environ.items() if name != "ASSAY_DATABASE"}
    call = [sys.executable, "manage.py", "migrate", "-v", "0"]
    subprocess.run(call, cwd=ROOT, env={**environment, "ASSAY_DATA_DIR": str(folder)}, check=True)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", PURE)
def test_it_prints_its_figures(name: str) -> None:
    arguments, figures = PURE[name]
    said = printed(f"bench.bench_{name}", *arguments.split())
    assert re.search(figures, said), said


@pytest.mark.slow
@pytest.mark.parametrize("name", SITE)
def test_it_prints_its_figures_of_a_site(name: str, empty_site: Path, tmp_path: Path) -> None:
    arguments, figures = SITE[name]
    keep = shutil.copytree(empty_site, tmp_path / "site")
    said = printed(f"bench.bench_{name}", *arguments.split(), "--keep", str(keep))
    assert re.search(figures, said), said


def test_no_benchmark_is_left_out() -> None:
    benchmarks = {path.stem.removeprefix("bench_") for path in Path(ROOT, "bench").glob("bench_*.py")}
    assert benchmarks == PURE.keys() | SITE.keys() | ELSEWHERE
