"""`serve` on a site of its own, with a long job under way: its worker is killed, it is stopped, it is killed."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gunicorn.util import parse_address

from assay_site.server import PACKAGES
from assess.management.commands.serve import children
from tests.assess.served import MARK, PATIENCE, ROOT, Site, of_site, python, until

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("served")]

MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
JSON = rf'{{"time": "{MOMENT}", "level": "INFO", "request_id": "-", "logger": "gunicorn.error", "message": "Starting'
DOCNOS = 60_000
ASK = """
import django; django.setup()
import io
from django.contrib.auth.models import User
from assess.base.files import store_file
from assess.jobs.domain import enqueue_job
from assess.models import Campaign
lines = "".join(f"BLOG06-20060101-000-{number:010}\\n" for number in range(%d))
arguments = {"sha256": store_file(io.BytesIO(lines.encode())).sha256, "name": "docnos.txt"}
who = User.objects.get(username="organiser")
enqueue_job(actor=who, campaign=Campaign.objects.get(), kind="docnos", arguments=arguments)
"""
STATE = """
import django; django.setup()
from django_tasks_db.models import DBTaskResult
from assess.models import Job, ValidDocno
work = Job.objects.get()
print(work.state, work.done, ValidDocno.objects.count(), DBTaskResult.objects.filter(status="RUNNING").count())
"""
FINISH = """
import django; django.setup()
from django.core.management import call_command
call_command("db_worker", batch=True)
"""


@pytest.fixture
def installed_elsewhere(settings: Any, tmp_path: Path) -> None:
    """The site as a package has it: without the project's manage.py."""
    settings.BASE_DIR = tmp_path / "assay_site"


@pytest.fixture
def serve() -> Iterator[Callable[[Site, Path], subprocess.Popen[bytes]]]:
    """Begins `serve` for a site; none outlives a test that failed."""
    begun: list[subprocess.Popen[bytes]] = []

    def begin(site: Site, log: Path) -> subprocess.Popen[bytes]:
        begun.append(_served(site, log))
        return begun[-1]

    yield begin
    for keeper in begun:
        keeper.kill()
        keeper.wait()


def _served(site: Site, log: Path) -> subprocess.Popen[bytes]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = Path(site["ASSAY_DATA_DIR"])
    command = [sys.executable, str(ROOT / "manage.py"), "serve", "--port", str(port), "--workers", "1"]
    environment = {**site, "ASSAY_DATA_DIR": folder.name, MARK: str(folder)}  # as seen from where it is begun
    with log.open("ab") as file:
        return subprocess.Popen(
            [*command, "--threads", "1"], cwd=folder.parent, env=environment, stdout=file, stderr=file
        )


def is_locked(path: Path) -> bool:
    try:
        with path.open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        pass
    return False


def worker_with_job(site: Site) -> int:
    """The worker's process, once it is in the job."""
    found: list[int] = []

    def is_in_job() -> bool:
        found[:] = [pid for pid, line in of_site(site).items() if "manage.py db_worker --queue default" in line]
        return bool(found) and any(map(is_locked, Path(site["ASSAY_DATA_DIR"], "jobs").glob("*")))

    until(is_in_job, "no worker took up the job")
    return found[0]


def state(site: Site) -> list[str]:
    return python(site, STATE)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::", "::1"])
def test_the_server_listens_where_it_is_told_to(host: str) -> None:
    server = children(host=host, port=8000, workers=1, threads=1)["The application server"]
    assert parse_address(server[server.index("--bind") + 1]) == (host, 8000)


def test_an_installed_site_takes_no_module_from_where_it_is_started(installed_elsewhere: None, tmp_path: Path) -> None:
    for name in PACKAGES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('another program')")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "secret-key").write_text("k" * 50)  # by which it is the folder of a site
    commands = children(host="127.0.0.1", port=0, workers=1, threads=1)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "ASSAY_DATA_DIR": str(tmp_path / "data")}
    for name, asked in (("The application server", "--check-config"), ("The background worker", "--help")):
        done = subprocess.run([*commands[name], asked], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert (done.returncode, "another program" in done.stderr) == (0, False), done.stderr


def test_what_the_server_itself_says_is_a_line_of_the_log(tmp_path: Path) -> None:
    (tmp_path / "secret-key").write_text("k" * 50)  # by which it is the folder of a site
    server = children(host="127.0.0.1", port=1, workers=1, threads=1)["The application server"]
    environment = {**os.environ, "ASSAY_DATA_DIR": str(tmp_path)}
    for variable, said in ({}, rf"{MOMENT} INFO - gunicorn.error: Starting gunicorn"), ({"ASSAY_LOG_JSON": "1"}, JSON):
        started = subprocess.Popen(
            [*server, "--log-level", "info", "--bind", "unix:/nowhere/at-all"],
            cwd=tmp_path,
            env=environment | variable,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert started.stderr is not None
        with started:
            line = started.stderr.readline()
            started.kill()  # it would try the address again for seconds
        assert re.match(said, line), line


@pytest.mark.database
def test_whatever_ends_serve_or_its_worker_the_job_goes_on(
    new_site: Callable[[str], Site], serve: Callable[[Site, Path], subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    site, log = new_site("served"), tmp_path / "log"
    python(site, ASK % DOCNOS)

    keeper = serve(site, log)
    first = worker_with_job(site)
    subprocess.run(["kill", "-KILL", str(first)], check=True)
    until(lambda: first not in of_site(site), "the worker was not killed")
    assert worker_with_job(site) != first  # another has it

    keeper.send_signal(signal.SIGTERM)
    assert keeper.wait(timeout=PATIENCE) == 0
    assert of_site(site) == {}
    said = log.read_text()
    assert "The background worker was ended by signal 9; it is started again in 1 s." in said
    assert "Traceback" not in said
    found, _, _, running = state(site)
    assert (found in ("waiting", "done"), running) == (True, "0"), said

    keeper = serve(site, log)
    until(lambda: any("db_worker" in line for line in of_site(site).values()), "no worker was started")
    keeper.kill()
    keeper.wait()
    until(lambda: of_site(site) == {}, "something outlived a killed serve")

    assert python(site, FINISH + STATE)[-4:] == ["done", str(DOCNOS), str(DOCNOS), "0"]
