"""Guesses from its first record what a file of records is: its form, and what its members contain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from scoring.collections.members import OWN_NAME, Members, known_presets, preset_members
from scoring.collections.record_files import is_of_lists
from scoring.file_kinds import name_words, recognise_beginning
from scoring.file_kinds.names import TOPIC_IDS
from scoring.formats.doc_records import RECORD_LIMIT
from scoring.formats.document_facts import UNNAMED, is_row_number
from scoring.formats.separated import LOOKED_AT, Table, table_of
from scoring.formats.unfit_files import no_documents, unread_kind
from scoring.reading.json_reading import Flaw, parse_json
from scoring.reading.json_values import json_values
from scoring.reading.opening import excerpt_of, open_input
from scoring.reading.unpacking import damage_errors, damage_issue
from scoring.records import Issue

NAMED = {
    "id": (
        "docno",
        "docid",
        "doc_id",
        "document_id",
        "id",
        "_id",
        "pmid",
        "cord_uid",
        "pid",
        "passage_id",
        "psg_id",
        "paper_id",
        "uuid",
    ),
    "text": ("text", "contents", "content", "html", "body", "segment", "passage_text", "passage", "abstract"),
    "title": ("title", "headline"),
    "url": ("url", "article_url", "link", "uri"),
    "date": ("date", "published", "publish_time", "published_date", "timestamp", "time", "created"),
}
"""The usual names of members, the likeliest first."""

LISTS = ("candidates", "hits", "results", "documents", "docs", "passages", "contexts", "ctxs", "positive_ctxs")
"""Members that hold a list of records, in an object that is not a record itself."""

_HEAD = 1 << 16  # how many bytes are used to recognise a file
_NAMES = 60  # how many members, and how many characters of each, are shown
MOST_NAMES = 10_000  # how many members or columns of a record are looked at
_DEEP = 3  # how deep names are looked for in nested objects


@dataclass(frozen=True, kw_only=True, slots=True)
class Guess:
    """What a file most likely is. ``names`` are the names of the members of its first record. ``preset`` is a known
    collection whose records have these members, or "".
    """

    members: Members
    names: tuple[str, ...] = ()
    preset: str = ""

    def further(self, members: Members) -> tuple[str, ...]:
        """Return the names that become further fields when a file is read with these members."""
        used = _shortened(sorted(members.used()))
        return tuple(name for name in self.names if name not in used)


def guess_members(path: Path) -> Guess | Issue:
    """Return what a file most likely is, judged by its first record. Return an issue if it is not a file of records.
    Raises CannotOpen.
    """
    try:
        with open_input(path) as stream:
            head = stream.read(_HEAD)
        if head.startswith(b"PAR1"):
            return _named("parquet", _parquet_names(path), {})
        if head.startswith(b"WARC/"):
            return Guess(members=Members(form="warc", media_type="text/html"))
        if issue := no_documents(head):
            return issue
        shape = recognise_beginning(head).shape
        if shape.is_wide:
            message = f"The file is written in {shape.encoding}. Save it as UTF-8, and load it again."
            return Issue(where="", code="document-format", message=message)
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if start.startswith((b"{", b"[")):
            return _json_guess(path, _json_form(start) if start.startswith(b"{") else "json")
        return _table_guess(head)
    except damage_errors() as error:
        return damage_issue(error)


def plain_records(path: Path) -> Members | None:
    """Return how to read a file of records that needs no confirmation: JSON, Parquet, or a table with a line of names,
    whose docno and text have usual names. Return None for any other file. Raises CannotOpen.
    """
    guess = guess_members(path)
    if isinstance(guess, Issue) or guess.members.missing() or guess.members.listed or not guess.members.id:
        return None
    members = guess.members
    return members if not members.is_table or members.header == "yes" else None


def _json_guess(path: Path, form: str) -> Guess | Issue:
    with open_input(path) as stream:
        value: Any = next(json_values(stream), None) if form == "json" else _first_line(stream)
    if isinstance(value, tuple):
        value = value[1]
    if isinstance(value, Flaw | Issue) or not isinstance(value, Mapping):
        reason = value.message if isinstance(value, Flaw | Issue) else "It is no object."
        message = f"The first record is not one JSON object: {reason} Write one object for each document."
        return Issue(where=1, code="json", message=message)
    if _is_by_names(value):
        flat = _members_of(next(iter(value.values())))
        guess = _named("json", list(flat), flat)
        return replace(guess, members=replace(guess.members, id=OWN_NAME))
    if next((name for name in LISTS if is_of_lists(value, name)), ""):
        form, value = "json", next(iter(value.values()))
    flat = _members_of(value)
    guess = _named(form, list(flat), flat)
    inner = next((name for name in LISTS if isinstance(value.get(name), list)), "")
    if not inner or any("." not in name for name in guess.members.text):
        return guess
    first = next((each for each in value[inner] if isinstance(each, Mapping)), {})
    flat = _members_of(first)
    return _named(form, list(flat), flat, listed=inner)


def _is_by_names(value: Mapping[str, Any]) -> bool:
    """Return whether one object contains all records, each named by its docno. Then every record has a text, and none
    has an id member.
    """
    texts, ids = set(NAMED["text"]), set(NAMED["id"])
    return bool(value) and all(
        isinstance(one, Mapping) and texts & one.keys() and not ids & one.keys() for one in value.values()
    )


def _first_line(stream: BinaryIO) -> Any | Flaw:
    line = stream.readline(RECORD_LIMIT)
    while line and not line.strip():
        line = stream.readline(RECORD_LIMIT)
    return parse_json(line.decode("utf-8", "replace").removeprefix("\ufeff"))


def _json_form(head: bytes) -> str:
    """Return the layout of a JSON file with this beginning. It is "json-lines" if the first line is an object, or looks
    like the first part of a long object; otherwise it is "json".
    """
    first, end, rest = head.partition(b"\n")
    is_line = first.rstrip().endswith(b"}") if end else len(head) == _HEAD
    return "json-lines" if is_line or not rest.strip() else "json"


def _members_of(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first members of an object, which are enough to recognise it."""
    return dict(islice(_flattened(value), MOST_NAMES))


def _flattened(value: Mapping[str, Any], before: str = "", deep: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the members of an object; those of inner objects are named by their path, as in "doc.segment"."""
    for name, member in value.items():
        if isinstance(member, Mapping) and member and deep < _DEEP:
            yield from _flattened(member, f"{before}{name}.", deep + 1)
        else:
            yield f"{before}{name}", member


def _table_guess(head: bytes) -> Guess | Issue:
    table = table_of(head)
    if table is not None and table.form == "tsv" and _is_quoted(head):
        table = table_of(head, "csv") or table
    if table is None:
        forms = "JSON, CSV and tab-separated columns with a line of names or without, Parquet and WARC, packed or not"
        kind = recognise_beginning(head)
        if kind.form == "empty":
            message = "The file is empty. Check that the right file was chosen."
            return Issue(where="", code="empty-file", message=message)
        if kind.form in ("packed", "binary"):
            return unread_kind(head, f"Known: {forms}")
        message = f"This is not a file of records in a known form. Known: {forms}."
        return Issue(where="", code="document-format", message=message)
    if table.has_names is False:
        return _by_number(table)
    guess = _named(table.form, table.names, dict(zip(table.names, table.first, strict=False)))
    return replace(guess, members=replace(guess.members, header="yes" if table.has_names else ""))


def _is_quoted(head: bytes) -> bool:
    """Return whether tab-separated columns are quoted as in CSV. They are if there are several lines and, in at least
    one column, every cell is quoted and has its inner quotes doubled.
    """
    lines = head.decode("utf-8", "replace").split("\n")[1:LOOKED_AT]
    rows = [line.rstrip("\r").split("\t") for line in (lines if len(head) < _HEAD else lines[:-1]) if line.strip()]
    width = min(map(len, rows), default=0)
    return len(rows) > 1 and any(all(_QUOTED.fullmatch(row[place]) for row in rows) for place in range(width))


_QUOTED = re.compile(r'"(?:[^"]|"")*"')


def _by_number(table: Table) -> Guess:
    """Guess what columns without names hold: the first is the docno, a URL is recognised by its form, and the longest
    of the others is the text.
    """
    cells = dict(zip(table.names, table.first, strict=True))
    url = next((name for name in table.names[1:] if cells[name].startswith(("http://", "https://"))), "")
    rest = [name for name in table.names[1:] if name != url]
    text = max(rest, key=lambda name: (len(cells[name]), int(name)), default="")
    title = next((name for name in rest if name != text), "") if len(rest) == 2 else ""
    members = Members(
        form=table.form, id=table.names[0], text=(text,) if text else (), title=title, url=url, header="no"
    )
    members = replace(members, media_type=_media_type(members.text, cells))
    preset = next((name for name in known_presets() if preset_members(name) == members), "")
    return Guess(members=members, names=table.names, preset=preset)


def _parquet_names(path: Path) -> list[str]:
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            return list(file.schema_arrow.names)
    except (pyarrow.ArrowException, ValueError) as error:
        raise OSError(str(error)[:200]) from error


def _named(form: str, names: Sequence[str], first: Mapping[str, Any], *, listed: str = "") -> Guess:
    """Return a guess of what each member holds, by the usual meaning of its name. If all members of a known collection
    are present, they are taken as in that collection.
    """
    names = names[:MOST_NAMES]
    usual = {name: _first(names, likely) for name, likely in NAMED.items()}
    if not usual["id"] or usual["id"].lower().endswith((".id", "._id")):  # a seller's, say, inside a product
        usual["id"] = _id_by_ending(form, names) or usual["id"]
    fits = (each for each in known_presets() if _fits(each, form, names, has_id=bool(usual["id"]), listed=listed))
    preset = next(fits, "")
    known = preset_members(preset) or Members()
    text = tuple(name for name in known.text if name in names) or tuple(filter(None, [usual["text"]]))
    rest = {name: getattr(known, name) or usual[name] for name in ("id", "title", "url", "date")}
    media_type = known.media_type if known.media_type != "text/plain" else _media_type(text, first)
    members = Members(form=form, text=text, media_type=media_type, listed=listed, **rest)
    shown = [name or UNNAMED for name in names if not is_row_number(name, first.get(name, 0))]
    return Guess(members=members, names=_shortened(shown), preset=preset)


def _id_by_ending(form: str, names: Sequence[str]) -> str:
    """Return the record's only name that ends in "id", such as product_id, and is no topic's, or "". Of several in
    Parquet, whose rows would be numbered without one, return the first.
    """
    inside = (name for name in names if "." not in name and name.lower() not in TOPIC_IDS)
    found = [name for name in inside if name_words(name)[-1] == "id"]
    return found[0] if len(found) == 1 or (found and form == "parquet") else ""


def _fits(preset: str, form: str, names: Sequence[str], *, has_id: bool, listed: str) -> bool:
    """Return whether a file is read as a known collection is: it has all members that the collection names. If the
    collection names none for the docno, the file must have its form, and no member that looks like a docno either.

    Of records in a list, which stands in the same member as the collection's, the docno and one of the members for
    texts are enough. Return False for a collection without named texts or without a header.
    """
    known = preset_members(preset)
    if known is None or not known.text or known.header == "no" or known.listed != listed:
        return False
    if listed:
        return known.id in names and any(name in names for name in known.text)
    return known.used() <= set(names) and (bool(known.id) or (form == known.form and not has_id))


def _first(names: Sequence[str], usual: Sequence[str]) -> str:
    """Return the first of the ``usual`` names that the file has, or "" if it has none of them. A member of the record
    itself is preferred to a member of an object inside it.
    """
    by_small = {name.strip().lower(): name for name in reversed(names)}
    inside = {name.rpartition(".")[2].strip().lower(): name for name in reversed(names) if "." in name}
    by_small = inside | by_small
    return next((by_small[each] for each in usual if each in by_small), "")


def _media_type(text: Sequence[str], first: Mapping[str, Any]) -> str:
    if any("html" in name.lower() for name in text):
        return "text/html"
    start = str(first.get(text[-1], ""))[:200].lstrip().lower() if text else ""
    return "text/html" if start.startswith(("<!doctype html", "<html")) else "text/plain"


def _shortened(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(excerpt_of(name, length=_NAMES) for name in names[:_NAMES])
