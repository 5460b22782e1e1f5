"""Read what a release contains besides its exports: topics, items, pools, work, runs, and recorded acts by topic."""

from __future__ import annotations

import marshal
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from itertools import chain, islice
from operator import itemgetter
from typing import IO, Any, TypeVar

from assess.protocol import RunContent, Stage, Task, TopicRecord, Track
from scoring.quick_records import quick_record
from scoring.release.derived_records import RunString
from scoring.release.kept_acts import KeptActs, NumberedAct
from scoring.release.recorded_acts import (
    AnswerFound,
    Classed,
    Judged,
    ListFrozen,
    Matched,
    NonePicked,
    NuggetWritten,
    RecordedAct,
    Reviewed,
    Voted,
)
from scoring.release.releases import ANCHORS, TOPIC_CHANGES, WORK, Release, dropped_by
from tracks.recollect.heard import Heard
from tracks.recollect.rows import rows_of
from tracks.recollect.tables import ItemRow, StringRow, Tables, filled_tables
from tracks.recollect.work import Held, Work

SAID_IN: Mapping[type, frozenset[str]] = {
    Judged: frozenset({"grade", "picks"}),
    NonePicked: frozenset({"picks"}),
    AnswerFound: frozenset({"classes"}),
    Classed: frozenset({"classes"}),
    NuggetWritten: frozenset({"nuggets"}),
    ListFrozen: frozenset({"nuggets"}),
    Matched: frozenset({"matches"}),
    Reviewed: frozenset({"matches"}),
    Voted: frozenset({"votes"}),
}
"""The kinds of work in which each act can happen. Any other kind of work may have any act."""

KNOWN_WORKS = frozenset().union(*SAID_IN.values())

WITH_STRINGS = ("matches", "classes")
"""The kinds of work with exports of the judgments of each run's strings."""

AROUND = ("prefix", "suffix", "digest")
AT_ONCE = 1_000


@quick_record(frozen=True, kw_only=True, slots=True)
class Item:
    """One judged item, as in the release."""

    key: str
    text: str = ""
    docno: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    pooled: bool = False


def as_said(item: Item | None, key: str, text: str, docno: str) -> Item:
    """Return an item with its text and docno from items.jsonl or, if it is not pooled, from its judgment.

    If it is not pooled, runs may return its text with different white space, so the text in the judgment is used.
    """
    if item is None:
        return Item(key=key, text=text, docno=docno)
    return item if item.pooled else replace(item, text=text, docno=docno)


def _stages_saying(task: Task, act: RecordedAct) -> list[Stage]:
    """Return the stages of a task in which an act can happen."""
    criterion = getattr(act, "criterion", None)
    works = SAID_IN[type(act)]
    asking = [stage for stage in task.stages if criterion is None or stage.criterion(criterion) is not None]
    known = [stage for stage in asking if stage.work.key in works]
    return known or [stage for stage in task.stages if stage.work.key not in KNOWN_WORKS]


Found = TypeVar("Found", bound=tuple[Any, ...])


class Recorded:
    """Everything that is read from a release to make its exports again. Large tables are stored in the file
    ``kept``.
    """

    def __init__(
        self,
        release: Release,
        track: Track,
        *,
        settings: Any,
        topics: tuple[TopicRecord, ...],
        runs: Iterable[RunContent],
        kept: IO[bytes],
        passing: Collection[type] = (),
    ) -> None:
        """Read a release. Acts of the kinds in ``passing`` are dropped once their topic was read, since nobody needs
        them later.
        """
        self.release, self.settings, self.all_topics = release, settings, topics
        self._kept, self._acts, self._passing = kept, KeptActs(kept), passing
        self.track = replace(track, tasks=tuple(_asked(task, settings) for task in track.tasks))
        self.runs = sorted(runs, key=lambda run: run.run)
        self._tables = sqlite3.connect("")
        self._heard: Heard | None = None
        self._found: dict[tuple[str, str], tuple[int, int]] = {}  # where in the file, and how many bytes
        self._last: tuple[tuple[str, str] | None, dict[str, Item]] = (None, {})
        self._named: tuple[tuple[str, str] | None, dict[str, tuple[str, str]]] = (None, {})
        self._saying: dict[tuple[str, type, str | None], list[Stage]] = {}
        self._held: dict[tuple[Any, ...], Held | None] = {}

    def stages_saying(self, task: Task, act: RecordedAct) -> list[Stage]:
        """Return the stages of a task in which an act can happen. The result depends only on the act's kind and
        criterion, and is cached by these.
        """
        asked = (task.key, type(act), getattr(act, "criterion", None))
        if asked not in self._saying:
            self._saying[asked] = _stages_saying(task, act)
        return self._saying[asked]

    def stage_saying(self, task: Task, act: RecordedAct) -> Stage | None:
        """Return the first stage of a task in which an act can happen, or None."""
        return next(iter(self.stages_saying(task, act)), None)

    @cached_property
    def work(self) -> Work:
        """Return the work that people had, as read from work.jsonl."""
        return Work(self.rows(WORK))

    def said(self, topic: str, *kinds: type) -> list[tuple[int, RecordedAct]]:
        """Return people's acts on a topic, without those of machine judges. The acts of the person who worked last come
        last.

        If kinds of acts are given, only these are read.
        """
        return list(chain.from_iterable(said for _, said in self.works(topic, *kinds)))

    def works(self, topic: str, *kinds: type) -> list[tuple[Held, list[NumberedAct]]]:
        """Return (work, acts) for people's acts on a topic, grouped by person and role, without acts under no work that
        is recorded. The acts are in the order of the lines.
        """
        works: dict[tuple[int, str, str], tuple[Held, list[NumberedAct]]] = {}
        by: dict[tuple[Any, ...], list[NumberedAct] | None] = {}  # the list to which such acts belong
        for each in self._acts_of(topic, *kinds):
            act = each[1]
            speaker = (type(act), getattr(act, "criterion", None), act.by, act.role)
            if speaker not in by:
                held = self.held(topic, act) if act.role != "machine" else None
                place = (held.place if held is not None else 0, act.by, act.role)
                by[speaker] = works.setdefault(place, (held, []))[1] if held is not None else None
            if (said := by[speaker]) is not None:
                said.append(each)
        return [works[place] for place in sorted(works)]

    def hear(self, heard: Heard) -> None:
        """Store the acts of a topic. They also stay in memory until `forget` is called."""
        kinds = {type(act) for _, act in heard.acts} | {Matched, Reviewed}
        for kind in kinds.difference(self._passing):
            said = heard.of(kind)
            for start in range(0, len(said), AT_ONCE):
                self._acts.add(heard.topic, said[start : start + AT_ONCE])
        self._heard = heard

    def forget(self) -> None:
        """Let go of the acts of the last topic, which can be read again from the disk, before those of the next one
        are read.
        """
        self._heard = None

    def heard(self, topic: str) -> Heard | None:
        """Return the acts of a topic, if it is the last topic that was stored. Otherwise return None."""
        return self._heard if self._heard is not None and self._heard.topic == topic else None

    def _acts_of(self, topic: str, *kinds: type) -> list[NumberedAct]:
        heard = self.heard(topic)
        return self._acts.of_topic(topic, *kinds) if heard is None else heard.of(*kinds)

    def held(self, topic: str, act: RecordedAct) -> Held | None:
        """Return the work (assignment) in which an act was done. A person's acts of one kind and criterion have the
        same work.

        Return None if the topic does not count, or if its task has no stage for such an act.
        """
        asked = (topic, type(act), getattr(act, "criterion", None), act.by, act.role)
        if asked not in self._held:
            task = self.task_of(topic)
            stage = self.stage_saying(task, act) if task is not None else None
            self._held[asked] = self.work.held(topic, stage.key, act) if stage is not None else None
        return self._held[asked]

    @cached_property
    def topics(self) -> tuple[TopicRecord, ...]:
        """Return the topics that count, which are those that were not dropped."""
        dropped = {number for number, _ in dropped_by(self.rows(TOPIC_CHANGES))}
        return tuple(topic for topic in self.all_topics if topic.number not in dropped)

    def task_of(self, topic: str, *, with_dropped: bool = False) -> Task | None:
        """Return the task of a topic, or None if the topic is unknown, only groups others, or was dropped."""
        is_there = with_dropped or topic in self._counting
        return self.track.task(self._tasks.get(topic, "")) if is_there else None

    @cached_property
    def _counting(self) -> frozenset[str]:
        return frozenset(topic.number for topic in self.topics)

    @cached_property
    def _tasks(self) -> dict[str, str]:
        return {topic.number: topic.task for topic in self.all_topics}

    def tasks_with(self, work: str) -> list[Task]:
        """Return the tasks that have a stage of this kind of work."""
        return [task for task in self.track.tasks if any(stage.work.key == work for stage in task.stages)]

    def topics_of(self, tasks: Iterable[Task]) -> Iterator[str]:
        """Yield the numbers of the topics of these tasks, task by task."""
        for task in tasks:
            yield from (topic.number for topic in self.topics if topic.task == task.key)

    def kind_of(self, topic: str, work: str) -> str:
        """Return the kind of the topic's items that are judged in this kind of work, or ""."""
        task = self.task_of(topic)
        stages = task.stages if task is not None else ()
        return next((stage.item_kind for stage in stages if stage.work.key == work), "")

    def items(self, topic: str, kind: str) -> dict[str, Item]:
        """Return key -> item, for the items of a topic and a kind: those in the files of items, and those with fields
        that runs returned. All that is known of any other item is in the acts about it (`as_said`).
        """
        place, tables = (topic, kind), self._filled
        if place != self._last[0]:
            pooled = frozenset(tables.pooled.of(place))
            found = {row[0]: _item(row, row[0] in pooled) for row in tables.items.of(place)}
            for row in (*tables.left.of(place), *tables.returned.of(place)):
                if row[0] not in found:
                    found[row[0]] = _item(row, False)
            self._last = place, found
        return self._last[1]

    def pooled_names(self, topic: str, kind: str) -> dict[str, tuple[str, str]]:
        """Return key -> (text, docno), for the pooled items of a topic and a kind, in half of the time of `items`."""
        place, tables = (topic, kind), self._filled
        if place != self._named[0]:
            pooled = frozenset(tables.pooled.of(place))
            names = {key: (text, docno) for key, text, docno, _ in tables.items.of(place) if key in pooled}
            self._named = place, names
        return self._named[1]

    def pooled(self, topic: str, kind: str) -> list[str]:
        """Return the keys of the pooled items of a topic and a kind."""
        return list(self._filled.pooled.of((topic, kind)))

    def given_alone(self, kind: str) -> dict[tuple[str, str], str]:
        """Return (topic, key) -> text, for the items of one response alone that no run returned."""
        return {(topic, key): text for topic, each, key, text in self._filled.alone if each == kind}

    @cached_property
    def _filled(self) -> Tables:
        """Return the tables of items, filled from the files of items, pools.jsonl and the runs."""
        asked = {number for work in WITH_STRINGS for number in self.topics_of(self.tasks_with(work))}
        tasks = {(topic.number, topic.task) for topic in self.topics}
        return filled_tables(self.release, self._kept, runs=self.runs, tasks=tasks, asked=asked)

    def found_once(self, name: str, topic: str, find: Callable[[], list[Found]]) -> list[Found]:
        """Return the rows that ``find`` returns for a topic. They are cached on disk under this name."""
        if (name, topic) in self._found:
            place, size = self._found[name, topic]
            self._kept.seek(place)
            rows: list[Found] = marshal.loads(self._kept.read(size))  # noqa: S302 (this process wrote it, to an unnamed file)
            return rows
        found = find()
        place = self._kept.seek(0, 2)
        self._found[name, topic] = place, self._kept.write(marshal.dumps(found))
        return found

    def strings(self, topic: str) -> Iterator[RunString]:
        """Yield the judged strings that the runs returned for a topic, by run and place."""
        for run, ordinal, key, docno, text in self.string_rows(topic):
            yield RunString(run=run, topic=topic, ordinal=ordinal, key=key, docno=docno, text=text)

    def string_rows(self, topic: str) -> list[StringRow]:
        """Return the same judged strings as `strings`, as plain values: run, place, key, docno and text."""
        return sorted(self._filled.strings.of(topic), key=itemgetter(0, 1))

    def check_items(self) -> dict[str, set[str]]:
        """Return the keys of the items that left the pools, by topic.

        Refuses (`Unlike`) an item that occurs twice or has no topic, and a member of a pool that is not an item.
        """
        return self._filled.check(self._tasks)

    def around(self, docno: str, quote: str, start: int) -> dict[str, str] | None:
        """Return the text around a snippet and the digest of its document's text, or None if they are not recorded."""
        query = "SELECT prefix, suffix, digest FROM anchor WHERE docno = ? AND quote = ? AND start = ?"
        found = self.anchors.execute(query, (docno, quote, start)).fetchone()
        return dict(zip(AROUND, found, strict=True)) if found else None

    @cached_property
    def anchors(self) -> sqlite3.Connection:
        """Return the table of anchors, filled from anchors.jsonl."""
        self._tables.execute(
            "CREATE TABLE anchor (docno TEXT, quote TEXT, start INTEGER, prefix TEXT, suffix TEXT, digest TEXT, "
            "PRIMARY KEY (docno, quote, start)) WITHOUT ROWID"
        )
        self._fill(
            "INSERT OR REPLACE INTO anchor VALUES (?, ?, ?, ?, ?, ?)",
            (tuple(row[name] for name in ("docno", "quote", "start", *AROUND)) for row in self.rows(ANCHORS)),
        )
        return self._tables

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the objects in a file of JSON lines, as `rows_of` does."""
        return rows_of(self.release, name)

    def _fill(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
        remaining = iter(rows)
        while some := list(islice(remaining, AT_ONCE)):
            self._tables.executemany(statement, some)


def _item(row: ItemRow, is_pooled: bool) -> Item:
    key, text, docno, said = row
    return Item(key=key, text=text, docno=docno, fields=said if isinstance(said, dict) else {}, pooled=is_pooled)


def _asked(task: Task, settings: Any) -> Task:
    """Return the task with only those criteria that these settings ask, each on the scale that the settings choose."""
    return replace(
        task,
        stages=tuple(
            stage.asking(each.with_scale(settings) for each in stage.criteria if each.is_asked(settings))
            for stage in task.stages
        ),
    )
