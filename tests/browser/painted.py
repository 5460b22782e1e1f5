"""What a page paints, seen from within it while its own scripts may not run."""

from __future__ import annotations

from pathlib import Path

NO_SCRIPT = "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src data:"
PAINTED = (Path(__file__).parent / "painted.js").read_text(encoding="utf-8")
