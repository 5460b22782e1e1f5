"""Replaying nugget lists, the marks of their nuggets in items, and the votes on them."""

from __future__ import annotations

from collections.abc import Mapping

from assess.domain.errors import Invalid
from assess.models import Document, DocumentBody, How, Item
from assess.queries.pools.membership import pooled_items
from assess.replay.session import Desk, Line
from nuggets.domain.lists import freeze_list, start_list
from nuggets.domain.matches import MatchInput, record_match, review_items
from nuggets.domain.nuggets import add_nugget
from nuggets.domain.sources import add_source
from nuggets.domain.votes import record_vote
from nuggets.models import Nugget, NuggetList, NuggetMatch
from nuggets.queries.lists import active_nuggets, latest_list, list_for
from scoring.formats.judgments_jsonl import ListFrozen, Matched, NuggetWritten, Reviewed, Source, Voted

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


def replay_matches(desk: Desk, lines: list[Line], *, all_finished: bool = True) -> None:
    """Mark nuggets in items, then say which items are finished.

    Where no line says that, nor what is absent, all pooled items are taken to be, unless ``all_finished`` is false.
    """
    nuggets = _used(desk)
    for line in lines:
        if isinstance(line.deed, Matched):
            desk.session.attempt(line, _mark, desk, nuggets, line.deed)
    reviewed = [line for line in lines if isinstance(line.deed, Reviewed)]
    for line in reviewed:
        desk.session.attempt(line, _review, desk, line.deed)
    says_absent = any(isinstance(line.deed, Matched) and line.deed.is_absent for line in lines)
    if all_finished and not reviewed and not says_absent:
        desk.session.attempt(lines[0], _review_all, desk)  # who says what is absent leaves open what is not said


def _mark(desk: Desk, nuggets: Numbered, deed: Matched) -> None:
    match = MatchInput(
        nugget=_numbered(nuggets, deed.number),
        item=desk.item(deed),
        part=deed.part,
        quote=deed.quote,
        value=_value(deed),
        client_key=desk.session.key(deed),
        how=How.IMPORT,
    )
    record_match(actor=desk.user, assignment=desk.assignment, match=match)


def _value(deed: Matched) -> str:
    if deed.is_absent:
        return NuggetMatch.Value.ABSENT
    return NuggetMatch.Value.PARTIAL if deed.is_partial else NuggetMatch.Value.FULL


def _review(desk: Desk, deed: Reviewed) -> None:
    items = [desk.item(deed)]
    key = desk.session.key(deed)
    review_items(actor=desk.user, assignment=desk.assignment, items=items, client_key=key, how=How.IMPORT)


def _review_all(desk: Desk) -> None:
    items = list(pooled_items(desk.assignment.topic, desk.stage.item_kind).order_by("id"))
    key = desk.session.key("all finished", desk.assignment.topic.number, desk.user.username)
    review_items(actor=desk.user, assignment=desk.assignment, items=items, client_key=key, how=How.IMPORT)


def replay_votes(desk: Desk, lines: list[Line]) -> None:
    """Cast each vote."""
    nuggets = _used(desk)
    for line in lines:
        if isinstance(line.deed, Voted):
            desk.session.attempt(line, _vote, desk, nuggets, line.deed)


def _vote(desk: Desk, nuggets: Numbered, deed: Voted) -> None:
    record_vote(
        actor=desk.user,
        assignment=desk.assignment,
        nugget=_numbered(nuggets, deed.number),
        importance=deed.importance,
        client_key=desk.session.key(deed),
        how=How.IMPORT,
    )


def _used(desk: Desk) -> Numbered:
    nugget_list = list_for(desk.assignment)
    if nugget_list is None:
        return {}
    return {nugget.number: nugget for nugget in active_nuggets([nugget_list])[nugget_list.pk]}


def _numbered(nuggets: Numbered, number: int) -> Nugget:
    if number not in nuggets:
        raise Invalid(f"There is no nugget {number} on the frozen list of this question.")
    return nuggets[number]
