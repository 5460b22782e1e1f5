"""The judgments in the form that scoring needs: questions, judged instances, answer sets, nugget lists, matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from assess.protocol import TopicRecord
from scoring.folding import answer_key, answer_keys, key_of_answer
from scoring.formats.pool_tables import (
    read_answer_classes,
    read_instances,
    read_matches,
    read_nuggets,
    read_topic_matches,
    read_votes,
)
from scoring.measures.nuggets import ListWeights, Mark, importance_weights, part_counts, vote_weights
from scoring.reading.packed_values import PackedValues, ValuesByTopic
from scoring.reading.unpacking import plain_name
from scoring.records import (
    AnswerClass,
    Importance,
    InstanceJudgment,
    Issue,
    ItemMatch,
    Nugget,
    NuggetVote,
    Severity,
    TopicMatches,
)
from tracks.input_files import GoldKind, Reader, file_issue, kind_by_content, load_records
from tracks.tac2008_qa.files import read_topics

QUESTIONS = "questions.xml"
READERS: dict[str, Reader] = {
    QUESTIONS: read_topics,
    "instances.tsv": read_instances,
    "answer-classes.tsv": read_answer_classes,
    "nuggets.tsv": read_nuggets,
    "votes.tsv": read_votes,
    "matches.tsv": read_topic_matches,
}
NOT_SCORED = frozenset(
    {"list_judged.txt", "otherjudged.txt", "final-answer-sets.txt", "judgments.jsonl", "manifest.json"}
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RigidGold:
    """The gold of a rigid question: the judged instances by item key, and the final answer set as key -> label.

    Of a judgment only correctness and answer class are held, once for all instances that were judged so.
    """

    judgments: Mapping[str, InstanceJudgment] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class SquishyGold:
    """The gold of a squishy question: its nuggets, what each assessor said of them (nugget -> assessor -> importance),
    and item's key -> the marks in the item.
    """

    nuggets: tuple[Nugget, ...] = ()
    cast: Mapping[int, Mapping[str, Importance]] = field(default_factory=dict)
    marks: Mapping[str, tuple[Mark, ...]] = field(default_factory=dict)
    parts: dict[int, int] = field(default_factory=dict)
    pyramid: ListWeights
    vital_okay: ListWeights

    @property
    def votes(self) -> tuple[NuggetVote, ...]:
        """The votes by nugget and assessor, made anew, since a campaign may have a million."""
        topics = {nugget.number: nugget.topic for nugget in self.nuggets}
        return tuple(
            NuggetVote(topic=topics[number], number=number, assessor=assessor, importance=importance)
            for number, said in sorted(self.cast.items())
            for assessor, importance in sorted(said.items())
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Gold:
    """All of a campaign's gold. ``series`` maps each target to its questions, in the order of the file."""

    series: dict[str, tuple[TopicRecord, ...]]
    rigid: dict[str, RigidGold]
    squishy: dict[str, SquishyGold]


def load_gold(files: Mapping[str, Path], settings: Any, report: Callable[[Issue], None]) -> Gold:
    """Load gold from the exported files, which are found by their names. Packed files may end in .gz, .zst, .bz2 or
    .xz.

    Any other .xml file is read as the questions. Issues name their file in the message.
    """
    records = load_records(files, _gold_of, report, known=", ".join(READERS), passed_over=NOT_SCORED)
    return build_gold(records, settings, report)


KINDS = (
    GoldKind(name=QUESTIONS, read=read_topics),
    *(GoldKind(name=name, read=READERS[name]) for name in ("instances.tsv", "nuggets.tsv", "votes.tsv")),
    GoldKind(name="answer-classes.tsv", read=read_answer_classes, fits=lambda r: r.found_by in ("", "assessor")),
    GoldKind(name="matches.tsv", read=read_matches),
)


def gold_name(name: str, path: Path) -> str:
    """Return the name of a gold file if it is a known name. Otherwise return the name for the kind of gold file that
    has these columns. The kinds with the most specific columns are tried first.
    """
    return name if _gold_of(plain_name(name), path) is not None else kind_by_content(path, KINDS)


def build_gold(records: Mapping[str, Iterable[Any]], settings: Any, report: Callable[[Issue], None]) -> Gold:
    """Build gold from the records of each file (by export name), in any order.

    Records are reported and left out if they belong to no question of their type, judge an instance a second time,
    repeat a nugget number, or vote on or match an unknown nugget. A correct instance that has no answer class, or one
    that is not in the answer set, is reported and counts for no answer.
    """
    topics: list[TopicRecord] = list(records.get(QUESTIONS, ()))
    if not topics:
        report(file_issue(QUESTIONS, "no-questions", "Questions are needed to score; give the question file."))
    kinds = {topic.number: topic.task for topic in topics if topic.task}
    builder = _Builder(kinds, report)
    classes: list[AnswerClass] = list(records.get("answer-classes.tsv", ()))
    builder.add_answers(classes)
    builder.add_judgments(records.get("instances.tsv", ()), derive=not classes)
    builder.add_nuggets(records.get("nuggets.tsv", ()))
    builder.add_votes(records.get("votes.tsv", ()))
    builder.add_matches(records.get("matches.tsv", ()))
    left_out = _left_out(topics, builder, settings)
    series: dict[str, list[TopicRecord]] = {topic.number: [] for topic in topics if not topic.task}
    for topic in topics:
        if topic.task and topic.number not in left_out:
            series.setdefault(topic.parent or topic.number, []).append(topic)
    kinds = {number: kind for number, kind in kinds.items() if number not in left_out}
    return Gold(
        series={target: tuple(questions) for target, questions in series.items() if questions or not left_out},
        rigid={number: builder.rigid_gold(number) for number, kind in kinds.items() if kind == "rigid"},
        squishy={number: builder.squishy_gold(number) for number, kind in kinds.items() if kind == "squishy"},
    )


def _left_out(topics: Iterable[TopicRecord], builder: _Builder, settings: Any) -> set[str]:
    """Return the questions that the settings exclude from judging and in which nothing was judged."""
    named = set(settings.judged_topics)
    outside = {each.number for each in topics if each.task and named and not {each.number, each.parent} & named}
    return {number for number in outside if not builder.judgments.of(number) and not builder.nuggets[number]}


class _Builder:
    """Sorts records by question, and reports records of unknown questions."""

    def __init__(self, kinds: Mapping[str, str], report: Callable[[Issue], None]) -> None:
        self.kinds = kinds
        self.report = report
        self.answers: dict[str, dict[str, str]] = {number: {} for number in kinds}
        self.judgments: ValuesByTopic[InstanceJudgment] = ValuesByTopic()
        self.nuggets: dict[str, dict[int, Nugget]] = {number: {} for number in kinds}
        self.votes: dict[str, dict[int, dict[str, Importance]]] = {number: {} for number in kinds}
        self.marks: ValuesByTopic[tuple[Mark, ...]] = ValuesByTopic()

    def add_answers(self, records: Iterable[AnswerClass]) -> None:
        """Add final answer sets."""
        for record in records:
            if self._fits("answer-classes.tsv", record.topic, "rigid"):
                self.answers[record.topic][record.key] = record.label

    def add_judgments(self, records: Iterable[InstanceJudgment], *, derive: bool) -> None:
        """Add judged instances. With ``derive``, which means that there is no file of answer classes, the answer set
        consists of the classes that the instances name.
        """
        for record in records:
            if not self._fits("instances.tsv", record.topic, "rigid"):
                continue
            judgments = self.judgments.turn_to(record.topic)
            key = record.key or answer_key(record.text, record.docno)
            if key in judgments:
                if judgments[key].correctness != record.correctness:
                    self._say(
                        "instances.tsv", "judged-twice", f"{record.topic}: two judgments of {record.text[:60]!r}."
                    )
                continue
            if derive and record.correctness == 1 and record.answer_class:
                self.answers[record.topic][record.answer_class] = record.answer_class
            judgments[key] = InstanceJudgment(
                topic=record.topic,
                docno="",
                text="",
                correctness=record.correctness,
                answer_class=self._class_key(record),
            )

    def _class_key(self, record: InstanceJudgment) -> str:
        """Return the key of the instance's answer class, or "" if it is in none. The record names the class by its key
        or its label.
        """
        answers = self.answers[record.topic]
        if record.correctness != 1:
            return ""
        if record.answer_class in answers:
            return record.answer_class
        keys = [key for key, label in answers.items() if label == record.answer_class]
        if record.answer_class and len(keys) == 1:
            return keys[0]
        message = (
            f"{record.topic}: the correct instance {record.text[:60]!r} is in no answer class; it counts for none."
        )
        self._say("instances.tsv", "no-answer-class", message, "warning")
        return ""

    def add_nuggets(self, records: Iterable[Nugget]) -> None:
        """Add nugget lists."""
        for record in records:
            if not self._fits("nuggets.tsv", record.topic, "squishy"):
                continue
            if record.number in self.nuggets[record.topic]:
                self._say("nuggets.tsv", "nugget-twice", f"{record.topic}: nugget {record.number} comes twice.")
            else:
                self.nuggets[record.topic][record.number] = record

    def add_votes(self, records: Iterable[NuggetVote]) -> None:
        """Add votes. If an assessor voted twice on a nugget, the later vote counts."""
        for record in records:
            if self._on_list("votes.tsv", record.topic, record.number):
                self.votes[record.topic].setdefault(record.number, {})[record.assessor] = record.importance

    def add_matches(self, records: Iterable[ItemMatch | TopicMatches]) -> None:
        """Add marks of nuggets in items."""
        for topic, found in groupby(records, key=attrgetter("topic")):
            nuggets = self.nuggets.get(topic, {})
            by_item = self.marks.turn_to(topic) if nuggets else {}
            marks: dict[Mark, Mark] = {}  # one object for each mark, shared by all items
            for key, number, part in _marks_by_key(found):
                if number not in nuggets:
                    self._on_list("matches.tsv", topic, number)
                    continue
                mark = (number, part)
                before = by_item.get(key, ())
                if mark not in before:
                    now = (*before, marks.setdefault(mark, mark))
                    by_item[key] = now if not before or before[-1] < mark else tuple(sorted(now))

    def rigid_gold(self, topic: str) -> RigidGold:
        """Return the gold of one rigid question, made from the records added so far."""
        return RigidGold(judgments=self.judgments.of(topic), answers=self.answers[topic])

    def squishy_gold(self, topic: str) -> SquishyGold:
        """Return the gold of one squishy question, made from the records added so far."""
        nuggets = tuple(nugget for _, nugget in sorted(self.nuggets[topic].items()))
        marks = self.marks.of(topic)
        distinct = marks.distinct if isinstance(marks, PackedValues) else marks.values()
        vital_okay = importance_weights(nuggets)
        gold = SquishyGold(
            nuggets=nuggets,
            cast=self.votes[topic],
            marks=marks,
            parts=part_counts(chain.from_iterable(distinct)),
            pyramid=vital_okay,
            vital_okay=vital_okay,
        )
        return replace(gold, pyramid=vote_weights(nuggets, gold.votes))

    def _on_list(self, name: str, topic: str, number: int) -> bool:
        if not self._fits(name, topic, "squishy"):
            return False
        if number in self.nuggets[topic]:
            return True
        self._say(name, "unknown-nugget", f"{topic}: there is no nugget {number} on the list.")
        return False

    def _fits(self, name: str, topic: str, kind: str) -> bool:
        if self.kinds.get(topic) == kind:
            return True
        self._say(name, "unknown-question", f'"{topic[:40]}" is no {kind} question of the question file.')
        return False

    def _say(self, name: str, code: str, message: str, severity: Severity = "error") -> None:
        self.report(file_issue(name, code, message, severity))


def _marks_by_key(records: Iterable[ItemMatch | TopicMatches]) -> Iterator[tuple[str, int, int]]:
    """Yield (item's key, nugget, part) for each mark. All marks are of one topic."""
    made: dict[
        tuple[str, str], str
    ] = {}  # the keys of the topic's docnos and texts: each nugget's lines name them anew
    for said in records:
        if isinstance(said, ItemMatch):
            yield said.key or key_of_answer(said.text, said.docno), said.number, said.part
        else:
            unnamed = {(docno, text) for docno, text, key in said.items.values() if not key} - made.keys()
            made |= zip(
                unnamed, answer_keys([text for _, text in unnamed], [docno for docno, _ in unnamed]), strict=True
            )
            keys = {item: key or made[docno, text] for item, (docno, text, key) in said.items.items()}
            yield from ((keys[item], number, part) for item, number, part in said.marks)


def _gold_of(plain: str, path: Path) -> tuple[str, Reader] | None:
    """Return (name of a kind of gold, its reader) for a file, or None if the file is not gold."""
    del path
    known = plain if plain in READERS else QUESTIONS if plain.endswith(".xml") else ""
    return (known, READERS[known]) if known else None
