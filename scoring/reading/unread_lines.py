"""Remembers lines that could not be read, so that a topic in such a line is not reported as missing.

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
    """Remembers the lines of a file that could not be read, as far as issues quote them."""

    def __init__(self, *, columns: bool = False) -> None:
        """If ``columns`` is true, the first word of a line is its topic. Otherwise the topic may be anywhere in the
        line.
        """
        self._columns = columns
        self._texts: list[str] = []
        self._first: set[str] = set()
        self._is_unknown = False

    def add(self, issue: Issue) -> None:
        """Remember the line that an error quotes. Warnings and notes are ignored, since their lines were read.

        If the line contains another kind of line break, it may be several lines, so its topics count as unknown.
        """
        if issue.severity == "error":
            self.add_text("" if issue.code == "line-break" else issue.excerpt)

    def add_text(self, text: str) -> None:
        """Remember the beginning of a line. If the beginning is empty, the line may have contained any topic."""
        if self._columns:
            first = _WORDS.match(text.lstrip())
            self._is_unknown = self._is_unknown or first is None
            self._first.update([first[0]] if first else [])
        else:
            self._is_unknown = self._is_unknown or not text
            self._texts.append(text)

    def missing(self, topics: Iterable[str], answered: Collection[str]) -> list[str]:
        """Return the topics that are certainly missing: not answered, and not in any unread line. The order stays.

        If an unread line shows no topic, it may have contained any of them, so no topic is returned.

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
            named = {topic for topic in asked if _occurs_in(topic, text)}
            if not named:
                return []
            held |= named
        return [topic for topic in left if topic not in held]


def _occurs_in(topic: str, text: str) -> bool:
    return topic in text and re.search(rf"[\"'\s:,]{re.escape(topic)}(?=[\"'\s,}}\]])", text) is not None
