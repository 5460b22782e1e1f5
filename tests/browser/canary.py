"""Chromium, and where every host name but the site's own leads it: any connection there is a request that left."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

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


class Canary:
    """Notes the hosts that were asked, and answers stylesheets with ``stylesheet``, all else by hanging up."""

    def __init__(self) -> None:
        self.hosts: list[str] = []
        self.paths: list[str] = []
        self.stylesheet = b""
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=256)

    @property
    def host_rules(self) -> str:
        """The Chromium flag that leads every host name but the site's here."""
        port = self.listening.getsockname()[1]
        return f"--host-resolver-rules=MAP * 127.0.0.1:{port}, EXCLUDE localhost, EXCLUDE 127.0.0.1"

    def forget(self) -> None:
        """Begin anew."""
        self.hosts.clear()
        self.paths.clear()
        self.stylesheet = b""

    def watch(self) -> None:
        """Take connections until closed."""
        with suppress(OSError):
            while True:
                connection, _ = self.listening.accept()
                threading.Thread(target=self._note, args=(connection,), daemon=True).start()

    def _note(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(2)
            first = connection.recv(8192)
            while first[:1] == b"\x16" and len(first) < 5 + int.from_bytes(first[3:5], "big"):
                more = connection.recv(8192)
                if not more:
                    break
                first += more
            host = asked_host(first)
            if first and host not in CHROMIUM_HOSTS:
                self.hosts.append(host)
                self.paths.append(first.split(b" ", 2)[1].decode("latin-1") if first[:4] == b"GET " else "")
            if self.stylesheet and b"text/css" in first:
                length = len(self.stylesheet)
                head = f"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Length: {length}\r\nConnection: close\r\n"
                connection.sendall(head.encode() + b"\r\n" + self.stylesheet)


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
def open_canary() -> Iterator[Canary]:
    """A canary that listens."""
    canary = Canary()
    threading.Thread(target=canary.watch, daemon=True).start()
    try:
        yield canary
    finally:
        canary.listening.close()
