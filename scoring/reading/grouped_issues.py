"""Merges issues that say the same into one, such as "1,072 lines: …; first at line 1".

This way the other faults of a file are not hidden behind thousands of lines with the same fault. Up to `EACH` issues of
a group are reported one by one. Issues belong to one group if they have the same code and the same sentence, apart from
numbers and quoted text. If a code has more than `SENTENCES` sentences, the further ones form one group. Issues without
a place form a group if they are equal. A group of several sentences says so.

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
"""The most issues of a group that are reported one by one; a larger group is reported as one issue."""

SENTENCES = 5
"""The number of sentences of one code that are reported separately."""

_VARIABLE = re.compile(r"""["“‘'][^"”’']*["”’']|\([^()]*\)|(?<!\S)\S*[0-9]\S*""")

GroupKey = tuple[str, str, str, str]
"""Severity, code, file and sentence, without the parts that differ from place to place."""


@dataclass(slots=True)
class _Group:
    """The first issues of a group, each with its number among the file's issues, and the number of all issues of the
    group. A mixed group holds several sentences.
    """

    first: list[tuple[int, Issue]] = field(default_factory=list)
    count: int = 0
    is_mixed: bool = False


class IssueGroups:
    """Collects issues one by one, and reports issues that say the same together, unless ``each`` is true.

    Up to `EACH` issues that say the same are reported one by one; if there are more, one row reports all of them. At
    most ``most`` rows are reported for each severity (None: all). Only rows that may be reported are held in memory.
    """

    def __init__(self, most: int | None = None, *, each: bool = False) -> None:
        self.counts: Counter[str] = Counter()
        self._most = most
        self._each = each
        self._groups: dict[GroupKey, _Group] = {}
        self._of_severity: Counter[str] = Counter()
        self._sentences: Counter[tuple[str, str, str]] = Counter()

    def add(self, issue: Issue) -> None:
        """Count an issue, and store it if its group is still reported."""
        self.counts[issue.severity] += issue.count
        group_key = (str(self.counts.total()), "", "", "") if self._each else self._group_key(issue)
        group = self._groups.get(group_key)
        if group is None:
            is_full = self._most is not None and self._of_severity[issue.severity] >= self._most
            if is_full and issue.code != STOPPED:  # the issue that reading stopped early is never cut off
                return
            self._of_severity[issue.severity] += 1
            group = self._groups[group_key] = _Group(is_mixed=not (self._each or group_key[3]))
        group.count += issue.count
        if len(group.first) < EACH:
            group.first.append((self.counts.total(), issue))

    def rows(self, most: int | None = None) -> list[Issue]:
        """Return the issues to report. By default they are in the order in which they were added.

        If their number is bounded, here (``most`` in all) or for each severity, errors come before warnings and
        warnings before notes.
        """
        found: list[tuple[int, Issue]] = []
        for group in self._groups.values():
            found += group.first if group.count <= EACH else [(group.first[0][0], _together(group))]
        rows = [issue for _, issue in sorted(found, key=lambda each: each[0])]
        if self._most is None and most is None:
            return rows
        chosen: list[Issue] = []
        for severity in TOO_MANY:
            of_it = sorted((row for row in rows if row.severity == severity), key=lambda row: row.code != STOPPED)
            chosen += of_it[: self._most]
        return chosen[:most]

    def _group_key(self, issue: Issue) -> GroupKey:
        severity, code = issue.severity, issue.code
        where = str(issue.where)
        if not where:
            return severity, code, "", issue.message
        file = "" if isinstance(issue.where, int) or where.startswith("$") else where.rpartition(":")[0]
        group_key = severity, code, file, _VARIABLE.sub("…", issue.message)
        if group_key in self._groups:
            return group_key
        self._sentences[severity, code, file] += 1
        return group_key if self._sentences[severity, code, file] <= SENTENCES else (severity, code, file, "")


def together(issues: Iterable[Issue]) -> list[Issue]:
    """Return the issues to report: if more than `EACH` issues say the same, they are merged into one."""
    groups = IssueGroups()
    for issue in issues:
        groups.add(issue)
    return groups.rows()


def _together(group: _Group) -> Issue:
    """Return one issue for a whole group, at the place of its first issue."""
    (_, first), count = group.first[0], group.count
    if first.count == count:  # they were merged before
        return first
    is_line = isinstance(first.where, int)
    unit, place = ("lines", f"line {first.where:,}") if is_line else ("places", str(first.where))
    sentence = first.message.removesuffix(".")
    if group.is_mixed:
        message = f"{count:,} more {unit} with other faults of this kind; the first at {place}: {first.message}"
        return replace(first, message=message, count=count)
    message = (
        f"{count:,} {unit}: {sentence}; first at {place}." if first.where != "" else f"{count:,} times: {sentence}."
    )
    return replace(first, message=message, count=count)
