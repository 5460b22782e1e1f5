"""Reads and writes runs of ranked questions for DRAGUN 2025 (task 1): tab-separated, without a header.

    topic-id  team-id  run-id  rank  question        rank 1 to 10, question of at most 300 characters

Codes: columns, value (a rank), question-length, run-id (one team and one run a file), missing-rank, missing-topic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from scoring.file_kinds import FROM_ONE, RUN_NAME, ColumnLayout, reads
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format, columns_issue, value_issue
from scoring.reading.opening import excerpt_of, records_of
from scoring.reading.unread_lines import UnreadLines
from scoring.records import Issue
from scoring.wording import counted_of

LAYOUT = "topic-id team-id run-id rank question"
QUESTIONS = ColumnLayout(layout=LAYOUT, holds={"rank": FROM_ONE}, usually={"run-id": RUN_NAME}, separator="\t")
RANKS = 10
LENGTH = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedQuestion:
    """A question that a run asks about a topic, and its rank among the run's questions."""

    topic: str
    team: str
    run: str
    rank: int
    text: str


@reads("questions", takes=QUESTIONS)
def read_questions(file: BinaryIO) -> Iterator[AskedQuestion | Issue]:
    """Return the questions in file order, and an issue for each line that can't be read. Several may have the same
    rank.
    """
    return (each if isinstance(each, Issue) else each[1] for each in _numbered(file))


def write_questions(records: Iterable[AskedQuestion]) -> Iterator[str]:
    """Yield one line for each question, in the order given."""
    for r in records:
        yield "\t".join((r.topic, r.team, r.run, str(r.rank), " ".join(r.text.split())))


@reads("questions", takes=QUESTIONS)
def check_questions(file: BinaryIO, topics: Sequence[str] = ()) -> Iterator[Issue]:
    """Yield an issue for everything that the track's checker refuses. ``topics`` are the topics asked; empty if they
    are not known.
    """
    ranks: dict[str, set[int]] = {}
    first: AskedQuestion | None = None
    unread = UnreadLines(columns=True)
    for each in _numbered(file):
        if isinstance(each, Issue):
            unread.add(each)
            yield each
            continue
        number, question = each
        first = first or question
        ranks.setdefault(question.topic, set()).add(question.rank)
        if len(question.text) > LENGTH:
            message = f"The question has {len(question.text)} characters; it may have {LENGTH}. Shorten it."
            yield Issue(where=number, code="question-length", message=message)
        if (question.team, question.run) != (first.team, first.run):
            message = f"The line says {_quoted(question)}; the first said {_quoted(first)}. One file is one run."
            yield Issue(where=number, code="run-id", message=message)
    if first is None:
        yield Issue(where="", code="empty-file", message="The file is empty. Check that the right file was chosen.")
    for topic in sorted(ranks, key=topic_order):
        if missing := [str(rank) for rank in range(1, RANKS + 1) if rank not in ranks[topic]]:
            message = f"Topic {excerpt_of(topic, length=60)} has no question of rank {', '.join(missing)}."
            yield Issue(where="", code="missing-rank", message=message)
    if missing := sorted(unread.missing(topics, ranks), key=topic_order):
        shown = ", ".join(missing[:10]) + (" …" if len(missing) > 10 else "")
        message = f"{counted_of(len(missing), len(topics), 'topic', 'has', 'have')} no questions: {shown}."
        yield Issue(where="", code="missing-topic", message=message)


def _numbered(file: BinaryIO) -> Iterator[tuple[int, AskedQuestion] | Issue]:
    return records_of(file, _parse)


def _parse(number: int, line: str) -> tuple[int, AskedQuestion] | Issue:
    columns = [column.strip() for column in line.split("\t")]
    if len(columns) != 5:
        return columns_issue(number, line, LAYOUT, len(columns))
    topic, team, run, rank, text = columns
    if not rank.isascii() or not rank.isdigit() or len(rank) > 9 or not 1 <= int(rank) <= RANKS:
        message = f"The rank is {excerpt_of(rank, length=40)}; it must be a whole number from 1 to {RANKS}."
        return value_issue(number, line, message)
    return number, AskedQuestion(topic=topic, team=team, run=run, rank=int(rank), text=text)


def _quoted(question: AskedQuestion) -> str:
    return excerpt_of(f"{question.team}, {question.run}", length=80)


FORMAT = Format(
    name="question-run",
    label="Ranked questions of DRAGUN",
    source="TREC 2025 DRAGUN, task 1; isoboroff/submit-system",
    layout=LAYOUT,
    record=AskedQuestion,
    read=read_questions,
    write=write_questions,
)
