"""Reads and writes a bundle: the documents found in a collection, as one Parquet file that the site loads.

    docno media_type charset bytes url date fields       the document; fields is a JSON object of its other members
    sha256 shard offset                                  of the bytes; the file, and the place in the uncompressed file
    page text text_sha256 page_version text_version status note     null unless pages were asked for
    signature                                            MinHash, 512 bytes; null unless asked for

The schema's metadata says `assay: assay-bundle 1`. Rows are in the order of the shards and of the documents within each
shard.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring.formats.doc_records import RECORD_LIMIT, check_docno
from scoring.formats.unfit_files import AS_RECORDS
from scoring.reading.arrow_columns import arrow_column
from scoring.reading.json_reading import parse_json
from scoring.reading.opening import CannotOpen
from scoring.records import DocumentRecord, Issue

FORMAT = "assay-bundle 1"
DOCUMENTS = "documents.parquet"
STATUSES = ("ok", "text-only", "blank", "failed")
ROWS = 500
BYTES = 64_000_000
"""The most rows and bytes in one row group, which is held in memory as a whole."""

SIGNATURE_BYTES = 512
_TEXTS = ("docno", "media_type", "charset", "url", "date", "fields", "sha256", "shard")
_WRITE_FIELDS = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
_PREPARED = ("page", "text", "text_sha256", "page_version", "text_version", "status", "note")


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """A document rendered for display: see `assess.rendering.render`."""

    page: str | None
    text: str
    text_sha256: str
    page_version: str
    text_version: str
    status: str
    note: str


@dataclass(frozen=True, kw_only=True, slots=True)
class BundleDocument:
    """One row of a bundle. ``sha256`` is the digest of the document's bytes; ``signature`` is b"" if it has none."""

    record: DocumentRecord
    sha256: str
    shard: str
    prepared: Prepared | None = None
    signature: bytes = b""


def bundle_schema() -> Any:
    """Return the columns of a bundle as a pyarrow schema."""
    import pyarrow

    columns = [(name, pyarrow.string()) for name in _TEXTS]
    columns += [("bytes", pyarrow.binary()), ("offset", pyarrow.int64())]
    columns += [(name, pyarrow.string()) for name in _PREPARED]
    columns += [("signature", pyarrow.binary())]
    return pyarrow.schema(columns, metadata={"assay": FORMAT})


class PartWriter:
    """Writes the documents of one shard to the bytes of a Parquet file."""

    def __init__(self) -> None:
        self.count = 0
        self._rows: list[dict[str, Any]] = []
        self._size = 0
        self._target = io.BytesIO()
        self._writer: Any = None

    def add(self, found: BundleDocument) -> None:
        """Add a row. Rows are written in groups, so this one may stay in memory until the next group is full."""
        self._rows.append(_row(found))
        self._size += len(found.record.raw)
        self.count += 1
        if len(self._rows) == ROWS or self._size >= BYTES:
            self._flush()

    def done(self) -> bytes:
        """Return the bytes, or b"" if no document was added."""
        self._flush()
        if self._writer is None:
            return b""
        self._writer.close()
        return self._target.getvalue()

    def _flush(self) -> None:
        import pyarrow
        import pyarrow.parquet

        if self._rows:
            if self._writer is None:
                self._writer = pyarrow.parquet.ParquetWriter(self._target, bundle_schema(), compression="zstd")
            schema = bundle_schema()
            columns = [arrow_column([row.get(field.name) for row in self._rows], field.type) for field in schema]
            self._writer.write_table(pyarrow.Table.from_arrays(columns, schema=schema))
            self._rows, self._size = [], 0


def _row(found: BundleDocument) -> dict[str, Any]:
    record, prepared = found.record, found.prepared
    fields = {name: storable(value) for name, value in record.fields.items()}
    row = {
        "docno": record.docno,
        "media_type": record.media_type,
        "charset": record.charset,
        "bytes": record.raw,
        "url": storable(record.url),
        "date": fields.get("DATE", ""),
        "fields": _WRITE_FIELDS(fields),
        "sha256": found.sha256,
        "shard": found.shard,
        "offset": record.offset,
        "signature": found.signature or None,
    }
    if prepared is not None:
        row |= {name: getattr(prepared, name) for name in _PREPARED}
    return row


def storable(text: str) -> str:
    """Return the text without NUL, and with "?" for each unpaired surrogate, since databases accept neither."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def looks_like_bundle(path: Path) -> bool:
    """Return whether a file is Parquet, judged by its first bytes; `unfit_bundle` checks the rest. May raise
    CannotOpen.
    """
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PAR1"
    except OSError as error:
        raise CannotOpen(f"cannot read {path}: {error.strerror or error}") from error


def read_bundle(path: Path) -> Iterator[BundleDocument | Issue]:
    """Yield the documents of a bundle in order, with one row group in memory at a time, and an issue for each malformed
    row.

    The digests of a document's bytes and text are compared with those in its row. The codes of the issues are
    document-format, damaged-file, digest, type, and those of `check_docno`.
    """
    import pyarrow
    import pyarrow.parquet

    if issue := unfit_bundle(path):
        yield issue
        return
    try:
        file = pyarrow.parquet.ParquetFile(path)
        number = 0
        for batch in file.iter_batches(batch_size=50, use_threads=False):
            for row in batch.to_pylist():
                number += 1
                yield _document(row, number)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        yield _damaged(error)


def unfit_bundle(path: Path) -> Issue | None:
    """Return an issue if a Parquet file is not a bundle or is damaged, otherwise None. Only the last bytes of the file
    are read for this.
    """
    import pyarrow
    import pyarrow.parquet

    try:
        schema = pyarrow.parquet.read_schema(path)
    except (pyarrow.ArrowException, OSError) as error:
        return _damaged(error)
    written_format = (schema.metadata or {}).get(b"assay", b"").decode("utf-8", "replace")
    if written_format == FORMAT and schema.remove_metadata().equals(bundle_schema().remove_metadata()):
        return None
    message = (
        f"This is a Parquet file, but no bundle of documents. {AS_RECORDS} Bundles are made with: "
        "python -m scoring find --collection FILE --docnos FILE --out FOLDER."
    )
    return Issue(where="", code="document-format", message=message)


def _damaged(error: Exception) -> Issue:
    message = f"The bundle can't be read: it is cut off or damaged ({str(error)[:200]}). Copy it again."
    return Issue(where="", code="damaged-file", message=message)


def _document(row: dict[str, Any], number: int) -> BundleDocument | Issue:
    def bad(code: str, message: str) -> Issue:
        return Issue(where=number, code=code, message=f"Row {number:,}: {message} It is passed over: make it again.")

    raw, signature = row["bytes"], row["signature"] or b""
    if any(row[name] is None for name in _TEXTS if name != "charset") or raw is None or row["offset"] is None:
        return bad("type", "a column has no value.")
    if issue := check_docno(row["docno"], number):
        return issue
    if any("\0" in row[name] for name in (*_TEXTS, *_PREPARED) if row[name]):
        return bad("nul-byte", "a text holds a NUL character.")
    if len(raw) > RECORD_LIMIT:
        return bad("document-too-large", f"the document has {len(raw):,} bytes; the limit is {RECORD_LIMIT:,}.")
    if hashlib.sha256(raw).hexdigest() != row["sha256"]:
        return bad("digest", f"the bytes of {row['docno']} are not those that sha256 tells of.")
    if signature and len(signature) != SIGNATURE_BYTES:
        return bad("type", f"the signature has {len(signature)} bytes, not {SIGNATURE_BYTES}.")
    fields = parse_json(row["fields"])
    if not isinstance(fields, dict) or not all(isinstance(each, str) for each in fields.values()):
        return bad("type", "“fields” is no JSON object of texts.")
    prepared = None
    if row["text"] is not None:
        prepared = Prepared(page=row["page"], **{name: row[name] or "" for name in _PREPARED if name != "page"})
        if hashlib.sha256(prepared.text.encode()).hexdigest() != prepared.text_sha256:
            return bad("digest", f"the text of {row['docno']} is not that which text_sha256 tells of.")
        if prepared.status not in STATUSES:
            return bad("type", f"the status “{prepared.status[:20]}” is none of {', '.join(STATUSES)}.")
    record = DocumentRecord(
        docno=row["docno"],
        media_type=row["media_type"],
        charset=row["charset"],
        raw=raw,
        url=row["url"],
        offset=row["offset"],
        line=number,
        fields={**fields, "SHARD": row["shard"]},
    )
    return BundleDocument(
        record=record, sha256=row["sha256"], shard=row["shard"], prepared=prepared, signature=signature
    )
