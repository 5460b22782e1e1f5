"""The files that a track reads: topics, runs, published judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, BinaryIO, Literal, TypeVar

from assess.protocol.records import CheckContext, ItemRecord, RunForm, SegmentRecord, TopicRecord
from scoring.file_kinds import Kind as FileContent
from scoring.folding import count_characters
from scoring.formats.run_blocks import Lines, rankings_of_blocks
from scoring.measures.ranked import Rankings, best_first, rankings_of
from scoring.own_items import own_key
from scoring.reading.opening import until_too_many
from scoring.reading.repairs import Repair
from scoring.reading.unpacking import damage_errors, damage_issue, plain_name
from scoring.records import Issue, RankedDoc
from scoring.release.recorded_acts import RecordedAct
from scoring.run_tags import ANY_TRACK, TagRule


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicFile:
    """A file of topics. ``read`` streams records and issues in file order and never raises on bad input.

    A file that ``supplements`` says more of topics that are there: the ``fields`` of its records are added to
    theirs, nothing else of them counts, and a number that is unknown is an issue. ``write`` yields the lines of such a
    file as it is given to participants, without what judging is to find out; it gets all topics and passes over those
    that are none of its kind. The file is called ``name``. ``shapes`` are the (task, whether it stands under another)
    by which topics that this file holds are told, where a track has several files; empty: any topic. The beginning of
    a file is read by ``begin``, where ``read`` gives no record before it has read all.
    """

    key: str
    label: str
    help: str
    file_names: tuple[str, ...]  # glob patterns by which `load_campaign PATH` finds it
    read: Callable[[BinaryIO], Iterator[TopicRecord | Issue]]
    supplements: bool = False
    write: Callable[[Iterable[TopicRecord]], Iterator[str]] | None = None
    name: str = ""
    shapes: frozenset[tuple[str, bool]] = frozenset()
    begin: Callable[[BinaryIO], Iterator[object]] | None = None


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
    Ranked lists stay in their files; only what is pooled becomes items. ``blocks`` reads the same lines many at once,
    in any order, for large files; at the first issue the file is read by ``read``. ``topics`` yields the topics that
    the file ranks anything for without holding its lists in memory; some may come more than once.
    """

    kind: str
    read: Callable[[BinaryIO, CheckContext], Iterator[RankedDoc]]
    is_document: bool = True
    blocks: Callable[[BinaryIO], Iterator[Lines | Issue]] | None = None
    topics: Callable[[BinaryIO], Iterator[str]] | None = None


Lengths = Mapping[str, Mapping[str, float]]
"""Topic -> item key -> how many characters a string has that are no white space."""

TAG_FORMS = frozenset({"run-tag-form", "run-name-form", "run-name"})
"""The codes by which checks name a tag of the file that keeps another form."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Submission:
    """A kind of run file.

    ``check`` yields every rule broken, going on after errors. ``read`` yields the segments of a file
    that passed, ``responses`` its whole responses as items (one a topic), ``rankings`` its ranked lists. All
    stream. ``convert`` writes the track's official conversion (a TREC run, …), or is None where there is none.
    ``form`` reads what the file itself says of the run, where the submitter left it out. ``segment`` yields
    rows for `python -m tracks segment` where the file it takes is no run (a document, an answer); ``preview``
    yields, for the participant, how the file was read: (topic, what, text) rows. ``rename(file, name)`` gives the
    file's bytes under another run tag, with nothing in them that says whose run it is; None where that can't be done.
    ``repair`` yields the lines of the file with its safe repairs (`scoring.reading.repairs`), and after them what was
    repaired; None where nothing may be repaired. ``topic_codes`` are the codes of those issues of ``check``
    that come of comparing the file with the topics: they say nothing where the topics are not known. One that
    ``needs_topics`` can't be read at all without them, since they say to which topic its rows belong. ``lists`` are
    what ``check`` compares the file with where it is given: the valid docnos, the texts of documents. ``tags`` is what
    run tags look like; ``check`` names a tag of the file that does not, and `issues` one that the form alone says.
    ``own_kinds`` are the kinds of items that belong to a response: where the setting `judge_each` says yes, each has a
    key of its own. ``lengths`` reads many lines at once, from the file alone, and gives what `RunContent.lengths` does;
    None of a file with lines that ask for a second look.
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
    rename: Callable[[BinaryIO, str], Iterator[bytes]] | None = None
    repair: Callable[[BinaryIO], Iterator[bytes | Repair]] | None = None
    topic_codes: frozenset[str] = frozenset()
    needs_topics: bool = False
    lists: tuple[Literal["docnos", "documents"], ...] = ()
    tags: TagRule = ANY_TRACK
    tags_of: Callable[[Any], TagRule] | None = None  # the rule under a campaign's settings, where these say it
    own_kinds: tuple[str, ...] = ()
    lengths: Callable[[BinaryIO], Lengths | None] | None = None
    segment_noun: str = ""  # what one of the segments is called on pages; "" where `read` yields none
    is_whole: bool = False  # the file is read as one piece into memory, so that it must not be large

    def issues(self, file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
        """Every rule that the file and its form break, and where it is damaged that: what all who check a run ask."""
        is_named = False
        try:
            for issue in until_too_many(self.check(file, context)):
                is_named = is_named or issue.code in TAG_FORMS
                context.pace()
                yield issue
        except damage_errors() as error:
            yield damage_issue(error)
        tag = context.form.tag if context.form is not None else ""
        tags = self.under(context.settings).tags
        if tag and not is_named and not context.any_tag and not tags.allows(tag):
            yield tags.issue(tag)

    def under(self, settings: Any) -> Submission:
        """The same under a campaign's settings, which may say what run tags look like."""
        return self if self.tags_of is None else replace(self, tags=self.tags_of(settings))

    def ranking(self, kind: str) -> Ranking | None:
        """The ranked list of items of this kind, or None."""
        return next((ranking for ranking in self.rankings if ranking.kind == kind), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunContent:
    """What one run returned, read from its file anew each time it is asked.

    ``run`` is its tag, by which its items have keys of their own where each response is judged by itself.
    """

    submission: Submission
    open: Callable[[], AbstractContextManager[BinaryIO]]
    context: CheckContext
    run: str = ""

    def segments(self) -> Iterator[SegmentRecord]:
        """Its segments in file order."""
        with self.open() as file:
            records = self.submission.read(file, self.context)
            yield from map(self._own_segment, records) if self._has_own() else records

    def lengths(self) -> Lengths:
        """How long each of its strings is, by topic and item key, in file order; one that comes twice is there once."""
        if self.submission.lengths is not None and not self._has_own():
            with self.open() as file:
                read = self.submission.lengths(file)
            if read is not None:
                return read
        found: dict[str, dict[str, float]] = {}
        for each in self.segments():
            of_topic = found.setdefault(each.topic, {})
            if each.item_key not in of_topic:
                of_topic[each.item_key] = count_characters(each.text)
        return found

    def responses(self) -> Iterator[ItemRecord]:
        """Its whole responses; none where the kind of file has none."""
        if self.submission.responses is not None:
            with self.open() as file:
                records = self.submission.responses(file, self.context)
                yield from map(self._own_response, records) if self._has_own() else records

    def _has_own(self) -> bool:
        """Whether items of some kinds have keys of their own here."""
        is_each = getattr(self.context.settings, "judge_each", False)
        return bool(is_each and self.run and self.submission.own_kinds)

    def _own_response(self, record: ItemRecord) -> ItemRecord:
        return replace(record, key=self._own(record.kind, record.key))

    def _own_segment(self, record: SegmentRecord) -> SegmentRecord:
        citations = tuple(replace(each, item_key=self._own(each.item_kind, each.item_key)) for each in record.citations)
        return replace(record, item_key=self._own(record.item_kind, record.item_key), citations=citations)

    def _own(self, kind: str, key: str) -> str:
        return own_key(key, self.run) if kind in self.submission.own_kinds else key

    def ranking(self, kind: str) -> Iterator[RankedDoc]:
        """Its ranked list of items of this kind; empty where the kind of file has none."""
        if (ranking := self.submission.ranking(kind)) is not None:
            with self.open() as file:
                yield from ranking.read(file, self.context)

    def rankings(self, kind: str) -> Rankings:
        """The same as topic -> docno -> score, each topic's documents best first."""
        ranking = self.submission.ranking(kind)
        if ranking is None:
            return {}
        if ranking.blocks is not None:
            with self.open() as file:
                found = rankings_of_blocks(ranking.blocks(file))
            if found is not None:
                return {topic: best_first(scores) for topic, scores in found.items()}
        return rankings_of(self.ranking(kind))

    def ranked_topics(self, kind: str) -> Iterator[str]:
        """The topics that it ranks items of this kind for; some may come more than once."""
        ranking = self.submission.ranking(kind)
        if ranking is None or ranking.topics is None:
            yield from (line.topic for line in self.ranking(kind))
            return
        with self.open() as file:
            yield from ranking.topics(file)


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

    ``read`` turns all files found into acts, each with its place (a line, a JSON path, "file:line"). Items that
    no run returned are added and pooled: their key is the act's ``key``, text and docno are the act's. ``by``
    names who said it ("nist", "author"); ``role`` "" is what counts, "second" measures agreement.

    ``settings`` gives what the files say besides, as values of the track's settings: they are set where the campaign
    has the track's own value still. ``kinds`` are the kinds of files that it is told by whatever a file is called.
    ``of_machine`` names the machine judge whose judgments these are; "" where people gave them.
    """

    key: str
    label: str
    help: str
    file_names: tuple[str, ...]
    read: Callable[[Sequence[Path], CheckContext], Iterator[tuple[int | str, RecordedAct] | Issue]]
    settings: Callable[[Sequence[Path]], Mapping[str, object]] | None = None
    kinds: tuple[FileContent, ...] = ()
    of_machine: str = ""


# Which of a track's kinds of topic files a file is, told by its content: for the site and `python -m tracks` alike.

LOOKED_AT = 200
"""Records of a file by which its kind is told."""

Kind = TypeVar("Kind", TopicFile, Submission)


def kind_by_name(name: str, kinds: Sequence[Kind]) -> Kind | None:
    """The first kind that a file's name stands for, or None."""
    plain = PurePath(plain_name(name)).name
    return next((kind for kind in kinds if _is_named(plain, kind)), None)


def fitting_kinds(file: BinaryIO, kinds: Sequence[TopicFile]) -> list[TopicFile]:
    """The kinds of whole topics as which the beginning of a file can be read without errors, in their order.

    None of them is one that supplements: too much else can be read as such a file.
    """
    return [kind for kind in kinds if not kind.supplements and _fits(*_counts(file, kind))]


def topic_kind(file: BinaryIO | None, *, name: str, kinds: Sequence[TopicFile], task: str | None = None) -> TopicFile:
    """The kind of a file of topics, told by its content; where that leaves several, by the task, else by its name.

    A file without errors is of a kind as which it has none. One with errors is of a kind as which it has more records
    than errors, if there is any. The name tells where ``file`` is None, and of a file that adds to topics.
    """
    whole = [kind for kind in kinds if not kind.supplements]
    named = kind_by_name(name, kinds)
    if len(whole) < 2 or (named is not None and named.supplements):
        return named or kinds[0]
    left = whole
    if file is not None:
        counts = [(kind, _counts(file, kind)) for kind in whole]
        left = [kind for kind, count in counts if _fits(*count)]
        left = left or [kind for kind, (records, errors) in counts if records > errors] or whole
    of_task = [kind for kind in left if task and task in {each for each, _ in kind.shapes}]
    left = of_task or left
    return kind_by_name(name, left) or left[0]


def _is_named(name: str, kind: TopicFile | Submission) -> bool:
    return any(fnmatch(name, pattern.rsplit("/", 1)[-1]) for pattern in kind.file_names)


def _fits(records: int, errors: int) -> bool:
    return records > 0 and not errors


def _counts(file: BinaryIO, kind: TopicFile) -> tuple[int, int]:
    """(records, errors) at the beginning of a file, which is left at its beginning."""
    records = errors = 0
    file.seek(0)
    try:
        for each in islice((kind.begin or kind.read)(file), LOOKED_AT):
            if not isinstance(each, Issue):
                records += 1
            elif each.severity == "error":
                errors += 1
    except damage_errors():
        errors += 1
    file.seek(0)
    return records, errors
