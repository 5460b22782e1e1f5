"""Parquet shards: the id stands in a column, or is the row, counted from 0 through the file whatever its row groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from scoring.collections.json_forms import made_document
from scoring.collections.model import Collection, Hit, Search, misplaced
from scoring.formats.doc_records import check_docno
from scoring.records import Issue


def search_parquet(raw: BinaryIO, search: Search) -> Iterator[Hit]:
    """The wanted documents of a Parquet file, row group by row group; of others only the id's column is read.

    Where ids are rows only the row groups that hold one are read. Needs a file in which one can seek.
    """
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(raw)
        columns = _columns(search.collection)
        if missing := [each for each in columns if each not in file.schema_arrow.names]:
            has = ", ".join(file.schema_arrow.names[:12])
            message = f"There is no column {', '.join(missing)}. The file has: {has}. Correct the collection file."
            yield Issue(where="", code="missing", message=message)
            return
        yield from _rows(file, search, columns) if search.places is not None else _matching(file, search, columns)
    except (pyarrow.ArrowException, OSError) as error:
        message = f"The file can't be read as Parquet: {str(error)[:200]}. Copy it again."
        yield Issue(where="", code="damaged-file", message=message)


def _columns(collection: Collection) -> list[str]:
    named = (*collection.id, *collection.text, collection.title, collection.url, collection.date)
    return list(dict.fromkeys(name for name in named if name))


def _matching(file: Any, search: Search, columns: Sequence[str]) -> Iterator[Hit]:
    import pyarrow
    import pyarrow.compute

    name = search.collection.id[0]
    wanted = pyarrow.array(sorted(search.docnos), type=pyarrow.string())
    before = 0
    for group in range(file.num_row_groups):
        ids = file.read_row_group(group, columns=[name], use_threads=False).column(name).cast(pyarrow.string())
        search.read += len(ids)
        rows = pyarrow.compute.indices_nonzero(pyarrow.compute.is_in(ids, value_set=wanted))
        if len(rows):
            table = file.read_row_group(group, columns=list(columns), use_threads=False).take(rows)
            for row, values in zip(rows.to_pylist(), table.to_pylist(), strict=True):
                yield _document(str(values[name]), values, search.collection, before + row)
        before += len(ids)


def _rows(file: Any, search: Search, columns: Sequence[str]) -> Iterator[Hit]:
    wanted, before = search.by_place(), 0
    for group in range(file.num_row_groups):
        count = file.metadata.row_group(group).num_rows
        here = [(row, docno) for row, docno in wanted if before <= row < before + count]
        if here:
            table = file.read_row_group(group, columns=list(columns), use_threads=False)
            table = table.take([row - before for row, _ in here])
            for (row, docno), values in zip(here, table.to_pylist(), strict=True):
                there = str(values[search.collection.id[0]]) if search.collection.id else docno
                search.read += 1
                if there == docno:
                    yield _document(docno, values, search.collection, row)
                else:
                    yield misplaced(docno, row, "row", there)
        before += count
    yield from (misplaced(docno, row, "row", None) for row, docno in wanted if row >= before)


def _document(docno: str, values: dict[str, Any], collection: Collection, row: int) -> Hit:
    if issue := check_docno(docno, row):
        return Issue(where=f"row {row}", code=issue.code, message=issue.message)
    texts = [str(values[name]).strip() for name in collection.text if values[name] is not None]
    return made_document(docno, texts, values, collection, offset=row, line=row + 1)
