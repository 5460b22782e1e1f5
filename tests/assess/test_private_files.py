"""What the site writes is its owner's alone, whatever the shell's umask, and what was open before is closed."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from assess.base.private_files import create_private, replace_privately, tighten
from tests.assess.served import ROOT

WRITES = """
import django; django.setup()
from django.core.management import call_command
from pathlib import Path
call_command("migrate", verbosity=0)
from assess.base.files import store_file
from tests import factories
organiser = factories.user("organiser")
campaign = factories.campaign(organiser=organiser)
store_file(Path("README.md").open("rb"))
place = Path({place!r})
call_command("export", campaign.slug, str(place / "exports"), stdout=open("/dev/null", "w"))
call_command("backup", str(place / "kept" / "site.tar"), stdout=open("/dev/null", "w"))
for path in sorted((place, *place.rglob("*"))):
    print(path.relative_to(place), oct(path.stat().st_mode & 0o7777))
"""


def open_to_others(folder: Path) -> list[str]:
    """What anybody but the owner may do anything with, below a folder and itself."""
    return [f"{path} {path.lstat().st_mode:o}" for path in (folder, *folder.rglob("*")) if path.lstat().st_mode & 0o077]


@pytest.fixture
def old_folder(tmp_path: Path, empty_database: Path) -> Path:
    """A data folder of before, open to everybody."""
    folder = tmp_path / "place" / "site"
    for name in ("assay.sqlite3", "assay.sqlite3-wal", "secret-key", "files/ab/abcd", "pools/run", "incoming/part"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 60 if name == "secret-key" else b"")
        if path.name == empty_database.name:
            shutil.copy(empty_database, path)
        path.chmod(0o666)
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o777)
    return folder


def environment(folder: Path) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if name != "ASSAY_DATABASE"},
        "DJANGO_SETTINGS_MODULE": "assay_site.settings",
        "PYTHONPATH": str(ROOT),
        "ASSAY_DATA_DIR": str(folder),
    }


def test_nothing_that_commands_write_is_open_to_others(old_folder: Path) -> None:
    written = subprocess.run(
        [sys.executable, "-c", WRITES.format(place=str(old_folder.parent))],
        cwd=ROOT,
        env=environment(old_folder),
        umask=0,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    modes = dict(line.rsplit(" ", 1) for line in written)
    names = {"site/assay.sqlite3", "site/assay.sqlite3-wal", "site/assay.sqlite3-shm", "site/files/ab/abcd"}
    assert names | {"exports/manifest.json", "kept/site.tar", "site/secret-key"} <= modes.keys()
    assert modes.pop(".") == oct(old_folder.parent.stat().st_mode & 0o7777)  # the test's own
    assert {name: mode for name, mode in modes.items() if mode not in ("0o600", "0o700")} == {}


def umasks(parent: int) -> dict[str, str]:
    """The umask of every process below one, by process and command line."""
    found = {}
    for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended since
            status = Path(f"/proc/{child}/status").read_text()
            command = Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
            umask = next(line.split()[1] for line in status.splitlines() if line.startswith("Umask"))
            found |= {f"{child} {command}": umask, **umasks(int(child))}
    return found


def test_server_and_worker_write_for_the_owner_alone(old_folder: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    command = [sys.executable, "manage.py", "serve", "--port", port, "--workers", "1"]
    serve = subprocess.Popen(command, cwd=ROOT, env=environment(old_folder), umask=0, stdout=subprocess.PIPE)
    try:
        assert serve.stdout is not None
        assert b"The site is at" in serve.stdout.readline()  # the database is made by then
        assert open_to_others(old_folder) == []
        found: dict[str, str] = {}
        for _ in range(6_000):
            found = umasks(serve.pid)
            if len(found) >= 4:  # the application server, its process, two background workers
                break
            time.sleep(0.05)
        assert any("gunicorn" in name for name in found)
        assert any("db_worker" in name for name in found)
        assert {*found.values()} == {"0077"}
    finally:
        serve.send_signal(signal.SIGTERM)
        serve.wait()


def test_tightening_takes_the_rights_of_others_and_nothing_else(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "data"
    outside.write_text("another's")
    outside.chmod(0o644)
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "run").touch()
    (folder / "bin" / "run").chmod(0o755)
    (folder / "link").symlink_to(outside)
    folder.chmod(0o775)
    assert tighten(folder) == []
    modes = [path.stat().st_mode & 0o7777 for path in (folder, folder / "bin", folder / "bin" / "run", outside)]
    assert modes == [0o700, 0o700, 0o700, 0o644]


def test_a_folder_that_is_everybodys_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "theirs").touch()
    (tmp_path / "theirs").chmod(0o644)
    tmp_path.chmod(0o1777)
    assert tighten(tmp_path) == []
    assert [tmp_path.stat().st_mode & 0o7777, (tmp_path / "theirs").stat().st_mode & 0o7777] == [0o1777, 0o644]


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "release.zip"
    path.write_text("an earlier one")
    path.chmod(0o644)

    def break_off() -> None:
        with replace_privately(path) as file:
            file.write(b"half of a n")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        break_off()
    assert (path.read_text(), [each.name for each in tmp_path.iterdir()]) == ("an earlier one", ["release.zip"])
    with replace_privately(path) as file:
        file.write(b"a new one")
        assert path.read_text() == "an earlier one"
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"a new one", 0o600)
    assert [each.name for each in tmp_path.iterdir()] == ["release.zip"]


def test_a_link_goes_on_leading_to_what_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "release.zip"
    link.symlink_to(tmp_path / "there" / "kept.zip")
    with replace_privately(link) as file:
        file.write(b"new")
    assert link.is_symlink() and (tmp_path / "there" / "kept.zip").read_bytes() == b"new"


def test_a_file_that_is_written_again_is_closed_to_others(tmp_path: Path) -> None:
    path = tmp_path / "release.zip"
    path.write_text("an earlier and longer one")
    path.chmod(0o644)
    with create_private(path) as file:
        file.write(b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o600)
