"""Picking items and putting them in order: the kind of work "picks". What is picked is kept as judgments."""

from __future__ import annotations

from assess.kinds.base import WorkKind, accepts_asked
from assess.kinds.picks.adjudicate import ADJUDICATION
from assess.kinds.picks.bench import WORK, picks_tally
from assess.kinds.picks.export import none_picked_deeds
from assess.kinds.picks.pages import missing, page
from assess.kinds.picks.replay import replay_picks
from assess.kinds.picks.urls import URLS
from scoring.deeds import Judged, NonePicked

KIND = WorkKind(
    key=WORK,
    page=page,
    urls=URLS,
    tally=picks_tally,
    missing=missing,
    adjudication=ADJUDICATION,
    accepts=accepts_asked(Judged, NonePicked),
    replay=replay_picks,
    deeds=none_picked_deeds,
)
