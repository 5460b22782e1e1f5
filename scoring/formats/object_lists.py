"""Reads a file that is one JSON list of objects, each taken by a shape (`scoring.formats.json_members`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from scoring.formats.json_members import Shape
from scoring.formats.member_reports import Report
from scoring.reading.json_reading import kind_of, load_json
from scoring.records import Issue


def objects_of_list(file: BinaryIO, *, shape: Shape, wanted: str) -> Iterator[tuple[int, Any, Report] | Issue]:
    """Yield (place, members that the shape takes, report with its issues) for each object of the list.

    ``wanted`` completes the sentence "The file must be …" if the file is not a list. The codes of issues are type,
    no-claims (for an empty list), and those of the shape.
    """
    value = load_json(file)
    if isinstance(value, Issue):
        yield value
        return
    if not isinstance(value, list) or not value:
        what = "an empty list" if value == [] else kind_of(value)
        message = f"The file must be {wanted}, but it is {what}. Check that the right file was chosen."
        yield Issue(where="$", code="no-claims" if value == [] else "type", message=message)
        return
    told: set[str] = set()
    for place, each in enumerate(value):
        report = Report(root=f"$[{place}]", told=told)
        yield place, shape.take(each, report), report
