"""Answers that assessors found while developing a topic: each is an item of its own, judged correct, in a class."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.base.errors import Conflict, Invalid
from assess.campaigns.models import Campaign
from assess.campaigns.track_texts import in_language
from assess.documents.queries.documents import valid_docnos
from assess.items.models import Item
from assess.judging.queries.stage_items import finds_for
from assess.judging.snapshots import Snapshot
from assess.ledger.models import How
from assess.protocol import Stage
from assess.topic_drafts.models import DraftFind
from nuggets.classes.current import members_of, official_values
from nuggets.classes.edits import Change, make_class_edit
from nuggets.classes.models import AnswerClass, ClassEdit
from nuggets.classes.record import checked_label, class_called, require_own
from nuggets.options import ItemGrouping
from nuggets.writing.edits import clean_line
from nuggets.writing.sources import _carry
from scoring.folding import answer_key, suggest_key

TEXT_LIMIT = 7000


def add_found_answer(
    *,
    actor: User,
    assignment: Assignment,
    text: str,
    docno: str,
    client_key: UUID,
    answer_class: AnswerClass | None = None,
    label: str = "",
    number: int | None = None,
    how: str = How.KEY,
) -> ClassEdit:
    """Add an answer, with the document that supports it, to an existing class or to a new one with this label. Return
    the edit, whose `answer_class` is the class.

    It is judged correct in the assessor's name. If a run returned the same pair, that item is used. A replay gives the
    original ``number`` of a new class.

    Refuses an answer that is judged otherwise, still waits in the pool to be judged or is in a class already; an empty
    or too long text; a docno that is not in the collection; a label or number that another class has; a class of other
    work; and a stage in which nothing may be added.
    """
    text = clean_line(text)
    if not text or len(text) > TEXT_LIMIT:
        raise Invalid(gettext("Write the answer, in at most %(value)s characters.") % {"value": TEXT_LIMIT})
    label = "" if answer_class is not None else checked_label(label or text)
    require_own(assignment=assignment, classes=[answer_class] if answer_class is not None else [])

    def plan(stage: Stage) -> Change:
        if not stage.work.may_add:
            raise Invalid(
                gettext("No answers are added in “%(label)s”: only those that runs returned are grouped.")
                % {"label": in_language(stage.label)}
            )
        item = _item(assignment=assignment, stage=stage, text=text, docno=docno)
        judgments = _judgment(assignment=assignment, stage=stage, item=item)
        made = answer_class or class_called(label, assignment=assignment, stage=stage, number=number)
        labels = {} if answer_class is not None else {made.pk: label}
        return Change({item.pk: (made.pk, bool(judgments))}, labels, judgments, answer_class=made)

    asked = {
        "text": text,
        "docno": docno,
        "label": label,
        "class": answer_class.pk if answer_class else None,
        "as": None if answer_class is not None else number,
    }
    return make_class_edit(
        actor=actor, assignment=assignment, action="found", asked=asked, client_key=client_key, how=how, plan=plan
    )


def _item(*, assignment: Assignment, stage: Stage, text: str, docno: str) -> Item:
    _require_docno(campaign=assignment.campaign, docno=docno)
    document = assignment.campaign.documents.filter(docno=docno).first()
    fields = {"text": text, "docno": docno, "document": document}
    item, _ = Item.objects.get_or_create(
        topic_id=assignment.topic_id, kind=stage.item_kind, key=answer_key(text, docno), defaults=fields
    )
    return item


def _require_docno(*, campaign: Campaign, docno: str) -> None:
    if campaign.documents.filter(docno=docno).exists():
        return
    if not valid_docnos(campaign).filter(docno=docno).exists():
        raise Invalid(
            gettext("There is no document %(docno)s in the collection. Check its number.") % {"docno": docno[:200]}
        )


def _judgment(*, assignment: Assignment, stage: Stage, item: Item) -> dict[int, int | None]:
    """Return item's id -> "correct", the judgment to add, or {} if the item is judged correct already. Refuses an item
    that was judged otherwise, is in a class already, or waits in the pool to be judged.
    """
    criterion, value = stage.options(ItemGrouping).grade
    judged = official_values(Snapshot(assignment.campaign), criterion=criterion, topics=[assignment.topic_id]).filter(
        item=item
    )
    present = judged.values_list("value", flat=True).first()
    if present is not None and present != value:
        raise Conflict(gettext("Exactly this answer was judged, but not as correct. Change that judgment first."))
    if members_of(assignment, item=item).exists():
        raise Conflict(gettext("This very answer is in a class already."))
    if present is None and item.pool_items.exists():
        raise Conflict(gettext("A run returned exactly this answer, and it is waiting in the pool. Judge it there."))
    return {item.pk: value} if present is None else {}


# Answers that authors found while making a topic are put into classes when it is judged.


def begin_classes(actor: User, assignment: Assignment) -> None:
    """Add the answers that the topic's author found, each judged correct and in a class, when work on a topic begins.

    Answers with the same words share a class. An answer that is refused is left out. An activity records which answers
    were carried over and which were not.
    """
    made: dict[str, AnswerClass | None] = {}

    def carry(find: DraftFind, key: UUID) -> int:
        edit = add_found_answer(
            actor=actor,
            assignment=assignment,
            text=find.text,
            docno=find.docno,
            client_key=key,
            answer_class=made.get(suggest_key(find.text)),
            how=How.IMPORT,
        )
        made.setdefault(suggest_key(find.text), edit.answer_class)
        return edit.answer_class.number if edit.answer_class is not None else 0

    _carry(actor, assignment, finds_for(assignment, DraftFind.Kind.ANSWER), carry)
