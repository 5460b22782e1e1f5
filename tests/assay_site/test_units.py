"""systemd's units: what they start is there, and the guide puts each of them where systemd looks."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from django.core.management import load_command_class

from tests.guides import ROOT, text_of

UNITS = ROOT / "deploy" / "systemd"
PYTHON = "/srv/assay/.venv/bin/python"


def unit(name: str) -> configparser.RawConfigParser:
    found = configparser.RawConfigParser(comment_prefixes="#", delimiters="=")
    found.optionxform = str  # type: ignore[assignment,method-assign]
    found.read(UNITS / name)
    return found


def test_the_service_starts_the_site() -> None:
    python, program, command, *options = shlex.split(unit("assay.service")["Service"]["ExecStart"])
    assert (python, program) == (PYTHON, "manage.py")
    parsed = load_command_class("assess", command).create_parser("manage.py", command).parse_args(options)
    assert parsed.workers == 4


def test_each_setting_of_the_example_is_one() -> None:
    lines = [each for each in (UNITS / "assay.env").read_text().splitlines() if not each.startswith("#")]
    named = [each.partition("=")[0] for each in lines if re.fullmatch(r"\w+='[^']+'", each)]
    assert len(named) == len(lines)  # quoted, so that a shell (for commands) reads what systemd does
    assert len(named) > 5
    told = text_of("docs/settings-and-commands.md")
    assert [name for name in named if f"| `{name}` |" not in told] == []


def test_a_backup_takes_the_place_of_that_of_a_week_ago(tmp_path: Path) -> None:
    shell, option, script = shlex.split(unit("assay-backup.service")["Service"]["ExecStart"])
    backups, python = tmp_path / "backups", tmp_path / ".venv" / "bin" / "python"
    backups.mkdir()
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\n[ ! -e "$3" ] && echo "$1 $2 $RANDOM" > "$3"\n')
    python.chmod(0o700)
    script = script.replace("$$", "$").replace("%%", "%").replace("/var/backups/assay", str(backups))
    for _ in range(2):
        subprocess.run([shell, option, script], cwd=tmp_path, check=True)
        (kept,) = backups.iterdir()
        assert re.fullmatch(r"\w{3}\.tar", kept.name)
        assert kept.read_text().startswith("manage.py backup")
    python.write_text("#!/bin/sh\nexit 1\n")
    assert subprocess.run([shell, option, script], cwd=tmp_path).returncode == 1
    assert list(backups.iterdir()) == [kept]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="this machine has no systemd")
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    for path in UNITS.glob("assay*.*er*"):
        (tmp_path / path.name).write_text(path.read_text().replace(PYTHON, "/bin/true"))
        done = subprocess.run(["systemd-analyze", "verify", tmp_path / path.name], capture_output=True, text=True)
        assert (done.returncode, path.name in done.stderr) == (0, False), done.stderr


def test_the_guide_names_what_is_there() -> None:
    text = text_of("docs/running-a-site.md")
    named = {Path(each).name for each in re.findall(r"/srv/assay/deploy/systemd/(\S+)", text)}
    assert named == {"assay.env", "*.service", "*.timer"}
    blocks = re.findall(r"(?:^    .+\n)+", text, re.MULTILINE)
    made, updated = (
        re.findall(r"^    (.+)", each, re.MULTILINE) for each in blocks if "systemctl daemon-reload" in each
    )
    for lines in (made, updated):  # as root, who alone may write beside the program
        compiled = lines.index(f"{PYTHON} -m compileall -q /srv/assay")
        assert lines[compiled - 1] == "make -C /srv/assay .venv/stamp"
    accounts = [each for each in made if each.startswith("runuser -u postgres -- ")]
    assert [shlex.split(each)[4] for each in accounts] == ["createuser", "createdb"]
    assert all(each.endswith(f" {unit('assay.service')['Service']['User']}") for each in accounts)
    (enabled,) = re.findall(r"^    systemctl enable --now (.+)$", text, re.MULTILINE)
    assert {UNITS / each for each in enabled.split()} < {*UNITS.iterdir()}
    assert "-o assay -g assay -m 0700 " + unit("assay-backup.service")["Service"]["ReadWritePaths"] in text


def test_the_guide_calls_commands_as_the_service_does() -> None:
    service = unit("assay.service")["Service"]
    text = text_of("docs/running-a-site.md")
    assert f"    set -a; . {service['EnvironmentFile']}; set +a\n    cd {service['WorkingDirectory']}\n" in text
    assert (
        f"    runuser -u {service['User']} -- {PYTHON.removeprefix('/srv/assay/')} manage.py createsuperuser\n" in text
    )
