"""The issues of a file: equal ones are reported together, the first of each severity are kept, and all are counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext

from assess.base.errors import BadFile
from scoring.reading.grouped_issues import IssueGroups
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
        return self.errors + self.warnings + self.notes - sum(issue.count for issue in self.issues)

    def as_rows(self) -> list[dict[str, Any]]:
        """The issues as JSON values, as `Run.report` and `Job.issues` keep them."""
        return [
            {
                "where": issue.where,
                "severity": issue.severity,
                "code": issue.code,
                "message": issue.message,
                "excerpt": issue.excerpt,
                **({"count": issue.count} if issue.count > 1 else {}),
            }
            for issue in self.issues
        ]


@dataclass(slots=True)
class Collector:
    """Collects issues: call it with each one. Equal issues are reported together.

    Of each severity the first ``limit`` are told, errors before warnings before notes. With ``each`` no two are told
    together, and all are told in file order where there is no limit.
    """

    limit: int | None = SHOWN
    each: bool = False
    _groups: IssueGroups = field(init=False)

    def __post_init__(self) -> None:
        self._groups = IssueGroups(self.limit, each=self.each)

    def __call__(self, issue: Issue) -> None:
        """Count the issue, and keep it if it is one of the first of its severity or equals one that is kept."""
        self._groups.add(issue)

    @property
    def errors(self) -> int:
        """How many errors there are so far."""
        return self._groups.counts["error"]

    def report(self) -> Report:
        """What was gathered so far."""
        counts = self._groups.counts
        return Report(
            issues=tuple(self._groups.rows()),
            errors=counts["error"],
            warnings=counts["warning"],
            notes=counts["note"],
        )

    def refuse_errors(self, *, name: str, hint: str = "") -> Report:
        """The report, if there is no error in it; else `BadFile`: nothing of the file may be stored.

        ``hint`` says what to do instead of correcting the file, where something else is the matter.
        """
        report = self.report()
        if not report.is_clean:
            count = "1 error" if report.errors == 1 else f"{report.errors:,} errors"
            raise BadFile(
                gettext("%(name)s has %(count)s, so nothing of it was stored. %(or)s")
                % {"name": name, "count": count, "or": hint or "Correct the file and load it again."},
                issues=report.issues,
                total=report.errors,
            )
        return report


def collect(issues: Iterable[Issue], *, limit: int | None = SHOWN, each: bool = False) -> Report:
    """The report of all issues, as `Collector` has it."""
    collector = Collector(limit=limit, each=each)
    for issue in issues:
        collector(issue)
    return collector.report()


def in_file(name: str, issue: Issue) -> Issue:
    """The issue with the file's name before its place, where several files are read at once."""
    return replace(issue, where=f"{name}:{issue.where}" if issue.where != "" else name)
