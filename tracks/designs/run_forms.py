"""What a form of runs adds to designs, and what it contributes to the track of a design."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assess.base.track_settings import TrackSettings
from assess.protocol import (
    ContextPart,
    JudgmentFile,
    PoolRecipe,
    RunBundle,
    Submission,
    TopicFile,
    TopicRecord,
    Wording,
)
from scoring.records import DocumentRecord, Issue
from tracks.designs.run_tables import RunsBase
from tracks.plain_topics import plain_wordings

if TYPE_CHECKING:
    from tracks.designs.shape import Design

Context = Callable[[TopicRecord, tuple[TopicRecord, ...]], Iterable[ContextPart]]
Wordings = Callable[[TopicRecord, tuple[TopicRecord, ...]], Iterable[Wording]]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunsOfTrack:
    """What a form of runs contributes to the track of a design."""

    task: str
    settings: type[TrackSettings]
    topic_files: tuple[TopicFile, ...]
    submission: Submission
    pooling: tuple[PoolRecipe, ...]
    bundles: tuple[RunBundle, ...] = ()
    document_files: tuple[str, ...] = ("documents*",)
    documents_in: Callable[[Path], Iterator[DocumentRecord | Issue] | None] | None = None
    context: Context | None = None
    wordings: Wordings = plain_wordings
    resolved: str = ""
    judgment_files: tuple[JudgmentFile, ...] = ()
    drafts: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class FormOfRuns:
    """A form of runs. ``table`` is the model of its table [runs]. ``items`` maps each word that a stage's `item` may be
    to a kind of items; the first word is the default. ``build`` returns what a design with such a table contributes to
    its track.
    """

    form: str
    table: type[RunsBase]
    items: Mapping[str, str]
    build: Callable[[Design, Any], RunsOfTrack]
