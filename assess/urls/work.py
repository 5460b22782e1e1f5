"""Addresses of the assessor's list and the workbenches."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from assess.views.judging import grade as workbench_grade
from assess.views.judging import pages as work
from assess.views.judging import picks as workbench_picks

BENCH = "c/<slug:slug>/work/<int:assignment_id>/"

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
    path(f"{BENCH}judge/", workbench_grade.judge, name="judge"),
    path(f"{BENCH}items/<int:handle>/", workbench_grade.item, name="work-item"),
    path(f"{BENCH}picks/", workbench_picks.pick, name="picks"),
    path(f"{BENCH}picks/labels/", workbench_picks.add, name="picks-add"),
]
