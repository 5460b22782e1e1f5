"""Replay recorded nugget lists, of people and of machine judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.base.errors import Invalid, Refused
from assess.campaigns.queries import ledger_point
from assess.documents.models import Document, DocumentBody
from assess.items.models import Item
from assess.kinds.base import PlacedAct, RecordMachine
from assess.protocol import Stage
from assess.replay.session import Desk, ReplayLine, Session
from nuggets.writing.answered_drafts import refuse_recorded
from nuggets.writing.counting_lists import active_nuggets, latest_list, list_for
from nuggets.writing.drafts import key_of_draft
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.many import NuggetInput, SourceInput, add_nuggets
from nuggets.writing.models import Nugget, NuggetList
from nuggets.writing.record import add_nugget
from nuggets.writing.sources import add_source
from scoring.formats.judgments_jsonl import ListFrozen, NuggetWritten, Source
from scoring.records import Issue
from scoring.release.recorded_acts import RecordedAct

Numbered = Mapping[int, Nugget]


def replay_list(desk: Desk, lines: list[ReplayLine]) -> None:
    """Write the nuggets under their recorded numbers. Freeze the list at each line that says that it was frozen. What
    is refused becomes a problem of its line.
    """
    assignment = desk.assignment
    nugget_list = latest_list(assignment) or start_list(actor=desk.user, assignment=assignment)
    nugget_list.assignment = assignment
    for of_kind, found in groupby(lines, key=lambda line: type(line.act)):
        if of_kind is NuggetWritten:
            _write_all(desk, nugget_list, list(found))
        elif of_kind is ListFrozen:
            for line in found:
                desk.session.attempt(line, _freeze, desk, nugget_list, line.act)


def _freeze(desk: Desk, nugget_list: NuggetList, act: ListFrozen) -> None:
    for place, draft in enumerate(act.refused):
        refuse_recorded(
            actor=desk.user,
            nugget_list=nugget_list,
            draft=key_of_draft(draft.by, draft.number),
            offered=draft.text,
            client_key=desk.session.key(act, place),
        )
    freeze_list(actor=desk.user, nugget_list=nugget_list, client_key=desk.session.key(act), without_vital=True)


def _write_all(desk: Desk, nugget_list: NuggetList, lines: Sequence[ReplayLine]) -> None:
    """Write all lines at once. If that is refused, write them one by one, so that each refusal names its line."""
    written = [line.act for line in lines if isinstance(line.act, NuggetWritten)]
    try:
        nuggets = [_nugget(desk, act) for act in written]
        add_nuggets(actor=desk.user, nugget_list=nugget_list, nuggets=nuggets)
    except Refused:
        for line in lines:
            desk.session.attempt(line, _write, desk, nugget_list, line.act)


def _nugget(desk: Desk, act: NuggetWritten) -> NuggetInput:
    sources = []
    for place, source in enumerate(act.sources):
        item, document = _source(desk, source)
        absent = "" if item is not None or document is not None else source.docno
        key = desk.session.key(act, place)
        sources.append(SourceInput(quote=source.quote, item=item, document=document, absent=absent, client_key=key))
    return NuggetInput(
        text=act.text,
        importance=act.importance,
        number=act.number,
        group=act.group,
        fields=act.fields,
        client_key=desk.session.key(act),
        sources=sources,
    )


def _write(desk: Desk, nugget_list: NuggetList, act: NuggetWritten) -> None:
    add_nugget(
        actor=desk.user,
        nugget_list=nugget_list,
        text=act.text,
        importance=act.importance,
        number=act.number,
        group=act.group,
        fields=dict(act.fields),
        client_key=desk.session.key(act),
    )
    for place, source in enumerate(act.sources):
        item, document = _source(desk, source)
        add_source(
            actor=desk.user,
            nugget_list=nugget_list,
            number=act.number,
            quote=source.quote,
            item=item,
            document=document,
            absent="" if item is not None or document is not None else source.docno,
            client_key=desk.session.key(act, place),
        )


def _source(desk: Desk, source: Source) -> tuple[Item | None, Document | None]:
    """Return (item, document) for the source of a quote; at most one of them is given. It is a string that names the
    document and contains the quote if there is one, otherwise the document itself.

    If there is neither, both are None in a replay whose documents may be elsewhere (`Session.documents_apart`); in any
    other replay this is refused.
    """
    items = Item.objects.filter(
        topic=desk.assignment.topic_id, kind=desk.stage.item_kind, docno=source.docno, text__contains=source.quote
    )
    exact_first = sorted(items.order_by("id"), key=lambda item: item.text != source.quote)
    if exact_first:
        return exact_first[0], None
    body = DocumentBody.objects.filter(document__campaign=desk.session.campaign, document__docno=source.docno)
    found = body.select_related("document").defer("raw", "page").first()
    if found is None and desk.session.documents_apart:
        return None, None
    if found is None:
        raise Invalid(
            gettext("The source %(docno)s is neither a document here nor named by a string.")
            % {"docno": source.docno[:80]}
        )
    return None, found.document


def _used(desk: Desk) -> tuple[NuggetList | None, Numbered]:
    """Return the list whose nuggets are marked or voted on, and its nuggets by number. Without a frozen list, return
    None and no nuggets.
    """
    return desk.for_all(_list_and_nuggets)


def _list_and_nuggets(assignment: Assignment) -> tuple[NuggetList | None, Numbered]:
    nugget_list = list_for(assignment)
    if nugget_list is None:
        return None, {}
    return nugget_list, {nugget.number: nugget for nugget in active_nuggets([nugget_list])[nugget_list.pk]}


def _numbered(nuggets: Numbered, number: int) -> Nugget:
    if number not in nuggets:
        raise Invalid(gettext("There is no nugget %(number)s on the frozen list of this topic.") % {"number": number})
    return nuggets[number]


# Machine judges' own lists, replayed like people's.

Replay = Callable[[Desk, list[ReplayLine]], None]


Told = Callable[[RecordedAct], tuple[object, object]]
"""Returns what an act judges, and its value."""


def _recorded_by(
    replay: Replay, told: Told | None = None, now: Callable[[Assignment], Mapping[object, object]] | None = None
) -> RecordMachine:
    """Return a function that records a machine's acts by replaying them under the machine's own name.

    ``told`` returns the object that an act judges and the act's value; ``now`` returns object -> the machine's current
    value. With them, only the last of several acts on an object is recorded, and only if it changes the object's value.
    Without ``now``, an act that was recorded before is not recorded again.
    """

    def record(
        assignment: Assignment, stage: Stage, acts: Sequence[PlacedAct], report: Callable[[Issue], None]
    ) -> None:
        machine = assignment.assessor
        session = Session(actor=machine, campaign=assignment.campaign, people={}, report=report)
        session.documents_apart = True
        if told is not None and now is not None:
            session.since, said = ledger_point(assignment.campaign), now(assignment)
            last = {told(act)[0]: (where, act) for where, act in acts}
            acts = [(where, act) for thing, (where, act) in last.items() if said.get(thing) != told(act)[1]]
        lines = [ReplayLine(where, replace(act, by=machine.username, role="machine")) for where, act in acts]
        replay(Desk(session, machine, assignment, stage), lines)

    return record


record_lists = _recorded_by(replay_list)
