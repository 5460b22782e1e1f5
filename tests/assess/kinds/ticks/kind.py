"""The record of the kind."""

from __future__ import annotations

from django.urls import path

from assess.kinds.base import BENCH, WorkKind

from .adjudicate import ADJUDICATION
from .agreement_questions import MATTERS, find_ticks
from .bench import page, tick
from .current import missing, tally
from .export import tick_acts, ticks
from .options import Ticking
from .replay import accepts_ticks, replay_ticks

KIND = WorkKind(
    options=Ticking,
    page=page,
    tally=tally,
    missing=missing,
    urls=(path(f"{BENCH}ticks/", tick, name="ticks-tick"),),
    asks_pooled=True,
    adjudication=ADJUDICATION,
    questions=(MATTERS,),
    trace={"tick": find_ticks},
    accepts=accepts_ticks,
    acts=tick_acts,
    replay=replay_ticks,
    collectors={"ticks": ticks},
)
