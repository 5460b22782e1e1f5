"""Which code computes: the version, and a digest of what scores are computed by."""

from __future__ import annotations

import hashlib
import tomllib
from functools import lru_cache

from django.conf import settings

SCORED_BY = ("scoring", "tracks")


@lru_cache(maxsize=1)
def code_version() -> str:
    """Such as "0.1.0+3f2a9c1d": the second part follows from every module of `scoring` and `tracks`."""
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))
    digest = hashlib.sha256()
    for package in SCORED_BY:
        for path in sorted((settings.BASE_DIR / package).rglob("*.py")):
            digest.update(path.relative_to(settings.BASE_DIR).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{project['project']['version']}+{digest.hexdigest()[:8]}"
