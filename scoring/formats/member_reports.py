"""Collects the issues found in the members of JSON objects, with their places and the codes of the format.

    report = Report(at=3)
    report.say(("turns", 0, "turn_id"), "missing", "“turn_id” is missing. Add it.")
    report.issues

The tables of members (`json_members.py`) report what all formats require of them. What only one format requires, that
format reports itself in the same words (`Report.say`, `Report.shown`), or by raising `Unfit` while making a value.
"""

from __future__ import annotations

from dataclasses import dataclass

from scoring.reading.json_reading import json_path
from scoring.reading.opening import TOO_MANY
from scoring.records import Issue, Severity

Path = tuple[str | int, ...]
"""The path of a member inside an object: names, and indexes in lists, from 0."""


MOST_OTHERS = 1_000
"""The number of unknown members after which an object is refused. No real file has more, and none is used."""


class Unfit(ValueError):
    """Raised by a `Kind` for a value that it can't use. It carries its own code and sentence for the issue."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Report:
    """The issues of one file, line or object.

    If ``at`` is given (such as a line number), every issue has this place, and its sentence names the path inside it.
    Otherwise the path itself is the place; it begins with ``root``. ``told`` are the names of members already warned
    of, and ``then`` is added to the end of each sentence.
    """

    __slots__ = ("at", "counts", "excerpt", "issues", "root", "then", "told")

    def __init__(
        self,
        *,
        at: int | str | None = None,
        root: str = "$",
        excerpt: str = "",
        then: str = "",
        told: set[str] | None = None,
    ) -> None:
        self.at = at
        self.root = root
        self.excerpt = excerpt
        self.then = then
        self.told = told
        self.issues: list[Issue] = []
        self.counts: dict[str, int] = {}

    def say(self, inside: Path, code: str, message: str, *, severity: Severity = "error") -> None:
        """Report an issue at a place inside the object. At most `TOO_MANY` issues of one code are stored."""
        count = self.counts[code] = self.counts.get(code, 0) + 1
        if count > TOO_MANY["error"]:
            return
        where = self.at if self.at is not None else self.root + json_path(inside)[1:]
        message += f" {self.then}" if self.then else ""
        self.issues.append(Issue(where=where, code=code, message=message, severity=severity, excerpt=self.excerpt))

    def is_full(self, code: str) -> bool:
        """Return whether more than `TOO_MANY` issues of this code were reported, so that some were not stored."""
        return self.counts.get(code, 0) > TOO_MANY["error"]

    def shown(self, inside: Path) -> str:
        """Return the name of a place, for the beginning of a sentence: its path, or only the last name in the path.

        The last name is enough if the place of the issue gives the rest.
        """
        if not inside:
            return "The line" if isinstance(self.at, int) else "This" if self.at or self.root != "$" else "The file"
        if self.at is None:
            inside = inside[max((at for at, part in enumerate(inside) if isinstance(part, str)), default=0) :]
        name = json_path(inside).removeprefix("$").removeprefix(".")
        return f"“{name}”"

    def flush(self) -> list[Issue]:
        """Return the issues reported since the last call, for readers that yield records and issues in order."""
        issues, self.issues = self.issues, []
        return issues

    @property
    def is_wrong(self) -> bool:
        """Whether an error was reported."""
        return bool(self.issues) and any(issue.severity == "error" for issue in self.issues)


@dataclass(frozen=True, kw_only=True, slots=True)
class Codes:
    """The codes that a format uses for its issues."""

    missing: str = "missing"
    type: str = "type"
    value: str = ""  # right type but not an allowed value; "": same code as a wrong type
    empty: str = ""  # "": same code as a missing member
    long: str = "too-long"
    shape: str = ""  # not an object; "": same code as a wrong type
    unknown: str = "unknown-field"


PLAIN = Codes()
