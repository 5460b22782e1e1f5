"""Shards of every form, made by the tests themselves: five documents a file, d-0 … d-4."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pyarrow
import pyarrow.parquet
import zstandard

COUNT = 5


def texts(start: int = 0, count: int = COUNT) -> list[dict[str, str]]:
    """Records as JSON collections have them; the id stands first."""
    return [
        {
            "docid": f"d-{number}",
            "url": f"http://example.org/{number}",
            "title": f"Title {number}",
            "body": f"Body of document {number}, with “quotes” and d-{number + 1}.",
        }
        for number in range(start, start + count)
    ]


def json_lines(records: Sequence[dict[str, object]] | Sequence[dict[str, str]]) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


def warc_record(docno: str, body: str, *, kind: str = "response", header: str = "WARC-TREC-ID") -> bytes:
    http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{body}".encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\n{header}: {docno}\r\nWARC-Target-URI: http://example.org/{docno}\r\n"
        f"WARC-Date: 2020-01-02T03:04:05Z\r\nContent-Type: application/http\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def warc_records(count: int = COUNT) -> list[bytes]:
    """A warcinfo record that carries a docno, too, and then the documents."""
    info = warc_record("d-0", "about this file", kind="warcinfo")
    return [info, *(warc_record(f"d-{number}", f"<p>Page {number}</p>") for number in range(count))]


def parquet(path: Path, rows: Sequence[dict[str, object]] | Sequence[dict[str, str]], *, group: int = 2) -> None:
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), path, row_group_size=group)


def tar_of(members: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return target.getvalue()


def packed(content: bytes, name: str) -> bytes:
    """The content as the ending of the name says."""
    if name.endswith(".gz"):
        return gzip.compress(content, mtime=0)
    return zstandard.compress(content) if name.endswith(".zst") else content


def collection_toml(folder: Path, text: str) -> Path:
    path = folder / "collection.toml"
    path.write_text(text, encoding="utf-8")
    return path


def docnos_file(folder: Path, *docnos: str) -> Path:
    path = folder / "docnos.txt"
    path.write_text("".join(f"{docno}\n" for docno in docnos))
    return path
