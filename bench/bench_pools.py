"""Compare making a pool of many large runs with `sort -u` of the same columns, on the same files.

    .venv/bin/python -m bench.bench_pools [--runs 60] [--topics 400] [--ranks 1000] [--depth 100] [--json FILE]

Makes the files in a temporary folder (4 MB for 100,000 lines). Prints the number of lines and of documents in the pool,
the seconds, CPU seconds and peak memory of `python -m scoring pool` and of two calls of sort, and the ratios:

    sort, cut    awk prints topic and docno of each line whose written rank is within the depth, for `sort -u`
    sort, whole  awk prints topic and docno of every line, for `sort -u`

`python -m scoring pool` reads every column, looks for damage, duplicates and other tags, and ranks by score. Its pool
must be that of "sort, cut".
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.figures import Figure, add_json_option, write

WHOLE = Figure(name="whole", what="a pool", against="`sort -u` of the same columns", asked=1.0)
CUT = Figure(name="cut", what="a pool", against="`sort -u` of the lines within the depth")
WHOLE_OF_CPU = Figure(name="whole-cpu", what="a pool (CPU)", against="`sort -u` of the same columns", asked=1.0)
FIGURES = (WHOLE, WHOLE_OF_CPU, CUT)
BYTES_A_LINE = 40
SHARE = 3
"""How many documents of a topic runs draw from, for each document that a run returns, so that runs overlap."""


def main() -> None:
    """Make the runs, measure, print, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--topics", type=int, default=400)
    parser.add_argument("--ranks", type=int, default=1000)
    parser.add_argument("--depth", type=int, default=100)
    add_json_option(parser)
    options = parser.parse_args()
    lines = options.runs * options.topics * options.ranks
    with tempfile.TemporaryDirectory(prefix="bench-pools-") as name:
        folder = Path(name)
        needed = 3 * lines * BYTES_A_LINE  # the runs, and what sort puts aside
        if needed > shutil.disk_usage(folder).free:
            raise SystemExit(f"{needed / 1e9:.1f} GB are needed in {folder.parent}; set TMPDIR, or take fewer runs")
        runs = [write_run(folder, number, options.topics, options.ranks) for number in range(options.runs)]
        size = sum(run.stat().st_size for run in runs)
        shape = f"{len(runs)} runs × {options.topics} topics × {options.ranks} ranks"
        print(f"{shape} = {lines:,} lines, {size / 1e6:,.0f} MB")
        taken = measure(folder, runs, options.depth)
        ours, cut, whole = (taken[label] for label in ("ours", "sort, cut", "sort, whole"))
        took = [ours[0]]
        found = [
            WHOLE.measured([ours[0] / whole[0]], size=lines, of="lines", took=took),
            WHOLE_OF_CPU.measured([ours[1] / whole[1]], size=lines, of="lines"),
            CUT.measured([ours[0] / cut[0]], size=lines, of="lines"),
        ]
        write(options.json, found)


def write_run(folder: Path, number: int, topics: int, ranks: int) -> Path:
    """Write a run, and return its path. Its documents are drawn for each topic; those near the top are more likely to
    be near the top of other runs.
    """
    dice = random.Random(number)
    path = folder / f"run{number:03}.txt"
    with path.open("w") as file:
        for topic in range(1, topics + 1):
            drawn = dice.sample(range(SHARE * ranks), ranks)
            drawn.sort(key=lambda document: document + dice.random() * ranks)
            name = f"{topic // 8 + 1}-{topic % 8 + 1}"
            file.writelines(
                f"{name} Q0 doc-{topic:03}-{document:05} {rank} {2000 - rank * 1.25} run{number:03}\n"
                for rank, document in enumerate(drawn, 1)
            )
    return path


def measure(folder: Path, runs: list[Path], depth: int) -> dict[str, tuple[float, float, float]]:
    """Return (seconds, CPU seconds, megabytes) of each program, and print them. The programs run one after another.
    Ends the program if the pools differ.
    """
    names = " ".join(shlex.quote(str(run)) for run in runs)
    ours = [sys.executable, "-m", "scoring", "pool", "--depth", str(depth)]
    ours += [word for run in runs for word in ("--run", str(run))]
    sort = f"LC_ALL=C sort -u -T {shlex.quote(str(folder))}"
    calls = {
        "ours": shlex.join(ours),
        "sort, cut": f"awk '$4 <= {depth} {{print $1 \"\\t\" $3}}' {names} | {sort}",
        "sort, whole": f"awk '{{print $1 \"\\t\" $3}}' {names} | {sort}",
    }
    shown = [f"{'':<12} {'seconds':>9} {'of CPU':>9} {'peak MB':>9}"]
    taken: dict[str, tuple[float, float, float]] = {}
    for label, call in calls.items():
        taken[label] = timed(call, folder / label)
        shown.append(f"{label:<12} " + " ".join(f"{value:9.1f}" for value in taken[label]))
    pool = sorted((folder / "ours").read_bytes().splitlines())
    if pool != (folder / "sort, cut").read_bytes().splitlines():
        raise SystemExit("the two pools differ")
    for label in ("sort, cut", "sort, whole"):
        seconds, of_cpu, _ = (ours / others for ours, others in zip(taken["ours"], taken[label], strict=True))
        shown.append(f"ours to {label}: {seconds:.2f} in seconds, {of_cpu:.2f} in seconds of CPU")
    print(f"{len(pool):,} documents in the pool", *shown, sep="\n")
    return taken


def timed(call: str, output: Path) -> tuple[float, float, float]:
    """Return (seconds, CPU seconds, megabytes of the largest process) of a shell command, whose output goes to a file.
    Ends the program if the command fails.
    """
    measured = (
        "import resource, subprocess, sys; status = subprocess.call(sys.argv[1], shell=True);"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN);"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss, file=sys.stderr); sys.exit(status)"
    )
    begin = time.perf_counter()
    with output.open("wb") as file:
        done = subprocess.run(
            [sys.executable, "-c", measured, call], stdout=file, stderr=subprocess.PIPE, check=False, env=os.environ
        )
    seconds = time.perf_counter() - begin
    if done.returncode:
        raise SystemExit(f"failed: {call[:200]}\n{done.stderr.decode()[-2000:]}")
    of_cpu, memory = done.stderr.split()[-2:]
    return seconds, float(of_cpu), int(memory) / 1024


if __name__ == "__main__":
    main()
