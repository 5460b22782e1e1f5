"""The figures of other tools: taken of a small peer made here, and an environment that can't be made is said."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bench import bench_peers
from bench.bench_peers import FIGURES, PEERS, measure, serving
from bench.peers.peer import Peer, PeerError, Place, Work, install
from tests.bench.measured import printed

SERVER = """
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        with open(sys.argv[2], "a") as kept:
            kept.write(self.rfile.read(int(self.headers["Content-Length"])).decode() + self.headers["Key"] + "\\n")
        self.answer(201)
    def do_GET(self):
        self.answer(200)
    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def small_peer(kept: Path, *, code: str = SERVER) -> Peer:
    """It stands for doccano, whose figures it takes."""
    work = Work(
        headers={"Key": "word"}, save=lambda number: ("/save", json.dumps(number)), show=lambda number: f"/{number}"
    )
    return Peer(
        name="doccano",
        make_ready=lambda place: None,
        served=lambda place: ([sys.executable, "-c", code, str(place.port), str(kept)], {}),
        path="/",
        fill=lambda place, items: work,
    )


def test_every_figure_is_taken_turn_by_turn_and_every_save_arrives_once(tmp_path: Path) -> None:
    peers = {name: (small_peer(tmp_path / name), Path(sys.executable)) for name in ("assay", "doccano")}
    measured, failed = measure(peers, items=32, requests=16, rounds=2, of="items")
    assert failed == []
    assert [each.figure for each in measured] == [each for each in FIGURES if "label-studio" not in each.name]
    assert all(value > 0 for each in measured for value in each.values)
    for name in peers:
        assert sorted((tmp_path / name).read_text().split()) == sorted(f"{number}word" for number in range(32))


def test_a_peer_that_refuses_is_said_and_the_others_are_taken(tmp_path: Path) -> None:
    refusing = small_peer(tmp_path / "kept", code=SERVER.replace("self.answer(201)", "self.answer(409)"))
    peers = {"assay": small_peer(tmp_path / "assay"), "doccano": refusing}
    there = {name: (peer, Path(sys.executable)) for name, peer in peers.items()}
    measured, failed = measure(there, items=16, requests=8, rounds=1, of="items")
    assert {each.figure.name.partition("-")[0] for each in measured} == {"assay"}
    assert failed[0].startswith("doccano: 16 requests were refused")


def test_a_peer_that_is_not_served_is_said_with_its_last_words(tmp_path: Path) -> None:
    peer = small_peer(tmp_path / "kept", code="raise SystemExit('no such settings')")
    place = Place(python=Path(sys.executable), data=tmp_path, port=9)
    with pytest.raises(PeerError, match="was not served: no such settings"), serving(peer, place):
        pass


def test_what_can_not_be_installed_is_said(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(f"{tmp_path}/no-such-package.whl\n")
    with pytest.raises(PeerError, match="could not be installed"):
        install(tmp_path / "requirements.txt", tmp_path / "environment")


def test_versions_of_peers_are_pinned() -> None:
    for peer in PEERS.values():
        lines = peer.requirements.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if "==" not in line or "://" in line] == []
        assert any(line.startswith(f"{peer.name}==") for line in lines)


def test_nothing_is_installed_where_that_is_asked(tmp_path: Path) -> None:
    assert bench_peers.FIGURES
    absent = [name for name in PEERS if not Path("var", "peers", name).exists()]
    said = printed("bench.bench_peers", "--installed", "--items", "2", "--only", *absent) if absent else ""
    assert said.splitlines() == [f"{name} is not installed" for name in absent]
