"""What is reported of the members of JSON objects: where each stands, and the codes that a format gives its issues.

    report = Report(at=3)
    report.say(("turns", 0, "turn_id"), "missing", "“turn_id” is missing. Add it.")
    report.issues

The tables of members (`json_members.py`) report what all formats ask of them; what one format alone asks, it says
itself in the same words (`Report.say`, `Report.shown`), or by raising `Unfit` where a value is made of what was read.
"""

from __future__ import annotations

from dataclasses import dataclass

from scoring.reading.json_reading import json_path
from scoring.reading.opening import TOO_MANY
from scoring.records import Issue, Severity

Path = tuple[str | int, ...]
"""Where a member stands inside an object: names, and the places in lists, from 0."""


MOST_OTHERS = 1_000
"""Members of one object that are not known, after which it is refused: nobody has more, and none of them is used."""


class Unfit(ValueError):
    """What a kind makes nothing of, with a code and a sentence of its own."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Report:
    """What is wrong with one file, line or object.

    With ``at``, such as the number of a line, that is the place of each issue, and its sentence has the path inside it;
    else the place is the path, which begins with ``root``.
    ``told`` are the names of members that others warned of already, and ``then`` ends each sentence.
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
        """Report something about a place inside the object; of one code no more than anybody counts (`TOO_MANY`)."""
        count = self.counts[code] = self.counts.get(code, 0) + 1
        if count > TOO_MANY["error"]:
            return
        where = self.at if self.at is not None else self.root + json_path(inside)[1:]
        message += f" {self.then}" if self.then else ""
        self.issues.append(Issue(where=where, code=code, message=message, severity=severity, excerpt=self.excerpt))

    def is_full(self, code: str) -> bool:
        """Return whether so much was reported of a code that nothing more is."""
        return self.counts.get(code, 0) > TOO_MANY["error"]

    def shown(self, inside: Path) -> str:
        """Return a place as a sentence begins with it: the path where the issue does not have it, else its last
        name.
        """
        if not inside:
            return "The line" if isinstance(self.at, int) else "This" if self.at or self.root != "$" else "The file"
        if self.at is None:
            inside = inside[max((at for at, part in enumerate(inside) if isinstance(part, str)), default=0) :]
        name = json_path(inside).removeprefix("$").removeprefix(".")
        return f"“{name}”"

    def flush(self) -> list[Issue]:
        """Return what was reported since this was asked last, for those who give records and issues in their order."""
        issues, self.issues = self.issues, []
        return issues

    @property
    def is_wrong(self) -> bool:
        """Whether there is an error."""
        return bool(self.issues) and any(issue.severity == "error" for issue in self.issues)


@dataclass(frozen=True, kw_only=True, slots=True)
class Codes:
    """The codes of a format's issues."""

    missing: str = "missing"
    type: str = "type"
    value: str = ""  # of the right type, and none of what it may be; "" is that of a wrong type
    empty: str = ""  # "" is that of a missing one
    long: str = "too-long"
    shape: str = ""  # no object; "" is that of a wrong type
    unknown: str = "unknown-field"


PLAIN = Codes()
