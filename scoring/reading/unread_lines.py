"""The content of lines that could not be read, so that nothing is called missing that is there and broken.

unread = UnreadLines()
unread.add(issue)                                   # each error of a line that gave no record
unread.missing(topics, answered)                    # the topics that are in no line, read or not
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from scoring.records import Issue

_WORDS = re.compile(r"[^\s→]+")


class UnreadLines:
    """The lines of a file that could not be read, as far as issues show them."""

    def __init__(self, *, columns: bool = False) -> None:
        """With ``columns`` the first word of a line is its topic; else a topic may stand anywhere in it."""
        self._columns = columns
        self._texts: list[str] = []
        self._first: set[str] = set()
        self._is_unknown = False

    def add(self, issue: Issue) -> None:
        """Remember what the line of an error shows; warnings and notes leave a line as it was read.

        Of one that may be several lines, since there is another break in it, nothing is known.
        """
        if issue.severity == "error":
            self.add_text("" if issue.code == "line-break" else issue.excerpt)

    def add_text(self, text: str) -> None:
        """Remember the beginning of a line. Where there is nothing of it, any topic may have stood there."""
        if self._columns:
            first = _WORDS.match(text.lstrip())
            self._is_unknown = self._is_unknown or first is None
            self._first.update([first[0]] if first else [])
        else:
            self._is_unknown = self._is_unknown or not text
            self._texts.append(text)

    def missing(self, topics: Iterable[str], answered: Collection[str]) -> list[str]:
        """Return the topics without an answer that no unread line can have held, in the order given.

        An unread line in which no topic is found may have held any, and then none is said to be missing.

        >>> unread = UnreadLines(columns=True)
        >>> unread.add_text("1 Q0 a 1 3,5 r")
        >>> unread.missing(["1", "2", "3"], {"2"})
        ['3']
        """
        asked = list(topics)
        left = [topic for topic in asked if topic not in answered]
        if self._is_unknown or not left:
            return []
        if self._columns:
            return [topic for topic in left if topic not in self._first]
        held: set[str] = set()
        for text in self._texts:
            named = {topic for topic in asked if _stands_in(topic, text)}
            if not named:
                return []
            held |= named
        return [topic for topic in left if topic not in held]


def _stands_in(topic: str, text: str) -> bool:
    return topic in text and re.search(rf"[\"'\s:,]{re.escape(topic)}(?=[\"'\s,}}\]])", text) is not None
