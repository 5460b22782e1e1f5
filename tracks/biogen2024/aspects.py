r"""aspects.tsv: the required sentences of each question with the aspect that they belong to, one a line.

    topic answer-class sentence          116	2	Weight loss reduces sleep apnea.

A sentence that is judged for one run alone has its key (`scoring.own_items`) as a last column more.
Tab-separated and escaped as the project's other tables (`scoring.formats.pool_tables`); an answer class is named by
its key in answer-classes.tsv.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from scoring.formats.pool_tables import escape_column, topic_order, unescape_column
from scoring.reading import excerpt_of, records_of
from scoring.records import InstanceJudgment, Issue
from scoring.sorting import sorted_externally, without_repeats
from tracks.biogen2024.judging import REQUIRED


def read_aspects(file: BinaryIO) -> Iterator[InstanceJudgment | Issue]:
    """The sentences with their aspects, and an issue for each line that is none."""
    return records_of(file, _parse)


def write_aspects(records: Iterable[InstanceJudgment]) -> Iterator[str]:
    """Lines by topic, class and sentence; sentences in no class are left out."""
    rows = ((r.topic, r.answer_class, r.text, r.key) for r in records if r.answer_class)
    ordered = sorted_externally(rows, key=lambda row: (topic_order(row[0]), topic_order(row[1]), *row[2:]))
    for *row, key in without_repeats(ordered):
        yield "\t".join(map(escape_column, [*row, key] if key else row))


def _parse(number: int, text: str) -> InstanceJudgment | Issue:
    columns = [unescape_column(column) for column in text.split("\t")]
    if len(columns) not in (3, 4) or not all(columns):
        message = f"The line has {len(columns)} tab-separated column(s); it needs 3: topic answer-class sentence."
        return Issue(where=number, code="columns", message=message, excerpt=excerpt_of(text))
    topic, label, sentence, *key = columns
    return InstanceJudgment(
        topic=topic, docno="", text=sentence, correctness=REQUIRED, answer_class=label, key="".join(key)
    )
