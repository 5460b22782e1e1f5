"""Reads ranked runs in DiffIR's form: one JSON object with the first documents of one run or two.

    {"meta": {"run1_name": "a.run", "run2_name": "b.run"}, "docs": {"D7": {"doc_id": "D7", "text": "…"}},
     "queries": [{"fields": {"query_id": "1"}, "run_1": [{"doc_id": "D7", "score": 2.5, "rank": 1}], "run_2": […]}]}

The format ``diffir-1`` reads the first run of such a file and ``diffir-2`` the second. The name that the file gives the
run is its run tag if it is one word. DiffIR writes only the queries that differ most, and the first ten documents of
either run for each. So only a part of the runs is read, and a warning says so. Codes: those of `neighbour_rankings`,
and shape if the object has no list of queries. Source: capreolus-ir/diffir, diffir/run.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby
from typing import Any, BinaryIO

from scoring.file_kinds import JSON, reads
from scoring.formats.neighbour_records import runs_of
from scoring.formats.neighbour_rows import Row, rows_of
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.reading.json_reading import load_json
from scoring.reading.opening import excerpt_of
from scoring.records import Issue, RankedDoc

_PARTIAL = (
    "DiffIR writes the first ten documents of either run, for the queries that differ most: this is a part of the run. "
    "Score the run's own file where there is one."
)


def _read(file: BinaryIO, which: int) -> Iterator[RankedDoc | Issue]:
    value = load_json(file)
    if isinstance(value, Issue):
        yield value
        return
    queries = value.get("queries") if isinstance(value, dict) else None
    if not isinstance(queries, list):
        yield Issue(where="", code="shape", message="The file must be one object with the list “queries”.")
        return
    name = _name(value.get("meta"), which)
    rows = (row for place, query in enumerate(queries) for row in _rows(place, query, which, name))
    called = f", {excerpt_of(name)}" if name else ""
    yield from runs_of(rows, f"the {'first' if which == 1 else 'second'} run of a comparison by DiffIR{called}")
    yield Issue(where="", code="part-of-run", message=_PARTIAL, severity="warning")


def _name(meta: Any, which: int) -> str:
    """Return the name of a run: the last part of the path that the file gives for it."""
    name = meta.get(f"run{which}_name") if isinstance(meta, dict) else None
    return name.strip().rpartition("/")[2] if isinstance(name, str) else ""


def _rows(place: int, query: Any, which: int, name: str) -> Iterator[Row | Issue]:
    fields = query.get("fields") if isinstance(query, dict) else None
    if not isinstance(fields, dict):
        yield Issue(where="", code="value", message=f"$.queries[{place}] is no object with the object “fields”.")
        return
    tag = {"run": name} if len(name.split()) == 1 else {}
    yield from rows_of(1, {"query": fields, "candidates": query.get(f"run_{which}") or [], **tag})


@reads("run", "comparison", forms=JSON, formats=("diffir-1", "diffir-2"))
def read_first_run(file: BinaryIO) -> Iterator[RankedDoc | Issue]:
    """Return the documents of the first run, in the order of the file, and issues."""
    return _read(file, 1)


@reads("run", "comparison", forms=JSON, formats=("diffir-1", "diffir-2"))
def read_second_run(file: BinaryIO) -> Iterator[RankedDoc | Issue]:
    """Return the documents of the second run, in the order of the file, and issues."""
    return _read(file, 2)


def _write(records: Iterable[RankedDoc], which: int) -> Iterator[str]:
    ordered = sorted(records, key=lambda r: (topic_order(r.topic), -r.score, r.rank))
    names: dict[str, str | None] = {f"run{each}_name": None for each in (1, 2)}
    names[f"run{which}_name"] = next((r.run for r in ordered if r.run), "run")
    queries = []
    for topic, lines in groupby(ordered, key=lambda r: r.topic):
        found = [{"doc_id": r.docno, "score": r.score, "relevance": None, "rank": r.rank} for r in lines]
        runs = {f"run_{each}": found if each == which else [] for each in (1, 2)}
        queries.append({"fields": {"query_id": topic}} | runs | {"mergedWeights": {}})
    yield json.dumps({"meta": names, "queries": queries, "docs": {}}, ensure_ascii=False)


_LAYOUT = '{"meta", "queries": [{"fields": {"query_id"}, "run_%d": [{"doc_id", "score", "rank"}]}], "docs"}'
FORMATS = tuple(
    Format(
        name=f"diffir-{which}",
        label=f"The {'first' if which == 1 else 'second'} run compared by DiffIR",
        source="capreolus-ir/diffir",
        layout=_LAYOUT % which,
        record=RankedDoc,
        read=read,
        write=partial(_write, which=which),
    )
    for which, read in ((1, read_first_run), (2, read_second_run))
)
