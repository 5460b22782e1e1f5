"""Sites of their own, each with its own data and processes: what several processes do at a time is tried on these."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID, uuid4

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 300.0
"""Seconds for what processes do: only a test that fails waits so long, and a busy machine takes its time."""
ITEMS = 160
JUDGED = """
import django; django.setup()
from django.core.management import call_command
from assess.assignments.queries.work_items import handle_of
from tests import factories
call_command("migrate", verbosity=0)
campaign = factories.campaign(organiser=factories.user("organiser"))
assessor = factories.member(campaign, "assessor", "assessor")
topic = campaign.topics.get(number="1.1")
items = factories.pooled(topic, [f"answer {number}" for number in range(%d)])
work = factories.assignment(topic, "instances", assessor)
print(factories.api_token(assessor), work.pk, *[handle_of(work, item.pk) for item in items])
"""

Site = dict[str, str]
"""The environment that its processes run in."""


@dataclass(frozen=True)
class Work:
    """Items of a site that its assessor is to judge by this token. Sites are copied from it."""

    site: Site
    token: str
    assignment: str
    items: tuple[int, ...]


def on_server(url: str, command: str) -> None:
    """A command to the PostgreSQL server itself."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(command)  # type: ignore[call-overload]


def named(url: str, name: str) -> str:
    """The address of another database of the same server."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


@pytest.fixture(scope="session")
def work_of_site(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Work]:
    """A site to be copied: making its tables takes seconds."""
    site = {**os.environ, "DJANGO_SETTINGS_MODULE": "assay_site.settings", "PYTHONPATH": str(ROOT)}
    site["ASSAY_DATA_DIR"] = str(tmp_path_factory.mktemp("site"))
    url, name = os.environ.get("ASSAY_DATABASE", ""), f"site_{uuid4().hex}"
    if url:
        on_server(url, f"CREATE DATABASE {name} TEMPLATE {request.getfixturevalue('template_database')}")
        site["ASSAY_DATABASE"] = named(url, name)
    else:
        shutil.copy(request.getfixturevalue("empty_database"), site["ASSAY_DATA_DIR"])
    token, assignment, *items = python(site, JUDGED % ITEMS)
    yield Work(site, token, assignment, tuple(map(int, items)))
    if url:
        on_server(url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def new_site(work_of_site: Work, tmp_path: Path) -> Iterator[Callable[[str], Site]]:
    """Makes copies of that site, on the kind of database that the tests run on; "bare" ones without anything."""
    url, original, names = os.environ.get("ASSAY_DATABASE", ""), work_of_site.site, []

    def make(name: str) -> Site:
        site, is_bare = {**original, "ASSAY_DATA_DIR": str(tmp_path / name)}, name.startswith("bare")
        if not is_bare:
            shutil.copytree(original["ASSAY_DATA_DIR"], site["ASSAY_DATA_DIR"])
        if url:
            names.append(f"site_{uuid4().hex}")
            template = "" if is_bare else f" TEMPLATE {urlsplit(original['ASSAY_DATABASE']).path[1:]}"
            on_server(url, f"CREATE DATABASE {names[-1]}{template}")
            site["ASSAY_DATABASE"] = named(url, names[-1])
        return site

    yield make
    for name in names:
        on_server(url, f"DROP DATABASE {name} WITH (FORCE)")


def python(site: Site, code: str) -> list[str]:
    """The words that a program prints."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=site, capture_output=True, text=True, check=True)
    return done.stdout.split()


def stored_keys(site: Site) -> list[str]:
    """The clients' keys of all judgments, as the database has them."""
    query = "SELECT client_key FROM assess_judgment"
    if url := site.get("ASSAY_DATABASE"):
        import psycopg

        with psycopg.connect(url) as server:
            rows = server.execute(query).fetchall()
    else:
        with closing(sqlite3.connect(Path(site["ASSAY_DATA_DIR"]) / "assay.sqlite3")) as file:
            rows = file.execute(query).fetchall()
    return [str(UUID(str(key))) for (key,) in rows]


def manage(site: Site, *command: str) -> None:
    """Run a command of the site."""
    subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, env=site, check=True)


def start(site: Site) -> tuple[subprocess.Popen[bytes], int]:
    """Its server, which answers on this port. It heads a group of processes."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "tests.assess.loaded_site", "--bind", f"127.0.0.1:{port}", "--preload"]
    command += ["--worker-class", "assay_site.patient_worker.PatientWorker", "--workers", "2", "--threads", "2"]
    command += ["--log-level", "error"]
    server = subprocess.Popen(command, cwd=ROOT, env=site, start_new_session=True)

    def answers() -> bool:
        assert server.poll() is None, "the server ended"
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    until(answers, "the server did not start")
    return server, port


def kill(server: subprocess.Popen[bytes]) -> None:
    """End it and its group at once, whatever they are doing."""
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()


class Clicks(threading.Thread):
    """An assessor's browser: posts judgments one after another and notes which were sent and which answered."""

    def __init__(self, port: int, work: Work, clicks: Iterable[tuple[int, str]]) -> None:
        super().__init__()
        self.port, self.work, self.clicks = port, work, clicks
        self.sent: list[str] = []
        self.answered: list[str] = []

    def run(self) -> None:
        path = f"/api/v1/campaigns/opinions/assignments/{self.work.assignment}/judgments/"
        headers = {"Authorization": f"Token {self.work.token}", "Content-Type": "application/json"}
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            for item, key in self.clicks:
                body = {"item": item, "criterion": "correctness", "value": 1, "client_key": key}
                self.sent.append(key)
                connection.request("POST", path, json.dumps(body), headers)
                response = connection.getresponse()
                response.read()
                assert response.status == 201, response.status
                self.answered.append(key)
        except (OSError, http.client.HTTPException):
            return  # the server is gone


def answered(browsers: list[Clicks]) -> set[str]:
    """What the site has said to all of them that it has."""
    return {key for browser in browsers for key in browser.answered}


def wait_for_answers(browsers: list[Clicks], count: int) -> None:
    """Until so many judgments were answered in all."""
    while len(answered(browsers)) < count:
        time.sleep(0.01)
        assert any(browser.is_alive() for browser in browsers), "the server answered nothing"


MARK = "SERVED_FOR"
"""The variable by which the processes of a site are found whose data folder is given from where they begin."""


def of_site(site: Site) -> dict[int, str]:
    """The processes that live and were started for this site, with their command lines."""
    mine = {f"{name}={site['ASSAY_DATA_DIR']}".encode() for name in (MARK, "ASSAY_DATA_DIR")}
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mine & {*(place / "environ").read_bytes().split(b"\0")}:
                found[int(place.name)] = (place / "cmdline").read_bytes().decode().replace("\0", " ")
        except OSError:
            continue
    return {pid: line for pid, line in found.items() if line}


def until(happens: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < end, what
        time.sleep(0.05)
