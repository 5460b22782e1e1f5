"""Writing nugget lists: the kind of work "nuggets"."""

from __future__ import annotations

from assess.kinds.base import WorkKind, accepts_deeds
from assess.models import DraftFind
from nuggets.domain.drafts.carrying import begin_list
from nuggets.domain.machine_nuggets import record_lists
from nuggets.domain.replay_nuggets import replay_list
from nuggets.domain.settled_wholes import LISTS
from nuggets.models import NuggetEdit
from nuggets.queries.annotations import annotated_topics
from nuggets.queries.deeds import written_deeds
from nuggets.queries.freezing import drafts_begun
from nuggets.queries.owned import nuggets_of
from nuggets.queries.progress import missing_list, tally_lists
from nuggets.views.nuggets import page
from nuggets.writing.trace import find_nugget
from nuggets.writing.urls import URLS
from scoring.deeds import ListFrozen, NuggetWritten

KIND = WorkKind(
    key="nuggets",
    page=page,
    urls=URLS,
    tally=tally_lists,
    missing=missing_list,
    ledgers=((NuggetEdit, "nugget_list__assignment"),),
    begin=begin_list,
    finds=DraftFind.Kind.NUGGET.value,
    adjudication=LISTS,
    accepts=accepts_deeds(NuggetWritten, ListFrozen),
    record_machine=record_lists,
    checks=(drafts_begun,),
    trace={"nugget": find_nugget, "wording": find_nugget},
    replay=replay_list,
    deeds=written_deeds,
    collectors={"nuggets_of": nuggets_of, "annotated_topics": annotated_topics},
)
