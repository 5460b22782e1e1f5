"""What is wrong with the files of one call, told once they are read: the errors of every file before any warning."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field

from scoring.records import Issue

SHOWN = 25
"""Issues of a file that are printed; the rest are counted."""

_LAST = ("warning", "note")


@dataclass(slots=True)
class _OfFile:
    """The first issues of each severity of one file, and how many there are."""

    kept: dict[str, list[Issue]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)


class Problems:
    """The issues of all files of a call, by the name under which each file is told of."""

    def __init__(self) -> None:
        self._files: dict[str, _OfFile] = {}

    def add(self, path: str, issue: Issue) -> None:
        """Keep an issue of a file; of each severity no more than can be shown."""
        found = self._files.setdefault(path, _OfFile())
        found.counts[issue.severity] += 1
        if found.counts[issue.severity] <= SHOWN:
            found.kept.setdefault(issue.severity, []).append(issue)

    def errors(self, path: str) -> int:
        """How many errors a file has."""
        return self._files[path].counts["error"] if path in self._files else 0

    @property
    def bad_files(self) -> list[str]:
        """The files with errors, in the order in which they were read."""
        return [path for path, found in self._files.items() if found.counts["error"]]

    def show(self) -> None:
        """Print file, place, severity, code and message of each to standard error, and forget them.

        Errors of all files come first. Of a file at most `SHOWN` are printed, and the rest are counted.
        """
        left = dict.fromkeys(self._files, SHOWN)
        for severities in (("error",), _LAST):
            for path, found in self._files.items():
                issues = [issue for severity in severities for issue in found.kept.get(severity, ())]
                for issue in issues[: left[path]]:
                    print(path, *issue.as_row(), sep="\t", file=sys.stderr)
                left[path] -= min(len(issues), left[path])
        for path, found in self._files.items():
            if (more := found.counts.total() - SHOWN) > 0:
                print(f"{path}: {more:,} more problems are not shown (all: {_counted(found.counts)})", file=sys.stderr)
        self._files.clear()


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[severity]:,} {severity}s" for severity in ("error", *_LAST) if counts[severity])
