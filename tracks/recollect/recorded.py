"""What a release says beside its exports: topics, items, pools, work, runs, and what people did, topic by topic."""

from __future__ import annotations

import json
import pickle
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import Any

from assess.protocol import ItemRecord, RunContent, SegmentRecord, Stage, Task, TopicRecord, Track
from scoring.derived_records import RunString
from scoring.folding import key_of_answer
from scoring.json_reading import parse_json
from scoring.kept_acts import KeptActs
from scoring.quick_records import quick_record
from scoring.recorded_acts import (
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
from scoring.releases import ANCHORS, ITEMS, POOLS, TOPIC_CHANGES, WORK, Release, dropped_by
from tracks.recollect.rows import Unlike, rows_of
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
"""The kinds of work in which each act is said. In kinds that are not among them anything may be said."""

KNOWN_WORKS = frozenset().union(*SAID_IN.values())

WITH_STRINGS = ("matches", "classes")
"""The kinds of work of which an export says, run by run, what was said of its strings."""

ItemAct = Judged | AnswerFound | Classed | Matched | Reviewed
AROUND = ("prefix", "suffix", "digest")
AT_ONCE = 1_000


@quick_record(frozen=True, kw_only=True, slots=True)
class Item:
    """One item that was judged, as the release has it."""

    key: str
    text: str = ""
    docno: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    pooled: bool = False


def key_of(act: ItemAct) -> str:
    """Return the key of the item that an act names: its own, else what follows from answer string and docno."""
    return act.key or key_of_answer(act.answer, act.docno)


def as_said(item: Item | None, key: str, text: str, docno: str) -> Item:
    """Return an item with the text and docno that items.jsonl has, else with those of who judged it.

    Of what is in no pool, runs may give the same text in other white space.
    """
    if item is None:
        return Item(key=key, text=text, docno=docno)
    return item if item.pooled else replace(item, text=text, docno=docno)


def _stages_saying(task: Task, act: RecordedAct) -> list[Stage]:
    """Return the stages of a task in which an act is said."""
    criterion = getattr(act, "criterion", None)
    works = SAID_IN[type(act)]
    asking = [stage for stage in task.stages if criterion is None or stage.criterion(criterion) is not None]
    known = [stage for stage in asking if stage.work.key in works]
    return known or [stage for stage in task.stages if stage.work.key not in KNOWN_WORKS]


class Recorded:
    """All that is read of a release to make its exports again; items are kept on the disk, in a file without a name."""

    def __init__(
        self,
        release: Release,
        track: Track,
        *,
        settings: Any,
        topics: tuple[TopicRecord, ...],
        runs: Iterable[RunContent],
        acts: KeptActs,
    ) -> None:
        self.release, self.settings, self.acts, self.all_topics = release, settings, acts, topics
        self.track = replace(track, tasks=tuple(_asked(task, settings) for task in track.tasks))
        self.runs = sorted(runs, key=lambda run: run.run)
        self._tables = sqlite3.connect("")
        self._rows_of: Counter[str] = Counter()
        self._saying: dict[tuple[str, type, str | None], list[Stage]] = {}
        self._held: dict[tuple[Any, ...], Held | None] = {}

    def stages_saying(self, task: Task, act: RecordedAct) -> list[Stage]:
        """Return the stages of a task in which an act is said: the same for all acts of a kind and criterion."""
        asked = (task.key, type(act), getattr(act, "criterion", None))
        if asked not in self._saying:
            self._saying[asked] = _stages_saying(task, act)
        return self._saying[asked]

    def stage_saying(self, task: Task, act: RecordedAct) -> Stage | None:
        """Return the first stage of a task in which an act is said, or None."""
        return next(iter(self.stages_saying(task, act)), None)

    @cached_property
    def work(self) -> Work:
        """Who had which work."""
        return Work(self.rows(WORK))

    def said(self, topic: str, *kinds: type) -> list[tuple[int, RecordedAct]]:
        """Return what people said of a topic, whoever spoke last behind the others; machine judges left out.

        Of these kinds of acts alone, where any is named: the others are not read.
        """
        said: list[tuple[int, int, RecordedAct]] = []
        for number, act in self.acts.of_topic(topic, *kinds):
            held = self.held(topic, act) if act.role != "machine" else None
            if held is not None:
                said.append((held.place, number, act))
        return [(number, act) for _, number, act in sorted(said, key=itemgetter(0))]  # each work's in their order

    def held(self, topic: str, act: RecordedAct) -> Held | None:
        """Return the work in which an act is said, which is the same for all acts of a person, a kind and a criterion.

        None where its topic's task, if it counts, has no stage that takes such a judgment.
        """
        asked = (topic, type(act), getattr(act, "criterion", None), act.by, act.role)
        if asked not in self._held:
            task = self.task_of(topic)
            stage = self.stage_saying(task, act) if task is not None else None
            self._held[asked] = self.work.held(topic, stage.key, act) if stage is not None else None
        return self._held[asked]

    @cached_property
    def topics(self) -> tuple[TopicRecord, ...]:
        """The topics that count, which are those that nobody dropped."""
        dropped = {number for number, _ in dropped_by(self.rows(TOPIC_CHANGES))}
        return tuple(topic for topic in self.all_topics if topic.number not in dropped)

    def task_of(self, topic: str, *, with_dropped: bool = False) -> Task | None:
        """Return the task that asks a topic; None where it is unknown, only groups others, or was dropped."""
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
        """Return the numbers of the topics that these tasks ask, task by task."""
        for task in tasks:
            yield from (topic.number for topic in self.topics if topic.task == task.key)

    def kind_of(self, topic: str, work: str) -> str:
        """Return the kind of the items of a topic that this kind of work is about; "" where there is none."""
        task = self.task_of(topic)
        stages = task.stages if task is not None else ()
        return next((stage.item_kind for stage in stages if stage.work.key == work), "")

    def items(self, topic: str, kind: str) -> dict[str, Item]:
        """Return the items of a topic and a kind by key."""
        rows = self._items.execute(
            "SELECT key, text, docno, fields, pooled FROM item WHERE topic = ? AND kind = ?", (topic, kind)
        )
        return {
            key: Item(key=key, text=text, docno=docno, fields=_mapping(said), pooled=bool(pooled))
            for key, text, docno, said, pooled in rows
        }

    def given_alone(self, kind: str) -> dict[tuple[str, str], str]:
        """Return (topic, key) -> text of the items of one response alone that no run brought."""
        rows = self._items.execute("SELECT topic, key, text FROM item WHERE kind = ? AND given", (kind,))
        return {(topic, key): text for topic, key, text in rows if "@" in key}

    @cached_property
    def _items(self) -> sqlite3.Connection:
        self._tables.execute(
            "CREATE TABLE item (topic TEXT, kind TEXT, key TEXT, text TEXT, docno TEXT, fields TEXT, given, pooled, "
            "PRIMARY KEY (topic, kind, key)) WITHOUT ROWID"
        )
        self._fill(
            "INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
            (
                (
                    *(row["topic"], row["kind"], row["key"], row["text"], row["docno"]),
                    *(json.dumps(row["fields"]) if row["fields"] else "{}", row["given"]),
                )
                for row in self._counted(ITEMS)
            ),
        )
        self._fill(
            "UPDATE item SET pooled = pooled + 1 WHERE topic = ? AND kind = ? AND key = ?",
            ((row["topic"], row["kind"], row["key"]) for row in self._counted(POOLS)),
        )
        self._fill(
            "INSERT OR IGNORE INTO item VALUES (?, ?, ?, ?, ?, ?, 0, 0)",
            (
                (
                    each.topic,
                    each.kind,
                    each.key,
                    each.text,
                    each.docno,
                    json.dumps(dict(each.fields)) if each.fields else "{}",
                )
                for each in self._returned_items()
            ),
        )
        return self._tables

    def _returned_items(self) -> Iterator[ItemRecord]:
        """Yield what the runs' segments, their citations and their whole responses are judged by.

        On the way the judged strings are kept that `strings` gives, so that no file of a run is read for them again.
        """
        self._tables.execute(
            "CREATE TABLE string (topic TEXT, run TEXT, ordinal INTEGER, key TEXT, docno TEXT, text TEXT)"
        )
        asked = {number for work in WITH_STRINGS for number in self.topics_of(self.tasks_with(work))}
        for run in self.runs:
            strings: list[tuple[str, str, int, str, str, str]] = []
            for each in run.segments():
                yield from (item for item in items_of(each) if item.key)
                if each.item_key and each.topic in asked:
                    strings.append((each.topic, run.run, each.ordinal, each.item_key, each.docno, each.text))
            yield from run.responses()
            self._tables.executemany("INSERT INTO string VALUES (?, ?, ?, ?, ?, ?)", strings)
        self._tables.execute("CREATE INDEX string_topic ON string (topic)")

    def found_once(self, name: str, topic: str, find: Callable[[], list[tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
        """Return what was found of a topic under this name, which is kept on the disk; what ``find`` finds before."""
        kept = self._found.execute("SELECT rows FROM found WHERE name = ? AND topic = ?", (name, topic)).fetchone()
        if kept is not None:
            rows: list[tuple[Any, ...]] = pickle.loads(kept[0])  # noqa: S301 (what this process wrote, in a file without a name)
            return rows
        found = find()
        values = (name, topic, pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL))
        self._found.execute("INSERT INTO found VALUES (?, ?, ?)", values)
        return found

    @cached_property
    def _found(self) -> sqlite3.Connection:
        self._tables.execute("CREATE TABLE found (name TEXT, topic TEXT, rows BLOB, PRIMARY KEY (name, topic))")
        return self._tables

    def strings(self, topic: str) -> Iterator[RunString]:
        """Yield the judged strings that the runs returned for a topic, by run and place."""
        query = "SELECT run, ordinal, key, docno, text FROM string WHERE topic = ? ORDER BY run, ordinal, rowid"
        for run, ordinal, key, docno, text in self._items.execute(query, (topic,)):
            yield RunString(run=run, topic=topic, ordinal=ordinal, key=key, docno=docno, text=text)

    def check_items(self) -> None:
        """Refuse (`Unlike`) an item that comes twice or is of no topic, and a member of a pool that is no item."""
        try:
            tables = self._items
        except sqlite3.IntegrityError as error:
            raise Unlike(ITEMS, "it says an item twice") from error
        strangers = tables.execute("SELECT DISTINCT topic FROM item").fetchall()
        if strange := {topic for (topic,) in strangers} - self._tasks.keys():
            raise Unlike(ITEMS, f"it has items of {min(strange)[:40]}, which is no topic of the release")
        if tables.execute("SELECT 1 FROM item WHERE pooled > 1").fetchone():
            raise Unlike(POOLS, "it says a member of a pool twice")
        if (tables.execute("SELECT sum(pooled) FROM item").fetchone()[0] or 0) != self._rows_of[POOLS]:
            raise Unlike(POOLS, f"it has members that {ITEMS} does not have")
        if self._rows_of[POOLS] != self._rows_of[ITEMS]:
            raise Unlike(ITEMS, f"it has items that are in no pool of {POOLS}")

    def _counted(self, name: str) -> Iterator[dict[str, Any]]:
        """Return the rows of the items or pools, and count them. Refused (`Unlike`): a pool of another topic's task."""
        known = {(topic.number, topic.task) for topic in self.topics}
        for number, row in enumerate(self.rows(name), start=1):
            if name == POOLS and (row["topic"], row["task"]) not in known:
                raise Unlike(POOLS, f"line {number} is of no topic of its task")
            self._rows_of[name] = number
            yield row

    def around(self, docno: str, quote: str, start: int) -> dict[str, str] | None:
        """Return what stands around a snippet, and the digest of its document's text; None where nothing says so."""
        query = "SELECT prefix, suffix, digest FROM anchor WHERE docno = ? AND quote = ? AND start = ?"
        found = self.anchors.execute(query, (docno, quote, start)).fetchone()
        return dict(zip(AROUND, found, strict=True)) if found else None

    @cached_property
    def anchors(self) -> sqlite3.Connection:
        """The table of anchors, filled from anchors.jsonl."""
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
        """Read the objects of a file of JSON lines, as `rows_of` does."""
        return rows_of(self.release, name)

    def _fill(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
        remaining = iter(rows)
        while some := list(islice(remaining, AT_ONCE)):
            self._tables.executemany(statement, some)


def _mapping(written: str) -> Mapping[str, Any]:
    found = parse_json(written)
    return found if isinstance(found, dict) else {}


def _asked(task: Task, settings: Any) -> Task:
    """Return the task with the criteria that these settings ask, on their scales."""
    return replace(
        task,
        stages=tuple(
            stage.asking(each.with_scale(settings) for each in stage.criteria if each.is_asked(settings))
            for stage in task.stages
        ),
    )


def items_of(record: SegmentRecord) -> Iterator[ItemRecord]:
    """Return what a segment and its citations are judged by; without a key it is not judged."""
    yield ItemRecord(
        topic=record.topic,
        kind=record.item_kind,
        key=record.item_key,
        text=record.text,
        docno=record.docno,
        fields=record.item_fields,
    )
    for citation in record.citations:
        yield ItemRecord(
            topic=record.topic,
            kind=citation.item_kind,
            key=citation.item_key,
            text=citation.item_text,
            docno=citation.docno,
            fields=citation.item_fields,
        )
