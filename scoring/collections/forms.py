"""The forms that shards may have, and what reads each: one stream in, the wanted documents and issues out."""

from __future__ import annotations

import fnmatch
import tarfile
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, cast

from scoring.collections.json_forms import search_json, search_json_lines
from scoring.collections.model import Hit, Search
from scoring.collections.parquet import search_parquet
from scoring.collections.warc import search_warc
from scoring.formats.blog06 import read_blog06
from scoring.formats.pubmed_text import read_medline
from scoring.formats.pubmed_xml import read_pubmed_xml
from scoring.formats.trec_sgml import read_trec_sgml
from scoring.reading import damage_errors, damage_issue, uncompressed
from scoring.records import DocumentRecord, Issue

Form = Callable[[BinaryIO, Search], Iterator[Hit]]


def _records(read: Callable[..., Iterator[Hit]]) -> Form:
    """A form whose records a reader of `scoring.formats` gives, all of them."""

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
"""Which places ids may be addresses of, by form."""


def search_stream(raw: BinaryIO, search: Search, name: str) -> Iterator[tuple[str, Hit]]:
    """(file, document or issue) of one shard; where shards are tar archives the file is that inside."""
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
