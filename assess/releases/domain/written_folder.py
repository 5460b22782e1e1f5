"""The folder of a release while it is written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from assess.exports.writing import in_blocks
from assess.jobs.progress import WRITING, ReportProgress, no_report, report_progress


@dataclass(slots=True)
class Folder:
    """The folder that is being written, with the sha256 and size of every file so far. ``progress`` is called while
    lines are written.
    """

    place: Path
    files: dict[str, dict[str, Any]]
    progress: ReportProgress = no_report

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        """Write one file, piece by piece."""
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        digest, size = hashlib.sha256(), 0
        with path.open("wb") as file:
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                file.write(piece)
        self.files[name] = {"sha256": digest.hexdigest(), "size": size}

    def lines(self, name: str, lines: Iterable[str]) -> None:
        """Write one file of lines, which are given without line ends."""
        told = report_progress(lines, self.progress, unit="lines", note=WRITING, name=name)
        self.write(name, in_blocks(told))

    def lines_if_any(self, name: str, lines: Iterable[str]) -> None:
        """Write one file of lines, or no file if there is no line."""
        rest = iter(lines)
        for first in rest:
            self.lines(name, chain([first], rest))
