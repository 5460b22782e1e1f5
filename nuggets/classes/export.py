"""Export answers and their classes, as recorded acts, as records, and as whole judged responses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from assess.exports.queries import grades, returned, strings_of, topics
from assess.exports.writing import named_item, role_of
from assess.judging.snapshots import Snapshot
from assess.protocol import TopicRecord
from nuggets.classes.current import (
    ClassView,
    class_stages,
    correct_items,
    current_labels,
    current_members,
    official_classes,
    official_values,
    superseded_members,
)
from nuggets.classes.models import ClassAssignment
from nuggets.writing.counting_lists import ADJUDICATOR, numbers_in, numbers_of
from scoring.own_items import run_of_key
from scoring.records import AnswerClass, InstanceJudgment, ItemGrade, JudgedInstance, ReturnedSegment
from scoring.release.derived_records import judged_strings
from scoring.release.recorded_acts import AnswerFound, Classed, RecordedAct


def classed_acts(snapshot: Snapshot, names: Mapping[int, str]) -> Iterator[RecordedAct]:
    """Yield the members of all assessors' classes whose items are still judged correct.

    If several people adjudicated a topic, only the last adjudicator's members are yielded, besides those of assessors.
    """
    for task, _, grade in class_stages(snapshot.campaign):
        numbers = numbers_of(snapshot.campaign, task)
        correct = set(correct_items(snapshot, grade=grade, topics=numbers).values_list("pk", flat=True))
        rows = current_members(ClassAssignment.objects.filter(item__topic__in=list(numbers)), as_of=snapshot.as_of)
        members = list(rows.select_related("item", "assignment", "answer_class").order_by("id"))
        old = superseded_members(numbers, as_of=snapshot.as_of)
        members = [row for row in members if row.pk not in old]
        members = _without_overruled(snapshot, numbers, grade, members)
        labels = current_labels({row.answer_class_id for row in members if row.answer_class_id}, as_of=snapshot.as_of)
        for row in members:
            if row.item_id in correct and row.answer_class is not None:
                yield (AnswerFound if row.is_found else Classed)(
                    by=names[row.assignment.assessor_id],
                    topic=numbers[row.item.topic_id],
                    label=labels.get(row.answer_class.pk, row.item.text),
                    number=row.answer_class.number,
                    role=role_of(row.assignment.role),
                    **named_item(row.item),
                )


def _without_overruled(
    snapshot: Snapshot, topics: Iterable[int], grade: tuple[str, int], members: list[ClassAssignment]
) -> list[ClassAssignment]:
    """Return the members, leaving out those in an adjudicator's grouping that a later adjudicator's grouping
    replaced.
    """
    if not any(row.assignment.role == ADJUDICATOR for row in members):
        return members
    counting = {view.id for view in official_classes(snapshot, topics=topics, grade=grade)}
    return [row for row in members if row.assignment.role != ADJUDICATOR or row.answer_class_id in counting]


CHUNK = 2000


def instance_judgments(snapshot: Snapshot) -> Iterator[InstanceJudgment]:
    """Yield each instance with an official judgment, including answers that assessors found. If the instance is in an
    answer class, its class is included.
    """
    for task, _, grade in class_stages(snapshot.campaign):
        if not (numbers := numbers_in(snapshot, task)):
            continue  # a snapshot of other topics
        keys = class_keys(official_classes(snapshot, topics=numbers, grade=grade))
        judged = official_values(snapshot, criterion=grade[0], topics=numbers)
        fields = ("item__topic_id", "item_id", "item__docno", "item__text", "item__key", "value")
        for topic, item, docno, text, key, value in judged.values_list(*fields).order_by("item_id").iterator(CHUNK):
            yield InstanceJudgment(
                topic=numbers[topic],
                docno=docno,
                text=text,
                correctness=value,
                answer_class=keys.get(item, ""),
                key=key if run_of_key(key) else "",
            )


def answer_classes(snapshot: Snapshot) -> Iterator[AnswerClass]:
    """Yield the final answer sets: each class that holds a correct instance."""
    for task, _, grade in class_stages(snapshot.campaign):
        if not (numbers := numbers_in(snapshot, task)):
            continue
        for view in official_classes(snapshot, topics=numbers, grade=grade):
            found_by = "assessor" if view.is_found else ""
            yield AnswerClass(topic=numbers[view.topic_id], key=str(view.number), label=view.label, found_by=found_by)


def list_judged(snapshot: Snapshot) -> Iterator[JudgedInstance]:
    """Yield the judged instances of each accepted run. In each class, the run's first instance counts as the distinct
    one.
    """
    campaign = snapshot.campaign
    for task, _, grade in class_stages(campaign):
        numbers = numbers_of(campaign, task)
        views = official_classes(snapshot, topics=numbers, grade=grade)
        classes = {
            (numbers[view.topic_id], member.item.key): str(view.number) for view in views for member in view.members
        }
        judged = official_values(snapshot, criterion=grade[0], topics=numbers)
        rows = judged.values_list("item__topic_id", "item__key", "value").iterator(CHUNK)
        values = {(numbers[topic], key): value for topic, key, value in rows if value is not None}
        yield from judged_strings(strings_of(campaign, task), values=values, classes=classes)


def class_keys(classes: tuple[ClassView, ...]) -> dict[int, str]:
    """Return item's id -> key of the item's class."""
    return {member.item.pk: str(view.number) for view in classes for member in view.members}


JudgedRecord = TopicRecord | ReturnedSegment | ItemGrade | AnswerClass | InstanceJudgment


def judged_responses(snapshot: Snapshot, *, kinds: Sequence[str] = (), classes: bool = False) -> Iterator[JudgedRecord]:
    """Yield all topics, then the segments that accepted runs returned, then the official grades of items of these
    kinds. With ``classes``, the answer classes and their instances follow. The records are streamed.
    """
    yield from topics(snapshot)
    yield from returned(snapshot)
    for kind in kinds:
        yield from grades(snapshot, kind=kind)
    if classes:
        yield from answer_classes(snapshot)
        yield from instance_judgments(snapshot)
