"""Every benchmark in turn, and the page of what they gave: `make bench` calls this.

    .venv/bin/python -m bench [--size small] [--only NAME …] [--again] [--page]

Keeps what each call printed under var/bench, and what it measured in bench/measured, which is committed: so that some
benchmarks can be run again with ``--only``, and the others stand on the page with the day and the code they were taken
of. Writes the page after every call: docs/performance.md. A small run keeps everything under var/bench/small. What was
measured at this commit is not measured again, so that a run that was stopped goes on; ``--again`` measures anew. A
benchmark that fails or takes too long is named on the page with its last words, and the others go on.
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
"""Seconds that a call has to end its servers after it was told to stop."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What became of one call: ``problem`` is "" where it ended well, and its figures are then in a file."""

    arguments: str
    commit: str
    seconds: float
    problem: str
    load: float
    day: str


def main(arguments: Sequence[str] | None = None, plan: Sequence[Planned] = PLAN) -> int:
    """Run what is planned; 1 where a benchmark failed."""
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
    """Run one call in a group of processes of its own; keep what it printed and what became of it."""
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
    """End the call and all that it started, gently at first."""
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
    """The page of all that is kept; a call that failed has no figures."""
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
