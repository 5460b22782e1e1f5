"""Replaying nugget lists, people's and machine judges'."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from assess.assignments.models import Assignment
from assess.base.errors import Invalid
from assess.documents.models import Document, DocumentBody
from assess.items.models import Item
from assess.kinds.base import PlacedDeed, RecordMachine
from assess.protocol import Stage
from assess.replay.session import Desk, Line, Session
from nuggets.writing.counting_lists import active_nuggets, latest_list, list_for
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.models import Nugget, NuggetList
from nuggets.writing.nuggets import add_nugget
from nuggets.writing.sources import add_source
from scoring.formats.judgments_jsonl import ListFrozen, NuggetWritten, Source
from scoring.records import Issue

Numbered = Mapping[int, Nugget]


def replay_list(desk: Desk, lines: list[Line]) -> None:
    """Write the nuggets under their numbers, and freeze the list where a line says so."""
    assignment = desk.assignment
    nugget_list = latest_list(assignment) or start_list(actor=desk.user, assignment=assignment)
    nugget_list.assignment = assignment
    for line in lines:
        if isinstance(line.deed, NuggetWritten):
            desk.session.attempt(line, _write, desk, nugget_list, line.deed)
        elif isinstance(line.deed, ListFrozen):
            desk.session.attempt(line, _freeze, desk, nugget_list, line.deed)


def _freeze(desk: Desk, nugget_list: NuggetList, deed: ListFrozen) -> None:
    freeze_list(actor=desk.user, nugget_list=nugget_list, client_key=desk.session.key(deed), without_vital=True)


def _write(desk: Desk, nugget_list: NuggetList, deed: NuggetWritten) -> None:
    add_nugget(
        actor=desk.user,
        nugget_list=nugget_list,
        text=deed.text,
        importance=deed.importance,
        number=deed.number,
        group=deed.group,
        fields=dict(deed.fields),
        client_key=desk.session.key(deed),
    )
    for place, source in enumerate(deed.sources):
        item, document = _source(desk, source)
        add_source(
            actor=desk.user,
            nugget_list=nugget_list,
            number=deed.number,
            quote=source.quote,
            item=item,
            document=document,
            absent="" if item is not None or document is not None else source.docno,
            client_key=desk.session.key(deed, place),
        )


def _source(desk: Desk, source: Source) -> tuple[Item | None, Document | None]:
    """Where a quote was seen: in a string that names the document, else in the document's own text."""
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
        raise Invalid(f"The source {source.docno[:80]} is neither a document here nor named by a string.")
    return None, found.document


def _used(desk: Desk) -> Numbered:
    nugget_list = list_for(desk.assignment)
    if nugget_list is None:
        return {}
    return {nugget.number: nugget for nugget in active_nuggets([nugget_list])[nugget_list.pk]}


def _numbered(nuggets: Numbered, number: int) -> Nugget:
    if number not in nuggets:
        raise Invalid(f"There is no nugget {number} on the frozen list of this question.")
    return nuggets[number]


# What machine judges write: their own lists, replayed as people's.

Replay = Callable[[Desk, list[Line]], None]


def _recorded_by(replay: Replay) -> RecordMachine:
    """A record function that replays; deeds carry the machine's own name, so that two machines' never meet."""

    def record(
        assignment: Assignment, stage: Stage, deeds: Sequence[PlacedDeed], report: Callable[[Issue], None]
    ) -> None:
        machine = assignment.assessor
        session = Session(actor=machine, campaign=assignment.campaign, people={}, report=report)
        session.documents_apart = True
        lines = [Line(where, replace(deed, by=machine.username, role="machine")) for where, deed in deeds]
        replay(Desk(session, machine, assignment, stage), lines)

    return record


record_lists = _recorded_by(replay_list)
