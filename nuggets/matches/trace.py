"""Trace marks of an explained score back to the ledger."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import QuerySet
from django.utils.translation import gettext

from assess.judging.queries.stage_items import item_about
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.trace import returned_items
from assess.kinds.trace import JudgmentTrace, Quote, TracedOpinion, act_of, rows_by, rows_until, traced_opinion
from assess.runs.models import Run
from nuggets.matches.current import official_marks
from nuggets.matches.models import NuggetMatch
from nuggets.writing.counting_lists import official_list
from nuggets.writing.trace import nugget_about, same_nuggets, trace_of_nugget
from scoring.release.explained import About


def find_marks(snapshot: Snapshot, about: About, run: Run | None) -> JudgmentTrace | None:
    """Return the trace of a nugget and of its marks, or None if there is no such nugget.

    If ``run`` is given, only marks in its response are included.
    """
    found = nugget_about(snapshot, about)
    if found is None:
        return None
    nugget, nuggets = found
    marks = rows_until(NuggetMatch.objects.filter(nugget__in=same_nuggets(nugget, nuggets)), snapshot.as_of)
    if run is not None:
        marks = marks.filter(item__in=returned_items(run, nuggets.topic))
    counting = {mark.row for mark in official_marks([nuggets], at=snapshot, with_absent=True)}
    return trace_of_nugget(nugget, _marks(marks, counting, by_item=False))


def find_marked_item(snapshot: Snapshot, about: About, run: Run | None) -> JudgmentTrace | None:
    """Return the trace of an item and of the nuggets that are marked in it. Return None if there is no such item."""
    item = item_about(snapshot.campaign, about, run)
    if item is None:
        return None
    marks = rows_until(NuggetMatch.objects.filter(item=item), snapshot.as_of)
    counting: set[int] = set()
    if official := official_list(item.topic_id, at=snapshot):
        marked = official_marks([official], at=snapshot, with_absent=True)
        counting = {mark.row for mark in marked if mark.item_id == item.pk}
    said = tuple(_marks(marks, counting, by_item=True))
    return JudgmentTrace(title=item.kind, text=item.text, docno=item.docno, said=said)


def _marks(marks: QuerySet[NuggetMatch], counting: set[int], *, by_item: bool) -> Iterable[TracedOpinion]:
    """Yield the opinions that these marks express. The question of each names the item or, with ``by_item``, the nugget
    and its part.
    """
    rows = marks.select_related("nugget", "item", "assessor", "assignment")
    for same in rows_by(rows, lambda row: (row.nugget.number, row.part, row.item_id, row.assessor_id)):
        newest = same[-1]
        part = gettext(", part %(part)s") % {"part": newest.part} if newest.part else ""
        place = (
            gettext("nugget %(nugget)s%(part)s: %(text)s")
            % {"nugget": newest.nugget.number, "part": part, "text": newest.nugget.text}
            if by_item
            else f"“{newest.item.text}”{part}"
        )
        question = (
            gettext("Does it contain %(place)s?") % {"place": place}
            if by_item
            else gettext("Is it in %(place)s?") % {"place": place}
        )
        acts = [
            act_of(
                row,
                gettext("undone") if row.value is None else row.get_value_display(),
                quotes=(Quote(quote=row.quote, docno=row.item.docno),) if row.quote else (),
            )
            for row in same
        ]
        yield traced_opinion(newest, question, acts, counts=newest.pk in counting)
