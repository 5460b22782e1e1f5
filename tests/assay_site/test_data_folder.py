"""A site is begun by the commands that say so: others, in a wrong folder, say where they looked and leave nothing."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from scoring.version import version
from tests.assess.served import ROOT

HERE = "import sys; sys.path.insert(0, {root!r}); import assay_site.site_folders as e; e.HERE = e.Path('/nowhere'); "
INSTALLED = HERE + "from assay_site.start import run_command; run_command(['assay', *sys.argv[1:]])"


def run(folder: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """A command as an installed Assay does it, called in this folder."""
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-c", INSTALLED.format(root=str(ROOT)), *arguments]
    environment = {"DJANGO_SETTINGS_MODULE": "assay_site.settings", "PATH": "/usr/bin:/bin", **settings}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("command", [("progress", "opinions"), ("db_worker", "--batch"), ("backup", "site.tar")])
def test_a_command_in_a_wrong_folder_says_where_it_looked_and_makes_nothing(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    done = run(tmp_path / "wrong", *command)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"There is no site in {tmp_path}/wrong/var (“var” in the folder in which this was")
    assert "“assay serve”, “assay demo”, “assay migrate”" in done.stderr
    assert list((tmp_path / "wrong").iterdir()) == []


def test_what_looks_at_the_program_alone_makes_nothing(tmp_path: Path) -> None:
    for command in (["help"], ["progress", "--help"], ["makemigrations", "--check", "--dry-run"]):
        done = run(tmp_path / "wrong", *command)
        assert done.returncode == 0, done.stderr
    assert list((tmp_path / "wrong").iterdir()) == []


def test_the_server_says_it_too(tmp_path: Path) -> None:
    server = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import assay_site.wsgi"
    site = {"ASSAY_DATA_DIR": str(tmp_path / "none"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-c", server], cwd=tmp_path, env=site, capture_output=True, text=True)
    assert (done.returncode, list(tmp_path.iterdir())) == (4, [])
    assert done.stderr.startswith(f"There is no site in {tmp_path}/none (the setting ASSAY_DATA_DIR).")


MAKE_ACCOUNT = ("createsuperuser", "--noinput", "--username", "olga", "--email", "olga@example.org")  # Django's own


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("backup", "site.tar"), "CommandError: There is nothing to back up: the database "),
        (("progress", "opinions"), "The database of this data folder is not made yet, or older than the program."),
        (MAKE_ACCOUNT, "The database of this data folder is not made yet, or older than the program."),
    ],
)
def test_a_database_without_tables_is_told(tmp_path: Path, command: tuple[str, ...], told: str) -> None:
    (tmp_path / "var" / "files").mkdir(parents=True)
    done = run(tmp_path, *command)
    assert done.returncode and told in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "site.tar").exists()


def test_a_site_is_begun_where_it_is_migrated(tmp_path: Path) -> None:
    assert run(tmp_path / "site", "migrate", "-v0", "contenttypes").returncode == 0
    with closing(sqlite3.connect(tmp_path / "site" / "var" / "assay.sqlite3")) as database:
        database.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('assess', '9999_later', 0)")
        database.commit()
    done = run(tmp_path / "site", *MAKE_ACCOUNT)
    assert (done.returncode, "of a newer version of Assay: it has assess.9999_later" in done.stderr) == (2, True)
    made = {path.name for path in (tmp_path / "site" / "var").iterdir()}
    assert {"assay.sqlite3", "incoming", "secret-key"} <= made
    key = (tmp_path / "site" / "var" / "secret-key").read_text()
    run(tmp_path / "site", "check")
    assert (tmp_path / "site" / "var" / "secret-key").read_text() == key


@pytest.mark.parametrize("module", ["assay_site", "scoring", "tracks"])
def test_the_version_is_that_of_assay(tmp_path: Path, module: str) -> None:
    command = [sys.executable, "-m", module, "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={"ASSAY_DATA_DIR": f"{tmp_path}/none"})
    assert (done.returncode, done.stdout) == (0, f"Assay {version()}\n")
    assert list(tmp_path.iterdir()) == []
