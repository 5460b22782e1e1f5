"""The whole of one evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from assess.base.track_settings import TrackSettings
from assess.protocol.drafting import Drafting
from assess.protocol.files import JudgmentFile, RunBundle, Submission, TopicFile
from assess.protocol.given_twice import GivenTwice
from assess.protocol.judging import Stage, Task
from assess.protocol.records import TopicRecord
from assess.protocol.results import Export, Scoring


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextPart:
    """A part of what is shown of a topic beside the work: a narrative, the turns before, statements.

    ``lines`` are (label, text) pairs: ("User", "…"), ("3", "I live in …"); a label may be "".
    """

    heading: str
    lines: tuple[tuple[str, str], ...]
    is_open: bool = True  # shown at once; else the heading opens it


@dataclass(frozen=True, kw_only=True, slots=True)
class Track:
    """All that is special about one evaluation. Everything else is shared.

    ``context(topic, ancestors)`` says what assessors see of a topic beside the work; the nearest ancestor comes first.
    ``drafting`` says how assessors make topics themselves; None where topics come in files alone.
    ``given_twice`` says how topics are read that files give twice with other gold; None where that can't be.
    """

    key: str  # "tac2008-qa"; stored in Campaign.track, never renamed
    label: str
    source: str
    settings: type[TrackSettings]  # what an organiser may set, every field with a default
    topic_files: tuple[TopicFile, ...]
    submissions: tuple[Submission, ...]
    tasks: tuple[Task, ...]
    exports: tuple[Export, ...]
    scoring: Scoring
    document_formats: tuple[str, ...] = ("blog06", "trec-sgml", "text")
    document_files: tuple[str, ...] = ("documents",)  # globs of files and folders for `load_campaign`
    bundles: tuple[RunBundle, ...] = ()
    judgment_files: tuple[JudgmentFile, ...] = ()
    context: Callable[[TopicRecord, tuple[TopicRecord, ...]], Iterable[ContextPart]] | None = None  # topic, ancestors
    drafting: Drafting | None = None
    given_twice: GivenTwice | None = None
    lists_for_series: bool = False  # document lists are of whole series (targets), and none of single questions
    guidelines: str = ""  # the text assessors start from; organisers publish new versions

    def task(self, key: str) -> Task | None:
        """The task with this key, or None."""
        return next((task for task in self.tasks if task.key == key), None)

    def stage(self, key: str) -> tuple[Task, Stage] | None:
        """The stage with this key and its task, or None; stage keys are unique in a track."""
        return next(((task, stage) for task in self.tasks for stage in task.stages if stage.key == key), None)

    def submission(self, key: str) -> Submission | None:
        """The kind of run file with this key, or None."""
        return next((submission for submission in self.submissions if submission.key == key), None)
