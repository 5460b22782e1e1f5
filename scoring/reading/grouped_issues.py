"""Issues that say the same, told together: "1,072 lines: …; first at line 1".

So what else is wrong with a file is seen behind thousands of lines with the same fault. Up to `EACH` of them are told
one by one. Issues say the same that have a code and a sentence in common, numbers and what is quoted apart; of more
than `SENTENCES` sentences of a code the further ones are told together. What has no place is told together where it is
equal.

>>> together([Issue(where=n, code="columns", message=f"The line has {n} columns.") for n in range(1, 1073)])[0].message
'1,072 lines: The line has 1 columns; first at line 1.'
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from scoring.reading.opening import STOPPED, TOO_MANY
from scoring.records import Issue

EACH = 5
"""Issues that say the same and are told one by one; where there are more they are told together."""

SENTENCES = 5
"""Sentences of one code that are told apart."""

_VARIABLE = re.compile(r"""["“‘'][^"”’']*["”’']|\([^()]*\)|(?<!\S)\S*[0-9]\S*""")

Said = tuple[str, str, str, str]
"""Severity, code, file and sentence, without what differs from place to place."""


@dataclass(slots=True)
class _Group:
    """The first issues that say the same, each with its number in the file, and how many there are."""

    first: list[tuple[int, Issue]] = field(default_factory=list)
    count: int = 0


class IssueGroups:
    """Collects issues one by one and reports equal ones together, unless ``each`` is asked for.

    Of each severity ``most`` rows are told (None: all), and memory holds some for each of them alone.
    """

    def __init__(self, most: int | None = None, *, each: bool = False) -> None:
        self.counts: Counter[str] = Counter()
        self._most = most
        self._each = each
        self._groups: dict[Said, _Group] = {}
        self._of_severity: Counter[str] = Counter()
        self._sentences: Counter[tuple[str, str, str]] = Counter()

    def add(self, issue: Issue) -> None:
        """Count an issue, and keep it where its group is kept."""
        self.counts[issue.severity] += issue.count
        said = (str(self.counts.total()), "", "", "") if self._each else self._said(issue)
        group = self._groups.get(said)
        if group is None:
            is_full = self._most is not None and self._of_severity[issue.severity] >= self._most
            if is_full and issue.code != STOPPED:  # what says that not all was looked at is never cut off
                return
            self._of_severity[issue.severity] += 1
            group = self._groups[said] = _Group()
        group.count += issue.count
        if len(group.first) < EACH:
            group.first.append((self.counts.total(), issue))

    def rows(self, most: int | None = None) -> list[Issue]:
        """Return the issues as they are told: with a bound errors before warnings before notes, else as they were met.

        With ``most`` so many of all severities together.
        """
        found: list[tuple[int, Issue]] = []
        for group in self._groups.values():
            found += group.first if group.count <= EACH else [(group.first[0][0], _together(group))]
        rows = [issue for _, issue in sorted(found, key=lambda each: each[0])]
        if self._most is None and most is None:
            return rows
        told: list[Issue] = []
        for severity in TOO_MANY:
            of_it = sorted((row for row in rows if row.severity == severity), key=lambda row: row.code != STOPPED)
            told += of_it[: self._most]
        return told[:most]

    def _said(self, issue: Issue) -> Said:
        severity, code = issue.severity, issue.code
        where = str(issue.where)
        if not where:
            return severity, code, "", issue.message
        file = "" if isinstance(issue.where, int) or where.startswith("$") else where.rpartition(":")[0]
        said = severity, code, file, _VARIABLE.sub("…", issue.message)
        if said in self._groups:
            return said
        self._sentences[severity, code, file] += 1
        return said if self._sentences[severity, code, file] <= SENTENCES else (severity, code, file, "")


def together(issues: Iterable[Issue]) -> list[Issue]:
    """Return the issues as they are told, those that say the same together."""
    groups = IssueGroups()
    for issue in issues:
        groups.add(issue)
    return groups.rows()


def _together(group: _Group) -> Issue:
    """One issue for all of a group, at the place of the first."""
    (_, first), count = group.first[0], group.count
    if first.count == count:  # they were told together before
        return first
    is_line = isinstance(first.where, int)
    unit, place = ("lines", f"line {first.where:,}") if is_line else ("places", str(first.where))
    said = first.message.removesuffix(".")
    message = f"{count:,} {unit}: {said}; first at {place}." if first.where != "" else f"{count:,} times: {said}."
    return replace(first, message=message, count=count)
