"""The kind of work "picks", in which items are picked and put in order. Picks are stored as judgments."""

from __future__ import annotations

from django.urls import URLPattern, path

from assess.kinds.base import BENCH, WorkKind, accepts_asked
from assess.kinds.picks import pages as picks
from assess.kinds.picks.adjudicate import ADJUDICATION
from assess.kinds.picks.bench import picks_tally
from assess.kinds.picks.export import picked_acts
from assess.kinds.picks.pages import missing, page
from assess.kinds.picks.recent import recent_picks
from assess.kinds.picks.replay import replay_picks
from assess.protocol import Picking
from scoring.release.recorded_acts import Judged, NonePicked

# Addresses of the bench for picking.

URLS: tuple[URLPattern, ...] = (
    path(f"{BENCH}picks/", picks.pick, name="picks"),
    path(f"{BENCH}picks/labels/", picks.add, name="picks-add"),
)


KIND = WorkKind(
    options=Picking,
    page=page,
    urls=URLS,
    tally=picks_tally,
    missing=missing,
    adjudication=ADJUDICATION,
    accepts=accepts_asked(Judged, NonePicked),
    recent=recent_picks,
    replay=replay_picks,
    acts=picked_acts,
)
