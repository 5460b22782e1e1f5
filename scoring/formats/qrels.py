"""Reads and writes relevance judgments as TREC publishes them (trec.nist.gov/data/qrels_eng).

    topic iteration docno grade          301 0 FR940202-2-00150 1

Columns are separated by any white space. Grades are whole numbers, which may be written as 2.0; -1 means pooled but not
judged, and a document that is absent was not pooled. A document judged twice for a topic is an error, as in trec_eval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from scoring.file_kinds import WHOLE_GRADE, ColumnLayout, reads
from scoring.formats.pool_tables import topic_order
from scoring.formats.seen_documents import Documents
from scoring.formats.spec import Format, columns_issue, duplicate_issue, short, value_issue, whole_value
from scoring.reading.opening import CannotOpen, open_input, text_lines
from scoring.reading.plain_names import KnownNames
from scoring.reading.sorting import sorted_externally
from scoring.records import Issue, ItemGrade, Qrel
from scoring.release.recorded_acts import Judged

LAYOUT = "topic iteration docno grade"
QRELS = ColumnLayout(layout=LAYOUT, holds={"grade": WHOLE_GRADE})


@reads("qrels", takes=QRELS, formats=("qrels",))
def read_qrels(file: BinaryIO) -> Iterator[Qrel | Issue]:
    """Return the judgments in file order, and an issue for each line that is malformed or judges a document again."""
    return (each if isinstance(each, Issue) else each[1] for each in read_numbered_qrels(file))


@reads("qrels", takes=QRELS, formats=("qrels",))
def read_subtopic_qrels(file: BinaryIO) -> Iterator[Qrel | Issue]:
    """Return judgments of subtopics, and issues. The second column names the subtopic, and a document may have one line
    for each.
    """
    return (each if isinstance(each, Issue) else each[1] for each in read_numbered_qrels(file, subtopics=True))


@reads("qrels", takes=QRELS, formats=("qrels",))
def read_numbered_qrels(
    file: BinaryIO,
    *,
    subtopics: bool = False,
    after: int = 0,
    was_judged: Callable[[str, str], bool] = lambda topic, docno: False,
) -> Iterator[tuple[int, Qrel] | Issue]:
    """Yield (line number, judgment) and issues. If lines were read before, ``after`` is the number of those lines, and
    ``was_judged`` says whether one of them judged a document for a topic.
    """
    judged = Documents()
    for line in text_lines(file, after=after):
        if isinstance(line, Issue):
            yield line
            continue
        number, text = line
        columns = text.split()
        if not columns:
            continue
        record = _qrel(number, text, columns)
        if isinstance(record, Issue):
            yield record
            continue
        document = f"{record.iteration} {record.docno}" if subtopics else record.docno
        if not judged.add(record.topic, document) or was_judged(record.topic, record.docno):
            yield _judged_again(number, text, record)
        else:
            yield number, record


def _judged_again(number: int, text: str, record: Qrel) -> Issue:
    """Return the issue that a document is judged a second time for a topic. If the second column is not 0 or Q0, the
    message says that the column may hold subtopics.
    """
    issue = duplicate_issue(number, text, f"Document {short(record.docno)} of topic {short(record.topic)}")
    if record.iteration in ("0", "Q0"):
        return issue
    more = (
        " If the second column is the subtopic, they are read for measures of diversity alone, such as alpha_nDCG@20."
    )
    return replace(issue, message=issue.message + more)


def write_qrels(records: Iterable[Qrel]) -> Iterator[str]:
    """Yield lines sorted by topic and docno."""
    rows = ((topic_order(r.topic), r.docno, r.iteration, r.grade, r.topic) for r in records)
    for _, docno, iteration, grade, topic in sorted_externally(rows):
        yield f"{topic} {iteration} {docno} {grade}"


def _qrel(number: int, text: str, columns: list[str]) -> Qrel | Issue:
    if len(columns) != 4:
        return columns_issue(number, text, LAYOUT, len(columns))
    topic, iteration, docno, written = columns
    grade = whole_value(written)
    if grade is None:
        return value_issue(
            number, text, f"The grade is {short(written)}; it must be a whole number of at most nine digits."
        )
    return Qrel(topic=topic, docno=docno, grade=grade, iteration=iteration)


FORMAT = Format(
    name="qrels",
    label="TREC qrels",
    source="trec.nist.gov/data/qrels_eng",
    layout=LAYOUT,
    record=Qrel,
    read=read_qrels,
    write=write_qrels,
)


# Qrels as a campaign exports and imports them: grades of items are written, judgments are read.
#
# If the second column of qrels (the iteration) is not "0", it is stored in the judgment's note: "iteration 2". -1 is a
# document that was pooled but not judged.

KIND = "document"
CRITERION = "relevance"
ITERATION = "iteration "
SECOND = ("second", "umbrela")
"""Words in the name of a file with a second judge's grades, which measure agreement and do not count."""


def write_graded_qrels(records: Iterable[ItemGrade]) -> Iterator[str]:
    """Return lines of qrels, sorted by topic and docno."""
    return write_qrels(
        Qrel(
            topic=record.topic,
            docno=record.key,
            grade=-1 if record.value is None else record.value,
            iteration=record.note.removeprefix(ITERATION) if record.note.startswith(ITERATION) else "0",
        )
        for record in records
    )


@reads("qrels", takes=QRELS, formats=("qrels",))
def read_graded_qrels(file: BinaryIO) -> Iterator[ItemGrade | Issue]:
    """Yield the grades in a file that `write_graded_qrels` wrote, or in any other qrels, and issues."""
    for record in read_qrels(file):
        if isinstance(record, Issue):
            yield record
            continue
        yield ItemGrade(
            topic=record.topic,
            kind=KIND,
            key=record.docno,
            docno=record.docno,
            criterion=CRITERION,
            value=None if record.grade == -1 else record.grade,
            note=_note(record),
        )


def read_judged_qrels(
    paths: Sequence[Path], *, topics: Collection[str], grades: Collection[int], criterion: str = CRITERION
) -> Iterator[tuple[str, Judged] | Issue]:
    """Yield ("file:line", judgment) for each judgment in some qrels files.

    A file with a word of `SECOND` in its name holds the judgments of second assessors. Lines with the grade -1 are
    skipped, since it means that nobody judged, unless -1 is among ``grades``.

    Issues beside those of `read_qrels`: ``grade`` for a grade that is not among ``grades``, and one ``unknown-topic``
    (warning) for each file with topics that are not among ``topics``, which says how many of its lines were skipped.
    """
    for path in paths:
        unknown: Counter[str] = Counter()
        is_second = any(word in path.name.casefold() for word in SECOND)
        for place, record in _numbered(path):
            if isinstance(record, Issue):
                yield replace(record, where=place)
            elif record.topic not in topics:
                unknown[record.topic] += 1
            elif record.grade in grades:
                by, role = ("second", "second") if is_second else ("first", "")
                yield place, _judged(record, by=by, role=role, criterion=criterion)
            elif record.grade != -1:
                scale = ", ".join(map(str, sorted(grades)))
                message = f"{record.grade} is no grade here; the scale is {scale}. Set another scale or correct it."
                yield Issue(where=place, code="grade", message=message)
        if unknown:
            shown = ", ".join(map(KnownNames(topics).listed, list(unknown)[:5])) + (" …" if len(unknown) > 5 else "")
            message = (
                f"{unknown.total():,} judgments are passed over: the campaign has no topic {shown} ({len(unknown)})."
            )
            yield Issue(where=path.name, code="unknown-topic", message=message, severity="warning")


def _numbered(path: Path) -> Iterator[tuple[str, Qrel | Issue]]:
    """Yield (place, judgment or issue) for a file. The place has the form "file:line"."""
    try:
        with open_input(path) as file:
            for each in read_numbered_qrels(file):
                if isinstance(each, Issue):
                    yield f"{path.name}:{each.where}" if each.where != "" else path.name, each
                else:
                    yield f"{path.name}:{each[0]}", each[1]
    except CannotOpen as error:
        yield path.name, Issue(where="", code="cannot-open", message=f"{error}")


def _judged(record: Qrel, *, by: str, role: str, criterion: str) -> Judged:
    return Judged(
        by=by,
        topic=record.topic,
        docno=record.docno,
        answer="",
        criterion=criterion,
        value=record.grade,
        note=_note(record),
        role=role,
        key=record.docno,
    )


def _note(record: Qrel) -> str:
    return "" if record.iteration == "0" else ITERATION + record.iteration
