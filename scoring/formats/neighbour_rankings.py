r"""Reads and writes ranked runs and judgments in the forms of tools around TREC, as far as their meaning is clear.

    msmarco-run   1<TAB>D7<TAB>1                             qid pid rank; a score is 1/rank, as pyserini converts it
    run-table     qid,docno,rank,score,run                   a header names the columns, by a tab or a comma
    run-five      1 Q0 D7 1 2.5                              TREC's columns without the tag, or without Q0
    candidates    {"query": {"qid": "1"}, "candidates": [{"docid": "D7", "score": 2.5}]}   castorini's tools, one a line
    qrels-three   1<TAB>D7<TAB>2                             topic docno grade, which NTCIR writes as L2
    beir-qrels    query-id<TAB>corpus-id<TAB>score           a header names the columns
    umbrela       {"qid": "1", "docid": "D7", "judgment": 2}                      umbrela's lines, or judged candidates
    dpr           [{"question": "…", "answers": […], "ctxs": [{"id": "D7", "score": "2.5"}]}]    Facebook's DPR, whose
                  questions have no numbers: they are numbered from 0, as pyserini numbers them

Columns and members may have the names of ir_datasets and TIREx (query_id, doc_id, relevance), PyTerrier (qid, docno),
BEIR, MS MARCO and Patapsco (results). Columns and members with other names are skipped, and named in the note that says
how the file was read. A run has a tag if a column or member gives one. Codes beside those of `scoring.reading.opening`
and `scoring.reading.json_reading`: read-as (note), columns, value, name, duplicate, run-tag, empty-file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, BinaryIO

from scoring.file_kinds import (
    FROM_ONE,
    JSON,
    REAL,
    RUN_NAME,
    WHOLE,
    WHOLE_GRADE,
    ColumnLayout,
    HeaderLayout,
    TableLayout,
    reads,
    recognise,
)
from scoring.formats.neighbour_records import qrels_of, runs_of
from scoring.formats.neighbour_rows import (
    DOCNO,
    GRADE,
    RANK,
    SCORE,
    TAG,
    TOPIC,
    object_rows,
    table_rows,
)
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.records import Issue, Qrel, RankedDoc

MSMARCO_RUN = ColumnLayout(layout="qid pid rank", holds={"rank": FROM_ONE})
QRELS_THREE = ColumnLayout(layout="topic docno grade", holds={"grade": re.compile(f"L?(?:{WHOLE_GRADE.pattern})")})
_WITH_A_POINT = re.compile(r"[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?")
UNTAGGED_RUN = ColumnLayout(
    layout="topic Q0 docno rank score", holds={"Q0": re.compile("(?i)Q?0"), "rank": WHOLE, "score": REAL}
)
RUN_WITHOUT_Q0 = ColumnLayout(
    layout="topic docno rank score run", holds={"rank": WHOLE, "score": REAL}, usually={"run": RUN_NAME}
)
RUN_OF_FOUR = ColumnLayout(layout="topic docno rank score", holds={"rank": WHOLE, "score": _WITH_A_POINT})
RUN_TABLE = HeaderLayout(
    layout="columns with a header: qid docno rank score run", groups=tuple(map(frozenset, (TOPIC, DOCNO, RANK + SCORE)))
)
_ROW = {"rank": WHOLE_GRADE, "score": re.compile(f"{REAL.pattern}|[+-]?[0-9]++,[0-9]++")}
RUN_ROWS = tuple(
    TableLayout(layout=layout, holds=_ROW)
    for layout in ("topic Q0 docno rank score run-tag", "topic Q0 docno rank score", "topic docno rank score run-tag")
)
QRELS_ROWS = tuple(
    TableLayout(layout=layout, holds={"grade": WHOLE_GRADE})
    for layout in ("topic iteration docno grade", "topic docno grade")
)
QRELS_TABLE = HeaderLayout(
    layout="columns with a header: query-id corpus-id score",
    groups=tuple(map(frozenset, (TOPIC, DOCNO, GRADE))),
    without=frozenset({*RANK, *TAG}),
)


@reads("run", takes=MSMARCO_RUN, formats=("msmarco-run",))
def read_msmarco_run(file: BinaryIO) -> Iterator[RankedDoc | Issue]:
    """Return the documents of a run with the columns qid, pid and rank, and issues."""
    rows = table_rows(file, ("qid", "pid", "rank"))
    return runs_of(rows, "a run of MS MARCO: qid, pid, rank; the score of rank n is 1/n, and its name is the file's")


@reads("run", takes=(UNTAGGED_RUN, RUN_WITHOUT_Q0, RUN_OF_FOUR), formats=("run-five",))
def read_run_of_five(file: BinaryIO) -> Iterator[RankedDoc | Issue]:
    """Return the documents of a ranked run, and issues. Its lines lack the constant second column, the tag, or (as in
    ColBERT's runs) both.
    """
    shape = recognise(file).shape
    taken = next((each for each in (UNTAGGED_RUN, RUN_OF_FOUR) if each.fits(shape)), RUN_WITHOUT_Q0)
    names = taken.layout.split()
    rows = table_rows(file, [name.lower() for name in names])
    return runs_of(rows, f"a run of {'four' if len(names) == 4 else 'five'} columns: {', '.join(names)}")


@reads("qrels", takes=QRELS_THREE, formats=("qrels-three",))
def read_qrels_of_three(file: BinaryIO) -> Iterator[Qrel | Issue]:
    """Return the judgments of a file with the columns topic, docno and grade, and issues."""
    return qrels_of(table_rows(file, ("topic", "docno", "grade")), "qrels of three columns: topic, docno, grade")


@reads("run", takes=(RUN_TABLE, *RUN_ROWS), formats=("run-table",))
def read_run_table(file: BinaryIO) -> Iterator[RankedDoc | Issue]:
    """Return the documents of a table, and issues. The header names topic, document, and rank or score; without a
    header the table has TREC's columns.
    """
    names, said = _names_in(file, RUN_ROWS)
    return runs_of(table_rows(file, names), f"a run whose columns are {said}")


def _names_in(file: BinaryIO, layouts: Iterable[TableLayout]) -> tuple[Sequence[str], str]:
    """Return the names of the columns in a table without a header, and a phrase that says where the names come from. If
    the table has a header, there are no names.
    """
    shape = recognise(file).shape
    layout = next((each.layout for each in layouts if each.fits(shape)), "")
    said = f"those of TREC in a table: {layout}" if layout else "named by a header"
    return layout.replace("run-tag", "run").lower().split(), said


@reads("run", "candidates", forms=JSON, formats=("candidates", "dpr"))
def read_candidates(file: BinaryIO) -> Iterator[RankedDoc | Issue]:
    """Return the documents of JSON objects, and issues. The objects have a query and a list of candidates, or there is
    one object for each ranked document.
    """
    return runs_of(object_rows(file), "ranked candidates in JSON")


@reads("qrels", takes=(QRELS_TABLE, *QRELS_ROWS), formats=("beir-qrels",))
def read_beir_qrels(file: BinaryIO) -> Iterator[Qrel | Issue]:
    """Return the judgments of a table, and issues. The header names topic, document and grade; without a header the
    table has TREC's columns.
    """
    names, said = _names_in(file, QRELS_ROWS)
    return qrels_of(table_rows(file, names), f"qrels whose columns are {said}")


@reads("qrels", "candidates", forms=JSON, formats=("umbrela",))
def read_umbrela(file: BinaryIO) -> Iterator[Qrel | Issue]:
    """Return the judgments of JSON objects, and issues. The objects have topic, document and judgment, or a query and
    judged candidates.
    """
    return qrels_of(object_rows(file), "judgments in JSON")


def _by_topic(records: Iterable[RankedDoc]) -> Iterator[tuple[str, list[RankedDoc]]]:
    ordered = sorted(records, key=lambda r: (topic_order(r.topic), -r.score, r.rank))
    return ((topic, list(lines)) for topic, lines in groupby(ordered, key=lambda r: r.topic))


def write_msmarco_run(records: Iterable[RankedDoc]) -> Iterator[str]:
    """Yield lines of qid, pid and rank, sorted by topic. Ranks are numbered from 1 by descending score."""
    for topic, lines in _by_topic(records):
        yield from (f"{topic}\t{line.docno}\t{rank}" for rank, line in enumerate(lines, 1))


def write_run_of_five(records: Iterable[RankedDoc]) -> Iterator[str]:
    """Yield lines of topic, Q0, docno, rank and score, sorted by topic and score."""
    for _, lines in _by_topic(records):
        yield from (f"{r.topic} Q0 {r.docno} {r.rank} {r.score!r}" for r in lines)


def write_qrels_of_three(records: Iterable[Qrel]) -> Iterator[str]:
    """Yield a line for each judgment, sorted by topic and docno, with columns separated by tabs."""
    for r in sorted(records, key=lambda r: (topic_order(r.topic), r.docno)):
        yield f"{r.topic}\t{r.docno}\t{r.grade}"


def write_run_table(records: Iterable[RankedDoc]) -> Iterator[str]:
    """Yield a header with PyTerrier's names and a line for each document, sorted by topic and score, with columns
    separated by tabs.
    """
    yield "qid\tdocno\trank\tscore\trun"
    for _, lines in _by_topic(records):
        yield from (f"{r.topic}\t{r.docno}\t{r.rank}\t{r.score!r}\t{r.run or 'run'}" for r in lines)


def write_candidates(records: Iterable[RankedDoc]) -> Iterator[str]:
    """Yield one object for each topic with its candidates, best first."""
    for topic, lines in _by_topic(records):
        tag = {"run_id": lines[0].run} if lines[0].run else {}
        candidates = [{"docid": r.docno, "score": r.score, "rank": r.rank} for r in lines]
        yield json.dumps({"query": {"qid": topic}, **tag, "candidates": candidates}, ensure_ascii=False)


def write_dpr(records: Iterable[RankedDoc]) -> Iterator[str]:
    """Yield the lines of one list with an object for each topic, best document first. Questions and answers are left
    empty, since they are not known.
    """
    found = [
        {"qid": topic, "question": "", "answers": [], "ctxs": [{"id": r.docno, "score": repr(r.score)} for r in lines]}
        for topic, lines in _by_topic(records)
    ]
    yield from json.dumps(found, ensure_ascii=False, indent=1).split("\n")


def write_beir_qrels(records: Iterable[Qrel]) -> Iterator[str]:
    """Yield the header and a line for each judgment, sorted by topic and docno, with columns separated by tabs."""
    yield "query-id\tcorpus-id\tscore"
    for r in sorted(records, key=lambda r: (topic_order(r.topic), r.docno)):
        yield f"{r.topic}\t{r.docno}\t{r.grade}"


def write_umbrela(records: Iterable[Qrel]) -> Iterator[str]:
    """Yield one object for each judgment, sorted by topic and docno."""
    for r in sorted(records, key=lambda r: (topic_order(r.topic), r.docno)):
        yield json.dumps({"qid": r.topic, "docid": r.docno, "judgment": r.grade}, ensure_ascii=False)


def _format(name: str, label: str, source: str, layout: str, record: type, read: Any, write: Any) -> Format:
    return Format(name=name, label=label, source=source, layout=layout, record=record, read=read, write=write)


_PYSERINI = "microsoft/MSMARCO-Passage-Ranking; castorini/pyserini"
FORMATS = (
    _format("msmarco-run", "Ranked run of MS MARCO", _PYSERINI, "qid<TAB>pid<TAB>rank",
            RankedDoc, read_msmarco_run, write_msmarco_run),
    _format("run-five", "Ranked run in five columns", "runs without Q0 or a tag", UNTAGGED_RUN.layout,
            RankedDoc, read_run_of_five, write_run_of_five),
    _format("run-table", "Ranked run with a header", "PyTerrier; ir_datasets and TIREx", "qid docno rank score run",
            RankedDoc, read_run_table, write_run_table),
    _format("candidates", "Ranked candidates in JSON", "castorini/rank_llm; Patapsco",
            '{"query": {"qid"}, "candidates": [{"docid", "score"}]}', RankedDoc, read_candidates, write_candidates),
    _format("dpr", "Passages retrieved by DPR", "facebookresearch/DPR, dense_retriever.py",
            '[{"question", "answers", "ctxs": [{"id", "score"}]}]', RankedDoc, read_candidates, write_dpr),
    _format("qrels-three", "Qrels in three columns", "qrels without an iteration", QRELS_THREE.layout,
            Qrel, read_qrels_of_three, write_qrels_of_three),
    _format("beir-qrels", "Qrels with a header", "beir-cellar/beir", "query-id<TAB>corpus-id<TAB>score",
            Qrel, read_beir_qrels, write_beir_qrels),
    _format("umbrela", "Judgments in JSON", "castorini/umbrela", '{"qid", "docid", "judgment"}',
            Qrel, read_umbrela, write_umbrela),
)  # fmt: skip
