"""Compare Assay with other tools at the same work, in one run: saving, the next item, a cold start, memory.

    .venv/bin/python -m bench.bench_peers [--items 10000] [--requests 200] [--rounds 3] [--only doccano] [--installed]
    .venv/bin/python -m bench.bench_peers --database postgresql --only doccano

Installs each peer of `bench/peers/` with pinned versions into its own environment (var/peers; over a gigabyte in all,
from the package index). Serves the peers and Assay on 127.0.0.1 as their documentation says, and sends them requests
over HTTP by the client of `bench.bench_http`, with one token. In each round, tool after tool, 1 client and then 8
clients save one label for each item, and then 1 client asks for the next item. A peer that can't be installed or made
ready is named, and the others are still measured; with --installed, only peers with an environment are. Prints answers
a second, milliseconds (median/99th percentile), seconds from the start to the first answer, and megabytes of the
largest process. On PostgreSQL, a server is started, on which each tool has its own database; Label Studio is measured
on SQLite alone.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.bench_http import NAMES, Turn
from bench.figures import Figure, Measured, add_json_option, ratios, write
from bench.http_load import ROOT, ask, request
from bench.peers.assay import ASSAY
from bench.peers.doccano import DOCCANO
from bench.peers.label_studio import LABEL_STUDIO
from bench.peers.peer import Peer, PeerError, Place, Work, install
from bench.servers import free_port

PEERS = {peer.name: peer for peer in (DOCCANO, LABEL_STUDIO)}
PATIENCE = 600
"""How many seconds a peer has to make its database and to answer."""
CLIENTS = {"one": "1 client", "eight": "8 clients"}
AHEAD = {
    clients: Figure(
        name=f"ahead-{clients}",
        what=f"judgments saved a second, {CLIENTS[clients]}",
        against="doccano's labels",
        asked=1.2,
        is_more_better=True,
    )
    for clients in CLIENTS
}
FIGURES = (
    *AHEAD.values(),
    *(
        figure
        for name in ("assay", *PEERS)
        for figure in (
            Figure(name=f"{name}-one", what=f"{name}: labels saved a second, 1 client", unit="/s", is_more_better=True),
            Figure(
                name=f"{name}-eight", what=f"{name}: labels saved a second, 8 clients", unit="/s", is_more_better=True
            ),
            Figure(name=f"{name}-next", what=f"{name}: the next item", unit="ms"),
            Figure(name=f"{name}-start", what=f"{name}: from its start to its first answer", unit="s"),
            Figure(name=f"{name}-memory", what=f"{name}: memory of its largest process", unit="MB"),
        )
    ),
)


def main() -> None:
    """Measure Assay and every peer that is asked for. Ends the program with what failed, if anything did."""
    options = _options()
    if options.database == "postgresql" and "ASSAY_DATABASE" not in os.environ:
        os.environ["ASSAY_TEST_FSYNC"] = "on"  # what is acknowledged is on the disk
        server = [str(ROOT / "tests" / "with_postgresql.sh"), sys.executable, "-m", "bench.bench_peers"]
        raise SystemExit(subprocess.run([*server, *sys.argv[1:]], cwd=ROOT, check=False).returncode)
    if options.database == "sqlite":
        os.environ.pop("ASSAY_DATABASE", None)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("was stopped"))  # so that the peers end, too
    there: dict[str, tuple[Peer, Path]] = {"assay": (ASSAY, Path(sys.executable))}
    failed: list[str] = []
    for name in options.only or PEERS:
        environment = ROOT / "var" / "peers" / name
        if options.installed and not environment.exists():
            print(f"{name} is not installed", flush=True)
            continue
        try:
            there[name] = PEERS[name], install(PEERS[name].requirements, environment)
        except (PeerError, OSError) as error:
            failed.append(f"{name}: {error}")
            print(failed[-1], flush=True)
    if there.keys() - {"assay"}:
        of = f"items on {NAMES[options.database]}"
        measured, stopped = measure(there, items=options.items, requests=options.requests, rounds=options.rounds, of=of)
        write(options.json, measured)
        failed += stopped
    if failed:
        sys.exit("; ".join(failed))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--requests", type=int, default=200, help="of a loop")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--database", choices=NAMES, default="sqlite")
    parser.add_argument("--only", nargs="+", choices=PEERS)
    parser.add_argument("--installed", action="store_true", help="installs nothing")
    add_json_option(parser)
    return parser.parse_args()


@dataclass(slots=True)
class Served:
    """A peer that is served: its place, its project's addresses, its process, the seconds to its first answer, how many
    items were saved, and the answers by what was asked.
    """

    place: Place
    work: Work
    process: subprocess.Popen[bytes]
    start: float
    saved: int = 0
    turns: dict[str, list[Turn]] = field(default_factory=dict)

    def ask_round(self, *, items: int, requests: int) -> None:
        """Let one client save, then eight, and then one ask for the next item. Over all rounds, each item is saved
        once.
        """
        numbers = range(self.saved, self.saved + 2 * requests)
        self.saved += len(numbers)
        saves = [("POST", *self.work.save(number)) for number in numbers]
        shown = [("GET", self.work.show(number), "") for number in range(min(items, requests) // 2)]
        eight = [saves[requests:][client::8] for client in range(8)]
        for what, clients in (("one", [saves[:requests]]), ("eight", eight), ("next", [shown])):
            sent = [
                [
                    request(method, path, port=self.place.port, headers=self.work.headers, body=body)
                    for method, path, body in each
                ]
                for each in clients
            ]
            self.turns.setdefault(what, []).append(Turn(ask(self.place.port, sent, seconds=60)))

    @property
    def refused(self) -> str:
        """Return how many requests were refused, and the first refusal, in words. Return "" if there is none."""
        answers = [each for turns in self.turns.values() for turn in turns for each in turn.answers]
        refused = [each for each in answers if not each.is_accepted]
        return f"{len(refused)} requests were refused: {refused[0]}" if refused else ""


def measure(
    peers: Mapping[str, tuple[Peer, Path]], *, items: int, requests: int, rounds: int, of: str
) -> tuple[list[Measured], list[str]]:
    """Serve all peers at the same time with this number of items, and measure them in turns.

    Returns the figures, and a sentence for each peer that could not be made ready or refused a request; such a peer has
    no figures.
    """
    requests = min(requests, items // (2 * rounds))
    served: dict[str, Served] = {}
    failed = []
    with ExitStack() as stack:
        for name, (peer, python) in peers.items():
            try:
                served[name] = stack.enter_context(_ready(peer, python, items))
            except (PeerError, OSError, TimeoutError) as error:
                failed.append(f"{name}: {error}")
                print(failed[-1], flush=True)
        for _ in range(rounds):
            for each in served.values():
                each.ask_round(items=items, requests=requests)
        memory = {name: largest_of(each.process.pid) for name, each in served.items()}
    for name in [name for name, each in served.items() if each.refused]:
        failed.append(f"{name}: {served.pop(name).refused}")
    figures = {figure.name: figure for figure in FIGURES}
    measured = []
    if {"assay", "doccano"} <= served.keys():
        for clients, figure in AHEAD.items():
            ours, theirs = served["assay"].turns[clients], served["doccano"].turns[clients]
            ahead = ratios([turn.rate for turn in ours], [turn.rate for turn in theirs])
            measured.append(figure.measured(ahead, size=items, of=of, note=f"{ours[0]}; doccano {theirs[0]}"))
    for name, each in served.items():
        values: dict[str, list[float]] = {what: [turn.rate for turn in each.turns[what]] for what in CLIENTS}
        values |= {"next": [turn.percentile(50) for turn in each.turns["next"]]}
        values |= {"start": [each.start], "memory": [memory[name]]}
        notes = {what: str(turns[0]) for what, turns in each.turns.items()}
        for what, took in values.items():
            measured.append(figures[f"{name}-{what}"].measured(took, size=items, of=of, note=notes.get(what, "")))
        print(name, *(f"{what} {'; '.join(map(str, turns))}" for what, turns in each.turns.items()), sep="\t")
        print(f"{name}\tcold start {each.start:.1f} s\t{memory[name]:.0f} MB", flush=True)
    return measured, failed


@contextmanager
def _ready(peer: Peer, python: Path, items: int) -> Iterator[Served]:
    """Yield the peer after it was filled with this number of items, stopped, and served again."""
    with tempfile.TemporaryDirectory(prefix="assay-peer-") as folder:
        place = Place(python=python, data=Path(folder), port=free_port())
        peer.make_ready(place)
        with serving(peer, place):
            work = peer.fill(place, items)
        with serving(peer, place) as (process, start):
            yield Served(place, work, process, start)


@contextmanager
def serving(peer: Peer, place: Place) -> Iterator[tuple[subprocess.Popen[bytes], float]]:
    """Serve the peer, and yield its process and the seconds until it first answered. Afterwards the process and all
    that it started are ended. Raises PeerError if the peer does not answer within `PATIENCE` seconds or ends.
    """
    command, environment = peer.served(place)
    if shutil.which(command[0]) is None:
        raise PeerError(f"{command[0]} is not there")
    words = {name: value for name, value in {**os.environ, **environment}.items() if value or name.endswith("_DSN")}
    begin = time.perf_counter()
    with (place.data / "printed.txt").open("w") as printed:
        process = subprocess.Popen(
            command, env=words, cwd=place.data, stdout=printed, stderr=printed, start_new_session=True
        )
    try:
        while not _answers(f"http://127.0.0.1:{place.port}{peer.path}"):
            if process.poll() is not None or time.perf_counter() - begin > PATIENCE:
                said = (place.data / "printed.txt").read_text(errors="replace").strip().splitlines() or [""]
                raise PeerError(f"was not served: {said[-1][:200]}")
            time.sleep(0.1)
        yield process, time.perf_counter() - begin
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and its group: first by SIGTERM, and after ten seconds by SIGKILL."""
    for word in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, word)
            process.wait(timeout=10)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=60):
            return True
    except urllib.error.HTTPError:
        return True  # it answers, whatever it says
    except OSError:
        return False


def largest_of(group: int) -> float:
    """Return the megabytes that the largest process of a group holds, or 0 if the group has no process."""
    listed = subprocess.check_output(["ps", "-eo", "pgid=,rss="], text=True)
    held = [int(rss) for pgid, rss in map(str.split, listed.splitlines()) if int(pgid) == group]
    return max(held, default=0) / 1024


if __name__ == "__main__":
    main()
