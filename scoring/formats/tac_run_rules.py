"""The rules of TAC 2008 QA runs about several lines, each checked line by line or for many lines at a time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Protocol

from scoring.folding import count_characters, fold_answer
from scoring.formats.tac_columns import MAX_DOCNO_LENGTH, Columns, RunLine
from scoring.reading.line_checks import PIECE, Line, excerpt
from scoring.reading.plain_names import KnownNames
from scoring.records import Issue
from scoring.release.phrases import Phrase
from scoring.run_tags import TagRule, letter_in_front

DOCNO_BATCH = 50_000
_TEAM = r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}"
RUN_TAG = re.compile(rf"(?P<team>{_TEAM})(?P<priority>[123])")
_TEAM_WORDS = letter_in_front(40)
TAGS = TagRule(
    form=RUN_TAG,
    words=Phrase("the team's ID ({form}) and the priority 1, 2 or 3, such as NISTAssessor1", form=_TEAM_WORDS),
    team=re.compile(_TEAM),
    team_words=Phrase("{form}, such as NISTAssessor, since run tags are made of it", form=_TEAM_WORDS),
)


def split_tag(tag: str) -> tuple[str, int] | None:
    """Return (team, priority) for a run tag, or None if the tag does not consist of these two.

    >>> split_tag("NISTAssessor1"), split_tag("NISTAssessor")
    (('NISTAssessor', 1), None)
    """
    parts = RUN_TAG.fullmatch(tag)
    return None if parts is None else (parts["team"], int(parts["priority"]))


class Rule(Protocol):
    """A rule that checks the lines of one run in order, and then the end of the file."""

    def check(self, line: RunLine) -> Iterator[Issue]:
        """Yield the issues of this line."""

    def allows(self, lines: Columns) -> bool:
        """Return whether all of these lines follow the rule and need no check one by one."""

    def take(self, lines: Columns) -> None:
        """Record these valid lines, with the same effect as `check` for each of them."""

    def finish(self) -> Iterator[Issue]:
        """Yield the issues that are known only at the end."""


class KnownQuestions:
    """Requires that each qid is the number of a question, and that each question has at least one line."""

    def __init__(self, questions: Collection[str]) -> None:
        self.expected = dict.fromkeys(questions)
        self.names = KnownNames(self.expected)
        self.seen: set[str] = set()

    def check(self, line: RunLine) -> Iterator[Issue]:
        """Yield an issue if the qid is unknown."""
        if line.topic in self.expected:
            self.seen.add(line.topic)
        else:
            advice = f"Use the ids of the question file, such as {self._some()}."
            message = self.names.lacks("question", line.topic, advice)
            yield Issue(where=line.line, code="unknown-question", message=message)

    def allows(self, lines: Columns) -> bool:
        """Return whether every question that these lines answer is known."""
        return self.expected.keys() >= lines.lengths.keys()

    def take(self, lines: Columns) -> None:
        """Record that these questions have lines."""
        self.seen.update(lines.lengths)

    def name(self, line: Line) -> None:
        """Record the question of a malformed line, so that the question is not reported as missing."""
        self.seen.update(line.text[:PIECE].split(None, 1)[:1])

    def finish(self) -> Iterator[Issue]:
        """Yield an issue for each question without a line."""
        for number in self.expected:
            if number not in self.seen:
                message = f"Question {number} has no valid line. Every question needs at least one."
                yield Issue(where="", code="missing-question", message=message)

    def _some(self) -> str:
        return next(iter(self.expected), "3.1")


class OneTag:
    """Requires that all lines have the same run tag: a team id and a priority. If the submission form gives a tag, the
    run must have that one.
    """

    def __init__(self, expected: str | None) -> None:
        self.expected = expected
        self.first: str | None = None

    def check(self, line: RunLine) -> Iterator[Issue]:
        """Yield an issue if the tag of the first line is malformed or differs from the submission form. Yield an issue
        for each later line that has another tag.
        """
        if self.first is None:
            self.first = line.run
            if split_tag(line.run) is None:
                yield TAGS.issue(line.run, line.line)
            if self.expected and line.run != self.expected:
                message = f"The run tag is {_quoted(line.run)}, but the form says {_quoted(self.expected)}. Change one."
                yield Issue(where=line.line, code="run-tag-mismatch", message=message)
        elif line.run != self.first:
            message = f"The run tag is {_quoted(line.run)}, but the first line has {_quoted(self.first)}. Use one tag."
            yield Issue(where=line.line, code="run-tag-differs", message=message)

    def allows(self, lines: Columns) -> bool:
        """Return whether all lines have the tag of the file's first line. If these come first, it must be a valid tag
        and, if one is expected, that one.
        """
        run = lines.runs[0]
        is_sound = self.first == run or (self.first is None and split_tag(run) is not None)
        return is_sound and set(lines.runs) == {run} and (self.first is not None or run == (self.expected or run))

    def take(self, lines: Columns) -> None:
        """Record the tag."""
        self.first = lines.runs[0]

    def finish(self) -> Iterator[Issue]:
        """Yield nothing: this rule has no issue at the end."""
        yield from ()


class LengthLimit:
    """Limits the number of characters, white space not counted, in all answer-strings of a question together."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.lengths: Counter[str] = Counter()

    def check(self, line: RunLine) -> Iterator[Issue]:
        """Yield an issue on the line that exceeds the limit, once for each question."""
        before = self.lengths[line.topic]
        self.lengths[line.topic] = total = before + count_characters(line.text)
        if before <= self.limit < total:
            message = (
                f"With this line the answers to question {_short(line.topic)} have {total:,} characters that are not "
                f"white space; the limit is {self.limit:,}. Shorten or drop answers."
            )
            yield Issue(where=line.line, code="answer-length", message=message)

    def allows(self, lines: Columns) -> bool:
        """Return whether no question exceeds the limit in these lines."""
        before = self.lengths
        return not any(before[topic] <= self.limit < before[topic] + more for topic, more in lines.lengths.items())

    def take(self, lines: Columns) -> None:
        """Add the lengths."""
        self.lengths.update(lines.lengths)

    def finish(self) -> Iterator[Issue]:
        """Yield nothing: this rule has no issue at the end."""
        yield from ()


class NoDuplicates:
    """Requires that a response is a set: no [answer-string, docid] pair is repeated for a question.

    Pairs are compared by 64-bit hashes. In files of a million pairs, two are confused once in 30 million files.
    """

    def __init__(self) -> None:
        self.keys: set[int] = set()
        self.lines: dict[int, int] = {}
        self.pieces: list[tuple[int, list[int]]] = []  # (number of the first line, keys) of pieces not yet in `lines`

    def first_line(self, line: RunLine) -> int | None:
        """Return the earlier line with the same pair, or None if this line is the first."""
        for number, keys in self.pieces:
            self.lines.update(zip(keys, range(number, number + len(keys)), strict=True))
        self.pieces.clear()
        key = hash((line.topic, fold_answer(line.text), line.docno))
        self.keys.add(key)
        first = self.lines.setdefault(key, line.line)
        return None if first == line.line else first

    def check(self, line: RunLine) -> Iterator[Issue]:
        """Yield an issue on each line that repeats an earlier pair."""
        if (first := self.first_line(line)) is not None:
            message = f"The pair of answer-string and docid stands already on line {first:,}. Delete this line."
            yield Issue(where=line.line, code="duplicate-instance", message=message, excerpt=excerpt(line.text))

    def allows(self, lines: Columns) -> bool:
        """Return whether these lines repeat no earlier pair and no pair among themselves."""
        keys = set(lines.keys)
        return len(keys) == len(lines.keys) and self.keys.isdisjoint(keys)

    def take(self, lines: Columns) -> None:
        """Record the line of each pair."""
        self.keys.update(lines.keys)
        self.pieces.append((lines.number, lines.keys))

    def finish(self) -> Iterator[Issue]:
        """Yield nothing: this rule has no issue at the end."""
        yield from ()


class KnownDocnos:
    """Requires that every docid is valid. Docids are looked up in batches, so that a list of millions is not loaded."""

    def __init__(self, unknown: Callable[[Iterable[str]], set[str]] | None) -> None:
        self.unknown = unknown
        self.waiting: set[str] = set()
        self.pieces: list[tuple[int, str]] = []  # (number of the first line, docids from it on)

    def check(self, line: RunLine) -> Iterator[Issue]:
        """Yield an issue if the docid is too long, and the issues of a batch once it is full. In most runs no batch is
        full before the end.
        """
        if len(line.docno) > MAX_DOCNO_LENGTH:
            message = f"The docid has {len(line.docno):,} characters; check that the columns are in order."
            yield Issue(where=line.line, code="docid-form", message=message, excerpt=excerpt(line.docno))
            return
        self.waiting.add(line.docno)
        self.pieces.append((line.line, line.docno))
        if len(self.waiting) >= DOCNO_BATCH:
            yield from self.finish()

    def allows(self, lines: Columns) -> bool:
        """Return whether every docid has an allowed length and the batch has room for all these lines."""
        docnos = lines.distinct_docnos
        return max(map(len, docnos)) <= MAX_DOCNO_LENGTH and len(self.waiting) + len(docnos) < DOCNO_BATCH

    def take(self, lines: Columns) -> None:
        """Record the docids of these lines."""
        self.waiting |= lines.distinct_docnos
        self.pieces.append((lines.number, "\n".join(lines.docnos)))

    def finish(self) -> Iterator[Issue]:
        """Yield an issue for each unknown docid, at its first line."""
        invalid = self.unknown(self.waiting) if self.unknown is not None and self.waiting else set()
        first: dict[str, int] = {}
        counts: Counter[str] = Counter()
        for number, docnos in self.pieces if invalid else ():
            for line, docno in enumerate(docnos.split("\n"), number):
                if docno in invalid:
                    first.setdefault(docno, line)
                    counts[docno] += 1
        for docno, line in first.items():
            more = counts[docno] - 1
            also = f" (also on {more:,} more line{'s' if more > 1 else ''})" if more else ""
            message = f"The document {_quoted(docno)}{also} is not in the collection. Check the docid column."
            yield Issue(where=line, code="unknown-docid", message=message)
        self.waiting.clear()
        self.pieces.clear()


def _short(text: str) -> str:
    shown = excerpt(text[:41])
    return shown if len(shown) <= 40 else shown[:39] + "…"


def _quoted(text: str) -> str:
    return f'"{_short(text)}"'
