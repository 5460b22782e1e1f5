"""Send requests to a server of this machine as many people would, in a separate process that needs little CPU.

    python -m bench.http_load < plan.json > answers.json

The plan holds a port, the requests of each client as they are sent, for how many seconds new ones are begun, and a
pause. With a pause, each client begins a request every ``pause`` seconds, however long answers take (open loop); the
clients are spread evenly over the pause. Without one, the next request is sent as soon as the last was answered (closed
loop). Each answer has the numbers of the client and the request, the status, and three times in seconds: when the
request was due, begun and answered. A request that is due while its client still waits is sent late, so the time from
when it was due includes this wait.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 60
"""How many seconds an answer may take before it counts as missing."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one request. If there was none, the status is 0, and ``error`` says why."""

    client: int
    number: int
    status: int
    due: float
    begun: float
    ended: float
    error: str = ""

    @property
    def is_accepted(self) -> bool:
        """Return whether the server accepted the request."""
        return self.status in (200, 201)

    @property
    def waited(self) -> float:
        """Return the seconds from when the request was due to its answer."""
        return self.ended - self.due


def ask(port: int, clients: Sequence[Sequence[str]], *, seconds: float, pause: float | None = None) -> list[Answer]:
    """Let the clients send their requests from another process, and return the answers. Raises CalledProcessError or
    TimeoutExpired if that process fails or takes too long.
    """
    plan = {"port": port, "clients": clients, "seconds": seconds, "pause": pause}
    done = subprocess.run(
        [sys.executable, "-m", "bench.http_load"],
        input=json.dumps(plan).encode(),
        stdout=subprocess.PIPE,
        cwd=ROOT,
        check=True,
        timeout=seconds + 2 * PATIENCE,
    )
    return [Answer(*fields) for fields in json.loads(done.stdout)]


def request(method: str, path: str, *, port: int, headers: dict[str, str], body: str = "") -> str:
    """Return a request as it is sent. The body must be ASCII."""
    fields = {"Host": f"127.0.0.1:{port}", **headers, "Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n{body}"


async def _run(plan: dict[str, Any]) -> list[list[Any]]:
    start = time.perf_counter() + 0.1
    clients = (_client(plan, client, start) for client in range(len(plan["clients"])))
    return [answer for answers in await asyncio.gather(*clients) for answer in answers]


async def _client(plan: dict[str, Any], client: int, start: float) -> list[list[Any]]:
    """Send one request after another on one connection, until the time is over or none is left. Return the members of
    each answer.
    """
    connection, pause, answers = Connection(plan["port"]), plan["pause"], []
    for number, text in enumerate(plan["clients"][client]):
        now = time.perf_counter()
        due = start + (number + client / len(plan["clients"])) * pause if pause else max(now, start)
        if due >= start + plan["seconds"]:
            break
        if due > now:
            await asyncio.sleep(due - now)
        begun = time.perf_counter()
        try:
            status, error = await asyncio.wait_for(connection.ask(text.encode()), PATIENCE), ""
        except (OSError, EOFError, TimeoutError, ValueError) as problem:
            status, error = 0, repr(problem)
            connection.close()
        answers.append([client, number, status, due, begun, time.perf_counter(), error])
    connection.close()
    return answers


class Connection:
    """A connection that stays open between requests, and is opened again if the server closed it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, text: bytes) -> int:
        """Send a request, read its whole answer, and return the status."""
        if self.streams is None or self.streams[0].at_eof():
            self.close()
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(text)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        lines = dict(line.split(b":", 1) for line in head.split(b"\r\n")[1:] if b":" in line)
        if b"chunked" in lines.get(b"transfer-encoding", b""):
            while length := int(await reader.readline(), 16):
                await reader.readexactly(length + 2)
            await reader.readline()
        elif b"content-length" in lines:
            await reader.readexactly(int(lines[b"content-length"]))
        else:
            await reader.read()
        if b"close" in lines.get(b"connection", b""):
            self.close()
        return int(head[9:12])

    def close(self) -> None:
        """Close the connection if it is open."""
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None


if __name__ == "__main__":
    json.dump(asyncio.run(_run(json.load(sys.stdin))), sys.stdout)
