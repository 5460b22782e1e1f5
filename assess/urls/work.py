"""Addresses of the assessor's list and of what all workbenches have. The kinds of work bring their own."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from assess.kinds.base import BENCH
from assess.work.views import own_work as work

urlpatterns: list[URLPattern | URLResolver] = [
    path("", work.home, name="home"),
    path("c/<slug:slug>/work/", work.work, name="work"),
    path("c/<slug:slug>/work/take/", work.take, name="work-take"),
    path("c/<slug:slug>/work/takes/", work.takes, name="work-takes"),
    path("c/<slug:slug>/guidelines/", work.guidelines, name="guidelines"),
    path(BENCH, work.workbench, name="workbench"),
    path(f"{BENCH}again/", work.again, name="work-again"),
    path(f"{BENCH}done/", work.done, name="work-done"),
    path(f"{BENCH}reopen/", work.reopen, name="work-reopen"),
    path(f"{BENCH}return/", work.give_back, name="work-return"),
    path(f"{BENCH}ask/", work.ask, name="work-ask"),
]
