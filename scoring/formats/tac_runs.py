"""TAC 2008 QA runs: lines of `qid run-tag docid answer-string`, separated by any white space.

    3.1 NISTAssessor1 BLOG06-20060118-000-0010432021 the two-dollar wine

At least one line for each question; the answer-string has no line breaks and ends at the line's; all
answer-strings of a question have at most 7000 non-white-space characters; the run tag is the team's id and
the priority 1, 2 or 3. Besides the codes of `scoring.checks.read_lines`:

    columns                 fewer than four columns
    blank-line              an empty line
    empty-answer            no answer-string, or one of invisible characters alone
    unknown-question        the qid is not in the question file
    missing-question        a question without any line
    unknown-docid           the docid is not in the list of valid ones (checked where there is a list)
    docid-form              the docid is longer than any docid
    answer-length           the answer-strings of a question pass the limit on this line
    duplicate-instance      the same [answer-string, docid] pair again (white space apart): a response is a set
    run-tag-form            the tag is not a team id of letters, digits, . _ - and then 1, 2 or 3
    run-tag-differs         the tag is not that of the first line
    run-tag-mismatch        the tag is not the one that the submission form says
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

from scoring.checks import MAX_LINE_BYTES, PIECE, Line, excerpt, read_lines
from scoring.folding import answer_key, count_characters
from scoring.records import Issue
from scoring.run_tags import TagRule

LENGTH_LIMIT = 7000
MAX_DOCNO_LENGTH = 128
DOCNO_BATCH = 50_000
_TEAM = r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}"
RUN_TAG = re.compile(rf"(?P<team>{_TEAM})(?P<priority>[123])")
_TEAM_WORDS = "at most 40 of the letters A–Z and a–z, digits, “.”, “_” and “-”, a letter or digit in front"
TAGS = TagRule(
    form=RUN_TAG,
    words=f"the team's ID ({_TEAM_WORDS}) and the priority 1, 2 or 3, such as NISTAssessor1",
    team=re.compile(_TEAM),
    team_words=f"{_TEAM_WORDS}, such as NISTAssessor, since run tags are made of it",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunLine:
    """One line of a run: the answer-string stripped of white space at both ends, else as submitted.

    ``no_docno`` is what a line without a docno has in its column, where the format has a word for that.
    """

    line: int
    topic: str
    run: str
    docno: str
    text: str
    no_docno: str = field(default="", compare=False)


def split_tag(tag: str) -> tuple[str, int] | None:
    """The team and the priority that a run tag is made of, or None where it is not.

    >>> split_tag("NISTAssessor1"), split_tag("NISTAssessor")
    (('NISTAssessor', 1), None)
    """
    parts = RUN_TAG.fullmatch(tag)
    return None if parts is None else (parts["team"], int(parts["priority"]))


def parse_run(file: BinaryIO, *, limit: int = MAX_LINE_BYTES) -> Iterator[RunLine | Issue]:
    """The lines of a run, and an issue for each that is none; the rules between lines are `check_run`'s.

    ``limit`` is the most bytes that a line may have.
    """
    for item in read_lines(file, limit=limit):
        if isinstance(item, Issue):
            yield item
        elif item.is_whole:
            yield parse_line(item)


def check_run(
    file: BinaryIO,
    *,
    questions: Collection[str],
    length_limit: int = LENGTH_LIMIT,
    tag: str | None = None,
    unknown_docnos: Callable[[Iterable[str]], set[str]] | None = None,
) -> Iterator[Issue]:
    """Every rule that the run breaks, in file order; what concerns the whole file comes last.

    ``questions`` are the numbers to be answered, in the order in which missing ones are named; ``tag`` is
    what the form says. Goes on after errors. Memory grows with the distinct pairs (40 bytes each), not
    with the length of the lines.
    """
    rules: tuple[Rule, ...] = (
        OneTag(tag),
        LengthLimit(length_limit),
        NoDuplicates(),
        KnownDocnos(unknown_docnos),
    )
    known = KnownQuestions(questions)
    rules = (*rules, known)
    for item in read_lines(file):
        if isinstance(item, Issue):
            yield item
            if item.code in ("encoding-utf16", "compressed-file", "empty-file", "damaged-file"):
                return
            continue
        line = parse_line(item) if item.is_whole else None
        if isinstance(line, RunLine):
            for rule in rules:
                yield from rule.check(line)
            continue
        known.name(item)
        if line is not None:
            yield line
    for rule in rules:
        yield from rule.finish()


class Rule(Protocol):
    """A rule that looks at the lines of one run in order, and then at the end of the file."""

    def check(self, line: RunLine) -> Iterator[Issue]:
        """What this line breaks."""

    def finish(self) -> Iterator[Issue]:
        """What shows only at the end."""


class KnownQuestions:
    """Every qid is a question's, and every question has a line."""

    def __init__(self, questions: Collection[str]) -> None:
        self.expected = dict.fromkeys(questions)
        self.seen: set[str] = set()

    def check(self, line: RunLine) -> Iterator[Issue]:
        """An issue where the qid is unknown."""
        if line.topic in self.expected:
            self.seen.add(line.topic)
        else:
            message = (
                f"There is no question {_quoted(line.topic)}. Use the ids of the question file, such as {self._some()}."
            )
            yield Issue(where=line.line, code="unknown-question", message=message)

    def name(self, line: Line) -> None:
        """A line that is none names its question all the same: what is wrong is said once, of the line."""
        self.seen.update(line.text[:PIECE].split(None, 1)[:1])

    def finish(self) -> Iterator[Issue]:
        """An issue for each question without a line."""
        for number in self.expected:
            if number not in self.seen:
                message = f"Question {number} has no valid line. Every question needs at least one."
                yield Issue(where="", code="missing-question", message=message)

    def _some(self) -> str:
        return next(iter(self.expected), "3.1")


class OneTag:
    """One run tag in the whole file: team id and priority, and what the form says."""

    def __init__(self, expected: str | None) -> None:
        self.expected = expected
        self.first: str | None = None

    def check(self, line: RunLine) -> Iterator[Issue]:
        """An issue for a tag of wrong form (once), or one that differs from the first (each line)."""
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

    def finish(self) -> Iterator[Issue]:
        """Nothing more."""
        yield from ()


class LengthLimit:
    """All answer-strings of a question together have at most so many non-white-space characters."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.lengths: Counter[str] = Counter()

    def check(self, line: RunLine) -> Iterator[Issue]:
        """An issue on the line that passes the limit, once for each question."""
        before = self.lengths[line.topic]
        self.lengths[line.topic] = total = before + count_characters(line.text)
        if before <= self.limit < total:
            message = (
                f"With this line the answers to question {_short(line.topic)} have {total:,} characters that are not "
                f"white space; the limit is {self.limit:,}. Shorten or drop answers."
            )
            yield Issue(where=line.line, code="answer-length", message=message)

    def finish(self) -> Iterator[Issue]:
        """Nothing more."""
        yield from ()


class NoDuplicates:
    """A response is a set: no [answer-string, docid] pair comes twice for a question."""

    def __init__(self) -> None:
        self.lines: dict[bytes, int] = {}

    def first_line(self, line: RunLine) -> int | None:
        """The earlier line that says the same, or None where this one is the first."""
        key = line.topic.encode() + b" " + bytes.fromhex(answer_key(line.text, line.docno))
        first = self.lines.setdefault(key, line.line)
        return None if first == line.line else first

    def check(self, line: RunLine) -> Iterator[Issue]:
        """An issue on each line that repeats an earlier pair."""
        if (first := self.first_line(line)) is not None:
            message = f"The pair of answer-string and docid stands already on line {first:,}. Delete this line."
            yield Issue(where=line.line, code="duplicate-instance", message=message, excerpt=excerpt(line.text))

    def finish(self) -> Iterator[Issue]:
        """Nothing more."""
        yield from ()


class KnownDocnos:
    """Every docid is valid; asked in batches, so that a list of millions is not loaded."""

    def __init__(self, unknown: Callable[[Iterable[str]], set[str]] | None) -> None:
        self.unknown = unknown
        self.first: dict[str, int] = {}
        self.counts: Counter[str] = Counter()

    def check(self, line: RunLine) -> Iterator[Issue]:
        """Issues of a full batch; usually none before the end."""
        if len(line.docno) > MAX_DOCNO_LENGTH:
            message = f"The docid has {len(line.docno):,} characters; check that the columns are in order."
            yield Issue(where=line.line, code="docid-form", message=message, excerpt=excerpt(line.docno))
            return
        self.first.setdefault(line.docno, line.line)
        self.counts[line.docno] += 1
        if len(self.first) >= DOCNO_BATCH:
            yield from self.finish()

    def finish(self) -> Iterator[Issue]:
        """An issue for each unknown docid, at its first line."""
        invalid = self.unknown(self.first) if self.unknown is not None and self.first else set()
        for docno, line in self.first.items():
            if docno in invalid:
                more = self.counts[docno] - 1
                also = f" (also on {more:,} more line{'s' if more > 1 else ''})" if more else ""
                message = f"The document {_quoted(docno)}{also} is not in the collection. Check the docid column."
                yield Issue(where=line, code="unknown-docid", message=message)
        self.first.clear()
        self.counts.clear()


def parse_line(line: Line) -> RunLine | Issue:
    """What a line of four columns says, or why it is none."""
    columns = line.text.split(None, 3)
    if len(columns) == 4 and _is_visible(columns[3]):
        topic, run, docno, text = columns
        return RunLine(line=line.number, topic=topic[:MAX_DOCNO_LENGTH], run=run, docno=docno, text=text.strip())
    if not columns:
        message = "The line is empty. Delete it: an answer-string ends with exactly one line break."
        return Issue(where=line.number, code="blank-line", message=message)
    shown = excerpt(line.text)
    if len(columns) >= 3:
        message = "There is no answer-string after the docid. Add it, or delete the line."
        return Issue(where=line.number, code="empty-answer", message=message, excerpt=shown)
    message = f"The line has {len(columns)} column(s); it needs four: qid run-tag docid answer-string."
    return Issue(where=line.number, code="columns", message=message, excerpt=shown)


def _is_visible(text: str) -> bool:
    """Whether any character leaves a mark; "Cf" and "Mn" (zero-width, combining) and controls do not."""
    return any(not c.isspace() and unicodedata.category(c) not in ("Cf", "Cc", "Mn") for c in text)


def _short(text: str) -> str:
    shown = excerpt(text[:41])
    return shown if len(shown) <= 40 else shown[:39] + "…"


def _quoted(text: str) -> str:
    return f'"{_short(text)}"'
