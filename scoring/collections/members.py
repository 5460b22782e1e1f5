"""The names under which the records of a file hold docno, text, title, URL and date, and the form of the file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from scoring.collections.known_collections import PRESETS, RECORD_PRESETS
from scoring.collections.model import Collection
from scoring.formats import separated
from scoring.records import Issue

FORMS = ("json-lines", "json", "csv", "tsv", "parquet", "warc")
OWN_NAME = "*"
"""The ``id`` of records that are members of one object: each record's id is its name there."""
MEDIA_TYPES = ("text/plain", "text/html")
HEADERS = ("yes", "no")


@dataclass(frozen=True, kw_only=True, slots=True)
class Members:
    """The form of a file, and the names of the members of its records. A WARC file needs no names.

    ``id`` is `OWN_NAME` if one object holds all records under their docnos. If a Parquet file has no ``id``, its rows
    are named by the file and their number from 0, as in ClimbMix. A name may be a path, as in "doc.segment". ``listed``
    is the member of a JSON object that holds the list of records, if each object holds one. ``header`` says whether the
    first line of a table holds the names: "yes", "no", or "" to let the line itself decide.
    """

    form: str = ""
    id: str = ""
    text: tuple[str, ...] = ()
    title: str = ""
    url: str = ""
    date: str = ""
    media_type: str = "text/plain"
    listed: str = ""
    header: str = ""

    def missing(self) -> list[Issue]:
        """Return an issue for each name that is missing but needed to read the file, and for a form, media type or
        header that is not known.
        """
        found = []
        if self.form not in FORMS:
            found.append(_wrong("form", f"“{self.form}” is no form. Take one of: {', '.join(FORMS)}."))
        if self.media_type not in MEDIA_TYPES:
            known = ", ".join(MEDIA_TYPES)
            found.append(_wrong("media_type", f"“{self.media_type}” can't be shown. Take one of: {known}."))
        if self.header and self.header not in HEADERS:
            found.append(_wrong("header", f"“{self.header}” is neither yes nor no."))
        if not self.text and self.form != "warc":
            first = ", or write “no” under “header” if the first line is a document" if self._may_have_header else ""
            found.append(_wrong("text", f"Nothing tells which member holds the text. Name it under “text”{first}."))
        if not self.id and self.form != "warc" and (self.form != "parquet" or not self.text):
            other = "; else rows are called by the file and their number" if self.form == "parquet" else ""
            found.append(_wrong("id", f"Nothing tells which member holds the docno. Name it under “id”{other}."))
        return found

    @property
    def _may_have_header(self) -> bool:
        return self.is_table and not self.header and not self.id

    @property
    def is_table(self) -> bool:
        """Whether the records are rows of text, in columns with names or numbers."""
        return self.form in separated.FORMS

    def used(self) -> set[str]:
        """Return the names of all members that are read."""
        return {self.id, *self.text, self.title, self.url, self.date} - {""}

    def as_collection(self) -> Collection:
        """Return these members in the form that the readers of collections need."""
        return Collection(
            name="",
            folder="",
            shards=(),
            form=self.form,
            id=(self.id,) if self.id else (),
            text=self.text,
            title=self.title,
            url=self.url,
            date=self.date,
            media_type=self.media_type,
        )

    def as_values(self) -> dict[str, Any]:
        """Return the members as JSON values, which `members_from` reads back."""
        return {**asdict(self), "text": list(self.text)}


MEMBER_NAMES = tuple(each.name for each in fields(Members))


def members_from(values: Mapping[str, Any]) -> Members:
    """Return the members that a mapping of texts gives by name. ``text`` may be a list, or one text with names
    separated by commas. Names that are no members are ignored.
    """
    known = {each.name: values[each.name] for each in fields(Members) if values.get(each.name)}
    text = known.pop("text", ())
    names = text.split(",") if isinstance(text, str) else text
    return Members(
        **{name: str(value).strip() for name, value in known.items()},
        text=tuple(name.strip() for name in names if name.strip()),
    )


def known_presets() -> list[str]:
    """Return the names of all known collections whose files are read as a whole."""
    return [name for name in (*PRESETS, *RECORD_PRESETS) if preset_members(name) is not None]


def preset_members(preset: str) -> Members | None:
    """Return the members of a known collection. Return None if it is not known, or if its files are not read as a
    whole.
    """
    values = RECORD_PRESETS.get(preset) or PRESETS.get(preset)
    if values is None or values["form"] not in FORMS:
        return None
    return members_from({**values, "id": values.get("id", "") if isinstance(values.get("id", ""), str) else ""})


def _wrong(field: str, message: str) -> Issue:
    return Issue(where=field, code="no-members", message=message)


def members_line(members: Members) -> str:
    """Return the members on one line, for a terminal."""
    return json.dumps({name: value for name, value in members.as_values().items() if value}, ensure_ascii=False)
