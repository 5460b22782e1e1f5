"""Holds the content of a collection file, and a search of one of its shards."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from scoring.records import DocumentRecord, Issue

Hit = DocumentRecord | Issue

PLACES = ("row", "byte", "record")
"""The places that an id may contain: the row of a Parquet file, a byte of the unpacked file, or a record, counted from
0.
"""

PACKED = (".gz", ".zst")


@dataclass(frozen=True, kw_only=True)
class Address:
    """How a docno says where its document is. ``pattern`` is a regular expression with a group named row, byte or
    record. ``shard`` is the name of the file, with the pattern's other groups in braces: "{shard}.parquet". The endings
    .gz and .zst of file names are ignored.
    """

    pattern: str
    shard: str

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, compiled once."""
        return re.compile(self.pattern)

    @property
    def kind(self) -> str:
        """The kind of place: row, byte or record."""
        return next(each for each in PLACES if each in self.compiled.groupindex)

    def place_of(self, docno: str) -> tuple[str, int] | None:
        """Return (name of the file, place in it) for a docno, or None if the docno does not say where its document is.

        >>> Address(pattern=r"(?P<shard>shard_[0-9]+)_(?P<row>[0-9]+)", shard="{shard}.parquet").place_of("shard_07_3")
        ('shard_07.parquet', 3)
        """
        match = self.compiled.fullmatch(docno)
        if match is None or not _PLACE.fullmatch(match[self.kind] or ""):
            return None
        return self.shard.format(**match.groupdict("")), int(match[self.kind])


_PLACE = re.compile("[0-9]{1,18}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Collection:
    """The content of a collection file: see `collection_file`. Members, columns and headers have the names that the
    collection's files use.
    """

    name: str
    folder: str
    shards: tuple[str, ...]
    form: str
    id: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    title: str = ""
    url: str = ""
    date: str = ""
    media_type: str = "text/plain"
    inside: str = ""
    address: Address | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def used(self) -> frozenset[str]:
        """The names of all members that are read."""
        return frozenset({*self.id, *self.text, self.title, self.url, self.date} - {""})


@dataclass(frozen=True, kw_only=True, slots=True)
class Shard:
    """One file of a collection: the name that people see, where it is, and its size in bytes (-1: unknown)."""

    name: str
    address: str
    size: int
    modified: str = ""

    @property
    def base(self) -> str:
        """The file's name as `base_name` gives it. An `Address` names shards in this form."""
        return base_name(self.address)


def base_name(address: str) -> str:
    """Return a file's name without folders and without the endings of `PACKED`, such as .gz.

    >>> base_name("s3://bucket/en/en0004-67.json.gz")
    'en0004-67.json'
    """
    name = address.rstrip("/").rpartition("/")[2]
    for ending in PACKED:
        name = name.removesuffix(ending)
    return name


@dataclass(kw_only=True, slots=True)
class Search:
    """A search of one shard: the documents that are wanted, and the number of records read so far.

    ``places`` maps docnos to places, if docnos say where their documents are. It is None if the id of every record must
    be read. ``passed_over`` counts the records that are not documents, by their type.
    """

    collection: Collection
    docnos: frozenset[str]
    places: dict[str, int] | None = None
    name: str = ""
    read: int = 0
    passed_over: Counter[str] = field(default_factory=Counter)

    def by_place(self) -> list[tuple[int, str]]:
        """Return (place, docno) of the wanted documents, sorted by place."""
        return sorted((place, docno) for docno, place in (self.places or {}).items())


def misplaced(docno: str, place: int, kind: str, found: str | None) -> Issue:
    """Return the issue for a docno that says where its document is, if there is no document or another one at that
    place.
    """
    there = f"there stands {found[:80]}" if found else "there is no such document"
    message = (
        f"{docno} says that it stands at {kind} {place:,} of the file, but {there}. Check that the shard is the one "
        "that the ids were made from."
    )
    return Issue(where=f"{kind} {place}", code="misplaced-id", message=message)
