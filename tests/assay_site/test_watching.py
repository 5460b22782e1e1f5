"""What is told of requests: lines of the log, and figures of all processes together."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from assay_site.logs import JsonFormatter
from tests import factories

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "figures-for-the-tests"
SCRAPE = """
import os, shutil
import django; django.setup()
from django.test import Client
client = Client(SERVER_NAME="localhost")
def tell(path, **headers):
    return client.get(path, headers=headers)
tell("/healthz")
if not os.fork():  # as the server's other processes are
    tell("/healthz"), tell("/no/such/page"), client.generic("BREW", "/healthz")
    os._exit(0)
os.wait()
print(tell("/metrics").status_code, tell("/metrics", authorization="Bearer another").status_code)
print(tell("/metrics", authorization=f"Bearer {os.environ['ASSAY_METRICS_TOKEN']}").content.decode())
"""


def test_figures_are_those_of_all_processes(empty_database: Path, tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / "histogram_999999999.db").write_bytes(b"of a process that is no more")
    site = {key: value for key, value in os.environ.items() if key != "ASSAY_DATABASE"}
    site |= {"ASSAY_DATA_DIR": str(tmp_path), "ASSAY_METRICS_TOKEN": TOKEN}
    site |= {"DJANGO_SETTINGS_MODULE": "assay_site.settings", "PYTHONPATH": str(ROOT)}
    (tmp_path / empty_database.name).write_bytes(empty_database.read_bytes())
    done = subprocess.run([sys.executable, "-c", SCRAPE], cwd=ROOT, env=site, capture_output=True, text=True)
    refused, *lines = done.stdout.splitlines()
    assert refused == "401 401", done.stderr
    figures = dict(line.rsplit(" ", 1) for line in lines if line and not line.startswith("#"))
    count = "assay_request_seconds_count"
    assert figures[f'{count}{{method="GET",status="200",view="healthz"}}'] == "2.0"
    assert figures[f'{count}{{method="GET",status="404",view="none"}}'] == "1.0"
    assert figures[f'{count}{{method="other",status="405",view="healthz"}}'] == "1.0"
    assert figures['assay_jobs{state="waiting"}'] == figures["assay_job_waiting_seconds"] == "0.0"
    assert figures["assay_database_answers"] == "1.0"
    assert float(figures["assay_disk_free_bytes"]) > 0


def test_without_a_token_there_are_no_figures(client: Client) -> None:
    assert client.get("/metrics").status_code == 404


@pytest.mark.django_db
def test_each_request_has_a_line_where_that_is_asked_for(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    settings.ASSAY_ACCESS_LOG = True
    person, client = factories.user("anna"), Client()
    client.get("/healthz")
    client.get("/invitation/s3cret/?next=s3cret")
    client.force_login(person)
    client.get("/")
    lines = [record for record in caplog.records if record.name == "assay.access"]
    assert [record.levelno for record in lines] == [logging.INFO] * 3
    said = [json.loads(JsonFormatter().format(record)) for record in lines]
    assert [(each["path"], each["status"], each["person"]) for each in said] == [
        ("/healthz", 200, "-"),
        ("/invitation/…/", 404, "-"),
        ("/", 200, person.pk),
    ]
    assert all(each["milliseconds"] >= 0 for each in said)
    assert "s3cret" not in str(said)
    assert said[0]["message"].startswith("GET /healthz 200 person - ")
