"""Checks the form of run tags, names a run after its file, and gives a run file another tag."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from scoring.reading.opening import excerpt_of
from scoring.reading.unpacking import PACKINGS
from scoring.records import Issue
from scoring.release.phrases import Phrase

# The form of run tags: the rule of an evaluation if it has one, otherwise the rule for all.
#
# run-tag-form    the tag does not have the required form


@dataclass(frozen=True, kw_only=True, slots=True)
class TagRule:
    """A rule for run tags. ``form`` is the pattern of a tag, and ``words`` describes the pattern, completing the
    sentence "Give the run tag another form: …".

    If tags contain the team's id, ``team`` is the pattern of the id and ``team_words`` describes it; None allows any
    team.
    """

    form: re.Pattern[str]
    words: str
    team: re.Pattern[str] | None = None
    team_words: str = ""

    def allows(self, tag: str) -> bool:
        """Return whether a tag follows the rule."""
        return self.form.fullmatch(tag) is not None

    def carries(self, team: str) -> bool:
        """Return whether this team's id may be part of a tag that follows the rule."""
        return self.team is None or self.team.fullmatch(team) is not None

    def issue(self, tag: str, where: int | str = "") -> Issue:
        """Return the issue that a tag does not follow the rule."""
        message = f"The run tag is “{excerpt_of(tag, length=40)}”. Give it another form: {self.words}."
        return Issue(where=where, code="run-tag-form", message=message)


def letters(most: int) -> TagRule:
    """Return a rule for tags of up to ``most`` letters, digits, ".", "_" and "-". A tag can't begin with a dot, since a
    file with such a name would be hidden.
    """
    words = Phrase(
        "at most {most} of the letters A–Z and a–z, digits, “.”, “_” and “-”, without a dot in front", most=most
    )
    return TagRule(form=re.compile(rf"[A-Za-z0-9_-][A-Za-z0-9._-]{{0,{most - 1}}}"), words=words)


def letter_in_front(most: int) -> Phrase:
    """Return the words for up to ``most`` letters, digits, ".", "_" and "-", the first a letter or digit."""
    return Phrase(
        "at most {most} of the letters A–Z and a–z, digits, “.”, “_” and “-”, a letter or digit in front", most=most
    )


ANY_LENGTH = 20
"""The most letters in a tag if the evaluation sets no limit, as in TREC."""

LONGEST_TAG = 100
"""The longest tag that a setting may allow."""

ANY_TRACK = letters(ANY_LENGTH)
"""The rule for tags if the evaluation has none."""


# Giving a run file another run tag, so that it does not reveal its team. All else stays, byte for byte.

CHUNK = 1 << 20
_MARK = "\ufeff"
_SPACE = re.compile(rb"[ \t\r\n]*")
_SCALAR = re.compile(rb"[^ \t\r\n,\]}]+")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_NEST = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)


def rename_column(file: BinaryIO, name: str, *, column: int) -> Iterator[bytes]:
    r"""Yield the lines with the word in this column (from 1) replaced. Lines with fewer words stay unchanged.

    Lines are split into words in the same way as when runs are read: at any Unicode white space. A byte order mark is
    not part of the first word.

    >>> import io
    >>> b"".join(rename_column(io.BytesIO(b"1 Q0 D-1 1 2.5 mine\n"), "RUN-A", column=6))
    b'1 Q0 D-1 1 2.5 RUN-A\n'
    """
    pattern = re.compile(rf"({_MARK}?\s*(?:\S+\s+){{{column - 1}}})\S+")
    for line in file:
        text = line.decode("utf-8", "surrogateescape")
        found = pattern.match(text)
        renamed = text if found is None else found[1] + name + text[found.end() :]
        yield renamed.encode("utf-8", "surrogateescape")


def rename_members(file: BinaryIO, name: str, *, members: Sequence[str]) -> Iterator[bytes]:
    r"""Yield JSON with the values of the named members replaced, however their names are escaped and wherever they are.

    A value of any type is replaced, except null, which names no run. The file is read in pieces. Nothing inside a text
    is mistaken for a member, since a quotation mark in a text has a backslash before it.

    >>> import io
    >>> run = io.BytesIO(b'{"run_name": "mine", "text": "a \\"run_name\\": \\"mine\\""}')
    >>> b"".join(rename_members(run, "RUN-A", members=("run_name",)))
    b'{"run_name": "RUN-A", "text": "a \\"run_name\\": \\"mine\\""}'
    >>> b"".join(rename_members(io.BytesIO(b'{"run\\u005fname": ["mine"]}'), "RUN-A", members=("run_name",)))
    b'{"run\\u005fname": "RUN-A"}'
    """
    key = re.compile(rb'"(?:%s)"' % b"|".join(map(_spelled, members)))
    longest = 6 * max(map(len, members)) + 2
    put, text, place = b'"' + name.encode() + b'"', _Text(file), 0
    while True:
        found = key.search(text.held, place)
        if found is None:
            safe = max(len(text.held) - longest, place)
            yield text.held[place:safe]
            text.held, place = text.held[safe:], 0
            if not text.read_on():
                yield text.held
                return
            continue
        start = text.after_space(found.end())
        if text.held[start : start + 1] != b":":
            yield text.held[place : found.end()]
            place = found.end()
            continue
        start = text.after_space(start + 1)
        end = text.end_of_value(start)
        yield text.held[place:start]
        yield text.held[start:end] if text.held[start:end] in (b"null", b"") else put
        place = end


def unchanged(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield the file unchanged, for formats that do not name their run."""
    del name
    while piece := file.read(CHUNK):
        yield piece


class _Text:
    """The bytes of a file that is being searched. ``held`` begins with the first byte that has not been passed
    on yet.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.held = file, b""

    def read_on(self) -> bool:
        """Read more bytes, at least as many as there are now, and return whether there were any."""
        piece = self.file.read(max(CHUNK, len(self.held)))
        self.held += piece
        return bool(piece)

    def after_space(self, place: int) -> int:
        """Return the position of the next byte that is not white space."""
        while (place := _match_end(_SPACE, self.held, place)) == len(self.held) and self.read_on():
            pass
        return place

    def end_of_value(self, start: int) -> int:
        """Return where the value that begins at ``start`` ends. This is the end of the file if the value has no end."""
        while (end := _value_end(self.held, start)) is None:
            if not self.read_on():
                return len(self.held)
        return end


def _value_end(held: bytes, start: int) -> int | None:
    """Return the place where a value ends, or None if the bytes read so far do not show it."""
    first = held[start : start + 1]
    if first == b'"':
        found = _STRING.match(held, start)
        return found.end() if found is not None else None
    if first not in (b"[", b"{"):
        end = _match_end(_SCALAR, held, start)
        return end if end < len(held) else None
    depth = 0
    for part in _NEST.finditer(held, start):
        depth += 1 if part[0] in b"[{" else -1 if part[0] in b"]}" else 0
        if not depth:
            return part.end()
    return None


def _match_end(pattern: re.Pattern[bytes], held: bytes, place: int) -> int:
    found = pattern.match(held, place)
    return found.end() if found is not None else place


def _spelled(member: str) -> bytes:
    r"""Return a pattern for a name in every way that JSON may write it: each character plain, or escaped as in
    \u005f.
    """
    return b"".join(rb"(?:%s|\\u(?i:%04x))" % (re.escape(char.encode()), ord(char)) for char in member)


# The name of a run that has no tag, made from its file's name.

SUFFIXES = (*PACKINGS, ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".txt")
"""Suffixes of formats. Nothing else in a name counts as one, since the text after a point may be a setting of the run.
"""


def stem(name: str) -> str:
    """Return a file's name without the suffixes of formats.

    >>> stem("runs/lm-jm_lam0.7.json.gz"), stem("maple.TXT"), stem(".json")
    ('lm-jm_lam0.7', 'maple', '.json')
    """
    found = Path(name).name or name
    while (shorter := next((found[: -len(each)] for each in SUFFIXES if found.lower().endswith(each)), "")) != "":
        found = shorter
    return found
