"""Measure what commands and the server need before they do anything, against an empty Django project, in turns.

    .venv/bin/python -m bench.bench_start [--rounds 5] [--json FILE]

Prints the CPU seconds of `manage.py check`; the seconds from `manage.py serve` to the first answer, with an existing
database (the empty project is served by gunicorn with as many processes and threads); and the resident megabytes of the
largest web process after it has answered twenty times. The folders are temporary, and nothing needs a network.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError

from bench.figures import Figure, Measured, add_json_option, ratios, write
from bench.servers import free_port

ROOT = Path(__file__).resolve().parents[1]
EMPTY = "an empty Django project"
CHECK = Figure(name="check", what="`manage.py check`, processor seconds", against=EMPTY, asked=2.5)
FIRST = Figure(name="first answer", what="from `manage.py serve` to the first answer", unit="s", asked=3.0)
MEMORY = Figure(name="web process", what="a web process, resident", unit="MB", asked=130)
FIGURES = (CHECK, FIRST, MEMORY)
ANSWERS = 20
PATIENCE = 120.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Project:
    """A Django project: its folder, the command that serves it at a port, a page of it, and its environment."""

    folder: Path
    serve: Callable[[int], list[str]]
    page: str
    environment: dict[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Served:
    """The seconds to the first answer, and the megabytes of the largest web process after further answers."""

    first: float
    resident: float


def main() -> None:
    """Measure, print and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=5)
    add_json_option(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write(options.json, measure(Path(folder), rounds=options.rounds))


def measure(folder: Path, *, rounds: int) -> list[Measured]:
    """Measure both projects in this number of rounds, print the times, and return the figures."""
    ours, empty = our_site(folder), empty_project(folder)
    checks = {each.folder: [check_seconds(each)] for each in (ours, empty)}  # once unmeasured: bytecode is written
    for _ in range(rounds):
        for each in (ours, empty):
            checks[each.folder].append(check_seconds(each))
    own, plain = checks[ours.folder][1:], checks[empty.folder][1:]
    served = [(serve(ours), serve(empty)) for _ in range(rounds)]
    print(f"check\t{_both(own)} s\tempty {_both(plain)} s\tratio {_both(ratios(own, plain))}")
    first, first_empty = [ours.first for ours, _ in served], [empty.first for _, empty in served]
    print(f"first answer\t{_both(first)} s\tempty {_both(first_empty)} s\tratio {_both(ratios(first, first_empty))}")
    resident, plainly = [ours.resident for ours, _ in served], [empty.resident for _, empty in served]
    print(f"web process\t{_both(resident)} MB\tempty {_both(plainly)} MB\tratio {_both(ratios(resident, plainly))}")
    return [
        CHECK.measured(ratios(own, plain), took=own),
        FIRST.measured(first, note=f"An empty project's gunicorn takes {statistics.median(first_empty):.2f} s."),
        MEMORY.measured(resident, note=f"An empty project's takes {statistics.median(plainly):.0f} MB."),
    ]


def our_site(folder: Path) -> Project:
    """Return this site as a project, with its own database, which is created here."""
    environment = {**os.environ, "ASSAY_DATA_DIR": str(folder / "site")}
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=environment, check=True)
    return Project(
        folder=ROOT,
        serve=lambda port: [sys.executable, "manage.py", "serve", "--port", str(port)],
        page="login/",
        environment=environment,
    )


def empty_project(folder: Path) -> Project:
    """Make a project by `django-admin startproject`, and return it, to be served as this site is."""
    place = folder / "empty"
    place.mkdir()
    subprocess.run([sys.executable, "-m", "django", "startproject", "empty", str(place)], check=True)
    how = ("--preload", "--worker-class", "gthread", "--workers", "2", "--threads", "4", "--log-level", "warning")
    return Project(
        folder=place,
        serve=lambda port: [sys.executable, "-m", "gunicorn", "empty.wsgi", "--bind", f"127.0.0.1:{port}", *how],
        page="",
        environment={key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"},
    )


def check_seconds(project: Project) -> float:
    """Return the CPU seconds of one `manage.py check`. Ends the program if the check fails."""
    command = [sys.executable, "manage.py", "check"]
    process = subprocess.Popen(command, cwd=project.folder, env=project.environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} in {project.folder} ended with {status}")
    return used.ru_utime + used.ru_stime


def serve(project: Project) -> Served:
    """Serve the project, open its page several times, and stop it. Return what this took. Ends the program if the
    project does not answer.
    """
    port = free_port()
    begun = time.perf_counter()
    server = subprocess.Popen(
        project.serve(port), cwd=project.folder, env=project.environment, stdout=subprocess.DEVNULL
    )
    address = f"http://127.0.0.1:{port}/{project.page}"
    try:
        while not _answers(address):
            if server.poll() is not None or time.perf_counter() - begun > PATIENCE:
                raise SystemExit(f"{address} does not answer")
            time.sleep(0.01)
        first = time.perf_counter() - begun
        for _ in range(ANSWERS):
            _answers(address)
        return Served(first=first, resident=max(map(_resident, _forked(server.pid))))
    finally:
        server.terminate()
        server.wait(timeout=PATIENCE)


def _answers(address: str) -> bool:
    with suppress(URLError, ConnectionError), urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return bool(answer.read())
    return False


def _forked(pid: int) -> list[int]:
    """Return the ids of the web processes below a process, which are those that run the same command as the process
    that forked them.
    """
    below = [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    same = [each for each in below if _command(each) == _command(pid)]
    return same + [deeper for each in below for deeper in _forked(each)]


def _command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def _resident(pid: int) -> float:
    """Return the megabytes of a process that are in memory. Memory that it shares is counted whole."""
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def _both(values: Sequence[float]) -> str:
    """Return the least of these values and their median, in words."""
    return f"{min(values):.2f}, {statistics.median(values):.2f}"


if __name__ == "__main__":
    main()
