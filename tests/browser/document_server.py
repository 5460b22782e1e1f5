"""Documents as the site serves them, without the site: two origins, and one that must never be asked.

* documents: `http://127.0.0.1:PORT/d/N`, with the headers of `assess.rendering.csp`
* platform: `http://localhost:PORT/frames?d=N&d=M`, holding documents in sandboxed frames
* canary: where every other host name leads; any connection to it is a leak

`Stage.publish` gives the address of a document and `Stage.frames` of the page that holds some; a test of the
real site can stand in for it with the same three methods.
"""

from __future__ import annotations

import html
import re
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from assess.rendering import csp

CHROMIUM = "/usr/bin/chromium"
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # All frames in one process: quicker, and the DevTools session of the page reaches them.
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process,IsolateSandboxedIframes,OptimizationHints,MediaRouter,Translate",
]

CHROMIUM_HOSTS = frozenset(
    {
        "accounts.google.com",
        "clients2.google.com",
        "update.googleapis.com",
        "clientservices.googleapis.com",
        "content-autofill.googleapis.com",
    }
)
"""Hosts that Chromium asks on its own account, whatever the page."""


class Stage:
    """The three servers and what was asked of them."""

    def __init__(self) -> None:
        self.pages: list[tuple[bytes, dict[str, str]]] = []
        self.unexpected: list[str] = []
        self.own: list[str] = []  # what Chromium asks for itself
        self.remote_resources = False
        stage = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                stage.answer(self)

            do_POST = do_HEAD = do_GET  # noqa: N815

            def log_message(self, format: str, *args: object) -> None:
                """Silent: what matters is kept in `unexpected`."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.canary = socket.create_server(("127.0.0.1", 0))
        self.canary_port = self.canary.getsockname()[1]
        self.platform = f"http://localhost:{self.port}"
        self.documents = f"http://127.0.0.1:{self.port}"

    @property
    def host_rules(self) -> str:
        """The Chromium flag that leads every other host name to the canary."""
        rules = f"MAP * 127.0.0.1:{self.canary_port}, EXCLUDE localhost, EXCLUDE 127.0.0.1"
        return f"--host-resolver-rules={rules}"

    def publish(self, page: str) -> str:
        """The address of a prepared page, served as the site serves it."""
        headers = csp.document_headers(
            self_origin=self.documents, platform_origin=self.platform, remote_resources=self.remote_resources
        )
        return self.serve(page.encode(), headers)

    def serve(self, body: bytes, headers: dict[str, str]) -> str:
        """The address of any bytes, served with any headers."""
        self.pages.append((body, headers))
        return f"{self.documents}/d/{len(self.pages) - 1}"

    def frames(self, addresses: Sequence[str], *, sandbox: bool = True) -> str:
        """The address of a platform page that holds these documents, each in a frame."""
        numbers = "&".join(f"d={address.rsplit('/', 1)[1]}" for address in addresses)
        return f"{self.platform}/frames?{numbers}&sandbox={int(sandbox)}"

    def answer(self, request: Any) -> None:
        parts = urlsplit(request.path)
        if parts.path == "/frames":
            body, headers = self._frame_page(parse_qs(parts.query))
        elif parts.path.startswith("/d/") and parts.path[3:].isdigit() and not parts.query and request.command == "GET":
            body, headers = self.pages[int(parts.path[3:])]
        else:
            if parts.path != "/favicon.ico":
                self.unexpected.append(f"{request.command} {request.path}")
            body, headers = b"", {"Content-Type": "text/plain"}
        request.send_response(200)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        with suppress(ConnectionError):  # the browser may have gone on
            request.wfile.write(body)

    def _frame_page(self, query: dict[str, list[str]]) -> tuple[bytes, dict[str, str]]:
        attribute = f' sandbox="{html.escape(csp.FRAME_SANDBOX)}"' if query["sandbox"] == ["1"] else ""
        frames = "".join(f'<iframe name="f{d}" src="{self.documents}/d/{d}"{attribute}></iframe>' for d in query["d"])
        directives = csp.platform_directives(documents_origin=self.documents)
        policy = "; ".join(f"{name} {' '.join(sources)}" for name, sources in directives.items())
        headers = {"Content-Type": "text/html; charset=utf-8"}
        if query["sandbox"] == ["1"]:
            headers["Content-Security-Policy"] = policy
        return f"<!DOCTYPE html><title>frames</title>{frames}".encode(), headers

    def watch_canary(self) -> None:
        """Take connections until closed; each but Chromium's own is a request that left."""
        while True:
            try:
                connection, _ = self.canary.accept()
            except OSError:
                return
            threading.Thread(target=self._note_connection, args=(connection,), daemon=True).start()

    def _note_connection(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(2)
            try:
                first = connection.recv(8192)
                while first[:1] == b"\x16" and len(first) < 5 + int.from_bytes(first[3:5], "big"):
                    more = connection.recv(8192)
                    if not more:
                        break
                    first += more
            except OSError:
                return
        if first:
            host = asked_host(first)
            (self.own if host in CHROMIUM_HOSTS else self.unexpected).append(f"elsewhere: {host} {first[:100]!r}")


def asked_host(first: bytes) -> str:
    """The host that the first bytes of a connection ask for, over HTTP or TLS (its server name); "" if none.

    >>> asked_host(b"GET / HTTP/1.1\\r\\nHost: a.example:80\\r\\n\\r\\n")
    'a.example'
    """
    if match := re.search(rb"\r\nHost: ([^\r\n:]+)", first):
        return match[1].decode("latin-1")
    for match in re.finditer(rb"(?=\x00\x00(..)(..)\x00(..))", first, re.DOTALL):
        extension, names, length = (int.from_bytes(match[number], "big") for number in (1, 2, 3))
        if extension == names + 2 and names == length + 3:
            return first[match.start() + 9 : match.start() + 9 + length].decode("latin-1")
    return ""


@contextmanager
def open_stage() -> Iterator[Stage]:
    """A stage with its servers running."""
    stage = Stage()
    threads = [
        threading.Thread(target=stage.server.serve_forever, daemon=True),
        threading.Thread(target=stage.watch_canary, daemon=True),
    ]
    for thread in threads:
        thread.start()
    try:
        yield stage
    finally:
        stage.server.shutdown()
        stage.server.server_close()
        stage.canary.close()
