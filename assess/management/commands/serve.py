"""Serve the site and run its background worker until stopped."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from errno import EADDRINUSE
from pathlib import Path
from threading import Event
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.utils.module_loading import import_string

from assess.jobs.workers import LONG, SHORT
from assess.management.command import ExampleCommand, is_behind
from assess.management.supervising import keep_running

logger = logging.getLogger(__name__)
SERVER, WORKER = "The application server", "The background worker"
SHORT_WORKER = "The background worker for short jobs"


class Command(ExampleCommand):
    """`manage.py serve --port 8000`: run the application server (``--workers`` processes) and two workers for
    background jobs.
    """

    help = "Serves the site and runs its background workers."
    example = "serve --port 8000"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the address and for the number of processes."""
        parser.add_argument("--host", default="127.0.0.1", help="the address to listen at; default 127.0.0.1")
        parser.add_argument("--port", type=int, default=8000, help="the port to listen at; default 8000")
        parser.add_argument("--workers", type=int, default=2, help="processes of the application server")
        parser.add_argument("--threads", type=int, default=4, help="threads in each of them")
        parser.add_argument("--without-worker", action="store_true", help="the workers run elsewhere: db_worker")

    def handle(self, *args: Any, **options: Any) -> None:
        """Bring the database up to date, and keep all processes running until a signal arrives."""
        require_free_port(options["host"], options["port"])
        if is_behind():
            self.stdout.write("The tables are being made or updated. This may take some minutes.")
            self.stdout.flush()
        call_command("migrate", verbosity=0)
        if settings.ASSAY_COLLECT_STATIC:
            import_string("assay_site.static_files.collect_static_files")()
        stop = told_to_stop()
        self.stdout.write(f"The site is at {address(options['host'], options['port'])} (Ctrl+C stops it).")
        self.stdout.flush()
        given = {key: options[key] for key in ("host", "port", "workers", "threads", "without_worker")}
        commands = children(**given)
        keep_running(commands, folder=Path.cwd(), stop=stop, say=logger.warning)  # where ASSAY_DATA_DIR may begin


def require_free_port(host: str, port: int) -> None:
    """Raise CommandError for an address at which the site can't listen: another program does, the port is no port or
    needs more rights, or the host is not this machine's.
    """
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except PermissionError as error:
            raise CommandError(f"Port {port} needs more rights. Choose one above 1023: PORT=8000.") from error
        except (OSError, OverflowError) as error:
            if isinstance(error, OSError) and error.errno == EADDRINUSE:
                words = f"Port {port} on {host} is in use by another program. Choose another: PORT={port + 1}"
            else:
                words = f"The site can't listen at port {port} of {host}: {error}. Choose another --host or --port."
            raise CommandError(words) from error


def address(host: str, port: int) -> str:
    """Return the site's address for a browser. A host that means every interface becomes localhost."""
    here = {"0.0.0.0": "localhost", "::": "localhost"}.get(host, host)  # noqa: S104
    return f"http://{_bracketed(here)}:{port}/"


def children(*, host: str, port: int, workers: int, threads: int, without_worker: bool = False) -> dict[str, list[str]]:
    """Return the command lines of the server and, unless they run elsewhere, of the workers, each by its name.

    No process imports modules from the folder in which it is started, since that folder may hold another `assay_site/`.
    """
    project = settings.BASE_DIR if (settings.BASE_DIR / "manage.py").is_file() else None  # else it was installed
    start = ("-P", "-m", "assay_site.server") if project is None else ("-m", "gunicorn", "--pythonpath", str(project))
    server = [
        *(sys.executable, *start, "assay_site.wsgi", "--bind", f"{_bracketed(host)}:{port}"),
        *("--logger-class", "assay_site.server_log.ServerLogger"),
        *(
            "--worker-class",
            "assay_site.patient_worker.PatientWorker",
            "--workers",
            str(workers),
            "--threads",
            str(threads),
        ),
        "--preload",  # once for all of its processes, which share that memory
        *("--umask", "0077"),  # else gunicorn sets 0 for a moment when it starts a process
        *("--keep-alive", "30", "--timeout", "120", "--graceful-timeout", "15", "--log-level", "warning"),
    ]
    site = (str(project / "manage.py"),) if project is not None else ("-P", "-m", "assay_site")
    worker = [sys.executable, *site, "db_worker", "--queue"]
    if without_worker:
        return {SERVER: server}
    return {SERVER: server, WORKER: [*worker, LONG], SHORT_WORKER: [*worker, SHORT, "--interval", "0.5"]}


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def told_to_stop() -> Event:
    """Return an event that SIGINT and SIGTERM set. A second signal ends the program at once."""
    stop = Event()

    def tell(number: int, frame: object) -> None:
        if stop.is_set():
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, tell)
    return stop
