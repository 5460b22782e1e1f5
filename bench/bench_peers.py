"""The same work by other tools: saving a judgment, the next item, a cold start, memory. To be read beside bench_http.

    .venv/bin/python -m bench.bench_peers [--items 10000] [--requests 200] [--only doccano] [--installed]

Installs each peer of `bench/peers/` with pinned versions into an environment of its own (var/peers; over a gigabyte in
all, from the package index), serves it on 127.0.0.1 as its documentation says, and asks it over HTTP by the client of
`bench.bench_http`, by one token: 1 client and 8 clients save one label for each item, then 1 asks for the next item.
One that can't be installed or made ready is named, and the next goes on; with --installed only those are asked whose
environment is there. Prints per second, milliseconds (median/99th percentile), seconds from its start to its first
answer, and megabytes of its largest process.
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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.bench_http import Turn
from bench.figures import Figure, Measured, add_json_option, write
from bench.http_load import ROOT, ask, request
from bench.peers.doccano import DOCCANO
from bench.peers.label_studio import LABEL_STUDIO
from bench.peers.peer import Peer, PeerError, Place, install
from bench.servers import free_port

PEERS = {peer.name: peer for peer in (DOCCANO, LABEL_STUDIO)}
PATIENCE = 600
"""Seconds within which a peer makes its database and answers."""
FIGURES = tuple(
    figure
    for name in PEERS
    for figure in (
        Figure(name=f"{name}-one", what=f"{name}: labels saved a second, 1 client", unit="/s", is_more_better=True),
        Figure(name=f"{name}-eight", what=f"{name}: labels saved a second, 8 clients", unit="/s", is_more_better=True),
        Figure(name=f"{name}-next", what=f"{name}: the next item", unit="ms"),
        Figure(name=f"{name}-start", what=f"{name}: from its start to its first answer", unit="s"),
        Figure(name=f"{name}-memory", what=f"{name}: memory of its largest process", unit="MB"),
    )
)


def main() -> None:
    """Take every peer that there is."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("was stopped"))  # so that the peer ends, too
    measured: list[Measured] = []
    failed: list[str] = []
    for name in options.only or PEERS:
        environment = ROOT / "var" / "peers" / name
        if options.installed and not environment.exists():
            print(f"{name} is not installed", flush=True)
            continue
        try:
            python = install(PEERS[name].requirements, environment)
            measured += measure(PEERS[name], python, items=options.items, requests=options.requests)
        except (PeerError, OSError, TimeoutError) as error:
            failed.append(f"{name}: {error}")
            print(failed[-1], flush=True)
    write(options.json, measured)
    if failed:
        sys.exit("; ".join(failed))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--requests", type=int, default=200, help="of a loop")
    parser.add_argument("--only", nargs="+", choices=PEERS)
    parser.add_argument("--installed", action="store_true", help="installs nothing")
    add_json_option(parser)
    return parser.parse_args()


def measure(peer: Peer, python: Path, *, items: int, requests: int) -> list[Measured]:
    """Serve one peer with so many items, and take its figures."""
    with tempfile.TemporaryDirectory(prefix="assay-peer-") as folder:
        place = Place(python=python, data=Path(folder), port=free_port())
        peer.make_ready(place)
        with serving(peer, place):
            work = peer.fill(place, items)
        with serving(peer, place) as (process, start):

            def turn(paths: Sequence[Sequence[tuple[str, str, str]]]) -> Turn:
                clients = [
                    [
                        request(method, path, port=place.port, headers=work.headers, body=body)
                        for method, path, body in each
                    ]
                    for each in paths
                ]
                return Turn(ask(place.port, clients, seconds=60))

            saves = [("POST", *work.save(number)) for number in range(min(items, 2 * requests))]
            one = turn([saves[: len(saves) // 2]])
            eight = turn([saves[len(saves) // 2 :][client::8] for client in range(8)])
            shown = turn([[("GET", work.show(number), "") for number in range(min(items, requests) // 2)]])
            memory = largest_of(process.pid)
    refused = [answer for each in (one, eight, shown) for answer in each.answers if not answer.is_accepted]
    if refused:
        raise PeerError(f"{len(refused)} requests were refused: {refused[0]}")
    print(f"{peer.name}\tsave\t{one}\t8 clients {eight}\tnext of {items:,} {shown.percentile(50):.0f} ms", flush=True)
    print(f"{peer.name}\tcold start {start:.1f} s\t{memory:.0f} MB", flush=True)
    figures = {figure.name: figure for figure in FIGURES}
    of = {"size": items, "of": "items"}
    values = {"one": one.rate, "eight": eight.rate, "next": shown.percentile(50), "start": start, "memory": memory}
    notes = {"one": str(one), "eight": str(eight), "next": str(shown)}
    return [
        figures[f"{peer.name}-{key}"].measured([value], note=notes.get(key, ""), **of) for key, value in values.items()
    ]


@contextmanager
def serving(peer: Peer, place: Place) -> Iterator[tuple[subprocess.Popen[bytes], float]]:
    """The peer, served: its process and the seconds until it first answered. It ends with all that it started."""
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
    """End a process and its group, gently at first."""
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
    """Megabytes that the largest process of a group holds."""
    listed = subprocess.check_output(["ps", "-eo", "pgid=,rss="], text=True)
    held = [int(rss) for pgid, rss in map(str.split, listed.splitlines()) if int(pgid) == group]
    return max(held, default=0) / 1024


if __name__ == "__main__":
    main()
