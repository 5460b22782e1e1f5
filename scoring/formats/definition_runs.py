"""Reads and writes runs of the AQUAINT definition pilot: one participant's run, and the published file of all runs
together.

    run       qnum run docid answer-text        one run; the order of a question's lines is that of their importance
    Q.<n>     the same lines of all runs for question n; a line of asterisks separates runs

    1 A APW19990101.0001 the first woman to …

A run without document ids writes a string of X's (XXXXXXXX) in their place. It is read as an empty docid and written
back unchanged; a docid that was never written becomes sixteen X's. Neither the length nor the number of snippets is
limited: a line may be as long as a whole run file (`TEXT_LIMIT`). A file may hold several questions, one after the
other. Codes beside those of `scoring.reading.line_checks.read_lines`, and `columns`, `empty-answer`, `blank-line`,
`unknown-question`, `unknown-docid`, `docid-form` of TAC 2008 QA runs:

    run-tag-form            the tag is longer than 40 characters or holds others than letters, digits, . _ -
    run-tag-differs         the tag is not that of the first line
    run-tag-mismatch        the tag is not the one that the submission form says
    separator               a line of asterisks in a run file, which holds one run
    run-split               (Q.<n>) lines of a run and question after those of another: they must be contiguous
    duplicate-snippet       (warning) the same text and docid again for a question: it only costs length
    missing-question        (warning) a question without any line: its response is empty
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import BinaryIO

from scoring.file_kinds import DOCNO, RUN_NAME, ColumnLayout, reads
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.formats.tac_columns import RunLine
from scoring.formats.tac_run_rules import KnownDocnos, KnownQuestions, NoDuplicates
from scoring.formats.tac_runs import parse_line
from scoring.reading.line_checks import FOREIGN, excerpt, read_lines
from scoring.reading.opening import TEXT_LIMIT
from scoring.reading.sorting import sorted_externally
from scoring.records import Issue, ResponseItem
from scoring.run_tags import TagRule, letter_in_front

SEPARATOR = "**************"
NO_DOCNO = "X" * 16

_BUNDLE = ColumnLayout(layout="qnum run docid answer-text", usually={"docid": DOCNO}, ends_in_text=True)
_TAKES = ColumnLayout(layout="qnum run docid answer-text", usually={"run": RUN_NAME, "docid": DOCNO}, ends_in_text=True)
_ASTERISKS = re.compile(r"\s*\*{3,}\s*")
_NO_DOCNO = re.compile(r"X{2,}")
TAGS = TagRule(
    form=re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}"),
    words=letter_in_front(40),
)


def is_separator(text: str) -> bool:
    """Return whether a line is a string of asterisks.

    >>> is_separator("*****"), is_separator("1 * vital")
    (True, False)
    """
    return _ASTERISKS.fullmatch(text) is not None


def docno_of(column: str) -> str:
    """Return the docno in a column, or "" if the column is a string of X's.

    >>> docno_of("XXXXXXXX"), docno_of("XIE19990101.0001")
    ('', 'XIE19990101.0001')
    """
    return "" if _NO_DOCNO.fullmatch(column) else column


def crossed_out_docno(column: str) -> str:
    """Return the string of X's in a column, or "" if the column is a docno.

    >>> crossed_out_docno("XXXX"), crossed_out_docno("XIE19990101.0001")
    ('XXXX', '')
    """
    return "" if docno_of(column) else column


def docno_column(docno: str, no_docno: str = "") -> str:
    """Return the column for a docno. Without a docno, return ``no_docno`` if it is a string of X's, otherwise sixteen
    X's.

    >>> docno_column("D1", ""), docno_column("", "XXXX"), docno_column("", "")
    ('D1', 'XXXX', 'XXXXXXXXXXXXXXXX')
    """
    return docno or (no_docno if _NO_DOCNO.fullmatch(no_docno) else NO_DOCNO)


@reads("answers", takes=_TAKES)
def parse_definition_run(file: BinaryIO) -> Iterator[RunLine | Issue]:
    """Return the lines of one run, with "" for a docno of X's, and an issue for each malformed line. Lines of asterisks
    are left out.
    """
    return (line for line in _lines(file) if not isinstance(line, int))


@reads("answers", takes=_TAKES)
def check_definition_run(
    file: BinaryIO,
    *,
    questions: Collection[str],
    tag: str | None = None,
    unknown_docnos: Callable[[Iterable[str]], set[str]] | None = None,
) -> Iterator[Issue]:
    """Yield an issue for every rule that the run breaks, in file order; problems of the whole file come last."""
    known, docnos = KnownQuestions(questions), KnownDocnos(unknown_docnos)
    tags, once = _OneTag(tag), _Once()
    number = 0
    for line in _lines(file):
        if isinstance(line, Issue):
            yield line
            if line.code in FOREIGN:
                return
        elif isinstance(line, int):
            message = "A line of asterisks stands between runs, but a run file holds one. Delete it, or split the file."
            yield Issue(where=line, code="separator", message=message)
            return
        else:
            number = line.line
            yield from tags.check(line)
            yield from once.check(line)
            if line.docno:
                yield from docnos.check(line)
            yield from known.check(line)
    yield from docnos.finish()
    for issue in known.finish():
        message = issue.message.replace("Every question needs at least one.", "The response to it counts as empty.")
        yield replace(issue, severity="warning", message=message)
    if not number:
        yield Issue(where="", code="no-answers", message="No line of the file is an answer. Choose another file.")


@reads("answers", takes=_BUNDLE)
def read_bundle(file: BinaryIO) -> Iterator[ResponseItem | Issue]:
    """Yield the strings of all runs, numbered from 1 within each question and run. A run whose lines are not contiguous
    is an issue.
    """
    ended: set[tuple[str, str]] = set()
    counts: Counter[tuple[str, str]] = Counter()
    now: tuple[str, str] | None = None
    found = False
    for line in _lines(file):
        if isinstance(line, int):
            ended |= {now} if now is not None else set()
            now = None
        elif isinstance(line, Issue):
            found = found or line.code in FOREIGN
            if line.code != "blank-line":
                yield line
        else:
            found = True
            key = (line.topic, line.run)
            if key != now:
                ended |= {now} if now is not None else set()
                if key in ended:
                    message = f"Run {excerpt(line.run)} came before already. Put its lines for a question together."
                    yield Issue(where=line.line, code="run-split", message=message)
                now = key
            counts[key] += 1
            yield ResponseItem(
                topic=line.topic,
                run=line.run,
                item=counts[key],
                docno=line.docno,
                text=line.text,
                no_docno=line.no_docno,
            )
    if not found:
        yield Issue(where="", code="no-answers", message="No line of the file is an answer. Choose another file.")


def write_bundle(records: Iterable[ResponseItem]) -> Iterator[str]:
    """Yield lines sorted by question, run and item, with a line of asterisks between runs. Texts are written on a
    single line.
    """
    before: tuple[str, str] | None = None
    for r in sorted_externally(records, key=lambda r: (topic_order(r.topic), r.run, r.item, r.docno, r.text)):
        if before not in (None, (r.topic, r.run)):
            yield SEPARATOR
        before = (r.topic, r.run)
        yield f"{r.topic} {r.run} {docno_column(r.docno, r.no_docno)} {' '.join(r.text.splitlines())}"


def split_bundle(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (question, line) for each line of a bundle; its first word is the number of the question.

    A line of asterisks is yielded only between two runs that answer the same question.
    """
    now, between = "", False
    for line in lines:
        if is_separator(line):
            between = True
            continue
        question = line.split(None, 1)[0]
        if between and question == now:
            yield now, SEPARATOR
        now, between = question, False
        yield question, line


def _lines(file: BinaryIO) -> Iterator[RunLine | Issue | int]:
    """Yield the lines and the issues of a file. For a line of asterisks, only its line number is yielded."""
    for item in read_lines(file, limit=TEXT_LIMIT):
        if isinstance(item, Issue):
            yield item
        elif not item.is_whole:
            continue
        elif is_separator(item.text):
            yield item.number
        else:
            line = parse_line(item)
            yield line if isinstance(line, Issue) else _without_xs(line)


def _without_xs(line: RunLine) -> RunLine:
    return replace(line, docno=docno_of(line.docno), no_docno=crossed_out_docno(line.docno))


class _OneTag:
    """Checks that all lines of a file have the same run tag, and that it is the tag given in the submission form."""

    def __init__(self, expected: str | None) -> None:
        self.expected = expected
        self.first: str | None = None

    def check(self, line: RunLine) -> Iterator[Issue]:
        """Yield an issue if the tag of the first line is malformed or differs from the submission form. Yield an issue
        for each later line that has another tag.
        """
        if self.first is not None:
            if line.run != self.first:
                message = f'The run tag is "{excerpt(line.run)}", but the first line has "{excerpt(self.first)}".'
                yield Issue(where=line.line, code="run-tag-differs", message=f"{message} Use one tag in a file.")
            return
        self.first = line.run
        if not TAGS.allows(line.run):
            yield TAGS.issue(line.run, line.line)
        if self.expected and line.run != self.expected:
            message = f'The run tag is "{excerpt(line.run)}", but the form says "{self.expected}". Change one.'
            yield Issue(where=line.line, code="run-tag-mismatch", message=message)


class _Once(NoDuplicates):
    """Warns of a snippet that occurs twice in a response. This is allowed, but it only makes the response longer."""

    def check(self, line: RunLine) -> Iterator[Issue]:
        """Yield a warning for a line that repeats an earlier line of the same question."""
        if (first := self.first_line(line)) is not None:
            message = f"The same text and docid stand already on line {first:,}; they only make the response longer."
            yield Issue(where=line.line, code="duplicate-snippet", message=message, severity="warning")


FORMATS = (
    Format(
        name="definition-run", label="Runs of definition questions", source="AQUAINT definition pilot",
        layout="qnum run docid answer-text", record=RunLine, read=parse_definition_run,
    ),
    Format(
        name="definition-responses", label="Q.<n>: responses of all runs", source="AQUAINT definition pilot",
        layout="qnum run docid answer-text", record=ResponseItem, read=read_bundle, write=write_bundle,
    ),
)  # fmt: skip
