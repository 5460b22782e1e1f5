"""The site behind nginx, both as the guide says: its very block of configuration and its very settings.

Only what a test can't have is another: ports, the place of the certificate, and the number of processes.
"""

from __future__ import annotations

import http.client
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection

from tests import factories
from tests.assess.served import ROOT, python

pytestmark = [pytest.mark.slow, pytest.mark.database, pytest.mark.xdist_group("served")]

NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
SITE, DOCUMENTS = "assay.example.org", "docs.example.org"
LIMIT = 10  # wrong passwords
FORM = "application/x-www-form-urlencoded"
CHAPTER = (ROOT / "docs/running-a-site.md").read_text().split("## Behind a proxy, with HTTPS")[1].split("\n## ")[0]
BLOCKS = "\n".join(line[4:] for line in CHAPTER.splitlines() if line.startswith("    "))
MAKE = """
import django; django.setup()
from django.core.management import call_command
from tests import factories
call_command("migrate", verbosity=0)
campaign = factories.campaign(organiser=factories.user("organiser"))
factories.document(campaign, "DOC-1", "I like the blue bicycle.")
"""


@dataclass
class Browser:
    """What a browser of nginx's is to the site: it keeps cookies, and calls from an address of its own."""

    port: int
    address: str = "127.0.0.1"
    host: str = SITE

    def __post_init__(self) -> None:
        self.cookies: dict[str, Any] = {}

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, str, Any]:
        """Status, text and headers of an answer."""
        unchecked = ssl._create_unverified_context()
        call = http.client.HTTPSConnection(
            "127.0.0.1", self.port, context=unchecked, timeout=300, source_address=(self.address, 0)
        )
        cookies = "; ".join(f"{name}={each.value}" for name, each in self.cookies.items())
        sent = {"Host": f"{self.host}:{self.port}", "Cookie": cookies, **headers}
        call.request(method, path, body or None, {name.replace("_", "-"): value for name, value in sent.items()})
        answer = call.getresponse()
        text = answer.read().decode(errors="replace")
        for line in answer.headers.get_all("Set-Cookie") or []:
            self.cookies.update(SimpleCookie(line))
        call.close()
        return answer.status, text, answer.headers

    def post(self, path: str, headers: dict[str, str] | None = None, **form: str) -> int:
        """The status of a form that is sent as a browser sends it."""
        text = self.ask("GET", path)[1]
        (token,) = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', text)) or {""}
        body = urlencode({"csrfmiddlewaretoken": token, **form}).encode()
        origin = {"Content_Type": FORM, "Origin": f"https://{self.host}:{self.port}"}
        return self.ask("POST", path, body, **origin, **(headers or {}))[0]

    def log_in(self, *, password: str = factories.PASSWORD, **headers: str) -> int:
        """302 is in, 200 a wrong password, 429 locked out."""
        return self.post("/login/", headers, username="organiser", password=password)


@pytest.fixture(scope="module")
def ports() -> tuple[int, int]:
    """Of nginx and of the site."""
    with socket.socket() as one, socket.socket() as other:
        for each in (one, other):
            each.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]


@pytest.fixture(scope="module")
def served(
    ports: tuple[int, int], tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[int]:
    """nginx's port, with the site behind it, which is on SQLite."""
    place = tmp_path_factory.mktemp("proxy")
    if connection.vendor == "sqlite":  # to make the tables takes seconds
        (place / "data").mkdir()
        shutil.copy(request.getfixturevalue("empty_database"), place / "data")
    exports = dict(re.findall(r"^export (\w+)=(.+)$", BLOCKS, re.MULTILINE))
    assert {"ASSAY_HTTPS", "ASSAY_TRUSTED_PROXIES", "ASSAY_DOCUMENT_ORIGIN", "ASSAY_ORIGINS"} < set(exports)
    exports = {name: re.sub(r"(https://[\w.]+)", rf"\1:{ports[0]}", value) for name, value in exports.items()}
    (command,) = re.findall(r"^\.venv/bin/python (manage\.py serve.*)$", BLOCKS, re.MULTILINE)
    site = {
        **os.environ,
        **exports,
        "PYTHONPATH": str(ROOT),
        "ASSAY_DATA_DIR": str(place / "data"),
        "DJANGO_SETTINGS_MODULE": "tests.assay_site.quick_settings",
    }
    site.pop("ASSAY_DATABASE", None)
    python(site, MAKE)
    arguments = [*command.replace("--workers 4", "--workers 1").split(), "--port", str(ports[1])]
    server = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env=site, stdout=subprocess.DEVNULL)
    nginx = subprocess.Popen([NGINX, "-c", str(configured(place, ports)), "-e", str(place / "errors")])
    try:
        for port in reversed(ports):
            wait_for(port, server)
        yield ports[0]
    finally:
        nginx.send_signal(signal.SIGQUIT)
        server.terminate()
        assert (nginx.wait(30), server.wait(60)) == (0, 0)


def configured(place: Path, ports: tuple[int, int]) -> Path:
    """The guide's block in a file that nginx can be started with by anybody."""
    (block,) = re.findall(r"^server \{$.*?^\}$", BLOCKS, re.MULTILINE | re.DOTALL)
    certificate = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    certificate += ["-subj", f"/CN={SITE}", "-days", "2", "-keyout", f"{place}/assay.key", "-out", f"{place}/assay.pem"]
    subprocess.run(certificate, check=True, capture_output=True)
    for said, here in (
        ("listen 443 ssl", f"listen 127.0.0.1:{ports[0]} ssl"),
        ("/etc/ssl/", f"{place}/"),
        ("http://127.0.0.1:8000", f"http://127.0.0.1:{ports[1]}"),
    ):
        assert said in block
        block = block.replace(said, here)
    folders = " ".join(
        f"{name}_temp_path {place}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    who = "user root;" if os.geteuid() == 0 else ""
    file = place / "nginx.conf"
    file.write_text(f"{who} daemon off; pid {place}/pid; events {{}}\nhttp {{ access_log off; {folders}\n{block}\n}}\n")
    return file


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(6_000):  # only a test that fails waits so long
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert server.poll() is None, "the site did not start"
        time.sleep(0.05)
    raise AssertionError("nothing answers")


def test_made_up_addresses_lock_out_who_guesses_and_nobody_else(served: int) -> None:
    """Whatever stands in the header: nginx adds the true address on its right, and only that counts."""
    guesser, owner = Browser(served, "127.0.0.2"), Browser(served, "127.0.0.3")
    guesses = [
        guesser.log_in(password="guess", X_Forwarded_For=f"203.0.113.{number}, 127.0.0.3") for number in range(LIMIT)
    ]
    assert guesses == [200] * (LIMIT - 1) + [429]
    assert guesser.log_in(X_Forwarded_For="203.0.113.99") == 429
    assert owner.log_in() == 302
    assert {name: bool(each["secure"]) for name, each in owner.cookies.items()} == {
        "csrftoken": True,
        "sessionid": True,
        "known-device": True,
    }
    status, page, headers = owner.ask("GET", "/")
    assert (status, "max-age=" in headers["Strict-Transport-Security"]) == (200, True)
    assert "/c/opinions/" in page


def test_each_name_answers_what_is_its_own(served: int) -> None:
    site, documents = Browser(served, "127.0.0.4"), Browser(served, "127.0.0.4", DOCUMENTS)
    assert site.log_in() == 302
    page = site.ask("GET", "/c/opinions/documents/DOC-1/view/")[1]
    (framed,) = set(re.findall(rf"https://{DOCUMENTS}:{served}(/d/[^\"]+)", page))
    for path, expected in {
        framed: (404, 200),
        "/login/": (302, 404),
        "/static/css/base.css": (200, 404),
        "/api/v1/campaigns/": (200, 404),
        "/healthz": (200, 404),
    }.items():
        assert (site.ask("GET", path)[0], documents.ask("GET", path)[0]) == expected, path
    assert "blue bicycle" in documents.ask("GET", framed)[1]
    stranger = Browser(served, "127.0.0.4", "evil.example.org")
    assert stranger.ask("GET", "/login/")[0] == 400
    policy = site.ask("GET", "/login/")[2]["Content-Security-Policy"]
    assert f"frame-src https://{DOCUMENTS}:{served}" in policy


def test_uploads_forms_and_files_come_through(served: int) -> None:
    organiser = Browser(served, "127.0.0.5")
    assert organiser.log_in() == 302
    script = re.search(r'src="(/static/[^"]+\.js)"', organiser.ask("GET", "/")[1])
    assert script is not None
    assert organiser.ask("GET", script[1])[0] == 200
    docnos = b"".join(b"DOC-%d\n" % number for number in range(300_000))  # more than nginx takes by itself
    assert len(docnos) > 2 << 20
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="docnos.txt"\r\n\r\n%s\r\n--x--\r\n' % docnos
    headers = {
        "Content_Type": "multipart/form-data; boundary=x",
        "X_CSRFToken": organiser.cookies["csrftoken"].value,
        "Origin": f"https://{SITE}:{served}",
        "Referer": f"https://{SITE}:{served}/",
    }
    assert organiser.ask("POST", "/api/v1/campaigns/opinions/docnos/", body, **headers)[0] in (200, 201, 202)
