"""The records that a track is made of. Imports no Django.

A *track* is one evaluation (TAC 2008 QA, …). Everything special about it stands in one module of
`tracks/`, as values of the classes below; everything else is shared. The site finds the tracks by the
setting ``ASSAY_TRACKS`` and never by name, so a track can be added without touching `assess` or
`nuggets`. The command line (`python -m tracks`) uses the same records without Django.

Files and tasks are apart on purpose: one file of questions can serve several tasks (TAC's rigid and
squishy questions), and one run file can answer them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, BinaryIO

from assess.track_settings import TrackSettings
from scoring.deeds import Deed
from scoring.records import Explanation as Explanation
from scoring.records import Issue, RankedDoc, Score
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
class ItemRecord:
    """A thing to judge that is no segment: a whole response, a statement of the topic, a figure's label.

    ``fields`` is JSON for those who show it: ``{"parts": [{"text": …, "docno": …}, …]}`` is a whole response,
    string by string, each with the document that can be opened beside it, or with several: ``"docnos": […]``.
    """

    topic: str
    kind: str
    key: str
    text: str = ""
    docno: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class CitationRecord:
    """A document that a segment cites, and the item by which its judgment is found.

    ``item_text`` is what the assessor reads beside the document: the citing sentence, or "" where the document
    itself is the thing to judge.
    """

    docno: str
    item_kind: str
    item_key: str
    ordinal: int = 1
    item_text: str = ""
    item_fields: Mapping[str, Any] = field(default_factory=dict)


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
    item_fields: Mapping[str, Any] = field(default_factory=dict)


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
    ``document_text(docno)`` is a document's text, or None where it is not there; None itself where there are no
    documents at all, and then quotes are not checked.
    """

    topics: tuple[TopicRecord, ...]
    settings: Any
    unknown_docnos: Callable[[Iterable[str]], set[str]] | None = None
    form: RunForm | None = None
    document_text: Callable[[str], str | None] | None = None


# ---------------------------------------------------------------- what a track reads


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicFile:
    """A file of topics. ``read`` streams records and issues in file order and never raises on bad input.

    A file that ``supplements`` says more of topics that are there: the ``fields`` of its records are added to
    theirs, nothing else of them counts, and a number that is unknown is an issue.
    """

    key: str
    label: str
    help: str
    file_names: tuple[str, ...]  # glob patterns by which `load_campaign PATH` finds it
    read: Callable[[BinaryIO], Iterator[TopicRecord | Issue]]
    supplements: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class FormField:
    """A question of the submission form that only this track asks."""

    key: str
    label: str
    choices: tuple[tuple[str, str], ...] = ()  # empty: free text
    required: bool = True
    help: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """A ranked list that run files hold: ``read`` yields its lines in file order, best first in each topic.

    Pools take the best by score, ties by docno, both descending, as trec_eval does. The docno of a line is the key of
    its item of ``kind``; where ``is_document``, it is the item's document too.
    Ranked lists stay in their files; only what is pooled becomes items.
    """

    kind: str
    read: Callable[[BinaryIO, CheckContext], Iterator[RankedDoc]]
    is_document: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Submission:
    """A kind of run file.

    ``check`` yields every rule broken, going on after errors. ``read`` yields the segments of a file
    that passed, ``responses`` its whole responses as items (one a topic), ``rankings`` its ranked lists. All
    stream. ``convert`` writes the track's official conversion (a TREC run, …), or is None where there is none.
    ``form`` reads what the file itself says of the run, where the submitter left it out. ``segment`` yields
    rows for `python -m tracks segment` where the file it takes is no run (a document, an answer); ``preview``
    yields, for the participant, how the file was read: (topic, what, text) rows.
    """

    key: str
    label: str
    help: str
    tasks: tuple[str, ...]
    check: Callable[[BinaryIO, CheckContext], Iterator[Issue]]
    read: Callable[[BinaryIO, CheckContext], Iterator[SegmentRecord]]
    fields: tuple[FormField, ...] = ()
    priorities: tuple[int, ...] = (1, 2, 3)
    for_organisers: bool = False  # only organisers submit it: a run out of a file that was published
    runs_a_team: int = 0  # the most accepted runs of this kind that a team may have; 0 is any number
    convert: Callable[[BinaryIO, CheckContext], Iterator[str]] | None = None
    tag: Callable[[BinaryIO], str | None] | None = None  # the run tag that the file itself carries
    unreadable: Callable[[BinaryIO], Iterator[Issue]] | None = None  # only what keeps `read` from reading a line
    responses: Callable[[BinaryIO, CheckContext], Iterator[ItemRecord]] | None = None
    rankings: tuple[Ranking, ...] = ()
    form: Callable[[BinaryIO], RunForm | None] | None = None
    file_names: tuple[str, ...] = ("runs/good/*", "runs/*")  # globs for `load_campaign`; the first that finds any
    segment: Callable[[BinaryIO, CheckContext], Iterator[tuple[str, ...] | Issue]] | None = None
    segment_header: tuple[str, ...] = ()
    preview: Callable[[BinaryIO, CheckContext], Iterator[tuple[str, str, str]]] | None = None

    def ranking(self, kind: str) -> Ranking | None:
        """The ranked list of items of this kind, or None."""
        return next((ranking for ranking in self.rankings if ranking.kind == kind), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunContent:
    """What one run returned, read from its file anew each time it is asked."""

    submission: Submission
    open: Callable[[], AbstractContextManager[BinaryIO]]
    context: CheckContext

    def segments(self) -> Iterator[SegmentRecord]:
        """Its segments in file order."""
        with self.open() as file:
            yield from self.submission.read(file, self.context)

    def responses(self) -> Iterator[ItemRecord]:
        """Its whole responses; none where the kind of file has none."""
        if self.submission.responses is not None:
            with self.open() as file:
                yield from self.submission.responses(file, self.context)

    def ranking(self, kind: str) -> Iterator[RankedDoc]:
        """Its ranked list of items of this kind; empty where the kind of file has none."""
        if (ranking := self.submission.ranking(kind)) is not None:
            with self.open() as file:
                yield from ranking.read(file, self.context)


@dataclass(frozen=True, kw_only=True, slots=True)
class BundledRun:
    """One run out of a file that holds several: its form and its file as the track's submission reads it."""

    form: RunForm
    file_name: str
    content: bytes
    submission: str = ""  # key of the kind of run file; "" is the track's first


@dataclass(frozen=True, kw_only=True, slots=True)
class RunBundle:
    """Files in which an evaluation published the responses of many runs together. ``split`` takes them apart."""

    key: str
    label: str
    help: str
    file_names: tuple[str, ...]
    split: Callable[[Sequence[Path]], Iterator[BundledRun | Issue]]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgmentFile:
    """Files in which judgments were published, or come from elsewhere: qrels, nugget lists, assessments.

    ``read`` turns all files found into deeds, each with its place (a line, a JSON path, "file:line"). Items that
    no run returned are added and pooled: their key is the deed's ``key``, text and docno are the deed's. ``by``
    names who said it ("nist", "author"); ``role`` "" is what counts, "second" measures agreement.
    """

    key: str
    label: str
    help: str
    file_names: tuple[str, ...]
    read: Callable[[Sequence[Path], CheckContext], Iterator[tuple[int | str, Deed] | Issue]]


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
    """One question asked of an item, with its scale.

    ``evidence`` says what to select in the document ("the snippet that supports or contradicts the sentence");
    "" asks for none. Each snippet may carry its own grade. ``ranks`` is for picking: no grades, the value is the
    place, from 1. A criterion with ``setting`` is asked only where that settings field is true.
    """

    key: str
    question: str
    grades: tuple[Grade, ...] = ()
    help: str = ""
    level: str = "nominal"  # nominal, ordinal, interval: which agreement measures make sense
    evidence: str = ""
    evidence_for: tuple[int, ...] = ()  # the values that should come with a snippet
    ranks: int = 0  # the highest place that may be given
    setting: str = ""

    def grade(self, value: int) -> Grade | None:
        """The grade with this value, or None where the scale has no such value."""
        return next((grade for grade in self.grades if grade.value == value), None)

    def allows(self, value: int) -> bool:
        """Whether the value is on the scale: one of the grades, or a place that may be given."""
        return self.grade(value) is not None or 1 <= value <= self.ranks


@dataclass(frozen=True, kw_only=True, slots=True)
class Needs:
    """Only items that cite, in some run, an item of ``kind`` whose official ``criterion`` is at least ``setting``.

    The least value is the settings field of that name: responses with at least one relevant passage.
    """

    kind: str
    criterion: str
    setting: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """One step of judging a topic.

    ``work`` names the kind of workbench: "grade" (criteria asked of each pooled item), "classes" (group
    the items that got ``class_grade``), "nuggets" (write and freeze a nugget list), "matches" (mark its
    nuggets in responses), "votes" (vital or okay, by anybody), "picks" (pick items and put them in order). Apps
    register these by name. ``after`` is the key of the stage that must be done for the topic before this one opens.

    ``own``: every assessor works from what they did themselves in the stage ``after`` names (their own nugget list),
    and waits for that alone. ``second``: a second assessor does it too, taken from the stack. ``by_hand``: handed out
    only where somebody names it, and so left out where all is handed out.

    ``normalise`` gives the proper form of a label that an assessor types, or None for what is no label; ``help`` then
    says what is one.
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
    own: bool = False
    second: bool = False
    by_hand: bool = False
    needs: Needs | None = None
    noun: str = ""  # what one item is called beside its number: "passage"; "" is the kind
    in_response: bool = False  # show the response around a segment, too
    groups: tuple[tuple[str, str], ...] = ()  # nuggets: key and label of the groups to choose from
    asks_importance: bool = True  # nuggets: vital or okay
    partial: bool = False  # matches: a nugget may be there in part, and may be said expressly not to be there
    may_add: bool = True  # classes, picks: the assessor may add what no run returned
    normalise: Callable[[str], str | None] | None = None  # picks: the proper form of a label that was typed

    def criterion(self, key: str) -> Criterion | None:
        """The criterion with this key, or None."""
        return next((criterion for criterion in self.criteria if criterion.key == key), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolRecipe:
    """What is judged by default: items of ``kind`` returned by runs of these priorities.

    All that segments, citations or whole responses name; with ``depth_setting``, only the first so many of each run's
    ranking of this kind, or, where runs hold no such ranking, segments up to this ordinal. ``items`` makes those that
    come with the topic itself (its statements, its figures). Items that a file of judgments brought are always pooled.
    """

    kind: str
    priorities_setting: str = "judged_priorities"  # settings field that holds the priorities; "" is all runs
    depth_setting: str = ""  # settings field that holds the depth
    items: Callable[[TopicRecord, Any], Iterable[ItemRecord]] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One question type: what is pooled and the stages of judging, in order.

    The one pool of a task holds items of every recipe's kind; a stage judges those of its own ``item_kind``.
    """

    key: str
    label: str
    pooling: tuple[PoolRecipe, ...]
    stages: tuple[Stage, ...]
    topics_setting: str = ""  # settings field with the numbers of the topics to judge; none there: all

    def stage(self, key: str) -> Stage | None:
        """The stage with this key, or None."""
        return next((stage for stage in self.stages if stage.key == key), None)


# ---------------------------------------------------------------- what comes out


@dataclass(frozen=True, kw_only=True, slots=True)
class Export:
    """One exported file.

    ``collect`` is the dotted path of a function ``(campaign, as_of, **options) -> Iterable[record]`` in an app's
    ``queries``; ``write`` turns those records into lines (without line ends). ``read`` reads them back
    with issues. Writers are deterministic: sorted, no clock.
    """

    name: str
    label: str
    collect: str
    write: Callable[[Iterable[Any]], Iterator[str]]
    read: Callable[[BinaryIO], Iterator[Any]]
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasureColumn:
    """How a measure is shown: the official one first. ``group`` is the heading under which columns stand together."""

    key: str
    label: str
    help: str
    official: bool = False
    group: str = ""
    ranks: bool = True  # whether runs are ranked by it, best value highest (a length ranks nothing)


@dataclass(frozen=True, kw_only=True, slots=True)
class Scoring:
    """How a track's exported files and run files become scores.

    ``load(files, settings, report)`` reads gold files (name -> path) into the track's own gold value, handing
    issues to ``report``; ``build(records, settings, report)`` makes the same value of the records that the
    exports named in ``gold_files`` collect (export name -> records); ``score(gold, run, content, settings)``
    gives all values of one run, topics first, then groups, then "all";
    ``explain(gold, run, content, settings, topic, measure)`` shows one. The site and `python -m tracks score`
    both call these, on the same records. ``runs(gold)`` names runs that the gold alone can score, without their
    files (then ``content`` is None). ``explore`` names number settings that the analysis page offers as sliders.
    ``chance`` draws the value of one topic as if whoever judged had thrown dice: a control for rankings of runs.
    """

    measures: tuple[MeasureColumn, ...]
    gold_files: tuple[str, ...]
    build: Callable[[Mapping[str, Iterable[Any]], Any, Callable[[Issue], None]], Any]
    load: Callable[[Mapping[str, Path], Any, Callable[[Issue], None]], Any]
    score: Callable[[Any, str, Any, Any], Iterable[Score]]  # gold, run tag, `RunContent`, settings
    explain: Callable[[Any, str, Any, Any, str, str], Explanation | None]
    runs: Callable[[Any], Iterable[str]] | None = None
    explore: tuple[str, ...] = ()
    chance: Callable[[Random], float] | None = None


# ---------------------------------------------------------------- what assessors see of a topic


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextPart:
    """A part of what is shown of a topic beside the work: a narrative, the turns before, statements.

    ``lines`` are (label, text) pairs: ("User", "…"), ("3", "I live in …"); a label may be "".
    """

    heading: str
    lines: tuple[tuple[str, str], ...]
    is_open: bool = True  # shown at once; else the heading opens it


# ---------------------------------------------------------------- the whole


@dataclass(frozen=True, kw_only=True, slots=True)
class Track:
    """All that is special about one evaluation. Everything else is shared.

    ``context(topic, ancestors)`` says what assessors see of a topic beside the work; the nearest ancestor comes first.
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
