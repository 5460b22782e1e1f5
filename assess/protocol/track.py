"""The whole of one evaluation; how assessors make its topics, and those that files give more than once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assess.base.track_settings import TrackSettings
from assess.protocol.files import JudgmentFile, RunBundle, Submission, TopicFile
from assess.protocol.judging import Stage, Task
from assess.protocol.records import TopicRecord
from assess.protocol.results import Export, Scoring
from scoring.records import DocumentRecord, Issue


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


# Topics that files give more than once, each time with other gold.

Findings = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenTwice:
    """How the organiser chooses what counts of such topics. The choice is about gold, never about what is judged.

    ``findings(topic)`` is what each of them had, in file order; fewer than two where nothing is to be chosen.
    ``setting`` names the track's setting that holds for all of them, and ``chosen_setting`` the one with
    `number=choice` for single ones. ``choices`` maps each of "last", "first" and "all" to what it gives.
    """

    noun: str  # "claim"
    setting: str
    chosen_setting: str
    findings: Callable[[TopicRecord], Findings]
    choices: Mapping[str, Callable[[Findings], tuple[str, ...]]]


# The whole of one evaluation.


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextPart:
    """A part of what is shown of a topic beside the work: a narrative, the turns before, statements.

    ``lines`` are (label, text) pairs: ("User", "…"), ("3", "I live in …"); a label may be "".
    """

    heading: str
    lines: tuple[tuple[str, str], ...]
    is_open: bool = True  # shown at once; else the heading opens it


Place = tuple[str, tuple[str | int, ...]]
"""Where a text stands: a topic's number, and the way to it: ("text",), or names and indices from its ``fields`` on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    """A text of a topic that people read, by which it can be amended once judging has begun.

    ``key`` names it among those of its topic, ``label`` says what it is. A text that stands in several records of a
    series (a turn, and its dialogue) has several ``places``, and is the same in all of them.
    """

    key: str
    label: str
    text: str
    places: tuple[Place, ...]


def named_wordings(topic: TopicRecord, names: Mapping[str, str]) -> Iterator[Wording]:
    """Return those of a topic's fields with these names, each with its label, in which there is a text."""
    for name, label in names.items():
        if text := topic.fields.get(name):
            yield Wording(key=name, label=label, text=str(text), places=((topic.number, (name,)),))


@dataclass(frozen=True, kw_only=True, slots=True)
class Track:
    """All that is special about one evaluation. Everything else is shared.

    ``context(topic, ancestors)`` says what assessors see of a topic beside the work; the nearest ancestor comes first.
    ``documents_in`` gives the documents that a file of the track's own brings, None of any other file.
    ``document_view`` is the view with which documents open at benches, "page" or "text"; "" where each bench says it.
    ``document_facts`` names the facts shown above a document at once ("title", "date", "source", "url", its own
    fields), where the rest is closed; None: title, date, source and address. ``drafting`` says how assessors make
    topics themselves; None where topics come in files alone. ``given_twice`` says how topics are read that files give
    twice with other gold; None where that can't be. ``resolved`` names the field of topics that says by itself what is
    asked, where their text needs what was said before; a topic without it is asked by its text. ``wordings(topic,
    series)`` are the texts of a topic that can be amended, beside its own ``text``, or with it (under the key "text")
    where that stands in other records, too; ``series`` are all records under the same head.
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
    documents_in: Callable[[Path], Iterator[DocumentRecord | Issue] | None] | None = None  # of a file that brings some
    document_view: str = ""
    document_facts: tuple[str, ...] | None = None
    document_files: tuple[str, ...] = ("documents",)  # globs of files and folders for `load_campaign`
    bundles: tuple[RunBundle, ...] = ()
    judgment_files: tuple[JudgmentFile, ...] = ()
    context: Callable[[TopicRecord, tuple[TopicRecord, ...]], Iterable[ContextPart]] | None = None  # topic, ancestors
    resolved: str = ""
    wordings: Callable[[TopicRecord, tuple[TopicRecord, ...]], Iterable[Wording]] | None = None
    drafting: Drafting | None = None
    given_twice: GivenTwice | None = None
    lists_for_series: bool = False  # document lists are of whole series (targets), and none of single questions
    design: str = ""  # the text of the design that says it, which needs no other file; "" of what Python says
    lease_hours: int | None = None  # after how many hours without anything done work goes back, to begin with
    drafts: str = ""  # when assessors see what machine judges said, to begin with: one of `Drafts`; "" is never
    guidelines: str = ""  # the text assessors start from; organisers publish new versions

    def task(self, key: str) -> Task | None:
        """Return the task with this key, or None."""
        return next((task for task in self.tasks if task.key == key), None)

    def stage(self, key: str) -> tuple[Task, Stage] | None:
        """The stage with this key and its task, or None; stage keys are unique in a track."""
        return next(((task, stage) for task in self.tasks for stage in task.stages if stage.key == key), None)

    @property
    def segment_noun(self) -> str:
        """What pages call one segment of a run; "" where no run of the track has segments."""
        return next((each.segment_noun for each in self.submissions if each.segment_noun), "")

    def submission(self, key: str) -> Submission | None:
        """Return the kind of run file with this key, or None."""
        return next((submission for submission in self.submissions if submission.key == key), None)
