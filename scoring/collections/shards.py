"""Listing and opening the shards of a collection: files of this machine, or any address that fsspec knows."""

from __future__ import annotations

import glob
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from scoring.collections.model import Collection, Shard
from scoring.reading import CannotOpen
from scoring.records import Issue

_GLOB = ("*", "?", "[")


def list_shards(collection: Collection) -> tuple[list[Shard], list[Issue]]:
    """The shards in the order of the file, globs sorted by name; an issue for each entry that no file answers to."""
    found: dict[str, Shard] = {}
    issues = []
    for entry in collection.shards:
        try:
            listed = list(_remote(entry, collection) if "://" in entry else _local(entry, collection))
        except (OSError, ValueError, ImportError) as error:
            issues.append(_missing(f"{entry} can't be listed: {str(error)[:200]}."))
            continue
        if not listed:
            issues.append(_missing(f"There is no file {entry}. Correct “shards”, or bring the files there."))
        found.update((shard.address, shard) for shard in listed if shard.address not in found)
    return list(found.values()), issues


def _missing(message: str) -> Issue:
    return Issue(where="", code="no-shards", message=message)


def _local(entry: str, collection: Collection) -> Iterator[Shard]:
    place = Path(collection.folder, entry)
    paths = sorted(glob.glob(str(place), recursive=True)) if any(mark in entry for mark in _GLOB) else [str(place)]
    for each in paths:
        path = Path(each)
        if path.is_file():
            within = path.is_relative_to(collection.folder)
            name = path.relative_to(collection.folder).as_posix() if within else each
            stat = path.stat()
            yield Shard(name=name, address=each, size=stat.st_size, modified=str(stat.st_mtime_ns))


def _remote(entry: str, collection: Collection) -> Iterator[Shard]:
    import fsspec

    system, path = fsspec.core.url_to_fs(entry, **collection.options)
    paths = sorted(system.glob(path)) if any(mark in path for mark in _GLOB) else [path]
    for each in paths:
        if system.isfile(each):
            address = system.unstrip_protocol(each)
            yield Shard(name=address, address=address, size=int(system.size(each) or -1))


@contextmanager
def open_shard(shard: Shard, collection: Collection) -> Iterator[BinaryIO]:
    """A stream of a shard's bytes as they are, in which one can seek. CannotOpen where it can't be opened."""
    try:
        if "://" in shard.address:
            import fsspec

            opened: Any = fsspec.open(shard.address, "rb", **collection.options).open()
        else:
            opened = Path(shard.address).open("rb")  # noqa: SIM115 (closed below)
    except (OSError, ValueError, ImportError) as error:
        raise CannotOpen(f"the shard can't be opened: {error}") from error
    with opened:
        yield opened if isinstance(opened, io.BufferedReader) else cast(BinaryIO, io.BufferedReader(opened, 1 << 20))
