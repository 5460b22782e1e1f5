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

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import BinaryIO

from scoring.file_kinds import DOCNO, RUN_NAME, ColumnLayout, reads
from scoring.formats.tac_columns import MAX_DOCNO_LENGTH, RunLine, columns_of, is_visible
from scoring.formats.tac_run_rules import KnownDocnos, KnownQuestions, LengthLimit, NoDuplicates, OneTag, Rule
from scoring.reading.line_checks import FOREIGN, MAX_LINE_BYTES, Line, excerpt, read_lines
from scoring.reading.line_pieces import Piece, plain_pieces
from scoring.reading.opening import first_record
from scoring.records import Issue
from scoring.wording import counted

LENGTH_LIMIT = 7000
_TAKES = ColumnLayout(
    layout="qid run-tag docid answer-string", usually={"run-tag": RUN_NAME, "docid": DOCNO}, ends_in_text=True
)


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
