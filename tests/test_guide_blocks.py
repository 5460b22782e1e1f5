"""Every block of configuration in the guides does what it says. tests/assay_site/test_guides_proxy.py tries nginx's,
and commands of ours are parsed by tests/test_docs.py.
"""

from __future__ import annotations

import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.urls import resolve

from scoring.collections.collection_file import read_collection
from tests.guides import NAMES, ROOT, text_of

SETTINGS = str(ROOT / "assay_site" / "settings.py")
EXPORT = re.compile(r"export (ASSAY_\w+)=(.+)")
WAYS = {
    r"\.venv/bin/python (manage\.py|-m (scoring|tracks)) .+": "tests/test_docs.py",
    EXPORT.pattern: "here",
    r"createuser .+|createdb .+": "here",
    r"server \{|    .+|\}": "tests/assay_site/test_guides_proxy.py",
    r"(apt-get|adduser|install|cp|systemctl) .+|make -C /srv/assay .venv/stamp": "tests/assay_site/test_units.py",
    r"set -a; \. /etc/assay\.env; set \+a|cd /srv/assay|runuser -u \w+ -- .+": "tests/assay_site/test_units.py",
    r"git -C /srv/assay pull|/srv/assay/\.venv/bin/python -m compileall .+": "tests/assay_site/test_units.py",
    r"cd deploy/container|docker compose .+": "tests/assay_site/test_containers.py",
    r"scrape_configs:|  - job_name: assay": "here",
    r"git pull.*|make \.venv/stamp|curl --fail https://assay\.example\.org/readyz": "here",
}


def blocks(name: str) -> list[list[str]]:
    """The blocks of a page that are set apart, each as its lines."""
    found: list[list[str]] = []
    before = ""
    for line in text_of(name).splitlines():
        if line.startswith("    ") and before == "":
            found.append([])
        if line.startswith("    ") and found and (before == "" or before.startswith("    ")):
            found[-1].append(line[4:])
        before = line
    return found


TASKS = ("topics-and-documents", "runs-and-pools", "people-and-work", "quality", "scores-and-releases")
FOR_SITES = ("organisers", *TASKS, "settings-and-commands", "running-a-site")
EXPORTED = [
    (name, dict(found)) for name in NAMES for each in blocks(name) if (found := EXPORT.findall("\n".join(each)))
]


def test_every_block_for_who_runs_a_site_has_a_test() -> None:
    lines = [line for page in FOR_SITES for block in blocks(f"docs/{page}.md") for line in block]
    assert len(lines) > 50
    assert [line for line in lines if not any(re.fullmatch(way, line) for way in WAYS)] == []


@pytest.mark.parametrize(("name", "given"), EXPORTED, ids=[f"{name} {min(given)}" for name, given in EXPORTED])
def test_settings_that_are_set_in_a_guide_are_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, given: dict[str, str]
) -> None:
    for key, value in {**given, "ASSAY_DATA_DIR": str(tmp_path)}.items():
        monkeypatch.setenv(key, shlex.split(value)[0])
    told = runpy.run_path(SETTINGS)
    for key in given.keys() & told.keys() - {"ASSAY_DATA_DIR"}:
        assert told[key], key


def test_a_site_that_is_set_up_as_the_guide_says_has_nothing_amiss(tmp_path: Path) -> None:
    (given,) = (each for _, each in EXPORTED if "ASSAY_TRUSTED_PROXIES" in each)
    said = {}
    environment = {
        key: value for key, value in os.environ.items() if key != "DJANGO_ALLOW_ASYNC_UNSAFE"
    }  # the browser tests'
    for left_out in ("", "ASSAY_TRUSTED_PROXIES"):
        site = {key: value for key, value in given.items() if key != left_out} | {"ASSAY_DATA_DIR": str(tmp_path)}
        command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
        done = subprocess.run(command, cwd=ROOT, env=environment | site, capture_output=True, text=True)
        said[left_out] = (done.returncode, re.findall(r"\((\w+\.W\d+)\)", done.stderr))
    assert said == {"": (0, []), "ASSAY_TRUSTED_PROXIES": (1, ["assess.W001"])}, done.stderr


def test_what_is_asked_after_an_update_is_there() -> None:
    asked = re.findall(
        r"^    curl --fail https://assay\.example\.org(\S+)$", text_of("docs/running-a-site.md"), re.MULTILINE
    )
    assert [resolve(each).url_name for each in asked] == ["readyz", "readyz"]
    assert re.search(r"^\.venv/stamp:", text_of("Makefile"), re.MULTILINE)


def test_the_collection_file_of_the_guide_is_read(tmp_path: Path) -> None:
    (block,) = (each for each in blocks("docs/collections.md") if each[0].startswith("name = "))
    file = tmp_path / "collection.toml"
    file.write_text("\n".join(block))
    assert read_collection(file).name == "RAGTIME 1"


def test_the_calls_of_dask_are_taken_by_dask() -> None:
    from distributed.cli.dask_scheduler import main as scheduler
    from distributed.cli.dask_worker import main as worker

    lines = [
        line.split("  #")[0] for each in blocks("docs/collections.md") for line in each if line.startswith("dask ")
    ]
    words = [shlex.split(line) for line in lines]
    assert [each[1] for each in words] == ["scheduler", "worker"]
    for each in words:
        {"scheduler": scheduler, "worker": worker}[each[1]].make_context("dask", each[2:])


ON_POSTGRESQL = """
set -euo pipefail
export PGHOST=127.0.0.1 PGUSER=assay PGPORT="$(sed -E 's|.*:([0-9]+)/.*|\\1|' <<<"$ASSAY_DATABASE")"
export PATH="$(ls -d /usr/lib/postgresql/*/bin | tail -n 1):$PATH" PYTHON=$1
"""


@pytest.mark.slow
@pytest.mark.database
def test_a_database_that_is_made_as_the_guide_says_is_taken(tmp_path: Path) -> None:
    """Its very lines, with another name, since the tests' server has one of that name, and that server's port."""
    (block,) = (each for each in blocks("docs/running-a-site.md") if each[0].startswith("createuser"))
    lines = [re.sub(r"\bassay\b", "guide", line).replace("manage.py serve", "manage.py migrate -v0") for line in block]
    script = ON_POSTGRESQL + "\n".join(lines).replace("localhost:5432", "127.0.0.1:$PGPORT").replace(
        ".venv/bin/python", "$PYTHON"
    )
    asked = "SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = 'guide'"
    checked = f'{script}\n$PYTHON manage.py migrate --check\npsql -Atc "{asked}" guide'
    done = subprocess.run(
        [str(ROOT / "tests/with_postgresql.sh"), "bash", "-c", checked, "bash", sys.executable],
        cwd=ROOT,
        env={**os.environ, "ASSAY_DATA_DIR": str(tmp_path)},
        input="password\npassword\n",
        capture_output=True,
        text=True,
        start_new_session=True,  # without a terminal the password is read from the standard input
    )
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["UTF8"]), done.stderr


def test_prometheus_is_told_where_the_figures_are() -> None:
    (block,) = (each for each in blocks("docs/running-a-site.md") if each[0] == "scrape_configs:")
    (job,) = yaml.safe_load("\n".join(block))["scrape_configs"]
    assert resolve(job.get("metrics_path", "/metrics")).url_name == "metrics"
    assert job["authorization"] == {"credentials": "THE-TOKEN"}  # sent as “Bearer”, where nothing else is said


def test_workers_of_a_cluster_are_started_with_options_that_dask_has() -> None:
    from distributed.cli.dask_scheduler import main as scheduler
    from distributed.cli.dask_worker import main as worker

    text = text_of("docs/collections.md")
    for name, program in (("worker", worker), ("scheduler", scheduler)):
        known = {option for each in program.params for option in each.opts}
        calls = re.findall(rf"dask {name}((?: (?:--[\w-]+|[\w./:]+))+)", text)
        asked = {word for call in calls for word in call.split() if word.startswith("--")}
        assert asked
        assert asked - known == set()
