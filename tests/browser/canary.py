"""Chromium, and proxies that note every host it asks: one for pages, another for what Chromium asks on its own account.

Pages live in contexts, and each context has its proxy; what the browser itself wants goes through the proxy that it was
started with. So which of the two asked is known by where the request arrives, and no list of hosts has to be excused.
Neither proxy passes anything on. No name is looked up either: a request that knows a way around the proxies fails.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

WHOLE = Path("/usr/bin/chromium")
SHELL = Path("/usr/bin/chromium-headless-shell")
"""The same engine without windows, tabs and menus, which nobody looks at here and which cost most of the time."""
CHROMIUM = str(WHOLE if "ASSAY_WHOLE_CHROMIUM" in os.environ or not SHELL.exists() else SHELL)
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    # What is painted is put together in the browser's own process: to hand it to another took a tenth of the time.
    "--in-process-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
    # All frames in one process: quicker, and the DevTools session of the page reaches them.
    "--disable-site-isolation-trials",
    # All pages of a context in one process, too: starting another costs as much as loading a page.
    "--renderer-process-limit=1",
    "--disable-features=IsolateOrigins,site-per-process,IsolateSandboxedIframes,OptimizationHints,MediaRouter,Translate,"
    "AutofillServerCommunication",
]
OWN_HOSTS = "localhost,127.0.0.1"
"""The site's: asked without a proxy, which its own requests would only pass through."""


class Proxy:
    """Notes the hosts that were asked, and answers stylesheets with ``stylesheet``, all else by hanging up."""

    def __init__(self) -> None:
        self.hosts: list[str] = []
        self.paths: list[str] = []
        self.stylesheet = b""
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=256)
        threading.Thread(target=self._take, daemon=True).start()

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}"

    def forget(self) -> None:
        """Begin anew."""
        self.hosts.clear()
        self.paths.clear()
        self.stylesheet = b""

    def _take(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listening.accept()
                threading.Thread(target=self._note, args=(connection,), daemon=True).start()

    def _note(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(60)
            first = b""
            while b"\r\n\r\n" not in first and (more := connection.recv(8192)):
                first += more
            if not first:
                return  # a connection opened in advance, by which nothing was asked
            host, path = asked(first)
            self.hosts.append(host)
            self.paths.append(path)
            if self.stylesheet and b"text/css" in first:
                length = len(self.stylesheet)
                head = f"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nContent-Length: {length}\r\nConnection: close\r\n"
                connection.sendall(head.encode() + b"\r\n" + self.stylesheet)


class Canary(Proxy):
    """The proxy of pages; ``browser`` is that of Chromium itself."""

    def __init__(self) -> None:
        super().__init__()
        self.browser = Proxy()

    @property
    def flags(self) -> list[str]:
        """What Chromium is started with, so that its own requests come to ``browser``."""
        return [f"--proxy-server={self.browser.address}", f"--proxy-bypass-list={OWN_HOSTS.replace(',', ';')}"]

    @property
    def of_a_context(self) -> dict[str, str]:
        """The proxy of a context, as Playwright takes it."""
        return {"server": self.address, "bypass": OWN_HOSTS}


def asked(first: bytes) -> tuple[str, str]:
    """(host, path) that a request to a proxy asks for; what is asked over TLS has no path here.

    >>> asked(b"GET http://a.example:80/x?y HTTP/1.1\\r\\n\\r\\n"), asked(b"CONNECT b.example:443 HTTP/1.1\\r\\n\\r\\n")
    (('a.example', '/x'), ('b.example', ''))
    """
    method, _, rest = first.decode("latin-1").partition(" ")
    target = rest.split(" ", 1)[0]
    if method == "CONNECT":
        return target.rpartition(":")[0], ""
    parts = urlsplit(target)
    return parts.hostname or target, parts.path


@contextmanager
def open_canary() -> Iterator[Canary]:
    """A canary that listens."""
    canary = Canary()
    try:
        yield canary
    finally:
        canary.listening.close()
        canary.browser.listening.close()
