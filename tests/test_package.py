"""The package: built from a copy of the source, looked into, and its three commands run from where it was installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from assess.base.process import code_version

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("assay_site", "tracks", "nuggets", "assess", "scoring")
FILES = ("templates", "static", "locale", "docs", "tests/data/tracks")
BLOCK = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
"""
PAGE = """
import django
django.setup()
from django.contrib.staticfiles.finders import find
from django.test import Client
from django.urls import reverse
from assess.base.process import code_version
from assess.web.guides import _blocks
from assess.management.commands.demo import FOLDERS
page = Client(headers={"host": "localhost"}).get(reverse("login"))
found = [find("css/desk.css"), find("pictures/first-bench.png"), (FOLDERS / "adhoc").is_dir(), _blocks("organisers")]
print(page.status_code, *map(bool, found))
print(code_version())
"""


def of_source(folder: str) -> set[str]:
    """The files below a folder of the project, but for what Python left there."""
    files = (path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(ROOT).as_posix() for path in files}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built without a network from a copy, so that nothing is left in the project."""
    place = tmp_path_factory.mktemp("package")
    source = place / "source"
    for name in (*PACKAGES, *FILES):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in ROOT.iterdir():
        if path.suffix in (".md", ".toml", ".in", ".txt", ".py", ".cff") or path.name in ("LICENSE",):
            shutil.copy(path, source)
    build = "import setuptools.build_meta as b; b.build_wheel('..')"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    (made,) = place.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """The folder it was installed into, alone."""
    target = wheel.parent / "target"
    install = ["-m", "pip", "install", "--quiet", "--no-compile", "--no-deps", "--no-index", "--target", target, wheel]
    subprocess.run([sys.executable, *map(str, install)], check=True, capture_output=True)
    return target


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


def run(installed: Path, *command: str, before: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A command of the installed package, in a folder of its own, with nothing of the project on the path."""
    place = installed.parent / "elsewhere"
    place.mkdir(exist_ok=True)
    path = os.pathsep.join(str(each) for each in (before, installed) if each)
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(place),
        "PYTHONPATH": path,
        "DJANGO_SETTINGS_MODULE": "assay_site.settings",
    }
    program = (
        [sys.executable, *command] if command[0] == "-c" else [sys.executable, str(installed / "bin" / command[0])]
    )
    arguments = [] if command[0] == "-c" else list(command[1:])
    return subprocess.run([*program, *arguments], cwd=place, env=env, capture_output=True, text=True, timeout=600)


def test_its_description_leads_nowhere_into_the_source(wheel: Path) -> None:
    described = metadata(wheel)
    text = str(described.get_payload(decode=True), "utf-8")
    assert (described["Description-Content-Type"], text[:8]) == ("text/markdown", "# Assay\n")
    assert "| Quepid | tuning one search engine |" in text
    assert "](" not in text


def test_it_holds_every_module_and_file_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert any(name.endswith("licenses/LICENSE") for name in archive.namelist())
    modules = {path for name in PACKAGES for path in of_source(name)}
    files = {f"assay_site/{path}" for name in FILES for path in of_source(name) if "/bad/" not in path}
    assert held == modules | files


def test_its_dependencies_are_those_of_the_requirements(wheel: Path) -> None:
    said = [Requirement(each) for each in metadata(wheel).get_all("Requires-Dist") or []]
    alone = {str(each) for each in said if each.marker is None}
    assert alone == set(map(str, requirements("scoring")))
    for extra, name in (("site", ""), *((each, each) for each in ("text", "bertscore", "collections", "sentry"))):
        found = {each for each in said if each.marker is not None and each.marker.evaluate({"extra": extra})}
        assert {re.sub(r"\s*;.*", "", str(each)) for each in found} == set(map(str, requirements(name)))
    bounds = {each.name: each for each in requirements("")}
    assert [each for each in requirements("scoring") + requirements("text") if bounds[each.name] != each] == []


def requirements(name: str) -> list[Requirement]:
    lines = (ROOT / (f"requirements-{name}.in" if name else "requirements.in")).read_text().splitlines()
    return [Requirement(line.partition("#")[0]) for line in lines if line.partition("#")[0].strip()]


def test_one_version_and_one_licence(wheel: Path) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert metadata(wheel)["Version"] == version
    assert metadata(wheel)["License-Expression"] == "Apache-2.0"
    assert re.findall(r"^(?:version|license): (.+)$", citation, re.MULTILINE) == ["Apache-2.0", version]
    text = " ".join((ROOT / "LICENSE").read_text().split())
    assert text.startswith("Apache License Version 2.0, January 2004")
    assert text.endswith("limitations under the License.")


def places_with_address(project: dict[str, Any], citation: str, security: str) -> set[str]:
    """The files that name the address at which Assay is published, by the first that names one (decision 40)."""
    url = re.search(r"^(?:url|repository-code): \"?([^\"\n]+)", citation, re.MULTILINE)
    address = project.get("urls", {}).get("Homepage") or (url[1] if url else "")
    where = {"pyproject.toml": str(project.get("urls", {})), "CITATION.cff": citation, "SECURITY.md": security}
    return {name for name, text in where.items() if address and address in text}


def test_the_address_of_assay_stands_in_three_places_or_in_none() -> None:
    here, three = "https://assay.example.org", {"pyproject.toml", "CITATION.cff", "SECURITY.md"}
    assert places_with_address({"urls": {"Homepage": here}}, f"url: {here}\n", f"Write to {here}") == three
    assert places_with_address({}, f'url: "{here}"\n', "") == {"CITATION.cff"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation, security = ((ROOT / name).read_text() for name in ("CITATION.cff", "SECURITY.md"))
    assert places_with_address(project, citation, security) in (set(), three)
    assert [each["name"] for each in project["authors"]] == re.findall(r"^  - name: (.+)$", citation, re.MULTILINE)


def test_scoring_and_tracks_run_without_the_site(installed: Path, tmp_path: Path) -> None:
    scoring = {each.name for each in requirements("scoring")}
    site = {each.name.lower() for each in requirements("") if each.name not in scoring}
    names = site | {"rest_framework", "drf_spectacular", "csp", "axes", "django_tasks", "psycopg"}
    (tmp_path / "sitecustomize.py").write_text(BLOCK.format(names=sorted(names)))
    (tmp_path / "qrels").write_text("1 0 D1 1\n1 0 D2 0\n")
    (tmp_path / "my.run").write_text("1 Q0 D2 1 2.0 my\n1 Q0 D1 2 1.0 my\n")
    files = ("--qrels", str(tmp_path / "qrels"), "--run", str(tmp_path / "my.run"))
    scored = run(installed, "assay-score", "rank", *files, "-m", "AP", before=tmp_path)
    assert (scored.returncode, scored.stderr) == (0, "")
    assert "0.5" in scored.stdout
    listed = run(installed, "assay-tracks", "list", before=tmp_path)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "tac2008-qa" in listed.stdout
    (tmp_path / "documents.jsonl").write_text('{"id": "D1", "contents": "One. Two."}\n')
    cut = run(installed, "assay-tracks", "segment", "ikat2023", str(tmp_path / "documents.jsonl"), before=tmp_path)
    assert (cut.returncode, cut.stdout) == (2, "")
    assert "spacy, which is not installed: pip install '.[text]' in Assay's source" in cut.stderr
    site_less = run(installed, "assay", "migrate", before=tmp_path)
    assert (site_less.returncode, site_less.stdout) == (2, "")
    assert site_less.stderr.startswith("The site's packages are not installed: pip install '.[site]' in Assay's source")


def test_the_site_begins_with_its_pages_guides_and_demonstration(installed: Path) -> None:
    assert run(installed, "assay", "migrate", "--check", "assess", "zero").returncode == 0  # nothing is applied yet
    assert (installed.parent / "elsewhere" / "var" / "secret-key").is_file()
    page = run(installed, "-c", PAGE)
    shown, computed_by = page.stdout.splitlines()
    assert shown == "200 True True True True", page.stderr
    assert computed_by == code_version()
