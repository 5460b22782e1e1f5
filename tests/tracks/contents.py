"""What a run returned, made of records or bytes, for tests of a track's scoring."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from assess.protocol import CheckContext, RunContent, SegmentRecord, Submission


def content_of_segments(submission: Submission, segments: Iterable[SegmentRecord], settings: Any) -> RunContent:
    """A run with just these segments."""
    given = list(segments)

    def read(_file: BinaryIO, _context: CheckContext) -> Iterator[SegmentRecord]:
        return iter(given)

    return RunContent(
        submission=replace(submission, read=read),
        open=lambda: io.BytesIO(),
        context=CheckContext(topics=(), settings=settings),
    )


def content_of_file(submission: Submission, path: Path, settings: Any) -> RunContent:
    """The run in a file."""
    opened: Callable[[], AbstractContextManager[BinaryIO]] = lambda: path.open("rb")  # noqa: E731
    return RunContent(submission=submission, open=opened, context=CheckContext(topics=(), settings=settings))


def content_of_bytes(submission: Submission, content: bytes, settings: Any) -> RunContent:
    """The run that these bytes are."""
    return RunContent(
        submission=submission,
        open=lambda: io.BytesIO(content),
        context=CheckContext(topics=(), settings=settings),
    )
