"""Trace votes of an explained score back to the ledger."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import QuerySet
from django.utils.translation import gettext

from assess.judging.snapshots import Snapshot
from assess.kinds.trace import JudgmentTrace, TracedOpinion, act_of, rows_by, rows_until, traced_opinion
from assess.runs.models import Run
from nuggets.votes.models import NuggetVote
from nuggets.writing.trace import nugget_about, same_nuggets, trace_of_nugget
from scoring.release.explained import About


def find_votes(snapshot: Snapshot, about: About, run: Run | None) -> JudgmentTrace | None:
    """Return the trace of a nugget and of the votes on it, under any version of the list. Return None if there is no
    such nugget.
    """
    del run
    found = nugget_about(snapshot, about)
    if found is None:
        return None
    votes = rows_until(NuggetVote.objects.filter(nugget__in=same_nuggets(*found)), snapshot.as_of)
    return trace_of_nugget(found[0], _voted(votes))


def _voted(votes: QuerySet[NuggetVote]) -> Iterable[TracedOpinion]:
    for rows in rows_by(votes.select_related("assessor", "assignment"), lambda row: row.assessor_id):
        acts = [act_of(row, row.importance or gettext("undone")) for row in rows]
        yield traced_opinion(rows[-1], gettext("Vote on its importance"), acts, counts=rows[-1].importance is not None)
