"""Settings from the environment: a wrong one is refused in one line that names it, its value and what is allowed."""

from __future__ import annotations

import os
import re
import runpy
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assay_site.databases import postgresql
from assay_site.environment import BadSetting
from assay_site.mail_settings import mail
from assay_site.prepared_cursor import PreparedCursor
from assay_site.start import end_tidily, heed_signals

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = str(ROOT / "assay_site" / "settings.py")
SECRET = "pass-word-77"
ADDRESS = f"postgresql://assay:{SECRET}@127.0.0.1:1/assay"
WRONG = [
    ("ASSAY_DATA_DIR", "/proc/assay", "a folder that this program may write to"),
    ("ASSAY_DEBUG", "maybe", "1 (or true, yes, on) or 0 (or false, no, off)"),
    ("ASSAY_HTTPS", "2", "1 (or true, yes, on) or 0 (or false, no, off)"),
    ("ASSAY_HOSTS", "https://assay.example.org/", "names of hosts with commas between"),
    ("ASSAY_HOSTS", "assay.example.org:8000", "without ports"),
    ("ASSAY_HOSTS", "localhost,::1", "without ports"),
    ("ASSAY_ORIGINS", "assay.example.org", "https://assay.example.org"),
    ("ASSAY_DOCUMENT_ORIGIN", "https://docs.example.org/d/", "an origin without a path"),
    ("ASSAY_DOCUMENT_ORIGIN", "https://*.localhost", "an origin without a path"),
    ("ASSAY_DOCUMENT_ORIGIN", "https://localhost:port", "an origin without a path"),
    ("ASSAY_DOCUMENT_ORIGIN", "https://localhost;script-src *", "an origin without a path"),
    ("ASSAY_ORIGINS", "https://me@assay.example.org", "https://assay.example.org"),
    ("ASSAY_DOCUMENT_STORE", "s3://bucket", "storages.backends.s3.S3Storage"),
    ("ASSAY_TIME_ZONE", "Mars/Olympus", "UTC or Europe/Berlin"),
    ("ASSAY_LANGUAGE", "klingon", "one of en, de"),
    ("ASSAY_UPLOAD_MB", "much", "a whole number, at least 1"),
    ("ASSAY_UPLOAD_MB", "0", "a whole number, at least 1"),
    ("ASSAY_RENDER_SECONDS", "nan", "a number of seconds above 0"),
    ("ASSAY_RENDER_PROCESSES", "-1", "a whole number, at least 1"),
    ("ASSAY_LOCK_SECONDS", "0", "a number of seconds above 0"),
    ("ASSAY_PYSERINI", "search.example.org", "https://search.example.org"),
    ("ASSAY_ROUTIR", "https://search.example.org/?q=1", "https://search.example.org"),
    ("ASSAY_WEBHOOKS", "https://a.example.org/x,hooks.example.org", "https://hooks.example.org"),
    ("ASSAY_SEARCH_SECONDS", "0", "a number of seconds above 0"),
    ("ASSAY_LOG", "loud", "DEBUG, INFO, WARNING"),
]


@pytest.mark.parametrize(("name", "value", "allowed"), WRONG)
def test_a_wrong_value_is_refused_with_what_is_allowed(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, allowed: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(BadSetting) as refused:
        runpy.run_path(SETTINGS)
    said = str(refused.value)
    assert f"The setting {name} “{value}” is not allowed" in said
    assert allowed in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "(its host is none of ASSAY_HOSTS, so nobody would get an answer there)"),
        ({"ASSAY_ORIGINS": "https://docs.example.org:8443"}, "browsers send the site's cookies to all ports of it"),
        ({"ASSAY_HTTPS": "1", "ASSAY_DOCUMENT_ORIGIN": "http://docs.example.org"}, "(with ASSAY_HTTPS, browsers show"),
    ],
)
def test_an_origin_at_which_no_document_can_be_apart_is_refused(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], why: str
) -> None:
    hosts = {"ASSAY_HOSTS": "assay.example.org,docs.example.org"} if given else {}
    for name, value in ({"ASSAY_DOCUMENT_ORIGIN": "https://docs.example.org"} | hosts | given).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(BadSetting) as refused:
        runpy.run_path(SETTINGS)
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("value", "is_allowed"),
    [
        ("smtp://name:word@mail.example.org:587?starttls", True),
        ("smtps://mail.example.org", True),
        ("smtp://mail.example.org:587?startls", False),
        ("smtps://mail.example.org?starttls", False),
    ],
)
def test_a_mail_server_is_never_used_without_the_encryption_that_was_meant(
    monkeypatch: pytest.MonkeyPatch, value: str, is_allowed: bool
) -> None:
    monkeypatch.setenv("ASSAY_MAIL", value)
    if is_allowed:
        found = mail("ASSAY_MAIL")
        assert found["EMAIL_USE_SSL"] != found["EMAIL_USE_TLS"]
        return
    with pytest.raises(BadSetting, match="The setting ASSAY_MAIL is not allowed"):
        mail("ASSAY_MAIL")


def test_a_name_that_is_almost_one_of_a_setting_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_TRUSTED_PROXY", "127.0.0.1")
    monkeypatch.setenv("ASSAY_EXAMPLES_OF_TESTS", "5")
    told = runpy.run_path(SETTINGS)["ASSAY_UNREAD"]
    assert told == ["ASSAY_TRUSTED_PROXY (did you mean ASSAY_TRUSTED_PROXIES?)"]


SERVICES = {"ASSAY_PYSERINI": "https://a.example.org/x/", "ASSAY_ROUTIR": "http://b.example.org:8000"}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"ASSAY_PYSERINI_INDEXES": "rag-2025"}, "“rag-2025” is not allowed. Set it to campaigns"),
        ({"ASSAY_PYSERINI_INDEXES": "rag=a,rag=b"}, "(a campaign stands there twice)"),
        ({"ASSAY_PYSERINI_INDEXES": "rag=a", "ASSAY_ROUTIR_SERVICES": "x=y,rag=b"}, "(a campaign stands there twice)"),
        ({"ASSAY_PYSERINI_INDEXES": "rag=a", "ASSAY_PYSERINI": ""}, "(no address of the service is set)"),
        ({"ASSAY_PYSERINI": f"https://me:{SECRET}@a.example.org"}, "The setting ASSAY_PYSERINI is not allowed"),
        ({"ASSAY_ROUTIR_TOKEN": f"{SECRET}\nHost: x"}, "The setting ASSAY_ROUTIR_TOKEN is not allowed"),
    ],
)
def test_search_services_that_can_not_be_meant_are_refused(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], why: str
) -> None:
    for name, value in (SERVICES | given).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(BadSetting) as refused:
        runpy.run_path(SETTINGS)
    assert why in str(refused.value)
    assert SECRET not in str(refused.value)


def test_search_services_are_off_and_take_an_address_and_their_campaigns(monkeypatch: pytest.MonkeyPatch) -> None:
    assert runpy.run_path(SETTINGS)["ASSAY_PYSERINI_INDEXES"] == {}
    for name, value in SERVICES.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("ASSAY_PYSERINI_INDEXES", " rag-2025 = climbmix-400b , rag-2024=v2.1,")
    told = runpy.run_path(SETTINGS)
    assert told["ASSAY_PYSERINI"] == "https://a.example.org/x"
    assert told["ASSAY_PYSERINI_INDEXES"] == {"rag-2025": "climbmix-400b", "rag-2024": "v2.1"}
    assert told["ASSAY_ROUTIR_SERVICES"] == {}


@pytest.mark.parametrize(
    ("address", "why"),
    [
        (f"mysql://assay:{SECRET}@db/assay", "it begins with “mysql”"),
        ("assay.sqlite3", "it is no address"),
        (f"postgresql://assay:{SECRET}@db", "it names no database"),
        (f"{ADDRESS}?sslmod=require", 'invalid URI query parameter: "sslmod"'),
        (f"{ADDRESS}?sslmode=perhaps", 'invalid sslmode value: "perhaps"'),
        (f"{ADDRESS}?connect_timeout=soon", "connect_timeout is no whole number of seconds"),
        (f"postgresql://assay:{SECRET}@db:http/assay", 'invalid integer value "http" for connection option "port"'),
        (f"postgresql://assay:{SECRET}%zz@db/assay", "invalid percent-encoded token"),
    ],
)
def test_an_address_that_is_no_postgresql_is_refused_without_its_password(
    monkeypatch: pytest.MonkeyPatch, address: str, why: str
) -> None:
    monkeypatch.setenv("ASSAY_DATABASE", address)
    with pytest.raises(BadSetting) as refused:
        runpy.run_path(SETTINGS)
    said = str(refused.value)
    assert why in said
    assert "ASSAY_DATABASE" in said
    assert "postgresql://name:password@host:5432/database" in said
    assert SECRET not in said


def test_every_option_of_an_address_is_honoured() -> None:
    found = postgresql(
        "postgresql://ass%40y:p%2Fw@[::1]:5433/the%20site"
        "?sslmode=require&connect_timeout=3&application_name=assay&options=-c%20search_path%3Dother"
    )
    assert [found[name] for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT")] == [
        "the site", "ass@y", "p/w", "::1", "5433",
    ]  # fmt: skip
    prepared = {"cursor_factory": PreparedCursor, "prepare_threshold": 5}
    assert found["OPTIONS"] == {
        **prepared,
        "sslmode": "require",
        "connect_timeout": "3",
        "application_name": "assay",
        "options": "-c lock_timeout=60000 -c search_path=other",
    }
    plain = {"connect_timeout": 5, "options": "-c lock_timeout=60000"}
    assert postgresql("postgres://db/assay")["OPTIONS"] == {**plain, **prepared}
    socket = postgresql("postgresql:///assay?host=/run/postgresql")
    assert (socket["HOST"], socket["NAME"]) == ("/run/postgresql", "assay")


def test_settings_are_read_in_one_place() -> None:
    reads = re.compile(r"environ\b.*ASSAY_|getenv")
    files = [path for folder in ("assay_site", "assess", "nuggets", "tracks") for path in (ROOT / folder).rglob("*.py")]
    others = [path.name for path in files if path.name != "environment.py" and reads.search(path.read_text())]
    assert (len(files) > 100, others) == (True, [])


def manage(tmp_path: Path, *command: str, **environment: str) -> tuple[int, str, str]:
    given = {**os.environ, "ASSAY_DATA_DIR": str(tmp_path), **environment}
    call = [sys.executable, "manage.py", *command]
    done = subprocess.run(call, cwd=ROOT, env=given, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_wrong_setting_ends_a_command_with_one_line(tmp_path: Path) -> None:
    status, said, wrong = manage(tmp_path, "serve", ASSAY_DATABASE="mysql://db/assay")
    assert (status, said, wrong.count("\n")) == (2, "", 1)
    assert wrong.startswith("The setting ASSAY_DATABASE is not allowed (it begins with “mysql”)")


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["progress", "demo"]])
def test_a_database_that_is_away_ends_a_command_with_one_line(tmp_path: Path, command: list[str]) -> None:
    status, said, wrong = manage(tmp_path, *command, ASSAY_DATABASE=ADDRESS)
    assert (status, wrong.count("\n")) == (1, 1), wrong
    assert wrong.startswith("The database of the site does not answer. (PostgreSQL at 127.0.0.1:1/assay: ")
    assert "refused" in wrong
    assert SECRET not in said + wrong


def test_a_program_that_was_begun_to_outlive_its_terminal_does() -> None:
    """`nohup` and the like begin a program with the signal of a closed terminal ignored."""
    numbers = (signal.SIGHUP, signal.SIGTERM)
    before = [signal.signal(number, signal.SIG_IGN) for number in numbers]
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        heed_signals()
        assert [signal.getsignal(number) for number in numbers] == [signal.SIG_IGN, end_tidily]
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def test_a_program_told_to_end_while_it_loads_ends_without_a_traceback(tmp_path: Path) -> None:
    """Python 3.11 wraps whatever ends the making of a class into an error of its own."""
    (tmp_path / "ending.py").write_text(
        "import os, signal\n"
        "class Ends:\n"
        "    def __set_name__(self, owner, name):\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "class Loaded:\n"
        "    member = Ends()\n"
    )
    (tmp_path / "settings_ending.py").write_text("from assay_site.settings import *\nINSTALLED_APPS = ['ending']\n")
    given = {"DJANGO_SETTINGS_MODULE": "settings_ending", "PYTHONPATH": str(tmp_path)}
    assert manage(tmp_path, "check", **given) == (128 + signal.SIGTERM, "", "")


def test_the_server_gives_up_at_once_on_a_wrong_setting(tmp_path: Path) -> None:
    given = {**os.environ, "ASSAY_DATA_DIR": str(tmp_path), "ASSAY_UPLOAD_MB": "much"}
    call = [sys.executable, "-m", "gunicorn", "assay_site.wsgi", "--bind", "127.0.0.1:0"]
    done = subprocess.run(call, cwd=ROOT, env=given, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 4
    assert "The setting ASSAY_UPLOAD_MB “much” is not allowed." in done.stderr
    assert "Traceback" not in done.stderr


def test_a_key_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_SECRET_KEY", raising=False)
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path))
    key = runpy.run_path(SETTINGS)["SECRET_KEY"]
    assert (tmp_path / "secret-key").read_text() == key
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600
    assert runpy.run_path(SETTINGS)["SECRET_KEY"] == key
    assert sorted(path.name for path in tmp_path.iterdir()) == ["incoming", "secret-key"]
