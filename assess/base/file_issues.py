"""What was found in a file: the first issues of each severity are kept, all are counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from assess.base.errors import BadFile
from scoring.reading import STOPPED
from scoring.records import Issue, Severity

SHOWN = 25
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From the gravest; a note is no fault of the file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """The first issues of a file, errors before warnings before notes, and how many there are of each."""

    issues: tuple[Issue, ...] = ()
    errors: int = 0
    warnings: int = 0
    notes: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether the file has no error; warnings and notes let it pass."""
        return self.errors == 0

    @property
    def hidden(self) -> int:
        """How many issues are counted but not among ``issues``."""
        return self.errors + self.warnings + self.notes - len(self.issues)

    def as_rows(self) -> list[dict[str, Any]]:
        """The issues as JSON values, as `Run.report` and `Job.issues` keep them."""
        return [
            {
                "where": issue.where,
                "severity": issue.severity,
                "code": issue.code,
                "message": issue.message,
                "excerpt": issue.excerpt,
            }
            for issue in self.issues
        ]


@dataclass(slots=True)
class Collector:
    """Gathers issues as they come: call it with each one. With a ``limit`` memory stays bounded.

    With a limit, errors come before warnings and these before notes in the report; without one, all come in file
    order.
    """

    limit: int | None = SHOWN
    errors: int = 0
    warnings: int = 0
    notes: int = 0
    _kept: list[Issue] = field(default_factory=list)

    def __call__(self, issue: Issue) -> None:
        """Count the issue, and keep it if it is one of the first of its severity."""
        if issue.severity == "error":
            self.errors += 1
            count = self.errors
        elif issue.severity == "note":
            self.notes += 1
            count = self.notes
        else:
            self.warnings += 1
            count = self.warnings
        if self.limit is None or count <= self.limit:
            self._kept.append(issue)
        elif issue.code == STOPPED:  # what says that not all was looked at is never cut off
            self._kept.insert(0, issue)

    def report(self) -> Report:
        """What was gathered so far."""
        kept = self._kept
        if self.limit is not None:
            kept = sorted(kept, key=lambda issue: SEVERITIES.index(issue.severity))
        return Report(issues=tuple(kept), errors=self.errors, warnings=self.warnings, notes=self.notes)

    def refuse_errors(self, *, name: str, hint: str = "") -> Report:
        """The report, if there is no error in it; else `BadFile`: nothing of the file may be stored.

        ``hint`` says what to do instead of correcting the file, where something else is the matter.
        """
        report = self.report()
        if not report.is_clean:
            count = "1 error" if report.errors == 1 else f"{report.errors:,} errors"
            raise BadFile(
                f"{name} has {count}, so nothing of it was stored. {hint or 'Correct the file and load it again.'}",
                issues=report.issues,
                total=report.errors,
            )
        return report


def collect(issues: Iterable[Issue], *, limit: int | None = SHOWN) -> Report:
    """The report of all issues; ``limit`` of each severity are kept (None: all)."""
    collector = Collector(limit=limit)
    for issue in issues:
        collector(issue)
    return collector.report()


def in_file(name: str, issue: Issue) -> Issue:
    """The issue with the file's name before its place, where several files are read at once."""
    return replace(issue, where=f"{name}:{issue.where}" if issue.where != "" else name)
