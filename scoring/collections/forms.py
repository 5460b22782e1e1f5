"""The forms that shards may have, with a reader for each: it takes a stream and yields the wanted documents and
issues.
"""

from __future__ import annotations

import fnmatch
import tarfile
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, cast

from scoring.collections.json_forms import made_document, search_json, search_json_lines
from scoring.collections.model import Collection, Hit, Search, misplaced
from scoring.collections.warc import search_warc
from scoring.formats.blog06 import read_blog06
from scoring.formats.doc_records import check_docno
from scoring.formats.pubmed_text import read_medline
from scoring.formats.pubmed_xml import read_pubmed_xml
from scoring.formats.trec_sgml import read_trec_sgml
from scoring.reading.arrow_columns import arrow_column
from scoring.reading.unpacking import damage_errors, damage_issue, uncompressed
from scoring.records import DocumentRecord, Issue

# Parquet shards: the id is in a column, or is the row number, counted from 0 through the whole file.


def search_parquet(raw: BinaryIO, search: Search) -> Iterator[Hit]:
    """Yield the wanted documents of a Parquet file. From a row group without any wanted document, only the column of
    ids is read.

    If ids are row numbers, only the row groups with wanted rows are read. The file must be seekable.
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
        yield from _rows(file, search) if search.places is not None else _matching(file, search)
    except (pyarrow.ArrowException, OSError) as error:
        message = f"The file can't be read as Parquet: {str(error)[:200]}. Copy it again."
        yield Issue(where="", code="damaged-file", message=message)


def _columns(collection: Collection) -> list[str]:
    named = (*collection.id, *collection.text, collection.title, collection.url, collection.date)
    return list(dict.fromkeys(name for name in named if name))


def _matching(file: Any, search: Search) -> Iterator[Hit]:
    import pyarrow
    import pyarrow.compute

    name = search.collection.id[0]
    wanted = arrow_column(sorted(search.docnos), pyarrow.string())
    before = 0
    for group in range(file.num_row_groups):
        ids = file.read_row_group(group, columns=[name], use_threads=False).column(name).cast(pyarrow.string())
        search.read += len(ids)
        rows = pyarrow.compute.indices_nonzero(pyarrow.compute.is_in(ids, value_set=wanted))
        if len(rows):
            table = file.read_row_group(group, use_threads=False).take(rows)
            for row, values in zip(rows.to_pylist(), table.to_pylist(), strict=True):
                yield _document(str(values[name]), values, search.collection, before + row)
        before += len(ids)


def _rows(file: Any, search: Search) -> Iterator[Hit]:
    import pyarrow

    wanted, before = search.by_place(), 0
    for group in range(file.num_row_groups):
        count = file.metadata.row_group(group).num_rows
        here = [(row, docno) for row, docno in wanted if before <= row < before + count]
        if here:
            table = file.read_row_group(group, use_threads=False)
            table = table.take(arrow_column([row - before for row, _ in here], pyarrow.int64()))
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


# All forms, by name.

Form = Callable[[BinaryIO, Search], Iterator[Hit]]


def _records(read: Callable[..., Iterator[Hit]]) -> Form:
    """Return the form of a shard that is read from beginning to end, by this reader of `scoring.formats`."""

    def search_records(raw: BinaryIO, search: Search) -> Iterator[Hit]:
        try:
            for each in read(uncompressed(raw)):
                search.read += isinstance(each, DocumentRecord)
                if isinstance(each, Issue) or each.docno in search.docnos:
                    yield each
        except damage_errors() as error:
            yield damage_issue(error)

    return search_records


FORMS: dict[str, Form] = {
    "json-lines": search_json_lines,
    "json": search_json,
    "warc": search_warc,
    "parquet": search_parquet,
    "trec-sgml": _records(read_trec_sgml),
    "blog06": _records(read_blog06),
    "pubmed-xml": _records(read_pubmed_xml),
    "medline": _records(read_medline),
}
WITH_MEMBERS = ("json-lines", "json", "parquet")
"""Forms whose id, text, title, url and date are named by the collection file."""

ADDRESSES = {"json-lines": ("byte", "record"), "warc": ("byte", "record"), "parquet": ("row",)}
"""The kinds of places that an id may be the address of, by form."""


def search_stream(raw: BinaryIO, search: Search, name: str) -> Iterator[tuple[str, Hit]]:
    """Yield (file name, document or issue) for one shard. If the shard is a tar archive, the name is that of the file
    inside.
    """
    if search.collection.inside:
        yield from _search_tar(raw, search, name)
    else:
        yield from ((name, each) for each in FORMS[search.collection.form](raw, search))


def _search_tar(raw: BinaryIO, search: Search, name: str) -> Iterator[tuple[str, Hit]]:
    found = 0
    try:
        with tarfile.open(fileobj=cast(Any, uncompressed(raw)), mode="r|") as archive:
            for member in archive:
                inner = archive.extractfile(member) if member.isfile() else None
                if inner is None or not fnmatch.fnmatch(member.name.rpartition("/")[2], search.collection.inside):
                    continue
                found += 1
                place = f"{name}/{member.name}"
                for each in FORMS[search.collection.form](cast(BinaryIO, inner), search):
                    yield place, each
    except tarfile.TarError as error:
        message = f"The file can't be read as a tar archive: {error}. Copy it again, or take inside out of the file."
        yield name, Issue(where="", code="damaged-file", message=message)
        return
    except damage_errors() as error:
        yield name, damage_issue(error)
        return
    if not found:
        message = f"No file in the archive is named as {search.collection.inside}. Correct “inside”."
        yield name, Issue(where="", code="missing", message=message)
