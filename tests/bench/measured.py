"""A benchmark run as people run it, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

in_test_all = pytest.mark.skipif("ASSAY_WHOLE_FOLDERS" not in os.environ, reason="`make test-all` measures it, too")
ROOT = Path(__file__).resolve().parent.parent.parent


def printed(module: str, *arguments: str) -> str:
    """What ``python -m module`` prints, on SQLite; it has to end well."""
    environment = {name: value for name, value in os.environ.items() if name != "ASSAY_DATABASE"}
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def measured(module: str, *arguments: str, keep: Path, figures: Sequence[str]) -> list[list[str]]:
    """The lines that ``python -m module`` prints of these figures, as fields."""
    only = [part for name in figures for part in ("--only", name)]
    return [line.split("\t") for line in printed(module, *arguments, "--keep", str(keep), *only).splitlines()]
