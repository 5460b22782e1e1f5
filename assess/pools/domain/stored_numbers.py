"""Numbers on pools that take long to compute, kept as JSON files under a key that says what they follow from."""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings


def key_of(*told: object) -> str:
    """A name for what follows from these JSON values."""
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def kept(key: str) -> Any:
    """What was kept under a key, or None."""
    path = _path(key)
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def keep(key: str, value: Any) -> None:
    """Keep a JSON value; who reads at the same moment finds the old one or this."""
    path = _path(key)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix="incoming-", delete=False) as file:
        json.dump(value, file)
    Path(file.name).replace(path)


def _path(key: str) -> Path:
    return Path(settings.DATA_DIR) / "pools" / f"{key}.json"
