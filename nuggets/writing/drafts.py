"""Offer a machine judge's nuggets as drafts to people who write a list, and find which are open, accepted or refused.

A draft is a nugget of a list that a machine froze. It joins a person's list only when they accept it, unchanged or in
other words. Their nugget then keeps what was offered and what became of it (`Nugget.fields`, under `DRAFT`) in all
versions, releases and files. Refusing a draft is an edit of the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import begun_by
from assess.assignments.queries.pseudonyms import MACHINE_PREFIX, pseudonyms
from assess.judging.queries.machine_drafts import are_open
from assess.judging.snapshots import Snapshot
from nuggets.writing.counting_lists import frozen_lists
from nuggets.writing.models import Nugget, NuggetEdit, NuggetList
from nuggets.writing.visible_members import DRAFT
from scoring.release.recorded_acts import RefusedDraft

ORIGINAL, EDITED = "original", "post-edited"
"""What can become of an accepted draft: it stays as it was, or is edited."""
REFUSE = "refuse"
TURNS = ("undo", "redo")
TopicOf = tuple[int, int]
"""A topic id, and the id of the user who began the chain of hand-overs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetDraft:
    """A machine's nugget that is offered as a draft. ``key`` consists of a letter for the machine and the nugget's
    number on the machine's list, such as A3.
    """

    key: str
    nugget: Nugget

    @property
    def fields(self) -> dict[str, Any]:
        """Return the fields for a nugget made from this draft.

        They are the further members of its entry in the file, and the draft as it was offered.
        """
        by = MACHINE_PREFIX + _letter_of(self.key)
        offered = {"by": by, "number": self.nugget.number, "text": self.nugget.text}
        return {**self.nugget.fields, DRAFT: offered}


@dataclass(frozen=True, kw_only=True, slots=True)
class OfferedDrafts:
    """A topic's drafts that an assessor has not answered yet, and those that they refused."""

    open: tuple[NuggetDraft, ...] = ()
    refused: tuple[NuggetDraft, ...] = ()


def with_outcome(fields: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return a copy of a nugget's fields that says what became of the draft from which it was made, if there was one.

    It is "original" if the nugget has the draft's text, otherwise "post-edited".
    """
    offered = offered_in(fields)
    if offered is None:
        return dict(fields)
    return {**fields, DRAFT: {**offered, "became": ORIGINAL if offered["text"] == text else EDITED}}


def offered_in(fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the draft from which a nugget with these fields was made, or None if it was not made from a draft."""
    offered = fields.get(DRAFT)
    if not isinstance(offered, dict) or not isinstance(offered.get("text"), str):
        return None
    return offered if isinstance(offered.get("number"), int) else None


def key_of_draft(by: str, number: int) -> str:
    """Return the key by which the bench names a draft, such as A3."""
    return f"{by.removeprefix(MACHINE_PREFIX)}{number}"


def drafts_for(assignment: Assignment) -> list[NuggetDraft]:
    """Return all drafts that are offered in this assignment, answered or not, in their order.

    At most three queries, and none if the assignment may not see drafts.
    """
    return drafts_for_each([assignment]).get(assignment.pk, [])


def drafts_for_each(assignments: Sequence[Assignment]) -> dict[int, list[NuggetDraft]]:
    """Return assignment id -> the drafts that `drafts_for` would return, for many assignments of one campaign.
    Assignments without drafts are left out. Three queries.
    """
    works = [each for each in assignments if are_open(each)]
    machines = {
        each.pk: each
        for each in (frozen_lists({work.topic_id for work in works}) if works else ())
        if each.assignment.role == Assignment.Role.MACHINE
    }
    if not machines:
        return {}
    names = pseudonyms(works[0].campaign)
    rows = Nugget.objects.filter(nugget_list__in=list(machines), is_retired=False, merged_into=None)
    drafts: dict[tuple[int, str], list[NuggetDraft]] = {}
    for nugget in rows.order_by("nugget_list", "position", "number"):
        made = machines[nugget.nugget_list_id]
        draft = NuggetDraft(key=key_of_draft(names[made.owner_id], nugget.number), nugget=nugget)
        drafts.setdefault((made.topic_id, made.assignment.stage), []).append(draft)
    for found in drafts.values():
        found.sort(key=lambda draft: _letter_of(draft.key))
    return {each.pk: drafts[each.topic_id, each.stage] for each in works if (each.topic_id, each.stage) in drafts}


def offered_drafts(nugget_list: NuggetList) -> OfferedDrafts:
    """Return two groups of drafts: those that the author of the list has not answered, and those that they refused. At
    most six queries.
    """
    drafts = drafts_for(nugget_list.assignment)
    if not drafts:
        return OfferedDrafts()
    taken = taken_drafts(nugget_list)
    left = [draft for draft in drafts if draft.key not in taken]
    refused = refused_drafts([nugget_list]).get(nugget_list.pk, {})
    return OfferedDrafts(
        open=tuple(draft for draft in left if draft.key not in refused),
        refused=tuple(draft for draft in left if draft.key in refused),
    )


def taken_drafts(nugget_list: NuggetList) -> set[str]:
    """Return the keys of drafts that became nuggets of a list, including retired and merged ones. One query."""
    found = (offered_in(fields) for fields in nugget_list.nuggets.values_list("fields", flat=True))
    return {key_of_draft(str(each.get("by", "")), each["number"]) for each in found if each is not None}


def refused_drafts(lists: Iterable[NuggetList], *, as_of: int | None = None) -> dict[int, dict[str, str]]:
    """Return list id -> draft key -> the draft's text, for drafts refused in a list or in an earlier version of it.

    A refusal that was undone does not count, nor does one after the list was frozen or after ``as_of``, a ledger point.
    A draft that was accepted after its refusal is still included. At most three queries, and only one if nobody refused
    anything, which gives {}.
    """
    wanted = {each.pk: each for each in lists}
    topics = {each.topic_id for each in wanted.values()}
    edits = NuggetEdit.objects.filter(nugget_list__topic__in=topics)
    if as_of is not None:
        edits = edits.filter(id__lte=as_of)
    fields = ("pk", "nugget_list__topic_id", begun_by("nugget_list__assignment__"), "asked")
    rows = list(edits.filter(action=REFUSE).order_by("pk").values_list(*fields))
    if not rows:
        return {}
    turned = dict(edits.filter(action__in=TURNS).values_list("undoes_id", "pk"))
    found: dict[TopicOf, dict[str, tuple[int, str]]] = {}
    for pk, topic, person, asked in rows:
        if not _is_turned_back(pk, turned):
            found.setdefault((topic, person), {})[asked["draft"]] = pk, asked["offered"]
    people = dict(NuggetList.objects.filter(pk__in=list(wanted)).values_list("pk", begun_by("assignment__")))
    return {
        pk: {
            draft: text
            for draft, (edit, text) in found.get((each.topic_id, people[pk]), {}).items()
            if each.frozen_point is None or edit < each.frozen_point
        }
        for pk, each in wanted.items()
    }


def _is_turned_back(edit: int, turned: Mapping[int, int]) -> bool:
    """Return whether an edit is undone at present. ``turned`` maps an edit to the undo or redo that reverses it. An
    undo may itself be reversed, so the whole chain is followed.
    """
    steps = 0
    while edit in turned:
        edit, steps = turned[edit], steps + 1
    return steps % 2 == 1


def refused_in(snapshot: Snapshot, lists: Sequence[NuggetList]) -> dict[int, tuple[RefusedDraft, ...]]:
    """Return list's id -> the drafts that the author refused and did not accept later. Edits after the snapshot's
    ledger point are ignored.
    """
    found: dict[int, tuple[RefusedDraft, ...]] = {}
    refused = refused_drafts(lists, as_of=snapshot.as_of)
    for nugget_list in lists:
        if of_list := refused.get(nugget_list.pk):
            taken = taken_drafts(nugget_list)
            left = [(*_name_of(key), text) for key, text in of_list.items() if key not in taken]
            found[nugget_list.pk] = tuple(RefusedDraft(by=by, number=number, text=text) for by, number, text in left)
    return found


def _name_of(key: str) -> tuple[str, int]:
    """Return (machine's name, nugget's number) for the key of a draft."""
    letter = _letter_of(key)
    return MACHINE_PREFIX + letter, int(key[len(letter) :] or 0)


def _letter_of(key: str) -> str:
    return key.rstrip("0123456789")
