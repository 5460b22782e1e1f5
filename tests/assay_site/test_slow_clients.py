"""A served site goes on answering while clients send half a request and then nothing, or a byte now and then."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from gunicorn.workers.gthread import ThreadWorker

from assay_site.patient_worker import PatientWorker
from assess.management.commands.serve import children
from bench.servers import free_port, serving

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 60
"""Seconds for what is answered: only a test that fails waits so long."""
APP = (
    "import os, time\n"
    "from assay_site import patient_worker\n"
    "patient_worker.PATIENCE, patient_worker.SLOWEST, patient_worker.QUICK = 1.5, 1 << 20, 60\n"
    "def application(environ, start):\n"
    "    if 'long' in environ['PATH_INFO']:\n"
    "        with open('ran', 'a') as ran:\n"
    "            ran.write(environ['PATH_INFO'])\n"
    "        while not os.path.exists('go'):\n"
    "            time.sleep(0.01)\n"
    "    length = len(environ['wsgi.input'].read())\n"
    "    start('200 OK', [('Content-Length', str(len(str(length))))])\n"
    "    return [str(length).encode()]\n"
)
HALF = {
    "a head": b"GET / HTTP/1.1\r\nHost: a\r\n",
    "a small body": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\nhalf",
    "a large body": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\nhalf",
    "a body of no length": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nha",
    "a request before it": b"GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nha",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the small program is."""
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def port(folder: Path) -> Iterator[int]:
    """The port of a server that the tests share."""
    with served(folder) as port:
        yield port


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """Serve a small program as `manage.py serve` serves the site, by one process with two threads."""
    (folder / "small.py").write_text(APP)
    port = free_port()
    serve = children(host="127.0.0.1", port=port, workers=1, threads=2)["The application server"]
    command = [{"assay_site.wsgi": "small"}.get(word, word) for word in serve if word != "--preload"]
    command += ["--pythonpath", f"{folder},{ROOT}"]
    with serving(command, port=port, at=folder):
        yield port


def ask(port: int, body: bytes | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("POST" if body is not None else "GET", "/", body=body)
    answer = connection.getresponse()
    return answer.status, answer.read()


@pytest.mark.parametrize("sent", HALF.values(), ids=HALF)
def test_half_sent_requests_hold_no_thread(port: int, sent: bytes) -> None:
    with ExitStack() as opened:
        clients = [
            opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)) for _ in range(12)
        ]
        for client in clients:
            client.sendall(sent)
        assert ask(port) == (200, b"0")
        assert ask(port, b"x" * 1000) == (200, b"1000")


def test_a_client_that_stops_is_closed(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(HALF["a small body"])
        assert client.recv(100) == b""


def test_an_upload_that_stops_makes_room_for_the_next(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(HALF["a large body"])
        assert ask(port, b"x" * 600_000) == (200, b"600000")


def test_long_pages_leave_a_thread_to_who_judges(port: int, folder: Path) -> None:
    known = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    for _ in range(2):  # the second is read when the first is over: from then on its page is known to be quick
        known.request("GET", "/")
        assert known.getresponse().read() == b"0"
    with ExitStack() as opened:
        clients = [
            opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)) for _ in range(4)
        ]
        for number, client in enumerate(clients):
            client.sendall(f"GET /{'abcd'[number]}/long HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            if number == 0:
                wait_until_said(folder / "ran", "/a/long")
        assert ask(port, b"x" * 10) == (200, b"10")
        assert ask(port, b"x" * 600_000) == (200, b"600000")
        assert ask(port) == (200, b"0")
        clients[1].close()  # whoever asked has left: nobody makes this page
        (folder / "go").touch()
        for client in (clients[0], *clients[2:]):
            assert b"200 OK" in received(client, 1)
    assert (folder / "ran").read_text() == "/a/long/c/long/d/long"


def test_a_client_that_sends_no_more_is_answered(tmp_path: Path) -> None:
    """As those are that close their sending side once they have asked, where their page begins at once: the server is
    asked for nothing else, and no page before this one can still hold its place.
    """
    with served(tmp_path) as port, socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(b"GET /never/asked/before HTTP/1.1\r\nHost: a\r\n\r\n")
        client.shutdown(socket.SHUT_WR)
        assert b"200 OK" in received(client, 1)


def wait_until_said(file: Path, text: str) -> None:
    until = time.monotonic() + PATIENCE
    while not (file.exists() and text in file.read_text()):
        assert time.monotonic() < until
        time.sleep(0.01)


def test_requests_are_read_as_before(port: int) -> None:
    """Kept connections, requests sent together, a body in pieces, one that waits to be asked on."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    for length in (0, 10, 300_000, 10):
        connection.request("POST", "/", body=b"x" * length)
        assert connection.getresponse().read() == str(length).encode()
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab")
        client.sendall(b"c")
        assert received(client, 2).count(b"200 OK") == 2
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 100")
        client.sendall(b"abc")
        assert b"200 OK" in received(client, 1)
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.sendall(b"GET / HTTP/1.1\r\nX: " + b"a" * 100_000)
        assert client.recv(1000).startswith(b"HTTP/1.1 431")


def test_a_process_with_connections_lets_one_with_fewer_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """One process took all that came together, and the others did nothing."""
    busy, waited, others = object.__new__(PatientWorker), list[float](), list[socket.socket]()
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()):
        listener.setblocking(False)

        def meanwhile(seconds: float) -> None:
            waited.append(seconds)
            if len(waited) == 4:
                others.append(listener.accept()[0])  # by another process

        monkeypatch.setattr("assay_site.patient_worker.time.sleep", meanwhile)
        with monkeypatch.context() as other:
            other.setattr(ThreadWorker, "accept", lambda *_: None)
            for busy.nr_conns in (0, 1, 8):
                busy.accept(listener)
        busy.nr_conns = 500
        busy.accept(listener)
        others[0].close()
    assert waited[0] == 0
    assert waited == sorted(set(waited))
    assert (waited[-1] < 0.002, busy.nr_conns) == (True, 500)


def received(client: socket.socket, answers: int) -> bytes:
    found, until = b"", time.monotonic() + PATIENCE
    while found.count(b"\r\n\r\n") < answers and time.monotonic() < until:
        found += client.recv(10_000)
    return found
