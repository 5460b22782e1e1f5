"""Whatever the site writes, its reader reads: each track's exports with any text that a person can type."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assess.base.errors import Invalid
from assess.protocol import DraftContent, Export, TopicRecord
from assess.topic_drafts.domain.writing import checked_content
from nuggets.writing.edits import clean_line
from scoring.formats.tac_columns import is_visible
from scoring.records import Issue
from tests.tracks.track_folder import folder_of
from tracks import TRACKS, find_track

TYPED = {"text", "label", "quote", "note", "group", "answer", "snippet", "answer_class"}
"""Members of records that hold what somebody typed or chose, by their names."""

FROM_RUNS = {"Q.all"}
"""What runs returned: their own reader lets no control character in, and no text that nobody sees."""

EXPORTS = [
    pytest.param(export, folder_of(track) / "expected" / export.name, id=f"{track.key}-{export.name}")
    for track in TRACKS
    for export in track.exports
    if export.read is not None
    and (folder_of(track) / "expected" / export.name).is_file()
    and (track.key, export.name)
    != ("ikat2023", "topics.json")  # its wordings stand in several places (`Track.wordings`)
]
ODD = (
    "]]>", "&amp; <b>", "two\nlines", "cr\rx", "tab\there", "\u202eabc", "\U0001f600", "x\x85x", "x\u2028y",
    "\\u0041", "\\n", "\ufeffbom", "\x7f", 'q"uote\'', "</top>", "<1>", "* a", "# c", "5 vital x", "a\u00a0b",
    "---", "***", " - ", "\u3000 x",
)  # fmt: skip
ANY = st.text(max_size=12) | st.sampled_from(ODD)


def typed(record: Any, text: str) -> Any:
    """The record with the text wherever somebody typed one, at any depth."""
    changed: dict[str, Any] = {}
    for name in (each.name for each in fields(record)):
        value = getattr(record, name)
        if isinstance(value, str) and value and name in TYPED:
            changed[name] = text
        elif isinstance(value, tuple) and value and is_dataclass(value[0]):
            changed[name] = tuple(typed(each, text) for each in value)
    return replace(record, **changed)


def as_taken(text: str, export: Export, records: list[Any]) -> str:
    """The text as the site keeps it where it is typed; "" where it is refused there."""
    if isinstance(records[0], TopicRecord):
        drafting = find_track("tac2008-qa").drafting  # type: ignore[union-attr]
        assert drafting is not None
        content = checked_content(DraftContent(text=text), drafting=drafting)
        return content.text
    if export.name == "judgments.jsonl":
        return text if "\0" not in text else ""  # notes and quotes keep what is typed, line breaks and all
    line = clean_line(text)
    is_refused = not is_visible(line) or any(ord(each) < 32 or 127 <= ord(each) < 160 for each in line)
    return "" if export.name in FROM_RUNS and is_refused else line


def seen(records: Any) -> Iterator[str]:
    for each in records:
        yield repr(replace(each, line=None) if "line" in {one.name for one in fields(each)} else each)


@pytest.mark.parametrize(("export", "path"), EXPORTS)
@given(text=ANY)
@example(text="]]> &lt; \u202e \u2028 \\n \ufeff")
@example(text="\xad")
def test_what_an_export_holds_is_read_again(export: Export, path: Any, text: str) -> None:
    with path.open("rb") as file:
        records = [each for each in export.read(file) if not isinstance(each, Issue)]  # type: ignore[misc]
    try:
        kept = as_taken(text, export, records)
    except Invalid:
        return
    if not kept:
        return
    records = records if isinstance(records[0], TopicRecord) else records[:6]
    # A topic of the file has the text: where every line ends in a number, the file is one of numbers and no topics.
    first = len(records) - 1 if isinstance(records[0], TopicRecord) else 0
    given_ = [*records[:first], *(typed(each, kept) for each in records[first:])]
    content = "".join(f"{line}\n" for line in export.write(given_)).encode()
    read = list(export.read(io.BytesIO(content)))  # type: ignore[misc]
    assert [each for each in read if isinstance(each, Issue) and each.severity == "error"] == []
    assert set(seen(each for each in read if not isinstance(each, Issue))) == set(seen(given_))
