r"""Reads and writes definition questions and their authors' own definitions, in files named as in the AQUAINT pilot.

    questions           qnum question            also "qnum: question"; a tab, blanks or a colon between them
    author_summaries    a line <qnum>, then the definition: paragraphs with an empty line between them

The pilot's guideline does not give the line form of either file. A definition starts at a line <qnum>, "qnum: text" or
"qnum<TAB>text". It also starts at a line that holds only a number, if that line is the first or follows an empty line.
All lines up to the next start belong to the definition. A line that begins with white space starts nothing. The lines
of a paragraph are joined by a space. A qnum has letters, digits, "." "_" "-", and at least one digit.

Questions are written "qnum<TAB>question", or with the separator that they were read with, in the order given, since it
is the order of the assessors' stack. Definitions are written in the first form, with lines <qnum>. Inside texts a
backslash and control characters are written \\ \t \n \uXXXX.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from scoring.file_kinds import COLUMNS, TAGGED, ColumnLayout, reads
from scoring.formats.pool_tables import escape_column, topic_order, unescape_column
from scoring.formats.spec import Format, duplicate_issue, short, value_issue
from scoring.reading.opening import STOPPED, excerpt_of, records_of, text_lines
from scoring.records import Issue

QNUM = r"(?=[A-Za-z._-]*[0-9])[A-Za-z0-9._-]{1,40}"
OUTSIDE = 250_000
"""The number of lines outside of definitions after which reading stops."""
SUMMARY_LIMIT = 200_000
"""The most characters in one definition: a hundred pages, so a longer file is of the wrong kind."""

_NUMBER = re.compile(QNUM)
_QUESTION = re.compile(r"\s*([^\s:]+)\s*(?::\s*|\s)\s*(\S.*)")
_START = re.compile(rf"<({QNUM})>\s*(.*)|({QNUM})(?::(?:\s+|$)|\t\s*)(.*)")
_TAKES = ColumnLayout(
    layout="qnum question",
    holds={"qnum": re.compile(rf"{QNUM}:?")},
    usually={"question": re.compile(r"(?![0-9]|Q0\s)\S(?=[^\t]* )[^\t]++")},
    ends_in_text=True,
)
_ALONE = re.compile(rf"({QNUM})\s*")


@dataclass(frozen=True, kw_only=True, slots=True)
class DefinitionQuestion:
    """A question such as "Who is Colin Powell?". ``between`` is the separator between its number and its text in the
    file.
    """

    number: str
    text: str
    between: str = field(default="\t", compare=False)
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class AuthorSummary:
    """The definition that a question's author wrote; its paragraphs are separated by one empty line."""

    topic: str
    text: str
    line: int | None = field(default=None, compare=False)


@reads("topics", takes=_TAKES)
def read_definition_questions(file: BinaryIO) -> Iterator[DefinitionQuestion | Issue]:
    """Yield the questions in file order. A question that is repeated or has no text is an issue."""
    seen: set[str] = set()

    def parse(line: int, text: str) -> DefinitionQuestion | Issue:
        number, tab, question = text.partition("\t")
        if not tab or not number.strip() or not question.strip():
            found = _QUESTION.fullmatch(text)
            if found is None:
                message = "The line is no question. Write its number, a tab and the question: 1<TAB>Who is …?"
                return Issue(where=line, code="columns", message=message, excerpt=excerpt_of(text))
            number, question = found[1], found[2]
        number, question = number.strip().removesuffix(":"), question.strip()
        between = text.strip()[len(number) : -len(question)]
        if not _NUMBER.fullmatch(number):
            message = f'The number is {short(number)}; it may have letters, digits, "." "_" "-", and needs a digit.'
            return value_issue(line, text, message)
        if number in seen:
            return duplicate_issue(line, text, f"Question {number}")
        seen.add(number)
        return DefinitionQuestion(number=number, text=unescape_column(question), between=between, line=line)

    yield from records_of(file, parse)
    if not seen:
        yield Issue(where="", code="no-questions", message="There is no question in the file. Choose another file.")


def write_definition_questions(records: Iterable[DefinitionQuestion]) -> Iterator[str]:
    """Yield a line for each question, in the order given."""
    for record in records:
        yield f"{record.number}{record.between}{escape_column(record.text)}"


@reads("topics", forms=COLUMNS | TAGGED)
def read_author_summaries(file: BinaryIO) -> Iterator[AuthorSummary | Issue]:
    """Yield the definitions in file order. Yield an issue for text before the first number, a number without text, and
    a repeated number.
    """
    reader = _Summaries()
    for each in text_lines(file):
        if isinstance(each, Issue):
            reader.lost = True
            yield each
        else:
            yield from reader.take(*each)
            if reader.outside > OUTSIDE:
                yield _stop(each[0])
                return
    yield from reader.finish()


def _stop(line: int) -> Issue:
    message = (
        f"{OUTSIDE:,} lines belong to no definition. Nothing after this line was read; check that it is the right file."
    )
    return Issue(where=line, code=STOPPED, message=message)


def write_author_summaries(records: Iterable[AuthorSummary]) -> Iterator[str]:
    """Yield the definitions sorted by question, each after its number, with an empty line between paragraphs."""
    for place, record in enumerate(sorted(records, key=lambda r: (topic_order(r.topic), r.text))):
        if place:
            yield ""
        yield f"<{record.topic}>"
        for which, paragraph in enumerate(record.text.split("\n\n")):
            if which:
                yield ""
            written = escape_column(paragraph)
            yield f" {written}" if _START.fullmatch(written) or _ALONE.fullmatch(written) else written


class _Summaries:
    """Takes the lines of author_summaries one by one and yields each definition once it is complete."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.topic: str | None = None
        self.line = 0
        self.paragraphs: list[list[str]] = []
        self.size = 0
        self.after_blank = True
        self.outside = 0
        self.lost = False  # whether an issue was reported that may explain missing text

    def take(self, line: int, text: str) -> Iterator[AuthorSummary | Issue]:
        """Take one line; yield the definition that it ends, if any, and what is wrong with the line."""
        blank = not text.strip()
        start = None if blank or text[0].isspace() else self._start(text)
        if start is not None:
            yield from self._end()
            yield from self._begin(line, start[0])
            text = start[1]
        if not text.strip():
            self.paragraphs.append([])
        elif self.topic is not None:
            self._keep(text)
            if self.size > SUMMARY_LIMIT:
                message = f"The definition of {self.topic} has more than {SUMMARY_LIMIT:,} characters. Check the file."
                yield Issue(where=self.line, code="summary-too-long", message=message)
                self.topic, self.lost = None, True
        elif self.lost:
            self.outside += 1
        else:
            self.lost = True
            message = "There is text before any question's number. Write the number in a line of its own: <1>."
            yield Issue(where=line, code="no-number", message=message, excerpt=excerpt_of(text))
        self.after_blank = blank

    def finish(self) -> Iterator[AuthorSummary | Issue]:
        """Yield the last definition, or an issue if the file had none at all."""
        yield from self._end()
        if not self.seen:
            message = "There is no definition in the file. Start each with its question's number: <1>."
            yield Issue(where="", code="no-summaries", message=message)

    def _start(self, text: str) -> tuple[str, str] | None:
        """Return the number that the line starts with and the text after it; None if the line continues a
        definition.
        """
        if found := _START.fullmatch(text):
            return (found[1] or found[3], found[2] or found[4] or "")
        if self.after_blank and (found := _ALONE.fullmatch(text)):
            return found[1], ""
        return None

    def _begin(self, line: int, topic: str) -> Iterator[Issue]:
        self.line, self.paragraphs, self.size, self.lost = line, [[]], 0, False
        if topic in self.seen:
            self.topic, self.lost = None, True
            yield duplicate_issue(line, f"<{topic}>", f"The definition of {topic}")
            return
        self.seen.add(topic)
        self.topic = topic

    def _keep(self, text: str) -> None:
        if not self.paragraphs:
            self.paragraphs.append([])
        kept = unescape_column(" ".join(text.split()))
        self.paragraphs[-1].append(kept)
        self.size += len(kept) + 1

    def _end(self) -> Iterator[AuthorSummary | Issue]:
        if self.topic is None:
            return
        text = "\n\n".join(" ".join(lines) for lines in self.paragraphs if lines)
        if text:
            yield AuthorSummary(topic=self.topic, text=text, line=self.line)
        elif not self.lost:
            message = f"Nothing follows the number {self.topic}. Add its definition, or delete the line."
            yield Issue(where=self.line, code="empty-summary", message=message)
        self.topic = None


FORMATS = (
    Format(
        name="definition-questions", label="Definition questions", source="AQUAINT definition pilot",
        layout="qnum question", record=DefinitionQuestion,
        read=read_definition_questions, write=write_definition_questions,
    ),
    Format(
        name="author-summaries", label="Definitions by the questions' authors", source="AQUAINT definition pilot",
        layout="<qnum>, then paragraphs", record=AuthorSummary,
        read=read_author_summaries, write=write_author_summaries,
    ),
)  # fmt: skip
