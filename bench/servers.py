"""Servers that benchmarks begin on this machine and end again."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path


def free_port() -> int:
    """Return a port of this machine at which nobody listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int, server: subprocess.Popen[bytes] | None = None) -> None:
    """Wait until somebody listens at the port.

    Raises SystemExit where nobody does after 3,000 tries, a tenth of a second apart, or where ``server`` ended before.
    """
    for _ in range(3000):
        if server is not None and server.poll() is not None:
            raise SystemExit(f"the server for port {port} ended with {server.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit(f"nobody listens on port {port}")


@contextmanager
def serving(
    command: Sequence[str], *, port: int, at: Path, environment: Mapping[str, str] | None = None
) -> Iterator[int]:
    """Start a program in a folder, yield its port once it listens there, and end it afterwards.

    Raises SystemExit where it does not come to listen.
    """
    server = subprocess.Popen(command, cwd=at, env=environment, stdout=subprocess.DEVNULL)
    try:
        wait_for(port, server)
        yield port
    finally:
        server.terminate()
        server.wait(timeout=60)
