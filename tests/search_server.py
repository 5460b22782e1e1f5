"""A search service of the tests: it answers what a test tells it to, and keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class SearchServer:
    """Where it is reached, what it answers, and what it was asked: method, path with query, token, body."""

    address: str
    answer: Answer
    asked: list[tuple[str, str, str, Any]] = field(default_factory=list)


def send(content: bytes, *, status: int = 200, **headers: str) -> Answer:
    """An answer of these bytes."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(content)

    return answer


def send_json(value: object, *, status: int = 200) -> Answer:
    """An answer of JSON."""
    return send(json.dumps(value).encode(), status=status, Content_Type="application/json")


@contextmanager
def search_server(answer: Answer) -> Iterator[SearchServer]:
    """A server that is there for as long as the block."""

    class Handler(BaseHTTPRequestHandler):
        def _take(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            told.asked.append((self.command, self.path, self.headers.get("Authorization", ""), body))
            try:
                told.answer(self)
            except OSError:  # who asked went away
                self.close_connection = True

        do_GET = do_POST = _take  # noqa: N815  (the names of http.server)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    told = SearchServer(address=f"http://127.0.0.1:{server.server_port}", answer=answer)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
