r"""Reads the collection file: TOML that says where the shards of a collection are, what form they have, and what ids
mean.

    name = "RAGTIME 1"
    shards = ["ragtime1/*.jsonl.gz", "s3://bucket/ragtime1/rus.jsonl.zst"]   # beside this file, or any fsspec address
    form = "json-lines"            # a key of `forms.FORMS`
    id = "id"                      # a JSON member, a Parquet column, WARC headers
    text = ["text"]                # JSON, Parquet: the members with the document's text, joined
    title = "title"                # these three may be left out
    url = "url"
    date = "date"
    media_type = "text/plain"      # of the texts
    inside = "*.jsonl.gz"          # for shards that are tar archives: the files in them

    [address]                      # ids give their place, and only that place is read
    pattern = '(?P<shard>shard_\d+)_(?P<row>\d+)'
    shard = "{shard}.parquet"

    [options]                      # for fsspec, as in anon = true

`preset = "climbmix"` fills in the keys of a known collection. gzip and zstd are recognised by the files' first bytes.
Codes: toml, unknown-key, type, missing, value, no-shards, not-utf8. Every issue names its line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from string import Formatter
from typing import Any

from scoring.collections.forms import ADDRESSES, FORMS, WITH_MEMBERS
from scoring.collections.known_collections import PRESETS
from scoring.collections.model import PLACES, Address, Collection
from scoring.reading.opening import CannotOpen
from scoring.records import Issue

_TEXTS = ("name", "form", "title", "url", "date", "media_type", "inside", "preset")
_LISTS = ("shards", "id", "text")
_TABLES = ("address", "options")
KEYS = (*_TEXTS, *_LISTS, *_TABLES)
_AT_LINE = re.compile(r"\(at line ([0-9]+), column ([0-9]+)\)")
LIMIT = 1_000_000


class BadCollection(Exception):
    """Raised when the collection file has errors, which are in ``issues``."""

    def __init__(self, issues: list[Issue]) -> None:
        super().__init__("; ".join(issue.message for issue in issues))
        self.issues = issues


def read_collection(path: Path) -> Collection:
    """Return the collection that a file describes. Raises BadCollection if it has errors, and CannotOpen if it can't be
    read.
    """
    try:
        raw = path.read_bytes()[:LIMIT]
    except OSError as error:
        raise CannotOpen(f"cannot read {path}: {error.strerror or error}") from error
    try:
        text = raw.decode("utf-8")
        values = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise BadCollection([Issue(where=line, code="not-utf8", message="The line is not UTF-8.")]) from error
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits, 1,000 brackets
        raise BadCollection([_syntax(str(error), text)]) from error
    return _Reading(text).collection(values, path)


def _syntax(said: str, text: str) -> Issue:
    match = _AT_LINE.search(said)
    line = int(match[1]) if match else text.count("\n") + 1
    column = f", column {match[2]}" if match else ""
    what = _AT_LINE.sub("", said).strip().rstrip(".")
    message = f"This is no TOML{column}: {what}. Texts stand in quotes, lists in brackets; see the guide's example."
    return Issue(where=line, code="toml", message=message)


class _Reading:
    """Checks the values of a collection file, and finds the line of each issue."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.issues: list[Issue] = []

    def say(self, key: str, code: str, message: str) -> None:
        """Report an issue about a key, at the line of that key."""
        last = key.rpartition(".")[2]
        pattern = re.compile(rf"\s*\[?\s*[\"']?{re.escape(last)}[\"']?\s*[\]=.]")
        line = next((number for number, each in enumerate(self.lines, start=1) if pattern.match(each)), 1)
        self.issues.append(Issue(where=line, code=code, message=message))

    def collection(self, given: Mapping[str, Any], path: Path) -> Collection:
        """Return the collection. Raises BadCollection, with all issues, if there are errors."""
        for key in given.keys() - set(KEYS):
            self.say(key, "unknown-key", f"“{key}” is not used here. Known: {', '.join(KEYS)}.")
        preset = self.text(given, "preset")
        if preset and preset not in PRESETS:
            self.say("preset", "value", f"There is no preset “{preset}”. There are: {', '.join(PRESETS)}.")
        values = {**PRESETS.get(preset, {}), **given}
        form = self.text(values, "form")
        if form not in FORMS:
            has = f"“{form}” is no form" if form else "“form” is missing"
            self.say("form", "value" if form else "missing", f"{has}. Take one of: {', '.join(FORMS)}, or a preset.")
        shards = self.texts(values, "shards")
        if not values.get("shards"):
            self.say("shards", "missing", '“shards” is missing. Name files or addresses: shards = ["part-*.gz"].')
        address = self.address(values.get("address"), form)
        found = Collection(
            name=self.text(values, "name") or preset or path.stem,
            folder=str(path.resolve().parent),
            shards=shards,
            form=form,
            id=self.texts(values, "id"),
            text=self.texts(values, "text"),
            title=self.text(values, "title"),
            url=self.text(values, "url"),
            date=self.text(values, "date"),
            media_type=self.text(values, "media_type") or "text/plain",
            inside=self.text(values, "inside"),
            address=address,
            options=self.table(values, "options"),
        )
        self.together(found)
        if self.issues:
            raise BadCollection(sorted(self.issues, key=lambda issue: issue.where))
        return found

    def together(self, found: Collection) -> None:
        """Check the rules that involve several keys."""
        members = found.form in WITH_MEMBERS
        by_row = found.address is not None and found.form == "parquet"
        if members and len(found.id) != 1 and not (by_row and not found.id):
            self.say("id", "missing", f"Files of the form {found.form} need “id”: the name under which the docno is.")
        if members and not found.text:
            self.say("text", "missing", f"Files of the form {found.form} need “text”: the names of what is read.")
        if not members and found.form in FORMS:
            for key in ("text", "title", "url", "date") + (() if found.form == "warc" else ("id",)):
                if getattr(found, key):
                    self.say(key, "value", f"Files of the form {found.form} say that themselves. Leave “{key}” out.")
        if found.inside and found.form == "parquet":
            self.say("inside", "value", "Parquet files can't be read inside an archive. Unpack them first.")
        if found.inside and found.address is not None:
            self.say("inside", "value", "Ids are addresses of files, not of archives. Unpack the archives first.")

    def address(self, value: Any, form: str) -> Address | None:
        """Return the table [address], or None if it is missing or wrong."""
        if value is None:
            return None
        if not isinstance(value, dict) or {type(each) for each in value.values()} - {str}:
            self.say("address", "type", "“address” is a table with two texts: pattern and shard.")
            return None
        for key in value.keys() - {"pattern", "shard"}:
            self.say(key, "unknown-key", f"“{key}” is not used in [address]. Known: pattern, shard.")
        for key in ("pattern", "shard"):
            if not value.get(key):
                self.say("address", "missing", f"[address] needs “{key}”.")
                return None
        try:
            groups = re.compile(value["pattern"]).groupindex
        except re.error as error:
            self.say("pattern", "value", f"“pattern” is no regular expression: {error}.")
            return None
        places = [each for each in PLACES if each in groups]
        takes = ADDRESSES.get(form, ())
        if len(places) != 1 or (takes and places[0] not in takes):
            named = " or ".join(f"(?P<{each}>…)" for each in takes or PLACES)
            self.say("pattern", "value", f"“pattern” needs one group that gives the place: {named}.")
            return None
        if form in FORMS and not takes:
            self.say("address", "value", f"Ids of the form {form} can't be addresses here. Leave [address] out.")
            return None
        try:
            names = {name for _, name, _, _ in Formatter().parse(value["shard"]) if name is not None}
        except ValueError as error:
            self.say("shard", "value", f"“shard” is no name with groups in braces: {error}.")
            return None
        if unknown := names - set(groups):
            self.say("shard", "value", f"“pattern” has no group {', '.join(sorted(unknown))}, which “shard” names.")
            return None
        return Address(pattern=value["pattern"], shard=value["shard"])

    def text(self, values: Mapping[str, Any], key: str) -> str:
        """Return the value as text, or "" if it is missing. A value of another type is reported, and "" is returned."""
        value = values.get(key, "")
        if isinstance(value, str):
            return value.strip()
        self.say(key, "type", f"“{key}” must be a text in quotes.")
        return ""

    def texts(self, values: Mapping[str, Any], key: str) -> tuple[str, ...]:
        """Return the value as a tuple of texts. In the file it may be one text or a list of texts. Any other value is
        reported, and () is returned.
        """
        value = values.get(key, [])
        listed = [value] if isinstance(value, str) else value
        if isinstance(listed, list) and all(isinstance(each, str) and each.strip() for each in listed):
            return tuple(listed)
        self.say(key, "type", f"“{key}” must be a text or a list of texts, each in quotes and none empty.")
        return ()

    def table(self, values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        """Return the value as a table, or an empty table if it is missing. A value that is not a table is reported, and
        an empty table is returned.
        """
        value = values.get(key, {})
        if isinstance(value, dict):
            return value
        self.say(key, "type", f"“{key}” must be a table: [{key}].")
        return {}
