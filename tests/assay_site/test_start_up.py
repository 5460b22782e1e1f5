"""What every command and every process of the server loads before it does anything: not what few of them use."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay_site import start

ROOT = Path(__file__).resolve().parents[2]
USED_LATER = {
    *("numpy", "scipy", "pandas", "statsmodels", "krippendorff", "matplotlib", "spacy", "duckdb", "pyarrow"),
    *("dask", "distributed", "fsspec", "rensa", "ir_measures", "pytrec_eval", "rouge_score", "bert_score", "torch"),
    *("bleach", "html5lib", "tinycss2", "cssselect2", "lxml", "PIL"),  # what reads files and pages
    *("drf_spectacular.openapi", "jinja2", "yaml", "django.test"),  # what describes the API
    *("psycopg", "requests", "pygments", "markdown", "hypothesis"),
}
SITE = "import django; django.setup(); from django.urls import get_resolver; get_resolver().url_patterns"
SERVER = f"import assay_site.wsgi, threading; [each.join() for each in threading.enumerate()[1:]]; {SITE}"
CHECK = "from assay_site.start import run_command; run_command(['manage.py', 'check', '--fail-level', 'WARNING'])"
COMMAND = "from assay_site.start import run_command; run_command(['manage.py', 'load_docnos', '--help'])"
BEGUN = "from assay_site.start import run_command; run_command(['manage.py', 'progress', 'missing'])"


def loaded_by(code: str, folder: Path) -> set[str]:
    """The packages and the site's modules that a program has loaded at its end."""
    say = "import atexit, sys; atexit.register(lambda: print('loaded:', *sys.modules))"
    (folder / "begun").touch()
    site = {**os.environ, "ASSAY_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "assay_site.settings"}
    done = subprocess.run([sys.executable, "-c", f"{say}\n{code}"], cwd=ROOT, env=site, capture_output=True, text=True)
    words = done.stdout.rpartition("loaded:")[2].split()
    assert "django.conf" in words, done.stderr
    return {*words}


@pytest.mark.parametrize(
    "code", [SITE, SERVER, CHECK, COMMAND], ids=["the site's addresses", "the server", "check", "a command"]
)
def test_what_few_use_is_loaded_where_it_is_used(code: str, tmp_path: Path) -> None:
    assert sorted(loaded_by(code, tmp_path) & USED_LATER) == []


def test_a_command_loads_no_addresses(tmp_path: Path) -> None:
    """They hold every page and the whole API. `manage.py check` looks at them, and the server loads them. The kinds of
    work hold the pages of their benches.
    """
    pages = {"assay_site.urls", "assay_site.api_urls", "assess.urls", "assay_site.kinds"}
    assert sorted(loaded_by(BEGUN, tmp_path) & pages) == []


def test_the_server_has_the_tracks_before_the_first_click(tmp_path: Path) -> None:
    """The first click in each process loaded them while it held its lock, for a third of a second and more."""
    own = "import sys; sys.modules.update({f'before:{name}': sys for name in [*sys.modules]})"
    assert {"before:tracks.tac2008_qa", "before:pydantic"} <= loaded_by(f"import assay_site.wsgi; {own}", tmp_path)


def test_what_the_server_has_loaded_is_never_searched_for_garbage(tmp_path: Path) -> None:
    """It is frozen before the server forks; in what comes later garbage is looked for as ever."""
    said = "{f'frozen:{gc.get_freeze_count() > 100_000}': gc, f'on:{gc.isenabled()}': gc}"
    asked = f"import gc; sys.modules.update({said})"
    assert {"frozen:True", "on:True"} <= loaded_by(f"{SERVER}; {asked}", tmp_path)


def test_no_thread_of_the_server_keeps_python_long_from_who_saves(tmp_path: Path) -> None:
    """A save gives Python up at each question to the database: beside a check it waited five milliseconds each time."""
    asked = "import sys; sys.modules.update({f'at-most-a-millisecond:{sys.getswitchinterval() <= .001}': sys})"
    assert "at-most-a-millisecond:True" in loaded_by(f"{SERVER}; {asked}", tmp_path)


def test_what_the_api_framework_does_without_can_still_be_imported(tmp_path: Path) -> None:
    needed = "import requests, yaml, pygments, psycopg, django.contrib.postgres.fields"
    assert {"requests", "yaml", "pygments", "psycopg"} <= loaded_by(f"{SITE}; {needed}", tmp_path)


def test_garbage_is_looked_for_seldom_and_first_when_all_is_loaded() -> None:
    before = gc.get_threshold()
    try:
        start.collect_seldom()
        assert gc.get_threshold()[0] == start.OF_LOADING
        gc.collect(0)
        assert gc.get_threshold()[0] == start.BETWEEN
        assert start._end_loading not in gc.callbacks
    finally:
        gc.set_threshold(*before)
