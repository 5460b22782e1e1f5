"""The images and the compose file: what they start is there, and the guide's commands name what they have.

A container engine is nothing that the tests need: what each step does is tried where it is built.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import load_command_class

from assess.management.commands.serve import SERVER, children
from tests.guides import ROOT, text_of

FOLDER = ROOT / "deploy" / "container"
CONTAINERFILE = (FOLDER / "Containerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def test_each_service_is_built_from_a_stage_that_there_is() -> None:
    stages = re.findall(r"^FROM \S+ AS (\w+)$", CONTAINERFILE, re.MULTILINE)
    assert {each["build"]["target"] for each in SERVICES.values()} < set(stages)
    copied = re.findall(r"^COPY (?:--from=\w+ )?(deploy\S+) ", CONTAINERFILE, re.MULTILINE)
    assert [name for name in copied if not (ROOT / name).is_file()] == []
    ignored = (ROOT / ".containerignore").read_text()
    assert (ROOT / ".dockerignore").read_text() == ignored
    assert "deploy/container/.env" in ignored.split()  # the database's password stays out of the image


def test_each_setting_is_one_and_each_variable_is_in_the_example() -> None:
    told = text_of("docs/settings-and-commands.md")
    assert [name for name in SERVICES["web"]["environment"] if f"| `{name}` |" not in told] == []
    example = dict(re.findall(r"^(\w+)=(.*)$", (FOLDER / "site.env").read_text(), re.MULTILINE))
    assert set(re.findall(r"\$\{(\w+)\}", (FOLDER / "compose.yaml").read_text())) == set(example)


@pytest.mark.parametrize("name", ["web", "worker", "short-worker"])
def test_what_the_site_and_its_worker_start_can_be_called(name: str) -> None:
    command, *options = SERVICES[name]["command"]
    app = {"serve": "assess", "db_worker": "assess"}[command]
    load_command_class(app, command).create_parser("manage.py", command).parse_args(options)


def test_the_workflow_tests_on_the_debian_of_the_images_with_the_command_of_the_guides() -> None:
    """The hosting that runs it is not here: it is read as it is, and `.ci/run` runs the same command."""
    (job,) = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))["jobs"].values()
    assert f"FROM {job['container']} AS base" in CONTAINERFILE
    steps = [step["run"] for step in job["steps"] if "run" in step]
    assert steps[-1].split()[-2:] == ["make", "test"] and "make test" in text_of("README.md")
    (installed,) = re.findall(r"--no-install-recommends (.+)", text_of("docs/running-a-site.md"))[:1]
    assert set(steps[0].partition("--no-install-recommends ")[2].split()) <= {*installed.split(), "ca-certificates"}


def test_the_site_starts_no_worker_beside_the_one_that_runs_elsewhere() -> None:
    assert [*children(host="::1", port=8000, workers=1, threads=1, without_worker=True)] == [SERVER]


def test_a_backup_takes_the_place_of_that_of_a_week_ago(tmp_path: Path) -> None:
    backups, python = tmp_path / "backups", tmp_path / ".venv" / "bin" / "python"
    backups.mkdir()
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\n[ ! -e "$3" ] && echo "$1 $2" > "$3"\n')
    python.chmod(0o700)
    call = ["/bin/sh", str(FOLDER / "backup.sh"), "now"]
    environment = {"BACKUP_FOLDER": str(backups), "PATH": "/usr/bin:/bin"}
    for _ in range(2):
        subprocess.run(call, cwd=tmp_path, env=environment, check=True)
        (kept,) = backups.iterdir()
        assert (len(kept.stem), kept.read_text()) == (3, "manage.py backup\n")
    python.write_text("#!/bin/sh\nexit 1\n")
    assert subprocess.run(call, cwd=tmp_path, env=environment).returncode == 1
    assert [*backups.iterdir()] == [kept]


def test_a_first_start_of_the_database_that_is_broken_off_begins_again(tmp_path: Path) -> None:
    """With an initdb that ends when half is written, and a postgres that notes how it is called."""
    folder, data = tmp_path / "bin", tmp_path / "data"
    folder.mkdir()
    begin = 'd="${1#--pgdata=}"; test ! -e "$d" && mkdir "$d" && touch "$d/pg_hba.conf" && echo 15 > "$d/PG_VERSION"'
    for name, script in {"initdb": f"{begin}; exit $BROKEN", "postgres": f'echo "$@" >> "{tmp_path}/called"'}.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o700)
    environment = {"PATH": f"{folder}:/usr/bin:/bin", "PGDATA": str(data), "DATABASE_PASSWORD": "plum"}
    call = ["/bin/sh", str(FOLDER / "database.sh")]
    broken = [subprocess.run(call, env={**environment, "BROKEN": number}).returncode for number in "900"]
    assert (broken, (data / "pg_hba.conf").read_text()) == ([9, 0, 0], "host all all all scram-sha-256\n")
    made, *started = (tmp_path / "called").read_text().splitlines()
    assert made.startswith("--single") and [each.split()[1] for each in started] == [str(data)] * 2
    assert {path.name for path in tmp_path.iterdir()} == {"bin", "data", "called"}


@pytest.mark.skipif(shutil.which("caddy") is None, reason="this machine has no caddy")
@pytest.mark.parametrize("options", ["", "local_certs"])
def test_caddy_understands_its_file(options: str) -> None:
    names = {"SITE_NAME": "assay.example.org", "DOCUMENTS_NAME": "docs.example.org", "PROXY_OPTIONS": options}
    call = [shutil.which("caddy") or "caddy", "adapt", "--config", str(FOLDER / "Caddyfile")]
    done = subprocess.run(call, env={"HOME": "/nonexistent", **names}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in (names["SITE_NAME"], names["DOCUMENTS_NAME"], "web:8000"))


def test_the_guides_commands_name_what_there_is() -> None:
    calls = [
        shlex.split(each)[2:]
        for each in re.findall(r"^    (docker compose .+)$", text_of("docs/running-a-site.md"), re.MULTILINE)
    ]
    assert len(calls) > 3
    for what, *words in calls:
        if what == "exec":
            service, *command = words
            assert service in SERVICES
            assert [each for each in command if each.startswith("deploy/") and not (ROOT / each).is_file()] == []
        elif what == "logs":
            assert set(words[1:]) < set(SERVICES)
        else:
            assert (what, words) in [("up", ["--detach", "--build"]), ("down", [])]
