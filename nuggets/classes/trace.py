"""Trace answer classes of an explained score back to the ledger."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext

from assess.judging.queries.stage_items import item_about
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.trace import returned_items
from assess.kinds.trace import JudgmentTrace, TracedAct, TracedOpinion, acts_in_order, rows_by, rows_until
from assess.runs.models import Run
from assess.topic_drafts.models import DraftFind
from assess.topic_drafts.queries import carried_finds, trace_of_find
from assess.topics.models import Topic
from nuggets.classes.current import class_stages, official_classes
from nuggets.classes.models import ClassAssignment, ClassLabel
from scoring.folding import answer_key
from scoring.release.explained import About


def find_class(snapshot: Snapshot, about: About, run: Run | None) -> JudgmentTrace | None:
    """Return the trace of an answer class: its labels, and who put which answers into it. Return None if there is no
    such class.

    If ``run`` is given, only the answers that this run returned are included.
    """
    topic = snapshot.campaign.topics.filter(number=about.topic).first()
    for task, _, grade in class_stages(snapshot.campaign):
        if topic is None or topic.task != task.key:
            continue
        views = official_classes(snapshot, topics=[topic.pk], grade=grade)
        view = next((each for each in views if str(each.number) == about.key), None)
        if view is not None:
            members = [member.item for member in view.members]
            returned = returned_items(run, topic)
            shown = members if run is None else [item for item in members if item.pk in returned]
            labels = ClassLabel.objects.filter(answer_class=view.id).select_related("edit", "edit__actor")
            put = ClassAssignment.objects.filter(item__in=shown, assignment__in=_groupers(view.id))
            return JudgmentTrace(
                title=gettext("answer %(view)s") % {"view": view.number},
                text=view.label,
                said=(
                    *_named(rows_until(labels, snapshot.as_of)),
                    *_put(rows_until(put, snapshot.as_of), counting=view.id),
                    *_found_answers(topic, {item.key for item in members}, snapshot.as_of),
                ),
            )
    return None


def find_grouped_item(snapshot: Snapshot, about: About, run: Run | None) -> JudgmentTrace | None:
    """Return the trace of an item: into which answer classes it was put. Return None if there is no such item."""
    item = item_about(snapshot.campaign, about, run)
    if item is None:
        return None
    put = rows_until(ClassAssignment.objects.filter(item=item), snapshot.as_of)
    said = (*_put(put, counting=None), *_found_answers(item.topic, {item.key}, snapshot.as_of))
    return JudgmentTrace(title=item.kind, text=item.text, docno=item.docno, said=said)


def _found_answers(topic: Topic, keys: Collection[str], as_of: int | None) -> Iterable[TracedOpinion]:
    """Yield an opinion for each of these answers that the topic's author had found before they were judged."""
    for each in carried_finds(topic, DraftFind.Kind.ANSWER, as_of=as_of):
        if answer_key(each.find.text, each.find.docno) in keys:
            yield trace_of_find(each, gettext("answer %(place)s") % {"place": each.place})


def _groupers(answer_class: int) -> QuerySet[ClassAssignment, Any]:
    """Return the ids of the assignments in which anything was put into this class."""
    return ClassAssignment.objects.filter(answer_class=answer_class).values_list("assignment_id", flat=True)


def _named(labels: QuerySet[ClassLabel]) -> Iterable[TracedOpinion]:
    rows = list(labels.select_related("edit__assignment").order_by("id"))
    if rows:
        acts = [_act(row, row.label) for row in rows]
        newest = rows[-1].edit
        yield TracedOpinion(
            question=gettext("Its name"),
            role=newest.assignment.get_role_display(),
            role_key=newest.assignment.role,
            assessor=newest.actor.username,
            counts=True,
            acts=acts_in_order(acts),
        )


def _put(rows: QuerySet[ClassAssignment], *, counting: int | None) -> Iterable[TracedOpinion]:
    """Yield, for each item and assignment, who put the item into which class. The opinion counts if the item is now in
    the class with the id ``counting``.
    """
    known = rows.select_related("item", "answer_class", "edit", "edit__actor", "assignment")
    for same in rows_by(known, lambda row: (row.item_id, row.assignment_id)):
        newest = same[-1]
        acts = [_act(row, _class(row)) for row in same]
        yield TracedOpinion(
            question=gettext("Which answer is “%(text)s”?") % {"text": newest.item.text},
            role=newest.assignment.get_role_display(),
            role_key=newest.assignment.role,
            assessor=newest.edit.actor.username,
            counts=counting is not None and newest.answer_class_id == counting,
            acts=acts_in_order(acts),
        )


def _class(row: ClassAssignment) -> str:
    return (
        gettext("none")
        if row.answer_class is None
        else gettext("answer %(answer_class)s") % {"answer_class": row.answer_class.number}
    )


def _act(row: ClassLabel | ClassAssignment, value: str) -> TracedAct:
    return TracedAct(number=row.pk, value=value, at=row.created_at, how=row.edit.get_how_display())
