"""Tells which version of Assay is running."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.metadata import version as installed_version
from pathlib import Path

DISTRIBUTION = "assay"


@lru_cache(maxsize=1)
def version() -> str:
    """Return the version, such as "0.2.0". It is read from the `pyproject.toml` beside the code or, if there is none,
    from the installed package.
    """
    project = Path(__file__).resolve().parents[1] / "pyproject.toml"
    if project.is_file():
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])
    return installed_version(DISTRIBUTION)
