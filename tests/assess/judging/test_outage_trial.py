"""Eight people judge while the database is locked, the disk is full or the database away, and processes are killed:
nothing that they said is lost or stored twice, and the site answers again by itself.

`ASSAY_OUTAGE_SECONDS=60` has each outage last a minute and prints what was seen (`-s`).
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest

from tests.assess.served import PATIENCE, ROOT, Site, named, of_site, on_server, python, stored_keys, until
from tests.small_disk import SmallDisk, small_disk

pytestmark = [pytest.mark.slow, pytest.mark.database, pytest.mark.xdist_group("served")]

SECONDS = float(os.environ.get("ASSAY_OUTAGE_SECONDS", "2"))
IS_REAL = SECONDS >= 10
LOCK_SECONDS = 5.0 if IS_REAL else 0.5
LONGEST_PAUSE = 60.0 if IS_REAL else 0.5
PEOPLE = 8
SEATS = """
import django; django.setup()
from django.test import Client
from assess.models import Campaign, Item
from assess.assignments.queries.work_items import handle_of
from tests import factories
campaign = Campaign.objects.get()
for number in range(%d):
    who = factories.member(campaign, f"person{number}", "assessor")
    topic = factories.topic(campaign, f"9.{number}", "Which?", task=campaign.topics.get(number="1.1").task)
    items = factories.pooled(topic, [f"answer {number}" for number in range(20)])
    work = factories.assignment(topic, "instances", who)
    print(factories.api_token(who), work.pk, ",".join(str(handle_of(work, item.pk)) for item in items))
who = campaign.memberships.get(role="organiser").user
who.set_password("a long pass phrase"); who.save()
client = Client(); client.force_login(who)
print(factories.api_token(who), client.cookies["sessionid"].value)
"""


class Person(threading.Thread):
    """Judges one thing after another as the outbox does: the same key again until there is an answer."""

    def __init__(self, port: int, seat: tuple[str, str, str], stop: threading.Event) -> None:
        super().__init__()
        self.port, self.stop = port, stop
        self.token, self.assignment, items = seat
        self.items = [int(item) for item in items.split(",")]
        self.said: list[str] = []
        self.statuses: Counter[int] = Counter()
        self.longest = 0.0
        self.answered_at = time.monotonic()

    def run(self) -> None:
        place = 0
        while not self.stop.is_set():
            key = str(uuid4())
            body = {
                "item": self.items[place % len(self.items)],
                "criterion": "correctness",
                "value": 1,
                "client_key": key,
            }
            self.said.append(key)
            self._until_stored(json.dumps(body))
            place += 1
            time.sleep(0.15)

    def _until_stored(self, body: str) -> None:
        path = f"/api/v1/campaigns/opinions/assignments/{self.assignment}/judgments/"
        headers = {"Authorization": f"Token {self.token}", "Content-Type": "application/json"}
        while True:
            began = time.monotonic()
            status, waits, _ = ask(self.port, "POST", path, body, headers)
            self.longest = max(self.longest, time.monotonic() - began)
            self.statuses[status] += 1
            if status in (200, 201):
                self.answered_at = time.monotonic()
                return
            assert status in (0, 503, 507), status
            time.sleep(min(waits or 1.0, LONGEST_PAUSE))


def ask(port: int, method: str, path: str, body: str | bytes, headers: dict[str, str]) -> tuple[int, float, str]:
    """The status (0 without an answer), after how many seconds to come back, and the content."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, float(answer.headers.get("Retry-After", 0)), answer.read().decode()
    except (OSError, http.client.HTTPException):
        return 0, 0.0, ""
    finally:
        connection.close()


@contextmanager
def served(site: Site, log: Path) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    with log.open("wb") as file:
        keeper = subprocess.Popen(command, cwd=ROOT, env=site, stdout=file, stderr=file)
    try:
        until(lambda: ask(port, "GET", "/login/", "", {})[0] == 200, "the site did not start")
        yield port
    finally:
        keeper.send_signal(signal.SIGTERM)
        assert keeper.wait(timeout=PATIENCE) == 0
    assert of_site(site) == {}


@contextmanager
def locked(site: Site) -> Iterator[None]:
    """Another program holds the database for writing."""
    if url := site.get("ASSAY_DATABASE"):
        with psycopg.connect(url) as other:
            other.execute("LOCK TABLE assess_ledgerpoint IN EXCLUSIVE MODE")
            yield
        return
    other_file = sqlite3.connect(Path(site["ASSAY_DATA_DIR"]) / "assay.sqlite3", isolation_level=None, timeout=60)
    other_file.execute("BEGIN IMMEDIATE")
    yield
    other_file.close()


@contextmanager
def away(site: Site) -> Iterator[None]:
    """PostgreSQL ends every connection to the database and takes no new one."""
    url = site["ASSAY_DATABASE"]
    name, server = urlsplit(url).path[1:], named(url, "postgres")
    on_server(server, f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    on_server(server, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    yield
    on_server(server, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


@contextmanager
def full(site: Site, disk: SmallDisk, port: int, token: str, session: str) -> Iterator[None]:
    """The disk is full: login and uploads (by the organiser's token and session) say so, and leave nothing behind."""
    kept = sorted(path for path in disk.path.rglob("*") if path.is_file() and path.parent.name != "jobs")
    forget_log(site)
    disk.fill()
    try:
        assert [login(port), *uploads(port, token, session)] == [(507, True)] * 4
        yield
    finally:
        disk.free()
    left = [path for path in disk.path.rglob("*") if path.is_file() and path.parent.name != "jobs" and path not in kept]
    assert [path for path in left if "sqlite3" not in path.name] == []
    until(lambda: login(port)[0] == 302, "nobody can log in once there is room")


def forget_log(site: Site) -> None:
    """SQLite's log takes more as long as it has room that is its own already: give that back to the disk."""
    with closing(sqlite3.connect(Path(site["ASSAY_DATA_DIR"]) / "assay.sqlite3", timeout=60)) as file:
        until(lambda: file.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0, "the log is never free")


def login(port: int) -> tuple[int, bool]:
    body = "username=organiser&password=a+long+pass+phrase&csrfmiddlewaretoken=" + "a" * 32
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": "csrftoken=" + "a" * 32}
    status, _, text = ask(port, "POST", "/login/", body, headers)
    return status, "The disk of the site is full" in text


def uploads(port: int, token: str, session: str) -> list[tuple[int, bool]]:
    """A small file and a large one by the API, and a large one by the form."""
    found = []
    cookies = f"sessionid={session}; csrftoken={'a' * 32}"
    for address, size, rights in (
        ("/api/v1/campaigns/opinions/docnos/", 1_000_000, {"Authorization": f"Token {token}"}),
        ("/api/v1/campaigns/opinions/docnos/", 4_000_000, {"Authorization": f"Token {token}"}),
        ("/c/opinions/documents/docnos/", 4_000_000, {"Cookie": cookies}),
    ):
        head = "--x\r\nContent-Disposition: form-data; name={0}\r\n\r\n{1}\r\n"
        file = b'--x\r\nContent-Disposition: form-data; name="file"; filename="d.txt"\r\n\r\n'
        body = head.format('"csrfmiddlewaretoken"', "a" * 32).encode() + file + b"D1\n" * (size // 3) + b"\r\n--x--\r\n"
        headers = {"Content-Type": "multipart/form-data; boundary=x", **rights}
        status, waits, text = ask(port, "POST", address, body, headers)
        found.append((status, "The disk of the site is full" in text and waits > 0))
    return found


def kill_some(site: Site) -> None:
    """A process of the server and the background worker, at once."""
    running = of_site(site)
    worker = next(pid for pid, line in running.items() if "db_worker --queue default" in line)
    server = max(pid for pid, line in running.items() if "gunicorn" in line)
    for pid in (worker, server):
        os.kill(pid, signal.SIGKILL)


def again(people: list[Person]) -> float:
    """How long it takes until all of them have been answered again, with nothing done for it."""
    began = time.monotonic()
    until(lambda: all(person.answered_at > began for person in people), "the site does not answer again")
    return time.monotonic() - began


def refused(people: list[Person], status: int) -> int:
    """How often somebody was answered with this status."""
    return sum(person.statuses[status] for person in people)


def report(name: str, people: list[Person], seconds: float) -> None:
    statuses = sum((person.statuses for person in people), Counter())
    longest = max(person.longest for person in people)
    print(f"{name}: all answered again after {seconds:.1f} s; so far {dict(statuses)}, longest wait {longest:.1f} s")
    for person in people:
        person.longest = 0.0


def play(site: Site, disk: SmallDisk, port: int, people: list[Person], organiser: tuple[str, str]) -> None:
    """One outage after the other; after each of them everybody is answered again."""
    report("warm", people, again(people))
    other = ("full", 507, full(site, disk, port, *organiser))
    if site.get("ASSAY_DATABASE"):
        other = ("away", 503, away(site))
    for name, status, outage in (("locked", 503, locked(site)), other):
        with outage:
            before = refused(people, status)
            time.sleep(SECONDS)
            until(lambda before=before, status=status: refused(people, status) > before, f"nobody is told of “{name}”")
        report(name, people, again(people))
    kill_some(site)
    report("killed", people, again(people))
    until(
        lambda: any("db_worker --queue default" in line for line in of_site(site).values()),
        "the worker was not started again",
    )


def test_nothing_is_lost_or_stored_twice_whatever_goes_wrong(new_site: Callable[[str], Site], tmp_path: Path) -> None:
    sites: list[Site] = []
    with small_disk(tmp_path / "disk", megabytes=32, writers=lambda: of_site(sites[0]) if sites else ()) as disk:
        site = {**new_site("disk/site"), "ASSAY_LOCK_SECONDS": str(LOCK_SECONDS)}
        sites.append(site)
        *words, token, session = python(site, SEATS % PEOPLE)
        stop = threading.Event()
        with served(site, tmp_path / "log") as port:
            seats = zip(words[::3], words[1::3], words[2::3], strict=True)
            people = [Person(port, seat, stop) for seat in seats]
            for person in people:
                person.start()
            try:
                play(site, disk, port, people, (token, session))
            finally:
                stop.set()
                for person in people:
                    person.join()
        stored = stored_keys(site)
    said = [key for person in people for key in person.said]
    assert (len(people), sorted(stored)) == (PEOPLE, sorted(said))
    assert "Traceback" not in (tmp_path / "log").read_text()
