"""Runs of BioGen, in both forms, as the answers they hold.

    2024   {"team_id": T, "run_name": R, "contact_email": E, "results": [
              {"topic_id": "116", "answer": "Statins help [12, 34].", "references": ["12", "34"]}]}
    2025   {"metadata": {"team_id": T, "run_id": R, "topic_id": "181"}, "responses": [
              {"text": "Statins help.", "citations": ["12", "34"]}]}                     one object a line

In the form of 2025 each response is a sentence; citations may also be an object, docno -> score. Which form a file has
is found out from what it holds. Places are JSON paths in a file of 2024 and line numbers in one of 2025.

Codes, besides those of `scoring.json_reading`: shape, missing-field, field-type, empty-field, unknown-field (warning),
too-long, control-character, pmid-form.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from scoring.json_reading import json_lines, load_json, parse_json
from scoring.reading import excerpt_of
from scoring.records import Issue

FILE_LIMIT = 64 * 1024 * 1024
LINE_LIMIT = 4 * 1024 * 1024
ANSWER_LIMIT = 20_000
NAME_LIMIT = 100
PMID = re.compile(r"[1-9][0-9]{0,8}")

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]")
_ROOT = ("team_id", "run_name", "contact_email", "results")
_RESULT = ("topic_id", "answer", "references")
_METADATA = ("team_id", "run_id", "topic_id")

Place = int | str


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """Who sent the run, as the file says it: once in the form of 2024, on every line in that of 2025."""

    where: Place
    year: int
    team: str
    run: str
    contact: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """One answer as submitted. In the form of 2024 ``text`` holds it all; in that of 2025 ``parts`` are its sentences.

    ``references`` is None where the form has none.
    """

    where: Place
    year: int
    topic: str
    text: str = ""
    parts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    references: tuple[str, ...] | None = None

    @property
    def line(self) -> int | None:
        """The line it stands on, in the form of 2025."""
        return self.where if isinstance(self.where, int) else None


def read_submission(file: BinaryIO) -> Iterator[Head | Answer | Issue]:
    """Heads and answers in file order, with an issue for everything that cannot be taken as it stands.

    An answer with an issue of its own severity "error" is not returned. The file is held in memory, up to 64 MB.
    """
    raw = file.read(FILE_LIMIT + 1)
    if len(raw) <= FILE_LIMIT and _is_lines(raw):
        for line in json_lines(io.BytesIO(raw), limit=LINE_LIMIT):
            if isinstance(line, Issue):
                yield line
            else:
                yield from _line(*line)
        return
    value = load_json(io.BytesIO(raw), limit=FILE_LIMIT)
    if isinstance(value, Issue):
        yield value
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from _line(f"$[{place}]", each)
        if not value:
            yield _issue("$", "shape", "The list is empty. Give one object for each topic.")
    else:
        yield from _document(value)


def _is_lines(raw: bytes) -> bool:
    """Whether a file is one object a line: one of its first lines is a whole object with metadata."""
    start = raw[: 4 * LINE_LIMIT].removeprefix(b"\xef\xbb\xbf").split(b"\n", 12)[:12]
    for line in start:
        if line.lstrip().startswith(b"{") and len(line) <= LINE_LIMIT:
            value = parse_json(line.decode("utf-8", "replace"))
            if isinstance(value, dict) and {"metadata", "responses"} & value.keys():
                return True
    return False


# ---------------------------------------------------------------- the form of 2024


def _document(value: Any) -> Iterator[Head | Answer | Issue]:
    if not isinstance(value, dict):
        message = 'The file must be one object with "team_id", "run_name", "contact_email" and "results".'
        yield _issue("$", "shape", message)
        return
    fields = _Fields("$", value)
    head = Head(
        where="$", year=2024, team=fields.name("team_id"), run=fields.name("run_name"),
        contact=fields.text("contact_email"),
    )  # fmt: skip
    results = fields.list_of("results")
    yield from fields.unknown(_ROOT)
    yield from fields.issues
    yield head
    if results is not None and not results:
        yield _issue("$.results", "empty-field", "There are no results. Give one object for each topic.")
    for place, each in enumerate(results or ()):
        yield from _result(f"$.results[{place}]", each)


def _result(where: str, value: Any) -> Iterator[Answer | Issue]:
    if not isinstance(value, dict):
        yield _issue(where, "field-type", 'A result must be an object with "topic_id", "answer" and "references".')
        return
    fields = _Fields(where, value)
    topic, text = fields.name("topic_id"), fields.text("answer", limit=ANSWER_LIMIT)
    references = fields.pmids("references")
    flawed = bool(fields.issues)
    yield from fields.unknown(_RESULT)
    yield from fields.issues
    if not flawed:
        yield Answer(where=where, year=2024, topic=topic, text=text, references=references)


# ---------------------------------------------------------------- the form of 2025


def _line(where: Place, value: Any) -> Iterator[Head | Answer | Issue]:
    if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
        message = 'Each line must be an object with "metadata" (an object) and "responses" (a list).'
        yield _issue(where, "shape", message)
        return
    head = _Fields(where, value["metadata"], inside="metadata.")
    team, run, topic = (head.name(name) for name in _METADATA)
    fields = _Fields(where, value)
    responses = fields.list_of("responses")
    references = fields.pmids("references") if "references" in value else None
    parts = [_part(where, place, each, fields.issues) for place, each in enumerate(responses or ())]
    if responses is not None and not responses:
        fields.issues.append(_issue(where, "empty-field", "“responses” is empty. Give the sentences of the answer."))
    size = sum(len(text) for text, _ in filter(None, parts))
    if size > ANSWER_LIMIT:
        fields.issues.append(_too_long(where, "responses", size, ANSWER_LIMIT))
    flawed = bool(head.issues or fields.issues)
    yield from (*head.issues, *fields.issues)
    if team and run:
        yield Head(where=where, year=2025, team=team, run=run)
    if not flawed:
        whole = tuple(part for part in parts if part is not None)
        yield Answer(where=where, year=2025, topic=topic, parts=whole, references=references)


def _part(where: Place, place: int, value: Any, issues: list[Issue]) -> tuple[str, tuple[str, ...]] | None:
    if not isinstance(value, dict):
        message = f"responses[{place}] must be an object with “text” and “citations”."
        issues.append(_issue(where, "field-type", message))
        return None
    fields = _Fields(where, value, inside=f"responses[{place}].")
    cited = value.get("citations", [])
    if isinstance(cited, Mapping):
        fields.values = {**value, "citations": list(cited)}
    text = fields.text("text", limit=ANSWER_LIMIT)
    citations = fields.pmids("citations") if fields.values.get("citations") is not None else ()
    issues.extend(fields.issues)
    return None if fields.issues else (text, citations)


# ---------------------------------------------------------------- fields


class _Fields:
    """The members of an object, taken by name and type; what is wrong with them is kept in ``issues``."""

    def __init__(self, where: Place, values: Mapping[str, Any], inside: str = "") -> None:
        self.where = where
        self.values = values
        self.inside = inside
        self.issues: list[Issue] = []

    def name(self, key: str) -> str:
        """A short text of one line, or a whole number as text; "" after an issue."""
        value = self.values.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        text = self.text(key).strip()
        if len(text) > NAME_LIMIT:
            self._say(key, "too-long", f"has {len(text):,} characters; it may have {NAME_LIMIT}. Shorten it.")
            return ""
        if text and (not text.isprintable() or len(text.splitlines()) > 1):
            self._say(key, "control-character", "has a control character or a line break in it. Remove it.")
            return ""
        return text

    def text(self, key: str, *, limit: int = 1000) -> str:
        """A text that is not blank; "" after an issue."""
        value = self.values.get(key)
        if key not in self.values:
            self._say(key, "missing-field", "is missing. Add it.")
        elif not isinstance(value, str):
            self._say(key, "field-type", f"must be text in quotes, not {_kind(value)}.")
        elif not value.strip():
            self._say(key, "empty-field", "is empty. Fill it in.")
        elif len(value) > limit:
            self.issues.append(_too_long(self._place(key), self._shown(key), len(value), limit))
        elif found := _CONTROL.search(value):
            message = f"has a control character (U+{ord(found[0]):04X}) at character {found.start() + 1:,}. Remove it."
            self._say(key, "control-character", message)
        else:
            return value
        return ""

    def list_of(self, key: str) -> list[Any] | None:
        """A list, or None after an issue."""
        value = self.values.get(key)
        if isinstance(value, list):
            return value
        if key not in self.values:
            self._say(key, "missing-field", "is missing. Add it.")
        else:
            self._say(key, "field-type", f"must be a list, not {_kind(value)}.")
        return None

    def pmids(self, key: str) -> tuple[str, ...]:
        """A list of PMIDs as text; entries that are none are left out, each with an issue."""
        found = []
        for place, value in enumerate(self.list_of(key) or ()):
            written = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
            if isinstance(written, str) and PMID.fullmatch(written.strip()):
                found.append(written.strip())
            else:
                shown = excerpt_of(written, length=40) if isinstance(written, str) else _kind(value)
                self._say(f"{key}[{place}]", "pmid-form", f"is no PMID: “{shown}”. Write the number alone.")
        return tuple(found)

    def unknown(self, known: Sequence[str]) -> Iterator[Issue]:
        """A warning for each member that the form does not have."""
        for key in self.values:
            if key not in known:
                message = f"“{excerpt_of(key, length=40)}” is not part of the form; it is not read."
                yield Issue(where=self.where, code="unknown-field", message=message, severity="warning")

    def _place(self, key: str) -> Place:
        return f"{self.where}.{self.inside}{key}" if isinstance(self.where, str) else self.where

    def _shown(self, key: str) -> str:
        return f"{self.inside}{key}"

    def _say(self, key: str, code: str, message: str) -> None:
        self.issues.append(_issue(self._place(key), code, f"“{self._shown(key)}” {message}"))


def _too_long(where: Place, name: str, size: int, limit: int) -> Issue:
    message = f"“{name}” has {size:,} characters; it may have {limit:,}. Shorten it."
    return _issue(where, "too-long", message)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _issue(where: Place, code: str, message: str) -> Issue:
    return Issue(where=where, code=code, message=message)
