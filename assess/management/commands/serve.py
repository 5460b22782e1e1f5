"""Serve the site and run its background worker, until stopped."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser

from assess.management.command import ExampleCommand


class Command(ExampleCommand):
    """`manage.py serve --port 8000`: the application server and the worker, as two child processes."""

    help = "Serves the site and runs its background worker."
    example = "serve --port 8000"

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to listen and with how many processes."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--workers", type=int, default=2, help="processes of the application server")
        parser.add_argument("--threads", type=int, default=4, help="threads in each of them")

    def handle(self, *args: Any, **options: Any) -> None:
        """Bring the database up to date, start both processes, end both when one ends or a signal comes."""
        require_free_port(options["host"], options["port"])
        call_command("migrate", verbosity=0)
        self.stdout.write(f"The site is at {address(options['host'], options['port'])} (Ctrl+C stops it).")
        self.stdout.flush()
        run_until_stopped(children(**{key: options[key] for key in ("host", "port", "workers", "threads")}))


def require_free_port(host: str, port: int) -> None:
    """Refuse with a clear sentence where another program listens on the port already."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except PermissionError as error:
            raise CommandError(f"Port {port} needs more rights. Choose one above 1023: PORT=8000.") from error
        except OSError as error:
            raise CommandError(
                f"Port {port} on {host} is in use by another program. Choose another: make demo PORT={port + 1}"
            ) from error


def address(host: str, port: int) -> str:
    """Where a browser finds the site; one that listens everywhere is here, too."""
    here = {"0.0.0.0": "localhost", "::": "localhost"}.get(host, host)  # noqa: S104
    return f"http://{f'[{here}]' if ':' in here else here}:{port}/"


def children(*, host: str, port: int, workers: int, threads: int) -> list[list[str]]:
    """The command lines of the application server and of the worker."""
    server = [
        *(sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"{host}:{port}"),
        *("--worker-class", "gthread", "--workers", str(workers), "--threads", str(threads)),
        *("--keep-alive", "30", "--timeout", "120", "--log-level", "warning"),
    ]
    worker = [sys.executable, "manage.py", "db_worker", "--interval", "2", "--verbosity", "0"]
    return [server, worker]


def run_until_stopped(commands: list[list[str]]) -> None:
    """Run the commands together; when one ends or a signal comes, end all and wait for them."""
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    processes = [subprocess.Popen(command, cwd=settings.BASE_DIR, env=os.environ.copy()) for command in commands]
    try:
        while not stopped and all(process.poll() is None for process in processes):
            time.sleep(0.2)
    finally:
        for process in processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in processes:
            process.wait(timeout=30)
    failed = [process.returncode for process in processes if process.returncode not in (0, -signal.SIGTERM, 1)]
    if failed and not stopped:
        raise CommandError("The server ended by itself; the lines above say why.")
