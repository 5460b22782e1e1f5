"""Checks TAC 2008 QA runs: lines of `qid run-tag docid answer-string`, separated by any white space.

    3.1 NISTAssessor1 BLOG06-20060118-000-0010432021 the two-dollar wine

Each question needs at least one line. The answer-string has no line breaks and ends with the line. All answer-strings
of a question together have at most 7000 characters that are not white space. The run tag is the team's id followed by
the priority 1, 2 or 3. Codes beside those of `scoring.reading.line_checks.read_lines`:

    columns                 fewer than four columns
    blank-line              an empty line
    empty-answer            no answer-string, or one of invisible characters alone
    unknown-question        the qid is not in the question file
    missing-question        a question without any line
    unknown-docid           the docid is not in the list of valid ones (checked if there is a list)
    docid-form              the docid is longer than any docid
    answer-length           the answer-strings of a question pass the limit on this line
    duplicate-instance      the same [answer-string, docid] pair again (white space apart): a response is a set
    run-tag-form            the tag is not a team id of letters, digits, . _ - and then 1, 2 or 3
    run-tag-differs         the tag is not that of the first line
    run-tag-mismatch        the tag is not the one that the submission form says
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

from scoring.file_kinds import DOCNO, RUN_NAME, ColumnLayout, reads
from scoring.folding import count_characters, fold_answer
from scoring.formats.tac_columns import MAX_DOCNO_LENGTH, Columns, columns_of, is_visible
from scoring.reading.line_checks import FOREIGN, MAX_LINE_BYTES, PIECE, Line, excerpt, read_lines
from scoring.reading.line_pieces import Piece, plain_pieces
from scoring.reading.opening import first_record
from scoring.reading.plain_names import KnownNames
from scoring.records import Issue
from scoring.release.phrases import Phrase
from scoring.run_tags import TagRule, letter_in_front
from scoring.wording import counted

LENGTH_LIMIT = 7000
DOCNO_BATCH = 50_000
_TAKES = ColumnLayout(
    layout="qid run-tag docid answer-string", usually={"run-tag": RUN_NAME, "docid": DOCNO}, ends_in_text=True
)
_TEAM = r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}"
RUN_TAG = re.compile(rf"(?P<team>{_TEAM})(?P<priority>[123])")
_TEAM_WORDS = letter_in_front(40)
TAGS = TagRule(
    form=RUN_TAG,
    words=Phrase("the team's ID ({form}) and the priority 1, 2 or 3, such as NISTAssessor1", form=_TEAM_WORDS),
    team=re.compile(_TEAM),
    team_words=Phrase("{form}, such as NISTAssessor, since run tags are made of it", form=_TEAM_WORDS),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunLine:
    """One line of a run. White space around the answer-string is removed; otherwise it is as submitted.

    ``no_docno`` is the text in the docno column if the line has no docno and the format defines what stands for one.
    """

    line: int
    topic: str
    run: str
    docno: str
    text: str
    no_docno: str = field(default="", compare=False)


def split_tag(tag: str) -> tuple[str, int] | None:
    """Return (team, priority) for a run tag, or None if the tag does not consist of these two.

    >>> split_tag("NISTAssessor1"), split_tag("NISTAssessor")
    (('NISTAssessor', 1), None)
    """
    parts = RUN_TAG.fullmatch(tag)
    return None if parts is None else (parts["team"], int(parts["priority"]))


@reads("answers", takes=_TAKES)
def parse_run(file: BinaryIO, *, limit: int = MAX_LINE_BYTES) -> Iterator[RunLine | Issue]:
    """Yield the lines of a run, and an issue for each malformed line. Rules about several lines are checked only by
    `check_run`.

    ``limit`` is the largest number of bytes that a line may have.
    """
    for item in read_lines(file, limit=limit):
        if isinstance(item, Issue):
            yield item
        elif item.is_whole:
            yield parse_line(item)


def tag_of_run(file: BinaryIO) -> str | None:
    """Return the run tag of the first valid line, or None if there is none."""
    line = first_record(parse_run(file))
    return line.run if line is not None else None


@reads("answers", takes=_TAKES)
def check_run(
    file: BinaryIO,
    *,
    questions: Collection[str],
    length_limit: int = LENGTH_LIMIT,
    tag: str | None = None,
    unknown_docnos: Callable[[Iterable[str]], set[str]] | None = None,
) -> Iterator[Issue]:
    """Yield an issue for every rule that the run breaks, in file order; problems of the whole file come last.

    ``questions`` are the numbers of the questions to answer; missing ones are reported in this order. ``tag`` is the
    tag given in the submission form. The check continues after errors. Each distinct pair takes 40 bytes of memory,
    however long the lines are. Lines are checked many at a time, and one by one where that is needed.
    """
    rules = (
        OneTag(tag),
        LengthLimit(length_limit),
        NoDuplicates(),
        KnownDocnos(unknown_docnos),
        KnownQuestions(questions),
    )
    for piece in plain_pieces(file):
        if isinstance(piece, Piece):
            columns = columns_of(piece)
            if columns is None or not all(rule.allows(columns) for rule in rules):
                for number, text in enumerate(piece.lines, start=piece.number):
                    yield from _check_line(Line(number, text), rules)
                continue
            for rule in rules:
                rule.take(columns)
            continue
        for item in read_lines(piece.file, after=piece.lines, offset=piece.offset):
            if isinstance(item, Issue):
                yield item
                if item.code in FOREIGN:
                    return
                continue
            yield from _check_line(item, rules)
    for rule in rules:
        yield from rule.finish()


def _check_line(item: Line, rules: Iterable[Rule]) -> Iterator[Issue]:
    line = parse_line(item) if item.is_whole else None
    if isinstance(line, RunLine):
        for rule in rules:
            yield from rule.check(line)
        return
    for rule in rules:
        if isinstance(rule, KnownQuestions):
            rule.name(item)
    if line is not None:
        yield line


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
    """Requires that all lines have the same run tag, that it consists of team id and priority, and that it equals the
    tag in the form.
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


def parse_line(line: Line) -> RunLine | Issue:
    """Return the four columns of a line, or the issue that says why it can't be split into them."""
    columns = line.text.split(None, 3)
    if len(columns) == 4 and is_visible(columns[3]):
        topic, run, docno, text = columns
        return RunLine(line=line.number, topic=topic[:MAX_DOCNO_LENGTH], run=run, docno=docno, text=text.strip())
    if not columns:
        message = "The line is empty. Delete it: an answer-string ends with exactly one line break."
        return Issue(where=line.number, code="blank-line", message=message)
    shown = excerpt(line.text)
    if len(columns) >= 3:
        message = "There is no answer-string after the docid. Add it, or delete the line."
        return Issue(where=line.number, code="empty-answer", message=message, excerpt=shown)
    message = f"The line has {counted(len(columns), 'column')}; it needs four: qid run-tag docid answer-string."
    return Issue(where=line.number, code="columns", message=message, excerpt=shown)


def _short(text: str) -> str:
    shown = excerpt(text[:41])
    return shown if len(shown) <= 40 else shown[:39] + "…"


def _quoted(text: str) -> str:
    return f'"{_short(text)}"'
