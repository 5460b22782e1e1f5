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
from scoring.measures.ranked import Rankings, rankings_of
from scoring.own_items import own_key
from scoring.reading.opening import until_too_many
from scoring.reading.repairs import Repair
from scoring.reading.unpacking import damage_errors, damage_issue, plain_name
from scoring.records import Issue, RankedDoc
from scoring.release.recorded_acts import RecordedAct
from scoring.run_tags import ANY_TRACK, TagRule


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicFile:
    """A file of topics. ``read`` yields records and issues in file order, and never raises on bad input.

    A file that ``supplements`` adds ``fields`` to existing topics; nothing else in its records counts, and an unknown
    number is an issue. ``write`` yields the lines of the file as participants get it, without what judging is to find
    out. It gets all topics, and skips those that do not belong in the file, which is called ``name``. If a track has
    several files, ``shapes`` are the (task, whether it is below another topic) pairs of the topics in this one; empty
    means any topic. ``begin`` reads the beginning of a file if ``read`` yields nothing before it has read everything.
    """

    key: str
    label: str
    help: str
    file_names: tuple[str, ...]  # glob patterns with which `load_campaign PATH` finds it
    read: Callable[[BinaryIO], Iterator[TopicRecord | Issue]]
    supplements: bool = False
    write: Callable[[Iterable[TopicRecord]], Iterator[str]] | None = None
    name: str = ""
    shapes: frozenset[tuple[str, bool]] = frozenset()
    begin: Callable[[BinaryIO], Iterator[object]] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FormField:
    """A field of the submission form that only this track has."""

    key: str
    label: str
    choices: tuple[tuple[str, str], ...] = ()  # empty: free text
    required: bool = True
    help: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """A ranked list in run files. ``read`` yields its lines in file order, best first in each topic.

    Pools take the best documents by score, and ties by docno, both descending, as trec_eval does. The docno of a line
    is the key of its item of ``kind`` and, if ``is_document``, also the item's document. Ranked lists stay in their
    files; only pooled documents become items. ``blocks`` reads the same lines in blocks and in any order, for large
    files; at the first issue, the file is read with ``read`` instead. ``topics`` yields the topics for which the file
    ranks anything, without keeping its lists in memory; a topic may be yielded more than once.
    """

    kind: str
    read: Callable[[BinaryIO, CheckContext], Iterator[RankedDoc]]
    is_document: bool = True
    blocks: Callable[[BinaryIO], Iterator[Lines | Issue]] | None = None
    topics: Callable[[BinaryIO], Iterator[str]] | None = None


Lengths = Mapping[str, Mapping[str, float]]
"""The number of characters of a string without white space, by topic and item key."""

Strings = Sequence[tuple[str, int, str, str, str]]
"""Judged strings of a run as plain values, in file order: topic, number in its topic, item key, docno and text."""

TAG_FORMS = frozenset({"run-tag-form", "run-name-form", "run-name"})
"""The checks' codes for a tag in the file that has the wrong form."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Submission:
    """A kind of run file.

    ``check`` yields every rule that is broken, and continues after errors. For a file that passed, ``read`` yields the
    segments, ``responses`` the whole responses as items (one for each topic), and ``rankings`` are its ranked lists.
    All of them stream. ``convert`` writes the track's official conversion (a TREC run, …), and is None if there is
    none. ``form`` reads what the file says about the run, for values that the submitter left out. ``segment`` yields
    rows for `python -m tracks segment` if that takes a file that is not a run (a document, an answer). ``preview``
    yields (topic, what, text) rows that show participants how the file was read.

    ``rename(file, name)`` gives the file's bytes under another run tag, without anything that shows whose run it is; it
    is None if that is impossible. ``repair`` yields the lines of the file with its safe repairs
    (`scoring.reading.repairs`), and then what was repaired; it is None if nothing may be repaired.

    ``topic_codes`` are the codes of issues from comparing the file with the topics, which mean nothing if the topics
    are unknown. A kind that ``needs_topics`` can't be read at all without them, since they say to which topic its rows
    belong. ``lists`` are what ``check`` compares the file with if it is available: valid docnos, texts of documents.
    ``tags`` is the form of run tags: ``check`` reports a wrong tag in the file, and `issues` one that only the form
    has. ``own_kinds`` are the kinds of items that belong to a response; if the setting `judge_each` is true, each has a
    key of its own. ``lengths`` and ``strings`` read many lines at once, from the file alone, and give what
    `RunContent.lengths` and `RunContent.strings` do. They return None for a file with lines that need a closer look.
    """

    key: str
    label: str
    help: str
    tasks: tuple[str, ...]
    check: Callable[[BinaryIO, CheckContext], Iterator[Issue]]
    read: Callable[[BinaryIO, CheckContext], Iterator[SegmentRecord]]
    fields: tuple[FormField, ...] = ()
    priorities: tuple[int, ...] = (1, 2, 3)
    for_organisers: bool = False  # only organisers submit it: a run from a published file
    runs_a_team: int = 0  # the most accepted runs of this kind that a team may have; 0 is any number
    convert: Callable[[BinaryIO, CheckContext], Iterator[str]] | None = None
    tag: Callable[[BinaryIO], str | None] | None = None  # the run tag that the file itself carries
    records: Callable[[BinaryIO], Iterable[object]] | None = None  # reads the lines, for `unreadable`
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
    tags_of: Callable[[Any], TagRule] | None = None  # the rule under a campaign's settings, if these define it
    own_kinds: tuple[str, ...] = ()
    lengths: Callable[[BinaryIO], Lengths | None] | None = None
    strings: Callable[[BinaryIO], Strings | None] | None = None
    segment_noun: str = ""  # the pages' noun for a segment; "" if `read` yields none
    is_whole: bool = False  # the file is read as one piece into memory, so that it must not be large
    is_cut: bool = False  # sentences are cut by a library: for scores, those stored when the run was accepted count

    def issues(self, file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
        """Yield every rule that the file and its form break, and each place where the file is damaged. Every check of a
        run uses this.
        """
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

    def unreadable(self, file: BinaryIO) -> Iterator[Issue]:
        """Yield an error for each line that can't be read. The rules for runs are not checked."""
        for each in until_too_many(self.records(file) if self.records is not None else ()):
            if isinstance(each, Issue) and each.severity == "error":
                yield each

    def under(self, settings: Any) -> Submission:
        """Return the kind of run file under a campaign's settings, which may give the form of run tags."""
        return self if self.tags_of is None else replace(self, tags=self.tags_of(settings))

    def ranking(self, kind: str) -> Ranking | None:
        """Return the ranked list of items of this kind, or None."""
        return next((ranking for ranking in self.rankings if ranking.kind == kind), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunContent:
    """What one run returned, read from its file each time it is asked for.

    ``run`` is its tag, from which its items get keys of their own if each response is judged by itself.
    """

    submission: Submission
    open: Callable[[], AbstractContextManager[BinaryIO]]
    context: CheckContext
    run: str = ""

    def segments(self) -> Iterator[SegmentRecord]:
        """Yield the run's segments in file order."""
        with self.open() as file:
            records = self.submission.read(file, self.context)
            yield from map(self._own_segment, records) if self._has_own() else records

    def lengths(self) -> Lengths:
        """Return the number of characters of each string of the run, by topic and item key, in file order. A string
        that a topic repeats is included once.
        """
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

    def strings(self) -> Strings | None:
        """Return the run's segments as plain values; None if its kind of file can't be read in this way, or if any of
        them has fields or citations.
        """
        if self.submission.strings is None or self._has_own():
            return None
        with self.open() as file:
            return self.submission.strings(file)

    def responses(self) -> Iterator[ItemRecord]:
        """Yield the run's whole responses, if the kind of file has any."""
        if self.submission.responses is not None:
            with self.open() as file:
                records = self.submission.responses(file, self.context)
                yield from map(self._own_response, records) if self._has_own() else records

    def _has_own(self) -> bool:
        """Return whether items of some kinds have keys of their own in this run."""
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
        """Yield the run's ranked list of items of this kind, if the kind of file has one."""
        if (ranking := self.submission.ranking(kind)) is not None:
            with self.open() as file:
                yield from ranking.read(file, self.context)

    def rankings(self, kind: str) -> Rankings:
        """Return the run's rankings as topic -> docno -> score, with each topic's documents best first; empty if its
        kind of file ranks no items of this kind.
        """
        ranking = self.submission.ranking(kind)
        if ranking is None:
            return {}
        if ranking.blocks is not None:
            with self.open() as file:
                found = rankings_of_blocks(ranking.blocks(file))
            if found is not None:
                return found
        return rankings_of(self.ranking(kind))

    def ranked_topics(self, kind: str) -> Iterator[str]:
        """Yield the topics for which the run ranks items of this kind, possibly more than once."""
        ranking = self.submission.ranking(kind)
        if ranking is None or ranking.topics is None:
            yield from (line.topic for line in self.ranking(kind))
            return
        with self.open() as file:
            yield from ranking.topics(file)


@dataclass(frozen=True, kw_only=True, slots=True)
class BundledRun:
    """A run from a file with several runs: its form, and its file as the track's submission reads it."""

    form: RunForm
    file_name: str
    content: bytes
    submission: str = ""  # key of the kind of run file; "" is the track's first


@dataclass(frozen=True, kw_only=True, slots=True)
class RunBundle:
    """Files in which an evaluation published the responses of many runs together. ``split`` separates the runs."""

    key: str
    label: str
    help: str
    file_names: tuple[str, ...]
    split: Callable[[Sequence[Path]], Iterator[BundledRun | Issue]]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgmentFile:
    """Files of judgments that were published or made elsewhere: qrels, nugget lists, assessments.

    ``read`` turns all files found into acts, each with its place (a line, a JSON path, "file:line"). Items that no run
    returned are added and pooled; their key is the act's ``key``, and they have the act's text and docno. ``by`` names
    the judge ("nist", "author"). ``role`` "" means judgments that count; "second" measures agreement.

    ``settings`` returns further content of the files as values of the track's settings, which are set if the campaign
    still has the track's own values. ``kinds`` are the kinds of files by which it is recognised, whatever its name.
    ``of_machine`` names the machine judge whose judgments these are, or is "" if people made them.
    """

    key: str
    label: str
    help: str
    file_names: tuple[str, ...]
    read: Callable[[Sequence[Path], CheckContext], Iterator[tuple[int | str, RecordedAct] | Issue]]
    settings: Callable[[Sequence[Path]], Mapping[str, object]] | None = None
    kinds: tuple[FileContent, ...] = ()
    of_machine: str = ""


# Recognise a topic file's kind by its content, for the site and for `python -m tracks`.

LOOKED_AT = 200
"""The number of records of a file that are read to recognise its kind."""

Kind = TypeVar("Kind", TopicFile, Submission)


def kind_by_name(name: str, kinds: Sequence[Kind]) -> Kind | None:
    """Return the first kind whose patterns match the file's name, or None."""
    plain = PurePath(plain_name(name)).name
    return next((kind for kind in kinds if _is_named(plain, kind)), None)


def fitting_kinds(file: BinaryIO, kinds: Sequence[TopicFile]) -> list[TopicFile]:
    """Return, in order, the kinds of topic file that can read the beginning of the file without errors.

    Kinds of files that only add to topics (`supplements`) are left out, since they can read too many other files.
    """
    return [kind for kind in kinds if not kind.supplements and _fits(*_counts(file, kind))]


def topic_kind(file: BinaryIO | None, *, name: str, kinds: Sequence[TopicFile], task: str | None = None) -> TopicFile:
    """Return the kind of a file of topics, by its content. If several kinds fit, the task decides, or else the name.

    A kind fits if it reads the file without errors. If there is none, a kind fits if it reads more records than errors.
    The name decides if ``file`` is None, and for a file that supplements topics.
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
    """Return (records, errors) at the beginning of a file, which is rewound."""
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
