"""The version of this code, from the one place where it stands: `pyproject.toml`."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.metadata import version as installed_version
from pathlib import Path

DISTRIBUTION = "assay"


@lru_cache(maxsize=1)
def version() -> str:
    """Such as "0.1.0": of the project beside this package, else of what was installed."""
    project = Path(__file__).resolve().parent.parent / "pyproject.toml"
    if project.is_file():
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])
    return installed_version(DISTRIBUTION)
