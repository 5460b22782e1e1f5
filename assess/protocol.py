"""The records that a track is made of. Imports no Django.

A *track* is one evaluation (TAC 2008 QA, …). Everything special about it stands in one module of
`tracks/`, as values of the classes below; everything else is shared. The site finds the tracks by the
setting ``ASSAY_TRACKS`` and never by name, so a track can be added without touching `assess` or
`nuggets`. The command line (`python -m tracks`) uses the same records without Django.

Files and tasks are apart on purpose: one file of questions can serve several tasks (TAC's rigid and
squishy questions), and one run file can answer them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from assess.track_settings import TrackSettings
from scoring.records import Explanation as Explanation
from scoring.records import Issue, Score
from scoring.records import Step as Step

# ---------------------------------------------------------------- what files become


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicRecord:
    """One topic of a topic file: a question, a turn, a claim, or a series that holds others.

    ``number`` is text and unique in its campaign ("3.4", "9-1_3"). ``task`` is the key of the task that
    asks it, or "" for a record that only groups others (a target). ``parent`` is a number.
    """

    number: str
    task: str
    text: str
    parent: str | None = None
    ordinal: int = 0
    fields: Mapping[str, Any] = field(default_factory=dict)
    line: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CitationRecord:
    """A document that a segment cites, and the item by which its judgment is found."""

    docno: str
    item_kind: str
    item_key: str
    ordinal: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class SegmentRecord:
    """One string or sentence of a run's response to a topic, in the order submitted (from 1).

    ``item_kind`` and ``item_key`` say which item it is: two segments with the same topic, kind and key
    are the same thing and are judged once, whichever runs returned them.
    """

    topic: str
    ordinal: int
    text: str
    docno: str
    item_kind: str
    item_key: str
    line: int | None = None
    citations: tuple[CitationRecord, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class RunForm:
    """What the submitter says about a run, besides the file. ``fields`` holds the track's own questions."""

    tag: str = ""
    team: str = ""
    priority: int | None = None
    automatic: bool = True
    description: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckContext:
    """All that a checker may know: the topics, which docnos are valid, the form, the track's settings.

    ``unknown_docnos(docnos)`` returns those of a batch that are not valid; None where no list of valid
    docnos was given, and then docnos are not checked. ``form`` is None on the command line without one.
    """

    topics: tuple[TopicRecord, ...]
    settings: Any
    unknown_docnos: Callable[[Iterable[str]], set[str]] | None = None
    form: RunForm | None = None


# ---------------------------------------------------------------- what a track reads


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicFile:
    """A file of topics. ``read`` streams records and issues in file order and never raises on bad input."""

    key: str
    label: str
    help: str
    file_names: tuple[str, ...]  # glob patterns by which `load_campaign PATH` finds it
    read: Callable[[BinaryIO], Iterator[TopicRecord | Issue]]


@dataclass(frozen=True, kw_only=True, slots=True)
class FormField:
    """A question of the submission form that only this track asks."""

    key: str
    label: str
    choices: tuple[tuple[str, str], ...] = ()  # empty: free text
    required: bool = True
    help: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Submission:
    """A kind of run file.

    ``check`` yields every rule broken, going on after errors. ``read`` yields the segments of a file
    that passed. Both stream. ``convert`` writes the track's official conversion (a TREC run, …), or is
    None where there is none.
    """

    key: str
    label: str
    help: str
    tasks: tuple[str, ...]
    check: Callable[[BinaryIO, CheckContext], Iterator[Issue]]
    read: Callable[[BinaryIO, CheckContext], Iterator[SegmentRecord]]
    fields: tuple[FormField, ...] = ()
    priorities: tuple[int, ...] = (1, 2, 3)
    convert: Callable[[BinaryIO, CheckContext], Iterator[str]] | None = None
    tag: Callable[[BinaryIO], str | None] | None = None  # the run tag that the file itself carries
    unreadable: Callable[[BinaryIO], Iterator[Issue]] | None = None  # only what keeps `read` from reading a line


# ---------------------------------------------------------------- what assessors do


@dataclass(frozen=True, kw_only=True, slots=True)
class Grade:
    """One allowed value of a criterion: stored as ``value``, given by pressing ``key``."""

    value: int
    key: str
    name: str
    help: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Criterion:
    """One question asked of an item, with its scale."""

    key: str
    question: str
    grades: tuple[Grade, ...]
    help: str = ""
    level: str = "nominal"  # nominal, ordinal, interval: which agreement measures make sense

    def grade(self, value: int) -> Grade | None:
        """The grade with this value, or None where the scale has no such value."""
        return next((grade for grade in self.grades if grade.value == value), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """One step of judging a topic.

    ``work`` names the kind of workbench: "grade" (criteria asked of each pooled item), "classes" (group
    the items that got ``class_grade``), "nuggets" (write and freeze a nugget list), "matches" (mark its
    nuggets in responses), "votes" (vital or okay, by anybody). Apps register these by name.
    ``after`` is the key of the stage that must be done for the topic before this one opens.
    """

    key: str
    label: str
    work: str
    help: str
    item_kind: str = ""
    criteria: tuple[Criterion, ...] = ()
    class_grade: tuple[str, int] | None = None  # (criterion key, value) whose items are grouped
    after: str | None = None
    many: bool = False  # any number of assessors may do it, each on their own (votes)

    def criterion(self, key: str) -> Criterion | None:
        """The criterion with this key, or None."""
        return next((criterion for criterion in self.criteria if criterion.key == key), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolRecipe:
    """What is judged by default: items of ``kind`` returned by runs of these priorities, all of them."""

    kind: str
    priorities_setting: str = "judged_priorities"  # name of the settings field that holds the priorities


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One question type: what is pooled and the stages of judging, in order."""

    key: str
    label: str
    pooling: PoolRecipe
    stages: tuple[Stage, ...]

    def stage(self, key: str) -> Stage | None:
        """The stage with this key, or None."""
        return next((stage for stage in self.stages if stage.key == key), None)


# ---------------------------------------------------------------- what comes out


@dataclass(frozen=True, kw_only=True, slots=True)
class Export:
    """One exported file.

    ``collect`` is the dotted path of a function ``(campaign, as_of) -> Iterable[record]`` in an app's
    ``queries``; ``write`` turns those records into lines (without line ends). ``read`` reads them back
    with issues. Writers are deterministic: sorted, no clock.
    """

    name: str
    label: str
    collect: str
    write: Callable[[Iterable[Any]], Iterator[str]]
    read: Callable[[BinaryIO], Iterator[Any]]


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasureColumn:
    """How a measure is shown: the official one first."""

    key: str
    label: str
    help: str
    official: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Scoring:
    """How a track's exported files and run files become scores.

    ``load(files, settings, report)`` reads gold files (name -> path) into the track's own gold value, handing
    issues to ``report``; ``build(records, settings, report)`` makes the same value of the records that the
    exports named in ``gold_files`` collect (export name -> records); ``score(gold, run, segments, settings)``
    gives all values of one run, topics first, then groups, then "all";
    ``explain(gold, run, segments, settings, topic, measure)`` shows one. The site and `python -m tracks score`
    both call these, on the same records.
    """

    measures: tuple[MeasureColumn, ...]
    gold_files: tuple[str, ...]
    build: Callable[[Mapping[str, Iterable[Any]], Any, Callable[[Issue], None]], Any]
    load: Callable[[Mapping[str, Path], Any, Callable[[Issue], None]], Any]
    score: Callable[[Any, str, Iterable[SegmentRecord], Any], Iterable[Score]]
    explain: Callable[[Any, str, Iterable[SegmentRecord], Any, str, str], Explanation | None]


# ---------------------------------------------------------------- the whole


@dataclass(frozen=True, kw_only=True, slots=True)
class Track:
    """All that is special about one evaluation. Everything else is shared."""

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
