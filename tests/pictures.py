"""What each picture of the guides was made from: docs/pictures/made-from.json, which the browser tests write.

A picture is out of date where a template or a style of its page is another by now. What a page says is not compared,
nor its pixels, which are others with each browser and font.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
MADE_FROM = PICTURES / "made-from.json"


def digest_of(files: Iterable[str]) -> str:
    """One digest of these files of the source; one that is gone counts as empty."""
    digest = hashlib.sha256()
    for name in sorted(files):
        path = ROOT / name
        digest.update(hashlib.sha256(path.read_bytes() if path.is_file() else b"").digest())
    return digest.hexdigest()


def made_from() -> dict[str, Any]:
    """Picture -> the files that its page was made of, and their digest when it was taken."""
    found: dict[str, Any] = json.loads(MADE_FROM.read_text())
    return found


def record(name: str, files: Iterable[str]) -> None:
    """Say what a picture that was just taken is made from."""
    held = sorted(set(files))
    values = {**(made_from() if MADE_FROM.exists() else {}), name: {"digest": digest_of(held), "files": held}}
    MADE_FROM.write_text(json.dumps(dict(sorted(values.items())), indent=1) + "\n")
