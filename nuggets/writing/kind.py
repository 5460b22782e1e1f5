"""The kind of work "nuggets", which is writing nugget lists."""

from __future__ import annotations

from django.urls import URLPattern, path

from assess.kinds.base import BENCH, WorkKind, accepts_acts
from assess.topic_drafts.models import DraftFind
from nuggets.options import NuggetWriting
from nuggets.writing import pages as nuggets
from nuggets.writing import strings
from nuggets.writing.adjudicate import LISTS
from nuggets.writing.draft_uses import draft_uses, has_drafts
from nuggets.writing.export import annotated_topics, nuggets_of, written_acts
from nuggets.writing.models import NuggetEdit
from nuggets.writing.pages import page
from nuggets.writing.recent import recent_edits
from nuggets.writing.replay import record_lists, replay_list
from nuggets.writing.sources import begin_list
from nuggets.writing.tally import drafts_begun, missing_list, tally_lists
from nuggets.writing.trace import find_nugget
from scoring.release.recorded_acts import ListFrozen, NuggetWritten

# Addresses of the bench for writing lists, and of the texts that all benches for nuggets show.

URLS: tuple[URLPattern, ...] = (
    path(f"{BENCH}nuggets/", nuggets.edit, name="nuggets-edit"),
    path(f"{BENCH}nuggets/like/", nuggets.like, name="nuggets-like"),
    path(f"{BENCH}documents/<path:docno>/", strings.topic_document, name="work-document"),
    path(f"{BENCH}strings/<int:handle>/", strings.string_document, name="string-document"),
)


KIND = WorkKind(
    options=NuggetWriting,
    page=page,
    urls=URLS,
    tally=tally_lists,
    missing=missing_list,
    ledgers=((NuggetEdit, "nugget_list__assignment"),),
    begin=begin_list,
    finds=DraftFind.Kind.NUGGET.value,
    adjudication=LISTS,
    accepts=accepts_acts(NuggetWritten, ListFrozen),
    record_machine=record_lists,
    checks=(drafts_begun,),
    trace={"nugget": find_nugget, "wording": find_nugget},
    recent=recent_edits,
    replay=replay_list,
    acts=written_acts,
    draft_uses=draft_uses,
    has_drafts=has_drafts,
    collectors={"nuggets_of": nuggets_of, "annotated_topics": annotated_topics},
)
