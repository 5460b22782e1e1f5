"""Check that topics that did not come from a file can be read back from the file that the site writes."""

from __future__ import annotations

import io
from collections.abc import Sequence

from django.utils.translation import gettext

from assess.base.errors import Invalid
from assess.protocol import TopicFile, TopicRecord, Track
from scoring.records import Issue


def require_readable(track: Track, records: Sequence[TopicRecord]) -> None:
    """Refuse topics that the track's own reader refuses or reads differently from the file that its writer makes.

    ``records`` are whole series, parents before their children. Only the track's readers define what a topic is, so
    topics from any other source are checked here. The written file is held in memory.
    """
    kinds = [kind for kind in track.topic_files if kind.write is not None and not kind.supplements]
    read = [record for kind in kinds for record in _read_back(kind, records)]
    if kinds and {_compared_values(record) for record in read} != {_compared_values(record) for record in records}:
        raise Invalid(
            gettext(
                "The topic would be read with another number or wording from a file of topics. Write its number "
                "without spaces, and its text without tabs and line breaks."
            )
        )


def _read_back(kind: TopicFile, records: Sequence[TopicRecord]) -> list[TopicRecord]:
    """Write the records to a file of this kind, and return the topics that its reader finds in that file, or none if no
    record belongs in it. Refuse them if the reader reports an error.
    """
    mine = [each for each in records if not kind.shapes or (each.task, each.parent is not None) in kind.shapes]
    if not mine or kind.write is None:
        return []
    content = "".join(f"{line}\n" for line in kind.write(records)).encode("utf-8", "replace")
    found = list(kind.read(io.BytesIO(content)))
    error = next((each for each in found if isinstance(each, Issue) and each.severity == "error"), None)
    if error is not None:
        raise Invalid(
            gettext("No file of topics can hold this, so the track could not read it again. %(error)s")
            % {"error": error.message}
        )
    return [each for each in found if isinstance(each, TopicRecord)]


def _compared_values(record: TopicRecord) -> tuple[str, str, str, str | None]:
    return record.number, record.task, record.text, record.parent
