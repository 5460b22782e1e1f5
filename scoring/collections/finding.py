"""Finds documents: decides which shards to search, skips those already done, and writes the bundle of everything found.

    BUNDLE/search.json             the wanted documents; a search can be continued only with the same ones
    BUNDLE/shards/00003.json       one shard that is done: records, documents, issues; 00003.parquet holds the documents
    BUNDLE/documents.parquet       at the end: see `scoring.collections.bundle`
    BUNDLE/missing.txt             docnos that no shard holds, one a line
    BUNDLE/bundle.json             which documents were found in which shard

Only the caller's process writes, one shard at a time and each file as a whole, so that no work is repeated after a
crash.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from scoring.collections.bundle import DOCUMENTS, FORMAT, bundle_schema
from scoring.collections.model import Collection as CollectionFile
from scoring.collections.model import Shard
from scoring.collections.searching import ShardFound, ShardTask, pack_docnos, run_tasks, second_occurrence
from scoring.collections.shards import list_shards
from scoring.reading.json_reading import parse_json
from scoring.records import Issue, has_errors

NAMED = 5


class OtherSearch(Exception):
    """Raised when the output folder holds another search or other files. The message is shown to the person."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FindRequest:
    """The documents to find, and what to compute for each of them in the same pass. ``docnos`` are distinct."""

    docnos: frozenset[str]
    pages: bool = False
    signatures: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ShardRow:
    """One shard whose search is done."""

    shard: str
    read: int
    found: int
    issues: tuple[tuple[str, Issue], ...] = field(default=(), repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundBundle:
    """The result of a search. ``issues`` holds (file name, issue) for problems of the shards and of the search
    itself.
    """

    documents: int
    missing: Sequence[str]
    shards: Sequence[ShardRow]
    issues: Sequence[tuple[str, Issue]]


def find_documents(
    *,
    collection: CollectionFile,
    request: FindRequest,
    out: Path,
    workers: int = 1,
    scheduler: str = "",
    report_progress: Callable[[str, int, int], None] = lambda shard, done, total: None,
    say: Callable[[str], None] = lambda _: None,
) -> FoundBundle:
    """Search the collection and write the bundle. Shards that were searched without errors are not searched again.

    If a docno says in which shard its document is, only that shard is searched for it. Raises OtherSearch if ``out``
    holds anything but this search; NoScheduler and OSError are passed on. The bundle does not depend on the workers, or
    on the order in which shards finish.
    """
    listed, missing_shards = list_shards(collection)
    issues = [(collection.name, issue) for issue in missing_shards]
    tasks, unplaced = _tasks(listed, collection, request)
    issues += [(collection.name, issue) for issue in unplaced]
    _begin(out, collection, request)
    parts = [_Part(out / "shards", number, task) for number, task in tasks]
    left = [part for part in parts if part.needs_search()]
    by_shard = {part.task.shard.address: part for part in left}
    done = len(parts) - len(left)
    for task, found in run_tasks([part.task for part in left], workers=workers, scheduler=scheduler, say=say):
        by_shard[task.shard.address].write(found)
        done += 1
        report_progress(task.shard.name, done, len(parts))
    return _finish(out, collection, request, parts, issues)


# ---------------------------------------------------------------- what is searched


def _tasks(
    listed: Sequence[Shard], collection: CollectionFile, request: FindRequest
) -> tuple[list[tuple[int, ShardTask]], list[Issue]]:
    """Return (number of the shard, task) for each shard that may contain a wanted document. Also return an issue about
    the docnos that belong to no shard.
    """

    def task(shard: Shard, packed: bytes) -> ShardTask:
        return ShardTask(
            shard=shard, collection=collection, packed=packed, pages=request.pages, signatures=request.signatures
        )

    if collection.address is None:
        packed = pack_docnos(request.docnos)
        return [(number, task(shard, packed)) for number, shard in enumerate(listed)], []
    by_base: dict[str, list[str]] = {}
    strange = []
    for docno in sorted(request.docnos):
        place = collection.address.place_of(docno)
        if place is None:
            strange.append(docno)
        else:
            by_base.setdefault(place[0], []).append(docno)
    issues = []
    if strange:
        message = f"{_some(strange)}: no address of this collection. Check [address] in the collection file."
        issues.append(Issue(where="", code="no-address", message=message))
    names = {shard.base: (number, shard) for number, shard in enumerate(listed)}
    for base, docnos in by_base.items():
        if base not in names:
            message = f"The shard {base} is not among the files, and holds {_some(docnos)}. Add it to “shards”."
            issues.append(Issue(where="", code="missing-shard", message=message))
    if len(names) < len(listed):
        message = "Two shards have the same name, so an address may mean either. Keep one of them in “shards”."
        issues.append(Issue(where="", code="same-name", message=message))
    chosen = sorted((names[base], docnos) for base, docnos in by_base.items() if base in names)
    return [(number, task(shard, pack_docnos(docnos))) for (number, shard), docnos in chosen], issues


def _some(docnos: Sequence[str]) -> str:
    """Return a phrase with the first few docnos and the number of the others."""
    more = f" and {len(docnos) - NAMED:,} more" if len(docnos) > NAMED else ""
    return ", ".join(docnos[:NAMED]) + more


# ---------------------------------------------------------------- what is kept on the way


def _begin(out: Path, collection: CollectionFile, request: FindRequest) -> None:
    """Make the folder, or check that it holds the same search. Raises OtherSearch if it holds anything else."""
    described = json.dumps(asdict(collection), sort_keys=True, default=str)
    mark = {
        "format": FORMAT,
        "collection": hashlib.sha256(described.encode()).hexdigest(),
        "docnos": hashlib.sha256("\n".join(sorted(request.docnos)).encode()).hexdigest(),
        "pages": request.pages,
        "signatures": request.signatures,
    }
    kept = _read_json(out / "search.json")
    if kept is None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise OtherSearch(f"{out} is there already and is no search. Name another folder for --out.")
    if kept is not None and kept != mark:
        other = ", ".join(name for name in mark if kept.get(name) != mark[name])
        raise OtherSearch(f"{out} holds a search that differs in: {other}. Name another folder for --out.")
    (out / "shards").mkdir(parents=True, exist_ok=True)
    _write(out / "search.json", _json(mark))


@dataclass(slots=True)
class _Part:
    """The files that the folder holds for one shard."""

    folder: Path
    number: int
    task: ShardTask

    @property
    def parquet(self) -> Path:
        """The file with its documents; it exists only if there are any."""
        return self.folder / f"{self.number:05}.parquet"

    @property
    def record(self) -> Path:
        """The file that marks the shard as done."""
        return self.folder / f"{self.number:05}.json"

    def needs_search(self) -> bool:
        """Return whether the shard must be searched: it was never finished, it was finished with errors, or its file
        has changed since.
        """
        kept = _read_json(self.record)
        return kept is None or kept.get("of") != self._file() or bool(kept.get("errors"))

    def write(self, found: ShardFound) -> None:
        """Store what was found: the documents first, so that the record is never ahead of them."""
        if found.part:
            _write(self.parquet, found.part)
        else:
            self.parquet.unlink(missing_ok=True)
        issues = [[name, asdict(issue)] for name, issue in found.issues]
        kept = {
            "of": self._file(),
            "shard": self.task.shard.name,
            "read": found.read,
            "found": found.found,
            "errors": has_errors(issue for _, issue in found.issues),
            "issues": issues,
        }
        _write(self.record, _json(kept))

    def row(self) -> ShardRow:
        """Return the row that the shard's record holds."""
        kept = _read_json(self.record) or {}
        issues = tuple((name, Issue(**issue)) for name, issue in kept["issues"])
        return ShardRow(shard=kept["shard"], read=kept["read"], found=kept["found"], issues=issues)

    def _file(self) -> list[Any]:
        shard = self.task.shard
        return [shard.address, shard.size, shard.modified]


# ---------------------------------------------------------------- the end


def _finish(
    out: Path, collection: CollectionFile, request: FindRequest, parts: Sequence[_Part], issues: list[tuple[str, Issue]]
) -> FoundBundle:
    """Write the documents of all shards into one file, then the missing docnos and a description of the bundle."""
    rows = [part.row() for part in parts]
    issues += [each for row in rows for each in row.issues]
    met: dict[str, str] = {}
    target = out / f"{DOCUMENTS}.new"
    issues += _merge(target, parts, met)
    missing = sorted(request.docnos - met.keys())
    with target.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    os.replace(target, out / DOCUMENTS)
    _write(out / "missing.txt", "".join(f"{docno}\n" for docno in missing).encode())
    description = {
        "format": FORMAT,
        "collection": collection.name,
        "wanted": len(request.docnos),
        "documents": len(met),
        "missing": len(missing),
        "sha256": sha256,
        "shards": [{"shard": row.shard, "read": row.read, "found": row.found} for row in rows],
    }
    _write(out / "bundle.json", _json(description))
    return FoundBundle(documents=len(met), missing=missing, shards=rows, issues=issues)


def _merge(target: Path, parts: Sequence[_Part], met: dict[str, str]) -> list[tuple[str, Issue]]:
    """Write every docno once, in the order of the shards, and add it to ``met``. Return an issue for each repeated
    docno.
    """
    import pyarrow
    import pyarrow.parquet

    issues = []
    schema = bundle_schema()
    with pyarrow.parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        for part in (each for each in parts if each.parquet.exists()):
            file = pyarrow.parquet.ParquetFile(part.parquet)
            for group in range(file.num_row_groups):
                table = file.read_row_group(group)
                keep = []
                pairs = zip(table.column("docno").to_pylist(), table.column("sha256").to_pylist(), strict=True)
                for docno, sha256 in pairs:
                    keep.append(docno not in met)
                    if not keep[-1]:
                        issues.append((part.task.shard.name, second_occurrence(docno, 0, same=met[docno] == sha256)))
                    met.setdefault(docno, sha256)
                writer.write_table(table if all(keep) else table.filter(pyarrow.array(keep)))
    return issues


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def _read_json(path: Path) -> dict[str, Any] | None:
    """Return the object in a file; None if there is no such file or it is incomplete."""
    try:
        value = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None
    return value if isinstance(value, dict) else None


def _write(path: Path, content: bytes) -> None:
    """Write a file completely or not at all."""
    new = path.with_name(path.name + ".new")
    new.write_bytes(content)
    os.replace(new, path)
