"""The assessors' judgments in the form that scoring needs: accurate answers, sentences, citations, aspects,
clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from assess.protocol import TopicRecord
from scoring.folding import answer_key
from scoring.formats.answer_clusters import AnswerCluster, Strictness, read_answer_clusters
from scoring.formats.grades import read_item_grades
from scoring.formats.pool_tables import read_answer_classes, topic_order
from scoring.measures.citations import RELEVANT, Necessity, Relation
from scoring.own_items import key_beside
from scoring.reading.unpacking import plain_name
from scoring.records import AnswerClass, InstanceJudgment, Issue, ItemGrade, Severity
from scoring.wording import counted
from tracks.biogen2024.judging import ACCURACY, NECESSITY, NECESSITY_OF, RELATION_OF, SUPPORT, YES, read_aspects
from tracks.biogen2024.topics import read_topics
from tracks.input_files import GoldKind, Reader, file_issue, kind_by_content, load_records

TOPICS = "topics.jsonl"
DISTRIBUTED_TOPICS = "topics.json"
"""The topics as one object, as the organisers distributed them; read only if `TOPICS` is missing."""
READERS: dict[str, Reader] = {
    TOPICS: read_topics,
    "answers.jsonl": read_item_grades,
    "sentences.jsonl": read_item_grades,
    "citations.jsonl": read_item_grades,
    "aspects.tsv": read_aspects,
    "answer-classes.tsv": read_answer_classes,
}
CLUSTERS = "clusters.json"
CLUSTER_NAMES = ("clusters*.json", "*clustered*.json", "*_cluster*.json")
NOT_SCORED = frozenset({"assessments.json", "judgments.jsonl", "manifest.json", "scores.tsv"})


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionGold:
    """The gold of one question. Items are named by their keys; ``aspects`` maps a class's key to its sentences.

    ``supported`` holds the sentences that any judged citation supports, and ``pool`` the relevant documents that any
    run cites. ``clusters`` holds the clusters of a cluster file, by strictness and name; a sentence in them is a pair
    of a run and the sentence's number.
    """

    accuracy: dict[str, bool] = field(default_factory=dict)
    necessity: dict[str, Necessity] = field(default_factory=dict)
    relations: dict[str, frozenset[Relation]] = field(default_factory=dict)
    aspects: dict[str, set[str]] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    supported: set[str] = field(default_factory=set)
    pool: set[str] = field(default_factory=set)
    clusters: dict[Strictness, dict[str, set[tuple[str, str]]]] = field(default_factory=dict)

    @property
    def is_judged(self) -> bool:
        """Return whether the question has a judgment or a cluster. Aspects alone do not count."""
        return bool(self.accuracy or self.necessity or self.relations or self.clusters)


@dataclass(frozen=True, kw_only=True, slots=True)
class Gold:
    """The gold of all questions, by number, in the order of the questions."""

    questions: dict[str, QuestionGold]
    topics: tuple[TopicRecord, ...] = ()  # none if there is only a cluster file


def load_gold(files: Mapping[str, Path], settings: Any, report: Callable[[Issue], None]) -> Gold:
    """Load gold from the exported files, which are found by their names, and from one cluster file. Packed files may
    end in .gz, .zst, .bz2 or .xz. Problems go to ``report``.

    If there is a file `aspects.tsv`, the `clusters.json` of an export is not read, since it repeats the same content.
    Nor is `topics.json` read if there is `topics.jsonl`.
    """
    names = {plain_name(name) for name in files}
    said_again = {DISTRIBUTED_TOPICS} if TOPICS in names else set()
    if "aspects.tsv" in names:
        said_again.add(CLUSTERS)
    records = load_records(
        files,
        _gold_of,
        report,
        known=f"{', '.join(READERS)}, and one cluster file (clusters*.json)",
        passed_over=NOT_SCORED | said_again,
    )
    return build_gold(records, settings, report)


KINDS = (
    GoldKind(name=TOPICS, read=read_topics),
    GoldKind(name="answers.jsonl", read=read_item_grades, fits=lambda grade: grade.criterion == ACCURACY.key),
    GoldKind(name="sentences.jsonl", read=read_item_grades, fits=lambda grade: grade.criterion == NECESSITY.key),
    GoldKind(name="citations.jsonl", read=read_item_grades, fits=lambda grade: grade.criterion == SUPPORT.key),
    GoldKind(name=CLUSTERS, read=read_answer_clusters),
    GoldKind(name="aspects.tsv", read=read_aspects),
    GoldKind(name="answer-classes.tsv", read=read_answer_classes),
)


def gold_name(name: str, path: Path) -> str:
    """Return the name of a gold file if it is a known name. Otherwise return the name for the kind of gold file that
    its content fits.
    """
    return name if _gold_of(name, path) is not None else kind_by_content(path, KINDS)


def _gold_of(plain: str, path: Path) -> tuple[str, Reader] | None:
    """Return (name of a kind of gold, its reader) for a file, or None if the file is not gold."""
    del path
    if plain in READERS:
        return plain, READERS[plain]
    if plain == DISTRIBUTED_TOPICS:
        return TOPICS, read_topics
    is_clusters = any(fnmatch(plain, pattern) for pattern in CLUSTER_NAMES)
    return (CLUSTERS, read_answer_clusters) if is_clusters else None


def build_gold(records: Mapping[str, Iterable[Any]], settings: Any, report: Callable[[Issue], None]) -> Gold:
    """Build gold from the records of each file (by export name), in any order. Records that belong to no question are
    reported and left out. If there are no topics, the questions are those of the cluster file.
    """
    del settings  # gold does not depend on them
    topics = [topic for topic in records.get(TOPICS, ()) if isinstance(topic, TopicRecord) and topic.task]
    clusters: list[AnswerCluster] = list(records.get(CLUSTERS, ()))
    if not topics and not clusters:
        report(file_issue(TOPICS, "no-topics", "Topics are needed to score; give the file, or a cluster file."))
    numbers = [topic.number for topic in topics]
    if not topics:
        numbers = sorted({cluster.topic for cluster in clusters}, key=topic_order)
    builder = _Builder({number: QuestionGold() for number in numbers}, report)
    for name in ("answers.jsonl", "sentences.jsonl", "citations.jsonl"):
        for grade in records.get(name, ()):
            builder.add_grade(name, grade)
    builder.add_aspects(records.get("aspects.tsv", ()), records.get("answer-classes.tsv", ()))
    builder.add_clusters(clusters)
    return Gold(questions=builder.questions, topics=tuple(topics))


class _Builder:
    """Sorts records by question, and reports records of unknown questions."""

    def __init__(self, questions: dict[str, QuestionGold], report: Callable[[Issue], None]) -> None:
        self.questions = questions
        self.report = report

    def add_grade(self, name: str, grade: ItemGrade) -> None:
        """Add one official grade. Items that nobody judged are skipped; a grade that the track does not have is
        reported.
        """
        question = self._question(name, grade.topic)
        if question is None or grade.value is None:
            return
        if grade.criterion == ACCURACY.key:
            question.accuracy[grade.key] = grade.value == YES
        elif grade.criterion == NECESSITY.key and grade.value in NECESSITY_OF:
            question.necessity[grade.key] = NECESSITY_OF[grade.value]
        elif grade.criterion == SUPPORT.key and grade.value in RELATION_OF:
            relations = relations_of(grade)
            question.relations[grade.key] = relations
            if "supporting" in relations:
                question.supported.add(key_beside(answer_key(grade.text, ""), grade.key))
            if relations & RELEVANT:
                question.pool.add(grade.docno)
        else:
            message = f"{grade.topic}: “{grade.criterion[:40]}” {grade.value} is no grade of this track."
            self._say(name, "unknown-grade", message)

    def add_aspects(self, members: Iterable[InstanceJudgment], classes: Iterable[AnswerClass]) -> None:
        """Add the groups of required sentences, with their labels."""
        for member in members:
            question = self._question("aspects.tsv", member.topic)
            if question is not None and member.answer_class:
                key = member.key or answer_key(member.text, member.docno)
                question.aspects.setdefault(member.answer_class, set()).add(key)
        for each in classes:
            question = self._question("answer-classes.tsv", each.topic)
            if question is not None:
                question.labels[each.key] = each.label

    def add_clusters(self, clusters: Iterable[AnswerCluster]) -> None:
        """Add the clusters of a cluster file. Clusters of unknown questions are skipped, and one warning is given for
        all of them.
        """
        strange: set[str] = set()
        for cluster in clusters:
            question = self.questions.get(cluster.topic)
            if question is None:
                strange.add(cluster.topic)
            else:
                of_kind = question.clusters.setdefault(cluster.strictness, {})
                of_kind.setdefault(cluster.cluster, set()).update(cluster.sentences)
        if strange:
            message = (
                f"{counted(len(strange), 'question is', 'questions are')} passed over, not in {TOPICS}, such "
                f"as {min(strange)}."
            )
            self._say(CLUSTERS, "unknown-topic", message, "warning")

    def _question(self, name: str, topic: str) -> QuestionGold | None:
        found = self.questions.get(topic)
        if found is None:
            self._say(name, "unknown-topic", f"“{topic[:40]}” is no question of {TOPICS}.")
        return found

    def _say(self, name: str, code: str, message: str, severity: Severity = "error") -> None:
        self.report(file_issue(name, code, message, severity))


def relations_of(grade: ItemGrade) -> frozenset[Relation]:
    """Return the relations between a citation and its sentence: that of the citation's own grade, and those of its
    snippets.
    """
    values = [grade.value, *(snippet.get("value") for snippet in grade.evidence)]
    return frozenset(RELATION_OF[value] for value in values if value in RELATION_OF)
