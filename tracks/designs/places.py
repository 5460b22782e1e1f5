"""Find the place of each member of a TOML file, and describe bad syntax in words of our own.

`tomllib` gives line numbers only for bad syntax, and some of its messages mislead ("Unclosed inline table" for a
missing comma, "Cannot overwrite a value" for a member given twice). So the file is first parsed here by TOML's grammar:
each member gets its path ("stages", 0, "questions", 1, "ask") and the line on which it begins.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from unicodedata import category

Path = tuple[str | int, ...]
BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
CURLY = "“”„‟‘’‚«»"
ENDS = frozenset(" \t\r\n#,]}=")
DEEPEST = 50
"""How deeply tables and lists may be nested."""

LONGEST = 100
"""The most characters of a number or a date."""

_ESCAPED = re.compile(r'(?:[^\\]|\\(?:[btnfr"\\]|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[ \t]*\n))*+')
"""A text in double quotes as far as each backslash stands for a sign; one in a path of Windows doesn't."""

OF_PYTHON = {"True": "write true", "False": "write false", "None": "leave the line out", "null": "leave the line out"}

WORDS = ("true", "false", "inf", "nan", "+inf", "-inf", "+nan", "-nan")


class BadToml(ValueError):
    """Raised when a file is not TOML, or names another file that can't be used.

    The message says what to change. ``line`` and ``path`` give the place of the member at fault.
    """

    def __init__(self, line: int, message: str, path: Path = ()) -> None:
        self.line, self.path = line, path
        super().__init__(message)


@dataclass(slots=True)
class Places:
    """The lines of a file's members, and of the headings of its tables, by path; lines are counted from 1.

    ``spans`` holds where each value begins and the offset after its end, in characters of the text that `unix_text`
    returns.
    """

    lines: dict[Path, int] = field(default_factory=dict)
    headings: dict[Path, int] = field(default_factory=dict)
    spans: dict[Path, tuple[int, int]] = field(default_factory=dict)

    def line(self, path: Path) -> int:
        """Return the line of a member. If it has no line of its own, return that of the nearest table or list that
        encloses it, or 1.
        """
        for length in range(len(path), 0, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return 1


def unix_text(text: str) -> str:
    """Return the text without a byte order mark, and with Unix line ends."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def read_toml(text: str) -> tuple[dict[str, Any], Places]:
    """Return the values of a file and their places. Raises BadToml if the text is not TOML."""
    text = unix_text(text)
    places = _Walk(text).walk()
    try:
        return tomllib.loads(text), places
    except tomllib.TOMLDecodeError as error:  # this parser does not check dates, numbers and redefined tables
        said = str(error)
        line = said.rpartition("line ")[2].partition(",")[0]
        message = f"{said.partition(' (at')[0]}."
        if found := re.match(r"(?:Illegal|Found invalid) character '\\x([0-9a-f]{2})'", said):
            message = (
                f"There is a sign that nobody sees (U+00{found[1].upper()}): take it out; the file may be damaged."
            )
        raise BadToml(int(line) if line.isdigit() else 1, message) from error
    except ValueError as error:  # TOML that Python can't represent
        raise BadToml(1, f"A value of this file can't be read: {error}.") from error


class _Walk:
    """Reads a text once, from beginning to end, and finds the places of its members and tables."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._line = text, 0, 1
        if "\r" in self._text:
            line = self._text[: self._text.index("\r")].count("\n") + 1
            raise BadToml(
                line, "This line ends with a carriage return alone: save the file with ends of lines of Unix."
            )
        self._found = Places()
        self._arrays: dict[Path, int] = {}  # path of an array of tables -> place of its last one
        self._tables: set[Path] = set()

    def walk(self) -> Places:
        table: Path = ()
        while self._at < len(self._text):
            self._blank(lines=True)
            if self._at >= len(self._text):
                break
            table = self._heading() if self._peek() == "[" else self._member(table, in_line=False)
        return self._found

    # ------------------------------------------------------------ headings and members

    def _heading(self) -> Path:
        line, is_array = self._line, self._text.startswith("[[", self._at)
        self._take("[[" if is_array else "[")
        named = self._key()
        self._blank()
        end = "]]" if is_array else "]"
        if not self._text.startswith(end, self._at):
            raise BadToml(line, f"The heading of a table ends with {end}.")
        self._take(end)
        _require_flat(len(named), line)
        self._rest_of_line()
        path: Path = ()
        for place, name in enumerate(named):
            path = (*path, name)
            if place == len(named) - 1 and (path in self._tables if is_array else path in self._arrays):
                other = self._found.lines[path]
                raise BadToml(
                    other if is_array else line,
                    f"[{'.'.join(named)}] is a list of tables, as in line {line if is_array else other}: "
                    f"write [[{'.'.join(named)}]] here, too.",
                )
            self._found.lines.setdefault(path, line)
            if is_array and place == len(named) - 1:
                self._arrays[path] = self._arrays.get(path, -1) + 1
                for inner in [each for each in self._arrays if len(each) > len(path) and each[: len(path)] == path]:
                    del self._arrays[inner]
            if path in self._arrays:
                path = (*path, self._arrays[path])
        if not is_array and path in self._tables:
            raise BadToml(line, f"[{'.'.join(named)}] stands here a second time: put its members under the first.")
        self._tables.add(path)
        self._found.lines.setdefault(path, line)
        self._found.headings[path] = line
        return path

    def _member(self, table: Path, *, in_line: bool) -> Path:
        """Read one member, NAME = VALUE, and return ``table``, in which the next member is, too. Raises `BadToml` for a
        member without "=", one that is given twice, and a value that can't be read.
        """
        line = self._line
        named = self._key()
        self._blank()
        if self._peek() != "=":
            what = ".".join(named)
            instead = ", not a colon," if self._peek() == ":" else ""
            if self._unseen():
                raise BadToml(line, f"After “{what}” stands {self._ahead()}: take it out.")
            raise BadToml(line, f"After “{what}” comes ={instead} and a value, as in {what} = 1.")
        self._take("=")
        path = (*table, *named)
        if path in self._found.lines:
            raise BadToml(
                line, f"“{'.'.join(named)}” is given twice; it stands in line {self._found.lines[path]}, too."
            )
        self._found.lines[path] = line
        self._blank()
        self._value(path)
        if not in_line:
            self._rest_of_line()
        return table

    def _key(self) -> list[str]:
        named = []
        while True:
            self._blank()
            char = self._peek()
            if char in CURLY and char:
                raise BadToml(self._line, f'{char} is a curly quote: write straight ones (").')
            if char in "\"'" and char:
                named.append(self._string())
            else:
                start = self._at
                while self._peek() in BARE and self._peek():
                    self._at += 1
                if start == self._at:
                    raise BadToml(
                        self._line, f"A name is expected here, of letters, digits, - and _, not {self._ahead()}."
                    )
                named.append(self._text[start : self._at])
            self._blank()
            if self._peek() != ".":
                return named
            self._take(".")

    # ------------------------------------------------------------ values

    def _value(self, path: Path) -> None:
        start = self._at
        self._one_value(path)
        self._found.spans[path] = (start, self._at)

    def _one_value(self, path: Path) -> None:
        _require_flat(len(path), self._line)
        char = self._peek()
        if char == "{":
            self._inline_table(path)
        elif char == "[":
            self._array(path)
        elif char and char in "\"'":
            self._string()
        elif char and char in CURLY:
            raise BadToml(self._line, f'{char} is a curly quote: write straight ones (").')
        else:
            start = self._at
            while self._peek() and self._peek() not in ENDS:
                self._at += 1
            word = self._text[start : self._at]
            if not word:
                raise BadToml(self._line, f"A value is expected after =, not {self._ahead()}.")
            if len(word) > LONGEST and word[0] in "0123456789+-":
                raise BadToml(self._line, f"A number of {len(word):,} characters is more than can be read: shorten it.")
            if word[0] in "0123456789+-" and not _is_value(word):
                raise BadToml(self._line, f"“{word}” is neither a number nor a date. {_number_hint(word)}")
            if word in OF_PYTHON:
                raise BadToml(self._line, f"“{word}” is no value here: {OF_PYTHON[word]}.")
            if word[0] not in "0123456789+-" and word not in WORDS:
                raise BadToml(self._line, f'“{word}” is no value: texts stand in straight quotes, as in "{word}".')

    def _inline_table(self, path: Path) -> None:
        line = self._line
        self._take("{")
        self._blank()
        if self._peek() == "}":
            self._take("}")
            return
        while True:
            self._blank()
            if self._peek() == "\n":
                raise BadToml(line, "A table in braces can't contain a line break: close it with } on this line.")
            if self._peek() == "}":
                raise BadToml(self._line, "There is a comma before }: take it away.")
            self._member(path, in_line=True)
            self._blank()
            if self._peek() == "}":
                self._take("}")
                return
            if self._peek() != ",":
                if self._peek() in ("\n", ""):
                    raise BadToml(line, "A table in braces is not closed: } is missing.")
                raise BadToml(self._line, f"A comma is missing before {self._ahead()}.")
            self._take(",")

    def _array(self, path: Path) -> None:
        line, place = self._line, 0
        self._take("[")
        while True:
            self._blank(lines=True)
            if self._peek() == "]":
                self._take("]")
                return
            if not self._peek():
                raise BadToml(line, "A list is not closed: ] is missing.")
            self._found.lines[(*path, place)] = self._line
            self._value((*path, place))
            place += 1
            self._blank(lines=True)
            if self._peek() == ",":
                self._take(",")
            elif not self._peek():
                raise BadToml(line, "A list is not closed: ] is missing.")
            elif self._peek() != "]":
                if self._line > line and _MEMBER.match(self._text, self._at):
                    raise BadToml(
                        line, f"The list that begins here is not closed before line {self._line}: ] is missing."
                    )
                raise BadToml(self._line, f"A comma is missing before {self._ahead()}.")

    def _string(self) -> str:
        quote, line = self._peek(), self._line
        if self._text.startswith(quote * 3, self._at):
            self._take(quote * 3)
            end = self._text.find(quote * 3, self._at)
            if end < 0:
                raise BadToml(line, f"A text that begins with {quote * 3} is not closed.")
            while self._text.startswith(quote, end + 3):  # up to two quotes may precede the closing ones
                end += 1
            inside = self._text[self._at : end]
            _require_escapes(inside if quote == '"' else "", line)
            self._line += inside.count("\n")
            self._at = end + 3
            return inside
        self._at += 1
        start = self._at
        while self._peek() != quote:
            if self._peek() in ("\n", ""):
                curly = next((char for char in self._text[start : self._at] if char in CURLY), "")
                more = f" It has a curly quote ({curly})." if curly else ""
                raise BadToml(line, f"A text is not closed: {quote} is missing at its end.{more}")
            self._at += 2 if quote == '"' and self._peek() == "\\" else 1
        self._at += 1
        _require_escapes(self._text[start : self._at - 1] if quote == '"' else "", line)
        return self._text[start : self._at - 1]

    # ------------------------------------------------------------ between members

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, expected: str) -> None:
        self._at += len(expected)

    def _blank(self, *, lines: bool = False) -> None:
        """Skip blanks; with ``lines`` also line breaks and comments."""
        while char := self._peek():
            if char in " \t":
                self._at += 1
            elif char == "\n" and lines:
                self._at, self._line = self._at + 1, self._line + 1
            elif char == "#" and lines:
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            else:
                return

    def _rest_of_line(self) -> None:
        self._blank()
        if self._peek() == "," and self._text[self._at - 1 : self._at + 2 : 2].isdecimal():
            raise BadToml(self._line, "A number has a point before its decimals, as in 3.5, and no comma.")
        if self._peek() not in ("\n", "#", ""):
            raise BadToml(self._line, f"The line should end here, but goes on with {self._ahead()}.")

    def _unseen(self) -> bool:
        """Return whether the next character is one that nobody sees, or a blank that is none here."""
        char = self._peek()
        return bool(char) and char != "\n" and category(char) in ("Cc", "Cf", "Zs") and char not in " \t"

    def _ahead(self) -> str:
        if self._unseen():
            return f"a sign that nobody sees (U+{ord(self._peek()):04X})"
        rest = self._text[self._at : self._at + 20].split("\n")[0]
        return f"“{rest}”" if rest else "the end of the line"


_MEMBER = re.compile(r"""[A-Za-z0-9_."'-]+[ \t]*=|\[{1,2}[A-Za-z0-9_.-]+\]""")
"""The start of a member or a table, which inside a list means that the list was never closed."""


def _is_value(word: str) -> bool:
    try:
        return bool(tomllib.loads(f"x = {word}"))
    except ValueError:
        return False


def _number_hint(word: str) -> str:
    plain = word.lstrip("0")
    return f"Write {plain}." if plain.isdecimal() else f'A text stands in straight quotes, as in "{word}".'


def _require_escapes(text: str, line: int) -> None:
    """Raise BadToml if a backslash in the text, which began in this line, stands for no sign."""
    found = _ESCAPED.match(text)
    if found is not None and found.end() < len(text):
        message = "A backslash stands before a sign that it can't stand for: write \\\\ for it, or / in paths, or put "
        message += "single quotes (') around the text."
        raise BadToml(line + text[: found.end()].count("\n"), message)


def _require_flat(depth: int, line: int) -> None:
    if depth > DEEPEST:
        raise BadToml(line, f"More than {DEEPEST} tables or lists stand inside one another here. No design needs that.")


def at(values: Mapping[str, Any], path: Path) -> Any:
    """Return the value at a path. Raises KeyError, IndexError or TypeError if there is none."""
    found: Any = values
    for step in path:
        found = found[step]
    return found
