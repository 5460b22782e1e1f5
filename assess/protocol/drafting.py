"""How assessors make the topics of a track."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from assess.protocol.records import TopicRecord


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftPart:
    """One question of a draft. ``key`` names it for ever, from 1, so that what was found for it stays with it."""

    key: int
    task: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftContent:
    """What a draft says: its text and type, the questions under it, the author's definition and notes.

    ``query`` is the search whose first documents are judged, to estimate how many relevant ones there are.
    """

    text: str = ""
    task: str = ""
    parts: tuple[DraftPart, ...] = ()
    definition: str = ""
    notes: str = ""
    query: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Drafting:
    """How topics of a track are drafted.

    ``head`` is what the text of a draft is called: "Target", "Question". With ``parts``, (fewest, most), it holds so
    many questions, each of one of ``tasks``; without, the text is the question itself. ``definition`` is what the
    author's own definition is called, "" where none is asked. ``records(content, number, ordinal)`` are the topics
    that an accepted draft becomes, the head first.
    """

    head: str
    tasks: tuple[str, ...]
    records: Callable[[DraftContent, str, int], Iterable[TopicRecord]]
    parts: tuple[int, int] | None = None
    definition: str = ""
    help: str = ""
