"""Runs out of an assessment file: their sentences and citations are taken as they were judged, without limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from assess.protocol import CheckContext, ItemRecord, SegmentRecord
from scoring.records import Issue
from tracks.biogen2024.checks import check
from tracks.biogen2024.runs import NO_LIMIT, read_responses, read_segments


def check_assessed(file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
    """Every rule that the file breaks, but for limits and the list of valid PMIDs: invalid citations were judged."""
    return check(file, replace(_without_limits(context), unknown_docnos=None))


def read_assessed_segments(file: BinaryIO, context: CheckContext) -> Iterator[SegmentRecord]:
    """The sentences of the run, each with all that it cites."""
    return read_segments(file, _without_limits(context))


def read_assessed_responses(file: BinaryIO, context: CheckContext) -> Iterator[ItemRecord]:
    """The whole answers of the run."""
    return read_responses(file, _without_limits(context))


def _without_limits(context: CheckContext) -> CheckContext:
    settings = replace(context.settings, citations_limit=NO_LIMIT, word_limit=NO_LIMIT, word_advice=NO_LIMIT)
    return replace(context, settings=settings)
