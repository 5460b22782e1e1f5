"""Trace a nugget of an explained score back to the ledger: how it was written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.judging.snapshots import Snapshot
from assess.kinds.trace import JudgmentTrace, Quote, TracedAct, TracedOpinion, acts_in_order, rows_until
from assess.runs.models import Run
from assess.topic_drafts.models import DraftFind
from assess.topic_drafts.queries import carried_finds, trace_of_find
from nuggets.writing.counting_lists import frozen_lists, lineages, official_list
from nuggets.writing.models import Nugget, NuggetEdit, NuggetList
from scoring.release.explained import About

PRIMARY = "primary"


def find_nugget(snapshot: Snapshot, about: About, run: Run | None) -> JudgmentTrace | None:
    """Return the trace of a nugget: how it was written, and where the topic's author had found it before. Return None
    if there is no such nugget.
    """
    del run
    found = nugget_about(snapshot, about)
    return (
        None
        if found is None
        else trace_of_nugget(found[0], (*_written(*found, snapshot.as_of), *_found_nugget(*found, snapshot.as_of)))
    )


def trace_of_nugget(nugget: Nugget, said: Iterable[TracedOpinion]) -> JudgmentTrace:
    """Return a trace that describes a nugget and lists these opinions."""
    return JudgmentTrace(
        title=gettext("nugget %(nugget)s") % {"nugget": nugget.number}, text=nugget.text, said=tuple(said)
    )


def nugget_about(snapshot: Snapshot, about: About) -> tuple[Nugget, NuggetList] | None:
    """Return the nugget that a row of an explanation stands for, and its list. Return None if there is no such nugget.

    A row of kind "nugget" names it by its number, and a row of kind "wording" by its text or by a quote of a source.
    """
    nuggets = _list_of(snapshot, about)
    if nuggets is None:
        return None
    if about.kind == "nugget":
        nugget = nuggets.nuggets.filter(number=int(about.key)).first() if about.key.isdecimal() else None
    else:
        active = nuggets.nuggets.filter(is_retired=False, merged_into=None)
        nugget = active.filter(text=about.key).first() or active.filter(sources__quote=about.key).first()
    return None if nugget is None else (nugget, nuggets)


def same_nuggets(nugget: Nugget, nuggets: NuggetList) -> list[int]:
    """Return the ids of the rows that hold this nugget in the versions of its list."""
    return [pk for pk, number in lineages([nuggets])[nuggets.pk].numbers.items() if number == nugget.number]


def _list_of(snapshot: Snapshot, about: About) -> NuggetList | None:
    """Return the list that the row's role refers to: the list that counts, or the first second assessor's newest frozen
    list. Return None if there is none.
    """
    topic = snapshot.campaign.topics.filter(number=about.topic).first()
    if topic is None:
        return None
    if about.name in ("", PRIMARY):
        return official_list(topic.pk, at=snapshot)
    second = [
        each
        for each in frozen_lists([topic.pk], as_of=snapshot.as_of)
        if each.assignment.role == Assignment.Role.SECOND
    ]
    return second[0] if second else None


def _written(nugget: Nugget, nuggets: NuggetList, as_of: int | None) -> Iterable[TracedOpinion]:
    """Yield the edits of the nugget as one opinion, or nothing if it has none. Edits in all versions of its owner's
    list are included.
    """
    edits = NuggetEdit.objects.filter(
        nugget_list__topic=nuggets.topic_id, nugget_list__owner=nuggets.owner_id, after__has_key=str(nugget.number)
    )
    rows = list(rows_until(edits, as_of).select_related("actor").order_by("id"))
    if not rows:
        return
    acts = [
        TracedAct(number=row.pk, value=_state(row.after[str(nugget.number)]), at=row.created_at, how=row.action)
        for row in rows
    ]
    quotes = tuple(Quote(quote=source.quote, docno=source.docno) for source in nugget.sources.all() if source.quote)
    acts[-1] = TracedAct(
        number=rows[-1].pk, value=acts[-1].value, at=rows[-1].created_at, how=rows[-1].action, quotes=quotes
    )
    yield TracedOpinion(
        question=gettext("Written on the list"),
        role=nuggets.assignment.get_role_display(),
        role_key=nuggets.assignment.role,
        assessor=rows[-1].actor.username,
        counts=True,
        acts=acts_in_order(acts),
    )


def _state(state: dict[str, Any] | None) -> str:
    if state is None:
        return gettext("taken off the list")
    ended = (
        gettext(", merged into another")
        if state["merged_into"]
        else gettext(", retired")
        if state["is_retired"]
        else ""
    )
    return f"{state['importance']}: {state['text']}{ended}"


def _found_nugget(nugget: Nugget, nuggets: NuggetList, as_of: int | None) -> Iterable[TracedOpinion]:
    """Yield the author's finds from which this nugget was made, even if the assignment was handed over afterwards."""
    for each in carried_finds(nuggets.topic, DraftFind.Kind.NUGGET, as_of=as_of):
        if each.place == nugget.number and each.find.actor_id in _owners(nuggets):
            yield trace_of_find(each, gettext("nugget %(place)s") % {"place": each.place})


def _owners(nuggets: NuggetList) -> set[int]:
    """Return the ids of the owners of this list and of its earlier versions."""
    owners = {nuggets.owner_id}
    while nuggets.previous is not None:
        nuggets = nuggets.previous
        owners.add(nuggets.owner_id)
    return owners
