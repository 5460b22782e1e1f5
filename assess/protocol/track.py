"""The whole of one evaluation, including how assessors draft its topics, and topics that files give more than once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assess.base.track_settings import TrackSettings
from assess.protocol.files import JudgmentFile, RunBundle, Submission, TopicFile
from assess.protocol.judging import PoolRecipe, Stage, Task
from assess.protocol.records import TopicRecord
from assess.protocol.results import Export, Scoring
from scoring.records import DocumentRecord, Issue


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftPart:
    """A question of a draft. ``key`` is its number in the draft, from 1. It never changes, so finds stay with it."""

    key: int
    task: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftContent:
    """The content of a draft: its text and type, the questions under it, the author's definition and notes.

    ``query`` is the search whose first documents are judged, to estimate the number of relevant ones.
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

    ``head`` is the name for the text of a draft: "Target", "Question". With ``parts``, (fewest, most), a draft has that
    many questions, each of one of ``tasks``; without it, the text is the question itself. ``definition`` is the name
    for the author's own definition, or "" if none is asked for. ``records(content, number, ordinal)`` returns the
    topics that an accepted draft becomes, the head first.
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
    """How the organiser chooses what counts for topics given twice. The choice affects gold, never what is judged.

    ``findings(topic)`` returns the findings of each occurrence in file order; fewer than two if there is nothing to
    choose. ``setting`` names the track's setting for all of them, and ``chosen_setting`` the one with `number=choice`
    for single topics. ``choices`` maps "last", "first" and "all" to functions that return the findings that count.
    """

    noun: str  # "claim"
    setting: str
    chosen_setting: str
    findings: Callable[[TopicRecord], Findings]
    choices: Mapping[str, Callable[[Findings], tuple[str, ...]]]


# The whole of one evaluation.


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextPart:
    """A part of what is shown about a topic beside the work: a narrative, earlier turns, statements.

    ``lines`` are (label, text) pairs: ("User", "…"), ("3", "I live in …"); a label may be "".
    """

    heading: str
    lines: tuple[tuple[str, str], ...]
    is_open: bool = True  # shown at once; otherwise a click on the heading opens it


Place = tuple[str, tuple[str | int, ...]]
"""The place of a text: a topic's number and a path, which is ("text",) or names and indices below its ``fields``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    """A text of a topic that people read, and that can be amended after judging has begun.

    ``key`` identifies it within its topic, ``label`` says what it is. A text in several records of a series (a turn,
    and its dialogue) has several ``places``, and is the same in all of them.
    """

    key: str
    label: str
    text: str
    places: tuple[Place, ...]


def named_wordings(topic: TopicRecord, names: Mapping[str, str]) -> Iterator[Wording]:
    """Yield the wordings of a topic's fields with these names, each with its label. Fields without a text are
    skipped.
    """
    for name, label in names.items():
        if text := topic.fields.get(name):
            yield Wording(key=name, label=label, text=str(text), places=((topic.number, (name,)),))


@dataclass(frozen=True, kw_only=True, slots=True)
class Track:
    """Everything that is special about one evaluation. All else is shared.

    ``context(topic, ancestors)`` returns what assessors see of a topic beside the work; the nearest ancestor comes
    first. ``documents_in`` returns the documents in a file of the track's own format, and None for any other file.
    ``document_view`` is the view in which benches open documents, "page" or "text"; "" leaves it to each bench.
    ``document_facts`` names the facts shown above a document at once ("title", "date", "source", "url", its own
    fields), while the others are folded; None means title, date, source and address.

    ``drafting`` says how assessors make topics themselves, and is None if topics come only from files. ``given_twice``
    says how topics are read that files give twice with different gold, and is None if that can't happen. ``resolved``
    names the field of topics with a question that is complete by itself, for tracks whose texts depend on earlier
    turns; a topic without it uses its text. ``wordings(topic, series)`` returns the texts of a topic that can be
    amended besides its own ``text``. That text is included (under the key "text") only if other records contain it,
    too. ``series`` are all records under the same head.
    """

    key: str  # "tac2008-qa"; stored in Campaign.track, never renamed
    label: str
    source: str
    settings: type[TrackSettings]  # the settings of an organiser, every field with a default
    topic_files: tuple[TopicFile, ...]
    submissions: tuple[Submission, ...]
    tasks: tuple[Task, ...]
    exports: tuple[Export, ...]
    scoring: Scoring
    document_formats: tuple[str, ...] = ("blog06", "trec-sgml", "text")
    documents_in: Callable[[Path], Iterator[DocumentRecord | Issue] | None] | None = None  # for the track's own files
    document_view: str = ""
    document_facts: tuple[str, ...] | None = None
    document_files: tuple[str, ...] = ("documents*",)  # glob patterns of files and folders for `load_campaign`
    bundles: tuple[RunBundle, ...] = ()
    judgment_files: tuple[JudgmentFile, ...] = ()
    context: Callable[[TopicRecord, tuple[TopicRecord, ...]], Iterable[ContextPart]] | None = None  # topic, ancestors
    resolved: str = ""
    wordings: Callable[[TopicRecord, tuple[TopicRecord, ...]], Iterable[Wording]] | None = None
    drafting: Drafting | None = None
    given_twice: GivenTwice | None = None
    lists_for_series: bool = False  # document lists are for whole series (targets), not for single questions
    language: str = "en"  # the code (ISO 639) of its topics, and of what is judged and written in it
    design: str = ""  # the text of its design, complete in itself; "" for a track in Python
    lease_hours: int | None = None  # initially, after how many idle hours work goes back
    drafts: str = ""  # initially, when assessors see machine judgments: one of `Drafts`; "" is never
    guidelines: str = ""  # the text assessors start from; organisers publish new versions

    def task(self, key: str) -> Task | None:
        """Return the task with this key, or None."""
        return next((task for task in self.tasks if task.key == key), None)

    def stage(self, key: str) -> tuple[Task, Stage] | None:
        """Return the stage with this key and its task, or None. Stage keys are unique in a track."""
        return next(((task, stage) for task in self.tasks for stage in task.stages if stage.key == key), None)

    @property
    def segment_noun(self) -> str:
        """The pages' noun for a segment of a run; "" if no run of the track has segments."""
        return next((each.segment_noun for each in self.submissions if each.segment_noun), "")

    def submission(self, key: str) -> Submission | None:
        """Return the kind of run file with this key, or None."""
        return next((submission for submission in self.submissions if submission.key == key), None)


def ranked_recipe(track: Track, task: Task) -> PoolRecipe | None:
    """Return the recipe of a task to which strategies of pooling apply: its kind is ranked by runs and has a depth.

    Return None if the task has no such recipe.
    """
    ranked = {
        ranking.kind for each in track.submissions if task.key in each.tasks for ranking in each.rankings
    }  # fmt: skip
    return next((each for each in task.pooling if each.depth_setting and each.kind in ranked), None)
