"""Compare checking and repairing large ranked runs with `pandas.read_csv` of the same file, in time and peak memory.

    .venv/bin/python -m bench.bench_large_runs [--topics 400] [--depth 1000] [--only check] [--json FILE]

Writes a run of --topics topics with --depth documents each to a temporary file. Then each act runs in its own process:
`check` as the page does it, on a file that is watched while it is read; `repair` of the same run with the lines of each
topic shuffled; `pandas`, which splits the columns and checks nothing. 400 topics are 29 MB, 7,000 are 500 MB.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from bench.figures import Figure, add_json_option, write

DEPTH = 1000
TAG = "Harbor1-bm25-rm3-ce"
CHECK = Figure(
    name="check", what="checking a ranked run (CPU)", against="`pandas.read_csv` of the same file", asked=3.0
)
CHECK_MEMORY = Figure(
    name="check-memory", what="memory of checking a ranked run", against="`pandas.read_csv` of the same file", asked=1.0
)
FIGURES = (CHECK, CHECK_MEMORY)


def main() -> None:
    """Measure each act in its own process, print the times, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--topics", type=int, default=400)
    parser.add_argument("--depth", type=int, default=DEPTH)
    parser.add_argument("--only", choices=ACTS, default="")
    parser.add_argument("--child", choices=ACTS, default="", help=argparse.SUPPRESS)
    parser.add_argument("--file", default="", help=argparse.SUPPRESS)
    add_json_option(parser)
    options = parser.parse_args()
    if options.child:
        begin, busy = time.perf_counter(), time.process_time()
        ACTS[options.child](Path(options.file), options)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{time.perf_counter() - begin:.3f} {time.process_time() - busy:.3f} {peak:.0f}")
        return
    with tempfile.TemporaryDirectory() as folder:
        path, written = Path(folder, "run.txt"), ""
        measured = {}
        for act in [options.only] if options.only else ACTS:
            if (order := "mixed" if act == "repair" else "sound") != written:
                with path.open("w") as file:
                    file.writelines(lines(options.topics, options.depth, mixed=order == "mixed"))
                written = order
                print(f"{order}: {options.topics * options.depth:,} lines, {path.stat().st_size:,} bytes", flush=True)
            measured[act] = in_child(act, path, options)
            seconds, busy, peak = measured[act]
            print(f"{act:8}{seconds:9.2f} s, {busy:9.2f} s of the processor {peak:8.0f} MB", flush=True)
        if {"check", "pandas"} <= measured.keys():
            ratio = measured["check"][1] / measured["pandas"][1]
            print(f"ratio of check to pandas, by the processor: {ratio:.2f}")
            size, memory = options.topics * options.depth, measured["check"][2] / measured["pandas"][2]
            checked = CHECK.measured([ratio], size=size, of="lines", took=[measured["check"][1]], took_unit="s of CPU")
            write(options.json, [checked, CHECK_MEMORY.measured([memory], size=size, of="lines")])


def in_child(act: str, path: Path, options: argparse.Namespace) -> tuple[float, float, float]:
    """Return (seconds, CPU seconds, peak memory in MB) of one act, which runs in its own process."""
    command = [sys.executable, "-m", "bench.bench_large_runs", "--child", act, "--file", str(path)]
    asked = ["--topics", str(options.topics), "--depth", str(options.depth)]
    done = subprocess.run([*command, *asked], check=True, capture_output=True, text=True, env=os.environ.copy())
    seconds, busy, peak = map(float, done.stdout.split()[-3:])
    return seconds, busy, peak


def lines(topics: int, depth: int, *, mixed: bool) -> Iterator[str]:
    """Yield the lines of a run that breaks no rule. With ``mixed``, the lines of each topic are shuffled."""
    chance = random.Random(1)
    for topic in range(1, topics + 1):
        score, found = 100.0, []
        for rank in range(1, depth + 1):
            score -= 0.001 + chance.random() / 10
            docno = f"clueweb22-en{topic:04d}-{rank:02d}-{(rank * 7919 + topic) % 100000:05d}:{rank % 10}"
            found.append(f"{topic}_1 Q0 {docno} {rank} {score:.6f} {TAG}\n")
        if mixed:
            chance.shuffle(found)
        yield from found


def check(path: Path, options: argparse.Namespace) -> None:
    """Check a run by every rule, as the worker does it, with Django loaded. Ends the program if there is an issue."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assay_site.settings")
    django.setup()
    from assess.jobs.progress import watched
    from scoring.formats.run_rules import check_ranked_run

    topics = [f"{number}_1" for number in range(1, options.topics + 1)]
    with path.open("rb") as plain:
        file = watched(plain, progress=lambda _: None)
        if issues := list(check_ranked_run(file, topics=topics, limit=options.depth, tag=TAG)):
            raise SystemExit(f"the generated run should pass: {issues[0]}")


def repair(path: Path, options: argparse.Namespace) -> None:
    """Repair a shuffled run, and write it. Ends the program unless exactly the order of each topic was repaired."""
    from scoring.reading.repairs import Repair, repair_ranked_run, write_repaired

    with path.open("rb") as file, tempfile.TemporaryFile(dir=path.parent) as target:
        repairs = write_repaired(repair_ranked_run(file), cast(BinaryIO, target))
    if repairs != [Repair(code="score-order", count=options.topics)]:
        raise SystemExit(f"all topics should be put in order: {repairs}")


def read_by_pandas(path: Path, options: argparse.Namespace) -> None:
    """Read the columns of a run by pandas. Ends the program if a line is missing."""
    import pandas

    frame = pandas.read_csv(path, sep=" ", header=None, dtype=str, quoting=3)
    if len(frame) != options.topics * options.depth:
        raise SystemExit("pandas should read every line")


ACTS: dict[str, Callable[[Path, argparse.Namespace], None]] = {
    "check": check,
    "pandas": read_by_pandas,
    "repair": repair,
}


if __name__ == "__main__":
    main()
