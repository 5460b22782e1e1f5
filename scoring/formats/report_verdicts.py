"""Reads and writes verdicts on the answers of a rubric, as in DRAGUN 2025: one verdict for each answer and report.

    topic_id,run_tag,answer_id,annotation
    msmarco_v2.1_doc_04_420132660,north-2,na-1,supports

A verdict is supports, partial, contradicts or none; contradicts also applies if the report supports the answer
elsewhere. For rows of a design's own table it is the name of any grade. In files of machine judges its column is
``auto_assessment``. An answer's id is unique within its topic. Other columns, such as the reasons of a machine judge,
are not read. Codes beside those of `scoring.formats.separated`: verdict, name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from scoring.file_kinds import HeaderLayout, reads, recognise
from scoring.formats.separated import read_table
from scoring.formats.spec import Format
from scoring.reading.opening import excerpt_of
from scoring.records import Issue

VERDICTS = ("supports", "partial", "contradicts", "none")
NAMES = ("topic_id", "run_tag", "answer_id")
SAID = ("annotation", "auto_assessment")


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportVerdict:
    """The verdict on how a run's report on a topic treats one answer of the topic's rubric."""

    topic: str
    run: str
    answer: str
    verdict: str
    line: int = 0


_TAKES = HeaderLayout(
    layout=f"columns with a header: {' '.join(NAMES)} {SAID[0]}",
    groups=(*(frozenset({name}) for name in NAMES), frozenset(SAID)),
)


@reads("grades", takes=_TAKES)
def read_verdicts(file: BinaryIO, *, words: Collection[str] = VERDICTS) -> Iterator[ReportVerdict | Issue]:
    """Yield the verdicts in file order, and an issue for each malformed row. A verdict must be one of ``words``.

    The ``line`` of a verdict is the last line of its row.
    """
    first = recognise(file).shape.text.lstrip().partition("\n")[0]
    said = next((name for name in SAID if name in first), SAID[0])
    form = "tsv" if "\t" in first else "csv"
    places: list[int] = []
    for row in read_table(file, form=form, header="yes", wanted=(*NAMES, said)):
        if isinstance(row, Issue):
            yield row
            continue
        number, cells = row
        if number == 0:
            places = [cells.index(name) for name in (*NAMES, said)]
            continue
        topic, run, answer, verdict = (cells[place].strip() for place in places)
        if not (topic and run and answer):
            message = "The topic, the run or the answer is not named. Complete the row."
            yield Issue(where=number, code="name", message=message)
        elif verdict not in words:
            message = f"The verdict is “{excerpt_of(verdict, length=40)}”; it must be one of {', '.join(words)}."
            yield Issue(where=number, code="verdict", message=message)
        else:
            yield ReportVerdict(topic=topic, run=run, answer=answer, verdict=verdict, line=number)


def write_verdicts(records: Iterable[ReportVerdict]) -> Iterator[str]:
    """Yield a line with the names of the columns, then one line for each verdict, in the order given."""
    yield ",".join((*NAMES, SAID[0]))
    for each in records:
        yield ",".join(map(_cell, (each.topic, each.run, each.answer, each.verdict)))


def _cell(value: str) -> str:
    """Return the value on one line, quoted if it holds a comma or a quote."""
    plain = " ".join(value.split())
    quoted = plain.replace('"', '""')
    return f'"{quoted}"' if "," in plain or '"' in plain else plain


FORMAT = Format(
    name="report-verdicts",
    label="What reports say of a rubric's answers",
    source="TREC DRAGUN 2025, trec-dragun/resources",
    layout=_TAKES.layout,
    record=ReportVerdict,
    read=read_verdicts,
    write=write_verdicts,
)
