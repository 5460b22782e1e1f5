"""Checks JSON objects and extracts their members by a table: each member's name and kind, and whether it is required.

    TURN = Shape(members=(Member("turn_id", TEXT), Member("responses", list_of(RESPONSE), default=[])))

    report = Report(at=3)
    turn = TURN.take(value, report)       # {"turn_id": "9-1_3", "responses": [{…}, …]}, or None: no object
    report.issues

A member that is missing or wrong is reported and gets its default, so that one pass finds everything. The sentences are
the same in all formats, while the codes are those of the format. What only one format requires is reported by
`member_reports.Report`. This takes about as long as extracting the members by hand: one look into the object and one
comparison of types for each member.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal

from scoring.formats.member_reports import MOST_OTHERS, PLAIN, Codes, Path, Report, Unfit
from scoring.reading.json_reading import kind_of
from scoring.reading.opening import excerpt_of

TEXT_LIMIT = 50_000
"""The most characters in one text, in formats that bound them."""

LIST_LIMIT = 1_000
"""The most entries in one list, in formats that bound them."""

REST = ""
"""The key under which a shape stores unknown members, as pairs in file order."""

Taken = dict[str, Any]
"""The members that a shape takes from an object."""

MISSING: Final[Any] = object()
"""The value of null if it means the same as a missing member."""

_ABSENT: Final[Any] = object()
_WRONG: Final[Any] = object()


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What a value must be: ``wanted`` ends the sentence "… must be".

    ``types`` are the Python types of the JSON value, so that true is not a number. ``make`` turns the value into the
    result, and raises ValueError if the value is not acceptable. ``each`` is the kind of a list's entries, or the shape
    of an object. ``code`` replaces the shape's code for every fault of the value, and ``sentence`` replaces the usual
    sentences.
    """

    wanted: str
    types: tuple[type, ...]
    make: Callable[[Any], Any] | None = None
    each: Kind | Shape | None = None
    limit: int = 0  # the most characters or entries; 0 means any number
    is_filled: bool = False  # neither blank nor without entries
    code: str = ""
    sentence: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether only the type is checked."""
        return self.make is None and self.each is None and not self.limit and not self.is_filled

    def take(self, value: Any, report: Report, inside: Path, codes: Codes) -> Any:
        """Return the value or the result of ``make``; return `_WRONG` after reporting a fault."""
        if type(value) not in self.types:
            if report.is_full(self.code or codes.type):
                return _WRONG
            message = f"{report.shown(inside)} must be {self.wanted}, not {kind_of(value)}."
            return self._wrong(report, inside, codes.type, message)
        if self.is_filled and _is_blank(value):
            message = f"{report.shown(inside)} is empty. Fill it in."
            return self._wrong(report, inside, codes.empty or codes.missing, message)
        if self.limit and isinstance(value, str | list | dict) and len(value) > self.limit:
            counted = f"{len(value):,} {'characters' if isinstance(value, str) else 'entries'}"
            message = f"{report.shown(inside)} has {counted}; it may have {self.limit:,}. Shorten it."
            return self._wrong(report, inside, codes.long, message)
        if self.make is not None:
            try:
                value = self.make(value)
            except Unfit as unfit:
                return self._wrong(report, inside, unfit.code, unfit.message)
            except ValueError:
                message = f"{report.shown(inside)} must be {self.wanted}, not “{excerpt_of(str(value), length=40)}”."
                return self._wrong(report, inside, codes.value or codes.type, message)
        if self.each is None:
            return value
        return self._inner(self.each, value, report, inside, codes)

    def read(self, value: Any, report: Report, inside: Path, codes: Codes = PLAIN) -> Any | None:
        """Return the result for a value that is not a member of an object; None after reporting a fault."""
        if type(value) in self.types and self._quickly is not None:
            try:
                return self._quickly(value)
            except ValueError:  # the full check says why
                pass
        found = self.take(value, report, inside, codes)
        return None if found is _WRONG else found

    @cached_property
    def _quickly(self) -> Callable[[Any], Any] | None:
        """Return a function for values of the right type; None if objects inside them must report their own places."""
        if isinstance(self.each, Shape) and not self.each.is_quick:
            return None
        return _quick(self) or _as_it_is

    def _wrong(self, report: Report, inside: Path, code: str, message: str) -> object:
        report.say(inside, self.code or code, self.sentence or message)
        return _WRONG

    def _inner(self, each: Kind | Shape, value: Any, report: Report, inside: Path, codes: Codes) -> Any:
        """Return the valid entries of a list, or the result for an object."""
        if isinstance(each, Shape):
            if isinstance(value, dict):
                return each.take(value, report, inside)
            taken = (each.take(entry, report, (*inside, place)) for place, entry in enumerate(value))
            return [entry for entry in taken if entry is not None]
        if each.is_plain and all(type(entry) in each.types for entry in value):
            return value
        found = (each.take(entry, report, (*inside, place), codes) for place, entry in enumerate(value))
        return [entry for entry in found if entry is not _WRONG]


TEXT = Kind(wanted="a text", types=(str,))
FILLED = Kind(wanted="a text", types=(str,), is_filled=True)
NAME = Kind(wanted="a text or a whole number", types=(str, int), make=str)
"""A text; a whole number is converted to text."""
WHOLE = Kind(wanted="a whole number", types=(int,))
NUMBER = Kind(wanted="a number", types=(int, float))
FLAG = Kind(wanted="true or false", types=(bool,))
LIST = Kind(wanted="a list", types=(list,))
OBJECT = Kind(wanted="an object", types=(dict,))
ANYTHING = Kind(wanted="anything", types=(str, int, float, bool, list, dict, type(None)))


def one_word(limit: int = 0, *, numbers: bool = False) -> Kind:
    """Return the kind of one word of at most ``limit`` characters (0: any number); ``numbers`` allows a number, too."""

    def make(value: str | int) -> str:
        word = str(value)
        if word.split() != [word] or 0 < limit < len(word):
            raise ValueError
        return word

    wanted = "a whole number or one word" if numbers else "one word"
    wanted += f" of at most {limit:,} characters" if limit else ""
    return Kind(wanted=wanted, types=(str, int) if numbers else (str,), make=make)


def exactly_two(value: list[Any]) -> list[Any]:
    """Return the list if it has exactly two entries; raise ValueError otherwise. For use as a kind's ``make``."""
    if len(value) != 2:
        raise ValueError
    return value


def whole_within(limit: int) -> Kind:
    """Return the kind of a whole number between -``limit`` and ``limit``."""

    def make(value: int) -> int:
        if abs(value) > limit:
            raise ValueError
        return value

    return Kind(wanted="a whole number", types=(int,), make=make)


def one_of(*choices: str) -> Kind:
    """Return the kind of a text that must be one of the choices."""
    known = {choice: choice for choice in choices}

    def make(value: str) -> str:
        if value not in known:
            raise ValueError
        return known[value]

    return Kind(wanted=f"one of {', '.join(choice or 'an empty text' for choice in choices)}", types=(str,), make=make)


def list_of(each: Kind | Shape, *, limit: int = 0, is_filled: bool = False, wanted: str = "a list") -> Kind:
    """Return the kind of a list whose entries all have this kind or shape."""
    return Kind(wanted=wanted, types=(list,), each=each, limit=limit, is_filled=is_filled)


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object. It is required unless it has a ``default``; ``null`` is the value used for null.

    ``also`` are other names, which are looked up if the first is missing.
    """

    name: str
    kind: Kind
    default: Any = _ABSENT
    null: Any = _ABSENT
    also: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The members of an object. ``others`` says what happens to unknown members; stored ones are found under `REST`.

    Unknown members stored as further ones ("further") are shown to people, so they get a note; in the other cases they
    get a warning.

    ``make`` makes a record of the members. It may report more issues, and returns None if it can't make a record.
    """

    members: tuple[Member, ...]
    codes: Codes = PLAIN
    others: Literal["passed over", "not used", "kept", "further", "refused"] = "passed over"
    make: Callable[[Taken, Report, Path], Any] | None = None
    known: tuple[str, ...] = field(init=False)
    is_quick: bool = field(init=False)
    _names: frozenset[str] = field(init=False, repr=False)
    _several: tuple[tuple[str, ...], ...] = field(init=False, repr=False)  # all names of members that have several
    _defaults: Taken = field(init=False, repr=False, compare=False)
    _table: tuple[tuple[str, Any, tuple[type, ...], Callable[[Any], Any] | None, Member], ...] = field(
        init=False, repr=False
    )

    def __post_init__(self) -> None:
        names = tuple(name for member in self.members for name in (member.name, *member.also))
        is_plain = all(not member.also and member.null is _ABSENT for member in self.members)
        object.__setattr__(self, "is_quick", is_plain and self.make is None and self.others == "passed over")
        object.__setattr__(self, "known", names)
        object.__setattr__(self, "_names", frozenset(names))
        several = tuple((member.name, *member.also) for member in self.members if member.also)
        object.__setattr__(self, "_several", several)
        object.__setattr__(self, "_defaults", {each.name: each.default for each in self.members})
        object.__setattr__(self, "_table", tuple(map(_row, self.members)))

    def take(self, value: Any, report: Report, inside: Path = ()) -> Any:
        """Return the record that ``make`` makes or, without it, the members by name; None if the value is no object.

        A member's value is the result of its kind, or its default; it is None if the member is required and is missing
        or wrong. Unknown members are reported first, then the others in the order of the table.
        """
        if type(value) is not dict:
            code = self.codes.shape or self.codes.type
            if not report.is_full(code):
                wanted = f"an object with {', '.join(self.known)}"
                report.say(inside, code, f"{report.shown(inside)} must be {wanted}, not {kind_of(value)}.")
            return None
        others = () if self.others == "passed over" else self._others(value)
        if len(others) > MOST_OTHERS:
            counted = f"{len(others):,} members that are not known; it may have {MOST_OTHERS:,}"
            message = f"{report.shown(inside)} has {counted}. Known: {', '.join(self.known)}."
            report.say(inside, self.codes.long, message)
            others = ()
        elif others:
            self._report_others(others, report, inside)
        taken = self._defaults.copy()
        for name, default, types, make, member in self._table:
            found = value.get(name, _ABSENT)
            if found is _ABSENT and default is not _ABSENT:
                continue
            if type(found) not in types:
                taken[name] = self._take(found, value, member, report, inside)
            elif make is None:
                taken[name] = found
            else:
                try:
                    taken[name] = make(found)
                except ValueError:
                    taken[name] = self._take(found, value, member, report, inside)
        if self.others in ("kept", "further"):
            taken[REST] = tuple((name, value[name]) for name in others)
        return taken if self.make is None else self.make(taken, report, inside)

    def quickly(self, value: Any) -> Taken:
        """Return what `take` returns for a faultless object whose shape `is_quick`; raise ValueError for any other."""
        if type(value) is not dict:
            raise ValueError
        taken = self._defaults.copy()
        for name, default, types, make, _ in self._table:
            found = value.get(name, _ABSENT)
            if found is _ABSENT and default is not _ABSENT:
                continue
            if type(found) not in types:
                raise ValueError
            taken[name] = found if make is None else make(found)
        return taken

    def _take(self, found: Any, value: dict[str, Any], member: Member, report: Report, inside: Path) -> Any:
        name, kind = member.name, member.kind
        if found is _ABSENT:
            name = next((other for other in member.also if other in value), name)
            found = value.get(name, _ABSENT)
        if found is None and member.null is MISSING:
            found = _ABSENT
        elif found is None and member.null is not _ABSENT:
            return member.null
        if found is not _ABSENT:
            found = kind.take(found, report, (*inside, name), self.codes)
        elif member.default is _ABSENT:
            at = (*inside, name)
            message = f"{report.shown(at)} is missing. Add it; it must be {kind.wanted}."
            report.say(at, kind.code or self.codes.missing, kind.sentence or message)
        if found is _ABSENT or found is _WRONG:
            return None if member.default is _ABSENT else member.default
        return found

    def _others(self, value: dict[str, Any]) -> tuple[str, ...]:
        """Return the unknown names, and all but the first of a member's names if it is given under several of them."""
        if not self._several and value.keys() <= self._names:
            return ()
        again = {name for names in self._several for name in [each for each in names if each in value][1:]}
        return tuple(name for name in value if name in again or name not in self._names)

    def _report_others(self, others: Sequence[str], report: Report, inside: Path) -> None:
        for name in others:
            if report.is_full(self.codes.unknown):
                return
            shown = f"“{excerpt_of(name, length=40)}”"
            if self.others == "refused":
                message = f"{shown} has no place here. Known: {', '.join(self.known)}."
                report.say((*inside, name), self.codes.unknown, message)
            elif report.told is None or name not in report.told:
                if report.told is not None:
                    report.told.add(name)
                if self.others == "further":
                    message = f"{shown} is kept as a further field and shown, here and wherever else it stands."
                    report.say((*inside, name), self.codes.unknown, message, severity="note")
                    continue
                what = "is kept, but not used" if self.others == "kept" else "is not used"
                message = f"{shown} {what}, here or wherever else it stands. Known: {', '.join(self.known)}."
                report.say((*inside, name), self.codes.unknown, message, severity="warning")


def _row(member: Member) -> tuple[str, Any, tuple[type, ...], Callable[[Any], Any] | None, Member]:
    """Return what `Shape.take` needs to know of a member: its name, its default, its types, the function that takes a
    value of these types, and the member itself.

    The default is `_ABSENT` if the member has other names that must be looked up too. The types are empty if objects
    inside the member must report the places of their faults.
    """
    default = _ABSENT if member.also else member.default
    each = member.kind.each
    is_slow = isinstance(each, Shape) and not each.is_quick
    return member.name, default, () if is_slow else member.kind.types, _quick(member.kind), member


def _quick(kind: Kind) -> Callable[[Any], Any] | None:
    """Return a function that takes a value of the right type and raises a bare ValueError if it is wrong; None if
    checking the type is enough.
    """
    make, limit, is_filled = kind.make, kind.limit, kind.is_filled
    entries = _quick_inner(kind)
    if not limit and not is_filled and (make is None or entries is None):
        return make or entries
    if kind.types == (str,) and is_filled and not limit and make is None:
        return _filled

    def take(value: Any) -> Any:
        if is_filled and _is_blank(value):
            raise ValueError
        if limit and isinstance(value, str | list | dict) and len(value) > limit:
            raise ValueError
        made = value if make is None else make(value)
        return made if entries is None else entries(made)

    return take


def _is_blank(value: Any) -> bool:
    return (isinstance(value, str) and not value.strip()) or (isinstance(value, list) and not value)


def _as_it_is(value: Any) -> Any:
    return value


def _filled(value: str) -> str:
    if not value or value.isspace():
        raise ValueError
    return value


def _quick_inner(kind: Kind) -> Callable[[Any], Any] | None:
    """Return the function that `_quick` returns, but for entries or an inner object; None if no check is needed."""
    each = kind.each
    if each is None or (isinstance(each, Shape) and not each.is_quick):
        return None
    if isinstance(each, Shape):
        take_object = each.quickly
        return take_object if kind.types == (dict,) else lambda value: [take_object(entry) for entry in value]
    types, take = frozenset(each.types), _quick(each)

    def entries(value: list[Any]) -> list[Any]:
        if not types.issuperset(map(type, value)):
            raise ValueError
        return value if take is None else [take(entry) for entry in value]

    return entries
