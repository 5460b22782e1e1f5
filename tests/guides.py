"""The guides and their texts."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")
