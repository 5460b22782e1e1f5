"""The members of one JSON object of a file, taken by name and type; what is wrong is reported with its path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, TypeVar

from scoring.json_reading import json_path, kind_of, load_json
from scoring.reading import excerpt_of
from scoring.records import Issue, Severity

TEXT_LIMIT = 50_000
"""Characters of one text."""

LIST_LIMIT = 1_000
"""Entries of one list."""

Path = tuple[str | int, ...]
Made = TypeVar("Made")


class Members:
    """One object at a place of a file. Where the value is no object that is reported, and it has no members.

    ``told`` are the names of members that were warned of; the objects inside of this one share it.
    Codes: type, missing, too-long, unknown-field (warning).
    """

    def __init__(
        self, value: object, *, place: Path, report: Callable[[Issue], None], told: set[str] | None = None
    ) -> None:
        self.place = place
        self.report = report
        self.told = set() if told is None else told
        self.values: dict[str, Any] = value if isinstance(value, dict) else {}
        self.is_object = isinstance(value, dict)
        if not self.is_object:
            self.say((), "type", f"This must be an object, but it is {kind_of(value)}.")

    def say(self, inside: Path, code: str, message: str, *, severity: Severity = "error") -> None:
        """Report something about a place inside the object."""
        self.report(Issue(where=json_path((*self.place, *inside)), code=code, message=message, severity=severity))

    def warn_unknown(self, known: Iterable[str], *, are_kept: bool = False) -> None:
        """A warning for each member that is not known, once a name in all that share ``told``.

        It says so where such members are kept, to be written again.
        """
        for name in self.values.keys() - {*known} - self.told:
            self.told.add(name)
            what = "is kept, but not used" if are_kept else "is not used"
            message = f"“{excerpt_of(name, length=40)}” {what}. Known are: {', '.join(known)}."
            self.say((name,), "unknown-field", message, severity="warning")

    def others(self, known: Iterable[str]) -> tuple[tuple[str, Any], ...]:
        """The members that are not known, in file order."""
        return tuple((name, value) for name, value in self.values.items() if name not in known)

    def text(self, name: str, *, required: bool = True) -> str | None:
        """A text, or None where there is none."""
        if name not in self.values:
            if required and self.is_object:
                self.say((name,), "missing", f"“{name}” is missing. Add it; it must be a text.")
            return None
        return self._checked(self.values[name], (name,))

    def texts(self, name: str, *, required: bool = True) -> tuple[str, ...] | None:
        """A list of texts, or None where there is none."""
        entries = self._list(name, required=required)
        if entries is None:
            return None
        checked = [self._checked(entry, (name, place)) for place, entry in enumerate(entries)]
        return tuple(text for text in checked if text is not None)

    def objects(self, name: str, make: Callable[[Members], Made | None]) -> tuple[Made, ...] | None:
        """What is made of a list of objects, or None where there is no list."""
        entries = self._list(name, required=False)
        if entries is None:
            return None
        inner = [
            Members(entry, place=(*self.place, name, place), report=self.report, told=self.told)
            for place, entry in enumerate(entries)
        ]
        made = [make(members) for members in inner]
        return tuple(each for each in made if each is not None)

    def lists_of_texts(self, name: str) -> tuple[tuple[str, ...], ...]:
        """A list of lists of texts; empty where there is none."""
        found = []
        for place, entry in enumerate(self._list(name, required=False) or ()):
            if not isinstance(entry, list) or not all(isinstance(text, str) for text in entry):
                self.say((name, place), "type", f"This must be a list of texts, but it is {kind_of(entry)}.")
            else:
                found.append(tuple(entry))
        return tuple(found)

    def flag(self, name: str) -> bool:
        """A member that is true or false; false where there is none."""
        value = self.values.get(name, False)
        if not isinstance(value, bool):
            self.say((name,), "type", f"This must be true or false, but it is {kind_of(value)}.")
        return value is True

    def _list(self, name: str, *, required: bool) -> list[Any] | None:
        if name not in self.values:
            if required and self.is_object:
                self.say((name,), "missing", f"“{name}” is missing. Add it; it must be a list.")
            return None
        value = self.values[name]
        if not isinstance(value, list):
            self.say((name,), "type", f"This must be a list, but it is {kind_of(value)}.")
            return None
        if len(value) > LIST_LIMIT:
            self.say((name,), "too-long", f"The list has {len(value):,} entries; at most {LIST_LIMIT:,} are read.")
            return None
        return value

    def _checked(self, value: object, inside: Path) -> str | None:
        if not isinstance(value, str):
            self.say(inside, "type", f"This must be a text, but it is {kind_of(value)}.")
            return None
        if len(value) > TEXT_LIMIT:
            self.say(inside, "too-long", f"The text has {len(value):,} characters; at most {TEXT_LIMIT:,} are read.")
            return None
        return value


def members_of_list(
    file: BinaryIO, *, known: tuple[str, ...], wanted: str, are_kept: bool = False
) -> Iterator[tuple[int, Members, list[Issue]] | Issue]:
    """Each object of a file that is one list: its place, its members, and a list that takes what they report.

    ``known`` are the names that may stand in an object, and ``are_kept`` says whether others are kept; ``wanted`` ends
    the sentence "The file must be …" where the file is no list. Codes: type, no-claims (an empty list), and those
    of `Members`.
    """
    value = load_json(file)
    if isinstance(value, Issue):
        yield value
        return
    if not isinstance(value, list) or not value:
        what = "an empty list" if value == [] else kind_of(value)
        message = f"The file must be {wanted}, but it is {what}. Check that the right file was chosen."
        yield Issue(where="$", code="no-claims" if value == [] else "type", message=message)
        return
    told: set[str] = set()
    for place, record in enumerate(value):
        issues: list[Issue] = []
        members = Members(record, place=(place,), report=issues.append, told=told)
        members.warn_unknown(known, are_kept=are_kept)
        yield place, members, issues
