"""Killing the server while judgments are posted loses none that was answered, and none is stored twice."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from uuid import uuid4

import pytest

ROOT = Path(__file__).resolve().parents[3]
ITEMS = 400

SET_UP = """
import django; django.setup()
from rest_framework.authtoken.models import Token
from assess.queries.work.handles import handle_of
from tests import factories
campaign = factories.campaign(organiser=factories.user("organiser"))
assessor = factories.member(campaign, "assessor", "assessor")
topic = campaign.topics.get(number="1.1")
items = factories.pooled(topic, [f"answer {number}" for number in range(%d)])
work = factories.assignment(topic, "instances", assessor)
print(Token.objects.create(user=assessor).key, work.pk, *[handle_of(work, item.pk) for item in items])
"""
STORED = """
import django; django.setup()
from assess.models import Judgment
print(*Judgment.objects.values_list("client_key", flat=True))
"""


@pytest.fixture
def site(tmp_path: Path) -> dict[str, str]:
    """The environment of a site of its own, on the kind of database that these tests run on."""
    environment = {**os.environ, "ASSAY_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment["PYTHONPATH"] = str(ROOT)
    if url := os.environ.get("ASSAY_DATABASE"):
        import psycopg

        name = f"kill_{uuid4().hex}"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        environment["ASSAY_DATABASE"] = url.rsplit("/", 1)[0] + "/" + name
    return environment


def python(site: dict[str, str], code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=site, capture_output=True, text=True, check=True)
    return done.stdout.split()


def start(site: dict[str, str]) -> tuple[subprocess.Popen[bytes], int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}"]
    command += ["--worker-class", "gthread", "--workers", "2", "--threads", "2", "--log-level", "error"]
    server = subprocess.Popen(command, cwd=ROOT, env=site, start_new_session=True)
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return server, port
        time.sleep(0.1)
    raise AssertionError("the server did not start")


class Clicks:
    """An assessor's browser: posts judgments one after another and notes which were answered."""

    def __init__(self, port: int, token: str, work: str, clicks: list[tuple[int, str]]) -> None:
        self.port, self.token, self.work, self.clicks = port, token, work, clicks
        self.answered: list[str] = []

    def run(self) -> None:
        path = f"/api/v1/campaigns/opinions/assignments/{self.work}/judgments/"
        headers = {"Authorization": f"Token {self.token}", "Content-Type": "application/json"}
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            for item, key in self.clicks:
                body = {"item": item, "criterion": "correctness", "value": 1, "client_key": key}
                connection.request("POST", path, json.dumps(body), headers)
                response = connection.getresponse()
                response.read()
                assert response.status == 201, response.status
                self.answered.append(key)
        except (OSError, http.client.HTTPException):
            return  # the server is gone


@pytest.mark.slow
@pytest.mark.database
def test_no_answered_judgment_is_lost(site: dict[str, str]) -> None:
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=site, check=True)
    token, work, *items = python(site, SET_UP % ITEMS)
    clicks = [(int(item), str(uuid4())) for item in items]
    server, port = start(site)
    browsers = [Clicks(port, token, work, clicks[start::4]) for start in range(4)]
    threads = [threading.Thread(target=browser.run) for browser in browsers]
    for thread in threads:
        thread.start()
    while sum(len(browser.answered) for browser in browsers) < ITEMS // 8:
        time.sleep(0.01)
        assert any(thread.is_alive() for thread in threads), "the server answered nothing"
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()
    for thread in threads:
        thread.join()
    answered = {key for browser in browsers for key in browser.answered}
    assert ITEMS // 8 <= len(answered) < ITEMS
    assert answered <= set(python(site, STORED))

    server, port = start(site)  # the browser's outbox sends what was not answered, with the same keys
    try:
        again = Clicks(port, token, work, [click for click in clicks if click[1] not in answered])
        again.run()
        assert len(again.answered) == ITEMS - len(answered)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=20)
    stored = python(site, STORED)
    assert sorted(stored) == sorted(key for _, key in clicks)
