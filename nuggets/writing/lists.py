"""Begin, freeze and revise nugget lists."""

from __future__ import annotations

from functools import partial
from uuid import UUID, uuid4

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from assess.assignments.domain.assignments import finish_assignment
from assess.assignments.domain.held_work import require_open_for_writing
from assess.assignments.models import Assignment
from assess.base.errors import Conflict, NotAllowed, Refused
from assess.campaigns.activity import record_activity
from assess.campaigns.queries import stage_of
from assess.ledger.adding import store
from assess.protocol import Stage
from nuggets.options import NuggetWriting
from nuggets.writing.counting_lists import latest_list, list_before, own_list
from nuggets.writing.edits import WORK, add_edit, lock_assignment, lock_list
from nuggets.writing.history import GO_ON, changes, list_state
from nuggets.writing.models import Nugget, NuggetEdit, NuggetList, NuggetSource


def start_list(*, actor: User, assignment: Assignment) -> NuggetList:
    """Return the assignment's newest list; if there is none, begin an empty one.

    If the assignment was handed over, the list that is begun is a copy of the newest list of the predecessors. A draft
    that the assessor still had is then overwritten by the copy, which can't be undone. Refuses an assignment of another
    kind of work. A list is begun only by the assessor, in an assignment that is open.
    """
    with transaction.atomic():
        lock_assignment(assignment, WORK)
        found = latest_list(assignment)
        if found is not None and assignment.assessor_id == actor.pk:
            return found
        require_open_for_writing(actor=actor, assignment=assignment)
        before = list_before(assignment)
        if before is None:
            return NuggetList.objects.create(topic=assignment.topic, owner=actor, assignment=assignment)
        own = own_list(assignment)
        version = max(before.version, own.version if own is not None else 0) + 1
        if own is not None and not own.is_frozen:
            draft = _begin_anew(actor=actor, draft=own, assignment=assignment, version=version, before=before)
        else:
            draft = NuggetList.objects.create(
                topic_id=before.topic_id,
                owner=actor,
                assignment=assignment,
                version=version,
                last_number=before.last_number,
            )
            copy_nuggets(source=before, target=draft)
        data = {"topic": assignment.topic.number, "version": draft.version}
        record_activity(actor=actor, action="list.revise", campaign=assignment.campaign, about=draft, data=data)
        return draft


def _begin_anew(
    *, actor: User, draft: NuggetList, assignment: Assignment, version: int, before: NuggetList
) -> NuggetList:
    """Make the assessor's old draft a copy of the list with which somebody else went on, by an edit that can't be
    undone. An owner has one draft, so it can't lie beside a new one.
    """
    was = list_state(draft)
    NuggetSource.objects.filter(nugget__nugget_list=draft).delete()
    draft.nuggets.update(merged_into=None, split_from=None)
    draft.nuggets.all().delete()
    copy_nuggets(source=before, target=draft)
    draft.assignment, draft.version, draft.last_number = assignment, version, before.last_number
    draft.created_at = timezone.now()
    draft.save(update_fields=["assignment", "version", "last_number", "created_at"])
    edit = NuggetEdit(nugget_list=draft, actor=actor, action=GO_ON, client_key=uuid4())
    edit.before, edit.after = changes(was, list_state(draft))
    store(edit)
    return draft


def freeze_list(*, actor: User, nugget_list: NuggetList, client_key: UUID, without_vital: bool = False) -> NuggetList:
    """Freeze a draft list, which never changes again, so that its nuggets can be marked and voted on. Return the list.

    Refuses a list that is somebody else's, without nuggets (code "no-nugget"), or frozen with another key, and an
    assignment that is not open. Refuses a list without a vital nugget (code "no-vital"), unless ``without_vital`` is
    true or the stage does not ask for importance. If the stage asks for groups, refuses a list with a nugget that lacks
    one ("no-group"); if it asks for quotes, a list without any ("no-quote").
    """
    edit = NuggetEdit(nugget_list=nugget_list, actor=actor, action="freeze", client_key=client_key, before={}, after={})

    def change(locked: NuggetList) -> None:
        assignment = locked.assignment
        _, stage = stage_of(assignment.campaign, assignment.stage)
        _require_own(actor=actor, nugget_list=locked, assignment=assignment)
        if locked.is_frozen:
            raise Conflict(gettext("This list is frozen already."))
        _require_freezable(
            nugget_list=locked, without_vital=without_vital or not stage.options(NuggetWriting).asks_importance
        )
        _require_asked(nugget_list=locked, stage=stage)
        store(edit)
        locked.frozen_at, locked.frozen_point = timezone.now(), edit.pk
        locked.save(update_fields=["frozen_at", "frozen_point", "assignment"])
        edit.nugget_list = locked
        data = {"topic": assignment.topic.number, "version": locked.version}
        record_activity(actor=actor, action="list.freeze", campaign=assignment.campaign, about=locked, data=data)

    made = add_edit(edit, owner="nugget_list_id", lock=partial(lock_list, nugget_list), change=change)
    return made.nugget_list


def finish_frozen(*, actor: User, nugget_list: NuggetList) -> str:
    """Finish the assignment whose list was just frozen and return "". If it can't be finished, return a sentence that
    says why.

    Call it after `freeze_list`, in a transaction of its own, since it locks all work on the topic. If the assignment
    was reopened after the freeze, it stays open: a click that is sent twice must not finish it again.
    """
    assignment = nugget_list.assignment
    taken_up = assignment.campaign.activities.filter(action="assignment.reopen", object_id=assignment.pk)
    if taken_up.filter(pk__gt=nugget_list.frozen_point).exists():
        return gettext("The work was taken up again since.")
    assignment.refresh_from_db(fields=["state"])
    try:
        finish_assignment(actor=actor, assignment=assignment)
    except Refused as refusal:
        return refusal.message
    return ""


def revise_list(*, actor: User, nugget_list: NuggetList) -> NuggetList:
    """Begin a new version of the newest frozen list, and return it: a draft with the same nuggets, numbers and lineage.
    If there is a draft already, it is returned.

    The frozen version counts until the new one is frozen. Marks and votes on unchanged nuggets carry over. Refuses a
    list that is somebody else's, a draft, an older version than the newest, and an assignment that is not open.
    """
    with transaction.atomic():
        locked, assignment = lock_list(nugget_list), nugget_list.assignment
        _require_own(actor=actor, nugget_list=locked, assignment=assignment)
        draft = NuggetList.objects.filter(previous=locked, frozen_at=None).first()
        if draft is not None:
            return draft
        if not locked.is_frozen:
            raise Conflict(gettext("This list is a draft: change it as it is."))
        if NuggetList.objects.filter(previous=locked).exists():
            raise Conflict(gettext("There is a newer version of this list. Reload the page."))
        draft = NuggetList.objects.create(
            topic_id=locked.topic_id,
            owner=actor,
            assignment=assignment,
            version=locked.version + 1,
            previous=locked,
            last_number=locked.last_number,
        )
        copy_nuggets(source=locked, target=draft)
        data = {"topic": assignment.topic.number, "version": draft.version}
        record_activity(actor=actor, action="list.revise", campaign=assignment.campaign, about=draft, data=data)
        return draft


def _require_own(*, actor: User, nugget_list: NuggetList, assignment: Assignment) -> None:
    if nugget_list.owner_id != actor.pk:
        raise NotAllowed(gettext("This nugget list is somebody else's."))
    require_open_for_writing(actor=actor, assignment=assignment)


def _require_freezable(*, nugget_list: NuggetList, without_vital: bool) -> None:
    active = nugget_list.nuggets.filter(is_retired=False, merged_into=None)
    importances = set(active.values_list("importance", flat=True))
    if not importances:
        raise Conflict(gettext("This list is empty. Write at least one line before you freeze it."), code="no-nugget")
    if Nugget.Importance.VITAL not in importances and not without_vital:
        raise Conflict(
            gettext(
                "No nugget of this list is vital, so the question could not be scored by this list alone. "
                "Mark one as vital, or freeze the list again and confirm that this is intended."
            ),
            code="no-vital",
        )


def _require_asked(*, nugget_list: NuggetList, stage: Stage) -> None:
    """Refuse the list if the stage asks for groups and an active nugget has none, or if it asks for quotes and no
    active nugget has one.
    """
    active = nugget_list.nuggets.filter(is_retired=False, merged_into=None)
    asked = stage.options(NuggetWriting)
    if asked.asks_group and (bare := list(active.filter(group="").order_by("number").values_list("number", flat=True))):
        named = ", ".join(map(str, bare[:5])) + (" …" if len(bare) > 5 else "")
        choices = ", ".join(label for _, label in asked.groups)
        raise Conflict(
            gettext("There is no type on line %(named)s. Give each line one of: %(choices)s.")
            % {"named": named, "choices": choices},
            code="no-group",
        )
    if asked.asks_quotes and not NuggetSource.objects.filter(nugget__in=active).exclude(quote="").exists():
        message = gettext(
            "This list has no quote. Select the words of the document that say it, and add them to a line."
        )
        raise Conflict(message, code="no-quote")


def copy_nuggets(*, source: NuggetList, target: NuggetList) -> None:
    """Copy the nuggets of another list into an empty draft, with their numbers, sources and lineage."""
    originals = list(source.nuggets.order_by("number"))
    made = Nugget.objects.bulk_create(
        Nugget(
            nugget_list=target,
            number=old.number,
            position=old.position,
            text=old.text,
            importance=old.importance,
            group=old.group,
            fields=old.fields,
            is_retired=old.is_retired,
        )
        for old in originals
    )
    copies = {old.pk: copy for old, copy in zip(originals, made, strict=True)}
    for old in originals:
        copies[old.pk].merged_into = copies[old.merged_into_id] if old.merged_into_id is not None else None
        copies[old.pk].split_from = copies[old.split_from_id] if old.split_from_id is not None else None
    linked = [copy for copy in made if copy.merged_into is not None or copy.split_from is not None]
    Nugget.objects.bulk_update(linked, ["merged_into", "split_from"], batch_size=200)
    sources = NuggetSource.objects.filter(nugget__nugget_list=source).order_by("id")
    NuggetSource.objects.bulk_create(
        NuggetSource(
            nugget=copies[s.nugget_id],
            item_id=s.item_id,
            document_id=s.document_id,
            docno=s.docno,
            quote=s.quote,
            span=s.span,
        )
        for s in sources
    )
