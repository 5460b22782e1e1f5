"""The issues of a file: equal ones are grouped, the first of each severity are listed, and all are counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from assess.base.errors import BadFile
from assess.base.sentences import Sentence
from scoring.reading.grouped_issues import IssueGroups
from scoring.records import Issue

SHOWN = 25


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """The first issues of a file, errors before warnings before notes, and how many there are of each."""

    issues: tuple[Issue, ...] = ()
    errors: int = 0
    warnings: int = 0
    notes: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether the file has no error; it may have warnings and notes."""
        return self.errors == 0

    @property
    def hidden(self) -> int:
        """The number of issues that are counted but not among ``issues``, where one may stand for several."""
        return self.errors + self.warnings + self.notes - sum(issue.count for issue in self.issues)

    def as_rows(self) -> list[dict[str, Any]]:
        """Return the issues as JSON values, as `Run.report` and `Job.issues` store them."""
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
    """A collector of issues, which is called with each one. Equal issues are grouped.

    Of each severity the first ``limit`` are listed, errors before warnings before notes. With ``each``, issues are not
    grouped; if there is also no limit, all are listed in file order.
    """

    limit: int | None = SHOWN
    each: bool = False
    _groups: IssueGroups = field(init=False)

    def __post_init__(self) -> None:
        self._groups = IssueGroups(self.limit, each=self.each)

    def __call__(self, issue: Issue) -> None:
        """Count the issue, and list it if it is one of the first of its severity or equals a listed one."""
        self._groups.add(issue)

    @property
    def errors(self) -> int:
        """The number of errors so far."""
        return self._groups.counts["error"]

    def report(self) -> Report:
        """Return a report of the issues so far."""
        counts = self._groups.counts
        return Report(
            issues=tuple(self._groups.rows()),
            errors=counts["error"],
            warnings=counts["warning"],
            notes=counts["note"],
        )

    def refuse_errors(self, *, name: str, hint: str = "") -> Report:
        """Return the report if it has no error; otherwise raise `BadFile`, since nothing of the file may be stored.

        ``hint`` says what to do, if that is not to correct the file and load it again.
        """
        report = self.report()
        if not report.is_clean:
            raise BadFile(
                Sentence(
                    "%(name)s has %(count)s, so nothing of it was stored. %(then)s",
                    name=name,
                    count=Sentence("%(errors)s error", "%(errors)s errors", report.errors, errors=report.errors),
                    then=hint or Sentence("Correct the file and load it again."),
                ),
                issues=report.issues,
                total=report.errors,
            )
        return report


def collect(issues: Iterable[Issue], *, limit: int | None = SHOWN, each: bool = False) -> Report:
    """Return the report of all issues, as a `Collector` makes it."""
    collector = Collector(limit=limit, each=each)
    for issue in issues:
        collector(issue)
    return collector.report()


def in_file(name: str, issue: Issue) -> Issue:
    """Return the issue with the file's name before its place, for several files that are read together."""
    return replace(issue, where=f"{name}:{issue.where}" if issue.where != "" else name)
