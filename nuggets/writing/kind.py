"""Writing nugget lists: the kind of work "nuggets"."""

from __future__ import annotations

from assess.kinds.base import WorkKind, accepts_deeds
from assess.topic_drafts.models import DraftFind
from nuggets.writing.adjudicate import LISTS
from nuggets.writing.carrying import begin_list
from nuggets.writing.checks import drafts_begun
from nuggets.writing.export import annotated_topics, nuggets_of, written_deeds
from nuggets.writing.machine import record_lists
from nuggets.writing.models import NuggetEdit
from nuggets.writing.pages import page
from nuggets.writing.replay import replay_list
from nuggets.writing.tally import missing_list, tally_lists
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
