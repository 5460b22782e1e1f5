"""The program of a rendering process, which `processes.py` starts. It is the site's only program that loads the
parsers.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from dataclasses import asdict
from multiprocessing.connection import Connection
from typing import Any

from assess.rendering.render import render_document, render_text_only
from assess.rendering.rendered import Rendering


def _serve(connection: Connection) -> None:
    """Do one job after another until the other side closes the connection."""
    connection.send_bytes(b"{}")
    while True:
        try:
            header = json.loads(connection.recv_bytes())
            raw = connection.recv_bytes()
        except EOFError:
            return
        # A safeguard in case the program that would end this process has itself been killed.
        signal.setitimer(signal.ITIMER_REAL, header["seconds"] * 2 + 1)
        try:
            answer = asdict(_render(raw, header))
        except MemoryError:
            # Its remaining memory is fragmented: the other side starts a new process.
            answer = {"reason": "could not be prepared: it takes too much memory", "spent": True}
        except RecursionError:
            answer = {"reason": "could not be prepared: it is nested too deeply"}
        except Exception as error:  # noqa: BLE001 - a parser's bug must cost one page, and is named in its note
            answer = {"reason": f"could not be prepared: the parser failed ({type(error).__name__})"}
        signal.setitimer(signal.ITIMER_REAL, 0)
        connection.send_bytes(json.dumps(answer).encode())


def _render(raw: bytes, header: dict[str, Any]) -> Rendering:
    media_type, charset = header["media_type"], header["charset"]
    if header["reason"]:
        return render_text_only(raw, media_type=media_type, charset=charset, reason=header["reason"])
    return render_document(raw, media_type=media_type, charset=charset, url=header["url"], sheets=header["sheets"])


def main() -> None:
    """Run as a rendering process. The arguments are the number of a socket and the memory limit in MB."""
    descriptor, memory_mb = int(sys.argv[1]), int(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit = memory_mb * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        _serve(Connection(descriptor))
    except OSError:
        return  # the other side closed the connection


if __name__ == "__main__":
    main()
