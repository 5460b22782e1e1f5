"""A benchmark run as people run it, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def measured(module: str, *arguments: str, keep: Path, figures: Sequence[str]) -> list[list[str]]:
    """The lines that ``python -m module`` prints of these figures, on SQLite, as fields; it has to end well."""
    only = [part for name in figures for part in ("--only", name)]
    environment = {name: value for name, value in os.environ.items() if name != "ASSAY_DATABASE"}
    command = [sys.executable, "-m", module, *arguments, "--keep", str(keep), *only]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]
