"""Run every benchmark in turn, and write the page of their figures: `make bench` calls this.

    .venv/bin/python -m bench [--size small] [--only NAME …] [--again] [--page]

The output of each call is stored under var/bench, and its figures in bench/measured, which is committed. So ``--only``
runs some benchmarks again, and the page shows the others with their day and commit. The page, docs/performance.md, is
written after every call. A small run stores everything under var/bench/small. Figures that were taken at this commit
are not taken again, so a run that was stopped can be continued; ``--again`` takes them anew. If a benchmark fails or
takes too long, the page names it with the last line of its output, and the others are still run.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.figures import Measured, read
from bench.machine import commit, describe_machine
from bench.performance_page import write_page
from bench.plan import PLAN, Planned

ROOT = Path(__file__).resolve().parent.parent
MEASURED = ROOT / "bench" / "measured"
GRACE = 20
"""How many seconds a call has to end its servers after it was told to stop."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """How one call ended. If ``problem`` is "", it ended well, and its figures are in a file."""

    arguments: str
    commit: str
    seconds: float
    problem: str
    load: float
    day: str


def main(arguments: Sequence[str] | None = None, plan: Sequence[Planned] = PLAN) -> int:
    """Run the benchmarks that are asked for, and write the page. Return 1 if any benchmark on the page failed."""
    options = _options(arguments, plan)
    is_for_all = options.size == "full" and options.out is None
    printed = (options.out or ROOT / "var" / "bench") / options.size
    kept = MEASURED if is_for_all else printed
    for folder in (printed, kept):
        folder.mkdir(parents=True, exist_ok=True)
    page = ROOT / "docs" / "performance.md" if is_for_all else kept / "performance.md"
    asked = [planned for planned in plan if not options.only or planned.name in options.only]
    at = commit(ROOT)
    for planned in [] if options.page else asked:
        for number, line in enumerate(planned.arguments(options.size)):
            file = kept / f"{planned.name}-{number}"
            before = _outcome(file)
            if before and not options.again and (before.commit, before.arguments, before.problem) == (at, line, ""):
                print(f"{planned.name} {line}: measured already", flush=True)
                continue
            print(f"{planned.name} {line}", flush=True)
            done = _run(planned, line, file, at, printed / f"{file.name}.txt")
            print(f"  {done.problem or 'done'} ({done.seconds:.0f} s)", flush=True)
            _write(page, kept, options.size, plan)
    _write(page, kept, options.size, plan)
    print(f"The page is {page}.")
    return 1 if any(found.problem for _, found in _outcomes(kept, options.size, plan)) else 0


def _options(arguments: Sequence[str] | None, plan: Sequence[Planned]) -> argparse.Namespace:
    names = [planned.name for planned in plan]
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", choices=("full", "small"), default="full")
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--again", action="store_true", help="measures what was measured at this commit anew")
    parser.add_argument("--page", action="store_true", help="measures nothing, and writes the page")
    parser.add_argument("--out", type=Path, help="keeps everything there, the page included")
    return parser.parse_args(arguments)


def _run(planned: Planned, line: str, file: Path, at: str, said_in: Path) -> Outcome:
    """Run one call in a process group of its own. Store its output in ``said_in``, and its figures and how it ended
    beside ``file``.
    """
    figures = file.with_suffix(".json")
    figures.unlink(missing_ok=True)
    command = [sys.executable, "-m", planned.module, *line.split(), "--json", str(figures)]
    begin, load = time.monotonic(), os.getloadavg()[0]
    with said_in.open("w+") as printed:
        called = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=printed,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            status = called.wait(planned.minutes * 60)
            printed.seek(0)
            said = printed.read().strip().splitlines()
            problem = f"ended with status {status}: {said[-1] if said else 'it said nothing'}" if status else ""
        except subprocess.TimeoutExpired:
            problem = f"was stopped after {planned.minutes:g} minutes"
        finally:
            _end(called)
    if not problem and not figures.exists():
        problem = "wrote no figures"
    day = datetime.now(UTC).date().isoformat()
    done = Outcome(arguments=line, commit=at, seconds=time.monotonic() - begin, problem=problem, load=load, day=day)
    kept = {name: getattr(done, name) for name in Outcome.__slots__}
    file.with_suffix(".outcome").write_text(json.dumps(kept) + "\n", encoding="utf-8")
    return done


def _end(called: subprocess.Popen[bytes]) -> None:
    """End the call and all processes that it started: first by SIGTERM, and after `GRACE` seconds by SIGKILL."""
    for word in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(called.pid, word)
        except ProcessLookupError:
            break
        for _ in range(GRACE * 10 if word == signal.SIGTERM else 1):
            called.poll()
            if not _is_there(called.pid):
                return
            time.sleep(0.1)
    called.wait()


def _is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _outcome(file: Path) -> Outcome | None:
    kept = file.with_suffix(".outcome")
    return Outcome(**json.loads(kept.read_text(encoding="utf-8"))) if kept.exists() else None


def _outcomes(kept: Path, size: str, plan: Sequence[Planned]) -> list[tuple[Planned, Outcome]]:
    files = [(planned, kept / f"{planned.name}-{n}") for planned in plan for n in range(len(planned.arguments(size)))]
    return [(planned, found) for planned, file in files if (found := _outcome(file))]


def _write(page: Path, kept: Path, size: str, plan: Sequence[Planned]) -> None:
    """Write the page of all stored figures. A call that failed has none."""
    measured: list[tuple[Planned, list[Measured]]] = []
    for planned in plan:
        files = [kept / f"{planned.name}-{number}.json" for number in range(len(planned.arguments(size)))]
        measured.append((planned, [each for file in files if file.exists() for each in read(file)]))
    outcomes = _outcomes(kept, size, plan)
    taken = {planned.name: f"{found.day}, {found.commit}" for planned, found in outcomes}
    write_page(
        page,
        measured=measured,
        problems=[(f"{planned.name} {found.arguments}", found.problem) for planned, found in outcomes if found.problem],
        machine=describe_machine(),
        taken=taken,
        load=max((found.load for _, found in outcomes), default=0.0),
        size=size,
    )


if __name__ == "__main__":
    sys.exit(main())
